"""A game in its middle: what lies on the table and what is still in the stock.

It is a deal whose first cards lie in the piles, so cards are named and counted as in deals,
and a play from here on reads as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from decade.cards import STANDARD_FACE_VALUES, Card, Deal, parse_cards
from decade.play import Layout

BAR = "|"


@dataclass(frozen=True, slots=True)
class Position(Deal):
    """The cards on the table, pile by pile, then those in the stock, the next one first.

    All piles are live. A pile without cards is eliminated, unless it is the only one. A position
    that no play leads to is as good as any other.

    Attributes:
        sizes: how many cards each pile has.
        next: the pile that the next card goes to, from 0. The pile before it has just got its
            card: where discards are forced, its sets come first.

    >>> position = Position.of("4 8 | 3 3 J", "6 9", next=1)
    >>> position.table, position.sizes, position.stock
    ('4 8 | 3 3 J', (2, 3), '6 9')
    """

    sizes: tuple[int, ...] = ()
    next: int = 0

    @classmethod
    def of(
        cls,
        table: str,
        stock: str = "",
        *,
        next: int = 0,
        packs: int | None = None,
        face_values: Sequence[int] = STANDARD_FACE_VALUES,
        name: str | None = None,
    ) -> Position:
        """Read a table, its piles split by ``|``, and a stock.

        Raises:
            DealError: if a token is no card, or the cards cannot come from so many packs; places
                are counted through the table and on through the stock.
        """
        cards = parse_cards(f"{table.replace(BAR, ' ')} {stock}")
        sizes = tuple(len(pile.replace(",", " ").split()) for pile in table.split(BAR))
        position = cls(cards, name, packs, sizes, next)
        position.check(face_values=face_values)
        return position

    @property
    def layout(self) -> Layout:
        """How many cards each pile has, and which gets the next."""
        return Layout(self.sizes, self.next)

    @property
    def table(self) -> str:
        """The cards on the table."""
        ends = accumulate(self.sizes)
        piles = (self.cards[end - size : end] for size, end in zip(self.sizes, ends, strict=True))
        return f" {BAR} ".join(map(_text, piles)).strip()

    @property
    def stock(self) -> str:
        """The cards in the stock."""
        return _text(self.cards[sum(self.sizes) :])


def _text(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards))
