"""The command line as its users meet it: pipes, terminals, exit statuses and clear errors."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from decade.cards import Deal
from decade.cli import cli
from decade.play import Move, replay
from decade.render import Paper, chance
from decade.rules import PRESETS, Rules

SMALL = "KC KH 4D 6S"  # two kings, then four and six
STUCK = "TS 5C 2S KD 7C QS 3C QH KC"  # three cards are left at best
TWO_WAYS = (
    "4H 5C 9C 8S 4C 4D 9H AS 7C 3H 7D QC KH JS 5D 5H 9D 10S 6D 7S TC JD 6C 2H 3D QH KD 3C KC 4S "
    "6H 8H QS 2C 9S 6S KS 2S 2D 10H QD AH AD JC 8D 3S TD 5S JH 8C 7H AC"
)
ONE_NODE = ("--rules", "max-three", "--node-limit", "1", TWO_WAYS)
TWO_PACKS = (
    "JS 4S AH 5S QS 7D 9D 3D 5D 10S KS 6H 3D 8S 4D 6C 7S 3C 6S 2D TS JH 9C KH 6D QH TH 8H JS 6D "
    "3S QC KS 9S 2S 10C 4C 8D 4H AS 8C 4C JC KH 5H 9D 6H 5C 3C 10D 5S 7H QH 3H QS 2C 7C 2S AC 9C "
    "2H KC 8S 2H 7H KD KC AC 4D 2C 8D 10H AH QC 5D 9H 5C 7D 3H 9H 3S 6S JH 8H 7S QD TD AD 2D AD "
    "8C 4H 4S KD AS 5H JD JD 6C QD TC 7C JC 9S"
)
ACM = {
    "won": (
        "2 6 5 10 10 4 10 10 10 4 5 10 4 5 10 9 7 6 1 7 6 9 5 3 10 10 4 10 9 2 1 10 1 10 10 10 3 "
        "10 9 8 10 8 7 1 2 8 6 7 3 3 8 2"
    ),
    "lost": (
        "4 3 2 10 8 10 6 8 9 5 8 10 5 3 5 4 6 9 9 1 7 6 3 5 10 10 8 10 9 10 10 7 2 6 10 10 4 10 1 "
        "3 10 1 1 10 2 2 10 4 10 7 7 10"
    ),
    "draw": (
        "10 5 4 3 5 7 10 8 2 3 9 10 8 4 5 1 7 6 7 2 6 9 10 2 3 10 3 4 4 9 10 1 1 10 5 10 10 1 8 10 "
        "7 8 10 6 10 10 10 9 6 2 10 10"
    ),
}
PROGRAM = [sys.executable, "-m", "decade"]
OWN_TERMINAL = [  # makes its stdin the terminal whose Ctrl-C it gets, then becomes the program
    sys.executable,
    "-Sc",
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])",
]


def environment(**changes: str) -> dict[str, str]:
    """Give an environment in which nothing of the machine's own settings shows."""
    drop = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES", "PYTHONIOENCODING")
    kept = {key: value for key, value in os.environ.items() if key not in drop}
    return kept | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"} | changes


def run(
    *args: str, stdin: str | bytes | None = None, program: list[str] = PROGRAM, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the program in pipes."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*program, *args],
        input=given or b"",
        capture_output=True,
        env=environment(**env),
        timeout=60,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def terminal(
    *args: str,
    program: list[str] = PROGRAM,
    columns: int = 80,
    wait_for: str = "",
    keys: str = "",
    **env: str,
) -> tuple[int, str]:
    """Run the program on a terminal of its own; once it shows a text, press keys."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen(
        [*OWN_TERMINAL, *program, *args],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(**env),
        start_new_session=True,
    )
    os.close(theirs)
    seen, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
        if keys and wait_for.encode() in seen:
            os.write(ours, keys.encode())
            keys = ""
    if time.monotonic() >= deadline:
        child.kill()
    status = child.wait(timeout=10)
    os.close(ours)
    return status, seen.decode().replace("\r\n", "\n")


def call(*args: str, stdin: str | bytes = "") -> Result:
    """Run a command inside this process."""
    return CliRunner().invoke(cli, list(args), input=stdin, prog_name="decade")


def results(text: str) -> list[dict[str, object]]:
    """Read JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]


# solve


