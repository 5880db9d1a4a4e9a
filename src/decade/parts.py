"""A folder of Parquet files in, a folder out: a part for each, made by the workers of a cluster.

A worker makes a part from the first row to the last, beside its place, and puts it there in one
step when it is whole. So whoever comes next finds a part done or not begun: another worker, when
the first was lost, and the next run, when this one was interrupted. A part says in its metadata
what it was made of (the content of its input, the rules, the limits, the version), and is not taken
for another one.

The folder is ``NAME.part`` until all parts are there. Rows are those that a batch of the same files
writes on one machine, in parts instead of one file.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from decade.batch import Outcome, Watch
from decade.cluster import LOCAL, cluster, cores
from decade.files import InputError
from decade.journal import FinishedError, OutputError, Progress, sync_folder, take_hold
from decade.parquet import SUFFIXES, ParquetDeals, files_in
from decade.pipeline import Pipeline
from decade.rows import Run
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT
from decade.tables import ParquetExporter
from decade.tally import Tally

_HALF_MADE = ".half-made"
_OTHER = {
    "decade": "with other rules or limits, or by another version",
    "decade_input": "of another input, or its content was another one",
}
"""What a part's metadata says, by key, and what is wrong if it says something else."""


@dataclass(frozen=True)
class Job:
    """What is the same for all parts."""

    run: Run
    strict: bool
    chunk: int | None


class Part(NamedTuple):
    """A part: its input as rows name it, where that lies, and where the output goes."""

    name: str
    input: str
    output: str


class Made(NamedTuple):
    """A part that is there: its rows counted, and whether it was there before."""

    tally: Tally
    before: bool


def make_part(job: Job, part: Part) -> Made:
    """Make a part, unless it is there.

    Raises:
        InputError: if the input cannot be read, or with ``strict`` a deal.
        OutputError: if the part that is there is another one.
        OSError: if it cannot be written.
    """
    output = Path(part.output)
    source = ParquetDeals(part.input, part.name)
    about = {"decade": job.run.to_dict(), "decade_input": source.identity(1)}
    before = output.exists()
    if before:
        _check_same(output, about)
    else:
        _make(job, source, output, about)
    return Made(_count(output), before)


def _make(job: Job, source: ParquetDeals, output: Path, about: Mapping[str, object]) -> None:
    beside = output.with_name(f"{output.name}.{uuid4().hex}{_HALF_MADE}")
    exporter = ParquetExporter(beside, job.run)
    exporter.schema = exporter.schema.with_metadata(
        {key: json.dumps(value) for key, value in about.items()}
    )
    pipeline = Pipeline(
        [source],
        job.run,
        workers=1,
        strict=job.strict,
        chunk=job.chunk,
        encode=exporter.encode,
    )
    beside.mkdir()
    try:
        exporter.create()
        for done in pipeline.done(Progress()):
            exporter.append(done.encoded)
            if done.problem is not None:
                raise InputError(done.problem)
        if pipeline.control.stopped:
            raise KeyboardInterrupt
        exporter.save()
        exporter.finish(output)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _check_same(output: Path, about: Mapping[str, object]) -> None:
    """Refuse a part that was made of something else."""
    from pyarrow import parquet  # noqa: PLC0415 (optional)

    found = parquet.read_schema(output).metadata or {}
    for key, value in about.items():
        if json.loads(found.get(key.encode(), b"null")) != json.loads(json.dumps(value)):
            raise OutputError(f"{output} was made {_OTHER[key]}; --force begins afresh")


def _count(output: Path) -> Tally:
    """Count the rows of a part that is there."""
    from pyarrow import parquet  # noqa: PLC0415 (optional)

    tally = Tally()
    with parquet.ParquetFile(output) as file:
        for batch in file.iter_batches(columns=["verdict", "remaining"], use_threads=False):
            for item in batch["verdict"].value_counts().to_pylist():
                if item["values"] is None:
                    tally.errors += item["counts"]
                else:
                    tally.verdicts[item["values"]] += item["counts"]
            left = batch["remaining"].drop_null().value_counts().to_pylist()
            tally.remaining.update({item["values"]: item["counts"] for item in left})
    return tally


