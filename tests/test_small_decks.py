"""Every deck of a few cards under the presets, against the plain solver.

The rules ask of the cards' values only whether the total of some cards is one of the totals. So two
decks of as many cards are the same game if the same choices of cards, by their places, make a
total: such decks share one run of the plain solver. That they may is tested too, without sharing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import decade
from decade.reference import Plain, solve_plain
from decade.rules import PRESETS, Discard, Rules
from decade_ext.search import Search

VALUES = range(1, 11)
FORCED = [name for name, rules in PRESETS.items() if rules.discard is Discard.FORCED]
OPTIONAL = [name for name in PRESETS if name not in FORCED]
COUNTED = [name for name in FORCED if not PRESETS[name].recycle]

Deals = np.ndarray[Any, np.dtype[np.uint8]]


def plain_answer(deck: list[int], rules: Rules) -> Plain:
    """Decide a deck with the plain solver: the smallest remainder, and the plays if they count."""
    count = rules.discard is Discard.FORCED and not rules.recycle
    return solve_plain(deck, rules, count=count, least=True)


def every_deck(cards: int) -> Deals:
    return np.array(list(product(VALUES, repeat=cards)), np.uint8)


def patterns(decks: Deals, rules: Rules) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Give each deck a number that tells which choices of its cards make a total."""
    chosen = np.array(list(product((0, 1), repeat=decks.shape[1]))[1:], np.int64)
    is_total = np.isin(decks.astype(np.int64) @ chosen.T, rules.totals)
    return is_total @ (1 << np.arange(len(chosen), dtype=np.int64))


def groups(decks: Deals, rules: Rules) -> Iterator[tuple[Deals, Plain]]:
    """Give the decks that are one game, with what the plain solver says of the first of them."""
    _, group, sizes = np.unique(patterns(decks, rules), return_inverse=True, return_counts=True)
    in_groups = decks[np.argsort(group, kind="stable")]
    for same in np.split(in_groups, np.cumsum(sizes)[:-1]):
        yield same, plain_answer(same[0].tolist(), rules)


def compare(decks: Deals, rules: Rules, plain: Plain) -> None:
    """Compare the search on all these decks with one plain answer."""
    verdict, remaining, _ = decade.solve_many(np.ascontiguousarray(decks), rules)
    told = -1 if plain.remaining is None else plain.remaining
    # A win need not be the least where the target allows more.
    right = (remaining == told) | (
        plain.winnable & (told <= remaining) & (remaining <= rules.target)
    )
    wrong = (verdict != plain.winnable) | ~right
    assert not wrong.any(), (
        f"{decks[wrong][0]}: {verdict[wrong][0]}, {remaining[wrong][0]}, {plain}"
    )


def test_there_are_nine_forced_presets_of_thirteen() -> None:
    assert (len(FORCED), len(OPTIONAL), len(COUNTED)) == (9, 4, 7)


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
@pytest.mark.parametrize("name", PRESETS)
def test_every_deck(name: str, cards: int) -> None:
    rules = PRESETS[name]
    compared = 0
    for same, plain in groups(every_deck(cards), rules):
        compare(same, rules, plain)
        compared += len(same)
    assert compared == 10**cards


@pytest.mark.parametrize("name", COUNTED)
def test_every_deck_counted(name: str, make_search: Callable[..., Search]) -> None:
    """Plays are counted by another kernel than deals of a straight line are decided by."""
    rules = PRESETS[name]
    search = make_search(rules)
    for cards in (1, 2, 3, 4):
        for same, plain in groups(every_deck(cards), rules):
            told = (int(plain.winnable), plain.remaining)
            counts = (plain.lines, plain.winning_lines, plain.random_win)
            for deck in same.tolist():
                verdict, remaining, _, _, found, _ = search.solve(deck, count=True)
                assert ((verdict, remaining), found) == (told, counts), deck


@pytest.mark.parametrize("name", PRESETS)
def test_decks_may_share_an_answer(name: str) -> None:
    """Each deck on its own, up to three cards and a sample of those of four."""
    rules = PRESETS[name]
    for decks in (every_deck(1), every_deck(2), every_deck(3), every_deck(4)[::17]):
        for same, plain in groups(decks, rules):
            for deck in same.tolist():
                own = plain_answer(deck, rules)
                assert (own.winnable, own.remaining) == (plain.winnable, plain.remaining), deck
                assert (own.lines, own.random_win) == (plain.lines, plain.random_win), deck


@pytest.mark.slow
@pytest.mark.parametrize("first", VALUES)
@pytest.mark.parametrize("name", PRESETS)
def test_every_deck_of_five_on_its_own(name: str, first: int) -> None:
    """Without sharing: each deck is decided by the plain solver itself."""
    rules = PRESETS[name]
    decks = every_deck(5)[(first - 1) * 10**4 : first * 10**4]
    for deck in decks:
        compare(deck[None], rules, plain_answer(deck.tolist(), rules))
