"""The compiled short cut for plain lines against the one place that says what a line is."""

from __future__ import annotations

import random

import numpy as np
import pytest

from decade.cards import Deal, DealError
from decade.files import DealFile
from decade.rows import Block, Run, byte_of
from decade.rules import PRESETS, Rules
from decade.sources import Piece
from decade_ext.text import Deals, cut_lines, format_rows, plain_name_of, read_deal

PLAIN = Run(Rules())
SEVENS = Run(PRESETS["seven-up"])


def blocks(data: bytes, run: Run = PLAIN) -> Block:
    """Read lines as a batch does."""
    file = DealFile("/dev/null", "text")
    return file.block(Piece(1, data.count(b"\n") + 1, data), run)


def expected(line: str, record: int, run: Run) -> tuple[str, str] | str | None:
    """Say what a line is by its definition: name and deal, what is wrong, or None for no row."""
    if not line.partition("#")[0].strip():
        return None
    try:
        deal = Deal.parse_line(line, face_values=run.rules.face_values, name=str(record))
    except DealError as error:
        return str(error)
    return deal.name or "", str(deal)


def found(block: Block) -> list[tuple[str, str] | str]:
    return [
        block.problems[row][1]
        if row in block.problems
        else (block.name(row), block.deals.deal(row))
        for row in range(len(block))
    ]


@pytest.mark.parametrize(
    "line",
    [
        "4H 8C 10 KS",
        "4h,8c , 10d;",
        "1 11 12 13 10 A t",
        "1H 10H 11H 12H 13H",
        "name: 4H 6S",
        "a b c :  4H 6S  ",
        "a: b: 4H 6S",
        "4H: 6S",
        ": 4H",
        "long\t4H 6S",
        "12\t4H 6S",
        "4H\t6S",
        "4H\t6S\t8C",
        "name: with\ttab: 4H",
        "name:\t4H 6S",
        "pysol:12\t4H 6S",
        "long\t4H: 6S",
        "=1+1: 4H 6S",
        "'x: 4H 6S",
        'a"b: 4H 6S',
        "a,b: 4H 6S",
        "é: 4H 6S",
        "4H 6S # comment",
        "# only a comment",
        "   \t  ",
        "",
        "4H 6S\r",
        "4H\r6S",
        " 4H 6S",
        "\t4H 6S",
        "4H 6S\t",
        "4H\v6S",
        "4♥ 6♠",
        "KC KC",
        "K K K K K",
        "T T T T T",
        "10 10 10 10 10",
        " ".join(["10"] * 17),
        "4H" * 2,
        "14H 4S",
        "0",
        "4H-6S",
        " ".join(["A 2 3 4 5 6 7 8 9 T J Q K"] * 4),
        " ".join(["A 2 3 4 5 6 7 8 9 T J Q K"] * 8),
        " ".join(["A 2 3 4 5 6 7 8 9 T J Q K"] * 8) + " A",
        " ".join(["AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"] * 2),
        " ".join([f"{rank}{suit}" for suit in "CDHS" for rank in "A23456789TJQK"] * 2),
        " ".join([f"{rank}{suit}" for suit in "CDHS" for rank in "A23456789TJQK"] * 2) + " AH",
        "4H 6S\x00",
        "\ufeff4H 6S",
        "a\x1bb: 4H 6S",
    ],
)
@pytest.mark.parametrize("run", [PLAIN, SEVENS], ids=["tens", "sevens"])
def test_lines_are_what_their_definition_says(line: str, run: Run) -> None:
    block = blocks(line.encode(), run)
    wanted = expected(line, 1, run)
    got = found(block)
    if wanted is None:
        assert got == []
    elif isinstance(wanted, tuple) and not wanted[0].isprintable():
        assert got[0][1] == wanted[1]
    else:
        assert got == [wanted]