def solve_folder(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    scheduler: str = LOCAL,
    moves: bool = True,
    node_limit: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    workers: int | None = None,
    strict: bool = False,
    resume: bool = False,
    force: bool = False,
    chunk: int | None = None,
    watch: Watch | None = None,
) -> Outcome:
    """Solve the deals of a folder of Parquet files on a cluster, into another folder of them.

    All workers must find both folders under the same paths.

    Args:
        folder: has a Parquet file or more, with a column ``deal`` and perhaps ``name``, ``packs``.
        output: the folder to make.
        rules: a rule set, a preset's name, or a mapping of fields.
        scheduler: the address of a Dask scheduler, or ``local`` to start one here.
        moves: as for `decade.solve_file`.
        node_limit: as for `decade.solve_file`.
        memory_limit: as for `decade.solve_file`.
        workers: processes to start, if a cluster is started; by default, as many as cores.
        strict: as for `decade.solve_file`.
        resume: go on with an interrupted run, if there is one.
        force: replace a folder of Parquet files that is there.
        chunk: as for `decade.solve_file`.
        watch: is called after every part, with the share of parts that are done.

    Raises:
        InputError, RulesError, ValueError: as `decade.solve_file`; parts that are made are kept.
        FinishedError: if the run to resume is finished.
        OutputError: if the output is there, or was made of something else.
        ClusterError: if the cluster cannot be reached.
        OSError: if the output cannot be written.
    """
    job = Job(Run(Rules.of(rules), node_limit, memory_limit, moves), strict, chunk)
    files, target = files_in(folder), Path(output)
    inside = Path(folder).resolve()
    if inside in (target.resolve(), *target.resolve().parents):
        raise OutputError(f"{target} is in the folder of the inputs")
    tally, resumed = Tally(), 0
    with _making(target, job.run, resume=resume, force=force) as made:
        parts = [
            Part(os.fspath(file), os.fspath(file.resolve()), os.fspath(made / file.name))
            for file in files
        ]
        known = {file.name for file in files}
        for path in made.iterdir():
            if path.name not in known:
                raise OutputError(f"{path} is in the way, and of none of the inputs")
            _check_same(path, {"decade": job.run.to_dict()})  # before others are made beside it
        with cluster(scheduler, workers or cores()) as crew:
            found = crew.in_order(partial(make_part, job), parts)
            for number, (_, part) in enumerate(found, 1):
                tally.include(part.tally)
                resumed += part.tally.rows if part.before else 0
                if watch is not None:
                    watch(tally, number / len(parts))
    return Outcome(tally, resumed)


@contextmanager
def _making(output: Path, run: Run, *, resume: bool, force: bool) -> Iterator[Path]:
    """Give the folder to put parts in, and in the end the output its name."""
    made = output.with_name(output.name + ".part")
    if output.suffix and output.suffix.lower() not in SUFFIXES:
        raise OutputError(f"{output}: on a cluster the output is a folder of Parquet files")
    if output.exists() and not force:
        if not resume or made.exists():
            raise OutputError(f"{output} is there already: --force replaces it")
        for part in files_in(output):
            _check_same(part, {"decade": run.to_dict()})
        raise FinishedError(f"{output} is finished: there is nothing to resume")
    if made.exists() and not force and not resume:
        raise OutputError(
            f"{output}: an earlier run was interrupted: "
            "--resume goes on with it, --force begins afresh"
        )
    if force:
        _check_parts(output)
        _check_parts(made)
    made.mkdir(exist_ok=True)
    held = take_hold(made, output)
    try:
        _take_away(made, whole=force)
        yield made.resolve()
        _take_away(made, whole=False)
        if output.exists():
            _take_away(output, whole=True)
            output.rmdir()
        made.rename(output)
        sync_folder(output)
    finally:
        os.close(held)


def _check_parts(folder: Path) -> None:
    """Refuse to replace what is no folder of parts."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is in the way, and is no folder")
    for path in folder.iterdir() if folder.exists() else ():
        if path.suffix.lower() not in (*SUFFIXES, _HALF_MADE):
            raise OutputError(f"{path} is in the way, and is no part of a result")


def _take_away(folder: Path, *, whole: bool) -> None:
    """Remove what is half made, and perhaps the whole parts.

    A worker of an interrupted run may still be at it; it fails when its place is gone, and so
    cannot put a part in the way of this run.
    """
    for path in folder.iterdir():
        if path.suffix == _HALF_MADE:
            gone = path.rename(path.with_name(f"{uuid4().hex}{_HALF_MADE}"))
            shutil.rmtree(gone, ignore_errors=True)
        elif whole:
            path.unlink()
