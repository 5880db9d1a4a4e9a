"""How hard deals are: decisions against the plain solver, and the grades."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from decade import Deal, solve
from decade.difficulty import GRADES, difficulty, grade
from decade.play import Game, replay_steps
from decade.reference import solve_plain
from decade.rules import PRESETS
from decade.sources import seeded_deal

FORCED = ("decade", "fives", "loop", "loop-max-three", "seven-piles")


@pytest.mark.parametrize("name", FORCED)
def test_decisions_are_those_that_the_plain_solver_sees(name: str) -> None:
    rules, seen, decided = replace(PRESETS[name], target=8), 0, 0
    for index in range(400):
        deal = Deal(seeded_deal(8, index).cards[:20])
        result = solve(deal, rules, count=True)
        found = difficulty(result)
        if result.verdict.value != "winnable":
            assert found is None
            continue
        assert found is not None
        assert result.counts is not None
        assert found.random_win == result.counts.random_win
        values = deal.values(rules.face_values)
        game = Game(values, rules)
        decisions = critical = 0
        for state, move in replay_steps(values, rules, result.moves):
            others = [r for r in game.legal_sets(state) if game.move(state, r) != move]
            if move is not None and others:
                decisions += 1
                critical += not any(can_win(game, game.take(state, run)) for run in others)
        assert (found.decisions, found.critical) == (decisions, critical)
        uncounted = difficulty(solve(deal, rules))  # perhaps of another play
        assert uncounted is not None
        assert uncounted.random_win == found.random_win
        seen += 1
        decided += decisions
        if seen == 12:
            break
    assert seen
    assert decided


def can_win(game: Game, state: object) -> bool:
    """Try everything from a state on."""
    stack = [state]
    while stack:
        at = stack.pop()
        if game.may_end(at) and game.won(at):  # type: ignore[arg-type]
            return True
        stack += game.successors(at)  # type: ignore[arg-type]
    return False


def test_grades_go_by_the_chance() -> None:
    assert list(GRADES) == ["trivial", "easy", "medium", "hard", "expert"]
    assert [grade(Fraction(n, 16)) for n in (16, 15, 8, 7, 4, 3, 1)] == [
        "trivial", "easy", "easy", "medium", "medium", "hard", "hard",
    ]  # fmt: skip
    assert grade(Fraction(1, 17)) == "expert"


def test_a_limit_leaves_the_difficulty_open() -> None:
    result = solve(seeded_deal(3, 1), "seven-piles-loop")
    assert result.verdict.value in ("winnable", "unwinnable")
    for index in range(60):
        result = solve(seeded_deal(3, index), "seven-piles-loop")
        if result.verdict.value == "winnable" and difficulty(result, node_limit=1) is None:
            return
    pytest.fail("no deal whose difficulty a limit leaves open")


def test_plays_of_optional_games_are_not_counted() -> None:
    with pytest.raises(ValueError, match="counted for forced"):
        difficulty(solve("5 5", "pysol"))
    assert solve_plain((5, 5), PRESETS["pysol"]).winnable
