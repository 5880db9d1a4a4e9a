"""Make docs/odds.md and its pictures from surveys that are kept as JSON, and the surveys too.

    nice python docs/make_odds.py [--workers W] [--deals-decade 1e8] [--deals 1e7] [NAME...]

Each rule set has a survey in docs/odds. It is gone on from until it has the deals asked for, and is
kept every few seconds, so that the command may be stopped in any way and started again. First it
says what is to be done and how long that takes, by a small sample of each rule set; then how far it
is. The page is written after each rule set, from all surveys there are; with --table only the page
and the pictures are made. A survey whose search counted nodes differently is not gone on from: move
it away, or finish it with the version that began it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from decade.cli_survey import whole
from decade.cluster import cores, threads
from decade.play import Policy
from decade.plot import draw
from decade.rules import PRESETS
from decade.survey import CHANCE_BITS, Plan, SurveyError, count_deals
from decade.survey_run import Goal, run
from decade.survey_state import Survey, load, save
from decade.survey_text import between, digits_for, one_in, percent
from decade.wilson import wilson
from decade_ext.search import Stop

SEED = 1949
DEALS, FEWER = 10**7, 10**6
COSTLY = ("ten-twenty-thirty", "nine-columns", "ends")
"""Rule sets of which a deal and its plays take over 100 microseconds."""
DOCS = Path(__file__).parent
FOLDER = DOCS / "odds"
ADVISED = FOLDER / "advice.json"
CHECK = DOCS.parent / "tests" / "data" / "survey_check.json"
POLICIES: tuple[Policy, ...] = ("random", "longest", "shortest")
SAMPLE, EXACT_SAMPLE = 500, 50
SAVE_SECONDS, SAY_SECONDS = 5.0, 30.0
COLUMNS = (
    "rules", "deals", "winnable", "95 % interval", "odds", "random player", "longest first",
    "shortest first", "mean nodes", "hardest deal (nodes, index)",
)  # fmt: skip

HEAD = """\
# The true odds

Morehead and Mott-Smith put the odds of winning 10-20-30 at 1 in 50 in 1949. These are the odds of a
player who sees the stock and makes no mistake (*winnable*), and of three who do not see it: one
takes any set at random, one always the set with the most cards, one that with the fewest. None of
the three leaves a set lying that may be taken. One who weighs each choice in random orders of the
unseen cards wins more often than they: [help.md](help.md).

