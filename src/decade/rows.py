"""What a batch writes: a row for each deal, and blocks of rows that are kept in columns.

The one schema of all output formats is the fields of :class:`Row`. Rows are made one by one only
where they must be; a :class:`Block` holds some thousands as arrays, as they are read and solved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from decade._version import __version__
from decade.cards import STANDARD_FACE_VALUES, Card, Deal
from decade.play import Move
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT, VERDICTS, Result
from decade_ext.text import Deals, plain_name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = (
    "source",
    "name",
    "deal",
    "rules",
    "verdict",
    "remaining",
    "nodes",
    "moves",
    "error",
    "made_by",
)
NOT_SOLVED = 255
"""Stands in a block for the verdict of a deal that is not solved (yet)."""
LONGEST_NAME = 100
"""Characters of a name that is kept in a block's columns."""
LONGEST_TEXT = 1000
"""Characters of a line that cannot be read that its row shows."""
MIB = 2**20

Play = list[tuple[int, int, tuple[int, ...], int]]
"""Moves as (cards dealt, pile, cards, total)."""


@dataclass(frozen=True)
class Run:
    """What makes rows what they are: the rules, the limits of the search and the version.

    Attributes:
        rules: the rule set.
        node_limit: positions to look at, a deal; None for no limit.
        memory_limit: bytes that a search may hold.
        moves: whether rows have the play.
    """

    rules: Rules = field(default_factory=Rules)
    node_limit: int | None = None
    memory_limit: int = MEMORY_LIMIT
    moves: bool = True
    version: str = __version__

    def to_dict(self) -> dict[str, object]:
        """Give the run as JSON has it."""
        return {
            "version": self.version,
            "rules": self.rules.to_dict(),
            "node_limit": self.node_limit,
            "memory_limit": self.memory_limit,
            "moves": self.moves,
        }

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of its rows."""
        return tuple(column for column in COLUMNS if self.moves or column != "moves")

    @cached_property
    def made_by(self) -> str:
        """The version and the limits, as rows say them.

        >>> Run(node_limit=1000).made_by.partition("; ")[2]
        'node limit 1000; memory limit 1024 MiB'
        """
        nodes = "none" if self.node_limit is None else self.node_limit
        whole, rest = divmod(self.memory_limit, MIB)
        memory = f"{self.memory_limit} bytes" if rest else f"{whole} MiB"
        return f"decade {self.version}; node limit {nodes}; memory limit {memory}"

    @cached_property
    def rules_text(self) -> str:
        """The rules as rows say them: a preset's name, or all fields as JSON."""
        return self.rules.name or self.rules.to_json()

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """What a card counts, by the byte that stands for it in `Deals`."""
        ranks = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, *self.rules.face_values, 0, 0)
        return ranks * 16

    @cached_property
    def points(self) -> bytes:
        """What a card counts, at most 255, by the byte that stands for it."""
        return bytes(min(count, 255) for count in self.counts)

    @cached_property
    def fits_bytes(self) -> bool:
        """Whether `points` says all that matters: a card over all totals is in no set."""
        return max(self.counts) < 256 or self.rules.totals[-1] < 255

    def deals(self, rows: int, text: int, data: bytes | memoryview = b"") -> Deals:
        """Make room for so many deals from so many bytes of text, which `Deals.read` may read."""
        return Deals(points=self.points, any_ten=self.any_ten, rows=rows, text=text, data=data)

    @cached_property
    def any_ten(self) -> bool:
        """Whether a plain 10 may be any ten-valued card."""
        return self.rules.face_values == STANDARD_FACE_VALUES


@dataclass(frozen=True, slots=True)
class Row:
    """One deal and what came of it.

    Attributes:
        source: where the deal comes from: a file as it was named, ``stdin``, or the kind of number.
        name: its name, else the number of its line.
        deal: the cards; the text as it was given if that cannot be read.
        rules: a preset's name, or all fields.
        verdict: winnable, unwinnable, unknown; None if the deal cannot be read.
        remaining: what the play leaves; None where that has no meaning.
        nodes: positions looked at.
        moves: the play; None if it was not asked for.
        error: what is wrong with the deal, or None.
        made_by: the version and limits that made the row.
        packs: how many packs the deal is from, if that was given; only JSON has it.
    """

    source: str
    name: str
    deal: str
    rules: str | dict[str, object]
    verdict: str | None
    remaining: int | None
    nodes: int | None
    moves: tuple[Move, ...] | None
    error: str | None
    made_by: str
    packs: int | None = None

    @classmethod
    def of(cls, result: Result, *, source: str = "", run: Run | None = None) -> Row:
        """Make the row of a result of :func:`decade.solve`.

        >>> import decade
        >>> Row.of(decade.solve("4H 6S 9D", name="three")).remaining
        1
        """
        return cls(
            source=source,
            name=result.name or "",
            deal=str(result.deal),
            rules=result.rules.as_field(),
            verdict=result.verdict.value,
            remaining=result.remaining,
            nodes=result.nodes,
            moves=result.moves,
            error=None,
            made_by=(run or Run()).made_by,
            packs=result.deal.packs,
        )

    @property
    def rules_text(self) -> str:
        """The rules as one text."""
        return self.rules if isinstance(self.rules, str) else json.dumps(self.rules)

    @property
    def moves_text(self) -> str | None:
        """The moves as JSON; None for a deal that cannot be read, or if there are none to show."""
        if self.moves is None or self.error is not None:
            return None
        return play_text([(m.dealt, m.pile, m.cards, m.total) for m in self.moves])

    def to_dict(self) -> dict[str, Any]:
        """Give the row as a JSON object."""
        data = {column: getattr(self, column) for column in COLUMNS}
        if self.packs is not None:
            data["packs"] = self.packs
        if self.moves is None:
            del data["moves"]
        else:
            data["moves"] = None if self.error else [move.to_dict() for move in self.moves]
        return data


