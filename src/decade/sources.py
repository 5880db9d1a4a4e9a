"""Where deals come from besides being typed: numbers of other programs, and seeds of our own.

A :class:`Source` gives many. It is a run of *records*, numbered from 1, and is cut into pieces by
one thread; another makes a block of deals of each piece. A record is a row, or nothing (a blank
line or a comment), and one that is wrong is a row that says so. To go on after record N, the source
is read from its start and N records are passed over.

Numbered deals are made by the library pysol-cards. PySolFC deals Decade from the end of its
shuffled pack, so the order is reversed here.

Deal I of seed S needs no deal before it. Its eight random words are words 8 I to 8 I + 7, counted
from 0, of the stream that NumPy's ``Philox`` makes with the key S; ``decade_ext/shuffle.h`` says
how they shuffle the pack, which lies A C to K C, A D to K D, A H to K H, A S to K S before. A
rejected word is replaced by the next word of a stream of the deal's own, with the key S + 2^64 and
the counter I 2^64.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from decade.cards import MAX_CARDS, Card, Deal, NumberError, show
from decade.rows import Block, Run
from decade_ext.text import cut_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST_PYSOL = 10**20
LARGEST_MS = 2**33 - 1
LARGEST_SEED = LARGEST_INDEX = 2**63 - 1
_LAST_MS_IN_PYSOL = 32000
"""PySolFC gives the numbers up to this one the deals of Microsoft's FreeCell."""

PACK = tuple(Card(rank, suit) for suit in "CDHS" for rank in range(1, 14))
"""The 52 cards by number, as seeded deals number them."""


def pysol_deal(number: int | str, further: int = 0) -> Deal:
    """Make a deal by its number in PySolFC, in the order in which it is dealt into Decade's line.

    Args:
        number: as PySolFC takes it: 1 to 10^20, or ``ms`` and a Microsoft number. Blanks and the
            marks ``# - _ . ,`` between the digits are passed over, as there.
        further: how many numbers to go on from there.

    Raises:
        NumberError: if it is no such number.

    >>> str(pysol_deal(9939))[:11], pysol_deal("ms15692").name
    ('QS 2H QH QD', 'ms:15692')
    """
    text = str(number).strip()
    if text[:2] == "ms":
        return ms_deal(text[2:], further)
    digits = re.sub(r"[\s#\-_.,]", "", text)
    value = _whole(digits, "PySolFC number", text, LARGEST_PYSOL, further)
    return _numbered(value, ms=value <= _LAST_MS_IN_PYSOL, name=f"pysol:{value}")


def ms_deal(number: int | str, further: int = 0) -> Deal:
    """Make a deal by its Microsoft (FreeCell) number, dealt into Decade's line as PySolFC does it.

    Args:
        number: 1 to 2^33 - 1.
        further: how many numbers to go on from there.

    Raises:
        NumberError: if it is no such number.
    """
    value = _whole(str(number), "Microsoft number", str(number), LARGEST_MS, further)
    return _numbered(value, ms=True, name=f"ms:{value}")


def _whole(digits: str, what: str, given: str, most: int, further: int) -> int:
    """Read a whole number from 1 to ``most``, and go on; ``given`` is what the message shows."""
    if not re.fullmatch("[0-9]{1,40}", digits) or not 1 <= int(digits) <= most:
        raise NumberError(f"{show(given)} is no {what}: they go from 1 to {most}")
    if int(digits) + further > most:
        raise NumberError(f"there is no {what} {int(digits) + further}: they go from 1 to {most}")
    return int(digits) + further


def _numbered(number: int, *, ms: bool, name: str) -> Deal:
    from pysol_cards.cards import createCards  # noqa: PLC0415 (only for numbered deals)
    from pysol_cards.random import shuffle  # noqa: PLC0415
    from pysol_cards.random_base import RandomBase  # noqa: PLC0415

    deals = RandomBase.DEALS_MS if ms else RandomBase.DEALS_PYSOLFC
    cards = shuffle(createCards(1), number, deals)
    return Deal(tuple(Card(card.rank, "CSHD"[card.suit]) for card in reversed(cards)), name)


