"""The command `show`: all steps in a pipe, keys on a real terminal, and the page as a file."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from test_cli import ACM, OWN_TERMINAL, PROGRAM, SMALL, STUCK, call, environment, run

from decade.stepper import CLEAR, ENTER, LEAVE

KEYS = {"right": "\x1b[C", "left": "\x1b[D", "up": "\x1b[A", "down": "\x1b[B"}
KEYS |= {"home": "\x1b[H", "end": "\x1b[F", "space": " ", "esc": "\x1b"}


class Terminal:
    """The program on a terminal of its own, which is looked at and typed into."""

    def __init__(self, *args: str, rows: int = 24, stdin: int | None = None, **env: str) -> None:
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        self.mode = self.modes()
        self.seen = ""
        program = [*OWN_TERMINAL, *PROGRAM]
        if stdin is not None:  # the terminal is reached by stdout then
            program = [program[0], program[1], program[2].replace("ioctl(0,", "ioctl(1,"), *PROGRAM]
        self.child = subprocess.Popen(
            [*program, "show", *args],
            stdin=self.theirs if stdin is None else stdin,
            stdout=self.theirs,
            stderr=self.theirs,
            env=environment(**env),
            start_new_session=True,
        )

    def modes(self) -> list[Any]:
        return termios.tcgetattr(self.theirs)

    def press(self, *keys: str) -> None:
        for key in keys:
            os.write(self.ours, KEYS.get(key, key).encode())

    def until(self, text: str) -> str:
        """Read until a text is on the screen, and the screen is drawn up to its help; give it."""
        self.read(lambda: text in self.screen() and "q: quit" in self.screen())
        return self.screen()

    def drawn_after(self, act: Callable[[], object]) -> str:
        """Do something that has the screen drawn anew, and give that screen, up to its help."""
        seen = len(self.seen)
        act()
        self.read(lambda: CLEAR in self.seen[seen:] and "q: quit" in self.screen())
        return self.screen()

    def read(self, done: Callable[[], bool]) -> None:
        """Read what the program writes until something is so."""
        deadline = time.monotonic() + 30
        while not done():
            assert time.monotonic() < deadline, f"never so: {self.seen[-3000:]!r}"
            self._read()

    def screen(self) -> str:
        return self.seen.rpartition(CLEAR)[2].replace("\r\n", "\n")

    def end(self) -> tuple[int, str]:
        """Wait for the end; give the status, and what is on the ordinary screen then."""
        self.read(lambda: self.child.poll() is not None)
        while self._read():
            pass
        assert self.modes() == self.mode
        assert self.seen.count(ENTER) == self.seen.count(LEAVE)
        return self.child.returncode, self.seen.rpartition(LEAVE)[2].replace("\r\n", "\n")

    def _read(self) -> bool:
        if not select.select([self.ours], [], [], 0.1)[0]:
            return False
        self.seen += os.read(self.ours, 65536).decode()
        return True


@contextmanager
def terminal(*args: str, **options: Any) -> Iterator[Terminal]:
    shown = Terminal(*args, **options)
    try:
        yield shown
    finally:
        shown.child.kill()
        shown.child.wait()
        os.close(shown.ours)
        os.close(shown.theirs)


# In a pipe


def test_all_steps_are_printed() -> None:
    done = run("show", SMALL)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("winnable: this play leaves no card\n4 cards, rules decade, ")
    assert "\x1b" not in done.stdout
    assert [block.split(":")[0] for block in done.stdout.split("\n\n")[1:]] == [
        f"step {index} of 6" for index in range(7)
    ]
    assert "step 3 of 6: 4♦ is dealt to the line. K♣ and K♥ total 20 and go next.\n" in done.stdout
    assert "\n   line  [K♣ K♥] 4♦\n" in done.stdout


def test_deals_and_rules_are_given_as_to_solve() -> None:
    piles = run("show", "--seed", "1949", "--index", "2", "--rules", "seven-piles", "--piles", "3")
    assert piles.stdout.startswith("seed:1949:2: ")
    assert " pile 3  " in piles.stdout
    assert " pile 4  " not in piles.stdout
    assert run("show", "--pysol", "2", "--rules", "pysol").stdout.startswith("pysol:2: winnable")
    assert run("show", stdin="mine: 4 6 9\n").stdout.startswith("mine: unwinnable")


def test_the_best_play_of_an_unwinnable_deal() -> None:
    done = run("show", STUCK)
    assert done.returncode == 0
    assert done.stdout.startswith("unwinnable: every play leaves 3 cards or more\n")
    last = " ".join(done.stdout.rpartition("step ")[2].split())
    assert "The game ends with 3 cards left." in last


def test_nothing_to_show() -> None:
    unknown = run("show", "--node-limit", "1", "--rules", "loop", STUCK)
    assert unknown.returncode == 3
    assert unknown.stdout.startswith("unknown: a limit stopped the search")
    assert "step" not in unknown.stdout
    assert unknown.stderr.startswith("decade: stopped by --node-limit 1")
    lost = run("show", "--rules", "ten-twenty-thirty", ACM["lost"])
    assert lost.returncode == 1
    assert lost.stdout.startswith("unwinnable: no play eliminates all 7 piles\n")
    assert "step" not in lost.stdout


def test_wrong_use() -> None:
    for rules in (["--rules", "loop"], ["--piles", "2"]):
        done = call("show", "--layout", "hand", *rules, SMALL)
        assert done.exit_code == 2
        assert "--layout hand is for games with one straight line" in done.output
    assert call("show", "--force", SMALL).exit_code == 2
    assert call("show", "KC KC").exit_code == 2


def test_no_play_of_a_limit_is_written(tmp_path: Path) -> None:
    file = tmp_path / "play.html"
    limited = ["--rules", "loop", "--node-limit", "1"]
    assert call("show", *limited, "--html", str(file), STUCK).exit_code == 3
    assert not file.exists()


# The page


def test_a_page_is_written_and_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "play.html"
    done = call("show", "--html", str(file), SMALL)
    assert done.exit_code == 0
    assert done.output.endswith(f"\npage: {file}\n")
    written = file.read_text(encoding="utf-8")
    assert written.startswith("<!DOCTYPE html>")
    refused = call("show", "--html", str(file), "4 6 9")
    assert refused.exit_code == 2
    assert refused.output == f"decade: error: {file} is there already: --force replaces it\n"
    assert file.read_text(encoding="utf-8") == written
    assert call("show", "--force", "--html", str(file), "4 6 9").exit_code == 0
    assert file.read_text(encoding="utf-8") != written


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    done = call("show", "--html", str(tmp_path / "no" / "play.html"), SMALL)
    assert done.exit_code == 2
    assert "play.html: No such file or directory" in done.output


# On a terminal


def test_keys_step() -> None:
    with terminal(SMALL, NO_COLOR="1") as shown:
        first = shown.until("q: quit")
        assert "step 0 of 6: 4 cards lie face down in the stock." in first
        assert first.startswith("winnable: this play leaves no card\n")
        assert max(map(len, first.split("\n"))) <= 80
        for key, step in (
            *(("space", 1), ("right", 2), ("left", 1), ("down", 3), ("down", 5), ("down", 6)),
            *(("right", 6), ("up", 5), ("up", 3), ("home", 0), ("left", 0), ("end", 6)),
            *(("\x1bOH", 0), ("x", 0), ("\x1b[5;5~", 0), ("\x1bOF", 6)),
        ):
            assert f"step {step} of 6: " in shown.drawn_after(partial(shown.press, key))
        assert "won: no card is left on the table." in " ".join(shown.screen().split())
        shown.press("q")
        status, after = shown.end()
        assert status == 0
        assert after.startswith("winnable: this play leaves no card\n")
        assert "\x1b[3" not in shown.seen  # no colour


@pytest.mark.parametrize("key", ["q", "esc"])
def test_keys_that_end(key: str) -> None:
    with terminal(SMALL) as shown:
        shown.until("q: quit")
        assert "\x1b[32m" in shown.seen  # colour
        assert shown.modes() != shown.mode
        shown.press(key)
        assert shown.end()[0] == 0


def test_interrupt_restores_the_terminal() -> None:
    with terminal(SMALL) as shown:
        shown.until("q: quit")
        shown.press("\x03")
        assert shown.end() == (130, "interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_restore_the_terminal(number: signal.Signals) -> None:
    with terminal(SMALL) as shown:
        shown.until("q: quit")
        shown.child.send_signal(number)
        assert shown.end() == (128 + number, "")


def test_the_shell_has_the_terminal_while_it_is_suspended() -> None:
    with terminal(SMALL) as shown:
        shown.press("space")
        shown.until("step 1 of 6")
        shown.press("\x1a")
        os.waitpid(shown.child.pid, os.WUNTRACED)  # stopped
        shown.read(lambda: LEAVE in shown.seen)
        assert shown.modes() == shown.mode
        shown.child.send_signal(signal.SIGCONT)
        shown.press("space")
        shown.until("step 2 of 6")
        assert shown.modes() != shown.mode
        shown.press("q")
        assert shown.end()[0] == 0


def test_it_follows_the_size_of_the_window() -> None:
    with terminal("--seed", "1949", NO_COLOR="1") as shown:
        shown.press("end")
        shown.until("step 66 of 66")
        size = struct.pack("HHHH", 24, 50, 0, 0)
        screen = shown.drawn_after(lambda: fcntl.ioctl(shown.theirs, termios.TIOCSWINSZ, size))
        assert max(map(len, screen.split("\n"))) <= 50
        shown.press("q")
        assert shown.end()[0] == 0


def test_piles_and_the_hand_and_few_rows() -> None:
    with terminal("--rules", "nine-columns", "--seed", "1949", "--no-recycle", rows=12) as shown:
        shown.press("end")
        shown.until("q: quit")
        assert len(shown.screen().split("\n")) <= 12
        shown.press("q")
        assert shown.end()[0] == 0
    with terminal("--layout", "hand", SMALL, NO_COLOR="1") as shown:
        shown.press("space")
        screen = shown.until("step 1 of 6")
        assert "3 cards face down, 0 cards gone" in screen
        assert "deck  │ ▒▒▒" in screen
        shown.press("q")
        assert shown.end()[0] == 0


def test_a_deal_from_a_pipe_leaves_the_keys_to_the_terminal() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"4 6 9\n")
    os.close(writing)
    with terminal(stdin=reading) as shown:
        os.close(reading)
        shown.press("end")
        shown.until("step 4 of 4")
        shown.press("q")
        assert shown.end()[0] == 0


def test_a_dumb_terminal_gets_all_steps() -> None:
    with terminal(SMALL, TERM="dumb") as shown:
        status, text = shown.end()
    assert status == 0
    assert text.count("\nstep ") == 7
    assert "\x1b" not in text
