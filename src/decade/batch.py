"""Many deals: files in, rows out, and a run that was interrupted goes on.

`solve_file` gives the rows one by one; `solve_to_file` writes them and keeps a journal.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from decade.export import CsvExporter, Exporter, exporter_for
from decade.files import InputError, sources_at
from decade.journal import NOTHING_YET, FinishedError, Journal, OutputError, Progress
from decade.pipeline import Done, Pipeline
from decade.rows import Row, Run
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT
from decade.sources import Source
from decade.tally import Tally

Input = Source | str | os.PathLike[str]
Watch = Callable[[Tally, float | None], None]
"""Is told the tally so far, and the share of the input that is done if that is known."""

SAVE_SECONDS = 2.0


class Outcome(NamedTuple):
    """What came of a batch: the rows counted, and how many were there when it was resumed."""

    tally: Tally
    resumed: int


def _run(
    rules: Rules | str | Mapping[str, Any], node_limit: int | None, memory_limit: int, moves: bool
) -> Run:
    return Run(Rules.of(rules), node_limit, memory_limit, moves)


def _sources(inputs: Input | Iterable[Input]) -> list[Source]:
    if isinstance(inputs, (Source, str, os.PathLike)):
        inputs = [inputs]
    return [
        source
        for given in inputs
        for source in ([given] if isinstance(given, Source) else sources_at(os.fspath(given)))
    ]


def solve_file(
    inputs: Input | Iterable[Input],
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    moves: bool = True,
    node_limit: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    workers: int | None = None,
    strict: bool = False,
    chunk: int | None = None,
) -> Iterator[Row]:
    """Solve the deals of files, one after the other, and give a row for each.

    Args:
        inputs: a path (``-`` is stdin, a folder has Parquet files) or source, or several.
        rules: a rule set, a preset's name, or a mapping of fields.
        moves: whether rows have the play; without, it is many times faster.
        node_limit: positions to look at, a deal; None for no limit.
        memory_limit: bytes that the search of one worker may hold.
        workers: how many threads; by default, as many as there are cores.
        strict: whether a deal that cannot be read is an error and not a row.
        chunk: deals that a worker takes at a time; by default, what takes a twentieth of a second.

    Raises:
        InputError: if a file cannot be read, or with ``strict`` a deal.
        RulesError: if the rules are not valid.
        ValueError: if a limit, ``workers`` or ``chunk`` is below 1.
    """
    run = _run(rules, node_limit, memory_limit, moves)
    pipeline = Pipeline(_sources(inputs), run, workers=workers, strict=strict, chunk=chunk)

    def rows() -> Iterator[Row]:
        try:
            for done in pipeline.done(Progress()):
                yield from done.block.rows()
                if done.problem is not None:
                    raise InputError(done.problem)
            if pipeline.control.stopped:
                raise KeyboardInterrupt
        finally:
            pipeline.control.end()

    return rows()


def solve_to_file(
    inputs: Input | Iterable[Input],
    output: str | os.PathLike[str] | None,
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    moves: bool = True,
    node_limit: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    workers: int | None = None,
    strict: bool = False,
    resume: bool = False,
    force: bool = False,
    chunk: int | None = None,
    save_every: float = SAVE_SECONDS,
    watch: Watch | None = None,
) -> Outcome:
    """Solve the deals of files into a file, so that an interrupted run can go on.

    Args:
        inputs: as for `solve_file`.
        output: a path, whose suffix says the format, or None for CSV on stdout.
        rules: as for `solve_file`.
        moves: as for `solve_file`.
        node_limit: as for `solve_file`.
        memory_limit: as for `solve_file`.
        workers: as for `solve_file`.
        strict: as for `solve_file`.
        resume: go on with an interrupted run, if there is one.
        force: replace an output that is there.
        chunk: as for `solve_file`.
        save_every: seconds after which what is done is made safe on the disk.
        watch: is called after every piece.

    Raises:
        InputError, RulesError, ValueError: as `solve_file`; the rows before are safe.
        FinishedError: if the run to resume is finished.
        OutputError: if the output is there, or the interrupted run was another one.
        OSError: if the output cannot be written; the rows that were saved are safe.
        KeyboardInterrupt: on Ctrl-C, within a quarter second; the rows that are done are safe.
    """
    run = _run(rules, node_limit, memory_limit, moves)
    sources = _sources(inputs)
    pipeline = Pipeline(sources, run, workers=workers, strict=strict, chunk=chunk)
    if output is None:
        return _to_stdout(pipeline, watch or _ignore)
    path = Path(output)
    kind = exporter_for(path)
    _check_inputs(sources, path)
    about = {"format": kind.suffixes[0], **run.to_dict(), "rules": run.rules.as_field()}
    about["inputs"] = [source.identity(pipeline.workers) for source in sources]
    journal = Journal(path, about)
    exporter = kind(journal.part, run)
    pipeline.encode = exporter.encode
    try:
        saved = journal.begin(folder=kind.folder, resume=resume, force=force)
    except FinishedError:
        _check_same(exporter, path)
        journal.end()
        raise
    try:
        with pipeline.control.catching():
            writer = _Writer(journal, exporter, saved, save_every)
            outcome = writer.write(pipeline, watch or _ignore)
    finally:
        journal.release()
    return outcome


def _ignore(tally: Tally, share: float | None) -> None:
    pass


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _check_inputs(sources: list[Source], output: Path) -> None:
    for source in sources:
        if source.path is not None and _same_file(Path(source.path), output):
            raise OutputError(f"{output} is an input too")


def _check_same(exporter: Exporter[Any], path: Path) -> None:
    """Refuse to call a finished output the one that was asked for if it is not."""
    found = exporter.origin(path)
    wanted = exporter.run.rules_text, exporter.run.made_by
    if found is not None and found != wanted:
        was, now = next((w, n) for w, n in zip(found, wanted, strict=True) if w != n)
        raise OutputError(
            f"{path} is finished, but was made by another run: {was}, not {now}; "
            "--force replaces it"
        )


def _share(sources: list[Source], done: Done) -> float | None:
    """Say what share of the input is done, by bytes or deals, if all sizes are known."""
    sizes = [source.size for source in sources]
    if None in sizes or not any(sizes):
        return None
    known = [size or 0 for size in sizes]
    return min(1.0, (sum(known[: done.source]) + done.piece.seen) / sum(known))


class _Writer:
    """Appends what comes back, and keeps the journal.

    Killing a run loses nothing that the system has. For the case that the power fails, the disk is
    made to take what took long to find; rows that come faster than a disk takes them are not waited
    for before the end, and then only if the run was not over in a moment.
    """

    def __init__(
        self, journal: Journal, exporter: Exporter[Any], saved: Progress | None, every: float
    ) -> None:
        self.journal = journal
        self.exporter = exporter
        self.every = every
        self.at = saved or Progress()
        self.last: Done | None = None
        self.torn = False  # whether rows are half written, so that there is nothing to save
        self.tally = Tally.from_dict(self.at.tally)
        if saved is None:
            journal.save(self.at)  # before there is anything that would be in the way
        if self.at.output == NOTHING_YET:
            exporter.create()
            self.save()
        else:
            exporter.reopen(self.at.output)

    def save(self, *, settle: bool = False) -> None:
        """Give the rows so far to the system, and say how far they are; perhaps to the disk too."""
        self.torn = True
        if self.last is not None:
            self.at.source, self.at.record = self.last.source, self.last.record
            self.at.digest = self.last.piece.digest(self.last.record)
        self.at.output = self.exporter.save()
        self.at.tally = self.tally.to_dict()
        self.torn = False
        self.journal.save(self.at, lasting=settle and self.exporter.settle())

    def write(self, pipeline: Pipeline, watch: Watch) -> Outcome:
        """Write everything, and give the output its name."""
        resumed, due = self.tally.rows, time.monotonic() + self.every
        start = Progress(self.at.source, self.at.record, self.at.digest)
        lasting = False
        try:
            try:
                for done in pipeline.done(start, hashed=True):
                    self.torn = True
                    self.exporter.append(done.encoded)
                    self.tally.add(done.block)
                    self.last = done
                    self.torn = False
                    watch(self.tally, _share(pipeline.sources, done))
                    if time.monotonic() >= due:
                        lasting = True
                        self.save(settle=True)
                        due = time.monotonic() + self.every
                    if done.problem is not None:
                        raise InputError(done.problem)
            finally:
                if not self.torn:
                    self.save()
            with pipeline.control.at_once():
                if lasting:
                    self.exporter.sync()
                self.exporter.finish(self.journal.output)
                self.journal.end(lasting=lasting)
        finally:
            with suppress(OSError):
                self.exporter.close()
        return Outcome(self.tally, resumed)


def _to_stdout(pipeline: Pipeline, watch: Watch) -> Outcome:
    """Write CSV to stdout, where nothing can be gone on with."""
    exporter = CsvExporter(Path("-"), pipeline.run)
    exporter.create(sys.stdout.buffer)
    pipeline.encode = exporter.encode
    tally = Tally()
    with pipeline.control.catching():
        for done in pipeline.done(Progress()):
            exporter.append(done.encoded)
            sys.stdout.buffer.flush()
            tally.add(done.block)
            watch(tally, _share(pipeline.sources, done))
            if done.problem is not None:
                raise InputError(done.problem)
    if pipeline.control.stopped:
        raise KeyboardInterrupt
    return Outcome(tally, 0)
