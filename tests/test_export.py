"""What is written, read back by the programs that people read it with."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import decade
from decade.export import CsvExporter, JsonLinesExporter, exporter_for
from decade.files import DealFile
from decade.journal import OutputError
from decade.pipeline import Pipeline, Worker
from decade.rows import COLUMNS, Block, Row, Run
from decade.rules import Rules
from decade.solver import Result
from decade.sources import Piece

SUFFIXES = (".csv", ".jsonl", ".sqlite", ".parquet")
LINES = """\
KC KH 4D 6S
name with blanks: TS 5C 2S KD 7C QS 3C QH KC
4H 8C 4H
=1+1: 4H 6S
'quoted: 4H 6S
a "b", c: 4H 6S
é♥: 4♥ 6♠ 10
=cmd|x: 4X
-1 4H
AC AD AH AS 2C
"""


def read(path: Path) -> list[dict[str, Any]]:
    """Read rows back, each cell as its format has it."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    if path.suffix == ".sqlite":
        db = sqlite3.connect(path)
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute("SELECT * FROM results ORDER BY id")]
        db.close()
        return rows
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(path).to_pylist()
    return list(rows)


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """Bring a row of any format to what JSON says."""
    row = {key: value for key, value in row.items() if key != "id"}
    for column in ("source", "name", "deal", "error"):
        if isinstance(row[column], str) and row[column].startswith("'") and row["_csv"]:
            row[column] = row[column][1:]
    for column in ("remaining", "nodes"):
        row[column] = int(row[column]) if row[column] not in ("", None) else None
    for column in ("verdict", "moves", "error"):
        row[column] = row.get(column) or None
    if isinstance(row["moves"], str):
        row["moves"] = json.loads(row["moves"])
    del row["_csv"]
    return row


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    path = tmp_path / "deals.txt"
    path.write_text(LINES, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("moves", [True, False])
def test_all_formats_say_the_same(deals: Path, tmp_path: Path, suffix: str, moves: bool) -> None:
    output = tmp_path / f"out{suffix}"
    outcome = decade.solve_to_file(deals, output, moves=moves)
    rows = [plain(row | {"_csv": suffix == ".csv"}) for row in read(output)]
    wanted = []
    for row in decade.solve_file(deals, moves=moves):
        data = row.to_dict()
        data["moves"] = data.get("moves") or None
        wanted.append(data)
    assert [{**row, "moves": row["moves"] or None} for row in rows] == wanted
    assert outcome.tally.rows == len(rows) == 10
    assert outcome.tally.errors == 3
    assert not list(tmp_path.glob("*.part"))
    assert not list(tmp_path.glob("*.progress"))


@pytest.mark.parametrize("kind", [CsvExporter, JsonLinesExporter])
@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("rules", ["decade", "nine-columns", Rules(totals=(9,))])
def test_compiled_rows_are_those_spelt_one_by_one(
    deals: Path,
    tmp_path: Path,
    kind: type[CsvExporter | JsonLinesExporter],
    moves: bool,
    rules: Rules | str,
) -> None:
    run = Run(Rules.of(rules), node_limit=2, moves=moves)
    exporter = kind(tmp_path / "x", run)
    block = solved(deals, run)
    assert bytes(exporter.encode(block)).decode() == "".join(map(exporter.line, block.rows()))


def solved(path: Path, run: Run) -> Block:
    source, data = DealFile(str(path)), path.read_bytes()
    assert list(source.pieces(lambda: 100))
    pipeline = Pipeline([source], run, workers=1, strict=False, chunk=None)
    return Worker(pipeline).work(0, Piece(1, data.count(b"\n"), data)).block


def test_json_lines_are_results_that_can_be_replayed(deals: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    decade.solve_to_file(deals, output)
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    for row in rows:
        if row["error"] is None:
            result = Result.from_dict(row)
            assert decade.verify(result.deal, result.rules, result.moves) == result.remaining


def test_csv_cells_are_no_formulas(deals: Path, tmp_path: Path) -> None:
    output = tmp_path / "=out.csv"
    odd = tmp_path / "odd.txt"
    odd.write_text("=1+1: 4H 6S\n＝A1: 4H 6S\n@x 4H\n\t=1: 4H\n+a,b: 4H 6S\n", encoding="utf-8")
    decade.solve_to_file([deals, odd], output)
    with output.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                assert cell.strip()[:1] not in tuple("=+-@＝＋－＠\t") or cell == "", row
    raw = output.read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in raw


def test_sqlite_has_a_key_the_run_and_rates(deals: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.db"
    decade.solve_to_file(deals, output, "fives", node_limit=1)
    db = sqlite3.connect(output)
    (rates,) = db.execute("SELECT rules, deals, winnable + unwinnable + unknown, errors FROM rates")
    assert rates == ("fives", 7, 7, 3)
    low, high = db.execute("SELECT winnable_at_least, winnable_at_most FROM rates").fetchone()
    assert 0 < low < high <= 1
    run = dict(db.execute("SELECT key, value FROM run"))
    assert run["version"] == decade.__version__
    assert Rules.from_json(run["rules"]).name == "fives"
    assert (run["node_limit"], run["memory_limit"]) == ("1", str(2**30))
    assert [row[0] for row in db.execute("SELECT id FROM results ORDER BY id")] == [*range(1, 11)]
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO results SELECT * FROM results LIMIT 1")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_parquet_has_types_and_metadata(deals: Path, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "out.parquet"
    decade.solve_to_file(deals, output, "loop", node_limit=5)
    schema = parquet.read_schema(output)
    assert schema.names == list(COLUMNS)
    assert (schema.field("remaining").type, schema.field("nodes").type) == (pa.int16(), pa.int64())
    assert pa.types.is_list(schema.field("moves").type)
    about = json.loads(schema.metadata[b"decade"])
    assert about["version"] == decade.__version__
    assert about["node_limit"] == 5
    assert Rules.from_dict(about["rules"]).name == "loop"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_row_says_what_made_it(deals: Path, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"out{suffix}"
    decade.solve_to_file(deals, output, {"totals": [9]}, node_limit=7, memory_limit=2**21)
    for row in read(output):
        version = decade.__version__
        assert row["made_by"] == f"decade {version}; node limit 7; memory limit 2 MiB"
        rules = row["rules"] if isinstance(row["rules"], dict) else json.loads(row["rules"])
        assert Rules.from_dict(rules) == Rules(totals=(9,))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_exporters_on_their_own(tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"own{suffix}"
    results = [decade.solve("4H 6S 9D", name="a"), decade.solve("KC KH 4D 6S", "loop", name="b")]
    assert decade.write_rows(results, output) == 2
    rows = read(output)
    assert [(row["name"], row["rules"], row["verdict"]) for row in rows] == [
        ("a", "decade", "unwinnable"),
        ("b", "loop", "winnable"),
    ]
    with pytest.raises(OutputError, match="there already"):
        decade.write_rows(results, output)
    rows_again = [Row.of(result, source="mine") for result in results]
    assert decade.write_rows(iter(rows_again), output, force=True) == 2
    assert [row["source"] for row in read(output)] == ["mine", "mine"]
    assert [path.name for path in tmp_path.iterdir()] == [output.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_rows_at_all(tmp_path: Path, suffix: str) -> None:
    empty, output = tmp_path / "empty.txt", tmp_path / f"out{suffix}"
    empty.write_text("# nothing\n\n")
    assert decade.solve_to_file(empty, output).tally.rows == 0
    assert read(output) == []


def test_a_suffix_that_says_nothing() -> None:
    with pytest.raises(OutputError, match=r"\.csv, .*\.parquet"):
        exporter_for(Path("out.xls"))


def test_one_liners_of_the_documentation(deals: Path, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    np = pytest.importorskip("numpy")
    for suffix in SUFFIXES:
        decade.solve_to_file(deals, tmp_path / f"out{suffix}")
    out = str(tmp_path / "out")
    assert len(pd.read_csv(f"{out}.csv")) == 10
    assert len(pd.read_json(f"{out}.jsonl", lines=True)) == 10
    assert len(pd.read_parquet(f"{out}.parquet")) == 10
    db = sqlite3.connect(f"{out}.sqlite")
    assert len(pd.read_sql("SELECT * FROM results", db)) == 10
    db.close()
    assert len(pl.read_csv(f"{out}.csv")) == 10
    assert len(pl.read_ndjson(f"{out}.jsonl")) == 10
    assert len(pl.read_parquet(f"{out}.parquet")) == 10
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        counted = duckdb.sql(f"SELECT count(*) FROM '{tmp_path / name}'").fetchall()
        assert counted == [(10,)], name
    found = decade.solve_many(np.array([[4, 6, 9], [10, 10, 5]], np.uint8))
    assert pd.DataFrame(found._asdict())["verdict"].tolist() == [0, 0]
    assert pl.DataFrame(found._asdict())["remaining"].to_list() == [1, 1]
    columns = found._asdict()
    assert duckdb.sql("SELECT sum(remaining) FROM columns").fetchall() == [(2,)]
    assert columns
