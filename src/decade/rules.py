"""A game as data: the fields that make a rule set, and the games that have a name.

A `Rules` object is always valid: whatever it is made from, it is checked, or RulesError says what
is wrong and what would be right. One table makes the presets, their order and their notes.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from decade.cards import show

LARGEST = 1_000_000_000
MAX_PILES = 52


class RulesError(ValueError):
    """What is wrong with a rule set, and what would be right."""


class _Word(str, Enum):
    def __str__(self) -> str:
        return str(self.value)


class Reach(_Word):
    """Which sets may be taken: any, or only those with the pile's last, or first or last, card."""

    ANY = "any"
    TOP = "top"
    ENDS = "ends"


class Discard(_Word):
    """Whether a set that can be taken must be."""

    FORCED = "forced"
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set; what is not given is as in the standard game.

    `totals` are sorted and unique; `max_cards` None is no limit. Lists are taken for tuples and
    strings for `Reach` and `Discard`. Raises RulesError.

    >>> Rules(max_cards=3) == PRESETS["max-three"]
    True
    >>> Rules.load("loop").reach.value, Rules.load("loop").wrap
    ('top', True)
    >>> Rules(piles=99)
    Traceback (most recent call last):
        ...
    decade.rules.RulesError: piles must be a whole number from 1 to 52, not 99
    """

    totals: tuple[int, ...] = (10, 20, 30)
    min_cards: int = 2
    max_cards: int | None = None
    wrap: bool = False
    reach: Reach = Reach.ANY
    piles: int = 1
    opening: int = 3
    discard: Discard = Discard.FORCED
    recycle: bool = False
    target: int = 0
    face_values: tuple[int, int, int] = (10, 10, 10)

    def __post_init__(self) -> None:
        for field, check in _CHECKS.items():
            object.__setattr__(self, field, check(field, getattr(self, field)))
        if self.max_cards is not None and self.max_cards < self.min_cards:
            wanted = f"max_cards must be none or at least min_cards ({self.min_cards})"
            raise RulesError(f"{wanted}, not {self.max_cards}")
        if self.recycle and self.piles == 1:
            raise RulesError("recycle needs at least 2 piles, not 1")
        if self.recycle and self.discard is not Discard.FORCED:
            raise RulesError("recycle needs discard 'forced', not 'optional'")

    @property
    def name(self) -> str | None:
        """The name of the preset with these rules, or None."""
        return _NAMES.get(self)

    @property
    def label(self) -> str:
        """The name of the preset with these rules, or 'custom'."""
        return self.name or "custom"

    @classmethod
    def of(cls, rules: Rules | str | Mapping[str, object]) -> Rules:
        """Return the rules themselves, the preset of that name, or the rules with these fields.

        It never opens a file: `load` does. Raises RulesError.
        """
        if isinstance(rules, str):
            return _preset(rules)
        return rules if isinstance(rules, Rules) else cls.from_dict(rules)

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Rules:
        """Return the preset of that name, or read the `.toml` or `.json` file at that path.

        Raises RulesError, also where the file cannot be read.
        """
        path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        if not isinstance(path, str):
            raise RulesError(f"rules are loaded by a name or a path, not {show(source)}")
        suffix = Path(path).suffix.lower()
        if path in PRESETS or not (suffix or "/" in path or os.sep in path):
            return _preset(path)
        shown = path if path.isprintable() else ascii(path)
        if suffix not in (".toml", ".json"):
            raise RulesError(f"{shown}: neither a rule set's name nor a .toml or .json file")
        try:
            text = _read(path)
            return cls.from_toml(text) if suffix == ".toml" else cls.from_json(text)
        except RulesError as error:
            raise RulesError(f"{shown}: {error}") from error

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rules:
        """Make the rules with these fields; those that are missing are the standard game's.

        >>> Rules.from_dict({"pile": 7})
        Traceback (most recent call last):
            ...
        decade.rules.RulesError: there is no field 'pile'; did you mean 'piles'?
        """
        if not isinstance(given, Mapping):
            raise RulesError(f"rules must be a table of fields, not {show(given)}")
        for field in given:
            if not isinstance(field, str) or field not in _CHECKS:
                raise RulesError(f"there is no field {show(field)}{_suggest(field, _CHECKS)}")
        return cls(**given)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as JSON has them: lists, strings, numbers, true and false, null."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["totals"], plain["face_values"] = list(self.totals), list(self.face_values)
        plain["reach"], plain["discard"] = self.reach.value, self.discard.value
        return plain

    def as_field(self) -> str | dict[str, object]:
        """Return what a result says of its rules: the preset's name, else all fields."""
        return self.name or self.to_dict()

    @classmethod
    def from_json(cls, text: str) -> Rules:
        """Read a JSON object of fields. Raises RulesError."""
        return cls.from_dict(_parsed("JSON", partial(json.loads, object_pairs_hook=_unique), text))

    def to_json(self) -> str:
        """Write all fields as a JSON object on one line."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Rules:
        """Read a TOML document of fields; `max_cards = "none"` is no limit. Raises RulesError."""
        if sys.version_info >= (3, 11):
            import tomllib  # noqa: PLC0415 (slow, and seldom needed)
        else:
            import tomli as tomllib  # noqa: PLC0415
        return cls.from_dict(_parsed("TOML", tomllib.loads, text, tomllib.TOMLDecodeError))

    def to_toml(self) -> str:
        """Write all fields as a TOML document, a field a line."""
        plain = self.to_dict() | {"max_cards": self.max_cards or "none"}
        # Whole numbers, lists of them, plain words and booleans are the same in JSON and TOML.
        return "".join(f"{field} = {json.dumps(value)}\n" for field, value in plain.items())

    def describe(self) -> str:
        """Say the rules in plain words, at most 80 columns; different rules read differently."""
        parts = (_describe_cards, _describe_sets, _describe_discard, _describe_end)
        return "\n".join(textwrap.fill(" ".join(part(self)), 80) for part in parts)


def _describe_cards(rules: Rules) -> Iterable[str]:
    jack, queen, king = rules.face_values
    faces = f"a jack {jack}, a queen {queen}, a king {king}"
    faces = f"face cards {jack}" if jack == queen == king else faces
    yield f"Aces count 1, the cards from 2 to 10 what they show, {faces}."
    if rules.piles == 1:
        yield "Cards are dealt one at a time to the end of one pile, the line."
        yield "A line that is emptied stays in play."
    else:
        yield f"Cards are dealt one at a time to the ends of {rules.piles} piles, left to right,"
        yield "in turn. A live pile that is emptied is out: it is passed over from then on."


def _describe_sets(rules: Rules) -> Iterable[str]:
    least, most = rules.min_cards, rules.max_cards
    size = f"exactly {least}" if least == most else f"{least} {f'to {most}' if most else 'or more'}"
    yield f"A set is {size} neighbouring cards of a pile" if most != 1 else "A set is a single card"
    yield f"with a total of {_listed(rules.totals)}."
    isnt = "is" if rules.wrap else "is not"
    yield f"A pile {isnt} a loop: its last card {isnt} a neighbour of its first."
    yield {
        Reach.ANY: "A set may be taken wherever it lies in its pile.",
        Reach.TOP: "Only sets with the pile's last card may be taken.",
        Reach.ENDS: "Only sets with the pile's first or last card may be taken.",
    }[rules.reach]


def _describe_discard(rules: Rules) -> Iterable[str]:
    yield f"A pile is live once it has been dealt {_cards(rules.opening)}, or the stock is empty."
    if rules.discard is Discard.OPTIONAL:
        yield "After each card any sets may be taken from any live pile, in any order, or none."
    else:
        yield "After each card, while the pile that got it is live and holds a set that may be"
        yield "taken, one must be taken, but the player chooses which."
        if rules.piles > 1:
            yield "When the stock is empty this goes for all piles."
    yield "Cards taken"
    yield "go under the stock, in the order in which they lay;" if rules.recycle else "leave play;"
    yield "the cards on both sides of them become neighbours."


def _describe_end(rules: Rules) -> Iterable[str]:
    if rules.piles > 1:
        yield "The game is won at once when all piles are out, whatever is left in the stock."
    if rules.recycle:
        yield "There is no other way to win: a play is lost when a card must be dealt and the stock"
        yield "is empty, and one that comes back to the same position is not won."
        if rules.target:
            yield f"The target of {_cards(rules.target)} plays no part."
    else:
        yield "Otherwise it ends" if rules.piles > 1 else "The game ends"
        yield "when the stock is empty and no set is taken any more, and is won with"
        yield f"{_cards(rules.target)} or fewer" if rules.target else "no card"
        yield "left on the table."


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _listed(numbers: tuple[int, ...]) -> str:
    return " or ".join(", ".join(map(str, numbers)).rsplit(", ", 1))


def _suggest(word: object, known: Mapping[str, object]) -> str:
    """End an error about an unknown word: with the nearest known one, or all of them."""
    near = difflib.get_close_matches(word[:80].lower(), known, n=1) if isinstance(word, str) else []
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"


def _whole(low: int, high: int = LARGEST) -> Callable[[str, object], int]:
    def check(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return int(value)
        raise RulesError(f"{field} must be a whole number from {low} to {high}, not {show(value)}")

    return check


_positive = _whole(1)


def _max_cards(field: str, value: object) -> int | None:
    no_limit = value is None or (isinstance(value, str) and value == "none")
    return None if no_limit else _positive(f"{field}, unless none,", value)


def _flag(field: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise RulesError(f"{field} must be true or false, not {show(value)}")


def _totals(field: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list, set, frozenset)) or not value:
        wanted = "a list of one or more whole numbers, such as [10, 20, 30]"
        raise RulesError(f"{field} must be {wanted}, not {show(value)}")
    return tuple(sorted({_positive(f"each of the {field}", total) for total in value}))


def _face_values(field: str, value: object) -> tuple[int, int, int]:
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        wanted = "three whole numbers, what J, Q and K count, such as [10, 10, 10]"
        raise RulesError(f"{field} must be {wanted}, not {show(value)}")
    jack, queen, king = (_positive(f"each of the {field}", count) for count in value)
    return jack, queen, king


def _choice(choices: type[_Word]) -> Callable[[str, object], _Word]:
    words = {str(choice): choice for choice in choices}

    def check(field: str, value: object) -> _Word:
        if isinstance(value, str) and value in words:
            return words[value]
        raise RulesError(f"{field} must be one of {', '.join(words)}, not {show(value)}")

    return check


_CHECKS: Mapping[str, Callable[[str, object], object]] = {
    "totals": _totals,
    "min_cards": _positive,
    "max_cards": _max_cards,
    "wrap": _flag,
    "reach": _choice(Reach),
    "piles": _whole(1, MAX_PILES),
    "opening": _positive,
    "discard": _choice(Discard),
    "recycle": _flag,
    "target": _whole(0),
    "face_values": _face_values,
}


def _parsed(
    format: str,
    parse: Callable[[str], Any],
    text: str,
    slip: type[ValueError] = json.JSONDecodeError,
) -> Any:
    """Run a parser on a text; whatever it objects to is a RulesError."""
    if not isinstance(text, str):
        raise RulesError(f"{format} must be a string, not {show(text)}")
    try:
        return parse(text)
    except RulesError:
        raise
    except slip as error:
        raise RulesError(f"this is not {format}: {error}") from None
    except (ValueError, RecursionError):
        raise RulesError(f"this {format} has too long a number or is nested too deep") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make a JSON object; that a field occurs twice, which JSON allows, is a slip here."""
    found: dict[str, object] = {}
    for field, value in pairs:
        if field in found:
            raise RulesError(f"the field {show(field)} is given twice")
        found[field] = value
    return found