def play_text(play: Play) -> str:
    """Write moves as JSON, as ``json.dumps`` does."""
    moves = (
        f'{{"dealt": {dealt}, "pile": {pile}, "cards": {list(cards)}, "total": {total}}}'
        for dealt, pile, cards, total in play
    )
    return f"[{', '.join(moves)}]"


def byte_of(card: Card) -> int:
    """Give the byte that stands for a card in `Deals`."""
    if card.any_ten:
        return 0x8A
    return card.rank | ("CDHS".index(card.suit) + 1 << 4 if card.suit else 0)


class Block:
    """Some rows of one source, in input order.

    Attributes:
        run: what makes them.
        source: where they come from.
        deals: the deals; those that cannot be read have no cards.
        verdict, remaining, nodes: the answers, an item a row.
        plays: the moves of each row, if the run has them.
        names: by row, names that are not plain.
        packs: by row, how many packs a deal is from, where that was given.
        problems: by row, the text of a deal that cannot be read and what is wrong with it.
    """

    def __init__(self, run: Run, source: str, deals: Deals) -> None:
        self.run = run
        self.source = source
        self.deals = deals
        self.names: dict[int, str] = {}
        self.problems: dict[int, tuple[str, str]] = {}
        self.packs: dict[int, int] = {}
        self.plays: list[Play] = []

    def answers(self) -> None:
        """Make room for the answers."""
        import numpy as np  # noqa: PLC0415 (slow)

        rows = self.deals.rows
        self.verdict: NDArray[np.uint8] = np.full(rows, NOT_SOLVED, np.uint8)
        self.remaining: NDArray[np.int16] = np.full(rows, -1, np.int16)
        self.nodes: NDArray[np.int64] = np.zeros(rows, np.int64)

    def __len__(self) -> int:
        return self.deals.rows

    def add(self, deal: Deal, name: str, record: int) -> None:
        """Add a deal that is read."""
        if deal.packs is not None:
            self.packs[len(self)] = deal.packs
        self._add(bytes(map(byte_of, deal.cards)), name, record)

    def add_bytes(self, cards: bytes, name: str, record: int) -> None:
        """Add a deal whose cards are bytes already."""
        self._add(cards, name, record)

    def add_problem(self, text: str, error: str, record: int) -> None:
        """Add a deal that cannot be read."""
        if len(text) > LONGEST_TEXT:
            text = text[: LONGEST_TEXT - 3] + "..."
        self.problems[len(self)] = clean(text), clean(error)
        self._add(b"", str(record), record)

    def _add(self, cards: bytes, name: str, record: int) -> None:
        plain = name.encode("ascii") if name.isascii() else b""
        if not plain_name_of(plain) or len(plain) > LONGEST_NAME:
            self.names[len(self)] = clean(name)
            plain = b""
        self.deals.add(cards, plain, record)

    def cut(self, rows: int) -> None:
        """Forget the rows from ``rows`` on, and their answers."""
        self.deals.cut(rows)
        self.verdict, self.remaining = self.verdict[:rows], self.remaining[:rows]
        self.nodes, self.plays = self.nodes[:rows], self.plays[:rows]

    def name(self, row: int) -> str:
        """Give a row's name."""
        return self.names.get(row) or self.deals.plain(row)

    def odd(self) -> list[int]:
        """List the rows that cannot be copied from the columns as they are."""
        return sorted(row for row in {*self.names, *self.problems, *self.packs} if row < len(self))

    def errors(self) -> list[int]:
        """List the rows whose deals cannot be read."""
        return sorted(row for row in self.problems if row < len(self))

    def row(self, row: int) -> Row:
        """Make one row."""
        run = self.run
        text, error = self.problems.get(row, ("", None))
        remaining, verdict = int(self.remaining[row]), int(self.verdict[row])
        return Row(
            source=self.source,
            name=self.name(row),
            deal=text if error else self.deals.deal(row),
            rules=run.rules.as_field(),
            verdict=None if error else VERDICTS[verdict].value,
            remaining=None if error or remaining < 0 else remaining,
            nodes=None if error else int(self.nodes[row]),
            moves=tuple(Move(*move) for move in self.plays[row]) if run.moves else None,
            error=error,
            made_by=run.made_by,
            packs=self.packs.get(row),
        )

    def rows(self) -> Iterator[Row]:
        """Make all rows."""
        return map(self.row, range(len(self)))


def clean(text: str) -> str:
    r"""Write what cannot be printed (control characters, halves of pairs) as backslash escapes.

    >>> print(clean("a" + chr(27) + chr(0xD800) + "é"))
    a\x1b\ud800é
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
