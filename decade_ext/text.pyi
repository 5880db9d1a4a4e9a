"""Lines of text into deals, and deals into rows of text, thousands at a time."""

from typing import Final, final

import numpy as np
from numpy.typing import NDArray

LONGEST_LINE: Final[int]
"""Bytes; a line that is longer is not looked at."""

@final
class Deals:
    """Deals in columns, filled row by row; for one thread at a time.

    Row r has the cards ``card_ends[r]`` to ``card_ends[r + 1]`` of ``cards`` (a byte each: rank,
    suit times 16, 0x8a for a plain 10) and of ``values`` (points), the name ``name_ends[r]`` to
    ``name_ends[r + 1]`` of ``names`` (ASCII), and comes from record ``records[r]`` of the input.

    Args:
        points: what a card counts, by the byte that stands for it; 256 bytes.
        any_ten: whether a plain 10 may be any ten-valued card.
        rows: how many rows there is room for.
        text: for how many bytes of text.
        data: the text that ``read`` reads.
    """

    rows: int
    cards: NDArray[np.uint8]
    values: NDArray[np.uint8]
    card_ends: NDArray[np.int64]
    names: NDArray[np.uint8]
    name_ends: NDArray[np.int64]
    records: NDArray[np.int64]

    def __new__(
        cls,
        *,
        points: bytes,
        any_ten: bool,
        rows: int,
        text: int,
        data: bytes | memoryview = b"",
    ) -> Deals: ...
    def read(self, start: int, record: int, stop: int = -1) -> tuple[int, int, int] | None:
        """Read lines as rows from ``start`` on, the first of them with the number ``record``.

        They end at ``stop``, or with the text.

        Blank lines and comments are no rows. A line without a name gets its number.

        Returns:
            None at the end, or the start, end and number of the first line that is not plain,
            which is not read.

        Raises:
            ValueError: if ``start`` or ``stop`` is outside the text, or there are more lines than
                rows.
        """

    def add(self, cards: bytes | NDArray[np.uint8], name: bytes, record: int) -> None:
        """Add a row; without cards for a deal that cannot be read.

        Raises:
            ValueError: if there is no room for it.
        """

    def cut(self, rows: int) -> None:
        """Forget the rows from ``rows`` on."""

    def deal(self, row: int) -> str:
        """Print a row's cards. Raises IndexError."""

    def plain(self, row: int) -> str:
        """Give a row's name. Raises IndexError."""

def plain_name_of(name: bytes) -> bool:
    """Say whether a name can be copied into a row of any format as it is."""

def read_deal(text: bytes, *, any_ten: bool) -> bytes | None:
    """Read the cards of one deal, a byte each; None if it is not plain or not from whole packs."""

def cut_lines(data: bytes | memoryview, start: int, lines: int) -> tuple[int, int]:
    """Find where so many lines end: the place after them, and how many there are up to it.

    A last line without an end is not counted. Raises ValueError if ``start`` is outside the text.
    """

def format_rows(
    deals: Deals,
    pieces: tuple[bytes, ...],
    verdicts: tuple[bytes, ...],
    null: bytes,
    verdict: NDArray[np.uint8],
    remaining: NDArray[np.int16],
    nodes: NDArray[np.int64],
    moves: bytes,
    move_ends: NDArray[np.int64],
    odd: list[tuple[int, bytes]],
) -> memoryview:
    """Write rows: name, deal, verdict, remaining, nodes, moves, with the seven pieces round them.

    Args:
        deals: the rows; names are copied as they are.
        pieces: what stands before, between and behind.
        verdicts: the words for 0, 1 and 2.
        null: what stands for a remainder below 0.
        verdict: an item a row, and so have the next two.
        remaining: what is left, or below 0.
        nodes: positions looked at.
        moves: the text for the moves of all rows, row r from ``move_ends[r]`` to
            ``move_ends[r + 1]``.
        move_ends: one item more than there are rows.
        odd: rows that come ready made, by number, ascending.

    Raises:
        ValueError: if an array is too short, or rows, pieces or verdicts are out of range.
    """
