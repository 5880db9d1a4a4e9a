"""Where rows go: CSV, JSON Lines, SQLite and Parquet, chosen by the suffix of the output.

One class makes one format; those that are not text are in `decade.tables`. An exporter turns
blocks of rows into whatever it appends (``encode``, which any thread may call), appends that in
order, and says what of it is safe (``save``), so that a later one can cut off the rest and go on
(``reopen``). To add a format, add a class and name it in `exporter_for`; docs/results.md
describes the columns.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

from decade.journal import OutputError
from decade.rows import Block, Row, Run, play_text
from decade.solver import VERDICTS, Result
from decade_ext.text import format_rows

T = TypeVar("T")
VERDICT_WORDS = tuple(verdict.value.encode() for verdict in VERDICTS)
_ROWS_AT_A_TIME = 1000
_SOON = 16 * 2**20
"""Bytes that any disk takes in a moment."""
FORMULA = "=+-@'＝＋－＠"  # the wide signs are formulas too, to spreadsheets set to Japanese


class Exporter(ABC, Generic[T]):
    """Writes rows to ``path``; for one thread, except for ``encode``.

    Raises:
        OSError: from every method that writes, if that fails.
    """

    suffixes: ClassVar[tuple[str, ...]]
    folder: ClassVar[bool] = False
    """Whether the path is a folder until the output is whole."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path
        self.run = run

    @abstractmethod
    def create(self) -> None:
        """Begin an output without rows, in place of what is there."""

    @abstractmethod
    def reopen(self, state: int) -> None:
        """Go on behind what was safe when `save` gave this state; OutputError if it is gone."""

    def encode(self, block: Block) -> T:
        """Turn a block of rows into what `append` takes."""
        return self.encode_rows(list(block.rows()))

    @abstractmethod
    def encode_rows(self, rows: Sequence[Row]) -> T:
        """Turn rows into what `append` takes."""

    @abstractmethod
    def append(self, encoded: T) -> None:
        """Write rows behind those that are there."""

    @abstractmethod
    def save(self) -> int:
        """Give all rows so far to the system, so that they outlive this process."""

    def settle(self) -> bool:
        """Wait until the disk has what was saved, if that is soon; say whether it has."""
        return True

    def sync(self) -> None:
        """Wait until the disk has what was saved."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is open; rows that are not saved may be lost."""

    def finish(self, output: Path) -> None:
        """Give the whole output its name; all rows must be saved."""
        self.close()
        self.path.replace(output)

    @abstractmethod
    def origin(self, output: Path) -> tuple[str, str] | None:
        """Read what a finished output says of its rules and of what made it; None if nothing."""


class TextExporter(Exporter["bytes | memoryview"]):
    """Rows as lines of text: the formats differ in how a row is spelt."""

    null: ClassVar[bytes]
    stream: BinaryIO
    settled = 0
    """Bytes that the disk was asked to take."""

    def head(self) -> bytes:
        """Give what stands before the rows."""
        return b""

    @abstractmethod
    def pieces(self, source: str) -> tuple[bytes, ...]:
        """Spell the row of a readable deal with a plain name: what stands round its six cells."""

    @abstractmethod
    def line(self, row: Row) -> str:
        """Spell any row."""

    def moves_cell(self, text: str) -> str:
        """Spell the moves, given as JSON."""
        return text

    def create(self, stream: BinaryIO | None = None) -> None:
        """Begin an output, on a stream if one is given, which is not closed."""
        self.stream = stream or self.path.open("wb")
        self.stream.write(self.head())

    def reopen(self, state: int) -> None:
        """Cut the file to the length it had."""
        self.stream = self.path.open("r+b")
        if self.stream.seek(0, os.SEEK_END) < state:
            raise OutputError(f"{self.path} is shorter than it was: --force begins afresh")
        self.stream.truncate(state)
        self.settled = self.stream.seek(state)

    def encode(self, block: Block) -> bytes | memoryview:
        """Spell a block's rows, all plain ones in compiled code."""
        import numpy as np  # noqa: PLC0415 (slow)

        plays = [self.moves_cell(play_text(play)).encode() for play in block.plays]
        ends = np.zeros(len(block) + 1, np.int64)
        if plays:
            np.cumsum(np.fromiter(map(len, plays), np.int64, len(plays)), out=ends[1:])
        return format_rows(
            block.deals,
            self.pieces(block.source),
            VERDICT_WORDS,
            self.null,
            block.verdict,
            block.remaining,
            block.nodes,
            b"".join(plays),
            ends,
            [(row, self.line(block.row(row)).encode()) for row in block.odd()],
        )

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """Spell rows one by one."""
        return "".join(map(self.line, rows)).encode()

    def append(self, encoded: bytes | memoryview) -> None:
        """Write lines."""
        self.stream.write(encoded)

    def save(self) -> int:
        """Flush; the state is the length of the file."""
        self.stream.flush()
        return self.stream.tell()

    def settle(self) -> bool:
        """Wait for the disk, unless there is much."""
        fresh, self.settled = self.stream.tell() - self.settled, self.stream.tell()
        if fresh > _SOON:
            return False
        self.sync()
        return True

    def sync(self) -> None:
        """Wait for the disk."""
        os.fsync(self.stream.fileno())

    def close(self) -> None:
        """Close the file."""
        self.stream.close()


