"""A play step by step, as data: what lies where after each card dealt and each set taken.

:class:`Steps` holds the list of :class:`State` that the terminal and the page both draw, and says
each in a sentence or two, naming cards as the caller likes. The positions are those of
:mod:`decade.play`, whose replay refuses a play that the rules do not allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from decade.cards import Deal
from decade.play import Game, Move, Standing, replay_steps
from decade.render import plural
from decade.rules import Rules


class CardSet(NamedTuple):
    """A set: the pile it lies in, its cards in the order in which they lie, and their total."""

    pile: int
    cards: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class State:
    """The table after one step of a play. Cards are named by their place in the deal from 0.

    Attributes:
        position: what lies where.
        discards: the cards that are out of play, in the order in which they left.
        dealt: the card that was dealt, to the pile ``position.last``; None where a set was taken
            and before the first card.
        taken: the set that was taken, if one was.
        going: the set that is taken next, if one is before the next card is dealt.
    """

    position: Standing
    discards: tuple[int, ...] = ()
    dealt: int | None = None
    taken: CardSet | None = None
    going: CardSet | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """A play of a deal: the state before the first card, then one for each card and each set.

    >>> deal = Deal.parse("K 4 6 9")
    >>> steps = Steps.of(deal, Rules(), [Move(3, 0, (1, 2), 10)])
    >>> for index in (0, 1, 3, 4, 5):
    ...     print(steps.words(index, lambda card: str(deal.cards[card])))
    4 cards lie face down in the stock.
    K is dealt to the line.
    6 is dealt to the line. 4 and 6 total 10 and go next.
    4 and 6 leave the line, 10 in all.
    9 is dealt to the line. The game ends with 2 cards left.
    """

    deal: Deal
    rules: Rules
    states: tuple[State, ...]

    @classmethod
    def of(cls, deal: Deal, rules: Rules, moves: Iterable[Move]) -> Steps:
        """Replay a play step by step.

        Raises:
            IllegalMove: if the rules do not allow it.
        """
        values = deal.values(rules.face_values)
        game = Game(values, rules, deal.layout)
        states = [State(game.start())]
        for target, move in replay_steps(values, rules, moves, deal.layout):
            while states[-1].position.dealt < target.dealt:
                states.append(_deal(game, states[-1]))
            if move is not None:
                states[-1:] = _take(game, states[-1], move)
        return cls(deal, rules, tuple(states))

    def words(self, index: int, name: Callable[[int], str]) -> str:
        """Say what happened in a step, what goes next, and at the end how the play ended."""
        state, rules = self.states[index], self.rules
        said = [_happened(state, rules, name)]
        if state.going:
            cards = listed([name(card) for card in state.going.cards])
            total, go = ("totals", "goes") if len(state.going.cards) == 1 else ("total", "go")
            here = state.position.last if state.taken is None else state.taken.pile
            where = "" if state.going.pile == here else f" of {place(state.going.pile, rules)}"
            said.append(f"{cards}{where} {total} {state.going.total} and {go} next.")
        if index == len(self.states) - 1:
            said.append(_ended(state, rules))
        return " ".join(said)


def _deal(game: Game, before: State) -> State:
    position = before.position
    return State(game.deal(position), before.discards, dealt=position.stock[0])


def _take(game: Game, before: State, move: Move) -> tuple[State, State]:
    """Give the state in which a set is about to go, and the state in which it is gone."""
    position = before.position
    (run,) = (run for run in game.legal_sets(position) if game.move(position, run) == move)
    going = CardSet(move.pile, game.cards(position, run), move.total)
    discards = before.discards if game.rules.recycle else before.discards + going.cards
    after = State(game.take(position, run), discards, taken=going)
    return replace(before, going=going), after


def place(pile: int, rules: Rules) -> str:
    """Call a pile what people call it."""
    if rules.piles > 1:
        return f"pile {pile + 1}"
    return "the loop" if rules.wrap else "the line"


def listed(names: Sequence[str]) -> str:
    """List names as a sentence does.

    >>> listed(["4", "6"]), listed(["A", "4", "5"]), listed(["T"])
    ('4 and 6', 'A, 4 and 5', 'T')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _happened(state: State, rules: Rules, name: Callable[[int], str]) -> str:
    position, taken = state.position, state.taken
    if state.dealt is not None:
        return f"{name(state.dealt)} is dealt to {place(position.last, rules)}."
    if taken is None:
        lie = "lies" if len(position.stock) == 1 else "lie"
        table = sum(map(len, position.piles))
        on_table = f", {plural(table, 'card')} on the table" if table else ""
        return f"{plural(len(position.stock), 'card')} {lie} face down in the stock{on_table}."
    leave, go = ("leaves", "goes") if len(taken.cards) == 1 else ("leave", "go")
    cards = listed([name(card) for card in taken.cards])
    said = f"{cards} {leave} {place(taken.pile, rules)}, {taken.total} in all"
    if rules.recycle:
        said += f", and {go} under the stock"
    if rules.piles > 1 and not position.piles[taken.pile]:
        said += f". Pile {taken.pile + 1} is empty and out of the game"
    return said + "."


def _ended(state: State, rules: Rules) -> str:
    left = sum(map(len, state.position.piles))
    if not left:
        stock = len(state.position.stock)
        rest = f", with {plural(stock, 'card')} still in the stock" if stock else ""
        return f"The game is won: no card is left on the table{rest}."
    cards = plural(left, "card")
    if rules.recycle or left > rules.target:
        return f"The game ends with {cards} left."
    return f"The game is won with {cards} left, {rules.target} or fewer being enough."
