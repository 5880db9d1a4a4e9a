"""A hundred thousand malformed inputs: each is refused as documented, or means something.

Whatever else is raised is a bug. Each test draws from the seed of the run and its own name, which
are printed; pytest shows what it had drawn last when it fails.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import decade
from decade.cards import Deal, DealError
from decade.cli import cli
from decade.play import POLICIES, IllegalMove, Move, play_policy
from decade.rules import PRESETS, Discard, Rules, RulesError
from decade.solver import Result

SHARE = {
    "deals": 46_000,
    "lines": 10_000,
    "rules": 10_000,
    "rule files": 14_000,
    "results": 9_000,
    "plays": 5_000,
    "solve": 3_000,
    "solve_many": 2_000,
    "command line": 1_500,
}
GOOD_DEALS = (
    "4H 8C 10 K♠ AD",
    "KC KH 4D 6S",
    "a 2 3 4 5 6 7 8 9 t j q k",
    "TS 5C 2S KD 7C QS 3C QH KC",
    "first: 4h,8c,10 # two packs\n",
    "A,2,3\t10♥\ufe0f J",
    "7",
)
PIECES = (
    *"A23456789TJQK10cdhsCDHS♣♦♥♠ ,\t\n\r#:;-+./\\'\"[]{}()=_\0\x7f\u0660\u00bd\u2028\ud800\ufe0fſ",
    *("10", "11", "99", "KC KC", "true", "null", "NaN", "1e999", "-1", "9" * 30, "decade", "😀"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 7, 52, 104, 10**9, 10**9 + 1),
    *(2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 1.0, 1.5, -0.0, math.nan, math.inf, 1j),
    *("", "x", "1", "none", "any", "top", "ends", "forced", "optional", "decade", "true", b"1"),
    *([], {}, (), [1], [10, 20], [[1]], {1: 2}, ["10"], [None], range(3), {"a": {}}, {3, 4}),
    *([True], [0], [-1], [1.5], [10] * 500, object, Fraction(3), np.int64(3), np.uint8(7)),
    *(np.array([1, 2]), "\0", "\ud800", "x" * 5000, "∞"),
)


def mutated(r: random.Random, text: str) -> str:
    """Change a text in a few places."""
    for _ in range(r.choice([1, 1, 1, 2, 3, 8])):
        at, upto = sorted(r.randint(0, len(text)) for _ in range(2))
        piece = r.choice(PIECES)
        change = r.randrange(6)
        if change == 0:
            text = text[:at] + piece + text[at:]
        elif change == 1:
            text = text[:at] + text[at + 1 :]
        elif change == 2:
            text = text[:at] + piece + text[at + 1 :]
        elif change == 3:
            text = text[:at] + text[at : at + 12] * r.randint(0, 3) + text[upto:]
        elif change == 4:
            text = text[:at] + text[upto:] + text[at:upto]
        else:
            text = text[:at] + piece * r.choice([2, 20, 120]) + text[at:]
        text = text[:3000]
    return text


def attempt(
    make: Callable[..., Any],
    *given: Any,
    documented: tuple[type[Exception], ...],
    **options: Any,
) -> Any:
    """Call something with odd input; a documented error must say something, in printable words."""
    try:
        return make(*given, **options)
    except documented as error:
        message = str(error)
        assert message
        assert len(message) < 2000
        if isinstance(error, (DealError, RulesError, IllegalMove)):
            assert message.replace("\n", "").isprintable()
        return None


def random_of(seed: int, name: str) -> random.Random:
    print(f"seed {seed} {name}")
    return random.Random(f"{seed} {name}")


def test_there_are_enough() -> None:
    assert sum(SHARE.values()) >= 100_000


@pytest.mark.parametrize("face_values", [(10, 10, 10), (11, 12, 13)])
def test_deals(face_values: tuple[int, int, int], seed: int) -> None:
    r = random_of(seed, f"deals {face_values}")
    refused = 0
    for _ in range(SHARE["deals"] // 2):
        text = mutated(r, r.choice(GOOD_DEALS))
        packs = r.choice([None] * 6 + [1, 2, *ODD])
        deal = attempt(
            Deal.parse, text, packs=packs, face_values=face_values, documented=(DealError,)
        )
        if deal is None:
            refused += 1
            continue
        assert Deal.parse(str(deal), packs=packs, face_values=face_values) == deal
    assert SHARE["deals"] / 8 < refused < SHARE["deals"] / 2


def test_lines_of_deal_files(seed: int) -> None:
    r = random_of(seed, "lines")
    for _ in range(SHARE["lines"]):
        deal = attempt(Deal.parse_line, mutated(r, r.choice(GOOD_DEALS)), documented=(DealError,))
        assert deal is None or 1 <= len(deal) <= 104


def odd_fields(r: random.Random) -> dict[Any, Any]:
    """Give a rule set's fields with some of them changed, missing or unknown."""
    fields: dict[Any, Any] = r.choice(list(PRESETS.values())).to_dict()
    for _ in range(r.choice([1, 1, 2, 3])):
        field = r.choice([*fields, r.choice(ODD) if r.random() < 0.1 else "piles"])
        try:
            fields[field] = r.choice(ODD)
        except TypeError:  # what cannot be a key
            continue
        if r.random() < 0.2:
            del fields[field]
    return fields


