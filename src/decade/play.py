"""The rules as plain Python: positions, legal sets, turns, fixed policies and replay.

This module is the executable form of the rules for every rule field. It shares no code with
the compiled search and favours being checked by eye over speed: a position is an immutable value,
and every question is asked of it afresh. Cards are named by their place in the deal from 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, NamedTuple, get_args

from decade.cards import DealError
from decade.rules import Discard, Reach, Rules

Outcome = Literal["won", "lost", "draw"]
Policy = Literal["front", "back", "longest", "shortest", "random"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


class IllegalMove(ValueError):
    """A move that the rules do not allow.

    Attributes:
        index: which move, from 0; the number of moves if the play stops too early.
        reason: what is wrong with it.
    """

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"move {index + 1}: {reason}")
        self.index = index
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Move:
    """One set taken: after how many dealt cards, from which pile, which cards (ascending)."""

    dealt: int
    pile: int
    cards: tuple[int, ...]
    total: int

    def to_dict(self) -> dict[str, Any]:
        """Give the move as the object that results hold."""
        return {
            "dealt": self.dealt,
            "pile": self.pile,
            "cards": list(self.cards),
            "total": self.total,
        }

    @classmethod
    def from_dict(cls, data: object) -> Move:
        """Read a move back.

        Raises:
            ValueError: if it is not an object with just these fields of these types.
        """
        names = ("dealt", "pile", "cards", "total")
        if not isinstance(data, Mapping) or set(data) != set(names):
            raise ValueError(f"a move is an object with the fields {', '.join(names)}")
        cards = data["cards"]
        if not isinstance(cards, Sequence) or isinstance(cards, str):
            raise ValueError("the cards of a move are a list of places in the deal")
        if any(type(n) is not int for n in (data["dealt"], data["pile"], data["total"], *cards)):
            raise ValueError("the numbers of a move are whole numbers")
        return cls(data["dealt"], data["pile"], tuple(cards), data["total"])


class Run(NamedTuple):
    """A legal set as it lies: ``size`` cards of ``pile`` from ``start`` on, round the seam."""

    pile: int
    start: int
    size: int


class Standing(NamedTuple):
    """What lies where: the stock (next card first), the piles, and the state of the rotation."""

    stock: tuple[int, ...]
    piles: tuple[tuple[int, ...], ...]
    received: tuple[int, ...]
    """How many cards each pile has had in all."""
    last: int
    """The pile that was dealt to last; -1 before the first card."""
    dealt: int
    """How many cards have been dealt in this play."""

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards on the table, pile by pile, then those in the stock."""
        return sum(self.piles, ()) + self.stock

    @property
    def layout(self) -> Layout:
        """How the game lies if these are its cards."""
        sizes, piles = tuple(map(len, self.piles)), len(self.piles)
        return Layout(sizes, (self.last + 1) % piles, self.received)


class Layout(NamedTuple):
    """How a game that is gone on with lies: the deal's first cards are on the table.

    The discard phase of the pile before the next one is not over.
    """

    sizes: tuple[int, ...]
    """How many cards each pile has: the first pile the deal's first cards, and so on."""
    next: int
    """The pile that the next card goes to, if it is not eliminated."""
    received: tuple[int, ...] | None = None
    """How many cards each pile has had; None if all are live (and eliminated without a card)."""

    def check(self, cards: int, rules: Rules) -> None:
        """Raise DealError if the layout does not fit so many cards and the rules."""
        if len(self.sizes) != rules.piles:
            found = f"{len(self.sizes)} pile{'s' if len(self.sizes) > 1 else ''}"
            raise DealError(f"the table has {found}, but the rules have {rules.piles}")
        if not 0 <= self.next < rules.piles:
            most = rules.piles - 1
            raise DealError(f"there is no pile {self.next}: they go from 0 to {most}")
        if min(self.sizes) < 0 or sum(self.sizes) > cards:
            raise DealError(f"the piles cannot have {self.sizes} of {cards} cards")

    def had(self, rules: Rules) -> tuple[int, ...]:
        """Say how many cards each pile has had."""
        return self.received or tuple(max(size, rules.opening) for size in self.sizes)


