"""The exhaustive solver in plain Python: the oracle that the compiled search is held to.

It tries every choice the rules leave, remembers positions so that none is explored twice, and is
short enough to be checked by eye. Positions are the same if their values are: nothing in the rules
looks at anything else, so what can still happen is the same too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from decade.play import Game, Layout, Standing
from decade.rules import Discard, Rules


@dataclass(frozen=True, slots=True)
class Plain:
    """What the plain solver finds; ``remaining`` is None where the deal cannot be won and recycles.

    The counts are those of :class:`decade.solver.Counts`, None unless asked for.
    """

    winnable: bool
    remaining: int | None
    states: int
    lines: int | None = None
    winning_lines: int | None = None
    random_win: Fraction | None = None


def solve_plain(
    values: Sequence[int],
    rules: Rules,
    *,
    layout: Layout | None = None,
    count: bool = False,
    least: bool = False,
) -> Plain:
    """Decide a deal by trying everything.

    Args:
        values: the cards' point values in the order of the deal.
        rules: the rule set, any.
        layout: how the game lies, if it is gone on with.
        count: count plays too (forced discards without recycling only).
        least: go on after a win, for the smallest remainder even where ``target`` allows more.

    Raises:
        ValueError: if plays cannot be counted under these rules.
        DealError: if the layout does not fit.
    """
    game = Game(values, rules, layout)
    best: int | None = None
    start = game.start()
    seen = {_key(game, start)}
    stack = [start]
    while stack:
        position = stack.pop()
        if game.may_end(position) and (game.won(position) or not rules.recycle):
            remaining = game.remaining(position)
            best = remaining if best is None else min(best, remaining)
            if game.won(position) and not least:
                break
        for after in game.successors(position):
            key = _key(game, after)
            if key not in seen:
                seen.add(key)
                stack.append(after)
    winnable = best is not None and (rules.recycle or best <= rules.target)
    if not count:
        return Plain(winnable, best, len(seen))
    return Plain(winnable, best, len(seen), *_count(game))


def _key(game: Game, position: Standing) -> tuple[object, ...]:
    """Give the key inside a discard phase, where the pile that was dealt to last matters too."""
    return (*game.key(position), position.last)


def _count(game: Game) -> tuple[int, int, Fraction]:
    """Count all plays and the winning ones, and find the chance of a uniformly random player."""
    if game.rules.discard is not Discard.FORCED or game.rules.recycle:
        raise ValueError("plays are counted for forced discards without recycling only")
    known: dict[tuple[object, ...], tuple[int, int, Fraction]] = {}

    def count(position: Standing) -> tuple[int, int, Fraction]:
        key = _key(game, position)
        if key not in known:
            parts = [count(after) for after in game.successors(position)]
            if parts:
                chance = sum((part[2] for part in parts), Fraction(0)) / len(parts)
                known[key] = sum(part[0] for part in parts), sum(part[1] for part in parts), chance
            else:
                won = int(game.won(position))
                known[key] = 1, won, Fraction(won)
        return known[key]

    return count(game.start())
