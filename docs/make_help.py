"""Make docs/help.md: how hard deals are, and how often a player wins who takes advice.

    nice python docs/make_help.py [--winnable 10000] [--deals 10000] [--samples 100] [--time 120]

Counts the plays of so many winnable deals of each rule set, or of as many as that time in seconds
is enough for, and plays so many deals by advice. It takes some minutes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from decade.advice import advise
from decade.cli_advise import advice_lines
from decade.difficulty import GRADES
from decade.find import find_deals
from decade.render import Paper
from decade.rules import PRESETS
from decade.sources import Seed
from decade.survey import Plan, Tally, count_deals, countable
from decade.survey_text import digits_for, percent
from decade.wilson import wilson

SEED = 1949
TABLE, UNSEEN = "JD 9H AC", "2 5 5 6 6 7 7 7 8 8 9"
PAGE = Path(__file__).parent / "help.md"

HARD = """\
# How hard a deal is, and what to do

## Grades

The plays of a deal can be counted where sets must be taken and do not go under the stock. `decade
solve --count` then gives the exact chance of a player who picks among the legal sets at random, and
with it the grade of a deal that can be won:

| grade | a random player wins |
|---|---|
| trivial | always |
| easy | at least 1 time in 2 |
| medium | at least 1 time in 4 |
| hard | at least 1 time in 16 |
| expert | less often |

Beside the grade stand two numbers of the winning play that is shown: its *decisions*, the sets that
were chosen among several, and how many of them lose the game when missed, whatever comes after.

`decade find` looks for deals of a grade. The grades of the first winnable deals of `--seed {seed}`,
and how many of those deals a single line of play wins (`--unique`); where there are fewer, they are
what was found in {minutes:g} minutes:
"""
ADVICE = """
## Advice without seeing the stock

`decade advise` knows the cards on the table and those that are gone; the rest of the pack lies in
the stock, in an order that nobody knows. It draws orders at random, and solves the game in each of
them after each choice that there is: every legal set, and where sets may be left lying, leaving
them. A choice's chance is the share of the orders in which the game can still be won after it. The
orders are the same for all choices, so a difference between two choices is surer than the standard
errors of the two make it look. These are worked out with one win and one loss more, so that few
orders that agree do not look certain; where no or one card is unseen there is one order, and no
error. Orders that a limit left open count as losses.

The search sees the stock, so the chances assume clairvoyant play after this choice: they are upper
bounds, apart from their error. Two choices can look alike though one of them leaves a harder guess
later. In a single straight line whose sets may be left (`pysol`, `face-up`, `seven-up`) there is
nothing to guess: a set that is left can be taken later, so leaving everything until the stock is
empty loses nothing, and who does so wins every deal that can be won. Where choices look equally
good the one with more cards comes first, then the one further to the front, then leaving; in these
games leaving comes first.

By default it solves 10,000 orders, or as many as 2 seconds are enough for. With `--samples` the
advice is the same on every machine, for the same `--seed`. Without suits a card may be any of its
rank, and a plain 10 any ten-valued card; only what cards count matters. Under `recycle` the cards
that are gone lie under the stock: `--seen` must have their order, and the advice is for the time
until the first of them is dealt again.

```console
$ decade advise --table "{table}" --unseen "{unseen}" --samples 5000
{example}
```

## How often advice wins

`decade survey --policy advise` plays each deal as the advice says, with {samples} orders at each
choice, drawn from the deal's unseen cards and never from their order. A player who sees no card of
the stock really wins as often as this, so it is a lower bound for the best play without seeing the
stock; what can be won at all is an upper bound. Deals 0 to {last:,} of `--seed {seed}`:
"""
TAIL = """
The intervals are 95 %. Made by `python docs/make_help.py`.
"""


def share(count: int, total: int) -> str:
    """Print a share with its interval's half width."""
    if not total:
        return ""
    low, high = wilson(count, 0, total)
    digits = digits_for(low, high)
    return f"{percent(count / total, digits=digits)} ± {50 * (high - low):.{digits}f}"


def graded(name: str, wanted: int, seconds: float) -> list[str]:
    """Count the grades of a rule set's winnable deals, and make their row."""
    grades, unique, until = Counter[str](), 0, time.monotonic() + seconds

    def watch(_looked_at: int, _left_open: int) -> None:
        if time.monotonic() > until:
            raise TimeoutError

    source = Seed(SEED, 2**40)
    with suppress(TimeoutError):
        for found in find_deals(
            source, name, verdict="winnable", count=True, limit=wanted, watch=watch
        ):
            grades[found.grade or ""] += 1
            unique += found.counts is not None and found.counts.winning_lines == 1
    total = grades.total()
    shares = [share(grades[grade], total) for grade in GRADES]
    return [f"`{name}`", f"{total:,}", *shares, share(unique, total)]


def advised(name: str, deals: int, samples: int) -> list[str]:
    """Play deals of a rule set by advice and at random, and make their row."""
    plan = Plan.of(PRESETS[name], SEED, policies=("random", "advise"), samples=samples)
    tally: Tally = count_deals(plan, 0, deals).tally
    wins = (tally.plays["random"].won, tally.plays["advise"].won, tally.winnable)
    return [f"`{name}`", *(share(won, deals) for won in wins)]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Print a table in Markdown."""
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Count what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--winnable", type=int, default=10_000)
    parser.add_argument("--deals", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--time", type=float, default=120)
    asked = parser.parse_args()
    names = [name for name, rules in PRESETS.items() if countable(rules)]
    hard, wins = [], []
    for name in names:
        hard.append(graded(name, asked.winnable, asked.time))
        print(*hard[-1], flush=True)
        wins.append(advised(name, asked.deals, asked.samples))
        print(*wins[-1], flush=True)
    example = advice_lines(advise(TABLE, unseen=UNSEEN, samples=5000), Paper())
    about = {
        "seed": SEED,
        "samples": asked.samples,
        "last": asked.deals - 1,
        "minutes": asked.time / 60,
        "table": TABLE,
        "unseen": UNSEEN,
        "example": "\n".join(example),
    }
    lines = [
        HARD.format(**about),
        *table(("rules", "winnable deals", *GRADES, "unique"), hard),
        ADVICE.format(**about),
        *table(("rules", "random player", "by advice", "can be won"), wins),
        TAIL,
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
