"""The command ``survey`` as its users meet it: killed, interrupted, gone on with, merged, drawn."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from decade.cli import cli
from decade.cli_survey import duration, whole
from decade.rules import PRESETS
from decade.survey import Plan, count_deals

PROGRAM = [sys.executable, "-m", "decade", "survey"]
LONG = ["--rules", "seven-piles-loop", "--seed", "3", "--policy", "random", "--workers", "1"]
LONG += ["--random-win", "10"]


def survey(*args: str | Path | float, status: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["survey", *map(str, args)])
    assert result.exit_code == status, result.output
    return result


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def figures(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in ("seconds", "deals_per_second")}


def counted(checkpoint: Path) -> int:
    """Say how many deals a checkpoint has; it is whole whenever it is read."""
    return int(json.loads(checkpoint.read_text())["deals"]) if checkpoint.exists() else 0


def start_and_wait(args: list[str], checkpoint: Path) -> subprocess.Popen[str]:
    """Start a survey, and wait until it has kept more than it started from."""
    before, until = counted(checkpoint), time.monotonic() + 60
    running = subprocess.Popen(
        [*PROGRAM, *args, "--checkpoint", str(checkpoint)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    while counted(checkpoint) == before and running.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    return running


def test_killed_at_any_moment_and_gone_on_with(tmp_path: Path, seed: int) -> None:
    generator, checkpoint = random.Random(seed), tmp_path / "a.json"
    for _ in range(3):
        with start_and_wait([*LONG, "--deals", "100000000"], checkpoint) as running:
            time.sleep(generator.uniform(0, 0.5))
            running.kill()
    begun = counted(checkpoint)
    deals = begun + 100
    (again,) = objects(survey(*LONG, "--deals", deals, "--checkpoint", checkpoint, "--json"))
    (once,) = objects(survey(*LONG, "--deals", deals, "--workers", "2", "--json"))
    assert figures(again) == figures(once)
    assert figures(json.loads(checkpoint.read_text())) == figures(once)


def test_ctrl_c_keeps_what_is_counted(tmp_path: Path) -> None:
    checkpoint = tmp_path / "a.json"
    with start_and_wait([*LONG, "--time", "10m", "--workers", "2"], checkpoint) as running:
        running.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, err = running.communicate(timeout=30)
        passed = time.monotonic() - sent
    assert running.returncode == 130
    assert passed < 2.0  # a quarter second where the machine is not shared
    assert out == ""
    assert f"{counted(checkpoint):,} deals are kept in {checkpoint}" in err
    assert "interrupted" in err
    assert "Traceback" not in err
    deals = counted(checkpoint)
    tally = count_deals(Plan.of(PRESETS["seven-piles-loop"], 3), 0, deals).tally
    assert json.loads(checkpoint.read_text())["winnable"] == tally.winnable


PRESS = """
import json, os, signal, statistics, sys, threading, time
from click.testing import CliRunner
from decade.cli import cli
def press():
    global pressed
    time.sleep(0.5)
    pressed = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
CliRunner().invoke(cli, ["survey", *sys.argv[1:], "--deals", "10"])  # imports what there is
delays, statuses = [], set()
for _ in range(3):
    thread = threading.Thread(target=press)
    thread.start()
    result = CliRunner().invoke(cli, ["survey", *sys.argv[1:], "--deals", "1e9"])
    delays.append(time.perf_counter() - pressed)
    statuses.add(result.exit_code)
    thread.join()
