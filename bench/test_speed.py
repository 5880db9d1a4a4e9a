"""How fast the search is: against the plain-Python solver on the same deals, in turn, in one run.

    pytest bench                                all rule sets in one table
    pytest bench -k decade --rounds 10          one of them, read more often
    pytest bench --benchmark-json=speed.json    keep the readings, with commit and machine

Times are processor time of one thread, so that other work on the machine counts little. A reading
of the search goes through the deals several times, since once takes it less than a millisecond.
A ratio is that of two medians; one below what is required fails. Another program to compare with
is another entry of ``YARDSTICKS``.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from decade import PRESETS, Discard, Rules, solve_many
from decade.reference import solve_plain

DEALS, SEED, COPIES = 100, 1949, 10
PACK = [min(rank, 10) for rank in range(1, 14)] * 4
FORCED = [name for name, rules in PRESETS.items() if rules.discard is Discard.FORCED]
REQUIRED = {name: 300 if name == "decade" else 100 for name in FORCED}

Values = NDArray[np.uint8]


def shuffled(deals: int) -> Values:
    """Make deals of one pack, the same on every machine: shape (deals, 52)."""
    generator = random.Random(SEED)
    return np.array([generator.sample(PACK, len(PACK)) for _ in range(deals)], np.uint8)


def plain_python(values: Values, rules: Rules) -> list[bool]:
    """Decide each deal with the exhaustive solver in plain Python."""
    return [solve_plain(deal, rules).winnable for deal in values.tolist()]


YARDSTICKS: dict[str, Callable[[Values, Rules], list[bool]]] = {"plain": plain_python}


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("name", FORCED)
def test_speed(
    name: str,
    benchmark: BenchmarkFixture,
    record_property: Callable[[str, object], None],
    pytestconfig: pytest.Config,
) -> None:
    """Measure one rule set, and hold its ratio to what is required."""
    rules, deals = PRESETS[name], shuffled(DEALS)
    found = solve_many(deals, rules)
    repeated = np.tile(deals, (COPIES, 1))
    readings: dict[str, list[float]] = {yardstick: [] for yardstick in YARDSTICKS}

    def read_yardsticks() -> None:
        for yardstick, solve in YARDSTICKS.items():
            start = time.process_time()
            winnable = solve(deals, rules)
            readings[yardstick].append((time.process_time() - start) / DEALS)
            assert winnable == (found.verdict == 1).tolist()

    rounds = pytestconfig.getoption("rounds")
    in_turn: Callable[..., object] = benchmark.pedantic
    in_turn(solve_many, (repeated, rules), setup=read_yardsticks, rounds=rounds)
    assert benchmark.stats is not None
    search = sorted(reading / len(repeated) for reading in benchmark.stats.stats.data)
    median = statistics.median(search)
    row: dict[str, str] = {
        "rules": name,
        "search us": f"{1e6 * median:.2f}",
        "min-max": f"{1e6 * search[0]:.2f}-{1e6 * search[-1]:.2f}",
        "nodes": f"{found.nodes.mean():.1f}",
        "ns/node": f"{1e9 * median / found.nodes.mean():.0f}",
    }
    for yardstick, seconds in readings.items():
        row[f"{yardstick} us"] = f"{1e6 * statistics.median(seconds):.0f}"
        row[f"{yardstick}/search"] = f"{statistics.median(seconds) / median:.0f}"
    row["required"] = str(REQUIRED[name])
    record_property("speed", row)
    benchmark.extra_info.update(row)
    assert statistics.median(readings["plain"]) / median >= REQUIRED[name]
