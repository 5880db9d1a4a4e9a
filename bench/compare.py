"""Compare the compiled search with the C++ yardstick and plain Python: one table, one run.

    python bench/compare.py                         all cases; adds a line to bench/results.jsonl
    python bench/compare.py decade pysol --turns 9  some of them, read more often
    python bench/compare.py --instructions          and count instructions, with valgrind
    python bench/compare.py --record                and make the ratios the record that CI holds
    python bench/compare.py --smoke                 what CI runs: fail if half the record is lost

In each turn every program is read once, in a fresh process and on fresh deals, one right after the
other; a ratio is the median of the turns' ratios, so what else the machine does in the meantime
counts little. All numbers are a median with the least and the greatest reading behind it. The
yardstick's ratio is that of shuffling and solving (of solving alone for two packs, which nothing
compiled shuffles here); plain Python's is that of solving the same deals.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from programs import BENCH, Task, command, compile_yardstick, reading

from decade import PRESETS, Rules

RESULTS, RECORD = BENCH / "results.jsonl", BENCH / "record.json"
SMOKE = "decade"
COUNTED = ("decade", "pysol")
THREADS = ("decade", "pysol", "seven-piles-loop")
SCALAR = ("decade", "pysol")
PROGRAMS = ("search", "yardstick", "plain")


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured: a rule set, and the number of packs in a deal."""

    rules: Rules
    packs: int = 1


CASES: Mapping[str, Case] = {
    **{name: Case(rules) for name, rules in PRESETS.items()},
    "line up to six": Case(Rules(max_cards=6)),
    "line 7-11-23": Case(Rules(totals=(7, 11, 23))),
    "decade, two packs": Case(PRESETS["decade"], packs=2),
    "pysol, two packs": Case(PRESETS["pysol"], packs=2),
}


@dataclass(frozen=True, slots=True)
class Readings:
    """Several readings of one quantity."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The reading in the middle."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        """Show the median, and the least and the greatest reading if there are several."""
        if len(self.values) == 1:
            return f"{self.median:.1f}"
        shown = (f"{value:.{_decimals(value)}f}" for value in (min(self.values), max(self.values)))
        return f"{self.median:.{_decimals(self.median)}f} ({'-'.join(shown)})"

    def over(self, other: Readings) -> Readings:
        """Divide reading by reading, those of one turn by each other."""
        pairs = zip(self.values, other.values, strict=True)
        return Readings(tuple(mine / theirs for mine, theirs in pairs))

    def to_list(self) -> list[float]:
        """Give the readings to four digits."""
        return [float(f"{value:.4g}") for value in self.values]


def _decimals(value: float) -> int:
    return 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0


class Bench:
    """Takes readings in turn; each lasts about as long as asked for."""

    def __init__(self, yardstick: Path, turns: int, seconds: float) -> None:
        self.yardstick = yardstick
        self.turns = turns
        self.seconds = seconds

    def enough(self, program: str, task: Task) -> Task:
        """Choose how many deals one reading needs."""
        deals, most = 1, 10_000_000
        while deals < most:
            found = reading(program, replace(task, deals=deals), self.yardstick)
            spent = 1e-6 * found["with_shuffle"] * deals
            if spent > self.seconds / 20:
                return replace(task, deals=max(1, min(most, int(deals * self.seconds / spent))))
            deals *= 10 if spent > self.seconds / 1000 else 100
        return replace(task, deals=most)

    def compare(self, tasks: Mapping[str, tuple[str, Task]]) -> dict[str, list[dict[str, Any]]]:
        """Read programs in turn; each gets new deals every turn."""
        sized = {label: (name, self.enough(name, task)) for label, (name, task) in tasks.items()}
        found: dict[str, list[dict[str, Any]]] = {label: [] for label in tasks}
        for turn in range(self.turns):
            for label, (name, task) in sized.items():
                seeded = replace(task, seed=task.seed + turn)
                found[label].append(reading(name, seeded, self.yardstick))
        return found

    def case(self, case: Case, programs: Sequence[str]) -> dict[str, Readings]:
        """Measure one case: microseconds a deal, ratios, and the part of the deals that is won."""
        task = Task(case.rules, deals=1, seed=1949, packs=case.packs)
        found = self.compare({name: (name, task) for name in programs})
        row: dict[str, Readings] = {}
        for name, readings in found.items():
            for time in ("solve", "with_shuffle"):
                row[f"{name} {time}"] = Readings(tuple(r[time] for r in readings))
            deals = sum(r["deals"] for r in readings)
            row[f"{name} won %"] = Readings((100 * sum(r["won"] for r in readings) / deals,))
        if "yardstick" in found:
            timed = "with_shuffle" if case.packs == 1 else "solve"
            row["yardstick/search"] = row[f"yardstick {timed}"].over(row[f"search {timed}"])
        if "scalar" in found:
            row["yardstick/scalar"] = row[f"yardstick {timed}"].over(row[f"scalar {timed}"])
        if "plain" in found:
            same = Readings(tuple(reading["search"] for reading in found["plain"]))
            row["plain/search"] = row["plain solve"].over(same)
        return row

    def scaling(self, case: Case) -> dict[str, Readings]:
        """Measure by the clock what two threads give, and two processes that share nothing.

        Also measure the cost a deal of many deals over that of a tenth of them, in processor time.
        """
        many = self.enough("search", Task(case.rules, deals=1, seed=1949, packs=case.packs))
        few = replace(many, deals=many.deals // 10 + 1)
        kinds = {"many": ("search", many), "few": ("search", few), "threads": ("threads", many)}
        found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
        for turn in range(self.turns):
            for kind, (program, task) in kinds.items():
                seeded = replace(task, seed=task.seed + turn)
                found[kind].append(reading(program, seeded, self.yardstick))

        def read(kind: str, way: str) -> Readings:
            return Readings(tuple(reading[way] for reading in found[kind]))

        return {
            "two threads/one": read("threads", "two"),
            "two processes/one": read("threads", "apart"),
            "many deals/few": read("many", "solve").over(read("few", "solve")),
        }

    def instructions(self, case: Case) -> float | None:
        """Count instructions a deal with callgrind, shuffle included; None without valgrind."""
        if shutil.which("valgrind") is None:
            return None
        few, many = 2_000, 18_000
        counts = []
        for deals in (few, many):  # what they have in common, such as loading, drops out
            task = Task(case.rules, deals=deals, seed=1949, packs=case.packs)
            callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            done = subprocess.run(
                [*callgrind, *command("search", task, self.yardstick)],
                capture_output=True,
                text=True,
                check=True,
                # NumPy's BLAS has a thread that waits for work, in a loop.
                env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
            )
            counted = re.search(r"Collected : (\d+)", done.stderr)
            if counted is None:
                raise RuntimeError(f"callgrind counted nothing: {done.stderr[-500:]}")
            counts.append(int(counted[1]))
        return (counts[1] - counts[0]) / (many - few)


def show(rows: Mapping[str, Mapping[str, Readings]]) -> None:
    """Print a table: a row a case, the quantities they have as columns."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    table = [["", *columns]]
    for case, row in rows.items():
        table.append([case, *(str(row.get(name, "")) for name in columns)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *numbers in table:
        aligned = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))
        print("  ".join([name.ljust(widths[0]), *aligned]))