print(json.dumps([statistics.median(delays), sorted(statuses)]))
"""


@pytest.mark.parametrize(
    "args",
    [
        ["decade", "--policy", "random"],
        ["ends", "--workers", "2"],
        ["ten-twenty-thirty", "--policy", "longest", "--workers", "2"],
    ],
)
def test_ctrl_c_is_heard_within_a_quarter_second(args: list[str]) -> None:
    command = [sys.executable, "-c", PRESS, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    delay, statuses = json.loads(done.stdout)
    assert delay < 0.25
    assert statuses == [130]


def test_json_has_the_promised_fields() -> None:
    (data,) = objects(survey("--rules", "decade", "--deals", "300", "--seed", "5", "--json"))
    promised = {"rules", "deals", "seed", "winnable", "unwinnable", "unknown"}
    promised |= {"rate", "ci95", "remaining", "seconds"}
    assert promised <= set(data)
    assert (data["rules"], data["deals"], data["seed"]) == ("decade", 300, 5)
    assert data["winnable"] + data["unwinnable"] + data["unknown"] == 300
    assert sum(data["remaining"].values()) == 300
    assert data["remaining"]["0"] == data["winnable"]
    assert data["ci95"][0] < data["rate"] == data["winnable"] / 300 < data["ci95"][1]
    assert "policies" not in data
    own = objects(survey("--piles", "2", "--deals", "30", "--json"))
    assert own[0]["rules"]["piles"] == 2


def test_several_rule_sets_and_a_file_that_keeps_them_all(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    options = ("--seed", "2", "--checkpoint", file, "--json")
    both = objects(survey("--rules", "decade", "loop", "--deals", "50", *options))
    assert [data["rules"] for data in both] == ["decade", "loop"]
    more = objects(survey("--rules", "loop", "--rules", "pysol", "--deals", "500", *options))
    assert [data["rules"] for data in more] == ["loop", "pysol"]
    kept = objects(survey("--merge", file, "--json"))
    assert [data["rules"] for data in kept] == ["loop", "pysol", "decade"]
    once = objects(survey("--rules", "loop", "--deals", "500", "--seed", "2", "--json"))
    assert figures(once[0]) == figures(more[0])
    everything = survey("--rules", "all", "--deals", "3", "--json")
    assert [data["rules"] for data in objects(everything)] == list(PRESETS)


def test_merging(tmp_path: Path) -> None:
    for name, index in (("a", 0), ("b", 40)):
        survey("loop", "--index", index, "--deals", 40, "--checkpoint", tmp_path / name)
    (sum_of_both,) = objects(
        survey("--merge", tmp_path / "a", tmp_path / "b", "--json", "--checkpoint", tmp_path / "c")
    )
    (once,) = objects(survey("--rules", "loop", "--deals", "80", "--json"))
    assert figures(sum_of_both) == figures(once)
    assert figures(json.loads((tmp_path / "c").read_text())) == figures(once)
    again = survey("--merge", tmp_path / "a", tmp_path / "c", status=2)
    assert f"{tmp_path / 'c'} cannot be added" in again.stderr
    assert "the deals 0 to 39 are in both" in again.stderr
    other = tmp_path / "d"
    survey("loop", "--seed", 1, "--index", 40, "--deals", 40, "--checkpoint", other)
    assert "another seed: 0, not 1" in survey("--merge", tmp_path / "a", other, status=2).stderr


def test_the_report(tmp_path: Path) -> None:
    text = survey("--deals", 1000, "--policy", "random", "--policy", "longest", "--seed", 1).output
    for wanted in ("winnable, 1 in ", "95 % interval", "random player", "longest set", "nodes"):
        assert wanted in text
    assert "the mean chance over 1,000 deals" in text
    assert "cards left" in text
    assert max(map(len, text.splitlines())) <= 80
    nothing = survey("--rules", "nine-columns", "--deals", 20, "--precision", 0.4).output
    assert "index 0 to 19" in nothing
    picture = tmp_path / "a.svg"
    survey("--deals", 30, "--plot", picture)
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["--deals", "0"], "less than 1"),
        (["--deals", "x"], "not a whole number"),
        (["--time", "10x"], "not a time"),
        (["--time", "0"], "more than 0"),
        (["--precision", "0"], "not in the range"),
        (["--seed", "-1"], "is no seed"),
        (["--index", "-1"], "indices 0 to"),
        (["--rules", "decades"], "decade"),
        (["--policy", "best"], "is not one of"),
        (["--plot", "a.pdf"], "is .svg or .png"),
        (["--checkpoint", "no/such/a.json"], "cannot be written"),
        (["--merge"], "needs the files"),
        (["--merge", "no-such-file"], "No such file"),
        (["--merge", "--deals", "3", "a"], "counts no deals"),
        (["--merge", "--rules", "loop", "a"], "counts no deals"),
        (["--merge", "--seed", "0", "a"], "counts no deals"),
        (["--scheduler", "nowhere", "--deals", "1"], "no Dask scheduler"),
    ],
)
def test_wrong_use(
    args: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = survey(*args, status=2)
    assert reason in result.stderr
    assert result.stdout == ""


def test_a_checkpoint_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    survey("--deals", 30, "--checkpoint", file)
    kept = file.read_text()
    for args, reason in (
        (["--seed", 1], "another seed: 0, not 1"),
        (["--deals", 3], "has the deals 0 to 29 already, and 0 to 2 are asked for"),
        (["--policy", "front"], "other policies: none, not front"),
    ):
        assert reason in survey("--checkpoint", file, *args, status=2).stderr
        assert file.read_text() == kept
    file.write_text("deals")
    assert "a.json: " in survey("--checkpoint", file, status=2).stderr
    assert file.read_text() == "deals"


def test_numbers_and_times() -> None:
    assert [whole(text) for text in ("7", "1_000", "1e6", "25E+3")] == [7, 1000, 10**6, 25000]
    for text, seconds in (("90", 90), ("1.5h", 5400), ("1h30m", 5400), ("2d5s", 172805)):
        assert duration(text) == seconds