@pytest.mark.parametrize(
    ("rules", "deal", "verdict", "remaining", "counts"),
    [
        ("decade", "2D JD TD 6D", "unwinnable", 2, (1, 0, [0, 1])),
        ("decade", STUCK, "unwinnable", 3, (2, 0, [0, 1])),
        ("decade", TWO_WAYS, "winnable", 0, (4, 2, [1, 2])),
        ("decade", TWO_PACKS, "unwinnable", 14, None),
        ("max-three", "6D 10D QS 3C", "unwinnable", 2, (1, 0, [0, 1])),
        ("fives", "6C 7C 8D AS 5H 2C 2S", "unwinnable", 1, (1, 0, [0, 1])),
        ("loop", "KC KH JS 10C 8S 4C", "unwinnable", 2, (3, 0, [0, 1])),
        ("loop-max-three", "JC 6D 7H 10D KH KS KD 5H", "unwinnable", 4, (1, 0, [0, 1])),
        ("seven-piles", "9D 5C JH", "unwinnable", 3, (1, 0, [0, 1])),
        ("seven-piles-loop", "2C 2H KD 2D 3C 6H 9S 6D", "unwinnable", 8, (1, 0, [0, 1])),
        ("ten-twenty-thirty", "8H 7S 5S 9H 7D", "unwinnable", None, None),
        ("nine-columns", "QC", "unwinnable", None, None),
    ],
)
def test_solve_known_answers(
    rules: str,
    deal: str,
    verdict: str,
    remaining: int | None,
    counts: tuple[int, int, list[int]] | None,
) -> None:
    done = call("solve", "--rules", rules, "--json", *(["--count"] if counts else []), deal)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["verdict"], found["remaining"], found["rules"]) == (verdict, remaining, rules)
    if counts:
        assert (found["lines"], found["winning_lines"], found["random_win"]) == counts
    if remaining is not None:
        moves = [Move.from_dict(move) for move in found["moves"]]
        assert replay(Deal.parse(deal).values(), PRESETS[rules], moves) == remaining


def test_solve_prints_the_play() -> None:
    done = run("solve", *SMALL.split())
    assert done.returncode == 0
    verdict, about, *play = done.stdout.splitlines()
    assert verdict == "winnable: this play leaves no card"
    assert about.startswith("4 cards, rules decade, ")
    assert about.endswith(" searched")
    assert play == [
        "",
        "dealt  total  the line with the [set] taken",
        "    3     20  [K♣ K♥] 4♦",
        "    4     10  [4♦ 6♠]",
        " left         nothing",
    ]
    assert done.stderr == ""


def test_solve_prints_what_is_left() -> None:
    done = run("solve", stdin=f"# typed by hand\n\nmonday: {STUCK}  # three are left\n")
    lines = done.stdout.splitlines()
    assert lines[0] == "monday: unwinnable: every play leaves 3 cards or more"
    assert lines[-1].startswith(" left         ")
    assert len(lines[-1].split()) == 4


def test_solve_prints_the_pile_concerned() -> None:
    done = run("solve", "--piles", "2", "--opening", "1", "K 4 K 5")
    assert done.stdout.splitlines()[3:] == [
        "dealt  pile     total  the pile with the [set] taken",
        "    3  pile 1      20  [K K]",
        " left  pile 2          4 5",
    ]
    assert "own rules (piles 2, opening 1)" in done.stdout


def test_solve_marks_a_set_round_the_seam() -> None:
    done = run("solve", "--rules", "loop", "3 9 7")
    assert "    3     10  [3] 9 [7]" in done.stdout.splitlines()


def test_solve_says_what_the_target_is() -> None:
    done = run("solve", "--target", "3", STUCK)
    assert done.stdout.startswith("winnable: this play leaves 3 cards, and the target is 3\n")


def test_solve_says_whether_piles_are_eliminated() -> None:
    done = run("solve", "--rules", "ten-twenty-thirty", "8H 7S 5S 9H 7D")
    assert done.stdout.startswith("unwinnable: no play eliminates all 7 piles\n")
    assert "dealt" not in done.stdout  # there is no play to show
    done = run("solve", "--rules", "ten-twenty-thirty", ACM["won"])
    assert done.stdout.startswith("winnable: this play eliminates all 7 piles\n")
    assert done.stdout.endswith("cards still in the stock\n")


def test_solve_prints_the_counts() -> None:
    done = run("solve", "--count", TWO_WAYS)
    assert done.stdout.splitlines()[-5:] == [
        "lines of play  4",
        "winning lines  2",
        "random player  1/2 = 50 %, 1 in 2",
        "grade          easy",
        "decisions      2 on this play, 1 lose the game when missed",
    ]


