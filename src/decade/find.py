"""Deals with a verdict, a grade, or one winning line, found among many by number.

Whole blocks are decided first, by many threads, and only deals with the verdict that is wanted have
their plays counted, in the same threads. They come in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from decade.cards import Deal, show
from decade.difficulty import GRADES
from decade.difficulty import grade as grade_of
from decade.journal import Progress
from decade.pipeline import Pipeline
from decade.rows import Block, Run, byte_of
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT, VERDICTS, Counts, Verdict, new_search
from decade.sources import PACK, Numbers, Seed
from decade.survey import countable

if TYPE_CHECKING:
    from decade_ext.search import Stop

_CARDS = {byte_of(card): card for card in PACK}

Watch = Callable[[int, int], None]
"""Is told how many deals were looked at so far, and how many of them a limit left open."""


class Found(NamedTuple):
    """A deal that was found.

    Attributes:
        number: its number, or its index in the seed.
        deal: the deal, with its name.
        verdict: whether it can be won.
        counts: its plays, if they were counted.
    """

    number: int
    deal: Deal
    verdict: Verdict
    counts: Counts | None

    @property
    def grade(self) -> str | None:
        """How hard it is; None if its plays were not counted, or none wins."""
        if self.counts is None or self.verdict is not Verdict.WINNABLE:
            return None
        return grade_of(self.counts.random_win)


class _Sieve:
    """What is wanted of a deal; finds those in a block that have it."""

    def __init__(
        self,
        run: Run,
        first: int,
        *,
        verdicts: Collection[Verdict],
        grades: Collection[str],
        unique: bool,
        count: bool,
    ) -> None:
        self.run = run
        self.first = first
        self.verdicts = verdicts
        self.grades = grades
        self.unique = unique
        self.count = count

    def sift(self, block: Block, stop: Stop) -> tuple[list[Found], int]:
        """Find the deals in a block that is decided; say too how many a limit left open."""
        import numpy as np  # noqa: PLC0415 (slow)

        wanted = [number for number, verdict in enumerate(VERDICTS) if verdict in self.verdicts]
        unknown = VERDICTS.index(Verdict.UNKNOWN)
        open_ = 0 if unknown in wanted else int(np.count_nonzero(block.verdict == unknown))
        search = None
        if self.count:
            search = new_search(self.run.rules, self.run.node_limit, self.run.memory_limit, stop)
        deals, found = block.deals, []
        for row in np.flatnonzero(np.isin(block.verdict, wanted)).tolist():
            cards = deals.cards[deals.card_ends[row] : deals.card_ends[row + 1]].tolist()
            counts = None
            if search is not None:
                plays = search.solve([self.run.counts[card] for card in cards], count=True)[4]
                if plays is None:
                    open_ += 1
                    continue
                counts = Counts(*plays)
                if not self._fits(counts):
                    continue
            number = self.first + int(deals.records[row]) - 1
            deal = Deal(tuple(_CARDS[card] for card in cards), block.name(row))
            found.append(Found(number, deal, VERDICTS[block.verdict[row]], counts))
        return found, open_

    def _fits(self, counts: Counts) -> bool:
        if self.unique and counts.winning_lines != 1:
            return False
        return not self.grades or grade_of(counts.random_win) in self.grades


def find_deals(
    source: Numbers | Seed,
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    verdict: Verdict | str | None = None,
    grades: Collection[str] = (),
    unique: bool = False,
    count: bool = False,
    limit: int | None = None,
    node_limit: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    workers: int | None = None,
    watch: Watch | None = None,
) -> Generator[Found, None, None]:
    """Find deals among those of a range of numbers, and give them in order as they are found.

    A deal that a limit leaves open is not found, unless unknown ones are.

    Args:
        source: ``decade.Numbers`` or ``decade.Seed``.
        rules: a rule set, a preset's name, or a mapping of fields.
        verdict: what they are to be; with ``grades`` or ``unique`` it is winnable, otherwise any.
        grades: their grades, see ``decade.difficulty.GRADES``; any if there are none.
        unique: whether just one line of play may win.
        count: count the plays of those that are found in any case.
        limit: how many are wanted; None for all.
        node_limit: positions to look at, a deal; None for no limit.
        memory_limit: bytes that the search of one worker may hold.
        workers: how many threads; by default, as many as there are cores.
        watch: is called after each block.

    Raises:
        RulesError: if the rules are not valid.
        ValueError: if there is no such verdict or grade, a number is below 1, or plays are to be
            counted where they cannot be.
        KeyboardInterrupt: on Ctrl-C.

    >>> hard = find_deals(Seed(1, 1000), verdict="winnable", grades=["hard"], unique=True, limit=2)
    >>> [(found.deal.name, found.counts.random_win.denominator) for found in hard]
    [('seed:1:52', 8), ('seed:1:67', 8)]
    """
    rules = Rules.of(rules)
    unknown = [grade for grade in grades if grade not in GRADES]
    if unknown:
        raise ValueError(f"no grade {show(unknown[0])}; there are {', '.join(GRADES)}")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise ValueError(f"limit must be a whole number, 1 or more, not {show(limit)}")
    count = count or unique or bool(grades)
    if count and not countable(rules):
        raise ValueError("plays are counted for forced discards without recycling only")
    wanted = set(VERDICTS) if verdict is None else {Verdict(verdict)}
    if grades or unique:
        wanted &= {Verdict.WINNABLE}
    if not wanted:
        raise ValueError("only winnable deals have a grade and winning lines")
    run = Run(rules, node_limit, memory_limit, moves=False)
    sieve = _Sieve(run, source.first, verdicts=wanted, grades=grades, unique=unique, count=count)
    pipeline = Pipeline([source], run, workers=workers, strict=False, chunk=None)
    pipeline.encode = lambda block: sieve.sift(block, pipeline.control.stop)
    new_search(rules, node_limit, memory_limit, pipeline.control.stop)  # whether limits are right
    return _stream(pipeline, limit, watch)


def _stream(
    pipeline: Pipeline, limit: int | None, watch: Watch | None
) -> Generator[Found, None, None]:
    given = looked_at = left_open = 0
    try:
        for done in pipeline.done(Progress()):
            found, more = done.encoded
            looked_at += len(done.block)
            left_open += more
            if watch is not None:
                watch(looked_at, left_open)
            for one in found:
                yield one
                given += 1
                if given == limit:
                    return
        if pipeline.control.stopped:
            raise KeyboardInterrupt
    finally:
        pipeline.control.end()
