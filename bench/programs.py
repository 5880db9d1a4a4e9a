"""The programs that are compared, each run as a process of its own that prints one JSON object.

    python bench/programs.py search '{"rules": "decade", "deals": 100000, "seed": 1}'

``search`` is the compiled search as a user calls it: seeded deals, ``solve_many``; ``scalar`` is
the same without the instructions that not every processor has. ``plain`` is plain Python: the
exhaustive solver of the package, or for straight lines with optional discards, which no search in
Python can finish, the cubic interval program. The C++ yardstick prints the same object without any
Python round it. Times are processor time, in microseconds a deal: ``solve``, and ``with_shuffle``,
which has the making of the deals in it. Deals are made and solved in blocks, so that the caches
hold what they hold in use.

``threads`` solves one array by one thread, by two, and half of it in each of two processes, in
turn, and says how many times as fast as the one the others are, by the clock on the wall.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decade import Deal, Discard, Reach, Rules, solve_many
from decade.reference import solve_plain
from decade.solver import MEMORY_LIMIT, compiled_fields
from decade.sources import PACK, seeded_cards
from decade_ext.search import Search, Stop

BENCH = Path(__file__).resolve().parent
BLOCK = 1 << 15
ENOUGH = 0.05
"""Seconds for which the clock must run where a few deals are solved again and again."""
ROUNDS = 6
"""How often an array is solved in each way when threads are compared."""
COMPILE = ("g++", "-O3", "-march=native", "-std=c++17")

Values = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Task:
    """What one reading is of: rules, deals, the seed of the deals, and packs in a deal."""

    rules: Rules
    deals: int
    seed: int
    packs: int = 1

    def to_json(self) -> str:
        """Write the task as an argument for this module's command."""
        fields = {"deals": self.deals, "seed": self.seed, "packs": self.packs}
        return json.dumps({"rules": self.rules.to_dict(), **fields})

    @classmethod
    def from_json(cls, text: str) -> Task:
        """Read what ``to_json`` wrote; packs is 1 if not given."""
        fields = json.loads(text)
        return cls(**{**fields, "rules": Rules.of(fields["rules"])})

    def pack(self) -> Values:
        """Give the point values of the cards that are shuffled."""
        values = Deal(PACK).values(self.rules.face_values)
        return np.array(values * self.packs, np.uint8)


def make_deals(task: Task, index: int, deals: int, path: str | None = None) -> Values:
    """Make deals ``index``, ``index`` + 1, ...: point values, shape (deals, cards)."""
    pack = task.pack()
    if task.packs == 1:
        return seeded_cards(task.seed, index, deals, pack, path)
    generator = np.random.default_rng((task.seed, index))
    return generator.permuted(np.tile(pack, (deals, 1)), axis=1)


def read_search(task: Task) -> dict[str, Any]:
    """Time the compiled search."""

    def solve(values: Values) -> int:
        found = solve_many(values, task.rules)
        return int(np.count_nonzero(found.verdict == 1))

    return _read(task, solve)


def read_scalar(task: Task) -> dict[str, Any]:
    """Time it without the instructions that not every processor has."""
    search = Search(
        **compiled_fields(task.rules),
        node_limit=2**63 - 1,
        memory_limit=MEMORY_LIMIT,
        stop=Stop(),
        path="scalar",
    )

    def solve(values: Values) -> int:
        verdict = np.empty(len(values), np.uint8)
        remaining, nodes = np.empty(len(values), np.int16), np.empty(len(values), np.int64)
        search.solve_many(values, verdict, remaining, nodes)
        return int(np.count_nonzero(verdict == 1))

    return _read(task, solve, path="scalar")


def read_plain(task: Task) -> dict[str, Any]:
    """Time plain Python, and as ``search`` the compiled search on the same deals.

    Plain Python can do so few that one hard deal among them would decide the comparison.
    """
    rules = task.rules
    straight = rules.piles == 1 and not rules.wrap and rules.reach is Reach.ANY

    def winnable(deal: list[int]) -> bool:
        if straight and rules.discard is Discard.OPTIONAL:
            return intervals(deal, rules) <= rules.target
        return solve_plain(deal, rules).winnable

    found = _read(task, lambda values: sum(map(winnable, values.tolist())))
    values = make_deals(task, 0, task.deals)
    rounds, start = 0, time.process_time()
    while (spent := time.process_time() - start) < ENOUGH:
        solve_many(values, rules)
        rounds += 1
    return {**found, "search": 1e6 * spent / (rounds * task.deals)}


def _read(task: Task, solve: Callable[[Values], int], path: str | None = None) -> dict[str, Any]:
    solve(make_deals(task, task.deals, 1))  # so that loading is not timed
    making = solving = 0.0
    won = 0
    for index in range(0, task.deals, BLOCK):
        start = time.process_time()
        values = make_deals(task, index, min(BLOCK, task.deals - index), path)
        made = time.process_time()
        won += solve(values)
        solving += time.process_time() - made
        making += made - start
    times = {"solve": solving, "with_shuffle": making + solving}
    each = {name: 1e6 * seconds / task.deals for name, seconds in times.items()}
    return {"deals": task.deals, "won": won, **each}