def seeded_cards(
    seed: int,
    index: int,
    deals: int,
    pack: NDArray[np.uint8] | None = None,
    path: str | None = None,
) -> NDArray[np.uint8]:
    """Make the deals (seed, index), (seed, index + 1), ... as an array.

    Args:
        seed: 0 to 2^63 - 1.
        index: number of the first deal, 0 to 2^63 - 1.
        deals: how many.
        pack: what stands for each card of ``PACK``, such as its value: a C-contiguous uint8 array
            of 52 items; the cards' numbers from 0 by default.
        path: how they are shuffled, as :func:`decade_ext.shuffle.shuffle` takes it.

    Returns:
        uint8 array of shape (deals, 52): what stands for the cards, first dealt first.

    Raises:
        NumberError: if seed or index is out of range.
    """
    import numpy as np  # noqa: PLC0415 (slow)

    from decade_ext.shuffle import WORDS, shuffle  # noqa: PLC0415

    for what, value, most in (("seed", seed, LARGEST_SEED), ("index", index, LARGEST_INDEX)):
        if type(value) is not int or not 0 <= value <= most:
            raise NumberError(f"{show(value)} is no {what}: they go from 0 to {most}")
    if pack is None:
        pack = np.arange(len(PACK), dtype=np.uint8)
    blocks = WORDS // 4  # words that Philox makes at a time
    words = np.random.Philox(key=seed, counter=index * blocks).random_raw(deals * WORDS)
    words = words.reshape(deals, WORDS)
    cards = np.empty((deals, len(PACK)), np.uint8)
    start = 0
    spares: dict[int, np.random.Philox] = {}
    while (rejected := shuffle(words[start:], pack, cards[start:], path)) is not None:
        deal, word = rejected
        start += deal
        spare = spares.setdefault(
            start, np.random.Philox(key=seed + 2**64, counter=(index + start) << 64)
        )
        words[start, word] = spare.random_raw()
    return cards


def seeded_deal(seed: int, index: int = 0) -> Deal:
    """Make deal ``index`` of a seed: the same on every machine and platform, in every version.

    Raises:
        NumberError: if seed or index is out of range (0 to 2^63 - 1).

    >>> seeded_deal(1, 2) == seeded_deal(1, 2) != seeded_deal(1, 3)
    True
    """
    cards = seeded_cards(seed, index, 1)[0]
    return Deal(tuple(PACK[card] for card in cards), f"seed:{seed}:{index}")


Data = bytes | memoryview
"""Text that is read."""


@dataclass(slots=True)
class Piece:
    """Some records of a source.

    Attributes:
        first: the number of the first.
        records: how many there are.
        data: holds their text, a line each; empty for a range.
        start, end: where in there it lies; the whole by default.
        seen: what of the source is read with them: bytes, or deals of a range.
        before: a hash of all text before them, if one is kept.
        broken: whether the text is one line that is cut off.
        table: their rows, for a source that is no text.
    """

    first: int
    records: int
    data: Data = b""
    seen: int = 0
    before: hashlib._Hash | None = None
    broken: bool = False
    table: Any = None
    start: int = 0
    end: int = -1

    def __post_init__(self) -> None:
        if self.end < 0:
            self.end = len(self.data)

    @property
    def text(self) -> bytes:
        """Their text alone."""
        return bytes(self.data[self.start : self.end])

    def digest(self, record: int) -> str | None:
        """Give a hash of all text up to the end of a record in here, if one is kept."""
        if self.before is None:
            return None
        whole = record >= self.first + self.records - 1
        end = self.end if whole else cut_lines(self.data, self.start, record - self.first + 1)[0]
        upto = self.before.copy()
        upto.update(memoryview(self.data)[self.start : end])
        return upto.hexdigest()