def test_counts_in_json_come_with_the_grade() -> None:
    found = json.loads(call("solve", "--count", "--json", TWO_WAYS).stdout)
    assert (found["grade"], found["decisions"], found["critical"]) == ("easy", 2, 1)
    assert "grade" not in json.loads(call("solve", "--count", "--json", STUCK).stdout)


POSITION = ["--table", "4 8 3 3 J 6", "--stock", "9 K 2"]


def test_a_game_is_gone_on_with() -> None:
    lines = run("solve", *POSITION).stdout.splitlines()
    assert lines[:2] == [
        "unwinnable: every play leaves 4 cards or more",
        "9 cards (6 on the table), rules decade, 1 node searched",
    ]
    assert "    6     30  4 [8 3 3 J 6]" in lines
    found = json.loads(call("solve", "--json", *POSITION).stdout)
    assert (found["table"], found["stock"], found["next"]) == ("4 8 3 3 J 6", "9 K 2", 0)
    checked = run("verify", stdin=json.dumps(found) + "\n")
    assert (checked.returncode, "agrees: 4 cards left" in checked.stdout) == (0, True)
    played = run("play", "--policy", "front", *POSITION)
    assert played.stdout.startswith("lost: 9 cards dealt, 4 cards left")


def test_rows_of_a_batch_that_are_no_deals_are_passed_over(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    (tmp_path / "deals.txt").write_text("4H 6S\nmine: 4H XX\n")
    assert call("batch", str(tmp_path / "deals.txt"), "-o", str(rows)).exit_code == 0
    done = run("verify", str(rows))
    assert done.returncode == 0
    first, second = done.stdout.splitlines()
    assert ": agrees: 0 cards left" in first
    assert f"{rows}:2: 2: nothing to replay: no deal: card 2: 'XX'" in second


def test_piles_of_a_game_that_is_gone_on_with() -> None:
    table = ["--piles", "3", "--table", "4 | 3 3 J | 6", "--stock", "9 A"]
    lines = run("solve", *table, "--next", "1").stdout.splitlines()
    assert [line.split() for line in lines[4:]] == [
        ["left", "pile", "1", "4"],
        ["pile", "2", "3", "3", "J", "9"],
        ["pile", "3", "6", "A"],
    ]


@pytest.mark.parametrize(
    ("args", "status"),
    [([SMALL], 0), ([STUCK], 1), (ONE_NODE, 3), (["4H 4H"], 2)],
)
def test_quiet_is_silent_and_its_status_is_the_verdict(args: Sequence[str], status: int) -> None:
    done = run("solve", "-q", *args)
    assert (done.returncode, done.stdout) == (status, "")
    assert bool(done.stderr) == (status == 2)


def test_unknown_names_the_limit() -> None:
    done = run("solve", *ONE_NODE)
    assert done.returncode == 0
    assert done.stdout.startswith("unknown: ")
    assert done.stderr == "decade: stopped by --node-limit 1: give a larger one to search further\n"
    done = run("solve", "--json", *ONE_NODE)
    assert json.loads(done.stdout)["verdict"] == "unknown"
    assert "--node-limit" in done.stderr


def test_limits_as_large_as_one_likes() -> None:
    huge = str(10**30)
    done = run("solve", "-q", "--node-limit", huge, "--memory-limit", huge, SMALL)
    assert (done.returncode, done.stderr) == (0, "")


def test_options_override_the_rule_set() -> None:
    done = call("solve", "--json", "--rules", "loop", "--no-wrap", "--reach", "any", SMALL)
    assert json.loads(done.stdout)["rules"] == "decade"
    options = (
        "--totals 7,14,21,28,35,42,49 --min-cards 1 --max-cards 4 --face-values 11,12,13 "
        "--opening 1 --discard optional --wrap --no-wrap --piles 1 --no-recycle --target 0"
    )
    done = call("play", "--json", *options.split(), SMALL)
    assert json.loads(done.stdout)["rules"] == "seven-up"
    done = call("play", "--json", "--rules", "max-three", "--max-cards", "none", SMALL)
    assert json.loads(done.stdout)["rules"] == "decade"


@pytest.mark.parametrize(
    ("stdin", "name"),
    [
        ("first: KC KH 4D 6S", "first"),
        ("pysol:12\tKC KH 4D 6S\n", "pysol:12"),
        ("\ufeff# a comment\n\nKC,KH,4D,6S  # cards\n", "3"),
    ],
)
def test_solve_reads_one_deal_from_stdin(stdin: str, name: str) -> None:
    found = json.loads(run("solve", "--json", stdin=stdin).stdout)
    assert (found["name"], found["deal"]) == (name, SMALL)


def test_only_names_that_were_given_are_shown() -> None:
    assert run("solve", stdin=f"\r\n{SMALL}\r\n").stdout.startswith("winnable: ")
    assert run("play", stdin=SMALL).stdout.startswith("won: ")
    assert run("play", stdin=f"x: {SMALL}").stdout.startswith("x: won: ")
    done = run("solve", stdin=f"{'long' * 100}: {SMALL}")
    assert done.stdout.startswith("longlonglonglonglongl...: winnable: ")


def test_a_comment_in_an_argument_ends_with_it() -> None:
    found = json.loads(call("solve", "--json", "KC KH # kings", "4D 6S").stdout)
    assert found["deal"] == SMALL
    assert found.get("name") is None


def test_several_deals_on_stdin_are_an_error() -> None:
    done = run("solve", stdin=f"{SMALL}\n# none\n{SMALL}\n\nx: {STUCK}\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("decade: error: stdin: 3 deals (lines 1, 3, 5), but one is wanted\n")


# What goes wrong


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (["solve"], "", "there is no deal"),
        (["solve"], "# nothing\n", "there is no deal"),
        (["solve"], b"KC KH\n\xff\n", "stdin, line 2: this is not UTF-8 text"),
        (["solve"], "\nKC XX", "stdin, line 2: card 2: 'XX'"),
        (["solve"], f"{SMALL}\n" * 5000, "5000 deals (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)"),
        (["solve", "4H 8C", "4H"], "", "4H occurs 2 times"),
        (["solve", "5X"], "", "card 1: '5X'"),
        (["solve", ""], "", "but this one has none"),
        (["solve", "A " * 105], "", "from 1 to 104 cards"),
        (["solve", "--packs", "3", "4H"], "", "the number of packs is 1 or 2"),
        (["solve", "--packs", "x", "4H"], "", "--packs"),
        (["solve", "--rules", "dekade", "4H"], "", "did you mean 'decade'?"),
        (["solve", "--rules", "", "4H"], "", "there is no rule set ''"),
        (["solve", "--rules", "no/such.toml", "4H"], "", "no/such.toml: cannot be read"),
        (["solve", "--totals", "9,x", "4H"], "", "'9,x' is not a list of whole numbers"),
        (["solve", "--totals", "", "4H"], "", "is not a list of whole numbers"),
        (["solve", "--totals", "0", "4H"], "", "whole number from 1"),
        (["solve", "--max-cards", "lots", "4H"], "", "'lots' is neither a whole number nor none"),
        (["solve", "--max-cards", "1", "4H"], "", "at least min_cards (2), not 1"),
        (["solve", "--face-values", "1,2", "4H"], "", "three whole numbers"),
        (["solve", "--reach", "up", "4H"], "", "--reach"),
        (["solve", "--discard", "never", "4H"], "", "--discard"),
        (["solve", "--recycle", "4H"], "", "recycle"),
        (["solve", "--piles", "99", "4H"], "", "piles must be a whole number from 1 to 52"),
        (["solve", "--opening", "0", "4H"], "", "opening must be"),
        (["solve", "--target", "-1", "4H"], "", "target must be"),
        (["solve", "--min-cards", "9" * 40, "4H"], "", "min_cards must be"),
        (["solve", "--node-limit", "0", "4H"], "", "--node-limit"),
        (["solve", "--memory-limit", "0", "4H"], "", "--memory-limit"),
        (["solve", "--rules", "seven-piles", "--recycle", "--count", "4H"], "", "count"),
        (["solve", "-q", "--json", "4H"], "", "choose one"),
        (["solve", "--nonsense", "4H"], "", "No such option"),
        (["play", "--policy", "best", "4H"], "", "--policy"),
        (["play", "--policy-seed", "1", "4H"], "", "--policy-seed is for --policy random"),
        (["solve", "--pysol", "0"], "", "'0' is no PySolFC number: they go from 1 to 1000"),
        (["solve", "--ms", "x"], "", "'x' is no Microsoft number"),
        (["solve", "--seed", "-1"], "", "-1 is no seed: they go from 0 to"),
        (["solve", "--seed", "1", "--index", "-1"], "", "-1 is no index"),
        (["solve", "--index", "1"], "", "--index says which deal of --seed"),
        (["solve", "--ms", "1", "--pysol", "1"], "", "--pysol and --ms each give a deal"),
        (["solve", "--ms", "1", "4H"], "", "--ms gives the whole deal: no cards with it"),
        (["solve", "--ms", "1", "--packs", "1"], "", "no --packs with it"),
        (["solve", "--rules", "pysol", "--count", "4H"], "", "discards are optional"),
        (["deal"], "", "say which deal: --pysol N, --ms N or --seed S"),
        (["solve", "--stock", "4H"], "", "--stock goes with --table"),
        (["solve", "--next", "1", "4H"], "", "--next goes with --table"),
        (["solve", "--table", "4H", "4C"], "", "--table gives the cards: no cards with it"),
        (["solve", "--table", "4H", "--ms", "1"], "", "--table gives the cards: no --ms with it"),
        (["solve", "--table", "4H X"], "", "card 2: 'X'"),
        (["solve", "--table", "4H", "--stock", "4H"], "", "4H occurs 2 times"),
        (["solve", "--table", "4H | 5"], "", "the table has 2 piles, but the rules have 1"),
        (["solve", "--table", "4H", "--next", "1"], "", "there is no pile 1"),
        (["deal", "--seed", "1", "--count", "0"], "", "Invalid value for '--count'"),
        (["deal", "--ms", "8589934592"], "", "is no Microsoft number"),
        (["rules", "dekade"], "", "did you mean 'decade'?"),
        (["rules", "--toml"], "", "name the rule set"),
        (["rules", "--toml", "--json", "loop"], "", "choose one"),
        (["verify"], "", "stdin: there is no result"),
        (["verify", "no/such.jsonl"], "", "no/such.jsonl: No such file or directory"),
        (["verify", "/"], "", "/: Is a directory"),
        (["verify", "a\0b"], "", "embedded null byte"),
        (["verify"], b"\n\xff", "stdin, line 2: this is not UTF-8 text"),
        (["verify"], "\n{", "stdin, line 2: not JSON"),
        (["verify"], "nonsense", "stdin, line 1: not JSON"),
        (["verify"], "\n\n[]", "stdin, line 3: "),
        (["verify"], '{"deal": "4H"}', "stdin, line 1: "),
        (["verify"], "[" * 100_000, "stdin, line 1: "),
        (["nonsense"], "", "No such command"),
    ],
)
def test_bad_input_is_one_clear_message(args: list[str], stdin: str | bytes, message: str) -> None:
    done = call(*args, stdin=stdin)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert done.stdout == ""
    assert message in " ".join(done.stderr.split())
    assert done.stderr.lower().count("error:") == 1
    assert len(done.stderr) < 600


