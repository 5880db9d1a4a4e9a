"""Solving from Python: arrays of deals, what is refused, results as JSON, docstrings."""

from __future__ import annotations

import doctest
import importlib
import json
import math
import pkgutil
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import decade
from decade.rules import PRESETS, Discard
from decade.solver import VERDICTS, Counts, Result, Verdict, solve, solve_many, verify

FORCED = [name for name, rules in PRESETS.items() if rules.discard is Discard.FORCED]
PACK = np.array([min(rank, 10) for rank in range(1, 14)] * 4, np.uint8)
KNOWN_RATE = 0.338
"""How many of all deals the standard game wins, to the digits known."""


def shuffled(deals: int, seed: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(seed).permuted(np.tile(PACK, (deals, 1)), axis=1)


def test_a_third_of_all_deals_is_winnable() -> None:
    deals = 200_000
    found = solve_many(shuffled(deals, 1), "decade", threads=2)
    rate = float((found.verdict == 1).mean())
    error = math.sqrt(KNOWN_RATE * (1 - KNOWN_RATE) / deals)
    assert abs(rate - KNOWN_RATE) < 4 * error
    assert not (found.verdict == 2).any()
    assert ((found.remaining == 0) == (found.verdict == 1)).all()
    assert (found.remaining <= 52).all()
    assert (found.nodes >= 1).all()


def test_solve_many_returns_arrays() -> None:
    found = solve_many(np.array([[4, 6], [4, 5], [10, 10]], np.uint8))
    assert [part.dtype for part in found] == [np.uint8, np.int16, np.int64]
    assert found.verdict.tolist() == [1, 0, 1]
    assert found.remaining.tolist() == [0, 2, 0]
    assert found.nodes.tolist() == [1, 1, 1]
    assert [VERDICTS[v] for v in found.verdict] == ["winnable", "unwinnable", "winnable"]
    recycled = solve_many(np.array([[4, 5]], np.uint8), "ten-twenty-thirty")
    assert (recycled.verdict.tolist(), recycled.remaining.tolist()) == ([0], [-1])


def test_solve_many_of_no_deals() -> None:
    found = solve_many(np.empty((0, 52), np.uint8), threads=3)
    assert [part.shape for part in found] == [(0,)] * 3


@pytest.mark.parametrize("cards", [1, 104])
def test_solve_many_takes_1_to_104_cards(cards: int) -> None:
    values = np.full((2, cards), 10, np.uint8)
    assert solve_many(values).verdict.tolist() == [cards > 1] * 2


def test_solve_many_leaves_its_input_alone() -> None:
    deals = shuffled(50, 2)
    before = deals.copy()
    deals.flags.writeable = False
    for name in PRESETS:
        solve_many(deals, name, node_limit=2_000)
    np.testing.assert_array_equal(deals, before)


@pytest.mark.parametrize(
    "values",
    [
        [[4, 6]],
        None,
        b"46",
        np.array([[4, 6]]),
        np.array([[4, 6]], np.int8),
        np.array([[4.0, 6.0]]),
        np.array([[4, 6]], object),
        np.array([[True]]),
    ],
    ids=["list", "None", "bytes", "int64", "int8", "float", "object", "bool"],
)
def test_solve_many_wants_bytes(values: Any) -> None:
    with pytest.raises(TypeError, match="NumPy array of dtype uint8"):
        solve_many(values)


@pytest.mark.parametrize("shape", [(), (4,), (2, 0), (0, 0), (2, 105), (2, 3, 4)], ids=str)
def test_solve_many_wants_deals_by_cards(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="shape"):
        solve_many(np.ones(shape, np.uint8))


def test_solve_many_wants_rows_in_memory() -> None:
    deals = shuffled(6, 3)
    for view in (deals[:, ::2], deals.T, deals[::2], np.asfortranarray(deals), deals[:, :51]):
        with pytest.raises(ValueError, match="C-contiguous"):
            solve_many(view)
        packed = solve_many(np.ascontiguousarray(view))
        assert len(packed.verdict) == len(view)
    assert len(solve_many(deals[2:4]).verdict) == 2  # whole rows are fine


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rules", ["decade", "pysol", "seven-piles"])
@pytest.mark.parametrize("place", [(0, 0), (1, 17), (2500, 51), (2999, 51)], ids=str)
def test_solve_many_wants_positive_values(place: tuple[int, int], rules: str, threads: int) -> None:
    deals = shuffled(3000, 4)
    solve_many(deals, rules, threads=threads)
    deals[place] = 0
    with pytest.raises(ValueError, match="values must be 1 or more"):
        solve_many(deals, rules, threads=threads)


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, None, "2"], ids=repr)
def test_threads_out_of_range(threads: Any) -> None:
    with pytest.raises(ValueError, match="threads must be a whole number, 1 or more"):
        solve_many(shuffled(1, 5), threads=threads)


def test_what_cannot_be_decided_is_refused() -> None:
    with pytest.raises(decade.RulesError, match="there is no rule set 'decad'"):
        solve("4 6", "decad")
    with pytest.raises(decade.RulesError, match="there is no field 'pile'"):
        solve("4 6", {"pile": 2})
    with pytest.raises(decade.DealError, match="card 2: '6X'"):
        solve("4 6X")
    with pytest.raises(ValueError, match="without recycling"):
        solve("4 6", "ten-twenty-thirty", count=True)


def test_a_deal_made_by_hand_is_checked() -> None:
    card = decade.Card(4, "H")
    with pytest.raises(decade.DealError, match="card 2: '4H'"):
        solve(decade.Deal((card, card)))
    with pytest.raises(decade.DealError, match="1 to 104"):
        solve(decade.Deal(()))


