"""Advice in a game whose stock cannot be seen: what each choice is worth, and how sure that is."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from decade.adviser import WON, Adviser, Choice, sampled_decks, words_for
from decade.cards import PACK, NumberError, show
from decade.play import Game, Move
from decade.position import Position
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT, VERDICTS, Verdict, byte_values
from decade.sources import LARGEST_SEED
from decade_ext.search import Stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNKNOWN = VERDICTS.index(Verdict.UNKNOWN)
SAMPLES, SECONDS = 10_000, 2.0
"""Advice is from so many orders, or as many as that time is enough for, unless it is said."""
_MOST = 1024
"""Orders that are solved at a time."""
_SHARE = 20
"""Where time is limited, as many at a time as a share of it is enough for."""


class AdviceError(ValueError):
    """A question that there is no advice for."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice, and how it did.

    Attributes:
        move: the set to take, its cards by their places on the table from 0; None for leaving what
            lies, and dealing on if there is a stock.
        wins: orders of the stock in which the game can be won then.
        unknown: orders that a limit left open.
        samples: orders in all.
        exact: whether there is no other order.
    """

    move: Move | None
    wins: int
    unknown: int
    samples: int
    exact: bool = False

    @property
    def chance(self) -> float:
        """The share of orders that can be won; those left open count as lost."""
        return self.wins / self.samples

    @property
    def error(self) -> float:
        """The standard error of the chance.

        It is that of one win and one loss more, so that few orders which agree are not certain.
        """
        share = (self.wins + 1) / (self.samples + 2)
        return 0.0 if self.exact else math.sqrt(share * (1 - share) / self.samples)


@dataclass(frozen=True, slots=True)
class Advice:
    """What there is to choose from, best first.

    Attributes:
        position: the table; its stock are cards that are gone.
        rules: the rule set.
        options: the choices; none if the game is over.
        unseen: how many cards are unseen.
        samples: how many orders of them were drawn.
        seed: of the random numbers.
    """

    position: Position
    rules: Rules
    options: tuple[Option, ...]
    unseen: int
    samples: int
    seed: int

    @property
    def best(self) -> Option:
        """The choice that wins most often. Raises IndexError if the game is over."""
        return self.options[0]

    def to_dict(self) -> dict[str, Any]:
        """Give the advice as the object that ``--json`` prints."""
        cards = self.position.cards
        return {
            "table": self.position.table,
            "seen": self.position.stock,
            "next": self.position.next,
            "rules": self.rules.as_field(),
            "unseen": self.unseen,
            "samples": self.samples,
            "seed": self.seed,
            "assumes": "all play after this choice sees the stock",
            "choices": [
                {
                    "set": one.move and " ".join(str(cards[card]) for card in one.move.cards),
                    "pile": one.move and one.move.pile,
                    "cards": one.move and list(one.move.cards),
                    "total": one.move and one.move.total,
                    "wins": one.wins,
                    "unknown": one.unknown,
                    "chance": one.chance,
                    "error": one.error,
                }
                for one in self.options
            ],
        }


def advise(
    table: str | Position,
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    seen: str = "",
    unseen: str | None = None,
    next: int = 0,
    packs: int | None = None,
    samples: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    node_limit: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> Advice:
    """Weigh the choices in a game whose stock cannot be seen.

    Args:
        table: the cards on the table, piles split by ``|``, all live; or a `Position`, whose stock
            are the unseen cards, in any order.
        rules: a rule set, a preset's name, or a mapping of fields.
        seen: the cards that are gone. Under ``recycle`` they lie under the unseen ones, the first
            of them next to these.
        unseen: the cards in the stock, in any order; by default the rest of the pack or packs.
        next: the pile that the next card goes to, from 0, as for a `Position`.
        packs: 1 or 2; as many as the cards need by default.
        samples: how many orders of the unseen cards to solve; see below.
        seconds: for how long; by default 10,000 orders or 2 seconds, whatever comes first, and if
            one of the two is given, that alone.
        seed: of the orders. The advice depends on it and ``samples`` alone, unless time ran out.
        node_limit: positions to look at, an order; None for no limit.
        memory_limit: bytes that a search may hold.

    Raises:
        DealError: if the cards cannot come from so many packs, or do not fit the rules.
        RulesError: if the rules are not valid.
        AdviceError: if not one order was solved in time.
        ValueError: if a number is out of range.
        KeyboardInterrupt: on Ctrl-C, within a quarter second.

    >>> advice = advise("5 K 5 5", unseen="5 A 9 K 4 6", samples=100)
    >>> [(option.move.total, option.wins) for option in advice.options]
    [(20, 73), (20, 73), (10, 71)]
    """
    rules = Rules.of(rules)
    if isinstance(table, Position):
        if unseen is not None:
            raise ValueError("a Position has a stock: no unseen cards with it")
        lying = table
        table, unseen, next, packs = lying.table, lying.stock, lying.next, packs or lying.packs
    if type(seed) is not int or not 0 <= seed <= LARGEST_SEED:
        raise NumberError(f"{show(seed)} is no seed: they go from 0 to {LARGEST_SEED}")
    if samples is not None and (type(samples) is not int or samples < 1):
        raise ValueError(f"samples must be a whole number, 1 or more, not {show(samples)}")
    if samples is None and seconds is None:
        samples, seconds = SAMPLES, SECONDS
    position, values, hidden = _read(table, seen, unseen, rules, next=next, packs=packs)
    game, stop = Game(values, rules, position.layout), Stop()
    state = game.start()
    adviser = Adviser(rules, node_limit=node_limit, memory_limit=memory_limit, stop=stop)
    choices = adviser.choices(game, state)
    if not choices and game.successors(state):
        choices = [None]
    exact = len(hidden) < 2
    samples = 1 if exact else samples
    moves = [choice and game.move(state, choice) for choice in choices]
    wins, unknown, done = [0] * len(choices), [0] * len(choices), 0
    if choices:
        with _until(stop, seconds):
            for verdicts in _weighed(
                adviser, game, choices, hidden, seed=seed, samples=samples, seconds=seconds
            ):
                for at, verdict in enumerate(verdicts):
                    wins[at] += int((verdict == WON).sum())
                    unknown[at] += int((verdict == UNKNOWN).sum())
                done += len(verdicts[0])
        if not done:
            raise AdviceError("not one order of the unseen cards was solved in time: give more")
    best = adviser.order(state, choices, wins)
    options = tuple(Option(moves[at], wins[at], unknown[at], done, exact) for at in best)
    return Advice(position, rules, options, len(hidden), done, seed)


def _read(
    table: str, seen: str, unseen: str | None, rules: Rules, *, next: int, packs: int | None
) -> tuple[Position, list[int], range]:
    """Read the cards: the table with what is gone, what all cards count, and the unseen ones."""
    read = Position.of(
        table,
        f"{seen} {unseen or ''}",
        next=next,
        packs=packs,
        face_values=rules.face_values,
    )
    lying, gone = sum(read.sizes), len(seen.replace(",", " ").split())
    known = replace(read, cards=read.cards[: lying + gone])
    values = byte_values(read.values(rules.face_values), rules)
    hidden = values[lying + gone :]
    if unseen is None:
        pack = byte_values((*range(1, 11), *rules.face_values), rules) * 4
        rest = Counter(pack * (packs or -(-len(read) // PACK))) - Counter(values)
        hidden = sorted(rest.elements())
    below = values[lying : lying + gone] if rules.recycle else []
    return known, values[:lying] + hidden + below, range(lying, lying + len(hidden))


def _weighed(
    adviser: Adviser,
    game: Game,
    choices: Sequence[Choice],
    hidden: range,
    *,
    seed: int,
    samples: int | None,
    seconds: float | None,
) -> Iterator[list[NDArray[np.uint8]]]:
    """Give the verdicts after each choice, some orders at a time, as many as time allows."""
    words, state, done, size = words_for(seed), game.start(), 0, _MOST if seconds is None else 1
    while done != samples and not adviser.stop.is_set():
        began = monotonic()
        draws = size if samples is None else min(size, samples - done)
        decks = sampled_decks(game.values, hidden, words, draws)
        try:
            yield [adviser.weigh(game, state, choice, decks) for choice in choices]
        except KeyboardInterrupt:
            if adviser.stop.is_set():  # it is the time that is over
                return
            raise
        done += draws
        if seconds is not None:
            fit = draws * seconds / _SHARE / max(monotonic() - began, 1e-9)
            size = int(max(1, min(fit, 2 * draws, _MOST)))


@contextmanager
def _until(stop: Stop, seconds: float | None) -> Iterator[None]:
    """Stop after a time, in the middle of a search if need be."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
