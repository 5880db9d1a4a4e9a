"""Pieces of the input through reading, solving and spelling, and out in order.

Each worker takes a piece through all of it, and the heavy parts hold no lock. The calling thread is
one of them; it also finds line ends and hands out what comes back, in input order. Pieces grow
until each takes a twentieth of a second, so that there is little to lose and little to wait for.
Rows do not depend on the pieces or the workers.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

from decade.cluster import cores
from decade.files import InputError
from decade.journal import OutputError, Progress
from decade.rows import NOT_SOLVED, Block, Run
from decade.solver import new_search
from decade.sources import Piece, Source
from decade_ext.search import Stop

FEWEST, MOST, MOST_WITH_MOVES = 32, 2**14, 1024
"""Records of a piece: as many at first, and at most, unless there are many workers to feed."""
IN_WORK = 2**15
"""Records that all workers may have in work."""
PIECE_SECONDS = 0.05
_USUAL = 2**25 - 2**16
"""Bytes; glibc heeds no block larger than 32 MiB."""


def _keep_memory() -> None:
    """Let the pieces to come have the memory of those that are done.

    The C library gives large blocks back to the system, which clears the pages of the next ones as
    they are touched; that takes as long as reading them. glibc takes the size of a block that was
    given back as what is usual, and from then on keeps blocks that are smaller.
    """
    import numpy as np  # noqa: PLC0415 (slow)

    np.empty(_USUAL, np.uint8)


class Pace:
    """How many records a piece has: so many that it takes `PIECE_SECONDS`."""

    def __init__(self, fixed: int | None, most: int) -> None:
        self.fixed = fixed
        self.most = most
        self.records = FEWEST

    def size(self) -> int:
        """Give the size of the next piece."""
        return self.fixed or self.records

    def learn(self, records: int, seconds: float) -> None:
        """Take note of the time that a piece took."""
        wanted = records * PIECE_SECONDS / max(seconds, 1e-6)
        self.records = int(min(self.most, max(1, min(wanted, 2 * self.records))))


class Control:
    """Ends a run in good order: what is being read, solved or written is told, not torn away."""

    def __init__(self) -> None:
        self.stop = Stop()
        self.stopped = False
        self.waiting = False  # for input, which may never come

    def end(self) -> None:
        """Let all workers stop after the deal they are at."""
        self.stopped = True
        self.stop.set()

    def on_signal(self, *_: object) -> None:
        """Stop in good order; at once where nothing is lost by it, or if it is asked for again."""
        again = self.stopped
        self.end()
        if again or self.waiting:
            raise KeyboardInterrupt

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let Ctrl-C end what can be torn away; also if it came before."""
        self.waiting = True
        try:
            if self.stopped:
                raise KeyboardInterrupt
            yield
        finally:
            self.waiting = False

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Take Ctrl-C over, where that can be done."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self.on_signal)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


@dataclass(slots=True)
class Done:
    """A piece that is solved and spelt, as far as it was."""

    source: int
    piece: Piece
    block: Block
    encoded: Any
    record: int
    """The last record that is done."""
    whole: bool
    problem: str | None = None


class Worker:
    """Reads, solves and spells pieces, one at a time."""

    def __init__(self, pipeline: Pipeline) -> None:
        run = pipeline.run
        self.pipeline = pipeline
        self.search = new_search(run.rules, run.node_limit, run.memory_limit, pipeline.control.stop)

    def work(self, number: int, piece: Piece) -> Done:
        """Take a piece of a source through everything."""
        pipeline, started = self.pipeline, time.perf_counter()
        source = pipeline.sources[number]
        block = source.block(piece, pipeline.run)
        rows, problem = len(block), None
        if pipeline.strict and block.problems:
            rows = block.errors()[0]
            record = int(block.deals.records[rows])
            problem = f"{source.name}, line {record}: {block.problems[rows][1]}"
        rows = min(rows, self.solve(block))
        whole = rows == len(block)
        record = piece.first + piece.records - 1 if whole else int(block.deals.records[rows]) - 1
        block.cut(rows)
        encoded = pipeline.encode(block) if pipeline.encode else None
        pipeline.pace.learn(piece.records, time.perf_counter() - started)
        return Done(number, piece, block, encoded, record, whole, problem)

    def solve(self, block: Block) -> int:
        """Solve a block; how many rows from its start are done, fewer if Ctrl-C came."""
        block.answers()
        by_array = block.run.fits_bytes and not block.run.moves
        try:
            (self._by_array if by_array else self._one_by_one)(block)
        except KeyboardInterrupt:
            self.pipeline.control.end()
        left = [int(row) for row in (block.verdict == NOT_SOLVED).nonzero()[0]]
        return next((row for row in left if row not in block.problems), len(block))

    def _by_array(self, block: Block) -> None:
        """Solve all deals of one length at once."""
        import numpy as np  # noqa: PLC0415 (slow)

        ends = block.deals.card_ends[: len(block) + 1]
        lengths = np.diff(ends)
        if len(block) and 0 < lengths[0] == lengths.min() == lengths.max():  # as in most files
            values = block.deals.values[: ends[-1]].reshape(len(block), lengths[0])
            self.search.solve_many(values, block.verdict, block.remaining, block.nodes)
            return
        for cards in np.unique(lengths[lengths > 0]):
            rows = np.flatnonzero(lengths == cards)
            values = block.deals.values[ends[rows, None] + np.arange(cards)]
            verdict = np.full(len(rows), NOT_SOLVED, np.uint8)
            remaining, nodes = np.empty(len(rows), np.int16), np.empty(len(rows), np.int64)
            try:
                self.search.solve_many(values, verdict, remaining, nodes)
            finally:
                block.verdict[rows] = verdict
                block.remaining[rows] = remaining
                block.nodes[rows] = nodes

    def _one_by_one(self, block: Block) -> None:
        """Solve each deal, with its play."""
        cards, ends = block.deals.cards.tolist(), block.deals.card_ends.tolist()
        counts = block.run.counts
        for row in range(len(block)):
            block.plays.append([])
            if row in block.problems:
                continue
            if self.pipeline.control.stopped:
                return
            values = [counts[card] for card in cards[ends[row] : ends[row + 1]]]
            verdict, remaining, nodes, moves, _, _ = self.search.solve(values)
            block.plays[row] = [
                (dealt, pile, taken, sum(values[card] for card in taken))
                for dealt, pile, taken in moves
            ]
            block.verdict[row], block.remaining[row] = verdict, remaining
            block.nodes[row] = nodes


