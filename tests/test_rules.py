"""Rule sets: the presets, what is accepted, what is refused, and the plain words for them."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import pickle
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from decade.cards import show
from decade.rules import PRESET_NOTES, PRESETS, Discard, Reach, Rules, RulesError

FIELDS = [field.name for field in dataclasses.fields(Rules)]
AS_PRINTED = [[10, 20, 30], 2, None, False, "any", 1, 3, "forced", False, 0, [10, 10, 10]]
STANDARD: dict[str, Any] = dict(zip(FIELDS, AS_PRINTED, strict=True))
THREES = {"wrap": True, "min_cards": 3, "max_cards": 3}
TOP_LOOP = {"wrap": True, "reach": "top"}
FREE = {"discard": "optional", "opening": 1}
SEVENS = {"totals": [7, 14, 21, 28, 35, 42, 49], "face_values": [11, 12, 13]}
PRESET_CHANGES: dict[str, dict[str, Any]] = {
    "decade": {},
    "max-three": {"max_cards": 3},
    "fives": {"totals": [5, 10, 15, 20, 25, 30, 35]},
    "loop": TOP_LOOP,
    "loop-max-three": {**TOP_LOOP, "max_cards": 3},
    "seven-piles": {"piles": 7},
    "seven-piles-loop": {**TOP_LOOP, "piles": 7},
    "pysol": FREE,
    "face-up": {**FREE, "opening": 52, "min_cards": 1},
    "ten-twenty-thirty": {**TOP_LOOP, **THREES, "piles": 7, "opening": 1, "recycle": True},
    "nine-columns": {**TOP_LOOP, **THREES, "piles": 9, "recycle": True, "totals": [9, 19, 29]},
    "ends": {**THREES, **FREE, "reach": "ends", "target": 4},
    "seven-up": {**SEVENS, **FREE, "min_cards": 1, "max_cards": 4},
}
SAMPLES = [*PRESETS.values(), Rules(totals=(7, 1_000_000_000), max_cards=9, target=3, piles=52)]


def refused(make: Callable[..., object], *arguments: object, **options: object) -> str:
    with pytest.raises(RulesError) as caught:
        make(*arguments, **options)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 400
    return message


def test_the_presets_and_their_order() -> None:
    assert list(PRESETS) == list(PRESET_NOTES) == list(PRESET_CHANGES)
    for name, changes in PRESET_CHANGES.items():
        assert PRESETS[name].to_dict() == STANDARD | changes
        assert PRESETS[name].name == PRESETS[name].label == name
        assert PRESETS[name].as_field() == name
        assert PRESET_NOTES[name]
    assert PRESETS["decade"] == Rules()


def test_presets_are_read_only() -> None:
    with pytest.raises(TypeError):
        PRESETS["mine"] = Rules()  # type: ignore[index]
    with pytest.raises(TypeError):
        PRESET_NOTES["mine"] = ""  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        PRESETS["decade"].piles = 2  # type: ignore[misc]


def test_a_rule_set_without_a_name() -> None:
    rules = Rules(piles=8)
    assert rules.name is None
    assert rules.label == "custom"
    assert rules.as_field() == STANDARD | {"piles": 8}
    assert list(rules.to_dict()) == FIELDS


def test_values_are_normalised() -> None:
    rules = Rules.from_dict({"totals": [30, 10, 20, 10], "reach": "top", "face_values": [1, 2, 3]})
    assert rules.totals == (10, 20, 30)
    assert rules.reach is Reach.TOP
    assert rules.discard is Discard.FORCED
    assert rules.face_values == (1, 2, 3)
    assert Rules.from_dict({"totals": {20, 10}}).totals == (10, 20)
    assert Rules.from_dict({"max_cards": "none"}) == Rules.from_dict({"max_cards": None}) == Rules()
    assert hash(Rules.from_dict({"totals": [30, 20, 10]})) == hash(Rules())
    assert str(Reach.ENDS) == f"{Reach.ENDS}" == "ends"
    assert str(Discard.OPTIONAL) == f"{Discard.OPTIONAL}" == "optional"


@pytest.mark.parametrize("rules", SAMPLES, ids=lambda rules: rules.label)
def test_every_form_goes_round(rules: Rules, tmp_path: Path) -> None:
    assert Rules.from_dict(rules.to_dict()) == rules
    assert Rules.from_json(rules.to_json()) == rules
    assert Rules.from_toml(rules.to_toml()) == rules
    assert Rules.of(rules.as_field()) == rules
    assert pickle.loads(pickle.dumps(rules)) == copy.deepcopy(rules) == rules
    (tmp_path / "game.toml").write_text(rules.to_toml(), encoding="utf-8-sig")
    (tmp_path / "GAME.JSON").write_text(rules.to_json(), encoding="utf-8")
    assert Rules.load(tmp_path / "game.toml") == rules
    assert Rules.load(str(tmp_path / "GAME.JSON")) == rules


def test_toml_is_a_field_a_line() -> None:
    lines = Rules().to_toml().splitlines()
    assert [line.split(" = ")[0] for line in lines] == FIELDS
    assert lines[:3] == ["totals = [10, 20, 30]", "min_cards = 2", 'max_cards = "none"']
    assert lines[3:5] == ["wrap = false", 'reach = "any"']
    assert Rules.from_toml("# my game\npiles = 7\r\n") == PRESETS["seven-piles"]
    assert Rules.from_toml("") == Rules.from_json("{}") == Rules()


def test_of_takes_rules_names_and_mappings() -> None:
    assert Rules.of(PRESETS["loop"]) is PRESETS["loop"]
    assert Rules.of("loop") is Rules.load("loop") is PRESETS["loop"]
    assert Rules.of({"piles": 7}) == PRESETS["seven-piles"]
    assert "did you mean 'loop'" in refused(Rules.of, "lop")
    for other in (None, 5, ["decade"], b"decade"):
        assert "table of fields" in refused(Rules.of, other)


WHOLE_FIELDS = {"min_cards": 1, "max_cards": 1, "piles": 1, "opening": 1, "target": 0}
NOT_WHOLE = [
    True,
    False,
    2.0,
    float("nan"),
    float("inf"),
    "2",
    b"2",
    [2],
    {},
    2j,
    object(),
    10**5000,
]


@pytest.mark.parametrize("value", NOT_WHOLE, ids=show)
@pytest.mark.parametrize("field", WHOLE_FIELDS)
def test_whole_numbers_only(field: str, value: object) -> None:
    message = refused(Rules, **{field: value})
    assert message.startswith(field)
    assert f"a whole number from {WHOLE_FIELDS[field]} to" in message


@pytest.mark.parametrize("value", [*NOT_WHOLE, None, 0, -1, 1_000_000_001], ids=show)
def test_whole_numbers_in_lists(value: object) -> None:
    assert "each of the totals must be a whole number" in refused(Rules, totals=[10, value])
    assert "each of the face_values" in refused(Rules, face_values=[10, value, 10])


def test_bounds() -> None:
    most = 1_000_000_000
    for field, least in WHOLE_FIELDS.items():
        top = 52 if field == "piles" else most
        for value in (least - 1, top + 1):
            assert f"from {least} to {top}, not {value}" in refused(Rules, **{field: value})
        for value in (least, top):
            given = {"min_cards": 1, field: value}
            assert getattr(Rules.from_dict(given), field) == value
    assert Rules(totals=(1, most)).totals == (1, most)
    assert Rules(face_values=(1, most, 1)).face_values == (1, most, 1)
    assert Rules(min_cards=3, max_cards=3).max_cards == 3
    assert "at least min_cards (4), not 3" in refused(Rules, min_cards=4, max_cards=3)
    assert "at least min_cards (2), not 1" in refused(Rules, max_cards=1)


@pytest.mark.parametrize("value", [None, (), [], set(), 10, "10", "10,20", {10: 1}, range(3)])
def test_totals_are_a_list_with_something_in_it(value: object) -> None:
    assert "such as [10, 20, 30]" in refused(Rules, totals=value)


@pytest.mark.parametrize("value", [None, 10, [], [10, 10], [10] * 4, "JQK", {10, 11, 12}])
def test_face_values_are_three(value: object) -> None:
    assert "three whole numbers" in refused(Rules, face_values=value)


@pytest.mark.parametrize("value", [None, 0, 1, "true", "", []])
@pytest.mark.parametrize("field", ["wrap", "recycle"])
def test_flags_are_true_or_false(field: str, value: object) -> None:
    assert f"{field} must be true or false" in refused(Rules, **{field: value})


@pytest.mark.parametrize("value", [None, True, 0, "", "Top", "\x1b[1m", [], "x" * 10_000, object()])
def test_words(value: object) -> None:
    assert "one of any, top, ends, not" in refused(Rules, reach=value)
    assert "one of forced, optional, not" in refused(Rules, discard=value)
    assert "one of any" in refused(Rules, reach=Discard.FORCED)


def test_recycling_needs_piles_and_force() -> None:
    assert Rules(recycle=True, piles=2).recycle
    assert "at least 2 piles" in refused(Rules, recycle=True)
    assert "discard 'forced'" in refused(Rules, recycle=True, piles=2, discard="optional")


NEAREST = {
    "total": "totals",
    "min-cards": "min_cards",
    "Reach": "reach",
    "facevalue": "face_values",
}
LIKE_NO_OTHER = [3, None, ("piles",), "", "\n", "zzzzzz", "y" * 100_000]


@pytest.mark.parametrize("make", [Rules.of, Rules.from_dict])
@pytest.mark.parametrize("field", NEAREST)
def test_an_unknown_field_gets_the_nearest(field: str, make: Callable[..., object]) -> None:
    expected = f"there is no field {field!r}; did you mean {NEAREST[field]!r}?"
    assert refused(make, {field: 1}) == expected


@pytest.mark.parametrize("field", LIKE_NO_OTHER, ids=show)
def test_a_field_like_no_other_gets_all(field: object) -> None:
    assert "there are totals, min_cards, max_cards" in refused(Rules.from_dict, {field: 1})


NO_JSON_RULES = (
    *(f'{{"target": {value}}}' for value in ("NaN", "Infinity", "1e999", "9" * 5000, "[[1]]")),
    *('{"target": 1, "target": 2}', '{"a\\u001b": {"piles": 1}}', '{"reach": "\\ud800"}'),
    *("[" * 100_000, '{"a":' * 100_000, '{"totals": ' + "[" * 400 + "]" * 400 + "}"),
    *("[10, 20, 30]", '"decade"', "null", "", "{", "piles = 7", "\ufeff{}"),
)
NO_TOML_RULES = (
    *(f"target = {value}" for value in ("nan", "9" * 5000, "1\ntarget = 2", "2026-11-29", "1.0")),
    *("totals = [10, [20]]", "[totals]\na = 1", "[[piles]]", "max_cards = 'None'"),
    *("totals = " + "[" * 5000, "x = " + "{x=" * 5000, "a." * 5000 + "b = 1"),
    *("max_cards = false", "piles", "\x00", '{"piles": 7}', "piles = 7\rwrap = true"),
)


@pytest.mark.parametrize("text", NO_JSON_RULES, ids=show)
def test_json_that_is_no_rule_set(text: str) -> None:
    refused(Rules.from_json, text)


@pytest.mark.parametrize("text", NO_TOML_RULES, ids=show)
def test_toml_that_is_no_rule_set(text: str) -> None:
    refused(Rules.from_toml, text)


def test_what_the_parser_knows_is_passed_on() -> None:
    assert "twice" in refused(Rules.from_json, '{"piles": 1, "piles": 1}')
    assert "line 2" in refused(Rules.from_json, '{"piles":\n}')
    assert "line 2" in refused(Rules.from_toml, "piles = 7\nreach = top\n")
    for text in (None, 5, b"{}", ["piles"]):
        assert "must be a string" in refused(Rules.from_json, text)
        assert "must be a string" in refused(Rules.from_toml, text)


def test_loading_names_the_file(tmp_path: Path) -> None:
    files = {
        "bad.toml": (b"piles = 7\nreach = top\n", "line 2"),
        "bad.json": (b'{"piles": 7,\n?}', "line 2"),
        "field.toml": (b"pile = 7", "did you mean 'piles'"),
        "value.json": (b'{"piles": 53}', "from 1 to 52"),
        "latin.toml": (b"piles = 7\n# caf\xe9\n", "UTF-8 text (line 2)"),
        "binary.json": (bytes(range(256)), "UTF-8 text (line 2)"),
    }
    for name, (content, why) in files.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(RulesError) as caught:
            Rules.load(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert why in str(caught.value)
    (tmp_path / "folder.toml").mkdir()
    for name in ("missing.toml", "folder.toml", "no/such/folder.json"):
        assert "cannot be read" in refused(Rules.load, tmp_path / name)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("dekade", "did you mean 'decade'?"),
        ("Seven_Piles", "did you mean 'seven-piles'?"),
        ("xyzzy", "there are decade, max-three"),
        ("", "there are decade, max-three"),
        ("rules.yaml", "neither a rule set's name nor a .toml or .json file"),
        ("folder/decade", "neither a rule set's name nor a .toml or .json file"),
        ("a\x00b.toml", "cannot be read"),
        ("\ud800.json", "cannot be read"),
        ("\x1b[31m\n", "no rule set"),
        (None, "a name or a path"),
        (b"decade", "a name or a path"),
        (7, "a name or a path"),
    ],
    ids=show,
)
def test_loading_what_is_not_there(source: object, why: str) -> None:
    assert why in refused(Rules.load, source)


def test_a_file_is_only_opened_by_load(tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    path.write_text("piles = 7")
    assert Rules.load(path) == PRESETS["seven-piles"]
    assert "no rule set" in refused(Rules.of, path.name)


def test_random_input_ends_as_rules_or_rules_error() -> None:
    seed = 30
    rng = random.Random(seed)
    values = [*NOT_WHOLE, None, 0, 1, 2, 7, 52, 53, -1, "none", "top", "forced", (10,), [10, 9, 8]]
    made = 0
    for _ in range(4000):
        given = {rng.choice([*FIELDS, "x"]): rng.choice(values) for _ in range(rng.randint(0, 3))}
        try:
            rules = Rules.from_dict(given)
        except RulesError:
            continue
        made += 1
        assert Rules.from_json(rules.to_json()) == rules, (seed, given)
    assert 200 < made < 3800


@pytest.mark.parametrize("form", ["json", "toml"])
def test_mutated_documents_end_as_rules_or_rules_error(form: str) -> None:
    seed = 1996
    rng = random.Random(seed)
    write, read = getattr(Rules, f"to_{form}"), getattr(Rules, f"from_{form}")
    noise = "[]{}\"'=,:.#\n\\ \x00\x1b019-+eE_tfn\ud800é"
    made = 0
    for _ in range(2000):
        text = list(write(rng.choice(SAMPLES)))
        for _ in range(rng.randint(0, 3)):
            place = rng.randrange(len(text) + 1)
            text[place : place + rng.randint(0, 3)] = rng.choices(noise, k=rng.randint(0, 3))
        try:
            rules = read("".join(text))
        except RulesError:
            continue
        made += 1
        assert read(write(rules)) == rules
    assert 200 < made < 1900


def every_kind_of_rules() -> Iterator[Rules]:
    totals, faces, flags = [(10,), (10, 20)], [(10, 10, 10), (11, 12, 13)], [False, True]
    sizes, counts = [[1, 2], [None, 1, 2, 3]], [[1, 2], [1, 3]]
    ways: list[Any] = [totals, *sizes, flags, Reach, *counts, Discard, flags, [0, 1], faces]
    for values in product(*ways):
        with contextlib.suppress(RulesError):  # a maximum below the minimum, or no recycling
            yield Rules(*values)


def test_different_rules_read_differently_and_fit() -> None:
    long = [Rules(totals=tuple(range(1, 400))), Rules(opening=10**9, max_cards=10**9)]
    seen: dict[str, Rules] = {}
    for rules in {*every_kind_of_rules(), *PRESETS.values(), *long}:
        text = rules.describe()
        assert text not in seen, (rules, seen[text])
        seen[text] = rules
        assert all(0 < len(line) <= 80 for line in text.splitlines())
        assert "  " not in text
    assert len(seen) > 3000


def words_of(**changes: Any) -> str:
    return " ".join(Rules(**changes).describe().split())


@pytest.mark.parametrize(
    ("changes", "said", "unsaid"),
    [
        ({}, "A set is 2 or more neighbouring cards of a pile with a total of 10, 20", "out:"),
        ({"totals": (7,)}, "with a total of 7.", " or 7"),
        ({"totals": (7, 9)}, "with a total of 7 or 9.", "10, 20"),
        ({"max_cards": 4}, "A set is 2 to 4 neighbouring cards", "or more"),
        ({"max_cards": 2}, "A set is exactly 2 neighbouring cards", "or more"),
        ({"min_cards": 1, "max_cards": 1}, "A set is a single card with a total", "ing cards"),
        ({"wrap": True}, "its last card is a neighbour of its first", "is not"),
        ({"wrap": False}, "its last card is not a neighbour of its first", "is a loop"),
        ({"reach": "top"}, "Only sets with the pile's last card", "wherever"),
        ({"reach": "ends"}, "the pile's first or last card may be taken", "wherever"),
        ({"piles": 1}, "A line that is emptied stays in play.", "all piles"),
        ({"piles": 7}, "to the ends of 7 piles, left to right", "stays in play"),
        ({"opening": 1}, "once it has been dealt 1 card, or", "1 cards"),
        ({"discard": "optional"}, "any sets may be taken from any live pile", "must be taken"),
        ({"discard": "forced"}, "one must be taken, but the player chooses", "or none"),
        ({"target": 0}, "is won with no card left on the table.", "fewer"),
        ({"target": 1}, "is won with 1 card or fewer left on the table.", "no card"),
        ({"piles": 2}, "The game is won at once when all piles are out", "no other way"),
        ({"piles": 2, "recycle": True}, "There is no other way to win", "leave play"),
        ({"piles": 2, "recycle": True, "target": 4}, "The target of 4 cards plays no", "fewer"),
        ({"face_values": (11, 12, 13)}, "a jack 11, a queen 12, a king 13.", "face cards"),
        ({"face_values": (9, 9, 9)}, "face cards 9.", "jack"),
    ],
)
def test_what_a_description_says(changes: dict[str, Any], said: str, unsaid: str) -> None:
    assert said in words_of(**changes)
    assert unsaid not in words_of(**changes)