class Source(ABC):
    """Where deals come from."""

    name: str
    path: str | None = None
    """The file that it reads, if it is one."""
    waits: bool = False
    """Whether reading may have to wait for whoever writes."""
    size: int | None = None
    """What is there to read, in the units of `Piece.seen`; None if that is not known."""

    @abstractmethod
    def identity(self, threads: int) -> dict[str, object]:
        """Say what would change if the source did, as far as can be known beforehand.

        It may take time, and ``threads``.
        """

    @abstractmethod
    def pieces(self, size: Callable[[], int], *, hashed: bool = False) -> Iterator[Piece]:
        """Cut the source into pieces of ``size()`` records or fewer; ``hashed`` keeps hashes."""

    def readable(self) -> bool:
        """Say whether the next piece is there without waiting."""
        return True

    @abstractmethod
    def block(self, piece: Piece, run: Run) -> Block:
        """Read the deals of a piece."""


class Numbers(Source):
    """PySolFC's or Microsoft's deals with the numbers from ``first`` to ``last``."""

    def __init__(self, kind: Literal["pysol", "ms"], first: int, last: int) -> None:
        self.name = kind
        self.first = first
        self.deals = self.size = last - first + 1
        self._deal = {"pysol": pysol_deal, "ms": ms_deal}[kind]
        self._deal(first)
        self._deal(last)

    @classmethod
    def of(cls, kind: Literal["pysol", "ms"], text: str) -> Numbers:
        """Read a range such as ``1-32000``, or one number. Raises NumberError."""
        found = re.fullmatch(r"([0-9]{1,40})(?:-([0-9]{1,40}))?", text.strip())
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if last < first:
            raise NumberError(f"{show(text)} is no range of numbers such as 1-32000")
        return cls(kind, first, last)

    def identity(self, threads: int) -> dict[str, object]:
        """Name the range."""
        return {"name": self.name, "first": self.first, "deals": self.deals}

    def pieces(self, size: Callable[[], int], *, hashed: bool = False) -> Iterator[Piece]:
        """Cut the range; there is no text to hash."""
        return _numbered_pieces(self.deals, size)

    def block(self, piece: Piece, run: Run) -> Block:
        """Make the deals of a piece."""
        block = Block(run, self.name, run.deals(piece.records, piece.records * MAX_CARDS))
        for record in range(piece.first, piece.first + piece.records):
            deal = self._deal(self.first, record - 1)
            block.add(deal, deal.name or "", record)
        return block


class Seed(Source):
    """Decade's own deals of a seed, from index ``first`` on."""

    def __init__(self, seed: int, deals: int, first: int = 0) -> None:
        self.name = "seed"
        self.seed, self.first = seed, first
        self.deals = self.size = deals
        if type(deals) is not int or deals < 1:
            raise NumberError(f"{show(deals)} is no number of deals: 1 or more")
        for index in (first, first + deals - 1):
            seeded_cards(seed, index, 1)

    def identity(self, threads: int) -> dict[str, object]:
        """Name the seed and the range."""
        return {"name": self.name, "seed": self.seed, "first": self.first, "deals": self.deals}

    def pieces(self, size: Callable[[], int], *, hashed: bool = False) -> Iterator[Piece]:
        """Cut the range; there is no text to hash."""
        return _numbered_pieces(self.deals, size)

    def block(self, piece: Piece, run: Run) -> Block:
        """Make the deals of a piece."""
        import numpy as np  # noqa: PLC0415 (slow)

        block = Block(run, self.name, run.deals(piece.records, piece.records * MAX_CARDS))
        codes = np.array([card.rank | "CDHS".index(card.suit or "") + 1 << 4 for card in PACK])
        start = self.first + piece.first - 1
        cards = seeded_cards(self.seed, start, piece.records, codes.astype(np.uint8))
        for row in range(piece.records):
            name = b"seed:%d:%d" % (self.seed, start + row)
            block.deals.add(cards[row], name, piece.first + row)
        return block


def _numbered_pieces(deals: int, size: Callable[[], int]) -> Iterator[Piece]:
    first = 1
    while first <= deals:
        records = min(size(), deals - first + 1)
        yield Piece(first, records, seen=first + records - 1)
        first += records
