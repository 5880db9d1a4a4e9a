"""Work on a real Dask cluster, with workers that die, and in threads: nothing is lost."""

from __future__ import annotations

import functools
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from decade.cluster import ClusterError, Crew, cluster, threads
from decade.rules import PRESETS
from decade.survey import Plan
from decade.survey_run import Goal, run
from decade.survey_state import Survey
from decade_ext.search import Stop

PLAN = Plan.of(PRESETS["decade"], 11, policies=("random",), random_win=200)


def slow_square(number: int) -> int:
    time.sleep(0.05)
    return number * number


def die_once(mark: Path, number: int) -> int:
    """Kill the worker that this runs on, the first time that it comes to 3."""
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    import dask
    import distributed  # brings its settings, which must be there before one is changed

    assert distributed
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), cluster("local", 2) as it:
        yield it


def figures(survey: Survey) -> tuple[object, ...]:
    return survey.plan, survey.ranges, survey.tally


def test_threads_give_results_in_order_and_ask_for_few_blocks_ahead() -> None:
    asked = []

    def blocks() -> Iterator[int]:
        for number in range(40):
            asked.append(number)
            yield number

    with threads(3) as here:
        for block, answer in here.in_order(slow_square, blocks()):
            assert answer == block * block
            assert len(asked) - block <= 2 * 3 + 2
    assert asked == list(range(40))


def test_no_more_results_after_the_time_is_up() -> None:
    with threads(1) as here:
        started = time.monotonic()
        done = list(here.in_order(slow_square, range(1000), until=started + 0.3))
    assert 1 <= len(done) <= 10
    assert time.monotonic() - started < 2


def test_errors_of_workers_come_through() -> None:
    with threads(2) as here, pytest.raises(ZeroDivisionError):
        list(here.in_order(lambda number: 1 // number, [1, 0, 1]))


def test_a_survey_on_a_cluster_while_a_worker_is_killed(crew: Crew) -> None:
    with threads(1) as here:
        once = run(Survey(PLAN), Goal(deals=30_000), here, lambda _: None, stop=Stop())
    killed: list[int] = []

    def kill(survey: Survey) -> None:
        if not killed and survey.tally.deals > 500:
            pids = list(crew.executor.client.run(os.getpid).values())  # type: ignore[attr-defined]
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids[0])

    survey = run(Survey(PLAN), Goal(deals=30_000), crew, kill)
    assert killed
    assert figures(survey) == figures(once)


def test_a_block_that_dask_gives_up_with_its_worker_is_done_again(
    crew: Crew, tmp_path: Path
) -> None:
    """No failure is allowed here, so that Dask blames the block for the first death."""
    work = functools.partial(die_once, tmp_path / "mark")
    assert [answer for _, answer in crew.in_order(work, range(6))] == list(range(6))
    assert (tmp_path / "mark").exists()


def test_precision_on_a_cluster_at_an_address(crew: Crew) -> None:
    goal = Goal(precision=0.012)
    with threads(1) as here:
        once = run(Survey(PLAN), goal, here, lambda _: None, stop=Stop())
    address = crew.executor.client.scheduler.address  # type: ignore[attr-defined]
    with cluster(address, 1) as other:
        assert figures(run(Survey(PLAN), goal, other, lambda _: None)) == figures(once)


def test_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ClusterError, match="no Dask scheduler"), cluster("nowhere", 1):
        pass
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"decade-solver\[cluster\]"), cluster("local", 1):
        pass
