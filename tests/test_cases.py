"""Deals with answers known from independent brute force: each decided, counted and replayed."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import decade
from decade.play import play_policy
from decade.reference import solve_plain
from decade.rules import Discard, Rules

DATA = Path(__file__).parent / "data"
SHORT = 18
"""Cards up to which the plain solver decides an optional deal in a moment."""


def load(name: str) -> list[dict[str, Any]]:
    with (DATA / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_params(name: str) -> list[Any]:
    params = []
    for number, case in enumerate(load(name), 1):
        rules = case["rules"] if isinstance(case["rules"], str) else "custom"
        params.append(pytest.param(case, id=f"{name}-{number}-{rules}"))
    return params


ALL = as_params("verdicts") + as_params("acm1996")


def is_forced(case: dict[str, Any]) -> bool:
    return Rules.of(case["rules"]).discard is Discard.FORCED


def is_short(case: dict[str, Any]) -> bool:
    return len(case["deal"].split()) <= SHORT


FORCED = [param for param in ALL if is_forced(param.values[0])]
OPTIONAL = [p for p in ALL if not is_forced(p.values[0]) and is_short(p.values[0])]
COUNTED = [param for param in ALL if "lines" in param.values[0]]
AUTOPLAY = [param for param in ALL if "autoplay" in param.values[0]]


def parse(case: dict[str, Any]) -> tuple[decade.Deal, Rules]:
    rules = Rules.of(case["rules"])
    return decade.Deal.parse(case["deal"], face_values=rules.face_values), rules


def test_all_cases_are_here() -> None:
    assert (len(load("verdicts")), len(load("acm1996")), len(load("numbered"))) == (202, 3, 9)
    assert (len(FORCED), len(OPTIONAL), len(AUTOPLAY)) == (143, 31, 27)


def check(case: dict[str, Any], *, count: bool) -> decade.Result:
    """Solve a case and compare all but the counts; the play must leave what it says."""
    deal, rules = parse(case)
    result = decade.solve(deal, rules, count=count)
    assert result.limit is None
    assert str(result.verdict) == case["verdict"]
    if "remaining" in case and rules.target and case["verdict"] == "winnable":
        assert result.remaining is not None
        assert case["remaining"] <= result.remaining <= rules.target
    elif "remaining" in case:
        assert result.remaining == case["remaining"]
    if result.remaining is None:
        assert result.moves == ()
    else:
        assert decade.verify(deal, rules, result.moves) == result.remaining
    return result


@pytest.mark.parametrize("case", ALL)
def test_case(case: dict[str, Any]) -> None:
    assert check(case, count=False).counts is None


@pytest.mark.parametrize("case", COUNTED)
def test_counted_case(case: dict[str, Any]) -> None:
    assert check(case, count=True).counts == decade.Counts(
        case["lines"], case["winning_lines"], Fraction(*case["random_win"])
    )


@pytest.mark.parametrize("case", AUTOPLAY)
def test_autoplay(case: dict[str, Any]) -> None:
    deal, rules = parse(case)
    told = case["autoplay"]
    played = play_policy(deal.values(rules.face_values), rules, told["policy"])
    assert (played.outcome, played.dealt) == (told["outcome"], told["dealt"])


@pytest.mark.parametrize("case", OPTIONAL)
def test_optional_case_in_plain_python(case: dict[str, Any]) -> None:
    deal, rules = parse(case)
    plain = solve_plain(deal.values(rules.face_values), rules, least=True)
    assert plain.winnable is (case["verdict"] == "winnable")
    assert plain.remaining == case["remaining"]


@pytest.mark.parametrize("case", [p for p in FORCED if is_short(p.values[0])])
def test_short_forced_case_in_plain_python(case: dict[str, Any]) -> None:
    deal, rules = parse(case)
    values = deal.values(rules.face_values)
    plain = solve_plain(values, rules, count="lines" in case, least=True)
    assert plain.winnable is (case["verdict"] == "winnable")
    if "remaining" in case:
        assert plain.remaining == case["remaining"]
    if "lines" in case:
        counted = (plain.lines, plain.winning_lines, plain.random_win)
        assert counted == (case["lines"], case["winning_lines"], Fraction(*case["random_win"]))