class _Task:
    """Work for the thread that comes first: one of a pool, or the one that has given it."""

    def __init__(self, pool: ThreadPoolExecutor, work: Callable[[], Done]) -> None:
        self.work = work
        self.future = pool.submit(work)

    def unclaimed(self) -> bool:
        """Say whether nobody has begun it."""
        return not (self.future.running() or self.future.done())

    def taken(self) -> bool:
        """Do it now if nobody has begun it; say whether that was so."""
        if not self.future.cancel():
            return False
        self.future = Future()
        try:
            self.future.set_result(self.work())
        except Exception as error:  # told in its turn
            self.future.set_exception(error)
        return True


class Pipeline:
    """One run over all sources."""

    def __init__(
        self,
        sources: list[Source],
        run: Run,
        *,
        workers: int | None,
        strict: bool,
        chunk: int | None,
        encode: Callable[[Block], Any] | None = None,
    ) -> None:
        for name, number in (("workers", workers), ("chunk", chunk)):
            if number is not None and (type(number) is not int or number < 1):
                raise ValueError(f"{name} must be a whole number, 1 or more, not {number!r}")
        self.sources = sources
        self.run = run
        self.workers = workers or cores()
        self.strict = strict
        self.encode = encode
        self.control = Control()
        most = MOST_WITH_MOVES if run.moves else min(MOST, IN_WORK // self.workers + 1)
        self.pace = Pace(chunk, most)

    def pieces(self, start: Progress, *, hashed: bool) -> Iterator[tuple[int, Piece]]:
        """Cut the sources, from where to go on."""
        for number, source in enumerate(self.sources[start.source :], start.source):
            skip = start if number == start.source else Progress()
            for piece in self._pieces_after(skip, source, hashed=hashed):
                yield number, piece

    def _pieces_after(self, start: Progress, source: Source, *, hashed: bool) -> Iterator[Piece]:
        at = 0

        def size() -> int:
            return min(MOST, start.record - at) if at < start.record else self.pace.size()

        for piece in source.pieces(size, hashed=hashed):
            at = piece.first + piece.records - 1
            if at > start.record:
                yield piece
            elif at == start.record and piece.digest(at) != start.digest:
                raise OutputError(f"cannot resume: {source.name} has other content now")
        if at < start.record:
            raise OutputError(f"cannot resume: {source.name} is shorter now")

    def done(self, start: Progress, *, hashed: bool = False) -> Iterator[Done]:
        """Give the pieces in order, as they are done; the last may not be whole."""
        _keep_memory()
        pieces = self._guarded(self.pieces(start, hashed=hashed))
        for done in self._alone(pieces) if self.workers == 1 else self._shared(pieces):
            yield done
            if not done.whole:
                return

    def _guarded(self, pieces: Iterator[tuple[int, Piece]]) -> Iterator[tuple[int, Piece]]:
        """Wait for input, and stop waiting on Ctrl-C."""
        while not self.control.stopped:
            try:
                with self.control.at_once():
                    found = next(pieces, None)
            except KeyboardInterrupt:
                self.control.end()
                return
            if found is None:
                return
            yield found

    def _alone(self, pieces: Iterator[tuple[int, Piece]]) -> Iterator[Done]:
        worker = Worker(self)
        for number, piece in pieces:
            yield worker.work(number, piece)

    def _shared(self, pieces: Iterator[tuple[int, Piece]]) -> Iterator[Done]:
        """Share the work with other threads, and give pieces in order; memory is flat.

        This thread reads ahead, so that no other runs out of pieces; hands back the first piece
        when it is done; and otherwise works too, on the first piece that nobody has begun.
        """
        idle: SimpleQueue[Worker] = SimpleQueue()
        for _ in range(self.workers):
            idle.put(Worker(self))

        def work(number: int, piece: Piece) -> Done:
            worker = idle.get()
            try:
                return worker.work(number, piece)
            finally:
                idle.put(worker)

        pending: deque[_Task] = deque()
        failed: Exception | None = None
        ended, source = False, 0

        def reads() -> bool:
            """Say whether to read now: not where done pieces would lie about while it waits."""
            if ended or not pending:
                return not ended
            if len(pending) > 2 * self.workers + 4 or not self.sources[source].readable():
                return False
            return sum(task.unclaimed() for task in pending) < self.workers

        with ThreadPoolExecutor(self.workers - 1) as pool:
            try:
                while pending or not ended:
                    if reads():
                        try:
                            source, piece = next(pieces)
                            pending.append(_Task(pool, partial(work, source, piece)))
                        except StopIteration:
                            ended = True
                        except (InputError, OutputError) as error:  # what was read before is good
                            ended, failed = True, error
                    elif pending[0].future.done() or not any(task.taken() for task in pending):
                        yield pending.popleft().future.result()
            finally:
                for task in pending:
                    task.future.cancel()
                if pending:
                    self.control.end()
        if failed is not None:
            raise failed
