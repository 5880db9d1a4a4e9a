"""The kernel for forced lines with totals m, 2m, ... Km: its paths, the other kernel, plain Python.

Deals are skewed, with tens or few values in plenty, so that plays split; they come in arrays of all
sizes round those that the kernel decides side by side. ``test_small_decks.py`` has all small decks.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from decade import PRESETS, Solutions
from decade.play import Move, replay
from decade.reference import solve_plain
from decade.rules import Discard, Rules
from decade_ext.search import PATHS, Search, Stop

MakeSearch = Callable[..., Search]
Deals = NDArray[np.uint8]

SIZES = (*range(1, 18), *range(31, 34), *range(63, 66), *range(95, 98), 200)
"""Round the lanes of a vector, and the deals of a batch."""
MANY_PLAYS = (
    *(3, 4, 7, 9, 3, 10, 10, 10, 8, 2, 10, 8, 10, 1, 10, 6, 10, 7, 10, 2, 8, 1, 10, 5, 5, 4),
    *(2, 4, 5, 1, 10, 6, 10, 10, 4, 10, 10, 7, 8, 10, 9, 1, 6, 7, 10, 4, 6, 1, 2, 7, 10, 9),
    *(10, 10, 8, 10, 10, 3, 9, 1, 2, 8, 2, 10, 6, 4, 10, 5, 5, 10, 6, 10, 4, 7, 10, 5, 10, 1),
    *(9, 7, 8, 9, 10, 10, 3, 5, 3, 3, 9, 4, 10, 7, 3, 2, 10, 1, 10, 2, 8, 3, 6, 9, 5, 6),
)
"""Two packs whose plays split far more often than those of others."""
LINE_LIMIT = 20_000
"""Nodes that the other kernel may take; what it would need more for is left out."""


def multiples(modulus: int, count: int, **fields: Any) -> Rules:
    return Rules(totals=tuple(modulus * (i + 1) for i in range(count)), **fields)


def draw_rules(r: random.Random) -> Rules:
    modulus, count = r.choice([(10, 3), (10, 3), (r.randint(2, 15), r.choice([2, 3, 4, 7, 12]))])
    target = r.choice([0, 0, 0, 1, 3, 8])
    return multiples(modulus, count, opening=r.randint(1, 3), target=target)


def draw_deals(r: random.Random, modulus: int, deals: int, cards: int) -> Deals:
    """Draw decks in which up to three values are frequent, the modulus often one of them."""
    often = [r.randint(1, modulus), r.choice([modulus, (modulus + 1) // 2]), r.randint(1, modulus)]
    often = often[: r.randint(1, 3)]
    share = r.random()
    return np.array(
        [
            [r.choice(often) if r.random() < share else r.randint(1, modulus) for _ in range(cards)]
            for _ in range(deals)
        ],
        np.uint8,
    )


def cases(seed: int, number: int, most_cards: int = 104) -> Iterator[tuple[int, Rules, Deals]]:
    for case_seed in range(seed, seed + number):
        r = random.Random(f"residue {case_seed}")
        rules = draw_rules(r)
        cards = r.choice([r.randint(1, most_cards), min(most_cards, r.choice([52, 62, 63, 104]))])
        yield case_seed, rules, draw_deals(r, rules.totals[0], r.choice(SIZES), cards)


def many(search: Search, deals: Deals) -> Solutions:
    size = len(deals)
    found = Solutions(np.empty(size, np.uint8), np.empty(size, np.int16), np.empty(size, np.int64))
    search.solve_many(deals, *found)
    return found


def assert_same(one: Solutions, other: Solutions, about: str) -> None:
    for field in ("verdict", "remaining", "nodes"):
        a, b = getattr(one, field), getattr(other, field)
        np.testing.assert_array_equal(a, b, err_msg=f"{field}, {about}")


def left_by(rules: Rules, values: Sequence[int], moves: Sequence[Any]) -> int:
    play = [Move(dealt, pile, cards, sum(values[c] for c in cards)) for dealt, pile, cards in moves]
    return replay(values, rules, play)


def test_paths_agree(make_search: MakeSearch, seed: int) -> None:
    """Scalar, vector and deal by deal, with and without a limit that some deals meet."""
    unknown = 0
    for case_seed, rules, deals in cases(seed, 400):
        limit = random.Random(case_seed).choice([2**63 - 1, 2_000, 1, 2, 5, 30])
        about = f"seed {case_seed}: {rules}, limit {limit}"
        one, *others = (
            many(make_search(rules, path=path, node_limit=limit), deals) for path in PATHS
        )
        for other in others:
            assert_same(one, other, about)
        assert (one.nodes[one.verdict == 2] == limit).all(), about
        search = make_search(rules, node_limit=limit)
        for row in range(0, len(deals), 1 + len(deals) // 4):
            answer = search.solve(deals[row].tolist())
            assert answer[:3] == tuple(int(part[row]) for part in one), about
        unknown += int((one.verdict == 2).sum())
    assert unknown > 100


def test_the_other_kernel_agrees(make_search: MakeSearch, seed: int) -> None:
    """What is left, and by a play that the rules allow; with a target the least all the same."""
    compared = 0
    for case_seed, rules, deals in cases(seed + 10_000, 240):
        about = f"seed {case_seed}: {rules}"
        found = many(make_search(rules), deals)
        line = make_search(replace(rules, target=0), path="search", node_limit=LINE_LIMIT)
        least = many(line, deals)
        known = least.verdict != 2
        np.testing.assert_array_equal(found.remaining[known], least.remaining[known], about)
        np.testing.assert_array_equal(found.verdict, found.remaining <= rules.target, about)
        compared += int(known.sum())
        values = deals[0].tolist()
        _, remaining, _, moves, _, _ = make_search(rules).solve(values)
        assert left_by(rules, values, moves) == remaining, about
    assert compared > 5_000


def test_plain_python_agrees(make_search: MakeSearch, seed: int) -> None:
    for case_seed, rules, deals in cases(seed + 20_000, 600, most_cards=14):
        values = deals[0].tolist()
        verdict, remaining, _, moves, _, limit = make_search(rules).solve(values)
        plain = solve_plain(values, rules, least=True)
        assert (verdict, remaining, limit) == (plain.winnable, plain.remaining, None), case_seed
        assert left_by(rules, values, moves) == remaining, case_seed


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("packs", [1, 2])
def test_packs_in_arrays_of_any_size(
    packs: int, path: str, make_search: MakeSearch, seed: int
) -> None:
    pack = np.array([min(rank, 10) for rank in range(1, 14)] * 4 * packs, np.uint8)
    deals = np.random.default_rng(seed).permuted(np.tile(pack, (max(SIZES), 1)), axis=1)
    search = make_search(PRESETS["decade"], path=path)
    whole = many(search, deals)
    line = many(make_search(PRESETS["decade"], path="search"), deals)
    np.testing.assert_array_equal(whole.remaining, line.remaining)
    for size in SIZES:
        part = Solutions(whole.verdict[-size:], whole.remaining[-size:], whole.nodes[-size:])
        assert_same(many(search, deals[-size:]), part, f"{size} deals")


@pytest.mark.parametrize("path", PATHS)
def test_values_beyond_the_modulus_among_others(
    path: str, make_search: MakeSearch, seed: int
) -> None:
    """Rows with such values are for the other kernel, wherever they are in the array."""
    for case_seed in range(seed, seed + 60):
        r = random.Random(f"mixed {case_seed}")
        rules = multiples(r.choice([5, 10]), 3, target=r.choice([0, 2]))
        modulus, most = rules.totals[0], rules.totals[-1]
        deals = draw_deals(r, modulus, r.choice([3, 20, 130]), r.randint(2, 40))
        great = np.array([r.random() < r.choice([0.05, 0.5]) for _ in deals])
        for row in np.flatnonzero(great).tolist():
            beyond = r.choice([modulus + 1, 2 * modulus, most, most + 1, 255])
            deals[row, r.randrange(deals.shape[1])] = beyond
        found = many(make_search(rules, path=path), deals)
        for row, values in enumerate(deals.tolist()):
            alone = make_search(rules, path=path).solve(values)
            assert alone[:3] == tuple(int(part[row]) for part in found), f"seed {case_seed}"
            line = make_search(rules, path="search").solve(values)
            assert alone[0] == line[0], f"seed {case_seed}: {rules}, {values}"
            assert alone[1] == line[1] or rules.target, f"seed {case_seed}: {rules}, {values}"
            if great[row]:
                assert alone == line


NEARLY = {
    "lone cards": multiples(10, 3, min_cards=1),
    "three cards": multiples(10, 3, min_cards=3),
    "up to 52 cards": multiples(10, 3, max_cards=52),
    "one total": Rules(totals=(10,)),
    "a gap": Rules(totals=(10, 20, 40)),
    "no first": Rules(totals=(20, 30)),
    "no multiples": Rules(totals=(10, 20, 31)),
    "modulus 1": multiples(1, 3),
    "modulus 16": multiples(16, 3),
    "opening 4": multiples(10, 3, opening=4),
    "optional": multiples(10, 3, discard=Discard.OPTIONAL),
    "a loop": multiples(10, 3, wrap=True),
    "piles": multiples(10, 3, piles=2),
}


@pytest.mark.parametrize("name", NEARLY)
def test_other_rules_are_left_to_other_kernels(name: str, make_search: MakeSearch) -> None:
    r = random.Random(name)
    for _ in range(8):
        values = [r.choice([10, r.randint(1, 10)]) for _ in range(30)]
        limits = {"node_limit": 2_000}
        plain = make_search(NEARLY[name], path="search", **limits)
        assert make_search(NEARLY[name], **limits).solve(values) == plain.solve(values)


@pytest.mark.parametrize("modulus", range(2, 16))
def test_its_own_rules_are_not(modulus: int, make_search: MakeSearch) -> None:
    """Whatever the rules are called: it takes one node where no play splits."""
    for opening in (1, 2, 3):
        rules = multiples(modulus, 2, opening=opening, max_cards=None)
        assert make_search(rules).solve([1] * modulus)[:3] == (1, 0, 1)


@pytest.mark.parametrize("path", PATHS)
def test_more_plays_than_lie_side_by_side(path: str, make_search: MakeSearch, seed: int) -> None:
    """One such deal in a batch, and a limit on either side of what it takes."""
    r = random.Random(seed)
    deals = draw_deals(r, 10, 97, len(MANY_PLAYS))
    deals[r.randrange(97)] = MANY_PLAYS
    plays = make_search(PRESETS["decade"]).solve(MANY_PLAYS)[2]
    assert plays > 1_000
    for limit in (plays - 1, plays):
        found = many(make_search(PRESETS["decade"], path=path, node_limit=limit), deals)
        assert int((found.verdict == 2).sum()) == (limit < plays)
        assert found.nodes.max() == limit


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["many plays", "many deals"])
def test_a_stop_is_heard(kind: str, path: str, make_search: MakeSearch, seed: int) -> None:
    """In a quarter second; one slow try of three is put down to the machine."""
    deals = np.tile(np.array(MANY_PLAYS, np.uint8), (100_000, 1))
    if kind == "many deals":
        deals = np.repeat(draw_deals(random.Random(seed), 10, 2_000, 104), 300, axis=0)
    delays = []
    for _ in range(3):
        stop = Stop()
        search = make_search(PRESETS["decade"], path=path, stop=stop)
        stopped: list[float] = []

        def press(stop: Stop = stop, stopped: list[float] = stopped) -> None:
            time.sleep(0.02)
            stop.set()
            stopped.append(time.perf_counter())

        thread = threading.Thread(target=press)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            many(search, deals)
        delays.append(time.perf_counter() - stopped[0])
        thread.join()
    assert sorted(delays)[1] < 0.25


@pytest.mark.parametrize("name", ["", "Scalar", "fastest"])
def test_only_paths_that_there_are(name: str, make_search: MakeSearch) -> None:
    with pytest.raises(ValueError, match="path must be"):
        make_search(PRESETS["decade"], path=name)
