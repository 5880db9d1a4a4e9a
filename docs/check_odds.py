"""Check the odds with the plain-Python solver, which shares no code with the compiled one.

    python docs/check_odds.py [--deals 20000] [--workers 2] [NAME...]

decides the first deals of the seed of docs/odds and keeps the counts, after each block of deals, in
tests/data/survey_check.json; it goes on from there when it is started again. A test compares the
compiled figures for the same deals with these.

Trying everything (:func:`decade.reference.solve_plain`) takes milliseconds a deal where discards
are forced. Where they are optional on a straight line it would take years, and what can be taken
away is found interval by interval instead, by :func:`fewest_left`. For `ends` it would take most of
a second a deal, and minutes where none wins: :func:`fewest_at_ends` tries everything too, but knows
the values of one line alone, and takes before it deals.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from decade.reference import solve_plain
from decade.rules import PRESETS, Discard, Reach, Rules
from decade.sources import seeded_deal

SEED = 1949
BLOCK = 20
RECORDS = Path(__file__).parent.parent / "tests" / "data" / "survey_check.json"


def fewest_left(values: Sequence[int], rules: Rules) -> int:
    """Find the smallest remainder of a straight line with optional discards.

    It does not matter when a set is taken, only which cards leave together: a set, and between any
    two of its cards only cards that leave before it. ``open_sets[i][j]`` holds, for the cards i to
    j - 1, the (cards, total) that a set begun with card i can have when all others of them are
    gone; ``gone[i][j]`` says whether all of them can go.
    """
    n, most = len(values), rules.totals[-1]
    cap = rules.max_cards or max(rules.min_cards, 1)
    gone = [[i == j for j in range(n + 1)] for i in range(n + 1)]
    open_sets: list[list[set[tuple[int, int]]]] = [[set() for _ in range(n + 1)] for _ in range(n)]
    for i in range(n - 1, -1, -1):
        if values[i] <= most:
            open_sets[i][i + 1].add((1, values[i]))
        for j in range(i + 1, n + 1):
            here = open_sets[i][j]
            for cards, total in open_sets[i][j - 1] if j > i + 1 else ():
                more = cards + 1 if rules.max_cards else min(cards + 1, cap)
                if more <= cap and total + values[j - 1] <= most:
                    here.add((more, total + values[j - 1]))
            closed = any(
                cards >= rules.min_cards and total in rules.totals for cards, total in here
            )
            gone[i][j] = closed or any(gone[i][k] and gone[k][j] for k in range(i + 1, j))
            for k in range(i + 1, j):
                if gone[k][j]:
                    here |= open_sets[i][k]
    best = [0] * (n + 1)
    for j in range(1, n + 1):
        best[j] = min([best[j - 1] + 1, *(best[i] for i in range(j) if gone[i][j])])
    return best[n]


def fewest_at_ends(values: Sequence[int], rules: Rules) -> int:
    """Find the smallest remainder of a loop whose sets, all of one size, contain an end.

    It is exact only above the target: a play that wins ends the search.
    """
    cards, size = bytes(values), rules.min_cards
    best = len(cards)
    stack = [(0, b"")]
    seen = set(stack)
    while stack and best > rules.target:
        dealt, line = stack.pop()
        after = []
        if dealt < len(cards):
            after.append((dealt + 1, line + cards[dealt : dealt + 1]))
        else:
            best = min(best, len(line))
        if len(line) >= size:
            for at_end in range(size + 1):
                start, end = size - at_end, len(line) - at_end
                if sum(line[:start] + line[end:]) in rules.totals:
                    after.append((dealt, line[start:end]))
        for position in after:
            if position not in seen:
                seen.add(position)
                stack.append(position)
    return best


def decide(values: Sequence[int], rules: Rules) -> tuple[bool, int | None]:
    """Decide a deal: whether it is winnable, and the smallest remainder if that has a meaning."""
    straight = not rules.wrap and rules.reach is Reach.ANY
    of_one_size = rules.min_cards == rules.max_cards and rules.min_cards >= rules.opening
    at_ends = rules.wrap and rules.reach is Reach.ENDS and of_one_size
    if rules.discard is Discard.OPTIONAL and rules.piles == 1 and (straight or at_ends):
        left = fewest_left(values, rules) if straight else fewest_at_ends(values, rules)
        return left <= rules.target, left
    found = solve_plain(values, rules)
    return found.winnable, found.remaining


def check(name: str, start: int, end: int) -> tuple[int, Counter[int]]:
    """Count the winnable deals, and all by what is left; every winnable one as 0."""
    rules = PRESETS[name]
    winnable, remaining = 0, Counter[int]()
    for index in range(start, end):
        won, left = decide(seeded_deal(SEED, index).values(rules.face_values), rules)
        winnable += won
        if left is not None:
            remaining[0 if won else left] += 1
    return winnable, remaining


def main() -> None:
    """Bring every rule set asked for to the number of deals asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", choices=[*PRESETS, []], metavar="NAME")
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    os.nice(19)
    records: dict[str, dict[str, Any]] = {}
    if RECORDS.exists():
        records = {record["rules"]: record for record in json.loads(RECORDS.read_text())}
    with ProcessPoolExecutor(asked.workers) as pool:
        for name in asked.names or PRESETS:
            empty: dict[str, Any] = {
                "rules": name,
                "seed": SEED,
                "deals": 0,
                "winnable": 0,
                "remaining": {},
            }
            record = records.setdefault(name, empty)
            starts = range(record["deals"], asked.deals, BLOCK)
            ends = [min(start + BLOCK, asked.deals) for start in starts]
            found = pool.map(check, [name] * len(ends), starts, ends)
            for end, (winnable, remaining) in zip(ends, found, strict=True):
                for left, count in record["remaining"].items():
                    remaining[int(left)] += count
                record["deals"] = end
                record["winnable"] += winnable
                record["remaining"] = {str(left): remaining[left] for left in sorted(remaining)}
                write([records[preset] for preset in PRESETS if preset in records])
                print(f"{name}: {end} deals, {record['winnable']} winnable", flush=True)


def write(records: list[dict[str, Any]]) -> None:
    """Write the records, whole or not at all."""
    temporary = RECORDS.with_suffix(".tmp")
    temporary.write_text("[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")
    temporary.replace(RECORDS)


if __name__ == "__main__":
    main()
