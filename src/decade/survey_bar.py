"""How far a survey has come, on a terminal: deals, the rate so far, deals a second, time left."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from decade.survey_run import Goal
from decade.survey_state import Survey
from decade.survey_text import percent

PATIENCE = 2.0
"""Seconds before the progress bar shows."""


class Bar:
    """A progress bar on a terminal, for work that goes on for a while."""

    def __init__(self, name: str, goal: Goal, begun: Survey) -> None:
        self.name, self.goal = name, goal
        self.before, self.began = begun.tally.deals, time.monotonic()
        self.task: Any = None
        self.bars: Any = None
        self.lock = threading.Lock()
        self.timer = threading.Timer(PATIENCE, self.start)
        self.timer.daemon = True

    def start(self) -> None:
        """Begin to show."""
        from rich import progress  # noqa: PLC0415 (slow)
        from rich.console import Console  # noqa: PLC0415

        with self.lock:
            self.bars = progress.Progress(
                "{task.description}",
                progress.BarColumn(),
                "{task.fields[state]}",
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self.task = self.bars.add_task(self.name, total=None, state="")
            self.bars.start()

    def show(self, survey: Survey) -> None:
        """Say how far it has come."""
        if self.task is None:
            return
        low, high = survey.interval
        deals, passed = survey.tally.deals, time.monotonic() - self.began
        speed = (deals - self.before) / passed
        share = percent(survey.rate or 0.0)
        state = f"{deals:,} deals {share} ±{50 * (high - low):.2g} % {speed:,.0f}/s"
        total = self._total(survey, passed)
        self.bars.update(self.task, completed=deals, total=total, state=state)

    def _total(self, survey: Survey, passed: float) -> float | None:
        """Guess how many deals it will be: an interval narrows with the root of their number."""
        deals, (low, high) = survey.tally.deals, survey.interval
        ends: list[float] = [] if self.goal.deals is None else [self.goal.deals]
        if self.goal.precision is not None:
            ends.append(deals * ((high - low) / 2 / self.goal.precision) ** 2)
        if self.goal.seconds is not None:
            ends.append(self.before + (deals - self.before) * self.goal.seconds / passed)
        return min(ends, default=None)

    def __enter__(self) -> Bar:
        if sys.stderr is not None and sys.stderr.isatty():
            self.timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        with self.lock:
            if self.bars is not None:
                self.bars.stop()
