"""Folders of Parquet files on a real Dask cluster: killed workers, interruptions, other inputs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from test_cli import environment
from test_parquet import some_deals, write

import decade
from decade.cli import cli
from decade.cluster import cluster

PARTS = 6


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    assert distributed
    with cluster("local", 2) as crew:
        yield crew.executor.client  # type: ignore[attr-defined]


@pytest.fixture
def folder(tmp_path: Path, seed: int) -> Path:
    made = tmp_path / "deals"
    made.mkdir()
    for part in range(PARTS):
        write(made / f"{part}.parquet", some_deals(100, seed + part))
    return made


def address(client: Any) -> str:
    return str(client.scheduler.address)


def rows(path: Path) -> pa.Table:
    return parquet.read_table(path).replace_schema_metadata()


def batch(*args: str | Path, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["batch", *map(str, args)])
    assert result.exit_code == status, result.output
    return result.stderr


def test_the_rows_of_a_local_batch_while_a_worker_is_killed(
    client: Any, folder: Path, tmp_path: Path
) -> None:
    for part in folder.iterdir():
        write(part, some_deals(500, int(part.stem)))
    once = decade.solve_to_file(folder, tmp_path / "once.parquet", "loop")
    killed: list[int] = []

    def kill(tally: decade.Tally, share: float | None) -> None:
        assert share is not None
        if not killed and share < 0.5:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    output = tmp_path / "out"
    found = decade.solve_folder(folder, output, "loop", scheduler=address(client), watch=kill)
    assert killed
    assert found == once
    assert sorted(path.name for path in output.iterdir()) == [f"{n}.parquet" for n in range(PARTS)]
    assert rows(output).equals(rows(tmp_path / "once.parquet"))
    run = parquet.read_schema(tmp_path / "once.parquet").metadata[b"decade"]
    for part in output.iterdir():
        assert parquet.read_schema(part).metadata[b"decade"] == run
    assert not (tmp_path / "out.part").exists()


def test_interrupted_and_gone_on_with(client: Any, folder: Path, tmp_path: Path) -> None:
    output, made = tmp_path / "out", tmp_path / "out.part"
    names = map(str, (folder, "-o", output, "--scheduler", address(client)))
    command = [sys.executable, "-m", "decade", "batch", *names]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(), text=True) as running:
        until = time.monotonic() + 60
        while not any(made.glob("*.parquet")):
            assert time.monotonic() < until
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert "can be gone on with: --resume" in err
    (made / "5.parquet.0123.half-made").mkdir(exist_ok=True)
    kept = {path: path.stat().st_mtime_ns for path in made.glob("*.parquet")}
    options = (folder, "-o", output, "--scheduler", address(client))
    assert "an earlier run was interrupted" in batch(*options, status=2)
    other = (*options, "--resume", "--rules", "loop")
    assert "with other rules" in batch(*other, status=2)
    done = folder / next(iter(kept)).name  # whichever came first
    whole = done.read_bytes()
    write(done, some_deals(3, 7))
    assert "its content was another one" in batch(*options, "--resume", status=2)
    done.write_bytes(whole)
    (made / "else.parquet").touch()
    assert "of none of the inputs" in batch(*options, "--resume", status=2)
    (made / "else.parquet").unlink()
    summary = batch(*options, "--resume")
    assert "rows were there already" in summary
    for path, changed in kept.items():
        assert (output / path.name).stat().st_mtime_ns == changed
    batch(folder, "-o", tmp_path / "once.parquet")
    assert rows(output).equals(rows(tmp_path / "once.parquet"))
    assert "is finished" in batch(*options, "--resume")
    assert "with other rules" in batch(*other, status=2)
    assert "is there already" in batch(*options, status=2)
    batch(*options, "--force", "--no-moves")
    assert "moves" not in rows(output).column_names


def test_strict(client: Any, folder: Path, tmp_path: Path) -> None:
    write(folder / "3.parquet", [{"deal": "4H 6S"}, {"deal": "4H XX"}])
    for part in set(folder.iterdir()) - {folder / "3.parquet"}:
        part.unlink()
    options = (folder, "-o", tmp_path / "out", "--scheduler", address(client))
    assert "3.parquet, line 2: card 2: 'XX'" in batch(*options, "--strict", status=2)
    assert list((tmp_path / "out.part").iterdir()) == []
    assert "lines that are no deals" in batch(*options, "--resume")


def test_wrong_use(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    out = ("-o", tmp_path / "out")
    for args, reason in (
        ((folder,), "say which with -o"),
        ((folder / "0.parquet", *out), "one folder of Parquet files"),
        ((folder, folder, *out), "one folder of Parquet files"),
        (("--seed", "1", "--deals", "9", *out), "--seed does not go with"),
        ((folder, *out, "--save-every", "3"), "--save-every does not go with"),
        ((tmp_path, *out), "is no Parquet file"),
        ((folder, "-o", folder / "out"), "in the folder of the inputs"),
        ((folder, "-o", tmp_path / "out.csv"), "is a folder of Parquet files"),
        ((folder, "-o", tmp_path / "mine", "--force"), "thesis.txt is in the way"),
        ((folder, "-o", tmp_path / "mine"), "is there already"),
    ):
        assert reason in batch(*args, "--scheduler", "nowhere", status=2)
    assert (tmp_path / "mine" / "thesis.txt").exists()
    assert "no Dask scheduler" in batch(folder, *out, "--scheduler", "nowhere", status=2)
