"""The compiled policies against the plain engine, and their random numbers against NumPy's."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from decade.play import POLICIES, Played, Policy, Run, play_policy
from decade.rules import PRESETS, Discard, Reach, Rules
from decade.solver import compiled_fields
from decade.survey import point_values
from decade_ext import policy as compiled


class Words:
    """The documented random numbers of one deal, in the place of :class:`random.Random`."""

    def __init__(self, seed: int, index: int) -> None:
        self.words = np.random.Philox(key=seed + 2**65, counter=index << 64)

    def choice(self, legal: Sequence[Run]) -> Run:
        assert list(legal) == sorted(legal)
        if len(legal) == 1:
            return legal[0]
        return legal[int(self.words.random_raw()) * len(legal) >> 64]


def play_plain(
    monkeypatch: pytest.MonkeyPatch,
    values: Sequence[int],
    rules: Rules,
    policy: Policy,
    seed: int,
    index: int,
) -> Played:
    with monkeypatch.context() as patch:
        patch.setattr("decade.play.random.Random", lambda seed: Words(seed, index))
        return play_policy(values, rules, policy, seed=seed)


def compare(
    monkeypatch: pytest.MonkeyPatch, values: np.ndarray, rules: Rules, seed: int, index: int
) -> None:
    outcome = np.empty(len(values), np.uint8)
    remaining = np.empty(len(values), np.int16)
    player = compiled.Player(**compiled_fields(rules))
    for policy in POLICIES:
        player.play_many(values, policy, outcome, remaining, seed=seed, index=index)
        for row, cards in enumerate(values.tolist()):
            played = play_plain(monkeypatch, cards, rules, policy, seed, index + row)
            found = compiled.OUTCOMES[outcome[row]], int(remaining[row])
            assert found == (played.outcome, played.remaining), (policy, rules, cards)


def test_the_names_are_those_of_the_plain_engine() -> None:
    assert compiled.POLICIES == POLICIES


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = PRESETS[name]
    compare(monkeypatch, point_values(rules, seed, 5, 8), rules, seed, 5)


def test_any_rules(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(seed)
    for case in range(100):
        piles = generator.choice((1, 1, 2, 3, 7))
        forced = generator.random() < 0.6
        least = generator.randint(1, 3)
        rules = Rules(
            totals=tuple(generator.sample(range(1, 25), generator.randint(1, 4))),
            min_cards=least,
            max_cards=generator.choice((None, least, least + 1, 5)),
            wrap=generator.random() < 0.5,
            reach=generator.choice(list(Reach)),
            piles=piles,
            opening=generator.choice((1, 2, 3, 5, 52)),
            discard=Discard.FORCED if forced else Discard.OPTIONAL,
            recycle=forced and piles > 1 and generator.random() < 0.5,
            target=generator.choice((0, 0, 3)),
        )
        cards = generator.randint(1, 30)
        values = np.array(
            [[generator.randint(1, 12) for _ in range(cards)] for _ in range(3)], np.uint8
        )
        compare(monkeypatch, values, rules, case, generator.choice((0, 2**63)))


def test_wrong_arrays_and_names() -> None:
    player = compiled.Player(**compiled_fields(PRESETS["decade"]))
    outcome, remaining = np.empty(2, np.uint8), np.empty(2, np.int16)
    with pytest.raises(ValueError, match="another length"):
        player.play_many(np.ones((3, 5), np.uint8), "front", outcome, remaining)
    with pytest.raises(ValueError, match="1 to 104"):
        player.play_many(np.ones((2, 105), np.uint8), "front", outcome, remaining)
    with pytest.raises(ValueError, match="not in tuple"):
        player.play_many(np.ones((2, 5), np.uint8), "best", outcome, remaining)
