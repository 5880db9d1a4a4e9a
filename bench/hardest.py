"""Hunt the hardest deals: those of many that take the most nodes, and the bytes they need.

    nice -n 19 python bench/hardest.py                   10 million deals of each preset
    python bench/hardest.py loop pysol --deals 1000000   fewer, of some
    python bench/hardest.py --minutes 30                 no preset longer than that

It prints a table in Markdown, a row a preset as it is done. A deal is named by its number among
those of the seed: ``decade solve --seed S --index I --rules NAME`` solves it. *Bytes* is the least
``memory_limit`` that decides it, so everything that a search holds is in it. Where time ends a
hunt, the table says how many deals it saw; where all deals take no nodes, there are none to hunt.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from programs import Task, make_deals

from decade import PRESETS, solve_many
from decade.solver import MEMORY_LIMIT

BLOCK = 1 << 13
HEADER = """\
| preset | deals | mean nodes | 99.9 % at most | most nodes | deal | bytes | unknown |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


@dataclass(frozen=True, slots=True)
class Hardest:
    """What a hunt found."""

    preset: str
    deals: int
    mean: float
    rare: int
    """All deals but one in a thousand take at most as many nodes."""
    nodes: int
    index: int
    memory: int
    unknown: int

    def row(self) -> str:
        """Give the row of the table."""
        mean, rare, nodes = f"{self.mean:,.1f}", f"{self.rare:,}", f"{self.nodes:,}"
        hunted = (mean, rare, nodes, str(self.index)) if self.nodes else ("0", "0", "0", "")
        cells = (self.preset, f"{self.deals:,}", *hunted, f"{self.memory:,}", str(self.unknown))
        return f"| {' | '.join(cells)} |"


def blocks(task: Task, seconds: float) -> Iterator[tuple[int, int]]:
    """Cut the deals into blocks of (first, number), until the time is over."""
    start = time.monotonic()
    for first in range(0, task.deals, BLOCK):
        if first and time.monotonic() - start > seconds:
            return
        yield first, min(BLOCK, task.deals - first)


def hunt(preset: str, task: Task, seconds: float) -> Hardest:
    """Solve the deals of a seed, and find the one with the most nodes (the first of them)."""
    counts = []
    unknown = 0
    for first, deals in blocks(task, seconds):
        found = solve_many(make_deals(task, first, deals), task.rules, threads=task.threads)
        unknown += int(np.count_nonzero(found.verdict == 2))
        counts.append(found.nodes)
    nodes = np.concatenate(counts)
    index = int(nodes.argmax())
    return Hardest(
        preset=preset,
        deals=len(nodes),
        mean=float(nodes.mean()),
        rare=int(np.quantile(nodes, 0.999, method="higher")),
        nodes=int(nodes[index]),
        index=index,
        memory=least_memory(task, index),
        unknown=unknown,
    )


def least_memory(task: Task, index: int) -> int:
    """Find the least limit in bytes under which a deal is decided, the default if none is."""
    values = make_deals(task, index, 1)
    low, high = 0, MEMORY_LIMIT  # too little, and enough
    while high - low > 1:
        middle = (low + high) // 2
        unknown = bool(solve_many(values, task.rules, memory_limit=middle).verdict[0] == 2)
        low, high = (middle, high) if unknown else (low, middle)
    return high


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("presets", nargs="*", help="all by default")
    parser.add_argument("--deals", type=int, default=10_000_000, help="of each preset (10 million)")
    parser.add_argument("--minutes", type=float, default=600, help="longest for a preset (600)")
    parser.add_argument("--seed", type=int, default=1949, help="the deals' seed (1949)")
    parser.add_argument("--threads", type=int, default=1, help="how many share the deals (1)")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.presets if name not in PRESETS]:
        parser.error(f"there is no preset {unknown[0]!r}; there are {', '.join(PRESETS)}")
    print(HEADER, flush=True)
    for name in arguments.presets or PRESETS:
        task = Task(PRESETS[name], arguments.deals, arguments.seed, threads=arguments.threads)
        print(hunt(name, task, 60 * arguments.minutes).row(), flush=True)


if __name__ == "__main__":
    main()
