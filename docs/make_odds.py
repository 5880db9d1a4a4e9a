"""Make docs/odds.md and its pictures from surveys that are kept as JSON, and the surveys too.

    nice python docs/make_odds.py [--workers W] [--deals-decade 1e8] [--deals 1e7] [NAME...]

Each rule set has a survey in docs/odds; it is gone on from until it has the deals asked for, so
that the command may be stopped and started again at any time. With --table only the page and the
pictures are made, from the surveys as they are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from decade.cli_survey import whole
from decade.cluster import cores
from decade.play import Policy
from decade.plot import draw
from decade.rules import PRESETS
from decade.survey import CHANCE_BITS
from decade.survey_state import Survey, load
from decade.survey_text import between, digits_for, one_in, percent
from decade.wilson import wilson

SEED = 1949
DOCS = Path(__file__).parent
FOLDER = DOCS / "odds"
CHECK = DOCS.parent / "tests" / "data" / "survey_check.json"
COLUMNS = (
    "rules", "deals", "winnable", "95 % interval", "odds", "random player", "longest first",
    "shortest first", "mean nodes", "hardest deal (nodes, index)",
)  # fmt: skip

HEAD = """\
# The true odds

Morehead and Mott-Smith put the odds of winning 10-20-30 at 1 in 50 in 1949. These are the odds of a
player who sees the stock and makes no mistake (*winnable*), and of three who do not see it: one
takes any set at random, one always the set with the most cards, one that with the fewest.

![Rates of all rule sets, with the books' 1 in 50](odds.svg)
"""
NOTES = """
The deals are those of `--seed {seed}`, from index 0 on; {unknown:,} of them are unknown. To see the
hardest deal of `decade`: `decade deal --seed {seed} --index {hardest}`. The nodes of a deal are the
positions that the search looked at; some rule sets need no search.

## The random player, exactly

Where sets must be taken, the random player's chance can be worked out exactly, deal by deal. The
mean over the first deals:
"""
TAIL = """
## What is left

![What is left of the standard game's deals](odds-decade.svg)

## Made by

`python docs/make_odds.py` counts and writes this page; `docs/odds` keeps what was counted, to be
gone on from or read by any program. `python docs/check_odds.py` decides the first of the same deals
with plain Python that shares no code with the search, and a test compares:
"""


def count(name: str, deals: int, exact: int, workers: int) -> None:
    """Go on with the survey of a rule set until it has so many deals."""
    options = {
        "--rules": name,
        "--deals": deals,
        "--seed": SEED,
        "--random-win": exact,
        "--workers": workers,
        "--checkpoint": FOLDER / f"{name}.json",
    }
    command = [sys.executable, "-m", "decade", "survey", "--json"]
    for policy in ("random", "longest", "shortest"):
        command += ["--policy", policy]
    for option, value in options.items():
        command += [option, str(value)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def policy_cell(survey: Survey, policy: Policy) -> str:
    """Print the share of deals that a policy wins."""
    plays = survey.tally.plays[policy]
    low, high = wilson(plays.won, 0, survey.tally.deals)
    return percent(plays.won / survey.tally.deals, digits=digits_for(low, high))


def row(survey: Survey) -> tuple[str, ...]:
    """Make a rule set's row of the table."""
    tally, plan = survey.tally, survey.plan
    low, high = survey.interval
    return (
        f"`{plan.rules.name}`",
        f"{tally.deals:,}",
        percent(survey.rate or 0.0, digits=digits_for(low, high)),
        between(low, high),
        one_in(tally.winnable, tally.deals),
        policy_cell(survey, "random"),
        policy_cell(survey, "longest"),
        policy_cell(survey, "shortest"),
        f"{tally.nodes / tally.deals:,.1f}" if tally.nodes else "no search",
        "" if tally.hardest is None else f"{tally.most:,}, {tally.hardest}",
    )


def exact_row(survey: Survey) -> tuple[str, ...]:
    """Make a row of the table of exact chances."""
    tally = survey.tally
    mean = tally.chance / (tally.chances << CHANCE_BITS)
    return f"`{survey.plan.rules.name}`", f"{tally.chances:,}", percent(mean, digits=4)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Print a table in Markdown."""
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cells)} |"


def page(surveys: Sequence[Survey]) -> Iterator[str]:
    """Print the page."""
    unknown = sum(survey.tally.unknown for survey in surveys)
    exact = [exact_row(survey) for survey in surveys if survey.tally.chances]
    rows = [row(survey) for survey in surveys]
    yield HEAD
    yield from table(COLUMNS, rows)
    yield NOTES.format(seed=SEED, unknown=unknown, hardest=_hardest(surveys))
    yield from table(("rules", "deals", "mean chance"), exact)
    yield TAIL
    yield from table(("rules", "deals", "winnable"), list(_checked()))


def _hardest(surveys: Sequence[Survey]) -> int:
    return next((s.tally.hardest or 0 for s in surveys if s.plan.rules.name == "decade"), 0)


def _checked() -> Iterator[tuple[str, ...]]:
    for record in json.loads(CHECK.read_text()):
        yield f"`{record['rules']}`", f"{record['deals']:,}", f"{record['winnable']:,}"


def main() -> None:
    """Count what is asked for, and write the page from all that has been counted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="rule sets (all)")
    parser.add_argument("--deals-decade", type=whole, default=10**8)
    parser.add_argument("--deals", type=whole, default=10**7, help="of the others")
    parser.add_argument("--exact", type=whole, default=10**6, help="exact chances")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--table", action="store_true", help="count nothing")
    asked = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name in () if asked.table else asked.names or PRESETS:
        print(f"{name} ...", flush=True)
        deals = asked.deals_decade if name == "decade" else asked.deals
        count(name, deals, asked.exact, asked.workers)
    files = [FOLDER / f"{name}.json" for name in PRESETS]
    surveys = [survey for file in files if file.exists() for survey in load(file)]
    (DOCS / "odds.md").write_text("\n".join(page(surveys)) + "\n", encoding="utf-8")
    for suffix in (".svg", ".png"):
        draw(surveys, DOCS / f"odds{suffix}")
        draw(
            [survey for survey in surveys if survey.plan.rules.name == "decade"],
            DOCS / f"odds-decade{suffix}",
        )


if __name__ == "__main__":
    main()