![Rates of all rule sets, with the books' 1 in 50](odds.svg)
"""
NOTES = """
The deals are those of `--seed {seed}`, from index 0 on; {unknown:,} of them are unknown. To see the
hardest deal of `decade`: `decade deal --seed {seed} --index {hardest}`, and so for the others. The
nodes of a deal are the positions that the search looked at; some rule sets need no search.

## The random player, exactly

Where sets must be taken, the random player's chance can be worked out exactly, deal by deal. The
mean over the first deals:
"""
ADVICE = """
## Without seeing the stock

How much of this is skill? A player who follows `decade advise` weighs each choice in {samples}
random orders of the unseen cards, and really wins as often as this: a lower bound for the best play
without seeing the stock. What can be won by one who sees it is an upper bound. Of the first
{deals:,} deals, by `{command}`:
"""
TAIL = """
## What is left

![What is left of the standard game's deals](odds-decade.svg)

## Made by

`python docs/make_odds.py` counts and writes this page; `docs/odds` keeps what was counted, to be
gone on from or read by any program. `python docs/check_odds.py` decides the first of the same deals
with plain Python that shares no code with the search, and a test compares:
"""


@dataclass(frozen=True, slots=True)
class Task:
    """A rule set's survey, how many deals it is to have, and what a deal costs."""

    survey: Survey
    deals: int
    cost: float
    """Seconds of one core a deal, without the exact chance."""
    exact_cost: float
    """Seconds of one core for an exact chance."""

    @classmethod
    def of(cls, name: str, deals: int, exact: int) -> Task:
        """Take up a survey and measure a few of its deals."""
        plan = Plan.of(PRESETS[name], SEED, policies=POLICIES, random_win=exact)
        survey, file = Survey(plan), FOLDER / f"{name}.json"
        if file.exists():
            (survey,) = load(file)
            try:
                survey.check_same(plan)
            except SurveyError as error:
                raise SystemExit(f"{file}: {error}") from error
        sampled = replace(plan, random_win=0)
        count_deals(sampled, 0, 10)  # what comes but once is not measured
        cost = _seconds(lambda: count_deals(sampled, 0, SAMPLE)) / SAMPLE
        exact_cost = 0.0
        if plan.random_win:
            both = _seconds(lambda: count_deals(plan, 0, min(EXACT_SAMPLE, plan.random_win)))
            exact_cost = max(0.0, both / EXACT_SAMPLE - cost)
        return cls(survey, deals, cost, exact_cost)

    @property
    def name(self) -> str:
        """The rule set's name."""
        return self.survey.plan.rules.name or ""

    def seconds(self, have: int) -> float:
        """Say how much time of one core is left when there are so many deals."""
        exact = min(self.survey.plan.random_win, self.deals)
        return max(0, self.deals - have) * self.cost + max(0, exact - have) * self.exact_cost


def _seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def clock(seconds: float) -> str:
    """Print a time.

    >>> clock(3700), clock(90), clock(9)
    ('1 h 02 min', '2 min', '9 s')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def count(tasks: Sequence[Task], workers: int) -> None:
    """Go on with all surveys until they have their deals, and write the page after each."""
    for number, task in enumerate(tasks):
        later = sum(other.seconds(other.survey.tally.deals) for other in tasks[number + 1 :])
        count_one(task, later, workers)
        write_page()


def count_one(task: Task, later: float, workers: int) -> None:
    """Go on with one survey; ``later`` is the time of one core that the others take."""
    if task.survey.tally.deals >= task.deals:
        return
    file = FOLDER / f"{task.name}.json"
    began, before, latest = time.monotonic(), task.survey.tally.deals, task.survey
    saved, said = began, began

    def progress(now: Survey) -> None:
        nonlocal latest, saved, said
        latest, at = now, time.monotonic()
        if at - saved >= SAVE_SECONDS:
            save(file, [now])
            saved = at
        if at - said >= SAY_SECONDS:
            say(now)
            said = at

    def say(now: Survey) -> None:
        have, passed = now.tally.deals, time.monotonic() - began
        spent = task.seconds(before) - task.seconds(have)
        pace = passed / spent if spent else 1 / workers  # seconds here for one of a core then
        left = task.seconds(have) * pace
        print(
            f"{task.name}: {have:,} of {task.deals:,} deals,"
            f" {percent(now.rate or 0.0, digits=digits_for(*now.interval))} winnable,"
            f" {(have - before) / passed:,.0f}/s, {clock(left)} left,"
            f" {clock(left + later * pace)} for all",
            flush=True,
        )

    try:
        with threads(workers) as crew:
            run(task.survey, Goal(deals=task.deals), crew, progress, stop=Stop())
    finally:
        save(file, [latest])
    say(latest)


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
    yield from _advised()
    yield TAIL
    yield from table(("rules", "deals", "winnable"), list(_checked()))


def _advised() -> Iterator[str]:
    """Print what advice wins, from a survey that has both policies."""
    for survey in load(ADVISED) if ADVISED.exists() else ():
        tally, plan = survey.tally, survey.plan
        command = f"decade survey --deals {tally.deals} --seed {plan.seed} --policy random"
        command += f" --policy advise --samples {plan.samples}"
        yield ADVICE.format(samples=plan.samples, deals=tally.deals, command=command)
        counts = {
            "random player": tally.plays["random"].won,
            "by advice": tally.plays["advise"].won,
            "can be won": tally.winnable,
        }
        cells = [_share(won, tally.deals) for won in counts.values()]
        yield from table(("rules", *counts), [(f"`{plan.rules.name}`", *cells)])


def _share(won: int, deals: int) -> str:
    low, high = wilson(won, 0, deals)
    digits = digits_for(low, high)
    return f"{percent(won / deals, digits=digits)} ({between(low, high)})"


def _hardest(surveys: Sequence[Survey]) -> int:
    return next((s.tally.hardest or 0 for s in surveys if s.plan.rules.name == "decade"), 0)


def _checked() -> Iterator[tuple[str, ...]]:
    for record in json.loads(CHECK.read_text()):
        yield f"`{record['rules']}`", f"{record['deals']:,}", f"{record['winnable']:,}"


def write_page() -> None:
    """Write the page and the pictures from the surveys there are."""
    files = [FOLDER / f"{name}.json" for name in PRESETS]
    surveys = [survey for file in files if file.exists() for survey in load(file)]
    (DOCS / "odds.md").write_text("\n".join(page(surveys)) + "\n", encoding="utf-8")
    standard = [survey for survey in surveys if survey.plan.rules.name == "decade"]
    for suffix in (".svg", ".png"):
        if len(surveys) > 1:
            draw(surveys, DOCS / f"odds{suffix}")
        if standard:
            draw(standard, DOCS / f"odds-decade{suffix}")


def main() -> None:
    """Count what is asked for, and write the page from all that has been counted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", choices=[*PRESETS, []], metavar="NAME")
    parser.add_argument("--deals-decade", type=whole, default=10**8)
    parser.add_argument("--deals", type=whole, help="of the others (1e7, and 1e6 of costly ones)")
    parser.add_argument("--exact", type=whole, default=10**5, help="exact chances (1e5)")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--table", action="store_true", help="count nothing")
    asked = parser.parse_args()
    if asked.table:
        write_page()
        return
    FOLDER.mkdir(exist_ok=True)
    tasks = []
    for name in asked.names or PRESETS:
        usual = FEWER if name in COSTLY else DEALS
        deals = asked.deals_decade if name == "decade" else asked.deals or usual
        task = Task.of(name, deals, asked.exact)
        have = task.survey.tally.deals
        print(
            f"{name}: has {have:,} of {deals:,} deals, {1e6 * task.cost:,.1f} microseconds each,"
            f" {clock(task.seconds(have) / asked.workers)}",
            flush=True,
        )
        tasks.append(task)
    left = sum(task.seconds(task.survey.tally.deals) for task in tasks)
    print(f"all: about {clock(left / asked.workers)} with {asked.workers} workers", flush=True)
    try:
        count(tasks, asked.workers)
    except KeyboardInterrupt:
        raise SystemExit("stopped; start again to go on") from None


if __name__ == "__main__":
    main()