def test_bytes_that_are_no_text_as_an_argument() -> None:
    done = subprocess.run(
        [*PROGRAM, "solve", b"4H\xff"], capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"decade: error: card 1: ")


def test_a_file_of_rules_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_bytes(b"piles = 2\n\xff")
    done = call("solve", "--rules", str(path), "4H")
    assert done.exit_code == 2
    assert "my.toml: is not UTF-8 text (line 2)" in done.stderr


def test_no_cards_on_a_terminal_do_not_hang() -> None:
    for command in ("solve", "play"):
        status, text = terminal(command)
        assert status == 2
        assert f"decade {command} KC KH 4D 6S" in text
    status, text = terminal("verify")
    assert status == 2
    assert "nothing to read" in text


def test_stdin_may_be_closed() -> None:
    script = f'"{sys.executable}" -m decade solve <&-'
    done = run("-c", script, program=["/bin/sh"])
    assert done.returncode == 2
    assert "no cards" in done.stderr


def test_broken_pipe_is_silent() -> None:
    script = f'"{sys.executable}" -m decade rules | true; echo "${{PIPESTATUS[0]}}"'
    done = run("-c", script, program=["/bin/bash"])
    assert (done.stdout, done.stderr) == ("141\n", "")
    script = f'"{sys.executable}" -m decade solve {TWO_WAYS} | head -1'
    done = run("-c", script, program=["/bin/bash"])
    assert (done.stdout, done.stderr) == ("winnable: this play leaves no card\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_an_error() -> None:
    script = f'"{sys.executable}" -m decade solve {SMALL} > /dev/full'
    done = run("-c", script, program=["/bin/sh"])
    assert done.returncode == 2
    assert done.stderr == "decade: error: cannot write the output: No space left on device\n"


# Terminals


def test_colour_on_a_terminal_only() -> None:
    status, text = terminal("solve", SMALL)
    assert status == 0
    assert "\x1b[32m\x1b[1mwinnable\x1b[0m" in text
    assert "\x1b[31m" in text.splitlines()[4]  # the king of hearts
    plain = run("solve", SMALL).stdout
    assert "\x1b" not in plain
    assert terminal("solve", SMALL, NO_COLOR="1") == (0, plain)
    assert terminal("solve", SMALL, NO_COLOR="")[1] == text
    assert terminal("solve", SMALL, TERM="dumb") == (0, plain)
    assert run("solve", SMALL, FORCE_COLOR="1").stdout == plain
    assert terminal("rules", NO_COLOR="1") == (0, run("rules").stdout)


def test_letters_where_symbols_cannot_be_written() -> None:
    done = run("solve", stdin=f"é: {SMALL}", PYTHONIOENCODING="ascii")
    assert done.stdout.startswith("\\xe9: winnable: ")
    assert "[KC KH] 4D" in done.stdout
    found = json.loads(run("solve", "--json", stdin=f"é: {SMALL}", PYTHONIOENCODING="ascii").stdout)
    assert found["name"] == "é"


def test_control_characters_in_a_name_do_not_reach_the_terminal() -> None:
    done = run("solve", stdin=f"a\x1b[31mb: {SMALL}")
    assert done.stdout.startswith("a\\x1b[31mb: winnable: ")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_everything_fits(columns: int) -> None:
    texts = [terminal("solve", TWO_PACKS, columns=columns, NO_COLOR="1")[1]]
    texts.append(terminal("rules", columns=columns, NO_COLOR="1")[1])
    texts.append(
        run("play", "--steps", "--rules", "face-up", TWO_WAYS, COLUMNS=str(columns)).stdout
    )
    for text in texts:
        assert max(map(len, text.splitlines())) <= min(columns, 80)


@pytest.mark.parametrize(
    "command", ["", "solve", "show", "verify", "rules", "play", "find", "advise"]
)
def test_help_fits_and_has_an_example(command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    if command:
        assert f"\n    decade {command}" in done.stdout


# Threes cannot clear 52 cards, and with so many totals it takes long to find that out.
HARD = [
    *("--opening", "52", "--min-cards", "3", "--max-cards", "3", "--wrap"),
    *("--totals", ",".join(map(str, range(8, 24)))),
]


def test_spinner_and_interrupt() -> None:
    start = time.monotonic()
    status, text = terminal("solve", *HARD, TWO_WAYS, wait_for="searching", keys="\x03")
    assert status == 130
    assert text.splitlines()[-1].endswith("interrupted")
    assert "Traceback" not in text
    assert 2 < time.monotonic() - start < 10
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # the cursor is shown again


def test_interrupt_in_a_pipe() -> None:
    child = subprocess.Popen(
        [*PROGRAM, "solve", *HARD, TWO_WAYS],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert child.communicate(timeout=10) == (b"", b"interrupted\n")
    assert child.returncode == 130
    assert time.monotonic() - start < 1


def test_nothing_slow_is_loaded() -> None:
    program = [sys.executable, "-X", "importtime", "-m", "decade"]
    for args in (["solve", "--help"], ["solve", "XX"], ["solve", SMALL], ["show", SMALL]):
        loaded = {
            line.rpartition("|")[2].strip()
            for line in run(*args, program=program).stderr.splitlines()
            if line.startswith("import time:")
        }
        assert "click" in loaded
        assert not loaded & {"numpy", "rich", "rich.console"}


def test_version() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("decade, version ")


# verify


def solved(*args: str) -> dict[str, Any]:
    """Solve a deal and read the result."""
    found: dict[str, Any] = json.loads(call("solve", "--json", *args).stdout)
    return found


def test_verify_agrees_with_solve() -> None:
    lines = [
        call("solve", "--json", "--rules", name, "--count", deal).stdout
        if "ten" not in name
        else call("solve", "--json", "--rules", name, deal).stdout
        for name in ("decade", "loop", "seven-piles", "ten-twenty-thirty")
        for deal in (ACM["won"], STUCK)
    ]
    done = call("verify", stdin="".join(lines))
    assert done.exit_code == 0, done.output
    told = done.stdout.splitlines()
    assert told[0].startswith("stdin:1: agrees: ")
    assert told[-1] == "stdin:8: nothing to replay: unwinnable, with no play to show"


def test_verify_reads_files_and_spread_out_objects(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    first, second = solved(SMALL) | {"name": "one"}, solved(STUCK)
    path.write_text(json.dumps(first, indent=2) + "\n\n" + json.dumps(second))
    done = call("verify", "--json", str(path), str(path))
    assert done.exit_code == 0
    found = results(done.stdout)
    assert len(found) == 4
    assert found[0] == {
        "file": str(path),
        "line": 1,
        "name": "one",
        "status": "agrees",
        "remaining": 0,
        "reason": "0 cards left after 2 sets",
    }
    assert (found[1]["name"], found[1]["remaining"]) == (None, 3)
    assert found[1]["line"] == len(json.dumps(first, indent=2).splitlines()) + 2


def test_verify_finds_what_is_wrong() -> None:
    good = solved(SMALL)
    moves = good["moves"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"remaining": 2}, "disagrees: 0 cards left after 2 sets, but it claims 2"),
        ({"verdict": "unwinnable"}, "disagrees: 0 cards left after 2 sets: won, but it says"),
        ({"moves": moves[:1]}, "illegal: move 2: the play stops where a set must be taken"),
        ({"moves": moves[1:]}, "illegal: move 1: "),
        ({"moves": [moves[0] | {"total": 30}, moves[1]]}, "illegal: move 1: "),
        ({"moves": [moves[0] | {"cards": [0, 99]}, moves[1]]}, "illegal: move 1: "),
    ]
    for change, message in wrong:
        done = call("verify", stdin=json.dumps(good | change))
        assert done.exit_code == 1, done.output
        assert done.stdout.startswith(f"stdin:1: {message}")
    done = call("verify", stdin=json.dumps(good | {"remaining": 2}) + json.dumps(good))
    assert done.exit_code == 1
    assert len(done.stdout.splitlines()) == 2


def test_verify_never_takes_a_win_on_trust() -> None:
    claim: dict[str, Any] = {
        "verdict": "winnable",
        "moves": [],
        "remaining": None,
        "nodes": 1,
        "seconds": 0.0,
    }
    for rules in ("ten-twenty-thirty", "decade"):
        result = claim | {"name": None, "deal": "8H 7S 5S", "rules": rules}
        done = call("verify", stdin=json.dumps(result))
        assert done.exit_code in (1, 2)
        assert "agrees: " not in done.stdout.replace("disagrees: ", "")


def test_verify_says_when_there_is_nothing_to_replay() -> None:
    done = call("verify", stdin=json.dumps(solved(*ONE_NODE)))
    assert done.exit_code == 0
    assert done.stdout == "stdin:1: nothing to replay: unknown, with no play to show\n"


def test_verify_under_other_rules() -> None:
    text = json.dumps(solved("--max-cards", "3", SMALL))
    assert call("verify", "--rules", "decade", stdin=text).exit_code == 0
    done = call("verify", "--totals", "10", stdin=text)
    assert done.exit_code == 1
    assert "illegal" in done.stdout


def test_verify_stops_at_what_it_cannot_read() -> None:
    done = call("verify", stdin=json.dumps(solved(SMALL)) + "\n{]\n")
    assert done.exit_code == 2
    assert done.stdout.startswith("stdin:1: agrees")
    assert "stdin, line 2: not JSON" in done.stderr


# rules


def test_rules_lists_every_rule_set() -> None:
    text = run("rules").stdout
    assert [name for name in PRESETS if f"\n{name} " not in text] == []
    assert "totals 9,19,29" in text


@pytest.mark.parametrize("name", PRESETS)
def test_rules_describes_prints_and_reads_back(name: str, tmp_path: Path) -> None:
    assert call("rules", name).stdout == PRESETS[name].describe() + "\n"
    for suffix in ("toml", "json"):
        path = tmp_path / f"my.{suffix}"
        path.write_text(call("rules", name, f"--{suffix}").stdout)
        found = json.loads(call("rules", str(path), "--json").stdout)
        assert Rules.from_dict(found) == PRESETS[name]


def test_a_file_of_rules_plays(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text("wrap = true\nreach = 'top'\n")
    assert solved("--rules", str(path), SMALL)["rules"] == "loop"


# play


@pytest.mark.parametrize(("outcome", "dealt"), [("won", 66), ("lost", 82), ("draw", 73)])
def test_play_the_programming_finals(outcome: str, dealt: int) -> None:
    args = ("play", "--rules", "ten-twenty-thirty", ACM[outcome])
    assert call(*args).stdout.startswith(f"{outcome}: {dealt} cards dealt")
    found = json.loads(call(*args, "--json").stdout)
    assert (found["outcome"], found["dealt"], found["policy"]) == (outcome, dealt, "front")
    steps = call(*args, "--steps").stdout.splitlines()
    assert len([line for line in steps if "[" in line]) == len(found["moves"]) + 1
    if outcome == "draw":
        assert steps[-1].endswith("the position recurs: this can go on for ever")


@pytest.mark.parametrize("policy", ["front", "back", "longest", "shortest", "random"])
def test_play_by_every_policy(policy: str) -> None:
    done = call("play", "--policy", policy, SMALL)
    assert done.stdout.startswith("won: 4 cards dealt, 0 cards left\n")
    assert f"policy {policy}" in done.stdout


def test_a_random_play_names_its_seed_and_can_be_repeated() -> None:
    args = ("play", "--json", "--policy", "random", "--rules", "loop", TWO_WAYS)
    first = json.loads(call(*args).stdout)
    again = json.loads(call(*args, "--policy-seed", str(first["seed"])).stdout)
    assert first == again
    assert (
        f"seed {first['seed']}"
        in call(*args[:1], *args[2:], "--policy-seed", str(first["seed"])).stdout
    )


# Text


def test_huge_counts_are_printed_whole() -> None:
    program = [
        sys.executable,
        "-c",
        "import decade, decade.cli, decade.cli_search, dataclasses, fractions\n"
        "solve = decade.solve\n"
        "counts = decade.Counts(10**9000, 1, fractions.Fraction(1, 10**9000))\n"
        "decade.cli_search.search = lambda *args, **options: dataclasses.replace(\n"
        "    solve(*args, **options), counts=counts)\n"
        "decade.cli.main()",
    ]
    text = run("solve", "--count", SMALL, program=program).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("0") > 18_000
    assert "1 in 1e+9000" in text
    printed = run("solve", "--count", "--json", SMALL, program=program).stdout
    assert '"lines": 1' + "0" * 9000 in printed
    assert run("verify", stdin=printed).returncode == 0


def test_chances_are_never_rounded_to_certainty() -> None:
    assert chance(Fraction(0)) == "0, never wins"
    assert chance(Fraction(1)) == "1, always wins"
    assert chance(Fraction(127, 128)) == "127/128 = 99.22 %, 1 in 1.008"
    assert "over 99.99 %" in chance(1 - Fraction(1, 10**40))
    assert chance(Fraction(1, 10**400)).endswith("1e-398 %, 1 in 1e+400")


def test_wrapped_lines_are_indented() -> None:
    paper = Paper(width=19)
    assert list(paper.wrap("lead: ", ["aaaa", "bbbb", "cccc", "d"])) == [
        "lead: aaaa bbbb",
        "      cccc d",
    ]
    assert list(paper.wrap("lead: ", ["a" * 30, "b"])) == ["lead: " + "a" * 30, "      b"]
    assert list(paper.wrap("lead: ", [])) == ["lead:"]


def test_deals_by_number_are_those_of_the_library_and_read_back() -> None:
    printed = call("deal", "--pysol", "9938", "--count", "2").stdout.splitlines()
    assert [line.split(": ")[0] for line in printed] == ["pysol:9938", "pysol:9939"]
    read = json.loads(call("solve", "--rules", "pysol", "--json", stdin=printed[1]).stdout)
    made = json.loads(call("solve", "--rules", "pysol", "--json", "--pysol", "9939").stdout)
    assert (read["name"], read["remaining"]) == ("pysol:9939", 9)
    assert {**read, "seconds": 0} == {**made, "seconds": 0}


def test_seeded_deals_follow_each_other() -> None:
    printed = call("deal", "--seed", "5", "--index", "10", "--count", "3").stdout.splitlines()
    assert printed[2] == call("deal", "--seed", "5", "--index", "12").stdout.strip()
    assert printed[0].startswith("seed:5:10: ")


def test_pysol_plays_say_what_to_deal_and_click() -> None:
    deal = "2H 4H 4C QS 9D AD"
    lines = [line.strip() for line in call("solve", "--rules", "pysol", deal).stdout.splitlines()]
    assert lines[4:] == [
        "4     20  [2♥ 4♥ 4♣ Q♠]",
        "deal 4 cards and click 2♥ and Q♠",
        "6     10  [9♦ A♦]",
        "deal 2 cards and click 9♦ and A♦",
        "left         nothing",
    ]
    assert "click" not in call("solve", deal).stdout
    ends = call("solve", "--rules", "pysol", "4H 6C 9D 3S").stdout.splitlines()
    assert ends[-2].strip() == "deal 2 cards"
