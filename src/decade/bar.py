"""A progress bar on a terminal, for work that goes on for a while."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds before it shows."""


class Bar:
    """Says on stderr how far the work has come; nothing if that is no terminal."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.began = time.monotonic()
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.shown: tuple[Progress, TaskID] | None = None

    @property
    def passed(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self.began

    @property
    def due(self) -> bool:
        """Whether there is anything to show, and anyone to show it to."""
        return self.terminal and self.passed >= PATIENCE

    def show(self, done: float, total: float | None, before: str, after: str = "") -> None:
        """Say how much is done, of how much if that is known, and more round the time left."""
        if self.shown is None:
            self.shown = self._start()
        progress, task = self.shown
        progress.update(task, completed=done, total=total, before=before, after=after)

    def _start(self) -> tuple[Progress, TaskID]:
        from rich.console import Console  # noqa: PLC0415 (slow)
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = (
            *([TextColumn("{task.description}")] if self.name else []),
            BarColumn(bar_width=10),
            TextColumn("{task.fields[before]}, left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[after]}"),
        )
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        task = progress.add_task(self.name, total=None, before="", after="")
        progress.start()
        return progress, task

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar away."""
        if self.shown is not None:
            self.shown[0].stop()
            self.shown = None
