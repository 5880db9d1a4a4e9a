"""The hardest deals that the surveys saw: their nodes, and the bytes that deciding them takes.

    python bench/hardest.py              of the surveys in docs/odds and docs/hardest
    python bench/hardest.py FILE...      of any checkpoints of `decade survey`

It prints a table in Markdown, a row a rule set: surveys of different deals are added up, and what
else they count is left out. A deal is named by its index among those of the
survey's seed: ``decade solve --seed S --index I --rules NAME`` solves it. *Bytes* is the least
``memory_limit`` that decides it, so everything that a search holds is in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from decade import solve_many
from decade.rules import PRESETS
from decade.solver import MEMORY_LIMIT
from decade.survey import Plan, point_values
from decade.survey_state import Survey, load, merge

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEADER = """\
| rules | deals | mean nodes | most nodes | index | bytes |
| --- | ---: | ---: | ---: | ---: | ---: |"""


def least_memory(plan: Plan, index: int) -> int:
    """Find the least limit in bytes under which a deal is decided, the default if none is."""
    values = point_values(plan.rules, plan.seed, index, 1)
    low, high = 0, MEMORY_LIMIT  # too little, and enough
    while high - low > 1:
        middle = (low + high) // 2
        unknown = bool(solve_many(values, plan.rules, memory_limit=middle).verdict[0] == 2)
        low, high = (middle, high) if unknown else (low, middle)
    return high


def searches(survey: Survey) -> Survey:
    """Leave out of a survey what is no search's."""
    plan = replace(survey.plan, policies=(), random_win=0, samples=0)
    return replace(survey, plan=plan, tally=replace(survey.tally, plays={}, chances=0, chance=0))


def row(survey: Survey) -> str:
    """Give a survey's row of the table; where nothing is searched, any deal is as hard."""
    tally, plan = survey.tally, survey.plan
    index = tally.hardest or 0
    cells = (
        f"`{plan.rules.name}`",
        f"{tally.deals:,}",
        f"{tally.nodes / tally.deals:,.1f}" if tally.nodes else "no search",
        f"{tally.most:,}" if tally.nodes else "",
        str(index) if tally.nodes else "",
        f"{least_memory(plan, index):,}",
    )
    return f"| {' | '.join(cells)} |"


def table(files: list[Path]) -> Iterator[str]:
    """Print the table."""
    yield HEADER
    yield from map(row, merge(map(searches, load(file)) for file in files))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="checkpoints (those in docs)")
    known = [DOCS / kept / f"{name}.json" for name in PRESETS for kept in ("odds", "hardest")]
    files = parser.parse_args().files or [file for file in known if file.exists()]
    for line in table(files):
        print(line, flush=True)


if __name__ == "__main__":
    main()
