"""Limits and interrupts: a search that is stopped says so, at once, and gives back what it held.

The deals here are hard ones: those that recycle on and on, and those whose piles go live late, so
that sets can be taken in exponentially many orders. Memory and Ctrl-C are tried in processes of
their own.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import decade
from decade import solver
from decade.rules import PRESETS, Discard, Rules
from decade.solver import new_search
from decade_ext.search import Search, Stop

MIB = 2**20
PACK = "A23456789TJQK" * 4


def two_packs(seed: int) -> str:
    """Shuffle all cards but one six; what is left then totals 674, so they cannot all leave."""
    cards = list(PACK * 2)
    cards.remove("6")
    random.Random(seed).shuffle(cards)
    return " ".join(cards)


# Deals that take billions of nodes, for each kind of search. Jacks to kings count 11 to 13 in one.
HARD: dict[str, tuple[dict[str, Any], str]] = {
    "line": ({"opening": 103}, two_packs(1)),
    "loop": ({"opening": 103, "wrap": True}, two_packs(2)),
    "piles": ({"opening": 52, "piles": 2}, two_packs(3)),
    "recycles": (
        {"totals": [20], "min_cards": 1, "wrap": True, "piles": 2, "opening": 1, "recycle": True}
        | {"face_values": [11, 12, 13]},
        "6 3 8 5 K K 2 K Q 4 3 3 6 Q K 8 4 2 5 5 Q 9 9",
    ),
    "recycles at the ends": (
        {"totals": [5, 11, 13, 19], "reach": "ends", "piles": 3, "opening": 1, "recycle": True},
        "5 6 7 8 10 7 7 2 3 10 10 10 10 4 2 10 6 2 6 7 8 5",
    ),
}
NEED_NOTHING = ("decade", "pysol", "face-up")
"""Lines that are decided in no more memory than is always held."""
COUNTED = [name for name, (fields, _) in HARD.items() if "recycle" not in fields]
each_hard = pytest.mark.parametrize("name", HARD)


def hard(name: str) -> tuple[Rules, str, list[int]]:
    """Give the rules, the deal as cards and as values."""
    fields, cards = HARD[name]
    rules = Rules.from_dict(fields)
    deal = decade.Deal.parse(cards, face_values=rules.face_values)
    return rules, cards, list(deal.values(rules.face_values))


def is_unknown(result: decade.Result, limit: str) -> bool:
    assert result.verdict is decade.Verdict.UNKNOWN
    assert (result.remaining, result.moves, result.counts) == (None, (), None)
    return result.limit == limit


@pytest.mark.parametrize("limit", [1, 2, 7, 4095, 4096, 4097, 60_000])
@each_hard
def test_the_node_limit_is_exact(name: str, limit: int) -> None:
    rules, cards, values = hard(name)
    result = decade.solve(cards, rules, node_limit=limit)
    assert is_unknown(result, "nodes")
    assert result.nodes == limit
    many = decade.solve_many(np.array([values] * 3, np.uint8), rules, node_limit=limit)
    assert [array.tolist() for array in many] == [[2] * 3, [-1] * 3, [limit] * 3]
    if name in COUNTED:
        assert is_unknown(decade.solve(cards, rules, node_limit=limit, count=True), "nodes")


@pytest.mark.parametrize("name", PRESETS)
def test_a_node_limit_that_is_just_enough(name: str, seed: int) -> None:
    r = random.Random(seed)
    for _ in range(40):
        deal = " ".join(r.sample(PACK, 52))
        result = decade.solve(deal, name)
        if result.nodes:
            enough = decade.solve(deal, name, node_limit=result.nodes)
            assert (enough.verdict, enough.moves) == (result.verdict, result.moves)
        if result.nodes > 1:
            assert is_unknown(decade.solve(deal, name, node_limit=result.nodes - 1), "nodes")


@pytest.mark.parametrize("mib", [1, 5])
@each_hard
def test_the_memory_limit(name: str, mib: int) -> None:
    rules, cards, _ = hard(name)
    assert is_unknown(decade.solve(cards, rules, memory_limit=mib * MIB), "memory")
    if name in COUNTED:
        counted = decade.solve(cards, rules, memory_limit=mib * MIB, count=True)
        assert is_unknown(counted, "memory")


def sizes() -> list[int]:
    """Give limits from a byte up, closer together than the memory grows."""
    return list(accumulate(range(60), lambda size, _: size + size // 3 + 1, initial=1))


@pytest.mark.parametrize("count", [False, True], ids=["decide", "count"])
@pytest.mark.parametrize("name", [*PRESETS, *HARD])
def test_tiny_memory_limits(name: str, count: bool) -> None:
    """From one byte on: unknown, then from some limit on the answer, never anything else."""
    rules = hard(name)[0] if name in HARD else PRESETS[name]
    if rules.recycle or rules.discard is Discard.OPTIONAL:
        count = False
    deal = " ".join(random.Random(4).sample(PACK, 52 if name in PRESETS else 20))
    full = decade.solve(deal, rules, count=count, node_limit=200_000)
    known = 0
    for limit in sizes():
        result = decade.solve(deal, rules, count=count, memory_limit=limit, node_limit=200_000)
        if result.limit == "memory":
            assert is_unknown(result, "memory")
            assert not known, "more memory is not enough"
        else:
            found = (result.verdict, result.moves, result.counts, result.nodes)
            assert found == (full.verdict, full.moves, full.counts, full.nodes)
            known += 1
    assert known
    assert known < len(sizes()) / 1.5 or name in NEED_NOTHING


@pytest.mark.parametrize("few", [0, 1, 64])
@each_hard
def test_limits_with_a_memo_that_forgets(
    name: str, few: int, make_search: Callable[..., Search]
) -> None:
    rules, _, values = hard(name)
    for limits in ({"node_limit": 1000}, {"node_limit": 1000, "memory_limit": 50_000}):
        search = make_search(rules, memo_entries=few, **limits)
        verdict, remaining, nodes, moves, _, limit = search.solve(values)
        assert (verdict, remaining, moves) == (2, -1, [])
        assert limit in ("nodes", "memory")
        assert nodes <= 1000


@pytest.mark.parametrize("name", ["seven-piles-loop", "ten-twenty-thirty", "loop"])
def test_a_memory_limit_is_each_deals_own(name: str, seed: int) -> None:
    """What earlier deals needed must not decide on later ones, nor how threads share them."""
    r = random.Random(seed)
    values = [
        [min("A23456789TJQK".index(c) + 1, 10) for c in r.sample(PACK, 52)] for _ in range(800)
    ]
    deals = np.array(values, np.uint8)
    for limit in (250_000, 400_000):
        together = decade.solve_many(deals, name, memory_limit=limit, node_limit=20_000)
        alone = [
            decade.solve_many(deals[i : i + 1], name, memory_limit=limit, node_limit=20_000)
            for i in range(len(deals))
        ]
        for field in ("verdict", "remaining", "nodes"):
            one_by_one = [int(getattr(answer, field)[0]) for answer in alone]
            assert getattr(together, field).tolist() == one_by_one


def test_an_answer_after_a_limit_was_hit(make_search: Callable[..., Search]) -> None:
    """A search goes on to the next deal as if nothing had been."""
    for name in HARD:
        rules, _, values = hard(name)
        easy = values[:6]
        fresh = make_search(rules).solve(easy)
        for limits in ({"node_limit": 5000}, {"memory_limit": MIB}):
            search = make_search(rules, **limits)
            for _ in range(3):
                assert search.solve(values)[0] == 2
                assert search.solve(easy) == fresh


BAD_LIMITS: list[Any] = [0, -1, 2**63, 1.0, "1", True, [1], 10**30]


@pytest.mark.parametrize("limit", BAD_LIMITS, ids=str)
@pytest.mark.parametrize("option", ["node_limit", "memory_limit"])
def test_limits_out_of_range(option: str, limit: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} must be a whole number, 1 or more"):
        decade.solve("4 6", **{option: limit})
    with pytest.raises(ValueError, match=f"{option} must be a whole number, 1 or more"):
        decade.solve_many(np.array([[4, 6]], np.uint8), **{option: limit})


def test_no_node_limit() -> None:
    assert decade.solve("4 6", node_limit=None).limit is None
    assert decade.solve("4 6", node_limit=2**63 - 1, memory_limit=2**63 - 1).limit is None


# In processes of their own.

measures_memory = pytest.mark.skipif(
    not sys.platform.startswith("linux") or "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="reads /proc, and AddressSanitizer keeps what is freed",
)


def in_process(code: str, *arguments: Any) -> Any:
    """Run code that reads its arguments off ``given`` and prints an answer, both as JSON."""
    head = "import json, sys\ngiven = json.loads(sys.argv[1])\n"
    done = subprocess.run(
        [sys.executable, "-c", head + code, json.dumps(arguments)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, f"status {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


MEASURE = """
import decade, numpy
def held():
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return [int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]
fields, cards, limit, count = given
rules = decade.Rules.from_dict(fields)
decade.solve("4 6", rules)
before, _ = held()
result = decade.solve(cards, rules, memory_limit=limit * 2**20, count=count)
after, most = held()
print(json.dumps([result.limit, most - before, after - before]))
"""


@measures_memory
@pytest.mark.parametrize(("mib", "count"), [(16, False), (16, True), (64, False)])
@each_hard
def test_a_search_holds_no_more_than_the_limit(name: str, mib: int, count: bool) -> None:
    """In MiB of memory in use: a quarter of the limit at least, for tables grow by doubling."""
    count = count and name in COUNTED
    limit, most, after = in_process(MEASURE, *HARD[name], mib, count)
    print(f"{name}: limit {mib} MiB, held {most:.1f}, kept {after:.1f}")
    assert limit == "memory"
    assert mib / 4 - 2 < most < mib * 1.1 + 4
    assert after < 2 + mib / 2  # what is free but below the top of the heap stays in use


AGAIN = """
import ctypes, decade
from decade_ext.search import Search, Stop
trim = getattr(ctypes.CDLL(None), "malloc_trim", int)
def held():
    trim(0)  # what is free goes back to the system, where the C library can do that
    with open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * 4096 / 2**20