def test_names() -> None:
    deal = decade.Deal.parse("4 6", name="small")
    assert solve(deal).name == "small"
    assert solve(deal, name="other").name == "other"
    assert solve("4 6").name is None
    assert "name" not in solve("4 6").to_dict()


def test_verdicts_are_words() -> None:
    assert [str(verdict) for verdict in VERDICTS] == ["unwinnable", "winnable", "unknown"]
    assert Verdict("winnable") is Verdict.WINNABLE
    assert f"{Verdict.UNKNOWN}" == "unknown"


def test_the_play_of_a_known_deal() -> None:
    result = solve("KC KH 4D 6S", count=True)
    assert [move.to_dict() for move in result.moves] == [
        {"dealt": 3, "pile": 0, "cards": [0, 1], "total": 20},
        {"dealt": 4, "pile": 0, "cards": [2, 3], "total": 10},
    ]
    assert result.counts == Counts(1, 1, Fraction(1))
    assert (result.nodes, result.remaining, result.limit) == (2, 0, None)
    assert result.seconds >= 0


def a_few_results() -> list[Result]:
    r = random.Random(6)
    pack = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
    found = [solve(" ".join(r.sample(pack, 52)), name, name=name) for name in FORCED]
    found += [solve(" ".join(r.sample(pack, 30)), name, count=True) for name in FORCED[:7]]
    found.append(solve("4♥ 10 K 6 5 9", {"piles": 3, "opening": 1, "face_values": [11, 12, 300]}))
    found.append(solve(" ".join(r.sample(pack, 52)), "loop", node_limit=1, name="∞"))
    return found


def test_results_as_json() -> None:
    for result in a_few_results():
        text = result.to_json()
        assert "\n" not in text
        data = json.loads(text)
        assert data == result.to_dict()
        again = Result.from_json(text)
        for field in ("deal", "rules", "verdict", "remaining", "moves", "nodes", "counts", "name"):
            assert getattr(again, field) == getattr(result, field)
        assert again.seconds == result.seconds
        if again.remaining is not None:
            assert verify(again.deal, again.rules, again.moves) == again.remaining


def test_the_fields_of_a_result() -> None:
    result = solve("4H 8C 10 2", "max-three", name="n", count=True)
    assert list(result.to_dict()) == [
        *("name", "deal", "rules", "verdict", "remaining", "moves", "nodes", "seconds"),
        *("lines", "winning_lines", "random_win"),
    ]
    assert result.to_dict()["rules"] == "max-three"
    assert solve("4", {"piles": 2}).to_dict()["rules"] == decade.Rules(piles=2).to_dict()
    lost = solve("4 5", "ten-twenty-thirty").to_dict()
    assert (lost["verdict"], lost["remaining"], lost["moves"]) == ("unwinnable", None, [])


GOOD: dict[str, Any] = {
    "deal": "KC KH 4D 6S",
    "rules": "decade",
    "verdict": "winnable",
    "remaining": 0,
    "moves": [{"dealt": 3, "pile": 0, "cards": [0, 1], "total": 20}],
}


def test_results_with_as_little_as_there_may_be() -> None:
    result = Result.from_dict(GOOD)
    assert (result.nodes, result.seconds, result.counts, result.name) == (0, 0.0, None, None)
    rules = Result.from_dict(GOOD | {"rules": {"piles": 2}}).rules
    assert rules == decade.Rules(piles=2)  # missing fields are the standard game's


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"deal": "KC KX"}, "card 2"),
        ({"deal": 5}, "deal must be"),
        ({"deal": None}, "deal must be"),
        ({"rules": "decad"}, "no rule set"),
        ({"rules": {"pile": 1}}, "no field"),
        ({"rules": None}, "rules must be"),
        ({"verdict": "won"}, "verdict must be"),
        ({"verdict": None}, "verdict must be"),
        ({"verdict": []}, "verdict must be"),
        ({"remaining": "0"}, "remaining must be"),
        ({"remaining": 0.0}, "remaining must be"),
        ({"remaining": True}, "remaining must be"),
        ({"moves": {}}, "moves must be"),
        ({"moves": [5]}, "a move is"),
        ({"nodes": "5"}, "nodes"),
        ({"seconds": None}, "seconds"),
        ({"name": 5}, "name must be"),
        ({"lines": 1}, "lines, winning_lines"),
        ({"lines": 1, "winning_lines": 1, "random_win": [1, 0]}, "lines, winning_lines"),
        ({"lines": 1, "winning_lines": 1, "random_win": [1]}, "lines, winning_lines"),
        ({"lines": 1.0, "winning_lines": 1, "random_win": [1, 1]}, "lines, winning_lines"),
    ],
    ids=str,
)
def test_what_is_no_result(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Result.from_dict(GOOD | changes)


@pytest.mark.parametrize("field", GOOD)
def test_a_field_that_a_result_needs(field: str) -> None:
    with pytest.raises(ValueError, match=f"no '{field}'"):
        Result.from_dict({name: GOOD[name] for name in GOOD if name != field})


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_a_result_is_an_object(data: object) -> None:
    with pytest.raises(ValueError, match="a result is an object"):
        Result.from_dict(data)
    with pytest.raises(ValueError, match="a result is an object"):
        Result.from_json(json.dumps(data))


def modules() -> list[str]:
    found = pkgutil.iter_modules(decade.__path__, "decade.")
    return ["decade", *(module.name for module in found if module.name != "decade.__main__")]


def test_doctests_are_found() -> None:
    tried = [doctest.DocTestFinder().find(importlib.import_module(name)) for name in modules()]
    assert sum(len(test.examples) for tests in tried for test in tests) >= 8


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed
