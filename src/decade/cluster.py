"""Work in blocks, done by threads here or by a Dask cluster, with the results in order.

What is done with a block must depend on the block alone, so that one that is lost with its worker
can be done again. Dask does that by itself, up to a few deaths for which it may blame the block;
beyond that the block is handed in anew here, a limited number of times.
"""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

Block = TypeVar("Block")
Answer = TypeVar("Answer")
Given = ParamSpec("Given")

LOCAL = "local"
_TRIES = 10


class ClusterError(RuntimeError):
    """A cluster that cannot be reached, or Dask that is not installed."""


def cores() -> int:
    """Say how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers: what hands them work, and how many there are."""

    executor: Executor
    workers: int
    block_seconds: float
    """How long a block should take: long enough that handing it out costs next to nothing."""

    def in_order(
        self,
        function: Callable[[Block], Answer],
        blocks: Iterable[Block],
        *,
        until: float | None = None,
    ) -> Generator[tuple[Block, Answer], None, None]:
        """Work on blocks and give each with its result, in the order of the blocks.

        Blocks are asked for only as workers become free, a few ahead.

        Args:
            function: what to do with a block.
            blocks: any number of them.
            until: when to stop, by ``time.monotonic``; results that are not there then are dropped.
        """
        waiting: deque[tuple[Block, Future[Answer]]] = deque()
        source, ahead = iter(blocks), 2 * self.workers + 1
        try:
            while True:
                for block in source:
                    waiting.append((block, self.executor.submit(function, block)))
                    if len(waiting) >= ahead:
                        break
                if not waiting:
                    return
                block, future = waiting[0]
                try:
                    left = None if until is None else max(0.0, until - time.monotonic())
                    answer = future.result(left)
                except NotInTime:
                    return
                except CancelledError as error:
                    raise ClusterError("the cluster is gone") from error
                waiting.popleft()
                yield block, answer
        finally:
            for _, future in waiting:
                future.cancel()


@contextmanager
def threads(workers: int) -> Iterator[Crew]:
    """Work in threads of this process; what is still running at the end must end by itself."""
    pool = ThreadPoolExecutor(workers)
    try:
        yield Crew(pool, workers, 0.5)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def cluster(scheduler: str, workers: int) -> Iterator[Crew]:
    """Work on a Dask cluster.

    Args:
        scheduler: its address, as in ``tcp://host:8786``, or ``local`` to start one here.
        workers: processes to start, if one is started.

    Raises:
        ClusterError: if Dask is not installed, or nothing answers at the address.
    """
    try:
        distributed: Any = importlib.import_module("distributed")  # slow, and an extra
    except ImportError as error:
        extra = "pip install 'decade-solver[cluster]'"
        raise ClusterError(f"--scheduler needs Dask: {extra}") from error

    if scheduler == LOCAL:
        started = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs="ERROR",
            preload=[__name__],
        )
        with started, distributed.Client(started) as client:
            try:
                yield _crew(client)
            except BaseException:
                _kill(started)
                raise
        return
    try:
        client = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        yield _crew(client)


def dask_setup(_: object) -> None:
    """Leave Ctrl-C to the program that asks; Dask calls this in each process started for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _kill(started: Any) -> None:
    """End the processes of a cluster that was started here; what they are at is of no use now."""
    for nanny in started.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


def _crew(client: Any) -> Crew:
    client.wait_for_workers(1)
    return Crew(_Stubborn(client), max(1, sum(client.nthreads().values())), 5.0)


class _Stubborn(Executor):
    """Dask's executor, which hands a block in again when Dask gives it up with its workers."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._inner = client.get_executor(pure=False)

    def submit(
        self, fn: Callable[Given, Answer], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Answer]:
        """Hand a call in."""
        from distributed import KilledWorker  # noqa: PLC0415 (slow, and an extra)

        outer: Future[Answer] = Future()

        def attempt(tries: int) -> None:
            inner = self._inner.submit(fn, *args, **kwargs)
            inner.add_done_callback(lambda done: ended(done, tries))
            outer.add_done_callback(lambda _: inner.cancel())

        def ended(inner: Future[Answer], tries: int) -> None:
            if inner.cancelled():
                outer.cancel()
                return
            error = inner.exception()
            if isinstance(error, KilledWorker) and tries > 1:
                attempt(tries - 1)
            elif not outer.set_running_or_notify_cancel():
                return
            elif error is not None:
                outer.set_exception(error)
            else:
                outer.set_result(inner.result())

        attempt(_TRIES)
        return outer
