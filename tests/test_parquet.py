"""Deals in Parquet files and folders of them: the same rows as from JSON Lines."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from test_batch import csv_rows
from test_cli import run

import decade
from decade.parquet import ParquetDeals

ODD = (None, "", "4H XX", "4H 4H", "K♥ 10 1", "♣", "4H\n6S", "# no", "=4H")
NAMES = (None, "", "plain", "two words", "ta\tb", "=1", "é", "x" * 200)


def some_deals(deals: int, seed: int) -> list[dict[str, Any]]:
    """Make objects of whole packs, and of all that may be wrong with a deal or odd in a name."""
    generator = random.Random(seed)
    made = []
    for index in range(deals):
        cards: str | None = str(decade.sources.seeded_deal(seed, index))
        if generator.random() < 0.1:
            cards = generator.choice(ODD)
        made.append({"deal": cards, "name": generator.choice(NAMES)})
    return made


def write(path: Path, deals: list[dict[str, Any]]) -> Path:
    parquet.write_table(pa.Table.from_pylist(deals), path, row_group_size=30)
    return path


def plain(rows: Any) -> list[decade.Row]:
    return [replace(row, source="") for row in rows]


def test_the_same_rows_as_from_json_lines(tmp_path: Path, seed: int) -> None:
    deals = some_deals(200, seed)
    path = write(tmp_path / "a.parquet", deals)
    rows = list(decade.solve_file(path))
    assert [row.source for row in rows] == [str(path)] * 200
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(deal) + "\n" for deal in deals))
    texts = list(decade.solve_file(tmp_path / "a.jsonl", chunk=7))
    for deal, row, text in zip(deals, plain(rows), plain(texts), strict=True):
        if text.error is None:
            assert row == text
        elif deal["deal"]:  # a line of JSON is shown whole
            assert (row.error, row.deal) == (text.error, decade.rows.clean(deal["deal"]))
        else:
            assert row.error
    for chunk in (1, 13):
        assert rows == list(decade.solve_file(path, workers=2, chunk=chunk))


def test_a_folder_is_its_files_in_order(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "deals"
    folder.mkdir()
    parts = [some_deals(20, seed + part) for part in range(3)]
    for name, part in zip(("c.pq", "a.parquet", "b.PARQUET"), parts, strict=True):
        write(folder / name, part)
    (folder / "_SUCCESS").touch()
    (folder / ".a.crc").touch()
    done = run("batch", str(folder), "--no-moves")
    assert done.returncode == 0
    order = [str(folder / name) for name in ("a.parquet", "b.PARQUET", "c.pq")]
    assert [row["source"] for row in csv_rows(done.stdout)][::20] == order
    assert [row.name for row in decade.solve_file(folder)][20:25] == [
        row.name for row in decade.solve_file(folder / "b.PARQUET")
    ][:5]
    (folder / "notes.txt").touch()
    done = run("batch", str(folder))
    assert done.returncode == 2
    assert "notes.txt is no Parquet file" in done.stderr


def test_by_content_names_that_are_numbers_and_packs(tmp_path: Path) -> None:
    path = tmp_path / "deals.bin"
    write(path, [{"deal": "4H 4H", "name": 2**40, "packs": 2}, {"deal": "9 A", "name": -1}])
    rows = list(decade.solve_file(path))
    assert [row.name for row in rows] == [str(2**40), "-1"]
    assert (rows[0].packs, rows[0].error, rows[1].packs) == (2, None, None)
    table = pa.table({"deal": pa.array(["4H 6S"] * 2).dictionary_encode()})
    parquet.write_table(table, path)
    assert [row.verdict for row in decade.solve_file(path)] == ["winnable"] * 2
    parquet.write_table(table.slice(0, 0), path)
    assert list(decade.solve_file(path)) == []


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"cards": ["4H"]}, "there is no column 'deal'"),
        ({"deal": [4]}, "the column 'deal' is int64, not string"),
        ({"deal": ["4H"], "name": [1.5]}, "the column 'name' is double, not string or int"),
        ({"deal": ["4H"], "packs": ["1"]}, "the column 'packs' is string, not int"),
    ],
)
def test_other_columns(columns: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table(columns), path)
    with pytest.raises(decade.InputError, match=reason):
        ParquetDeals(str(path))


def test_what_is_no_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.parquet", some_deals(3, 1))
    (tmp_path / "broken.parquet").write_bytes(path.read_bytes()[:-9])
    (tmp_path / "empty").mkdir()
    for given, reason in (
        ("broken.parquet", "broken.parquet: "),
        ("none.parquet", "No such file"),
        ("empty", "there is no Parquet file"),
    ):
        done = run("batch", str(tmp_path / given))
        assert (done.returncode, done.stdout) == (2, "")
        assert reason in done.stderr
        assert "Traceback" not in done.stderr
    assert "cannot be read from stdin" in run("batch", "--format", "parquet", stdin="4").stderr
    assert "cannot be read from a pipe" in run("batch", stdin=path.read_bytes()).stderr
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(decade.InputError, match=r"decade-solver\[parquet\]"):
        ParquetDeals(str(path))


def test_resumed_and_changed(tmp_path: Path, seed: int) -> None:
    path = write(tmp_path / "a.parquet", some_deals(100, seed))
    output = tmp_path / "out.csv"

    def stop(tally: decade.Tally, share: float | None) -> None:
        if tally.rows > 50:
            raise ZeroDivisionError

    options: dict[str, Any] = {"chunk": 9, "save_every": 0}
    with pytest.raises(ZeroDivisionError):
        decade.solve_to_file(path, output, watch=stop, **options)
    whole = path.read_bytes()
    write(path, some_deals(100, seed + 1))
    with pytest.raises(decade.OutputError, match="has other content now"):
        decade.solve_to_file(path, output, resume=True)
    path.write_bytes(whole)
    assert decade.solve_to_file(path, output, resume=True).resumed >= 50
    decade.solve_to_file(path, tmp_path / "once.csv")
    assert output.read_bytes() == (tmp_path / "once.csv").read_bytes()
    with pytest.raises(decade.OutputError, match="is an input too"):
        decade.solve_to_file(path, path)
