"""Deals found by number: against deals solved one by one, and as the command prints them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from click.testing import CliRunner

from decade import Found, Numbers, Result, Rules, Seed, find_deals, solve
from decade.cli import cli
from decade.difficulty import GRADES, difficulty, grade
from decade.sources import ms_deal, pysol_deal, seeded_deal

PROGRAM = [sys.executable, "-m", "decade", "find"]


def find(*args: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["find", *args], prog_name="decade")
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def test_found_deals_are_those_that_solving_one_by_one_finds() -> None:
    grades, unique = {}, []
    for index in range(400):
        result = solve(seeded_deal(7, index), count=True)
        if result.verdict.value == "winnable" and result.counts is not None:
            grades[result.deal] = grade(result.counts.random_win)
            unique += [result] * (result.counts.winning_lines == 1)
    source = Seed(7, 400)
    for name in GRADES:
        found = list(find_deals(source, grades=[name], workers=2))
        assert [one.deal for one in found] == [deal for deal in grades if grades[deal] == name]
        assert all(one.grade == name for one in found)
    alone = list(find_deals(source, unique=True, workers=1))
    assert [(one.deal, one.counts) for one in alone] == [(r.deal, r.counts) for r in unique]
    assert [one.deal.name for one in alone] == [result.deal.name for result in unique]
    both = find_deals(source, verdict="winnable", grades=["hard", "expert"], unique=True)
    wanted = [r.deal for r in unique if grades[r.deal] in ("hard", "expert")]
    assert wanted
    assert [one.deal for one in both] == wanted


@pytest.mark.parametrize("rules", ["decade", "pysol", "seven-piles"])
def test_verdicts_and_order(rules: str) -> None:
    results = [solve(seeded_deal(7, index), rules) for index in range(300)]
    for verdict in ("winnable", "unwinnable", None):
        found = list(find_deals(Seed(7, 290, 10), rules, verdict=verdict, workers=2))
        wanted = [r for r in results[10:] if verdict in (None, r.verdict.value)]
        assert [(one.deal, one.verdict) for one in found] == [(r.deal, r.verdict) for r in wanted]
        assert [one.number for one in found] == sorted(one.number for one in found)
        assert {one.counts for one in found} == {None}
        assert {one.grade for one in found} == {None}


def test_numbers_of_other_programs() -> None:
    (found,) = find_deals(Numbers("pysol", 9939, 9939), "pysol")
    assert (found.number, found.deal, found.deal.name) == (9939, pysol_deal(9939), "pysol:9939")
    found = next(find_deals(Numbers("ms", 40000, 50000), "pysol"))
    assert (found.number, found.deal) == (40000, ms_deal(40000))


def test_a_limit_ends_it_early() -> None:
    endless = Seed(7, 2**62)
    told: list[tuple[int, int]] = []
    found = find_deals(
        endless, verdict="winnable", limit=5, watch=lambda *now: told.append(now), workers=2
    )
    first = list(find_deals(Seed(7, 100), verdict="winnable"))
    assert list(found) == first[:5]
    assert told
    assert told[-1][0] < 10_000
    assert [one.number for one in find_deals(endless, limit=2)] == [0, 1]


def test_what_a_limit_of_the_search_leaves_open_is_not_found() -> None:
    told: list[tuple[int, int]] = []
    found = list(
        find_deals(
            Seed(7, 200),
            "loop",
            grades=list(GRADES),
            node_limit=12,
            watch=lambda *now: told.append(now),
        )
    )
    whole = {one.deal for one in find_deals(Seed(7, 200), "loop", grades=list(GRADES))}
    assert {one.deal for one in found} < whole
    assert told[-1][0] == 200
    assert told[-1][1] >= len(whole) - len(found)
    line = find("--rules", "loop", "--range", "0-199", "--winnable", "--node-limit", "1")
    assert not line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grades": ["nice"]}, "no grade 'nice'"),
        ({"limit": 0}, "limit must be"),
        ({"verdict": "won"}, "not a valid"),
        ({"verdict": "unwinnable", "unique": True}, "only winnable"),
        ({"rules": "pysol", "unique": True}, "counted for forced"),
        ({"rules": "nine-columns", "count": True}, "counted for forced"),
        ({"node_limit": 0}, "node_limit"),
        ({"workers": 0}, "workers"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_deals(Seed(1, 10), **options)


# the command


def test_lines() -> None:
    grades = {"winnable": "easy", "unwinnable": "-"}
    for line, one in zip(
        find("--seed", "7", "--range", "0-99", "--count").splitlines(),
        find_deals(Seed(7, 100), count=True),
        strict=True,
    ):
        name, verdict, level, chance, sign = line.split()
        assert (name, verdict, sign) == (one.deal.name, one.verdict.value, "%")
        assert level == (one.grade or grades[verdict])
        assert one.counts is not None
        assert float(chance) == pytest.approx(100 * float(one.counts.random_win), rel=1e-3)
    plain = find("--seed", "7", "--limit", "2", "--winnable").splitlines()
    assert [line.split() for line in plain] == [
        [one.deal.name, "winnable"] for one in find_deals(Seed(7, 100), verdict="winnable", limit=2)
    ]


def test_jsonl_is_what_solve_prints() -> None:
    lines = find("--range", "0-60", "--grade", "hard", "--format", "jsonl").splitlines()
    assert lines
    for line in lines:
        data = json.loads(line)
        result = Result.from_dict(data)
        again = solve(result.deal, count=True)
        assert (again.moves, again.counts) == (result.moves, result.counts)
        level = difficulty(again)
        assert level is not None
        assert {key: data[key] for key in level.to_dict()} == level.to_dict()
    (plain,) = find("--limit", "1", "--rules", "pysol", "--format", "jsonl").splitlines()
    assert Result.from_json(plain).rules == Rules.load("pysol")
    assert "lines" not in json.loads(plain)


def test_plain_numbers() -> None:
    args = ["--rules", "pysol", "--from", "pysol", "--range", "1-42", "--unwinnable"]
    lost = ["1", "13", "17", "26", "33", "39", "41"]  # as docs/pysol.md has them
    assert find(*args, "--format", "pysol").split() == lost
    assert find("--range", "5", "--format", "pysol").split() == ["5"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--rules", "pysol", "--grade", "hard"], "--grade counts plays, .* are optional"),
        (["--rules", "nine-columns", "--unique"], "--unique counts plays, .*recycle"),
        (["--unwinnable", "--grade", "hard"], "--grade is for winnable deals"),
        (["--unwinnable", "--unique"], "--unique is for winnable deals"),
        (["--grade", "nice"], "is not one of"),
        (["--range", "9-7"], "no range of numbers"),
        (["--range", "x"], "no range of numbers"),
        (["--from", "pysol", "--range", "0-7"], "they go from 1 to"),
        (["--from", "pysol", "--seed", "1"], "--seed is for --from seed"),
        (["--seed", "-1"], "is no seed"),
        (["--range", f"0-{2**63}"], "is no index"),
        (["--limit", "0"], "not in the range"),
    ],
)
def test_wrong_use(args: list[str], message: str) -> None:
    assert re.search(message, find(*args, status=2))


def start(*args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*PROGRAM, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )


def test_deals_come_as_they_are_found_and_ctrl_c_ends_it() -> None:
    with start("--grade", "expert", "--unique", "--workers", "2") as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        assert first.startswith(b"seed:0:")
        running.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, err = running.communicate(timeout=30)
    assert time.monotonic() - sent < 2.0
    assert (running.returncode, err) == (130, b"interrupted\n")


def test_a_broken_pipe_is_silent() -> None:
    with start("--winnable") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.wait(timeout=30) == 141
        assert running.stderr.read() == b""


def test_found_is_exported() -> None:
    assert isinstance(next(find_deals(Seed(1, 1))), Found)
