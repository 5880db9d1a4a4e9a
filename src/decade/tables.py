"""Rows in tables: a SQLite database and a Parquet file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from decade.export import Exporter
from decade.journal import OutputError
from decade.rows import Row, Run
from decade.rules import Rules
from decade.solver import VERDICTS

if TYPE_CHECKING:
    import pyarrow as pa

_GROUP = 16 * 2**20
"""Bytes of rows, in memory, that go into a row group of Parquet."""


class SqliteExporter(Exporter["list[tuple[Any, ...]]"]):
    """A table ``results`` with the key ``id``, a table ``run``, and a view ``rates`` by rules."""

    suffixes = (".sqlite", ".sqlite3", ".db")
    db: sqlite3.Connection
    rows: int

    def create(self) -> None:
        """Make the tables and the view."""
        self.path.open("wb").close()  # it stays the same file, which may be locked
        self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
        self._open()
        moves = "moves TEXT," if self.run.moves else ""
        words = ", ".join(f"'{verdict}'" for verdict in VERDICTS)
        self._do(
            "CREATE TABLE results (id INTEGER PRIMARY KEY, source TEXT NOT NULL,"
            " name TEXT NOT NULL, deal TEXT NOT NULL, rules TEXT NOT NULL,"
            f" verdict TEXT CHECK (verdict IN ({words})), remaining INTEGER, nodes INTEGER,"
            f" {moves} error TEXT, made_by TEXT NOT NULL,"
            " CHECK ((verdict IS NULL) = (error IS NOT NULL)))"
        )
        self._do("CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        self._do(
            "CREATE VIEW rates AS SELECT rules, made_by, count(verdict) AS deals,"
            " sum(verdict IS 'winnable') AS winnable, sum(verdict IS 'unwinnable') AS unwinnable,"
            " sum(verdict IS 'unknown') AS unknown, count(error) AS errors,"
            " 1.0 * sum(verdict IS 'winnable') / nullif(count(verdict), 0) AS winnable_at_least,"
            " 1.0 * sum(verdict IN ('winnable', 'unknown')) / nullif(count(verdict), 0)"
            " AS winnable_at_most FROM results GROUP BY rules, made_by"
        )
        for key, value in self.run.to_dict().items():
            text = value if isinstance(value, str) else json.dumps(value)
            self._do("INSERT INTO run VALUES (?, ?)", (key, text))
        self._do("COMMIT")
        self._do("BEGIN")

    def reopen(self, state: int) -> None:
        """Forget the rows behind those that were safe."""
        self._open()
        found = self._do("SELECT count(*) FROM results WHERE id <= ?", (state,)).fetchone()[0]
        if found != state:
            raise OutputError(f"{self.path} has fewer rows than it had: --force begins afresh")
        self._do("DELETE FROM results WHERE id > ?", (state,))
        self.rows = state

    def _open(self) -> None:
        self.db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        self.rows = 0
        self._do("BEGIN")

    def _do(self, statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        return _as_os_error(lambda: self.db.execute(statement, values))

    def encode_rows(self, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
        """Give a row's cells, all but the key."""
        return [
            (row.source, row.name, row.deal, row.rules_text, row.verdict, row.remaining, row.nodes)
            + ((row.moves_text,) if self.run.moves else ())
            + (row.error, row.made_by)
            for row in rows
        ]

    def append(self, encoded: list[tuple[Any, ...]]) -> None:
        """Insert rows; the key is the row's number from 1."""
        marks = ", ".join("?" * (len(self.run.columns) + 1))
        keyed = ((self.rows + n, *cells) for n, cells in enumerate(encoded, 1))
        _as_os_error(lambda: self.db.executemany(f"INSERT INTO results VALUES ({marks})", keyed))
        self.rows += len(encoded)

    def save(self) -> int:
        """Commit; the state is the number of rows."""
        self._do("COMMIT")
        self._do("BEGIN")
        return self.rows

    def origin(self, output: Path) -> tuple[str, str] | None:
        """Read the first row."""
        db = sqlite3.connect(f"file:{quote(os.fspath(output))}?mode=ro", uri=True)
        try:
            found: tuple[str, str] | None = db.execute(
                "SELECT rules, made_by FROM results WHERE id = 1"
            ).fetchone()
        finally:
            db.close()
        return found

    def close(self) -> None:
        """Close the database."""
        self.db.close()


