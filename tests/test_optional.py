"""Optional discards: the compiled kernels against the plain solver and a textbook interval program.

The plain solver tries every order of every set and is good for a dozen cards; the textbook program
knows only what the straight line is about, nested intervals, and is good for two packs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import decade
from decade.play import Move, replay
from decade.reference import solve_plain
from decade.rules import PRESETS, Discard, Reach, Rules
from decade_ext.search import Search

LINES = ("pysol", "face-up", "seven-up")
MakeSearch = Callable[..., Search]


def textbook(values: Sequence[int], rules: Rules) -> int:
    """Find the smallest remainder of a straight line, any set optional, in cubic time.

    ``rests[i]`` holds, for each end j, what cards i to j - 1 can be reduced to with card i
    staying: pairs of a total and a number of cards. All can go where such a rest is a set.
    """
    n, most = len(values), max(rules.totals)
    longest = rules.max_cards or n

    def is_set(total: int, cards: int) -> bool:
        return total in rules.totals and rules.min_cards <= cards <= longest

    goes = [[i == j for j in range(n + 1)] for i in range(n + 1)]
    rests: list[list[set[tuple[int, int]]]] = [[set() for _ in range(n + 1)] for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in range(i + 1, n + 1):
            rest = {(values[i], 1)} if goes[i + 1][j] else set()
            for k in range(i + 1, j):
                if goes[i + 1][k]:
                    rest |= {(values[i] + total, 1 + cards) for total, cards in rests[k][j]}
            rests[i][j] = {(t, c) for t, c in rest if t <= most and c <= longest}
        for j in range(i + 1, n + 1):
            ends = (k for k in range(i + 1, j + 1) if any(is_set(*r) for r in rests[i][k]))
            goes[i][j] = any(goes[k][j] for k in ends)
    least = [0]
    for j in range(1, n + 1):
        least.append(min([least[j - 1] + 1, *(least[i] for i in range(j) if goes[i][j])]))
    return least[n]


def left_by(rules: Rules, values: Sequence[int], moves: Sequence[Any]) -> int:
    play = [Move(d, pile, cards, sum(values[c] for c in cards)) for d, pile, cards in moves]
    return replay(values, rules, play)


def draw(r: random.Random) -> tuple[Rules, list[int]]:
    """Draw optional rules, straight ones mostly, and a deck for them."""
    piles = r.choice([1, 1, 1, 2, 3, 4])
    scale = r.choice([4, 10, 10, 13, 40, 300, 5000])
    kinds = [r.randint(1, scale) for _ in range(r.randint(2, 9))]
    values = [r.choice(kinds) for _ in range(r.randint(1, 13))]
    starts = [r.randrange(len(values)) for _ in range(r.randint(1, 4))]
    totals = [sum(values[start : start + r.randint(1, 4)]) for start in starts]
    if scale <= 13 and r.random() < 0.6:
        step = r.choice([5, 7, 9, 10])
        totals = [step * k for k in range(1, r.randint(2, 8))]
    least = r.choice([1, 1, 2, 2, 3])
    return Rules(
        totals=tuple(totals),
        min_cards=least,
        max_cards=r.choice([None, None, least, least + 1, 4 if least < 4 else None]),
        wrap=r.random() < 0.25,
        reach=r.choice([Reach.ANY, Reach.ANY, Reach.TOP, Reach.ENDS]),
        piles=piles,
        opening=r.choice([1, 1, 2, 3, 5, 20]),
        discard=Discard.OPTIONAL,
        target=r.choice([0, 0, 0, 1, 4]),
    ), values


def test_random_rules_and_decks(make_search: MakeSearch, seed: int) -> None:
    classes: dict[tuple[bool, bool, str], int] = {}
    for case_seed in range(seed, seed + 4000):
        rules, values = draw(random.Random(f"optional {case_seed}"))
        search = make_search(rules)
        verdict, remaining, _, moves, _, _ = search.solve(values)
        plain = solve_plain(values, rules)
        told = f"DECADE_SEED={case_seed}: {rules} {values} {plain}"
        assert verdict == plain.winnable, told
        assert remaining <= rules.target if verdict else remaining == plain.remaining, told
        assert left_by(rules, values, moves) == remaining, told
        if max(values) <= 255:
            many = decade.solve_many(np.array([values], np.uint8), rules)
            assert (many.verdict[0], many.remaining[0]) == (verdict, remaining), told
        kind = (rules.piles > 1, rules.wrap, rules.reach.value)
        classes[kind] = classes.get(kind, 0) + 1
    assert len(classes) == 12
    assert min(classes.values()) >= 40


@pytest.mark.parametrize(
    "name", ["ends", "loop", "loop-max-three", "max-three", "seven-piles-loop"]
)
def test_short_deals_of_presets(name: str, make_search: MakeSearch, seed: int) -> None:
    """Decks with their usual values, under presets made optional where they are not."""
    rules = replace(PRESETS[name], discard=Discard.OPTIONAL)
    for case_seed in range(seed, seed + 150):
        r = random.Random(f"{name} {case_seed}")
        values = [min(r.randint(1, 13), 10) for _ in range(r.randint(4, 13))]
        for target in (0, 4):
            aimed = replace(rules, target=target)
            verdict, remaining, _, moves, _, _ = make_search(aimed).solve(values)
            plain = solve_plain(values, aimed)
            assert verdict == plain.winnable, f"seed {case_seed}"
            assert verdict or remaining == plain.remaining, f"seed {case_seed}"
            assert left_by(aimed, values, moves) == remaining, f"seed {case_seed}"


def pack_values(r: random.Random, rules: Rules, packs: int) -> list[int]:
    faces = dict(zip((11, 12, 13), rules.face_values, strict=True))
    values = [faces.get(rank, rank) for rank in range(1, 14)] * 4 * packs
    r.shuffle(values)
    return values


@pytest.mark.parametrize("name", LINES)
def test_packs_against_the_textbook(name: str, make_search: MakeSearch, seed: int) -> None:
    """One pack and two, by the kernel for one deal and by the one for many."""
    rules = PRESETS[name]
    search = make_search(rules)
    for packs, deals in ((1, 40), (2, 3)):
        rows = [
            pack_values(random.Random(f"{name} {seed + i}"), rules, packs) for i in range(deals)
        ]
        many = decade.solve_many(np.array(rows, np.uint8), rules)
        scalar = np.empty(deals, np.int16)
        make_search(rules, path="scalar").solve_many(
            np.array(rows, np.uint8), np.empty(deals, np.uint8), scalar, np.empty(deals, np.int64)
        )
        assert (scalar == many.remaining).all(), f"seed {seed}"
        for values, remaining in zip(rows, many.remaining.tolist(), strict=True):
            assert remaining == textbook(values, rules), f"seed {seed}"
            found = search.solve(values)
            assert found[:2] == (remaining == 0, remaining)
            assert left_by(rules, values, found[3]) == remaining


def test_lines_of_any_rules_against_the_textbook(make_search: MakeSearch, seed: int) -> None:
    for case_seed in range(seed, seed + 250):
        r = random.Random(f"textbook {case_seed}")
        rules, _ = draw(r)
        rules = replace(rules, piles=1, wrap=False, reach=Reach.ANY, target=0)
        values = [min(r.randint(1, 14), 12) for _ in range(r.randint(14, 40))]
        verdict, remaining, _, moves, _, _ = make_search(rules).solve(values)
        assert remaining == textbook(values, rules), f"seed {case_seed}"
        assert verdict == (remaining == 0), f"seed {case_seed}"
        assert left_by(rules, values, moves) == remaining, f"seed {case_seed}"


def test_lines_in_batches_are_as_one_by_one(make_search: MakeSearch, seed: int) -> None:
    """Whatever their length and number, on either path, the kernels side by side among them."""
    for case_seed in range(seed, seed + 400):
        r = random.Random(f"batches {case_seed}")
        modulus, least = r.choice([5, 7, 10, 13, 32]), r.choice([1, 2])
        rules = Rules(
            totals=tuple(modulus * k for k in range(1, r.choice([2, 4, 4, 4, 6, 8]))),
            min_cards=least,
            max_cards=r.choice([None, None, least + 1, r.randint(least, 8)]),
            discard=Discard.OPTIONAL,
            target=r.choice([0, 3]),
        )
        greatest = r.choice([modulus - 1, modulus, modulus, 2 * modulus - 1, 3 * modulus])
        cards = r.choice([r.randint(1, 62), 52, r.randint(63, 104)])
        rows = [[r.randint(1, greatest) for _ in range(cards)] for _ in range(r.randint(1, 27))]
        search = make_search(rules)
        alone = [search.solve(values)[:2] for values in rows]
        for path in (None, "scalar"):
            verdict, remaining = np.empty(len(rows), np.uint8), np.empty(len(rows), np.int16)
            make_search(rules, path=path).solve_many(
                np.array(rows, np.uint8), verdict, remaining, np.empty(len(rows), np.int64)
            )
            told = f"DECADE_SEED={case_seed}: {path} {rules} {rows}"
            assert list(zip(verdict.tolist(), remaining.tolist(), strict=True)) == alone, told


def test_the_textbook_is_right(seed: int) -> None:
    for case_seed in range(seed, seed + 400):
        r = random.Random(f"oracle {case_seed}")
        rules, values = draw(r)
        rules = replace(rules, piles=1, wrap=False, reach=Reach.ANY)
        assert textbook(values, rules) == solve_plain(values, rules, least=True).remaining


def test_seven_piles_of_a_pack_are_decided(make_search: MakeSearch, seed: int) -> None:
    """Every random deal, with little memory; a forced win is an optional one."""
    rules = replace(PRESETS["seven-piles"], discard=Discard.OPTIONAL)
    search = make_search(rules, memory_limit=2**28)
    forced = make_search(PRESETS["seven-piles"])
    wins = 0
    for case_seed in range(seed, seed + 300):
        values = pack_values(random.Random(f"piles {case_seed}"), rules, 1)
        verdict, remaining, _, moves, _, limit = search.solve(values)
        assert limit is None, f"seed {case_seed}"
        assert left_by(rules, values, moves) == remaining, f"seed {case_seed}"
        assert remaining <= forced.solve(values)[1], f"seed {case_seed}"
        wins += verdict
    assert 0 < wins < 300


def test_plays_are_counted_for_forced_discards_only() -> None:
    with pytest.raises(ValueError, match="forced"):
        decade.solve("4 6 5 5", "pysol", count=True)
