"""A play stepped through on a terminal, a screen for each step, by keys.

The terminal is put back as it was however the stepper ends: by a key, Ctrl-C, an error or a signal
that ends programs. While it is suspended (Ctrl-Z) the shell has the terminal to itself.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from decade.drawing import Layout, table_lines, words_line
from decade.render import Paper
from decade.steps import Steps

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"  # the other screen, no cursor, no wrapping of long lines
LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
CLEAR = "\x1b[H\x1b[2J"
ESCAPE_SECONDS = 0.05
"""How long after Esc the rest of a key's sequence may come."""

HELP = "q: quit  space →: next  ←: back  ↑ ↓: sets  Home End"
HELP_ASCII = "q: quit  space right: next  left: back  up down: sets  Home End"

KEYS = {
    **dict.fromkeys([" ", "\x1b[C", "\x1bOC", "l", "\r", "\n"], "next"),
    **dict.fromkeys(["\x1b[D", "\x1bOD", "h", "\x7f", "\b"], "back"),
    **dict.fromkeys(["\x1b[B", "\x1bOB", "j", "\x1b[6~"], "next set"),
    **dict.fromkeys(["\x1b[A", "\x1bOA", "k", "\x1b[5~"], "set before"),
    **dict.fromkeys(["\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~", "g"], "first"),
    **dict.fromkeys(["\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~", "G"], "last"),
    **dict.fromkeys(["q", "Q", "\x1b", ""], "quit"),
}


def moved(steps: Steps, index: int, action: str) -> int:
    """Say which step an action leads to.

    The arrows up and down go to the steps in which a set is about to go, then to the ends.
    """
    last = len(steps.states) - 1
    sets = [number for number, state in enumerate(steps.states) if state.going]
    target = {
        "next": index + 1,
        "back": index - 1,
        "next set": next((number for number in sets if number > index), last),
        "set before": next((number for number in reversed(sets) if number < index), 0),
        "first": 0,
        "last": last,
    }
    return max(0, min(last, target.get(action, index)))


def screen(
    steps: Steps, index: int, paper: Paper, layout: Layout, *, head: list[str], rows: int
) -> list[str]:
    """Lay out one step on a screen of so many rows; where there are too few, part of the table.

    The part is the one with the pile that the step is about.
    """
    top = [*head, "", *words_line(steps, index, paper), ""]
    keys = HELP if paper.symbols else HELP_ASCII
    bottom = ["", paper.style(keys[: paper.width], dim=True)]
    table = list(table_lines(steps, index, paper, layout))
    room = max(1, rows - len(top) - len(bottom))
    if len(table) > room:
        state = steps.states[index]
        pile = state.taken.pile if state.taken else state.position.last
        pile = state.going.pile if state.going else pile
        label = f"pile {pile + 1} "
        at = next((number for number, row in enumerate(table) if row.lstrip().startswith(label)), 0)
        start = max(0, min(at - room // 2, len(table) - room))
        table = table[start : start + room]
    return [*top, *table, *bottom][:rows]


class Stepper:
    """A terminal that shows a play on stdout, and reads keys from a descriptor.

    Signals are noted by Python and answered between two keys, where nothing is half drawn.
    """

    def __init__(
        self, steps: Steps, layout: Layout, head: Callable[[Paper], list[str]], keys: int
    ) -> None:
        self.steps = steps
        self.layout = layout
        self.head = head
        self.keys = keys
        self.index = 0

    def run(self) -> None:
        """Show steps until a key ends it."""
        mode = termios.tcgetattr(self.keys)
        with _noted(signal.SIGWINCH, signal.SIGTSTP, signal.SIGTERM, signal.SIGHUP) as signals:
            try:
                self._enter()
                while (action := self._action(signals)) != "quit":
                    if action == "suspend":
                        self._leave(mode)
                        os.kill(os.getpid(), signal.SIGSTOP)
                        self._enter()
                    self.index = moved(self.steps, self.index, action)
                    self._draw()
            finally:
                with suppress(OSError, termios.error):  # a terminal that has gone
                    self._leave(mode)

    def _enter(self) -> None:
        tty.setcbreak(self.keys, termios.TCSADRAIN)  # Ctrl-C and Ctrl-Z stay signals
        sys.stdout.write(ENTER)
        self._draw()

    def _leave(self, mode: list[Any]) -> None:
        termios.tcsetattr(self.keys, termios.TCSADRAIN, mode)
        sys.stdout.write(LEAVE)
        sys.stdout.flush()

    def _draw(self) -> None:
        paper = Paper.of(sys.stdout)
        rows = shutil.get_terminal_size((80, 24)).lines
        head = self.head(paper)
        lines = screen(self.steps, self.index, paper, self.layout, head=head, rows=rows)
        sys.stdout.write(CLEAR + "\n".join(lines))
        sys.stdout.flush()

    def _action(self, signals: int) -> str:
        """Wait for a key or a signal, and say what to do."""
        ready, _, _ = select.select([self.keys, signals], [], [])
        if signals not in ready:
            return KEYS.get(self._key(), "")
        number = os.read(signals, 1)[0]
        if number in (signal.SIGTERM, signal.SIGHUP):
            sys.exit(128 + number)
        return "suspend" if number == signal.SIGTSTP else ""

    def _key(self) -> str:
        """Read a key; the empty string where no more can come."""
        key = os.read(self.keys, 1)
        if key == b"\x1b":
            while select.select([self.keys], [], [], ESCAPE_SECONDS)[0]:
                more = os.read(self.keys, 1)
                key += more
                if not more or more == b"~" or (more.isalpha() and more != b"O"):
                    break
        return key.decode(errors="replace")


@contextmanager
def _noted(*numbers: signal.Signals) -> Iterator[int]:
    """Have signals written to a pipe, a byte with its number each; gives the end to read."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with ExitStack() as stack:
        stack.callback(os.close, reading)
        stack.callback(os.close, writing)
        stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writing))
        for number in numbers:
            before = signal.signal(number, lambda *_: None)
            stack.callback(signal.signal, number, before)
        yield reading
