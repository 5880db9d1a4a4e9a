"""What reading and writing cost besides solving, and what a second worker brings.

    pytest bench/test_batch_speed.py -s                    the two ratios, a million deals
    DECADE_BENCH_DEALS=100000 pytest bench/test_batch_speed.py -s

A million deals go from text to CSV without moves, in turn with `solve_many` on the same deals in
memory. One worker may take six times as long as that, in processor time, so that other work on the
machine counts little. Two workers must write 1.7 times as many deals a second as one, which only a
clock on the wall can say: the median of several turns counts, on a machine with two idle cores. The
files lie in memory where that can be (``/dev/shm``), for no number of workers makes a disk faster.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from numpy.typing import NDArray

from decade import solve_many, solve_to_file
from decade.sources import PACK, seeded_cards

DEALS = int(os.environ.get("DECADE_BENCH_DEALS", "1000000"))
TURNS = 15
MEMORY = Path("/dev/shm")
MOST_COST, LEAST_GAIN = 6.0, 1.7


@pytest.fixture(scope="module")
def cards() -> NDArray[np.uint8]:
    """Make the deals: the cards of the pack by number, shape (deals, 52)."""
    return seeded_cards(1949, 0, DEALS)


@pytest.fixture(scope="module")
def text(cards: NDArray[np.uint8]) -> Iterator[Path]:
    """Write them as a file, a deal a line."""
    words = list(map(str, PACK))
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        path = Path(folder) / "deals.txt"
        with path.open("w") as file:
            for row in cards:
                file.write(" ".join([words[card] for card in row]) + "\n")
        yield path


def taken(clock: Callable[[], float], work: Callable[[], object]) -> float:
    """Say how long something takes."""
    start = clock()
    work()
    return clock() - start


def batch(text: Path, workers: int) -> None:
    """Solve the file into a CSV file."""
    solve_to_file(text, out(text, workers), moves=False, workers=workers)


def out(text: Path, workers: int) -> Path:
    """Name the CSV file."""
    return text.with_name(f"out-{workers}.csv")


def test_reading_and_writing(
    cards: NDArray[np.uint8],
    text: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """One worker on a file against `solve_many` on arrays."""
    values = np.array([min(card.rank, 10) for card in PACK], np.uint8)[cards]
    costs = []
    for _ in range(TURNS):
        solving = taken(time.process_time, lambda: solve_many(values))
        out(text, 1).unlink(missing_ok=True)
        whole = taken(time.process_time, lambda: batch(text, 1))
        costs.append(whole / solving)
        print(f"solve_many {solving:.2f} s, file to file {whole:.2f} s: {costs[-1]:.2f} times")
    cost = sorted(costs)[TURNS // 2]
    record_property("cost", cost)
    assert cost <= MOST_COST


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_two_workers(text: Path, record_property: Callable[[str, object], None]) -> None:
    """Two workers against one."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(TURNS):
        for workers, found in times.items():
            out(text, workers).unlink(missing_ok=True)
            found.append(taken(time.perf_counter, partial(batch, text, workers)))
        print(f"one worker {times[1][-1]:.2f} s, two workers {times[2][-1]:.2f} s")
    gain = median(one / two for one, two in zip(times[1], times[2], strict=True))
    print(f"gain {gain:.2f}")
    record_property("gain", gain)
    assert out(text, 1).read_bytes() == out(text, 2).read_bytes()
    assert gain >= LEAST_GAIN