class Game:
    """One deal under one rule set: the questions that the rules answer about its positions.

    With a ``layout`` the game is one that is gone on with. Raises DealError if that does not fit.
    """

    def __init__(self, values: Sequence[int], rules: Rules, layout: Layout | None = None) -> None:
        self.values = tuple(values)
        self.rules = rules
        self.layout = layout
        self._totals = frozenset(rules.totals)
        self._most = max(rules.totals)
        if layout is not None:
            layout.check(len(self.values), rules)

    def start(self) -> Standing:
        """Give the position before the first card is dealt, or from which the game is gone on."""
        cards, piles = tuple(range(len(self.values))), self.rules.piles
        if self.layout is None:
            return Standing(cards, ((),) * piles, (0,) * piles, -1, 0)
        ends = list(accumulate(self.layout.sizes))
        return Standing(
            stock=cards[ends[-1] :],
            piles=tuple(
                cards[end - size : end] for size, end in zip(self.layout.sizes, ends, strict=True)
            ),
            received=self.layout.had(self.rules),
            last=(self.layout.next - 1) % piles,
            dealt=ends[-1],
        )

    def eliminated(self, position: Standing, pile: int) -> bool:
        """Say whether a pile is out of the game: emptied, and not the only one."""
        return self.rules.piles > 1 and not position.piles[pile] and position.received[pile] > 0

    def cleared(self, position: Standing) -> bool:
        """Say whether all piles are eliminated, which wins at once."""
        return all(self.eliminated(position, pile) for pile in range(self.rules.piles))

    def remaining(self, position: Standing) -> int:
        """Count the cards on the table."""
        return sum(map(len, position.piles))

    def won(self, position: Standing) -> bool:
        """Say whether a play that ends in this position is won."""
        if self.cleared(position):
            return True
        return not self.rules.recycle and self.remaining(position) <= self.rules.target

    def next_pile(self, position: Standing) -> int:
        """Find the pile that the next card goes to; one must be left."""
        pile = (position.last + 1) % self.rules.piles
        while self.eliminated(position, pile):
            pile = (pile + 1) % self.rules.piles
        return pile

    def deal(self, position: Standing) -> Standing:
        """Deal the next card of the stock, which must not be empty."""
        pile = self.next_pile(position)
        card, *stock = position.stock
        piles = list(position.piles)
        piles[pile] += (card,)
        received = list(position.received)
        received[pile] += 1
        return Standing(tuple(stock), tuple(piles), tuple(received), pile, position.dealt + 1)

    def runs(self, pile: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Give the legal sets of a live pile as (start, count), each set once."""
        rules, size = self.rules, len(pile)
        longest = min(size, rules.max_cards or size)
        for start in range(size):
            total = 0
            for count in range(1, longest + 1):
                if start + count > size and not rules.wrap:
                    break
                total += self.values[pile[(start + count - 1) % size]]
                if total > self._most:
                    break
                if count < rules.min_cards or total not in self._totals:
                    continue
                if count == size and start > 0:  # the whole loop is one set, wherever it starts
                    continue
                has_last = start + count >= size
                has_first = start == 0 or start + count > size
                if (
                    rules.reach is Reach.ANY
                    or has_last
                    or (rules.reach is Reach.ENDS and has_first)
                ):
                    yield start, count

    def legal_sets(self, position: Standing) -> list[Run]:
        """List the sets that may be taken now, pile by pile."""
        rules = self.rules
        if position.last < 0 or self.cleared(position):
            return []
        covered: Iterable[int] = range(rules.piles)
        if position.stock:
            if rules.discard is Discard.FORCED:
                covered = (position.last,)
            covered = [pile for pile in covered if position.received[pile] >= rules.opening]
        return [Run(pile, *run) for pile in covered for run in self.runs(position.piles[pile])]

    def cards(self, position: Standing, run: Run) -> tuple[int, ...]:
        """Name the cards of a set in the order in which they lie in the pile."""
        pile = position.piles[run.pile]
        places = sorted((run.start + step) % len(pile) for step in range(run.size))
        return tuple(pile[place] for place in places)

    def take(self, position: Standing, run: Run) -> Standing:
        """Discard a legal set; the gap closes."""
        gone = self.cards(position, run)
        piles = list(position.piles)
        piles[run.pile] = tuple(card for card in piles[run.pile] if card not in gone)
        stock = position.stock + gone if self.rules.recycle else position.stock
        return position._replace(stock=stock, piles=tuple(piles))

    def move(self, position: Standing, run: Run) -> Move:
        """Describe the taking of a set."""
        cards = self.cards(position, run)
        total = sum(self.values[card] for card in cards)
        return Move(position.dealt, run.pile, tuple(sorted(cards)), total)

    def successors(self, position: Standing) -> list[Standing]:
        """List the positions one choice further: a set taken, or a card dealt.

        A forced game deals only where no set can be taken; an optional one may always deal. None
        is left where the game is cleared, or the stock is empty and nothing can be taken.
        """
        if self.cleared(position):
            return []
        after = [self.take(position, run) for run in self.legal_sets(position)]
        if position.stock and (not after or self.rules.discard is Discard.OPTIONAL):
            after.append(self.deal(position))
        return after

    def may_end(self, position: Standing) -> bool:
        """Say whether a play may end here."""
        if self.cleared(position):
            return True
        if position.stock:
            return False
        return self.rules.discard is Discard.OPTIONAL or not self.legal_sets(position)

    def key(self, position: Standing) -> tuple[object, ...]:
        """Give what makes two positions the same after a discard phase: values, not cards."""
        opening, values = self.rules.opening, self.values
        return (
            tuple(values[card] for card in position.stock),
            tuple(tuple(values[card] for card in pile) for pile in position.piles),
            tuple(min(count, opening) for count in position.received),
            None if self.cleared(position) else self.next_pile(position),
        )


class Step(NamedTuple):
    """A position in a replayed play, and the set that is taken from it (None at the end)."""

    position: Standing
    move: Move | None


def replay_steps(
    values: Sequence[int], rules: Rules, moves: Iterable[Move], layout: Layout | None = None
) -> Iterator[Step]:
    """Replay a play by the rules: each position in which a set is taken, then the last one.

    Raises:
        DealError: if the layout does not fit.
        IllegalMove: at the first move that the rules do not allow, or at the end if a set that
            must be taken is left lying.
    """
    game = Game(values, rules, layout)
    position = game.start()
    forced = rules.discard is Discard.FORCED
    index = -1

    def deal(index: int) -> Standing:
        if forced and game.legal_sets(position):
            raise IllegalMove(index, f"a set must be taken after card {position.dealt} is dealt")
        return game.deal(position)

    for index, move in enumerate(moves):
        while position.dealt < move.dealt and position.stock and not game.cleared(position):
            position = deal(index)
        if position.dealt != move.dealt:
            raise IllegalMove(index, f"it cannot be made when {move.dealt} cards have been dealt")
        legal = {game.move(position, run): run for run in game.legal_sets(position)}
        if move not in legal:
            raise IllegalMove(index, _why_not(values, move))
        yield Step(position, move)
        position = game.take(position, legal[move])
    while position.stock and not game.cleared(position):
        position = deal(index + 1)
    if forced and game.legal_sets(position):
        raise IllegalMove(index + 1, "the play stops where a set must be taken")
    yield Step(position, None)


def _why_not(values: Sequence[int], move: Move) -> str:
    strangers = [card for card in move.cards if not 0 <= card < len(values)]
    if strangers:
        return f"there is no card {strangers[0]} in a deal of {len(values)} (counted from 0)"
    total = sum(values[card] for card in move.cards)
    if total != move.total:
        return f"cards {list(move.cards)} total {total}, not {move.total}"
    return f"cards {list(move.cards)} are no legal set of pile {move.pile} there"


def replay(
    values: Sequence[int], rules: Rules, moves: Iterable[Move], layout: Layout | None = None
) -> int:
    """Replay a play by the rules and count the cards that are left on the table.

    Raises:
        DealError: if the layout does not fit.
        IllegalMove: if the rules do not allow the play.
    """
    *_, (position, _move) = replay_steps(values, rules, moves, layout)
    return sum(map(len, position.piles))


@dataclass(frozen=True, slots=True)
class Played:
    """How a play by a fixed policy went: it is a draw if a position recurs."""

    outcome: Outcome
    dealt: int
    remaining: int
    moves: tuple[Move, ...]


def _chooser(policy: Policy, seed: int | None) -> Callable[[list[Run], Standing], Run]:
    """Make the function that picks among legal sets. Ties: more cards, then further to the front.

    A set takes from the pile's front the cards that lie in it from the first on without a gap,
    and from its back those from the last on.
    """
    if policy == "random":
        generator = random.Random(seed)
        return lambda legal, _position: generator.choice(legal)

    def rank(run: Run, position: Standing) -> tuple[int, int, int]:
        size = len(position.piles[run.pile])
        over = max(0, run.start + run.size - size)  # cards beyond the seam
        front = run.size if run.start == 0 else over
        back = run.size - over if run.start + run.size >= size else 0
        first = {"front": front, "back": back, "longest": run.size, "shortest": -run.size}
        return first[policy], run.size, -run.start

    def choose(legal: list[Run], position: Standing) -> Run:
        leftmost = [run for run in legal if run.pile == legal[0].pile]
        return max(leftmost, key=lambda run: rank(run, position))

    return choose


def play_policy(
    values: Sequence[int],
    rules: Rules,
    policy: Policy,
    *,
    seed: int | None = None,
    layout: Layout | None = None,
) -> Played:
    """Play a deal by a fixed policy, which takes a set wherever one may be taken.

    Args:
        values: the cards' point values in the order of the deal.
        rules: the rule set.
        policy: ``front`` takes the most cards from the pile's front, ``back`` from its back,
            ``longest`` and ``shortest`` go by the number of cards, ``random`` picks uniformly.
            Ties: more cards, then the set that begins further to the front. With several piles
            the leftmost comes first (except for ``random``).
        seed: makes ``random`` repeatable.
        layout: how the game lies, if it is gone on with.

    Raises:
        ValueError: if there is no such policy.
        DealError: if the layout does not fit.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
    game = Game(values, rules, layout)
    choose = _chooser(policy, seed)
    position = game.start()
    moves: list[Move] = []
    seen: set[tuple[object, ...]] = set()
    while True:
        while legal := game.legal_sets(position):
            run = choose(legal, position)
            moves.append(game.move(position, run))
            position = game.take(position, run)
        ended = not position.stock or game.cleared(position)
        key = game.key(position)
        if ended or key in seen:
            outcome: Outcome = "draw"
            if ended:
                outcome = "won" if game.won(position) else "lost"
            return Played(outcome, position.dealt, game.remaining(position), tuple(moves))
        seen.add(key)
        position = game.deal(position)
