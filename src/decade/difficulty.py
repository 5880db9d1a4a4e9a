"""How hard a deal is for a player who cannot see the stock.

The measure is the exact chance of a player who picks among the legal sets at random. Beside it
stand the decisions of one winning play: how often there was more than one set to take, and how
often every set but the right one lost the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from decade.play import Game, Standing, replay_steps
from decade.solver import (
    MEMORY_LIMIT,
    VERDICTS,
    Result,
    Verdict,
    new_search,
    searched_as,
    solve,
)
from decade_ext.search import Stop

GRADES = {
    "trivial": Fraction(1),
    "easy": Fraction(1, 2),
    "medium": Fraction(1, 4),
    "hard": Fraction(1, 16),
    "expert": Fraction(0),
}
"""Grades, and the least chance of a random player that each stands for."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard a winnable deal is.

    Attributes:
        random_win: the chance of a player who picks uniformly among the legal sets.
        decisions: sets of the winning play that were chosen among several.
        critical: those of them where every other set lost the game.
    """

    random_win: Fraction
    decisions: int
    critical: int

    @property
    def grade(self) -> str:
        """The first grade in `GRADES` that the chance is good enough for."""
        return grade(self.random_win)

    def to_dict(self) -> dict[str, object]:
        """Give the difficulty as results in JSON have it."""
        return {"grade": self.grade, "decisions": self.decisions, "critical": self.critical}


def grade(random_win: Fraction) -> str:
    """Give the grade of a winnable deal by a random player's chance.

    >>> grade(Fraction(1)), grade(Fraction(1, 3)), grade(Fraction(1, 1000))
    ('trivial', 'medium', 'expert')
    """
    return next(name for name, least in GRADES.items() if random_win >= least)


def difficulty(
    result: Result, *, node_limit: int | None = None, memory_limit: int = MEMORY_LIMIT
) -> Difficulty | None:
    """Say how hard a winnable deal is; None if it is not winnable, or a limit stopped a search.

    Args:
        result: what `decade.solve` found.
        node_limit: as for `decade.solve`, for each position looked at.
        memory_limit: likewise.

    Raises:
        ValueError: if discards are not forced, or recycle: plays are not counted then.
    """
    if result.verdict is not Verdict.WINNABLE:
        return None
    counts = result.counts
    if counts is None:
        counts = solve(
            result.deal,
            result.rules,
            count=True,
            node_limit=node_limit,
            memory_limit=memory_limit,
        ).counts
    if counts is None:
        return None
    game = Game(result.deal.values(result.rules.face_values), result.rules, result.deal.layout)
    decisions = critical = 0
    for state, move in replay_steps(game.values, game.rules, result.moves, game.layout):
        runs = game.legal_sets(state)
        if move is None or len(runs) < 2:
            continue
        others = [game.take(state, run) for run in runs if game.move(state, run) != move]
        won = [_winnable(game, after, node_limit, memory_limit) for after in others]
        if None in won:
            return None
        decisions += 1
        critical += not any(won)
    return Difficulty(counts.random_win, decisions, critical)


def _winnable(
    game: Game, state: Standing, node_limit: int | None, memory_limit: int
) -> bool | None:
    """Say whether the game can still be won; None if a limit stopped the search."""
    if game.cleared(state) or not state.cards:
        return True
    values = [game.values[card] for card in state.cards]
    rules, layout = searched_as(values, game.rules, state.layout)
    search = new_search(rules, node_limit, memory_limit, Stop())
    verdict = VERDICTS[search.solve(values, layout=layout)[0]]
    return None if verdict is Verdict.UNKNOWN else verdict is Verdict.WINNABLE
