"""Deals in Parquet files: a column ``deal``, and perhaps ``name`` and ``packs``, a row a deal.

A folder of such files is the deals of all of them, in the order of the files' names. Nothing in it
is passed over in silence but what begins with a dot or an underscore, as other programs mark what
is no data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from decade.cards import MAX_CARDS, DealError
from decade.files import PARQUET, InputError, Reading, add_deal, checksum
from decade.rows import LONGEST_NAME, Block, Run, clean
from decade.sources import Piece, Source

SUFFIXES = (".parquet", ".pq")
_BATCH = 8192


def is_parquet(path: str) -> bool:
    """Say whether this is a Parquet file, by suffix or content, or a folder."""
    if Path(path).suffix.lower() in SUFFIXES or Path(path).is_dir():
        return True
    if not Path(path).is_file():
        return False
    with Reading(path), Path(path).open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def files_in(folder: str | os.PathLike[str]) -> list[Path]:
    """List the Parquet files in a folder.

    Raises:
        InputError: if there is none, or something else.
    """
    name = os.fspath(folder)
    with Reading(name):
        files = sorted(path for path in Path(folder).iterdir() if path.name[0] not in "._")
    for path in files:
        if path.suffix.lower() not in SUFFIXES or not path.is_file():
            raise InputError(f"{name}: {path.name} is no Parquet file")
    if not files:
        raise InputError(f"{name}: there is no Parquet file in this folder")
    return files


def parquet_sources(path: str) -> list[Source]:
    """Give the sources of a Parquet file, or of a folder of them."""
    files = files_in(path) if Path(path).is_dir() else [Path(path)]
    return [ParquetDeals(os.fspath(file)) for file in files]


class ParquetDeals(Source):
    """A Parquet file of deals; ``name`` is what rows call it, by default its path."""

    path: str

    def __init__(self, path: str, name: str | None = None) -> None:
        self.path = path
        self.name = clean(os.fsdecode(name or path))
        with Reading(self.name), self._open() as file:
            self.size = os.stat(path).st_size
            self._rows = file.metadata.num_rows
            schema = file.schema_arrow
        self._columns = [column for column in _KINDS if column in schema.names]
        if "deal" not in self._columns:
            raise InputError(f"{self.name}: there is no column 'deal'")
        for column in self._columns:
            kinds, kind = _KINDS[column], str(schema.field(column).type)
            if not any(word in kind for word in kinds):
                wanted = " or ".join(kinds)
                raise InputError(f"{self.name}: the column '{column}' is {kind}, not {wanted}")

    def _open(self) -> Any:
        try:
            from pyarrow import parquet  # noqa: PLC0415 (optional)
        except ImportError as error:
            extra = "pip install 'decade-solver[parquet]'"
            raise InputError(f"{self.name}: Parquet needs pyarrow: {extra}") from error
        return parquet.ParquetFile(self.path)

    def identity(self, threads: int) -> dict[str, object]:
        """Name the file and hash it."""
        with Reading(self.name):
            return {"name": self.name, "crc32": checksum(self.path, threads)}

    def pieces(self, size: Callable[[], int], *, hashed: bool = False) -> Iterator[Piece]:
        """Cut the rows; the file stays where it is, so that there is nothing to hash on the way."""
        with Reading(self.name), self._open() as file:
            done = 0
            for batch in file.iter_batches(_BATCH, columns=self._columns, use_threads=False):
                at = 0
                while at < len(batch):
                    rows = batch.slice(at, min(size(), len(batch) - at))
                    at += len(rows)
                    seen = (self.size or 0) * (done + at) // self._rows
                    yield Piece(done + at - len(rows) + 1, len(rows), seen=seen, table=rows)
                done += len(batch)

    def block(self, piece: Piece, run: Run) -> Block:
        """Read the deals of a piece."""
        block = Block(run, self.name, run.deals(piece.records, piece.records * _ROOM))
        columns = {column: piece.table[column].to_pylist() for column in self._columns}
        nothing = [None] * piece.records
        rows = zip(*(columns.get(column, nothing) for column in _KINDS), strict=True)
        for record, (cards, name, packs) in enumerate(rows, piece.first):
            try:
                if cards is None:
                    raise DealError("there is no deal in this row")
                add_deal(block, cards, name, packs, record)
            except DealError as error:
                block.add_problem(cards or "", str(error), record)
        return block


_KINDS = {"deal": ("string",), "name": ("string", "int"), "packs": ("int",)}
"""The columns that are read, and what the names of their types have in them."""
_ROOM = MAX_CARDS + LONGEST_NAME
