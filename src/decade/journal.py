"""What lets an interrupted batch go on: a page beside the output that says how far it is.

While a batch runs, its output is ``NAME.part``, and ``NAME.progress`` says what it is made of and
how much of it is safe. The page is replaced whole, after the rows it speaks of are in the hands of
the system, and on the disk unless they come faster than it takes them; what the output holds beyond
them is cut off when the run goes on, and made again. When all rows are there the output gets its
name, in one step, and the page goes. So a file with the output's name is always whole, and there is
no moment at which stopping does harm.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decade.cards import show

NOTHING_YET = -1
"""Stands for what an exporter needs to go on, before it has begun."""


class OutputError(ValueError):
    """An output that may not be written, or cannot be gone on with."""


class FinishedError(OutputError):
    """An output that was to be gone on with is whole."""


@dataclass(slots=True)
class Progress:
    """How far a batch is.

    Attributes:
        source: the number of the source it is in, from 0.
        record: the records of it that are done.
        digest: a hash of the text of these, for a source that cannot be read again to compare.
        output: what the exporter needs to go on from there.
        tally: the rows so far, counted.
    """

    source: int = 0
    record: int = 0
    digest: str | None = None
    output: int = NOTHING_YET
    tally: dict[str, Any] = field(default_factory=dict)


def take_hold(part: Path, output: Path) -> int:
    """Take hold of what becomes the output, until the descriptor is closed. Raises OutputError."""
    held = os.open(part, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(held)
        raise OutputError(f"{output}: another run is writing it") from error
    return held


class Journal:
    """The page beside an output; ``about`` is all that must be the same to go on."""

    def __init__(self, output: Path, about: dict[str, object]) -> None:
        self.output = output
        self.part = output.with_name(output.name + ".part")
        self.page = output.with_name(output.name + ".progress")
        self.about = about
        self._lock: int | None = None

    def begin(self, *, folder: bool, resume: bool, force: bool) -> Progress | None:
        """Take hold of the output, and say where to go on; None to begin afresh.

        Args:
            folder: whether the output is a folder while it is made.
            resume: whether an interrupted run may be gone on with.
            force: whether whatever is there may be replaced.

        Raises:
            FinishedError: if the run that was to be resumed is finished.
            OutputError: if there is an output, or the interrupted run was another one, or another
                run is writing it.
        """
        if self.output.is_dir() or self.page.is_dir():
            raise OutputError(f"{self.output} or what goes with it is a folder")
        if self.part.exists() and self.part.is_dir() is not folder:
            raise OutputError(f"{self.part} is in the way")
        fresh = not self.part.exists()
        if folder:
            self.part.mkdir(exist_ok=True)
        else:
            self.part.touch()
        try:
            self._take_hold()
            return None if force else self._check(resume=resume, fresh=fresh)
        except OutputError:
            self.release()
            if fresh:
                self.part.rmdir() if folder else self.part.unlink()
            raise

    def _check(self, *, resume: bool, fresh: bool) -> Progress | None:
        interrupted = self.page.exists() and not fresh
        if not interrupted:
            if self.output.exists() and resume:
                raise FinishedError(f"{self.output} is finished: there is nothing to resume")
            if self.output.exists():
                raise OutputError(f"{self.output} is there already: --force replaces it")
            empty = not any(self.part.iterdir()) if self.part.is_dir() else not self._size()
            if not empty:
                raise OutputError(f"{self.part} is in the way: --force removes it")
            return None
        if not resume:
            raise OutputError(
                f"{self.output}: an earlier run was interrupted: "
                "--resume goes on with it, --force begins afresh"
            )
        try:
            page = json.loads(self.page.read_text(encoding="utf-8"))
            about, progress = page["about"], Progress(**page["progress"])
        except (ValueError, KeyError, TypeError) as error:
            raise OutputError(f"{self.page} cannot be read: --force begins afresh") from error
        changed = _difference(about, json.loads(json.dumps(self.about)))
        if changed:
            raise OutputError(
                f"{self.output}: cannot resume, since this run is not the interrupted one: "
                f"{changed}; --force begins afresh"
            )
        return progress

    def _size(self) -> int:
        return self.part.stat().st_size

    def _take_hold(self) -> None:
        self._lock = take_hold(self.part, self.output)

    def release(self) -> None:
        """Let go of the output."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def save(self, progress: Progress, *, lasting: bool = True) -> None:
        """Say how far the run is; ``lasting`` waits until the disk has that too."""
        made = {name: getattr(progress, name) for name in progress.__slots__}
        text = json.dumps({"about": self.about, "progress": made})
        new = self.page.with_name(self.page.name + ".new")
        try:
            with new.open("w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                if lasting:
                    os.fsync(file.fileno())
            new.replace(self.page)
        except OSError:
            with suppress(OSError):
                new.unlink(missing_ok=True)
            raise
        if lasting:
            sync_folder(self.page)

    def end(self, *, lasting: bool = True) -> None:
        """Take the page away; the output has its name."""
        if lasting:
            sync_folder(self.output)
        self.page.unlink(missing_ok=True)
        if self.part.is_dir():
            shutil.rmtree(self.part)


def sync_folder(path: Path) -> None:
    """Make a file's name safe on the disk."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _difference(was: Any, now: Any, name: str = "") -> str | None:
    """Say in what two descriptions differ; None if they are the same."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in {**was, **now}:
            place = f"{name}, {key}" if name else key
            if found := _difference(was.get(key), now.get(key), place):
                return found
        return None
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        named = (f"{name} {number}" for number in range(1, len(was) + 1))
        pairs = zip(was, now, named, strict=True)
        return next((found for a, b, place in pairs if (found := _difference(a, b, place))), None)
    if was == now:
        return None
    if name.endswith("crc32"):
        return f"{name.removesuffix(', crc32')} has other content now"
    return f"{name} was {show(was)} and is {show(now)}"