def read_threads(task: Task) -> dict[str, Any]:
    """Compare one thread with two, and with two processes that share nothing.

    The processes show what the machine can give: its cores may share power, caches and memory.
    """
    values = make_deals(task, 0, task.deals)
    halves = np.array_split(values, 2)
    here, there = multiprocessing.Pipe()
    other = multiprocessing.Process(target=_answer, args=(there, halves[1], task.rules))
    other.start()

    def by_threads(threads: int) -> float:
        start = time.perf_counter()
        solve_many(values, task.rules, threads=threads)
        return time.perf_counter() - start

    def by_processes() -> float:
        start = time.perf_counter()
        here.send(True)
        solve_many(halves[0], task.rules)
        here.recv()
        return time.perf_counter() - start

    ways = {"one": lambda: by_threads(1), "two": lambda: by_threads(2), "apart": by_processes}
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(ROUNDS + 1):
        for way in sorted(ways, reverse=turn % 2 == 1):
            spent[way].append(ways[way]())
    here.send(False)
    other.join()
    ratios: dict[str, Any] = {"deals": task.deals}
    for way in ("two", "apart"):
        rounds = list(zip(spent["one"], spent[way], strict=True))[1:]  # the first warms up
        ratios[way] = statistics.median(one / many for one, many in rounds)
    return ratios


def _answer(connection: Connection, values: Values, rules: Rules) -> None:
    """Solve an array whenever one is asked to."""
    while connection.recv():
        solve_many(values, rules)
        connection.send(True)


def intervals(values: Sequence[int], rules: Rules) -> int:
    """Find the smallest remainder of a straight line with optional discards, in cubic time.

    ``rests[i][j]`` says to what cards i to j - 1 can be reduced with card i staying: for each
    number of cards, up to the one from which on it no longer matters, a bit for each total.
    """
    n, most = len(values), rules.max_cards or max(rules.min_cards, 2)
    wanted = sum(1 << total for total in rules.totals)
    within = (1 << max(rules.totals) + 1) - 1
    goes = [[i == j for j in range(n + 1)] for i in range(n + 1)]
    rests = [[[0] * (most + 1) for _ in range(n + 1)] for _ in range(n + 1)]
    for i in reversed(range(n)):
        starts: list[int] = []  # the k for which cards i + 1 to k - 1 can all go
        for j in range(i + 1, n + 1):
            rest = rests[i][j]
            for k in starts:
                for count, totals in enumerate(rests[k][j]):
                    if count < most:
                        rest[count + 1] |= totals << values[i]
                    elif rules.max_cards is None:
                        rest[most] |= totals << values[i]
            rest[1] |= goes[i + 1][j] << values[i]
            rests[i][j] = rest = [totals & within for totals in rest]
            goes[i][j] = any(totals & wanted for totals in rest[rules.min_cards :])
            if goes[i + 1][j]:
                starts.append(j)
    least = [0]
    for j in range(1, n + 1):
        least.append(min([least[j - 1] + 1, *(least[i] for i in range(j) if goes[i][j])]))
    return least[n]


def compile_yardstick(directory: Path) -> Path:
    """Compile the C++ program.

    Raises:
        FileNotFoundError: if there is no g++.
        subprocess.CalledProcessError: if it does not compile.
    """
    program = directory / "yardstick"
    subprocess.run([*COMPILE, "-o", program, BENCH / "yardstick.cc"], check=True)
    return program


def yardstick_rules(rules: Rules) -> list[str]:
    """Give the rules as the C++ program takes them."""
    fields = {
        "totals": ",".join(map(str, rules.totals)),
        "min_cards": rules.min_cards,
        "max_cards": rules.max_cards or 0,
        "wrap": int(rules.wrap),
        "reach": rules.reach.value,
        "piles": rules.piles,
        "opening": rules.opening,
        "optional": int(rules.discard is Discard.OPTIONAL),
        "recycle": int(rules.recycle),
        "target": rules.target,
    }
    return [f"{name}={value}" for name, value in fields.items()]


def command(program: str, task: Task, yardstick: Path) -> list[str]:
    """Give the command that takes one reading of a program."""
    if program != "yardstick":
        return [sys.executable, __file__, program, task.to_json()]
    pack = ",".join(map(str, task.pack().tolist()))
    amount = [f"pack={pack}", f"deals={task.deals}", f"seed={task.seed}"]
    return [str(yardstick), *yardstick_rules(task.rules), *amount]


def reading(program: str, task: Task, yardstick: Path) -> dict[str, Any]:
    """Take one reading, in a fresh process."""
    done = subprocess.run(command(program, task, yardstick), check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Take one reading and print it."""
    programs = {
        "search": read_search,
        "scalar": read_scalar,
        "plain": read_plain,
        "threads": read_threads,
    }
    read = programs[sys.argv[1]]
    print(json.dumps(read(Task.from_json(sys.argv[2]))))


if __name__ == "__main__":
    main()