class CsvExporter(TextExporter):
    """RFC 4180 with a heading, in UTF-8, lines ended by a line feed; nothing is an empty cell.

    A cell that a spreadsheet would take for a formula gets an apostrophe in front, and so does one
    that begins with an apostrophe: taking one off gives what was meant.
    """

    suffixes = (".csv",)
    null = b""

    def head(self) -> bytes:
        """Name the columns."""
        return (",".join(self.run.columns) + "\n").encode()

    def pieces(self, source: str) -> tuple[bytes, ...]:
        """Spell the cells that are the same in all rows."""
        moves = b"," if self.run.moves else b""
        rules, made_by = _quoted(self.run.rules_text), _quoted(self.run.made_by)
        return (
            f"{_cell(source)},".encode(),
            b",",
            f",{rules},".encode(),
            b",",
            b",",
            moves,
            f",,{made_by}\n".encode(),
        )

    def origin(self, output: Path) -> tuple[str, str] | None:
        """Read the first row."""
        with output.open(encoding="utf-8", newline="") as file:
            row = next(csv.DictReader(file), {})
        return (row["rules"], row["made_by"]) if {"rules", "made_by"} <= row.keys() else None

    def moves_cell(self, text: str) -> str:
        """Quote the JSON."""
        return _quoted(text)

    def line(self, row: Row) -> str:
        """Spell any row."""
        cells = [_cell(row.source), _cell(row.name), _cell(row.deal), _quoted(row.rules_text)]
        cells += [row.verdict or "", _number(row.remaining), _number(row.nodes)]
        if row.moves is not None:
            cells.append(_quoted(row.moves_text or ""))
        cells += [_cell(row.error or ""), _quoted(row.made_by)]
        return ",".join(cells) + "\n"


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def _quoted(text: str) -> str:
    """Quote a CSV cell if need be."""
    if text.isalnum() or (not any(c in '",\r\n' for c in text) and text.strip() == text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _cell(text: str) -> str:
    """Spell a cell whose text is not ours."""
    return _quoted("'" + text if text.lstrip()[:1] in tuple(FORMULA) else text)


class JsonLinesExporter(TextExporter):
    """A JSON object a line, in ASCII, as `decade solve --json` prints results."""

    suffixes = (".jsonl", ".ndjson")
    null = b"null"

    def pieces(self, source: str) -> tuple[bytes, ...]:
        """Spell what is the same in all rows."""
        moves = b', "moves": ' if self.run.moves else b""
        rules, made_by = self.run.rules.as_field(), self.run.made_by
        return (
            f'{{"source": {json.dumps(source)}, "name": "'.encode(),
            b'", "deal": "',
            f'", "rules": {json.dumps(rules)}, "verdict": "'.encode(),
            b'", "remaining": ',
            b', "nodes": ',
            moves,
            f', "error": null, "made_by": {json.dumps(made_by)}}}\n'.encode(),
        )

    def origin(self, output: Path) -> tuple[str, str] | None:
        """Read the first row."""
        with output.open(encoding="utf-8") as file:
            row = json.loads(file.readline() or "{}")
        rules = row.get("rules")
        return (
            (rules if isinstance(rules, str) else json.dumps(rules), row["made_by"])
            if "made_by" in row
            else None
        )

    def line(self, row: Row) -> str:
        """Spell any row."""
        return json.dumps(row.to_dict()) + "\n"


def exporter_for(path: Path) -> type[Exporter[Any]]:
    """Choose the format by the suffix. Raises OutputError."""
    from decade.tables import ParquetExporter, SqliteExporter  # noqa: PLC0415 (slow)

    formats: tuple[type[Exporter[Any]], ...] = (
        CsvExporter,
        JsonLinesExporter,
        SqliteExporter,
        ParquetExporter,
    )
    for exporter in formats:
        if path.suffix.lower() in exporter.suffixes:
            return exporter
    known = ", ".join(suffix for exporter in formats for suffix in exporter.suffixes)
    raise OutputError(f"{path}: the suffix says the format, and must be one of {known}")


def write_rows(
    rows: Iterable[Row | Result],
    path: str | os.PathLike[str],
    *,
    run: Run | None = None,
    force: bool = False,
) -> int:
    """Write results to a file, in the format that its suffix says.

    Args:
        rows: rows, or results of :func:`decade.solve`.
        path: the file.
        run: what made them; it goes into the metadata, and says whether there are moves.
        force: whether a file that is there may be replaced.

    Returns:
        how many there are.

    Raises:
        OutputError: if the file is there, or its suffix says no format.
        OSError: if it cannot be written.
    """
    output = Path(path)
    if output.exists() and not force:
        raise OutputError(f"{output} is there already")
    run = run or Run()
    kind = exporter_for(output)
    exporter = kind(output.with_name(output.name + ".part"), run)
    if kind.folder:
        exporter.path.mkdir(exist_ok=True)
    exporter.create()
    left, count = iter(rows), 0
    try:
        while some := list(islice(left, _ROWS_AT_A_TIME)):
            made = [Row.of(row, run=run) if isinstance(row, Result) else row for row in some]
            exporter.append(exporter.encode_rows(made))
            count += len(made)
        exporter.save()
        exporter.sync()
    finally:
        exporter.close()
    exporter.finish(output)
    if kind.folder:
        shutil.rmtree(exporter.path)
    return count