fields, values = given
rules = decade.Rules.from_dict(fields)
search = Search(
    totals=rules.totals, min_cards=rules.min_cards, max_cards=rules.max_cards or 0, wrap=rules.wrap,
    reach=rules.reach.value, piles=rules.piles, opening=rules.opening, recycle=rules.recycle,
    optional=False,
    target=rules.target, node_limit=10**9, memory_limit=2**25, stop=Stop(),
)
search.solve(values[:4])
before = held()
limit = search.solve(values)[5]
hard = held()
search.solve(values[:4])
print(json.dumps([limit, hard - before, held() - before]))
"""


@measures_memory
@each_hard
def test_the_next_deal_does_without_the_memory_of_a_hard_one(name: str) -> None:
    _, _, values = hard(name)
    limit, most, after = in_process(AGAIN, HARD[name][0], values)
    assert limit == "memory"
    assert most > 7
    assert after < 4


PRESS = """
import _thread, decade, numpy, os, signal, threading, time
fields, cards, values, count, threads = given
rules = decade.Rules.from_dict(fields)
pressed = 0.0
def press():
    global pressed
    time.sleep(0.3)
    pressed = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)
delays = []
for _ in range(3):
    thread = threading.Thread(target=press)
    thread.start()
    try:
        if threads:
            decade.solve_many(numpy.array([values] * 9000, "uint8"), rules, threads=threads)
        else:
            decade.solve(cards, rules, count=count, memory_limit=2**33)
    except KeyboardInterrupt:
        delays.append(time.perf_counter() - pressed)
    thread.join()
