"""What share of random deals with optional discards is decided within a second and a memory limit.

    python bench/decided.py             10,000 deals of each rule set, a line each
    python bench/decided.py 100000      more of them

Rule sets that are forced by themselves are made optional. A deal that takes longer than a second
counts as not decided, whatever the search would say in the end.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np

from decade import PRESETS, Discard, solve_many
from decade.sources import PACK, seeded_cards

SEED, SECOND = 1949, 1.0
MIB = 2**20
MEMORY = {"ends": 1024, "loop": 1024, "loop-max-three": 1024, "seven-piles": 256}
"""Limits in MiB by rule set."""
NODES = 4_000_000
"""More than a second's work, so that a hopeless deal does not hold the others up."""


def report(name: str, deals: int) -> str:
    """Solve deals one by one and say what share was decided in time."""
    rules = replace(PRESETS[name], discard=Discard.OPTIONAL)
    counts = np.array([*range(11), *rules.face_values], np.uint8)
    values = counts[np.array([card.rank for card in PACK])][seeded_cards(SEED, 0, deals)]
    in_time = won = 0
    slowest = 0.0
    for deal in range(deals):
        start = time.perf_counter()
        found = solve_many(
            values[deal : deal + 1], rules, node_limit=NODES, memory_limit=MEMORY[name] * MIB
        )
        seconds = time.perf_counter() - start
        slowest = max(slowest, seconds)
        in_time += bool(found.verdict[0] < 2 and seconds <= SECOND)
        won += bool(found.verdict[0] == 1)
    return (
        f"{name} optional: {100 * in_time / deals:.2f} % of {deals} deals decided within a second "
        f"and {MEMORY[name]} MiB, {won} of them winnable; the slowest took {slowest:.3f} s"
    )


def main() -> None:
    """Report on all rule sets."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for name in MEMORY:
        print(report(name, deals), flush=True)


if __name__ == "__main__":
    main()
