"""Deals by number and seed: the handed answers, the streams they come from, wrong numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decade import Deal, solve, verify
from decade.cards import NumberError
from decade.sources import (
    LARGEST_INDEX,
    LARGEST_MS,
    LARGEST_PYSOL,
    LARGEST_SEED,
    PACK,
    ms_deal,
    pysol_deal,
    seeded_cards,
    seeded_deal,
)
from decade_ext.shuffle import PATHS, WORDS, shuffle

NUMBERED = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "numbered.jsonl").read_text().splitlines()
]

NUMBERS = np.arange(52, dtype=np.uint8)


@pytest.mark.parametrize("case", NUMBERED, ids=lambda case: f"{case['source']}:{case['number']}")
def test_numbered_deals_and_their_verdicts(case: dict[str, Any]) -> None:
    deal = ms_deal(case["number"]) if case["source"] == "ms" else pysol_deal(case["number"])
    assert deal == Deal.parse(case["deal"])
    assert deal.name == f"{case['source']}:{case['number']}"
    for rules in ("pysol", "decade"):
        result = solve(deal, rules)
        assert result.verdict == case[rules]["verdict"]
        assert result.remaining == case[rules]["remaining"]
        assert verify(deal, rules, result.moves) == result.remaining


def test_pysol_numbers_are_taken_as_pysolfc_takes_them() -> None:
    assert pysol_deal("ms15692") == ms_deal(15692) == pysol_deal(15692)
    assert pysol_deal("32000") == ms_deal(32000)
    assert pysol_deal("32001") != ms_deal(32001)
    assert pysol_deal(" #00000-000000000032.001\n") == pysol_deal(32001)
    assert pysol_deal(LARGEST_PYSOL).name == f"pysol:{LARGEST_PYSOL}"
    assert pysol_deal(9938, further=1) == pysol_deal(9939)


@pytest.mark.parametrize(
    "number", ["", "0", "-", "x", "1x", "٣", "1e3", LARGEST_PYSOL + 1, "9" * 10**6, "ms", "ms0"]
)
def test_wrong_pysol_numbers(number: int | str) -> None:
    with pytest.raises(NumberError, match=r"they go from 1 to \d+") as error:
        pysol_deal(number)
    assert len(str(error.value)) < 160


@pytest.mark.parametrize("number", [0, -1, LARGEST_MS + 1, "1 2", "pysol"])
def test_wrong_ms_numbers(number: int | str) -> None:
    with pytest.raises(NumberError, match=f"they go from 1 to {LARGEST_MS}"):
        ms_deal(number)


def test_numbers_end_at_the_last() -> None:
    assert ms_deal(LARGEST_MS - 1, 1) == ms_deal(LARGEST_MS)
    with pytest.raises(NumberError, match=f"no Microsoft number {LARGEST_MS + 1}"):
        ms_deal(LARGEST_MS, 1)


def test_seeded_deals_stay_what_they_are() -> None:
    assert str(seeded_deal(0)) == (
        "QS 2C 9S 9H TH 9D 7D 8H 7C 3C 2H 4C QD 6S 4H 4D 3D QH 6C KD TD 6D 3H AD JS JH "
        "2S 8C AH 8S 5D KC KS 3S 7H AS 9C TS 7S JD 5S 8D QC KH JC TC 2D 4S 5C 6H 5H AC"
    )
    assert str(seeded_deal(LARGEST_SEED, LARGEST_INDEX)) == (
        "4H 6S 9H 6D 4D 4S 3H 8D 5S 7D AS AC 3S 3D TH 9D JH 7H 4C 2H TD TC QS 7C QH JD "
        "8H JS QD 8S 8C 9C KC 2S TS JC AH AD QC 5C 5D KS KD 7S 5H 3C 2D 2C 6C 9S 6H KH"
    )


def test_a_seeded_deal_needs_none_before_it() -> None:
    block = seeded_cards(7, 0, 300)
    assert (seeded_cards(7, 250, 50) == block[250:]).all()
    for index in (0, 99, 299):
        assert seeded_deal(7, index) == Deal(tuple(PACK[card] for card in block[index]))
    assert seeded_cards(7, 5, 0).shape == (0, 52)


def test_seeds_and_indices_give_different_packs() -> None:
    cards = np.concatenate([seeded_cards(seed, index, 50) for seed in (1, 2) for index in (0, 50)])
    assert (np.sort(cards, axis=1) == np.arange(52)).all()
    assert len(np.unique(cards, axis=0)) == len(cards)


@pytest.mark.parametrize(("seed", "index"), [(-1, 0), (0, -1), (2**63, 0), (0, 2**63), (True, 0)])
def test_wrong_seeds(seed: int, index: int) -> None:
    with pytest.raises(NumberError, match="they go from 0 to"):
        seeded_deal(seed, index)


def plain_shuffle(words: Sequence[int]) -> list[int] | int:
    """Shuffle as the module says, in whole numbers; the first word rejected, if any is."""
    cards, size = list(range(52)), 52
    for number, word in enumerate(words):
        bounds = range(size, size - (7 if number < 3 else 6), -1)
        product = math.prod(bounds)
        if word * product % 2**64 < 2**64 % product:
            return number
        outcome = word * product >> 64
        choices = []
        for bound in reversed(bounds):  # the last choice is the last digit
            outcome, choice = divmod(outcome, bound)
            choices.append((bound, choice))
        for bound, choice in reversed(choices):
            cards[choice], cards[bound - 1] = cards[bound - 1], cards[choice]
        size = bounds[-1] - 1
    return cards


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("deals", [1, 31, 32, 33, 64, 200])
def test_the_shuffle_is_the_one_described(path: str, deals: int) -> None:
    words = np.random.default_rng(deals).integers(0, 2**64, (deals, WORDS), dtype=np.uint64)
    words[-1] = 2**64 - 1  # the last of the cards, each time
    guard = np.full((deals + 1, 52), 99, np.uint8)
    assert shuffle(words, NUMBERS, guard[:-1], path) is None
    assert guard[:-1].tolist() == [plain_shuffle([int(word) for word in row]) for row in words]
    assert (guard[-1] == 99).all()


@pytest.mark.parametrize("path", PATHS)
def test_whatever_stands_for_the_cards_is_shuffled_alike(path: str) -> None:
    pack = np.random.default_rng(1).integers(0, 256, 52, dtype=np.uint8)
    assert (seeded_cards(3, 17, 40, pack, path) == pack[seeded_cards(3, 17, 40)]).all()


@pytest.mark.parametrize("path", PATHS)
def test_a_rejected_word_is_reported(path: str) -> None:
    words = np.random.default_rng(4).integers(2**60, 2**62, (70, WORDS), dtype=np.uint64)
    cards = np.empty((70, 52), np.uint8)
    for deal in (0, 1, 31, 32, 45, 63, 69):
        for word in range(WORDS):
            kept, words[deal, word] = words[deal, word], 0  # leaves 0, below 2^64 mod b
            assert shuffle(words, NUMBERS, cards, path) == (deal, word)
            assert plain_shuffle([int(word) for word in words[deal]]) == word
            words[deal, word] = kept
        assert cards[:deal].tolist() == [
            plain_shuffle([int(word) for word in row]) for row in words[:deal]
        ]


@pytest.mark.parametrize("path", PATHS)
def test_a_word_that_leaves_little_and_is_not_rejected(path: str) -> None:
    bounds = [math.prod(range(52, 45, -1)), math.prod(range(13, 7, -1))]
    words = np.random.default_rng(5).integers(2**60, 2**62, (64, WORDS), dtype=np.uint64)
    for deal, word, bound in ((0, 0, bounds[0]), (40, 6, bounds[1])):
        # The first number whose product lies so little above a multiple of 2^64.
        outcomes = (((k << 64) + 2**64 % bound + bound - 1) // bound for k in range(5, 99))
        words[deal, word] = next(x for x in outcomes if 2**64 % bound <= x * bound % 2**64 < bound)
    cards = np.empty((64, 52), np.uint8)
    assert shuffle(words, NUMBERS, cards, path) is None
    assert cards.tolist() == [plain_shuffle([int(word) for word in row]) for row in words]


def test_a_rejected_word_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:

    class Zeros(np.random.Philox):
        """Gives zeros, so that every word is rejected, but for the deals' own streams."""

        def random_raw(self, size: Any = None, output: Any = True) -> Any:
            raw = super().random_raw(size, output)
            return raw if size is None else np.zeros(size, np.uint64)

    monkeypatch.setattr(np.random, "Philox", Zeros)
    cards = seeded_cards(5, 0, 4)
    spare = np.random.Philox(key=5 + 2**64, counter=3 << 64)
    assert cards[3].tolist() == plain_shuffle([int(spare.random_raw()) for _ in range(WORDS)])


def test_shuffled_places_are_evenly_spread() -> None:
    deals = 200_000
    cards = seeded_cards(11, 0, deals)
    expected = deals / 52
    for place in (0, 1, 25, 50, 51):
        counts = np.bincount(cards[:, place], minlength=52)
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert chi_square < 51 + 6 * (2 * 51) ** 0.5


def test_wrong_shapes() -> None:
    with pytest.raises(ValueError, match="shape"):
        shuffle(np.zeros((2, 7), np.uint64), NUMBERS, np.zeros((2, 52), np.uint8))
    with pytest.raises(ValueError, match="shape"):
        shuffle(np.zeros((2, 8), np.uint64), NUMBERS, np.zeros((1, 52), np.uint8))
    with pytest.raises(ValueError, match="path"):
        shuffle(np.zeros((2, 8), np.uint64), NUMBERS, np.zeros((2, 52), np.uint8), "fast")
    with pytest.raises(ValueError, match="pack"):
        shuffle(np.zeros((2, 8), np.uint64), NUMBERS[:51].copy(), np.zeros((2, 52), np.uint8))