def _as_os_error(do: Callable[[], sqlite3.Cursor]) -> sqlite3.Cursor:
    """Run a statement; that the disk is full is an OSError, as elsewhere."""
    try:
        return do()
    except sqlite3.Error as error:
        raise OSError(None, str(error)) from error


class ParquetExporter(Exporter["pa.Table"]):
    """Typed columns; the run is in the metadata, under ``decade``, as JSON.

    A Parquet file cannot be gone on with, so there are as many files as there are saves, in a
    folder, and at the end their rows go into one.
    """

    suffixes = (".parquet", ".pq")
    folder = True
    parts: int
    held: list[pa.Table]

    def __init__(self, path: Path, run: Run) -> None:
        super().__init__(path, run)
        try:
            import pyarrow as pa  # noqa: PLC0415 (optional)
            import pyarrow.parquet  # noqa: PLC0415
        except ImportError as error:
            raise OutputError(
                "Parquet needs pyarrow: pip install 'decade-solver[parquet]'"
            ) from error
        move = [("dealt", pa.int32()), ("pile", pa.int8()), ("cards", pa.list_(pa.uint8()))]
        types: dict[str, pa.DataType] = {
            "remaining": pa.int16(),
            "nodes": pa.int64(),
            "moves": pa.list_(pa.struct([*move, ("total", pa.int32())])),
        }
        schema = pa.schema([(name, types.get(name, pa.string())) for name in run.columns])
        self.schema = schema.with_metadata({"decade": json.dumps(run.to_dict())})
        self.parquet = pyarrow.parquet

    def create(self) -> None:
        """Empty the folder."""
        for leftover in self.path.iterdir():
            leftover.unlink()
        self.parts, self.held = 0, []

    def reopen(self, state: int) -> None:
        """Go on with that many parts."""
        if not all(self._part(number).exists() for number in range(state)):
            raise OutputError(f"{self.path} has fewer parts than it had: --force begins afresh")
        self.parts, self.held = state, []

    def _part(self, number: int) -> Path:
        return self.path / f"{number:06}.parquet"

    def encode_rows(self, rows: Sequence[Row]) -> pa.Table:
        """Make a table."""
        import pyarrow as pa  # noqa: PLC0415 (optional)

        columns = {name: [getattr(row, name) for row in rows] for name in self.run.columns}
        columns["rules"] = [row.rules_text for row in rows]
        if self.run.moves:
            columns["moves"] = [
                None if row.error else [move.to_dict() for move in row.moves or ()] for row in rows
            ]
        return pa.table(columns, self.schema)

    def append(self, encoded: pa.Table) -> None:
        """Keep rows until they are enough for a part."""
        self.held.append(encoded)
        if sum(table.nbytes for table in self.held) >= _GROUP:
            self._write_part()

    def _write_part(self) -> None:
        import pyarrow as pa  # noqa: PLC0415 (optional)

        if self.held:
            self._write([pa.concat_tables(self.held)], self._part(self.parts))
            self.parts += 1
            self.held = []

    def _write(self, tables: Iterable[pa.Table], path: Path) -> None:
        with path.open("wb") as file:
            with self.parquet.ParquetWriter(file, self.schema) as writer:
                for table in tables:
                    writer.write_table(table)
            file.flush()
            os.fsync(file.fileno())

    def _groups(self) -> Iterable[pa.Table]:
        """Read the parts again, in groups of a good size."""
        import pyarrow as pa  # noqa: PLC0415 (optional)

        group: list[pa.Table] = []
        for number in range(self.parts):
            group.append(self.parquet.read_table(self._part(number), partitioning=None))
            if sum(table.nbytes for table in group) >= _GROUP:
                yield pa.concat_tables(group)
                group = []
        yield pa.concat_tables(group) if group else self.schema.empty_table()

    def save(self) -> int:
        """Write the rows that are kept; the state is the number of parts."""
        self._write_part()
        return self.parts

    def close(self) -> None:
        """Forget the rows that are kept."""
        self.held = []

    def origin(self, output: Path) -> tuple[str, str] | None:
        """Read the metadata."""
        about = (self.parquet.read_schema(output).metadata or {}).get(b"decade")
        if about is None:
            return None
        made = json.loads(about)
        run = Run(Rules.from_dict(made.pop("rules")), **made)
        return run.rules_text, run.made_by

    def finish(self, output: Path) -> None:
        """Put the parts together; whoever made the folder takes it away."""
        whole = self.path / "whole"
        self._write(self._groups(), whole)
        whole.replace(output)
