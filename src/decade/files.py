"""Files of deals: found, unpacked, cut at line ends, and read line by line.

One thread cuts, and does no more than that; what a line says is read where it is solved. Plain
lines of text are read in compiled code, thousands at a time, and all others one by one.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from decade.cards import Deal, DealError, show
from decade.rows import Block, Run, clean
from decade.sources import Data, Piece, Source
from decade_ext.text import LONGEST_LINE, cut_lines, read_deal

Format = Literal["text", "jsonl", "acm"]
More = Callable[[Data], Data]
"""Gives text that begins with what is left of the text before; no more than that at the end."""

STDIN = "-"
BLOCK = 2**22
PACKED_BLOCK = 2**18
"""Bytes that are read at a time; of an archive that breaks off, the last so many may be lost."""
_PART = 2**23
_SUFFIXES: dict[str, Format] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".acm": "acm"}
_GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
_BOM = b"\xef\xbb\xbf"
_ACM_DEAL = 52
_ACM_NUMBERS = {str(number): number for number in range(1, 11)}
_ACM_TEXT = re.compile(rb"[0-9\s]*\b0(\s|$)")


class InputError(ValueError):
    """An input that cannot be read as a whole."""


class DealFile(Source):
    """A file of deals, or standard input (``-``), perhaps compressed by gzip.

    The format is by suffix, else by content: JSON Lines begin with a brace; the 1996 contest's
    input is whole numbers with a 0 among them; everything else is text, a deal a line.
    """

    path: str
    _raw: io.BufferedReader

    def __init__(self, path: str, format: Format | None = None) -> None:
        self.path = path
        self.name = "stdin" if path == STDIN else clean(os.fsdecode(path))
        self.format = format
        self.waits = True
        if path == STDIN:
            if sys.stdin is None or sys.stdin.isatty():
                raise InputError("nothing to read: name a file, or send something to stdin")
        else:
            with self._reading():
                state = os.stat(path)
                self.waits = not stat.S_ISREG(state.st_mode)
                self.size = None if self.waits else state.st_size
                if not stat.S_ISFIFO(state.st_mode):  # opening one is all it takes to spoil it
                    Path(path).open("rb").close()

    def _reading(self) -> AbstractContextManager[None]:
        return Reading(self.name)

    def _open(self) -> AbstractContextManager[io.BufferedReader]:
        if self.path == STDIN:
            return nullcontext(cast("io.BufferedReader", sys.stdin.buffer))
        return Path(self.path).open("rb")

    def identity(self, threads: int) -> dict[str, object]:
        """Name the file and hash it if it stays where it is."""
        about: dict[str, object] = {"name": self.name, "format": self.format}
        if not self.waits:
            with self._reading():
                about["crc32"] = checksum(self.path, threads)
        return about

    def readable(self) -> bool:
        """Ask the system, where the file may make one wait."""
        if not self.waits:
            return True
        asked = select.poll()
        asked.register(self._raw, select.POLLIN)
        return bool(asked.poll(0))

    def pieces(self, size: Callable[[], int], *, hashed: bool = False) -> Iterator[Piece]:
        """Cut the file at line ends (the contest's at the ends of deals)."""
        with self._reading(), self._open() as raw:
            self._raw = raw
            packed = raw.peek(2)[:2] == _GZIP
            file = gzip.GzipFile(fileobj=raw) if packed else raw
            at_a_time = PACKED_BLOCK if packed else BLOCK
            start = file.read(at_a_time) if packed else file.read1(at_a_time)
            if start.startswith(PARQUET):
                raise InputError(f"{self.name}: Parquet cannot be read from a pipe: name the file")
            start = start.removeprefix(_BOM)
            suffixes = [suffix.lower() for suffix in Path(self.path).suffixes[-2:]]
            self.format = self.format or _format(suffixes, start)

            more = _reader(start, file.readinto if packed else file.readinto1, at_a_time)
            if self.format == "acm":
                more = _acm_reader(more)
            record, kept = 1, hashlib.sha256() if hashed and self.waits else None
            for data, at, end, count, broken in _cut(more, size):
                seen = 0 if self.waits else raw.tell()
                before = None if kept is None else kept.copy()
                yield Piece(record, count, data, seen, before, broken, start=at, end=end)
                record += count
                if kept is not None:
                    kept.update(memoryview(data)[at:end])

    def block(self, piece: Piece, run: Run) -> Block:
        """Read the deals of a piece."""
        block = Block(run, self.name, run.deals(piece.records, piece.end - piece.start, piece.data))
        if piece.broken:
            _try(_read_line, block, piece.text, piece.first)
        elif self.format == "text":
            _read_text(block, piece)
        else:
            read = _read_object if self.format == "jsonl" else _read_numbers
            lines = piece.text.removesuffix(b"\n").split(b"\n")
            for record, line in enumerate(lines, piece.first):
                _try(read, block, line, record)
        return block


class Reading(AbstractContextManager[None]):
    """Turns what goes wrong while a file is read into an InputError that names it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, (OSError, EOFError, zlib.error, ValueError)):
            if isinstance(error, InputError):
                return
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self.name}: {reason}") from cast("Exception", error)


def checksum(path: str, threads: int) -> str:
    """Sum up a file part by part, which several threads can do: whether it is the same, not whose.

    A cryptographic hash would take as long as solving, to guard against nobody.
    """

    def part(start: int) -> str:
        block, found = bytearray(_PART // 64), 0
        for at in range(start, start + _PART, len(block)):
            found = zlib.crc32(memoryview(block)[: os.preadv(file, [block], at)], found)
        return f"{found:08x}"

    file = os.open(path, os.O_RDONLY)
    try:
        with ThreadPoolExecutor(threads) as pool:
            parts = pool.map(part, range(0, os.fstat(file).st_size + 1, _PART))
            return f"{zlib.crc32(' '.join(parts).encode()):08x}"
    finally:
        os.close(file)


def _format(suffixes: list[str], start: bytes) -> Format:
    suffixes = [suffix for suffix in suffixes if suffix != ".gz"]
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    if start.lstrip()[:1] == b"{":
        return "jsonl"
    return "acm" if _ACM_TEXT.match(start) else "text"


def _reader(start: bytes, into: Callable[[memoryview], int], most: int) -> More:
    """Read where the text is to lie: copying it would take as long, and the workers would wait."""
    import numpy as np  # noqa: PLC0415 (slow)

    def more(rest: Data) -> Data:
        nonlocal start
        if start:
            first, start = start, b""
            return first
        room = np.empty(len(rest) + most, np.uint8).data
        room[: len(rest)] = rest
        text = room[: len(rest) + into(room[len(rest) :])]
        return bytes(text) if 2 * len(text) < most else text  # the room is not held for little

    return more


def _cut(more: More, size: Callable[[], int]) -> Iterator[tuple[Data, int, int, int, bool]]:
    """Cut text into so many lines: what holds it, its start and end, how many lines they are.

    And whether it is one line that breaks off.
    """
    rest: Data = b""
    broken = False
    while len(data := more(rest)) > len(rest):
        at, ended = cut_lines(data, 0, 1) if broken else (0, 1)
        if not ended:
            continue
        broken = False
        while True:
            end, lines = cut_lines(data, at, size())
            if not lines:
                break
            yield data, at, end, lines, False
            at = end
        rest = data[at:]
        if len(rest) > LONGEST_LINE:
            yield rest, 0, len(rest), 1, True
            rest, broken = b"", True
    if rest:
        yield rest, 0, len(rest), 1, False


def _read_text(block: Block, piece: Piece) -> None:
    """Read text: all plain lines at once, the others one by one."""
    refused = block.deals.read(piece.start, piece.first, piece.end)
    while refused is not None:
        start, end, record = refused
        _try(_read_line, block, bytes(piece.data[start:end]), record)
        refused = block.deals.read(min(end + 1, piece.end), record + 1, piece.end)


def _try(read: Callable[[Block, str, int], None], block: Block, line: bytes, record: int) -> None:
    """Read one line; what is wrong with it becomes a row."""
    if len(line) > LONGEST_LINE:
        text = line[:LONGEST_LINE].decode(errors="backslashreplace")
        block.add_problem(text, f"the line is longer than {LONGEST_LINE} bytes", record)
        return
    try:
        text = line.decode()
        if text.strip():
            read(block, text, record)
    except UnicodeDecodeError as error:
        text = line.decode(errors="backslashreplace")
        block.add_problem(text, f"byte {error.start + 1}: this is not UTF-8 text", record)
    except DealError as error:
        block.add_problem(text.rstrip("\r\n"), str(error), record)


def _read_line(block: Block, text: str, record: int) -> None:
    if not text.partition("#")[0].strip():
        return
    faces = block.run.rules.face_values
    deal = Deal.parse_line(text, face_values=faces, name=str(record))
    block.add(deal, deal.name or str(record), record)


def _read_object(block: Block, text: str, record: int) -> None:
    """Read a JSON object: ``deal``, and perhaps ``name`` and ``packs``."""
    if text.lstrip().startswith("#"):
        return
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DealError(f"this is not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("deal"), str):
        raise DealError("a line must be an object with 'deal', a string of cards")
    add_deal(block, data["deal"], data.get("name"), data.get("packs"), record)


def add_deal(block: Block, cards: str, name: object, packs: Any, record: int) -> None:
    """Add a deal that was given in fields. Raises DealError."""
    if name is None or name == "":
        name = str(record)
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise DealError(f"the name must be a string, not {show(name)}")
    found = None
    if packs is None and cards.isascii():
        found = read_deal(cards.encode(), any_ten=block.run.any_ten)
    if found is not None:
        block.add_bytes(found, str(name), record)
    else:
        faces = block.run.rules.face_values
        block.add(Deal.parse(cards, packs=packs, face_values=faces), str(name), record)


def _acm_reader(more: More) -> More:
    """Read the contest's numbers as lines."""
    lines = _acm_lines(iter(partial(more, b""), b""))
    return lambda rest: bytes(rest) + next(lines, b"")


def _acm_lines(blocks: Iterator[Data]) -> Iterator[bytes]:
    """Lay the contest's numbers out with a deal a line.

    A 0 ends the input; deals may follow it all the same, since nothing is passed over in silence.
    """
    numbers: list[bytes] = []
    rest, ended = b"", True
    for block in blocks:
        tokens = (rest + block + b".").split()  # the stop keeps the last number, perhaps cut, apart
        rest = tokens.pop()[:-1]
        lines = []
        for token in tokens:
            ended = token == b"0"
            if not ended:
                numbers.append(token)
            if numbers and (ended or len(numbers) == _ACM_DEAL):
                lines.append(b" ".join(numbers) + b"\n")
                numbers = []
        if lines:
            yield b"".join(lines)
    if rest:
        ended = rest == b"0"
        numbers += [] if ended else [rest]
    if numbers:
        yield b" ".join(numbers) + b"\n"
    if not ended:
        yield b"...\n"


def _read_numbers(block: Block, text: str, record: int) -> None:
    """Read a deal of the contest: 52 numbers from 1 to 10."""
    tokens = text.split()
    if tokens == ["..."]:
        raise DealError("the input breaks off: a 0 must end it")
    for position, token in enumerate(tokens, 1):
        if token not in _ACM_NUMBERS:
            reason = "the numbers of this format go from 1 to 10"
            raise DealError(reason, token=token, position=position)
    if len(tokens) != _ACM_DEAL:
        raise DealError(f"a deal has {_ACM_DEAL} numbers, but this one has {len(tokens)}")
    found = read_deal(text.encode(), any_ten=block.run.any_ten)
    if found is not None:
        block.add_bytes(found, str(record), record)
    else:
        block.add(Deal.parse(text, face_values=block.run.rules.face_values), str(record), record)


def sources_at(path: str, format: Format | Literal["parquet"] | None = None) -> list[Source]:
    """Give the sources of a file, of standard input, or of a folder of Parquet files."""
    from decade.parquet import is_parquet, parquet_sources  # noqa: PLC0415 (builds on this module)

    if format == "parquet" and path == STDIN:
        raise InputError("Parquet cannot be read from stdin")
    if format == "parquet" or (format is None and path != STDIN and is_parquet(path)):
        return parquet_sources(path)
    return [DealFile(path, format)]