def test_rules(seed: int) -> None:
    r = random_of(seed, "rules")
    for _ in range(SHARE["rules"]):
        given = odd_fields(r) if r.random() < 0.9 else r.choice(ODD)
        make = r.choice([Rules.of, Rules.from_dict])
        rules = attempt(make, given, documented=(RulesError,))
        if rules is not None:
            assert Rules.from_json(rules.to_json()) == Rules.from_toml(rules.to_toml()) == rules
            assert rules.describe()


def test_rule_files(seed: int) -> None:
    r = random_of(seed, "rule files")
    for number in range(SHARE["rule files"]):
        rules = r.choice(list(PRESETS.values()))
        if number % 2:
            attempt(Rules.from_json, mutated(r, rules.to_json()), documented=(RulesError,))
        else:
            attempt(Rules.from_toml, mutated(r, rules.to_toml()), documented=(RulesError,))
    for text in ("[" * 100_000, '{"totals":' * 50_000, "1" * 5_000, "totals = " + "[" * 50_000):
        attempt(Rules.from_json, text, documented=(RulesError,))
        attempt(Rules.from_toml, text, documented=(RulesError,))


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Give some results, with and without counts, names and rules of no preset."""
    return [
        decade.solve("KC KH 4D 6S", count=True, name="one"),
        decade.solve("TS 5C 2S KD 7C QS 3C QH KC", {"piles": 2, "opening": 1}, count=True),
        decade.solve("4 8 3 3 J 6 4", "ten-twenty-thirty"),
        decade.solve("4 8 3 3 J 6 4 K K 5 5", "loop", node_limit=1),
    ]


def test_results(results: list[Result], seed: int) -> None:
    r = random_of(seed, "results")
    for number in range(SHARE["results"]):
        data = r.choice(results).to_dict()
        if number % 2:
            given: Any = mutated(r, json.dumps(data))
            result = attempt(Result.from_json, given, documented=(ValueError,))
        else:
            for _ in range(r.randint(1, 2)):
                data[r.choice([*data, "lines", "x"])] = r.choice(ODD)
            result = attempt(Result.from_dict, data, documented=(ValueError,))
        if result is not None:
            assert json.loads(result.to_json())["deal"] == str(result.deal)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"deal":' * 50_000,
        "1" * 5_000,
        "",
        "\ud800",
    ],
    ids=["deep list", "deep object", "long number", "empty", "surrogate"],
)
def test_results_that_break_parsers(text: str) -> None:
    with pytest.raises(ValueError, match=" "):
        Result.from_json(text)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1" + "0" * 400, "-1", "0.5"])
@pytest.mark.parametrize("field", ["nodes", "seconds", "remaining", "lines"])
def test_results_with_odd_numbers(field: str, number: str, results: list[Result]) -> None:
    data = results[0].to_dict() | {field: "number"}
    result = attempt(
        Result.from_json, json.dumps(data).replace('"number"', number), documented=(ValueError,)
    )
    assert result is None or result.to_json()


def test_plays(results: list[Result], seed: int) -> None:
    r = random_of(seed, "plays")
    numbers = (-1, 0, 1, 2, 3, 4, 5, 104, 10**9, 2**63, -(10**30))
    for _ in range(SHARE["plays"]):
        result = r.choice(results)
        moves = list(result.moves)
        for _ in range(r.randint(1, 3)):
            at = r.randint(0, len(moves))
            cards = tuple(r.choice(numbers) for _ in range(r.randint(0, 4)))
            whole = Move(r.choice(numbers), r.choice(numbers), cards, r.choice(numbers))
            known = r.choice(moves or [whole])
            near = Move(known.dealt + r.randint(-1, 1), known.pile, known.cards, known.total)
            moves[at : at + r.randint(0, 1)] = [r.choice([whole, near, known])]
        left = attempt(decade.verify, result.deal, result.rules, moves, documented=(IllegalMove,))
        assert left is None or 0 <= left <= len(result.deal)


def test_solve(seed: int) -> None:
    r = random_of(seed, "solve")
    for _ in range(SHARE["solve"]):
        options: dict[str, Any] = {"node_limit": 2_000, "memory_limit": 2**20}
        rules: Any = r.choice(["decade", "loop", "fives", "ten-twenty-thirty", "pysol"])
        deal = "4 8 3 3 J 6 4"
        for _ in range(r.randint(1, 2)):
            match r.randrange(4):
                case 0:
                    deal = mutated(r, r.choice(GOOD_DEALS))
                case 1:
                    rules = odd_fields(r) if r.random() < 0.8 else r.choice(ODD)
                case 2:
                    options["node_limit"] = r.choice(ODD)
                case 3:
                    options["memory_limit"] = r.choice(ODD)
        options["count"] = r.random() < 0.4
        result = attempt(decade.solve, deal, rules, documented=(ValueError,), **options)
        if result is not None and result.remaining is not None and result.moves:
            assert decade.verify(result.deal, result.rules, result.moves) == result.remaining


def odd_array(r: random.Random) -> Any:
    shape = r.choice([(), (3,), (0, 4), (3, 0), (1, 1), (4, 6), (2, 104), (2, 105), (2, 3, 4)])
    kind = r.choice([np.uint8] * 6 + [np.int8, np.int64, np.float64, np.bool_, np.uint16, object])
    values = np.arange(math.prod(shape)) % r.choice([1, 10, 256]) + r.choice([0, 1, 1])
    array: Any = values.astype(kind).reshape(shape)
    change = r.randrange(8)
    if change == 0:
        return array.T
    if change == 1:
        return array[::2] if array.ndim else array
    if change == 2:
        return array.tolist()
    if change == 3:
        array.flags.writeable = False
    return array if change != 4 else r.choice(ODD)


def test_solve_many(seed: int) -> None:
    r = random_of(seed, "solve_many")
    answered = 0
    for _ in range(SHARE["solve_many"]):
        options: dict[str, Any] = {"node_limit": 500}
        if r.random() < 0.5:
            options[r.choice(["node_limit", "memory_limit", "threads"])] = r.choice(ODD)
        rules: Any = r.choice(["decade", "loop", odd_fields(r) if r.random() < 0.5 else "fives"])
        array = odd_array(r)
        found = attempt(
            decade.solve_many, array, rules, documented=(ValueError, TypeError), **options
        )
        if found is not None:
            answered += 1
            assert [len(part) for part in found] == [len(array)] * 3
            assert set(found.verdict.tolist()) <= {0, 1, 2}
    assert answered > SHARE["solve_many"] / 50


def test_policies(seed: int) -> None:
    """Rules that are valid but odd end in a win, a loss or a draw."""
    r = random_of(seed, "policies")
    for _ in range(2_000):
        rules = attempt(Rules.from_dict, odd_fields(r), documented=(RulesError,))
        if rules is not None:
            values = [r.randint(1, 13) for _ in range(r.randint(1, 20))]
            played = play_policy(values, rules, r.choice(POLICIES), seed=1)
            assert played.outcome in ("won", "lost", "draw")
            if rules.discard is Discard.FORCED and played.outcome != "draw":
                moves = played.moves
                deal = decade.play.replay(values, rules, moves)
                assert deal == played.remaining


OPTIONS = (
    *("--rules", "--totals", "--min-cards", "--max-cards", "--reach", "--piles", "--opening"),
    *("--discard", "--target", "--face-values", "--packs", "--node-limit", "--memory-limit"),
)
FLAGS = ("--wrap", "--no-wrap", "--recycle", "--no-recycle", "--count", "--json", "-q", "--x", "-5")
WORDS = (
    *("-1", "0", "1", "2", "3", "7", "52", "53", "9,19,29", "10", "1,", ",", "", " ", "none"),
    *("any", "top", "ends", "forced", "optional", "decade", "loop", "pysol", "decad", "1e3", "1.5"),
    *("999999999", "9" * 30, "9" * 5000, "x.toml", "/", "./x.json", "nan", "\u0663", "😀", "-"),
    *("--", "None", "11,12,13", "1_0", "0x10", "+3", "true", "\t", "~", "*"),
)


def command(r: random.Random) -> list[str]:
    """Write a command with options and values that may be anything."""
    name = r.choice(["solve", "solve", "solve", "play", "verify", "rules", "x", ""])
    words = [name]
    for _ in range(r.randint(0, 4)):
        if r.random() < 0.75:
            words += [r.choice(OPTIONS), r.choice(WORDS)]
        else:
            words.append(r.choice([*FLAGS, "--policy", "--seed", "--steps", r.choice(WORDS)]))
    if name == "play" and r.random() < 0.5:
        words += ["--policy", r.choice([*POLICIES, "x", ""])]
    if r.random() < 0.7:
        deal = r.choice(GOOD_DEALS) if r.random() < 0.7 else mutated(r, r.choice(GOOD_DEALS))
        words += [deal] if r.random() < 0.5 else deal.split()
    if name == "solve":
        words += ["--node-limit", r.choice(["1", "2000"])]
    return words


def test_command_line(seed: int, results: list[Result]) -> None:
    r = random_of(seed, "command line")
    runner = CliRunner()
    statuses = set()
    for _ in range(SHARE["command line"]):
        words = [word.encode("utf-8", "replace").decode() for word in command(r)]
        sent = mutated(r, r.choice([r.choice(GOOD_DEALS), r.choice(results).to_json()]))
        done = runner.invoke(cli, words, input=sent.encode("utf-8", "replace"), prog_name="decade")
        assert done.exception is None or isinstance(done.exception, SystemExit), words
        assert done.exit_code in (0, 1, 2, 3), words
        assert "Traceback" not in done.output, words
        if done.exit_code == 2:
            assert done.stderr.strip(), words
            assert not done.stdout, words
        statuses.add(done.exit_code)
    assert {0, 2} <= statuses
