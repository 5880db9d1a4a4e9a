"""Nothing is lost: runs killed, interrupted or out of disk go on to the very same output."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from test_batch import pack_lines
from test_cli import PROGRAM, environment, run

import decade

SUFFIXES = (".csv", ".jsonl", ".sqlite", ".parquet")
KILLS = 50
RESUMED = 10
KILLED_AFTER = 0.2
"""The part of the time a whole run takes after which one is killed at the latest."""
SLOW: dict[str, Any] = {"chunk": 5, "save_every": 0, "workers": 2, "resume": True}


def content(path: Path) -> object:
    """Read an output for comparison: bytes, or all that a table holds, row for row."""
    if path.suffix == ".sqlite":
        db = sqlite3.connect(path)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        dump = list(db.iterdump())
        db.close()
        return dump
    if path.suffix == ".parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        return table.schema.metadata, table.to_pylist()
    return path.read_bytes()


def left_over(path: Path) -> list[str]:
    return [found.name for found in path.parent.iterdir() if found.name.startswith(path.name)]


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "deals.txt"
    path.write_text("\n".join(pack_lines(300, 1949)))
    return path


@pytest.fixture(scope="module")
def server() -> multiprocessing.context.ForkServerContext:
    """Make processes that have everything loaded, so that a kill hits work and not imports."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["decade", "numpy", "pyarrow.parquet", "decade.tables"])
    return context


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_killed_at_random_moments(
    deals: Path,
    tmp_path: Path,
    suffix: str,
    server: multiprocessing.context.ForkServerContext,
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    generator = random.Random(seed)
    whole, output = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    decade.solve_to_file(deals, whole)
    wanted = content(whole)
    page, kills, resumed = output.with_name(output.name + ".progress"), 0, 0
    started = time.monotonic()
    first = server.Process(target=decade.solve_to_file, args=(deals, output), kwargs=SLOW)
    first.start()
    first.join()
    longest = KILLED_AFTER * (time.monotonic() - started)
    while (killing := kills < KILLS or resumed < RESUMED) or not output.exists():
        if output.exists():
            assert content(output) == wanted, f"seed {seed}, after {kills} kills"
            output.unlink()
            assert left_over(output) == []
        child = server.Process(target=decade.solve_to_file, args=(deals, output), kwargs=SLOW)
        before = page.exists() and json.loads(page.read_text())["progress"]["record"] > 0
        child.start()
        child.join(generator.uniform(0, longest) if killing else None)
        if child.is_alive():
            child.kill()
            child.join()
            kills += child.exitcode == -signal.SIGKILL
            resumed += before
            longest *= 1 if before else 1.05  # the machine may have become slower
        else:
            assert child.exitcode == 0, f"seed {seed}, after {kills} kills"
            child.join()
        child.close()
        if output.exists() and len(left_over(output)) > 1:  # killed after it got its name
            with pytest.raises(decade.FinishedError):
                decade.solve_to_file(deals, output, resume=True)
    assert content(output) == wanted, f"seed {seed}"
    assert left_over(output) == [output.name]


def interrupted(deals: Path, output: Path) -> None:
    """Leave a run that is half done."""
    with pytest.raises(RuntimeError, match="enough"):
        decade.solve_to_file(deals, output, chunk=10, save_every=0, workers=1, watch=_enough)
    assert not output.exists()


def _enough(tally: decade.Tally, share: float | None) -> None:
    if tally.rows >= 100:
        raise RuntimeError("enough")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_resume_by_the_command_line(deals: Path, tmp_path: Path, suffix: str) -> None:
    output, whole = tmp_path / f"out{suffix}", tmp_path / f"whole{suffix}"
    interrupted(deals, output)
    args = ("batch", str(deals), "-o", str(output))
    refused = run(*args)
    assert refused.returncode == 2
    assert "--resume goes on with it, --force begins afresh" in refused.stderr
    done = run(*args, "--resume")
    assert done.returncode == 0, done.stderr
    assert "resumed" in done.stderr
    decade.solve_to_file(deals, whole)
    assert content(output) == content(whole)

    before = content(output), output.stat().st_mtime_ns
    again = run(*args, "--resume")
    assert again.returncode == 0
    assert again.stderr == f"decade: {output} is finished: there is nothing to resume\n"
    assert run(*args).returncode == 2
    other = run(*args, "--resume", "--rules", "loop")
    assert other.returncode == 2
    assert "was made by another run: decade, not loop" in other.stderr
    assert (content(output), output.stat().st_mtime_ns) == before
    assert left_over(output) == [output.name]
    assert run(*args, "--force", "--rules", "loop").returncode == 0
    assert content(output) != before[0]


def test_what_has_changed_is_refused(deals: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    interrupted(deals, output)
    kept = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for changes, message in (
        ({"rules": "loop"}, "rules was 'decade'"),
        ({"rules": {"totals": [10, 20]}}, "rules"),
        ({"node_limit": 5}, "node_limit was None and is 5"),
        ({"memory_limit": 2**21}, "memory_limit was 1073741824 and is 2097152"),
        ({"moves": False}, "moves was True and is False"),
        ({"inputs": decade.Seed(1, 5)}, "inputs"),
        ({"inputs": [deals, deals]}, "inputs"),
        ({"inputs": decade.DealFile(str(deals), "jsonl")}, "format was None and is 'jsonl'"),
    ):
        given: dict[str, Any] = {"inputs": deals, "resume": True} | changes
        inputs = given.pop("inputs")
        with pytest.raises(decade.OutputError, match=message):
            decade.solve_to_file(inputs, output, **given)
    text = deals.read_text()
    for changed in (text[:-1], text + "\n4H 6S", "#" + text[1:], text.replace("K", "Q", 1)):
        deals.write_text(changed)
        with pytest.raises(decade.OutputError, match="has other content now"):
            decade.solve_to_file(deals, output, resume=True)
    deals.write_text(text)  # the same again, though later
    page = output.with_name("out.csv.progress")
    page.write_text(page.read_text().replace('"version": "', '"version": "9.'))
    with pytest.raises(decade.OutputError, match="version was"):
        decade.solve_to_file(deals, output, resume=True)
    page.write_text("{")
    with pytest.raises(decade.OutputError, match="cannot be read"):
        decade.solve_to_file(deals, output, resume=True)
    page.write_bytes(kept[page])
    assert {path: path.read_bytes() for path in kept} == kept
    decade.solve_to_file(deals, output, resume=True, workers=2, chunk=3)
    decade.solve_to_file(deals, tmp_path / "whole.csv")
    assert output.read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_there_is_not_overwritten(deals: Path, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"out{suffix}"
    output.write_text("mine")
    with pytest.raises(decade.OutputError, match="--force replaces it"):
        decade.solve_to_file(deals, output)
    part = output.with_name(output.name + ".part")
    output.rename(part)
    with pytest.raises(decade.OutputError, match="in the way"):
        decade.solve_to_file(deals, output)
    assert part.read_text() == "mine"
    part.unlink()
    output.mkdir()
    with pytest.raises(decade.OutputError, match="folder"):
        decade.solve_to_file(deals, output)


def test_force_leaves_the_old_output_until_the_new_is_whole(deals: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    output.write_text("mine")
    with pytest.raises(RuntimeError, match="enough"):
        decade.solve_to_file(deals, output, force=True, watch=_enough)
    assert output.read_text() == "mine"
    decade.solve_to_file(deals, output, resume=True)
    assert output.read_text().startswith("source,")


def test_a_second_run_keeps_off(deals: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    tried = []

    def meanwhile(tally: decade.Tally, share: float | None) -> None:
        for how in ("resume", "force"):
            with pytest.raises(decade.OutputError, match="another run is writing it"):
                decade.solve_to_file(deals, output, resume=how == "resume", force=how == "force")
            tried.append(how)

    decade.solve_to_file(deals, output, workers=1, watch=meanwhile)
    assert tried
    decade.solve_to_file(deals, tmp_path / "whole.csv")
    assert output.read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_fed_again(deals: Path, tmp_path: Path, packed: bool) -> None:

    output = tmp_path / "out.csv"
    data = deals.read_bytes()
    args = ["batch", "-", "-o", str(output), "--chunk", "10", "--save-every", "0"]

    def fed(text: bytes, *args: str) -> subprocess.CompletedProcess[str]:
        return run(
            "batch", "-", "-o", str(output), *args, stdin=gzip.compress(text) if packed else text
        )

    half = data[: data.index(b"\n", len(data) // 2) + 1]
    child = subprocess.Popen([*PROGRAM, *args], stdin=subprocess.PIPE, env=environment())
    assert child.stdin is not None
    child.stdin.write(half)
    child.stdin.flush()
    page = output.with_name("out.csv.progress")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if page.exists() and json.loads(page.read_text())["progress"]["record"] > 50:
            break
        time.sleep(0.01)
    child.kill()
    child.wait()
    child.stdin.close()
    for wrong in (b"4H 6S\n" + data, data[:500]):
        refused = fed(wrong, "--resume")
        assert refused.returncode == 2, refused.stderr
        assert "cannot resume: stdin" in refused.stderr
    assert fed(data, "--resume").returncode == 0
    assert run("batch", "-", stdin=data).stdout == output.read_text()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk(deals: Path, tmp_path: Path, suffix: str) -> None:
    output, whole = tmp_path / f"out{suffix}", tmp_path / f"whole{suffix}"
    rows = "7" if suffix == ".parquet" else "60"
    blocks = {".parquet": 6, ".sqlite": 60}.get(suffix, 40)
    command = [*PROGRAM, "batch", str(deals), "-o", str(output), "--chunk", rows]
    command += ["--save-every", "0"]
    limited = ["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash", *command]
    done = subprocess.run(limited, capture_output=True, env=environment(), text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"decade: error: cannot write {output}: ")
    assert done.stderr.count("\n") == 1
    assert "--resume" in done.stderr
    assert not output.exists()
    assert run(*command[len(PROGRAM) :], "--resume").returncode == 0
    decade.solve_to_file(deals, whole)
    assert content(output) == content(whole)


def test_a_full_disk_from_the_start() -> None:
    folder = Path("/dev/shm/decade-full")
    folder.mkdir(exist_ok=True)
    try:
        limited = 'ulimit -f 0; exec "$@"'
        command = ["bash", "-c", limited, "bash", *PROGRAM, "batch", "--seed", "1"]
        command += ["--deals", "5", "-o", str(folder / "x.csv")]
        done = subprocess.run(command, capture_output=True, env=environment(), check=False)
        assert done.returncode == 2
        assert b"cannot write" in done.stderr
        assert b"Traceback" not in done.stderr
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_interrupt_saves_what_is_done(tmp_path: Path, suffix: str) -> None:
    output, whole = tmp_path / f"out{suffix}", tmp_path / f"whole{suffix}"
    args = ["batch", "--seed", "1", "--deals", "1000000", "--rules", "ten-twenty-thirty"]
    args += ["-o", str(output), "--save-every", "1000"]
    child = subprocess.Popen([*PROGRAM, *args], stderr=subprocess.PIPE, env=environment())
    part, page = (output.with_name(output.name + end) for end in (".part", ".progress"))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not page.exists():
        time.sleep(0.02)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, errors = child.communicate(timeout=30)
    took = time.monotonic() - started
    assert child.returncode == 130, errors
    assert errors.decode() == f"decade: {output} can be gone on with: --resume\ninterrupted\n"
    assert took < 3  # a quarter second on a machine that has nothing else to do
    saved = json.loads(page.read_text())["progress"]
    assert saved["record"] > 10
    assert part.exists()
    # What is done is worth as much as all that was possible in the time: go on with few more.
    page.write_text(
        page.read_text().replace('"deals": 1000000', f'"deals": {saved["record"] + 20}')
    )
    fewer = decade.Seed(1, saved["record"] + 20)
    decade.solve_to_file(fewer, output, "ten-twenty-thirty", resume=True)
    decade.solve_to_file(fewer, whole, "ten-twenty-thirty")
    assert content(output) == content(whole)