def first_line(*command: str) -> str | None:
    """Give the first line that a command prints, None if there is no such command."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=BENCH)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.partition("\n")[0]


def machine() -> dict[str, object]:
    """Say what is measured, and on what."""
    told = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"^model name\s*: (.*)$", told, re.MULTILINE)
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": first_line("git", "describe", "--always", "--dirty", "--abbrev=12"),
        "compiler": first_line("cc", "--version"),
        "yardstick": first_line("g++", "--version"),
        "cpu": model[1] if model else platform.processor(),
        "avx512": "avx512f" in told,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def smoke(bench: Bench) -> int:
    """Hold the standard game to half of its recorded ratio; the exit status."""
    recorded = json.loads(RECORD.read_text())["ratios"][SMOKE]
    row = bench.case(CASES[SMOKE], ("search", "yardstick"))
    ratio = row["yardstick/search"]
    show({SMOKE: row})
    enough = ratio.median >= recorded / 2
    print(f"{'passed' if enough else 'FAILED'}: {ratio} times the yardstick, recorded {recorded}")
    return 0 if enough else 1


def measure(bench: Bench, cases: Iterable[str], arguments: argparse.Namespace) -> None:
    """Measure all that was asked for, print it and keep it."""
    kept: dict[str, Any] = {**machine(), "turns": bench.turns}
    rows = {}
    for name in cases:
        print(f"{name} ...", file=sys.stderr)
        programs = ("scalar", *PROGRAMS) if name in SCALAR else PROGRAMS
        rows[name] = bench.case(CASES[name], programs)
    scaled = {name: bench.scaling(CASES[name]) for name in THREADS if name in rows}
    for name in rows:
        if (double := f"{name}, two packs") in rows:
            ratio = rows[double]["search solve"].over(rows[name]["search solve"])
            scaled.setdefault(name, {})["two packs/one"] = ratio
    print("Microseconds a deal of one thread: median (least-greatest)")
    show(rows)
    if scaled:
        print(
            "\nDeals a second, two threads or processes over one; "
            "cost a deal, many over few, two packs over one"
        )
        show(scaled)
    if arguments.instructions:
        counts = {name: bench.instructions(CASES[name]) for name in COUNTED if name in rows}
        for name, count in counts.items():
            said = "not counted: there is no valgrind" if count is None else f"{count:.0f}"
            print(f"instructions a deal, {name}: {said}")
        kept["instructions"] = counts
    for label, table in (("cases", rows), ("scaling", scaled)):
        kept[label] = {
            case: {name: cell.to_list() for name, cell in row.items()}
            for case, row in table.items()
        }
    with RESULTS.open("a") as results:
        results.write(json.dumps(kept) + "\n")
    if arguments.record:
        record(kept, {name: row["yardstick/search"].median for name, row in rows.items()})


def record(kept: Mapping[str, Any], ratios: Mapping[str, float]) -> None:
    """Make these ratios the record; those of cases not measured stay."""
    old = json.loads(RECORD.read_text())["ratios"] if RECORD.exists() else {}
    ratios = {**old, **{name: round(ratio, 1) for name, ratio in ratios.items()}}
    told = {name: kept[name] for name in ("date", "commit", "cpu", "avx512")}
    RECORD.write_text(json.dumps({**told, "ratios": ratios}, indent=1) + "\n")


def main() -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; all by default")
    parser.add_argument("--turns", type=int, default=5, help="readings of each program (5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="what one reading takes (0.5)")
    parser.add_argument("--instructions", action="store_true", help="count instructions too")
    parser.add_argument("--record", action="store_true", help="make the ratios the record")
    parser.add_argument("--smoke", action="store_true", help="only hold decade to the record")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.cases if name not in CASES]:
        parser.error(f"there is no case {unknown[0]!r}; there are {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as directory:
        yardstick = compile_yardstick(Path(directory))
        bench = Bench(yardstick, arguments.turns, arguments.seconds)
        if arguments.smoke:
            return smoke(bench)
        measure(bench, arguments.cases or CASES, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