def _read(path: str) -> str:
    """Read a text file, with or without a byte order mark."""
    try:
        content = Path(path).read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RulesError(f"is not UTF-8 text (line {line})") from error
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        why = getattr(error, "strerror", None) or error
        raise RulesError(f"cannot be read: {why}") from error


def _preset(name: str) -> Rules:
    if name in PRESETS:
        return PRESETS[name]
    raise RulesError(f"there is no rule set {show(name)}{_suggest(name, PRESETS)}")


_LOOP: dict[str, Any] = {"wrap": True, "reach": "top"}
_THREES: dict[str, Any] = {"wrap": True, "min_cards": 3, "max_cards": 3}
_ACM: dict[str, Any] = _LOOP | _THREES | {"piles": 7, "opening": 1, "recycle": True}
_NINES: dict[str, Any] = _ACM | {"piles": 9, "opening": 3, "totals": (9, 19, 29)}
_FREE: dict[str, Any] = {"discard": "optional", "opening": 1}
_SEVENS = {"totals": (7, 14, 21, 28, 35, 42, 49), "face_values": (11, 12, 13)}
_PRINTED = "the printed game; also played in one hand, the line as a stack on the deck"
_PYSOL = 'PySolFC\'s "Decade" (game 816), and most computer versions'
_PYSOL_SEVENS = 'PySolFC\'s "Seven Up" (game 918)'