def test_random_lines() -> None:
    seed = 1949
    generator = random.Random(seed)
    alphabet = ["4H", "10", "T", "KS", "1", "13", "ah", " ", " ", " ", ",", "\t", ":", ": ", "#"]
    alphabet += ["x", "n1", "=", "♥", "é", "\r", "11C", "9", "Q", "q", "5d", "6 ", " 7S "]
    lines = ["".join(generator.choices(alphabet, k=generator.randint(0, 14))) for _ in range(5000)]
    block = blocks("\n".join(lines).encode())
    wanted = [expected(line, record, PLAIN) for record, line in enumerate(lines, 1)]
    assert [row for row in wanted if row is not None] == found(block), f"seed {seed}"
    records = [record for record, row in enumerate(wanted, 1) if row is not None]
    assert block.deals.records[: len(block)].tolist() == records


def test_values_are_points() -> None:
    block = blocks(b"4H JD QC KS 10 A\n", SEVENS)
    assert block.deals.values[:6].tolist() == [4, 11, 12, 13, 10, 1]


def test_read_deal() -> None:
    deal = Deal.parse("4H 10 t")
    assert read_deal(b"4H,10 t", any_ten=True) == bytes(map(byte_of, deal.cards))
    for text in (b"", b"4H 4H", b"name: 4H", b"4X", b"10 " * 17):
        assert read_deal(text, any_ten=True) is None
    assert read_deal(b"10 " * 5, any_ten=True) is not None
    assert read_deal(b"10 " * 5, any_ten=False) is None


def test_plain_names() -> None:
    for name in (b"a", b"pysol:12", b"two words", b"x_1"):
        assert plain_name_of(name)
    for name in (b"", b"=a", b"+1", b"-1", b"@x", b"'x", b'a"b', b"a,b", b"a\\b", b"a#b", b"\xc3"):
        assert not plain_name_of(name)


def test_cut_lines() -> None:
    data = b"a\nbc\n\nd"
    assert cut_lines(data, 0, 2) == (5, 2)
    assert cut_lines(data, 5, 9) == (6, 1)
    assert cut_lines(data, 6, 9) == (6, 0)
    assert cut_lines(data, 0, 0) == (0, 0)
    with pytest.raises(ValueError, match="outside"):
        cut_lines(data, 8, 1)


def test_room_is_checked() -> None:
    deals = PLAIN.deals(1, 2)
    deals.add(b"\x11", b"n", 1)
    for cards, name in ((b"\x11", b"n"), (b"\x11" * 200, b"")):
        with pytest.raises(ValueError, match="room"):
            deals.add(cards, name, 2)
    with pytest.raises(IndexError):
        deals.deal(1)
    with pytest.raises(IndexError):
        deals.plain(-1)
    with pytest.raises(ValueError, match="more lines"):
        PLAIN.deals(1, 100, b"4H\n6S\n").read(0, 1)
    with pytest.raises(ValueError, match="256"):
        Deals(points=b"", any_ten=True, rows=1, text=1)


def test_rows_are_checked() -> None:
    deals = PLAIN.deals(1, 10, b"4H 6S")
    assert deals.read(0, 7) is None
    pieces = (b"<", b"|", b"|", b"|", b"|", b"|", b">")
    words = (b"no", b"yes", b"?")
    verdict, left = np.array([1], np.uint8), np.array([-1], np.int16)
    nodes, ends = np.array([10**18], np.int64), np.array([0, 2], np.int64)
    text = format_rows(deals, pieces, words, b"-", verdict, left, nodes, b"[]", ends, [])
    assert bytes(text) == b"<7|4H 6S|yes|-|1000000000000000000|[]>"
    ready = format_rows(deals, pieces, words, b"-", verdict, left, nodes, b"[]", ends, [(0, b"x")])
    assert bytes(ready) == b"x"
    for odd, wrong in (([(1, b"x"), (0, b"x")], verdict), ([], verdict + 2), ([], verdict[:0])):
        with pytest.raises(ValueError, match=r"order|range|shorter"):
            format_rows(deals, pieces, words, b"-", wrong, left, nodes, b"[]", ends, odd)
