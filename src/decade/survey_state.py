"""How far a survey has come: its plan, the indices that were counted, and their tally, as JSON.

A report, a checkpoint and what ``--merge`` reads are one and the same object, so that whatever was
printed or kept can be gone on from. Derived figures (rate, interval) are written for readers and
worked out afresh from the counts when an object is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from decade._version import __version__
from decade.rules import Rules
from decade.survey import CHANCE_BITS, SURVEY_POLICIES, Plan, Plays, SurveyError, Tally
from decade.wilson import wilson

Ranges = tuple[tuple[int, int], ...]
"""Disjoint ranges of indices [start, end), sorted, none touching the next."""


def join(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]]) -> Ranges:
    """Join ranges that do not overlap.

    Raises:
        SurveyError: if they do.

    >>> join([(0, 10), (30, 40)], [(10, 20)])
    ((0, 20), (30, 40))
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted((*a, *b)):
        if joined and start < joined[-1][1]:
            raise SurveyError(f"the deals {start} to {min(end, joined[-1][1]) - 1} are in both")
        if joined and start == joined[-1][1]:
            start, _ = joined.pop()  # noqa: PLW2901
        joined.append((start, end))
    return tuple(joined)


def missing(ranges: Ranges, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Give what is missing of the indices from ``start`` to ``end`` - 1, in order.

    >>> list(missing(((0, 10), (30, 40)), 0, 50))
    [(10, 30), (40, 50)]
    """
    for low, high in ranges:
        if start < low:
            yield start, min(low, end)
        start = max(start, high)
    if start < end:
        yield start, end


@dataclass(frozen=True, slots=True)
class Survey:
    """A survey as far as it has come; immutable, so that it is whole whenever it is interrupted."""

    plan: Plan
    ranges: Ranges = ()
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0

    def counted(self, start: int, end: int, tally: Tally) -> Survey:
        """Add a range that was counted.

        Raises:
            SurveyError: if some of it had been counted before.
        """
        joined = join(self.ranges, [(start, end)])
        return replace(self, ranges=joined, tally=self.tally + tally)

    def merged(self, other: Survey) -> Survey:
        """Add a survey of other deals under the same plan.

        Raises:
            SurveyError: if the plans differ or the deals overlap.
        """
        self.check_same(other.plan)
        joined = join(self.ranges, other.ranges)
        return Survey(self.plan, joined, self.tally + other.tally, self.seconds + other.seconds)

    def check_same(self, plan: Plan) -> None:
        """Refuse to go on under another plan.

        Raises:
            SurveyError: that names what differs.
        """
        for name, about in _DIFFERENCES.items():
            mine, other = getattr(self.plan, name), getattr(plan, name)
            if mine != other:
                raise SurveyError(about.format(_shown(mine), _shown(other)))

    @property
    def rate(self) -> float | None:
        """The winnable share of all deals; None of no deal."""
        return self.tally.winnable / self.tally.deals if self.tally.deals else None

    @property
    def interval(self) -> tuple[float, float]:
        """The rate's 95 % interval."""
        return wilson(self.tally.winnable, self.tally.unknown, self.tally.deals)

    def to_dict(self) -> dict[str, Any]:
        """Give the survey as the object that ``--json`` prints."""
        plan, tally, deals = self.plan, self.tally, self.tally.deals
        hardest = {"nodes": tally.most, "seed": plan.seed, "index": tally.hardest}
        data: dict[str, Any] = {
            "rules": plan.rules.as_field(),
            "deals": deals,
            "seed": plan.seed,
            "ranges": [list(limits) for limits in self.ranges],
            "winnable": tally.winnable,
            "unwinnable": tally.unwinnable,
            "unknown": tally.unknown,
            "rate": self.rate,
            "ci95": list(self.interval),
            "one_in": deals / tally.winnable if tally.winnable else None,
            "remaining": {
                (f"0-{plan.rules.target}" if plan.rules.target and not left else str(left)): count
                for left, count in sorted(tally.remaining.items())
            },
            "nodes": tally.nodes,
            "mean_nodes": tally.nodes / deals if deals else None,
            "hardest": None if tally.hardest is None else hardest,
        }
        if plan.policies:
            data["policies"] = {
                policy: _plays_object(tally.plays.get(policy, Plays())) for policy in plan.policies
            }
        if plan.samples:
            data["samples"] = plan.samples
        if plan.random_win:
            mean = tally.chance / (tally.chances << CHANCE_BITS) if tally.chances else None
            data["random_win"] = {
                "below": plan.random_win,
                "deals": tally.chances,
                "mean": mean,
                "sum": f"{tally.chance}/2^{CHANCE_BITS}",
            }
        data |= {
            "node_limit": plan.node_limit,
            "search": plan.search,
            "version": __version__,
            "seconds": self.seconds,
            "deals_per_second": deals / self.seconds if self.seconds else None,
        }
        return data

    @classmethod
    def from_dict(cls, data: object) -> Survey:
        """Read a survey back.

        Raises:
            SurveyError: if it is none, or its numbers do not agree with each other.
            RulesError: if the rules in it are not valid.
        """
        try:
            return _read(data)
        except KeyError as error:
            raise SurveyError(f"this is no survey: it has no {error}") from error
        except (TypeError, AttributeError) as error:
            raise SurveyError(f"this is no survey: {error}") from error


_DIFFERENCES = {
    "rules": "it is of other rules: {}, not {}",
    "seed": "it is of another seed: {}, not {}",
    "node_limit": "it has another node limit: {}, not {}",
    "policies": "it has other policies: {}, not {}",
    "samples": "its advice is from {} orders, not {}",
    "random_win": "its random player's chance is exact for deals below {}, not {}",
    "search": "it is of a version whose search counts nodes differently (mark {}, not {})",
}


def _shown(value: object) -> str:
    if isinstance(value, Rules):
        return value.name or json.dumps(value.to_dict())
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _plays_object(plays: Plays) -> dict[str, Any]:
    deals = plays.won + plays.lost + plays.draw
    return {
        "won": plays.won,
        "lost": plays.lost,
        "draw": plays.draw,
        "rate": plays.won / deals if deals else None,
        "ci95": list(wilson(plays.won, 0, deals)),
        "remaining": {str(left): count for left, count in sorted(plays.remaining.items())},
    }


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise SurveyError(f"{value!r} stands where a whole number should")
    return value


def _histogram(data: Mapping[str, Any]) -> dict[int, int]:
    try:
        return {int(left.partition("-")[0]): _whole(count) for left, count in data.items()}
    except ValueError as error:
        raise SurveyError(f"this is no histogram of remainders: {error}") from error


def _read(data: Any) -> Survey:
    played = {policy: data["policies"][policy] for policy in data.get("policies", ())}
    if not set(played) <= set(SURVEY_POLICIES):
        raise SurveyError(f"there are only the policies {', '.join(SURVEY_POLICIES)}")
    exact = data.get("random_win", {"below": 0, "deals": 0, "sum": f"0/2^{CHANCE_BITS}"})
    chance, _, unit = exact["sum"].partition("/")
    if not chance.isdecimal() or unit != f"2^{CHANCE_BITS}":
        raise SurveyError(f"the sum of chances is no number of 2^-{CHANCE_BITS}ths")
    limit, hardest = data["node_limit"], data["hardest"]
    plan = Plan(
        rules=Rules.of(data["rules"]),
        seed=_whole(data["seed"]),
        node_limit=None if limit is None else _whole(limit),
        policies=tuple(policy for policy in SURVEY_POLICIES if policy in played),
        random_win=_whole(exact["below"]),
        search=str(data["search"]),
        samples=_whole(data.get("samples", 0)),
    )
    tally = Tally(
        winnable=_whole(data["winnable"]),
        unwinnable=_whole(data["unwinnable"]),
        unknown=_whole(data["unknown"]),
        remaining=_histogram(data["remaining"]),
        nodes=_whole(data["nodes"]),
        most=0 if hardest is None else _whole(hardest["nodes"]),
        hardest=None if hardest is None else _whole(hardest["index"]),
        plays={
            policy: Plays(
                won=_whole(played[policy]["won"]),
                lost=_whole(played[policy]["lost"]),
                draw=_whole(played[policy]["draw"]),
                remaining=_histogram(played[policy]["remaining"]),
            )
            for policy in plan.policies
        },
        chances=_whole(exact["deals"]),
        chance=int(chance),
    )
    ranges = join([(_whole(start), _whole(end)) for start, end in data["ranges"]], [])
    plays = (sum((p.won, p.lost, p.draw)) for p in tally.plays.values())
    sums = {sum(end - start for start, end in ranges), _whole(data["deals"]), *plays}
    if sums != {tally.deals}:
        raise SurveyError("its numbers do not add up to its number of deals")
    return Survey(plan, ranges, tally, float(data["seconds"]))


def load(path: str | os.PathLike[str]) -> list[Survey]:
    """Read the surveys in a file, one or many JSON objects.

    Raises:
        SurveyError: if there is none, two are of the same rules, or anything in the file is wrong.
        OSError: if it cannot be read.
    """
    text = Path(path).read_bytes()
    try:
        surveys = [Survey.from_dict(item) for item in _objects(text.decode())]
        for at, survey in enumerate(surveys):
            if any(survey.plan.rules == other.plan.rules for other in surveys[:at]):
                raise SurveyError(f"it has two surveys of {_shown(survey.plan.rules)}")
        if not surveys:
            raise SurveyError("there is no survey in it")
    except ValueError as error:
        raise SurveyError(f"{os.fspath(path)}: {error}") from error
    return surveys


def _objects(text: str) -> Iterable[object]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        item, at = decoder.raw_decode(text, at)
        yield item


def save(path: str | os.PathLike[str], surveys: Iterable[Survey]) -> None:
    """Write surveys so that a crash at any moment leaves either the old file or the new one.

    Raises:
        OSError: if it cannot be written.
    """
    target = Path(path)
    temporary = target.with_name(f"{target.name}.tmp")
    with temporary.open("w", encoding="ascii") as file:
        for survey in surveys:
            file.write(json.dumps(survey.to_dict()) + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(target)


def merge(groups: Iterable[Iterable[Survey]]) -> list[Survey]:
    """Add up surveys of the same rules; those of different rules stand side by side.

    Raises:
        SurveyError: if two of the same rules have deals in common, or plans that differ.
    """
    merged: dict[Rules, Survey] = {}
    for survey in (survey for group in groups for survey in group):
        rules = survey.plan.rules
        merged[rules] = merged[rules].merged(survey) if rules in merged else survey
    return list(merged.values())
