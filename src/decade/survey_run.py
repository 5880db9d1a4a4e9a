"""Running a survey: blocks of deals handed out, counted and added up until a stop rule holds.

A block is what takes a worker about as long as the crew says: since the figures do not depend on
blocks, their length may follow the clock. They are added in the order of their indices, so that a
survey that is stopped has counted the first so many deals, whatever was still under way.

A survey for a precision looks at its interval only after every 1024th deal, and stops at the first
of these *marks* at which it is narrow enough. If that is inside a block, the block is counted again
up to there.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from decade.cluster import Crew
from decade.sources import LARGEST_INDEX
from decade.survey import MARK, Found, Plan, SurveyError, count_deals
from decade.survey_state import Survey, missing
from decade.wilson import wilson
from decade_ext.search import Stop

FIRST_BLOCK = 16


@dataclass(frozen=True, slots=True)
class Goal:
    """When a survey is done: at whatever comes first.

    Attributes:
        first: index of the first deal.
        deals: how many; None for no end.
        precision: half the width of the 95 % interval; None for any.
        seconds: how long this run may take; None for any time.
    """

    first: int = 0
    deals: int | None = None
    precision: float | None = None
    seconds: float | None = None

    @property
    def end(self) -> int:
        """One beyond the last index there may be."""
        most = LARGEST_INDEX + 1
        return most if self.deals is None else min(most, self.first + self.deals)

    def check(self, survey: Survey) -> None:
        """Refuse a survey that has counted what is not asked for.

        Raises:
            SurveyError: if so.
        """
        ranges, first = survey.ranges, self.first
        if not ranges:
            return
        have = ", ".join(f"{start} to {end - 1}" for start, end in ranges)
        if ranges[0][0] < first or ranges[-1][1] > self.end:
            asked = f"{first} to {self.end - 1}"
            raise SurveyError(f"it has the deals {have} already, and {asked} are asked for")
        prefix = len(ranges) == 1 and ranges[0][0] == first
        if not prefix and (self.precision is not None or self.seconds is not None):
            raise SurveyError(
                f"it has the deals {have}: fill the gaps with --deals alone before you give"
                " --precision or --time"
            )

    def likely_end(self, survey: Survey, before: int, passed: float) -> float | None:
        """Guess how many deals it will be, from those ``before`` this run and the seconds it took.

        An interval narrows with the root of the number of deals.
        """
        deals, (low, high) = survey.tally.deals, survey.interval
        ends: list[float] = [] if self.deals is None else [self.deals]
        if self.precision is not None:
            ends.append(deals * ((high - low) / 2 / self.precision) ** 2)
        if self.seconds is not None:
            ends.append(before + (deals - before) * self.seconds / passed)
        return min(ends, default=None)

    def precise(self, winnable: int, unknown: int, deals: int) -> bool:
        """Say whether the interval is narrow enough."""
        if self.precision is None:
            return False
        low, high = wilson(winnable, unknown, deals)
        return (high - low) / 2 <= self.precision


class Block(NamedTuple):
    """Deals with the indices from ``start`` to ``end`` - 1, and the marks among them."""

    start: int
    end: int
    marks: tuple[int, ...]


def _count(plan: Plan, block: Block, stop: Stop | None = None) -> Found:
    return count_deals(plan, *block, stop=stop)


class _Blocks:
    """Cuts what is missing into blocks, as long as the last ones were quick."""

    def __init__(self, survey: Survey, goal: Goal, seconds: float) -> None:
        self._survey, self._goal, self._seconds = survey, goal, seconds
        self._size = FIRST_BLOCK

    def __iter__(self) -> Iterator[Block]:
        for start, end in missing(self._survey.ranges, self._goal.first, self._goal.end):
            while start < end:
                stop = min(end, start + self._size)
                yield Block(start, stop, self._marks(start, stop))
                start = stop  # noqa: PLW2901

    def _marks(self, start: int, end: int) -> tuple[int, ...]:
        if self._goal.precision is None:
            return ()
        first = self._goal.first
        next_mark = first + ((start - first) // MARK + 1) * MARK
        return tuple(range(next_mark, end + 1, MARK))

    def took(self, block: Block, seconds: float) -> None:
        """Learn from a block how long the next ones may be: at most eight times as long."""
        deals = block.end - block.start
        fit = int(deals * self._seconds / max(seconds, 1e-9))
        self._size = max(FIRST_BLOCK, min(fit, 8 * deals))


def run(
    survey: Survey,
    goal: Goal,
    crew: Crew,
    progress: Callable[[Survey], None],
    *,
    stop: Stop | None = None,
) -> Survey:
    """Go on with a survey until it has reached its goal.

    Args:
        survey: what has been counted; its plan says what to count.
        goal: when to stop.
        crew: who does the work.
        progress: called with the survey after each block.
        stop: a flag that ends the work of a crew of threads at once; it is set in the end.

    Raises:
        SurveyError: if the survey has counted deals that are not asked for.
        KeyboardInterrupt: if interrupted; ``progress`` has been given what is counted.
    """
    goal.check(survey)
    began, before = time.monotonic(), survey.seconds
    until = None if goal.seconds is None else began + goal.seconds
    tally = survey.tally
    if goal.precise(tally.winnable, tally.unknown, tally.deals) and tally.deals:
        return survey
    count = functools.partial(_count, survey.plan)
    if stop is not None:
        count = functools.partial(count, stop=stop)
    blocks = _Blocks(survey, goal, crew.block_seconds)
    results = crew.in_order(count, blocks, until=until)
    try:
        for block, found in results:
            mark = _reached(survey, goal, found)
            if mark is not None and mark < block.end:
                block = Block(block.start, mark, ())  # noqa: PLW2901
                found = count(block)  # noqa: PLW2901
            blocks.took(block, found.seconds)
            survey = replace(
                survey.counted(block.start, block.end, found.tally),
                seconds=before + time.monotonic() - began,
            )
            progress(survey)
            if mark is not None:
                break
    finally:
        if stop is not None:
            stop.set()
        results.close()
    return survey


def _reached(survey: Survey, goal: Goal, found: Found) -> int | None:
    """Find the first mark in a block at which the interval is narrow enough."""
    before = survey.tally
    for mark, winnable, unknown in found.marks:
        if goal.precise(before.winnable + winnable, before.unknown + unknown, mark - goal.first):
            return mark
    return None
