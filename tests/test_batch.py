"""Files of deals as their users have them: formats, slips, order, limits and the command line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_cli import PROGRAM, environment, run, terminal
from test_limits import measures_memory

import decade
from decade.cards import NumberError
from decade.cli_batch import summary_lines
from decade.tally import Tally
from decade.wilson import wilson
from decade_ext.text import LONGEST_LINE

ACM_DEALS = (
    "2 6 5 10 10 4 10 10 10 4 5 10 4 5 10 9 7 6 1 7 6 9 5 3 10 10 4 10 9 2 1 10 1 10 10 10 3 10 9 "
    "8 10 8 7 1 2 8 6 7 3 3 8 2",
    "4 3 2 10 8 10 6 8 9 5 8 10 5 3 5 4 6 9 9 1 7 6 3 5 10 10 8 10 9 10 10 7 2 6 10 10 4 10 1 3 10 "
    "1 1 10 2 2 10 4 10 7 7 10",
    "10 5 4 3 5 7 10 8 2 3 9 10 8 4 5 1 7 6 7 2 6 9 10 2 3 10 3 4 4 9 10 1 1 10 5 10 10 1 8 10 7 8 "
    "10 6 10 10 10 9 6 2 10 10",
)


def pack_lines(deals: int, seed: int) -> list[str]:
    """Make lines of whole packs and parts of packs, some of them named, some of them wrong."""
    generator = random.Random(seed)
    pack = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "CDHS"]
    lines = []
    for number in range(deals):
        cards = generator.sample(pack, generator.choice((52, 52, 52, 20, 7)))
        name = generator.choice(("", "", f"deal {number}: ", f"no-{number:04}\t"))
        lines.append(name + " ".join(cards))
        if generator.random() < 0.02:
            lines.append(
                generator.choice(("# comment", "", "4H 4H", "KC 5X", "name: ", "4H" * 300))
            )
    return lines


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_bad_lines_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_bytes(b"4H 6S\n\n# no row\nfirst: 4H XX 6S\n\xff\n4H 6S 4H\n9 A\n")
    rows = list(decade.solve_file(path))
    assert [row.name for row in rows] == ["1", "4", "5", "6", "7"]
    assert [row.verdict for row in rows] == ["winnable", None, None, None, "winnable"]
    assert rows[1].error is not None
    assert rows[1].error.startswith("card 2: 'XX': ")
    assert rows[1].deal == "first: 4H XX 6S"
    assert rows[2].error == "byte 1: this is not UTF-8 text"
    assert rows[3].error is not None
    assert "as cards 1 and 3" in rows[3].error
    done = run("batch", str(path))
    assert done.returncode == 0
    assert [row["error"] for row in csv_rows(done.stdout)] == [row.error or "" for row in rows]
    assert re.search(r"^errors +3  lines that are no deals$", done.stderr, re.MULTILINE)


def test_strict_stops_at_the_first_bad_line(tmp_path: Path) -> None:
    path, output = tmp_path / "deals.txt", tmp_path / "out.csv"
    path.write_text("4H 6S\n4H 6S 10\n4X\n4H 6S\n5Y\n")
    for workers in ("1", "2"):
        done = run("batch", str(path), "--strict", "--workers", workers)
        assert done.returncode == 2
        assert len(csv_rows(done.stdout)) == 2
        assert done.stderr.startswith(f"decade: error: {path}, line 3: card 1: '4X': ")
        assert done.stderr.count("\n") == 1
    assert run("batch", str(path), "--strict", "-o", str(output)).returncode == 2
    assert not output.exists()
    assert run("batch", str(path), "--resume", "-o", str(output)).returncode == 0
    assert output.read_text() == run("batch", str(path)).stdout


def test_lines_without_end(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    long = b"4H " * LONGEST_LINE * 20
    path.write_bytes(b"4H 6S\n" + long + b"\n5H 5S\n" + long)
    rows = list(decade.solve_file(path))
    assert [row.name for row in rows] == ["1", "2", "3", "4"]
    assert [row.error is None for row in rows] == [True, False, True, False]
    assert rows[1].error == f"the line is longer than {LONGEST_LINE} bytes"
    assert len(rows[1].deal) <= 1000
    path.write_bytes(
        b"4H 6S" + b" " * LONGEST_LINE + b"\n4H 6S" + b" " * (LONGEST_LINE - 5) + b"\n"
    )
    assert [row.error for row in decade.solve_file(path)] == [rows[1].error, None]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("chunk", [1, 7, None])
def test_order_and_rows_do_not_depend_on_workers(
    tmp_path: Path, workers: int, chunk: int | None
) -> None:
    seed = 1996
    path = tmp_path / "deals.txt"
    lines = pack_lines(700, seed)
    path.write_text("\n".join(lines))
    for moves in (True, False):
        one, other = tmp_path / "one.csv", tmp_path / "other.csv"
        decade.solve_to_file(path, one, moves=moves, workers=1, chunk=1000, force=True)
        decade.solve_to_file(path, other, moves=moves, workers=workers, chunk=chunk, force=True)
        assert one.read_bytes() == other.read_bytes(), f"seed {seed}"


def test_rows_agree_with_solve(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("\n".join(pack_lines(60, 7)))
    for rules in ("decade", "pysol", "seven-up", "loop", "nine-columns"):
        with_moves = list(decade.solve_file(path, rules))
        without = list(decade.solve_file(path, rules, moves=False))
        for row, other in zip(with_moves, without, strict=True):
            assert (row.name, row.verdict, row.error) == (other.name, other.verdict, other.error)
            assert other.moves is None
            if row.error is None:
                result = decade.solve(row.deal, rules)
                assert (row.verdict, row.remaining) == (result.verdict.value, result.remaining)
                assert row.moves == result.moves
                assert row.remaining == other.remaining or rules == "ends"


def test_values_beyond_a_byte(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("J Q\nK K\nJ J\n")
    rules = {"totals": [700], "face_values": [300, 400, 1000], "opening": 1}
    for moves in (True, False):
        verdicts = [row.verdict for row in decade.solve_file(path, rules, moves=moves)]
        assert verdicts == ["winnable", "unwinnable", "unwinnable"]


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    lines = [
        '{"deal": "4H 6S", "name": "a"}',
        "",
        "# comment",
        '{"deal": "4♥ 6♠", "name": "=é\\u0000\\ud800", "rules": "loop"}',
        '{"deal": "KC KC", "packs": 2, "name": 7}',
        '{"deal": "KC KC"}',
        '{"name": "no deal"}',
        "[1]",
        "{",
        '{"deal": "4H", "name": true}',
        '{"deal": "name: 4H"}',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    rows = list(decade.solve_file(path))
    assert [row.name for row in rows] == ["a", "=é\\x00\\ud800", "7", *map(str, range(6, 12))]
    assert [row.error is None for row in rows] == [True] * 3 + [False] * 6
    assert rows[1].deal == "4H 6S"
    renamed = tmp_path / "deals.txt"
    renamed.write_bytes(path.read_bytes())
    assert [row.deal for row in decade.solve_file(renamed)] == [row.deal for row in rows]
    output = tmp_path / "again.jsonl"
    decade.solve_to_file(path, output)
    assert [row.error is None for row in decade.solve_file(output)] == [True] * 3 + [False] * 6


def test_the_1996_contest(tmp_path: Path) -> None:
    numbers = " ".join(ACM_DEALS).split()
    text = "\n".join(" ".join(numbers[at : at + 20]) for at in range(0, len(numbers), 20))
    path = tmp_path / "contest.in"
    path.write_text(f"{text}\n0\n")
    for format in ("acm", None):
        source = decade.DealFile(str(path), "acm" if format else None)
        rows = list(decade.solve_file(source, "ten-twenty-thirty"))
        assert [row.verdict for row in rows] == ["winnable", "unwinnable", "unwinnable"]
        assert [row.name for row in rows] == ["1", "2", "3"]
        assert rows[0].deal == ACM_DEALS[0].replace("1 ", "A ").replace(" A0", " 10")


def test_slips_in_the_contest_format(tmp_path: Path) -> None:
    path = tmp_path / "contest.acm"
    good, broken = ACM_DEALS[0], ACM_DEALS[1].replace("9", "11", 1)
    path.write_text(f"{good}\n{broken} 5 5 0 {good} 5")
    rows = list(decade.solve_file(path, moves=False))
    assert [row.name for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert rows[1].error is not None
    assert rows[1].error.startswith("card 9: '11': ")
    assert rows[2].error == "a deal has 52 numbers, but this one has 2"
    assert rows[3].error is None
    assert rows[4].error == "a deal has 52 numbers, but this one has 1"
    assert rows[5].error == "the input breaks off: a 0 must end it"


def test_compressed_and_standard_input(tmp_path: Path) -> None:
    data = "\n".join(pack_lines(300, 3)).encode()
    plain, packed = tmp_path / "deals.txt", tmp_path / "deals.txt.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data[:1000]) + gzip.compress(data[1000:]))
    wanted = [(row.name, row.deal, row.verdict) for row in decade.solve_file(plain, moves=False)]
    found = decade.solve_file(packed, moves=False)
    assert [(row.name, row.deal, row.verdict) for row in found] == wanted
    for given in (data, packed.read_bytes(), b"\xef\xbb\xbf" + data):
        done = run("batch", "-", "--no-moves", stdin=given)
        assert done.returncode == 0
        assert [row["source"] for row in csv_rows(done.stdout)] == ["stdin"] * len(wanted)
        assert len(csv_rows(done.stdout)) == len(wanted)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_rows_come_before_the_next_line_is_waited_for(workers: str) -> None:
    with subprocess.Popen(
        [*PROGRAM, "batch", "-", "--no-moves", "--workers", workers],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=environment(),
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(b"\xef\xbb\xbf")  # a mark of UTF-8 that comes alone
        time.sleep(0.2)
        for number, line in enumerate((b"4H 6S\n", b"KC", b" 4H 6S\n7C\n", b"9 A"), 1):
            program.stdin.write(line)
            if line.endswith(b"\n"):
                rows = b""
                while not rows.endswith(b"\n") or b"4H 6S" not in rows:
                    assert select.select([program.stdout], [], [], 30)[0], (number, rows)
                    rows += program.stdout.read(65536)
        rest, _ = program.communicate()
        assert rest.count(b"\n") + rows.count(b"\n") == 3
        assert b",9 A,decade,winnable," in rest
    assert program.returncode == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_broken_archive_keeps_what_was_read(tmp_path: Path, workers: int) -> None:
    packed, output = tmp_path / "deals.gz", tmp_path / "out.csv"
    packed.write_bytes(gzip.compress(("4H 6S\n" * 400_000).encode())[:-200])
    done = run("batch", str(packed), "-o", str(output), "--no-moves", "--workers", str(workers))
    assert done.returncode == 2
    assert done.stderr.startswith(f"decade: error: {packed}: ")
    assert done.stderr.count("\n") == 1
    assert len(output.with_name("out.csv.part").read_text().splitlines()) > 100_000


def test_ranges(tmp_path: Path) -> None:
    rows = list(decade.solve_file(decade.Numbers("pysol", 9938, 9940), "pysol"))
    assert [row.name for row in rows] == ["pysol:9938", "pysol:9939", "pysol:9940"]
    assert (rows[1].verdict, rows[1].remaining) == ("unwinnable", 9)
    assert rows[1].deal == str(decade.Deal.parse(rows[1].deal))
    done = run("batch", "--ms", "1-3", "--no-moves")
    assert [row["name"] for row in csv_rows(done.stdout)] == ["ms:1", "ms:2", "ms:3"]
    done = run("batch", "--seed", "5", "--deals", "4", "--index", "2", "--chunk", "3")
    names = [row["name"] for row in csv_rows(done.stdout)]
    assert names == ["seed:5:2", "seed:5:3", "seed:5:4", "seed:5:5"]
    printed = run("deal", "--seed", "5", "--index", "2", "--count", "4").stdout.splitlines()
    deals = [f"{row['name']}: {row['deal']}" for row in csv_rows(done.stdout)]
    assert deals == printed
    for text in ("0-3", "3-1", "a", "1-", "", "1-99999999999999999999999999"):
        with pytest.raises(NumberError):
            decade.Numbers.of("pysol", text)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--pysol", "1-3", "--ms", "1-3"], "choose one"),
        (["--pysol", "1-3", "x.txt"], "no files with it"),
        (["--pysol", "1-3", "--format", "acm"], "--format is for files"),
        (["--seed", "1"], "--seed needs --deals"),
        (["--deals", "1"], "--deals says which deals of --seed"),
        (["--seed", "1", "--deals", "0"], "no number of deals"),
        (["--pysol", "5-1"], "no range of numbers"),
        (["nowhere.txt"], "nowhere.txt: No such file or directory"),
        (["-", "-"], "stdin can be read only once"),
        (["--resume"], "--resume is for an output file"),
        (["--resume", "--force", "-o", "x.csv"], "choose one"),
        (["-o", "x.xls"], "the suffix says the format"),
        (["-o", "/nowhere/x.csv"], "cannot write /nowhere/x.csv: No such file or directory"),
        (["--totals", "0"], "totals"),
        (["--rules", "decad"], "did you mean"),
    ],
)
def test_wrong_use_is_one_clear_message(args: list[str], message: str) -> None:
    done = run("batch", *args, stdin="4H 6S\n")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_input_is_never_the_output(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_text('{"deal": "4H 6S"}\n')
    done = run("batch", str(path), "-o", str(path), "--force")
    assert done.returncode == 2
    assert "is an input too" in done.stderr
    assert path.read_text() == '{"deal": "4H 6S"}\n'


def test_the_summary() -> None:
    done = run("batch", "--seed", "1", "--deals", "500", "--no-moves")
    rows = csv_rows(done.stdout)
    won = sum(row["verdict"] == "winnable" for row in rows)
    low, high = wilson(won, 0, 500)
    assert f"95 %: {100 * low:.2f} % to {100 * high:.2f} %" in done.stderr
    for left in {row["remaining"] for row in rows}:
        count = sum(row["remaining"] == left for row in rows)
        assert f"\n{left:>4}  {count:>3}  " in done.stderr
    assert run("batch", "--seed", "1", "--deals", "5", "-q").stderr == ""


def test_unknown_deals_count_both_ways() -> None:
    tally = Tally()
    tally.verdicts.update({"winnable": 10, "unwinnable": 80, "unknown": 10})
    low, high = tally.winnable_interval()
    assert (low, high) == wilson(10, 10, 100)
    assert Tally.from_dict(json.loads(json.dumps(tally.to_dict()))) == tally
    lines = summary_lines(decade.Outcome(tally, 40), 2.0)
    assert lines[4].startswith("errors")
    assert lines[5].startswith("resumed")


def test_an_iterator_can_be_left(tmp_path: Path) -> None:
    rows = decade.solve_file(decade.Seed(1, 10**12), moves=False, workers=2)
    assert next(rows).name == "seed:1:0"
    rows.close()  # type: ignore[attr-defined]


def test_an_interrupted_iterator_says_so() -> None:
    code = (
        "import decade, os, signal, threading\n"
        "rows = decade.solve_file(decade.Seed(1, 10**9), 'ten-twenty-thirty', workers=1)\n"
        "next(rows)\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    for row in rows: pass\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    done = run("-c", code, program=[sys.executable])
    assert (done.stdout, done.returncode) == ("interrupted\n", 0)


def test_limits_are_limits(tmp_path: Path) -> None:
    done = run("batch", "--seed", "1", "--deals", "50", "--node-limit", "1", "--no-moves")
    assert {row["verdict"] for row in csv_rows(done.stdout)} >= {"unknown"}
    for option in ("workers", "chunk", "node_limit", "memory_limit"):
        with pytest.raises(ValueError, match=option):
            list(decade.solve_file(decade.Seed(1, 5), **{option: 0}))  # type: ignore[arg-type]


def test_progress_shows_on_a_terminal() -> None:
    args = ("batch", "--seed", "1", "--deals", "1000000", "--rules", "ten-twenty-thirty")
    status, seen = terminal(*args, "-o", "/nowhere/x.csv", columns=120)
    assert status == 2
    status, seen = terminal(
        *args, "-o", "/dev/shm/decade-progress.csv", "--force", columns=120,
        wait_for="deals,", keys="\x03",
    )  # fmt: skip
    assert status == 130
    assert "/s, left" in seen
    assert "winnable" in seen
    assert "unwinnable" in seen
    assert "can be gone on with: --resume" in seen
    for path in Path("/dev/shm").glob("decade-progress.csv*"):
        path.unlink()


@measures_memory
def test_memory_stays_flat() -> None:
    line = (
        b"KS 7H QS 4S TH AS 5S 5D 4C TD 9C TC 6D 8D 5C 8S 3D 3S 7C 6H JC QC KD QH AD TS JS 3H "
        b"6S 2S 7S JD 2H 4D KC 2C 5H AC QD 8H 3C 9D 6C 4H 2D 9H KH 9S JH 8C 7D AH\n"
    )
    used = []
    for lines in (50_000, 250_000):
        child = subprocess.Popen(
            [sys.executable, "-m", "decade", "batch", "-", "--no-moves", "--workers", "2"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment(),
        )  # fmt: skip
        assert child.stdin is not None
        for _ in range(lines // 1000):
            child.stdin.write(line * 1000)
        status = Path(f"/proc/{child.pid}/status").read_text()
        used.append(int(re.findall(r"VmHWM:\s+([0-9]+) kB", status)[0]))
        child.stdin.close()
        assert child.wait(timeout=120) == 0
    assert used[1] < 300 * 1024
    assert used[1] < used[0] + 40 * 1024


def test_interrupt_in_a_pipe_keeps_what_is_done() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "decade", "batch", "--seed", "1", "--deals", "100000000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        bufsize=0,  # communicate() would pass over what a buffer holds
    )  # fmt: skip
    assert child.stdout is not None
    head = b""
    while len(head) < 20_000:
        head += child.stdout.read(20_000)
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    out, errors = child.communicate(timeout=30)
    assert time.monotonic() - started < 5
    assert child.returncode == 130
    assert errors.decode() == "interrupted\n"
    assert (head + out).endswith(b"\n")
    assert [row["name"] for row in csv_rows((head + out).decode())][:2] == ["seed:1:0", "seed:1:1"]


def test_interrupt_while_waiting_for_input() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "decade", "batch", "-", "--workers", "1"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"4H 6S\n")
    child.stdin.flush()
    assert child.stdout.readline().startswith(b"source,name")
    assert child.stdout.readline().startswith(b"stdin,1,4H 6S")
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130