ends = time.perf_counter() + 5
while (left := _thread._count()) and time.perf_counter() < ends:
    time.sleep(0.01)
print(json.dumps([delays, left]))
"""


@pytest.mark.parametrize("how", ["solve", "count", "many", "two threads"])
@each_hard
def test_ctrl_c_is_heard_within_a_quarter_second(name: str, how: str) -> None:
    """From the signal to the exception; one slow try of three is put down to the machine."""
    if how == "count" and name not in COUNTED:
        how = "solve"
    threads = {"many": 1, "two threads": 2}.get(how, 0)
    delays, left = in_process(PRESS, *HARD[name], hard(name)[2], how == "count", threads)
    assert len(delays) == 3
    assert sorted(delays)[1] < 0.25
    assert left == 0


class Alarm(Exception):
    """What a signal handler of the caller's raises."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_what_a_signal_handler_raises_is_passed_on(threads: int) -> None:
    rules, cards, values = hard("recycles")

    def search() -> None:
        if threads:
            decade.solve_many(np.array([values] * 9000, np.uint8), rules, threads=threads)
        else:
            decade.solve(cards, rules)

    with alarm(0.1), pytest.raises(Alarm):
        search()
    assert decade.solve("KC KH 4D 6S").verdict is decade.Verdict.WINNABLE


def test_a_signal_is_heard_while_another_thread_is_waited_for() -> None:
    rules, _, _ = hard("recycles")
    stop, ended = Stop(), threading.Event()

    def work(_search: Search) -> None:
        if threading.current_thread() is threading.main_thread():
            return
        while not stop.is_set():
            time.sleep(0.001)
        ended.set()

    searches = [new_search(rules, None, None, stop) for _ in range(2)]
    with alarm(0.1), pytest.raises(Alarm):
        solver._in_threads(work, searches, stop)
    assert ended.is_set()


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_the_first_error_of_a_thread_ends_all_and_is_raised(failing: int) -> None:
    rules, _, _ = hard("recycles")
    stop = Stop()
    searches = [new_search(rules, None, None, stop) for _ in range(3)]
    ended: list[int] = []

    def work(search: Search) -> None:
        number = searches.index(search)
        try:
            if number == failing:
                raise Alarm
            while not stop.is_set():
                time.sleep(0.001)
            raise KeyboardInterrupt
        finally:
            ended.append(number)

    with pytest.raises(Alarm):
        solver._in_threads(work, searches, stop)
    assert sorted(ended) == [0, 1, 2]


def test_a_signal_that_raises_nothing_does_not_stop_the_search() -> None:
    rules, cards, _ = hard("recycles")
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        result = decade.solve(cards, rules, node_limit=500_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert result.nodes == 500_000
    assert len(heard) > 3
