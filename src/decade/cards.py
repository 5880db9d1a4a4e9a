"""A deal: the cards in the order in which they are dealt, parsed, checked and printed.

Deals are typed by hand, so every slip that can be seen is an error that names the card and its
place, counted from 1. Nothing is dropped or repaired: what is printed parses back to the same deal.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decade.play import Layout

MAX_CARDS = 104
PACK = 52
STANDARD_FACE_VALUES = (10, 10, 10)

_RANK_CHARS = " A23456789TJQK"
_SUIT_CHARS = "CDHS"
# Both cases are spelled out: str.upper() would let in the long s and the like.
_RANKS = {_RANK_CHARS[rank]: rank for rank in range(1, 14)}
_RANKS |= {letter.lower(): rank for letter, rank in _RANKS.items()}
_RANKS |= {"1": 1, "10": 10, "11": 11, "12": 12, "13": 13}
_SUITS = {suit: suit for suit in _SUIT_CHARS} | {suit.lower(): suit for suit in _SUIT_CHARS}
_SUITS |= dict(zip("♣♦♥♠", _SUIT_CHARS, strict=True))
_EMOJI_MARK = "\ufe0f"  # text copied from a phone has it after ♥; it only says how ♥ is drawn

_SEPARATORS = re.compile(r"[\s,]+")
_COMMENT = re.compile(r"#[^\r\n]*")
_COLON_AND_BLANK = re.compile(r"(.*):(\s.*)", re.DOTALL)
_RANK_PATTERN = r"(?:1[0-3]|[1-9ATJQKatjqk])"
_SUIT_PATTERN = r"[CDHScdhs♣♦♥♠]"
_STARTS_WITH_RANK = re.compile(_RANK_PATTERN)
_STARTS_WITH_NUMBER = re.compile("[0-9]+")
_SEVERAL_CARDS = re.compile(f"(?:{_RANK_PATTERN}{_SUIT_PATTERN})+{_RANK_PATTERN}{_SUIT_PATTERN}?")

_RANKS_ARE = "the ranks are A 2 3 4 5 6 7 8 9 T J Q K (10 for T, 1 for A, 11 12 13 for J Q K)"
_SUITS_ARE = "the suits are C D H S (or ♣ ♦ ♥ ♠)"


class DealError(ValueError):
    """What is wrong with a deal; `str()` is one line that says it.

    `token` is the token at fault as typed, `position` its place among the cards, counted from 1;
    both are None where no single card is at fault. `reason` says what is wrong with it.
    """

    def __init__(
        self, reason: str, *, token: str | None = None, position: int | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.token = token
        self.position = position

    def __str__(self) -> str:
        place = "" if self.position is None else f"card {self.position}: "
        token = "" if self.token is None else f"{show(self.token)}: "
        return place + token + self.reason


class NumberError(ValueError):
    """A deal number or seed that is out of range, or no number."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card: `rank` 1 (ace) to 13 (king), `suit` one of C D H S or None where it is not known.

    `any_ten` marks a plain `10` (rank 10, no suit), which may stand for any ten-valued card.
    Raises DealError for anything else.

    >>> Card.parse("10♥"), str(Card.parse("10♥")), str(Card.parse("10"))
    (Card(rank=10, suit='H', any_ten=False), 'TH', '10')
    """

    rank: int
    suit: str | None = None
    any_ten: bool = False

    def __post_init__(self) -> None:
        if not _is_whole(self.rank) or not 1 <= self.rank <= 13:
            raise DealError(f"a rank is a whole number from 1 to 13, not {show(self.rank)}")
        if self.suit is not None and self.suit not in tuple(_SUIT_CHARS):
            raise DealError(f"a suit is C, D, H, S or None, not {show(self.suit)}")
        if not isinstance(self.any_ten, bool) or (
            self.any_ten and (self.rank != 10 or self.suit is not None)
        ):
            raise DealError("any_ten is True only for rank 10 without a suit")

    @classmethod
    def parse(cls, token: str) -> Card:
        """Read one token: a rank, then optionally a suit. Raises DealError."""
        bare = token
        if token[-1:] == _EMOJI_MARK and token[-2:-1] in tuple("♣♦♥♠"):
            bare = token[:-1]
        if bare == "10":
            return cls(10, None, any_ten=True)
        if bare in _RANKS:
            return cls(_RANKS[bare])
        rank, suit = _RANKS.get(bare[:-1]), _SUITS.get(bare[-1:])
        if rank is None or suit is None:
            raise DealError(_fault(bare), token=token)
        return cls(rank, suit)

    def __str__(self) -> str:
        if self.any_ten:
            return "10"
        return _RANK_CHARS[self.rank] + (self.suit or "")


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards in the order in which they are dealt, the first card first.

    `packs` is how many packs of 52 the cards are from (1 or 2; None for as many as they need).
    Two deals with the same cards are equal whatever their names and packs. `parse` checks what it
    reads; a deal that is put together by hand is checked by `check`.

    >>> deal = Deal.parse("4h, 8C 10 ♠k", name="slip")
    Traceback (most recent call last):
        ...
    decade.cards.DealError: card 4: '♠k': the rank comes first: write K♠
    >>> deal = Deal.parse("4h, 8C 10 k♠  # four cards")
    >>> str(deal), len(deal), deal.values()
    ('4H 8C 10 KS', 4, (4, 8, 10, 10))
    """

    cards: tuple[Card, ...]
    name: str | None = field(default=None, compare=False)
    packs: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(self.cards))

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        packs: int | None = None,
        face_values: Sequence[int] = STANDARD_FACE_VALUES,
        name: str | None = None,
    ) -> Deal:
        """Read the cards of one deal, separated by white space or commas, and check them.

        `#` starts a comment that ends with its line. `face_values` as in `check`.
        Raises DealError.
        """
        deal = cls(parse_cards(_COMMENT.sub("", text)), name, packs)
        deal.check(face_values=face_values)
        return deal

    @classmethod
    def parse_line(
        cls,
        line: str,
        *,
        packs: int | None = None,
        face_values: Sequence[int] = STANDARD_FACE_VALUES,
        name: str | None = None,
    ) -> Deal:
        r"""Read one line of a deal file: `cards...`, `name: cards...` or `name<TAB>cards...`.

        A line without a name gets `name`. Raises DealError.

        >>> Deal.parse_line("first: 4H 8C").name, Deal.parse_line("pysol:12\t4H 8C").name
        ('first', 'pysol:12')
        """
        line = _COMMENT.sub("", line).rstrip()
        if "\n" in line or "\r" in line:
            raise DealError("a deal file holds one deal a line, but this text has several lines")
        named, cards = _split_name(line)
        if named == "":
            raise DealError("the name before the cards is empty")
        return cls.parse(
            cards, packs=packs, face_values=face_values, name=name if named is None else named
        )

    def check(self, *, face_values: Sequence[int] = STANDARD_FACE_VALUES) -> None:
        """Raise DealError if the cards cannot come from so many packs.

        A plain `10` may be any ten-valued card, but where J, Q, K do not all count ten
        (`face_values`) it is the rank ten.
        """
        _check_size(len(self.cards))
        packs = -(-len(self.cards) // PACK) if self.packs is None else self.packs
        if not _is_whole(packs) or packs not in (1, 2):
            raise DealError(f"the number of packs is 1 or 2, not {show(packs)}")
        if len(self.cards) > PACK * packs:
            raise DealError(f"{len(self.cards)} cards are more than the 52 of one pack")

        any_ten = tuple(face_values) == STANDARD_FACE_VALUES
        suited: dict[str, list[int]] = {}
        ranks: dict[int, list[int]] = {}
        tens: list[int] = []
        for position, card in enumerate(self.cards, 1):
            if card.suit is not None:
                suited.setdefault(str(card), []).append(position)
            if not (card.any_ten and any_ten):
                ranks.setdefault(card.rank, []).append(position)
            if card.rank >= 10:
                tens.append(position)

        for token, places in suited.items():
            self._check_count(token, places, packs, packs)
        for rank, places in ranks.items():
            hint = "; a plain 10 may be any ten-valued card" if any_ten and rank == 10 else ""
            self._check_count(f"the rank {_RANK_CHARS[rank]}", places, 4 * packs, packs, hint)
        if any_ten:
            self._check_count("a ten-valued card (10 T J Q K)", tens, 16 * packs, packs)

    def _check_count(
        self, what: str, places: list[int], most: int, packs: int, hint: str = ""
    ) -> None:
        """Raise DealError for the first card too many if `what` lies at more than `most` places."""
        if len(places) <= most:
            return
        surplus = places[most]
        listed = ", ".join(map(str, places[:-1])) + f" and {places[-1]}"
        raise DealError(
            f"{what} occurs {len(places)} times, as cards {listed}, "
            f"but {'one pack has' if packs == 1 else 'two packs have'} only {most}{hint}",
            token=str(self.cards[surplus - 1]),
            position=surplus,
        )

    @property
    def layout(self) -> Layout | None:
        """How the game lies where it is gone on with; None: all cards are in the stock."""
        return None

    def values(self, face_values: Sequence[int] = STANDARD_FACE_VALUES) -> tuple[int, ...]:
        """Return what each card counts: spot cards their rank, J, Q, K as `face_values` says."""
        counts = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, *face_values)
        return tuple(counts[card.rank] for card in self.cards)

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __len__(self) -> int:
        return len(self.cards)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def show(value: object) -> str:
    """Write any value for an error: as Python does, shortened, in one printable line."""
    try:
        shown = reprlib.repr(value)
    except ValueError:  # Python does not print a whole number of thousands of digits
        return "a number too long to print" if isinstance(value, int) else "what is given"
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode()


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read from 1 to 104 cards, separated by white space or commas. Raises DealError."""
    tokens = _tokens(text)
    cards = []
    for position, token in enumerate(tokens[:MAX_CARDS], 1):
        try:
            cards.append(Card.parse(token))
        except DealError as error:
            raise DealError(error.reason, token=token, position=position) from None
    _check_size(len(tokens))
    return tuple(cards)


def _check_size(cards: int) -> None:
    if not 1 <= cards <= MAX_CARDS:
        raise DealError(
            f"a deal has from 1 to {MAX_CARDS} cards, but this one has {cards or 'none'}"
        )


def _fault(token: str) -> str:
    """Say why a token that is no card is none, by the likeliest slip."""
    if _SEVERAL_CARDS.fullmatch(token):
        return "several cards run together: put a blank between them"
    if token[:1] in _SUITS and token[1:] in _RANKS:
        return f"the rank comes first: write {token[1:].upper()}{token[0].upper()}"
    number = _STARTS_WITH_NUMBER.match(token)
    if number and number[0] not in _RANKS:
        return f"there is no rank {show(number[0])}; {_RANKS_ARE}"
    rank = _STARTS_WITH_RANK.match(token)
    if rank and len(token) == rank.end() + 1:
        return f"{show(token[-1])} is not a suit; {_SUITS_ARE}"
    if token[1:] and token[-1] in _SUITS:
        return f"there is no rank {show(token[:-1])}; {_RANKS_ARE}"
    return "not a card; a card is a rank and then, where known, a suit, as in 4H, TC or 9"


def _split_name(line: str) -> tuple[str | None, str]:
    """Split a line into its name (None if it has none) and the text of its cards.

    Cards hold no colon, so without a tab the last colon ends the name. With one, the name may hold
    colons and the cards tabs; the colon ends the name only if a blank and then cards follow it.
    """
    head, tab, tail = line.partition("\t")
    if tab:
        colon = _COLON_AND_BLANK.match(head + tab)
        if colon and _cards_in(colon[2]) is not None:
            return colon[1].strip(), colon[2] + tail
        cards = _cards_in(head)
        # A single plain rank (`7`, `a`) is a usual name, unless tabs set the cards in columns.
        if cards and (len(cards) > 1 or cards[0].suit or "\t" in tail):
            raise DealError(
                f"{show(head.strip())} before the tab may be a name or cards: "
                "write 'name: cards', or blanks between the cards"
            )
        return head.strip(), tail
    name, colon_found, cards_text = line.rpartition(":")
    return (name.strip(), cards_text) if colon_found else (None, line)


def _cards_in(text: str) -> list[Card] | None:
    """Read the cards in a text; None if it holds anything that is no card."""
    try:
        return [Card.parse(token) for token in _tokens(text)]
    except DealError:
        return None


def _tokens(text: str) -> list[str]:
    return [token for token in _SEPARATORS.split(text) if token]
