"""The hardest deals that the surveys saw: their nodes, and the bytes that deciding them takes.

    python bench/hardest.py              of the surveys in docs/odds
    python bench/hardest.py FILE...      of any checkpoints of `decade survey`

It prints a table in Markdown, a row a survey. A deal is named by its index among those of the
survey's seed: ``decade solve --seed S --index I --rules NAME`` solves it. *Bytes* is the least
``memory_limit`` that decides it, so everything that a search holds is in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from decade import solve_many
from decade.rules import PRESETS
from decade.solver import MEMORY_LIMIT
from decade.survey import Plan, point_values
from decade.survey_state import Survey, load

SURVEYS = Path(__file__).resolve().parent.parent / "docs" / "odds"
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
    for file in files:
        yield from map(row, load(file))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="checkpoints (those in docs/odds)")
    known = [SURVEYS / f"{name}.json" for name in PRESETS]
    files = parser.parse_args().files or [file for file in known if file.exists()]
    for line in table(files):
        print(line, flush=True)


if __name__ == "__main__":
    main()