# Each preset: its name, where it is played, and in what it differs from the standard game.
_TABLE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("decade", _PRINTED, {}),
    ("max-three", "variation in the books", {"max_cards": 3}),
    ("fives", "Interplay's Solitaire Deluxe", {"totals": (5, 10, 15, 20, 25, 30, 35)}),
    ("loop", "variation in the books", _LOOP),
    ("loop-max-three", "the same, other rule set", _LOOP | {"max_cards": 3}),
    ("seven-piles", "variation in the books", {"piles": 7}),
    ("seven-piles-loop", "both together", _LOOP | {"piles": 7}),
    ("pysol", _PYSOL, _FREE),
    ("face-up", "web versions where a lone ten may go", _FREE | {"opening": 52, "min_cards": 1}),
    ("ten-twenty-thirty", "the 1996 ACM programming finals, problem A", _ACM),
    ("nine-columns", "a family game people ask about", _NINES),
    ("ends", "a family game", _THREES | _FREE | {"reach": "ends", "target": 4}),
    ("seven-up", _PYSOL_SEVENS, _FREE | _SEVENS | {"min_cards": 1, "max_cards": 4}),
)

PRESETS: Mapping[str, Rules] = MappingProxyType(
    {name: Rules(**changes) for name, _, changes in _TABLE}
)
PRESET_NOTES: Mapping[str, str] = MappingProxyType({name: note for name, note, _ in _TABLE})
_NAMES = {rules: name for name, rules in PRESETS.items()}
