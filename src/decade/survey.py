"""Surveys: seeded deals into counts, and counts into rates and intervals.

What is counted follows from a :class:`Plan` and a range of indices alone, and a :class:`Tally`
holds whole numbers only. So it does not matter in what blocks, in what order, by how many workers
or on which machines the deals are decided: tallies of disjoint ranges add up to the tally of all.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from decade.adviser import Adviser, play_by_advice
from decade.cards import NumberError
from decade.play import POLICIES, Policy
from decade.rules import Discard, Rules, RulesError
from decade.solver import MEMORY_LIMIT, byte_values, compiled_fields, new_search
from decade.sources import LARGEST_SEED, PACK, seeded_cards
from decade_ext.policy import OUTCOMES, Player
from decade_ext.search import Stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SurveyPolicy = Policy | Literal["advise"]
SURVEY_POLICIES: tuple[SurveyPolicy, ...] = (*POLICIES, "advise")
"""The fixed policies, and the player who takes advice that does not see the stock."""
SAMPLES = 100
"""Orders of the stock that advice is from, unless it is said."""
CHANCE_BITS = 96
"""Exact chances are added up as whole multiples of 2^-96, rounded down."""
MARK = 1024
"""A survey that stops at a precision stops after a multiple of so many deals."""
_PART = 2**17
"""Deals that are held in memory at a time."""
_CHUNK = 128
"""Deals that policies play between two looks at the flag that stops them."""
_PROBES = 32
_PROBE_NODES = 2000


class SurveyError(ValueError):
    """Surveys that do not go together, or a file that holds none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is counted of each deal; see :meth:`of`.

    Attributes:
        rules: the rule set.
        seed: which deals; a deal's index says which of the seed.
        node_limit: positions a search may look at before its deal is *unknown*; None: all.
        policies: that play each deal too, in the order of ``SURVEY_POLICIES``.
        random_win: the random player's exact chance is found for deals with a lower index.
        search: stands for the search's node counts, see :func:`search_mark`.
        samples: orders of the stock that advice is from; 0 if nobody takes any.
    """

    rules: Rules
    seed: int
    node_limit: int | None
    policies: tuple[SurveyPolicy, ...]
    random_win: int
    search: str
    samples: int = 0

    @classmethod
    def of(
        cls,
        rules: Rules,
        seed: int,
        *,
        node_limit: int | None = None,
        policies: Sequence[SurveyPolicy] = (),
        random_win: int = 0,
        samples: int = SAMPLES,
    ) -> Plan:
        """Check and complete a plan; exact chances are left out where plays cannot be counted.

        Raises:
            NumberError: if the seed is out of range.
            ValueError: if there is no such policy, it is not for these rules, or a number is out of
                range.
        """
        if type(seed) is not int or not 0 <= seed <= LARGEST_SEED:
            raise NumberError(f"{seed!r} is no seed: they go from 0 to {LARGEST_SEED}")
        unknown = [policy for policy in policies if policy not in SURVEY_POLICIES]
        if unknown:
            raise ValueError(f"no policy {unknown[0]!r}; there are {', '.join(SURVEY_POLICIES)}")
        if "advise" in policies and rules.recycle:
            raise ValueError("the policy advise is for rules without recycle")
        if samples < 1:
            raise ValueError(f"samples must be 1 or more, not {samples}")
        if node_limit is not None and node_limit < 1:
            raise ValueError(f"node_limit must be 1 or more, not {node_limit}")
        if random_win < 0:
            raise ValueError(f"random_win must be 0 or more, not {random_win}")
        chosen = tuple(policy for policy in SURVEY_POLICIES if policy in policies)
        below = random_win if countable(rules) else 0
        orders = samples if "advise" in chosen else 0
        return cls(rules, seed, node_limit, chosen, below, search_mark(rules), orders)


@dataclass(frozen=True, slots=True)
class Plays:
    """How the plays of a policy ended: won, lost or draw, and what was left of those not drawn."""

    won: int = 0
    lost: int = 0
    draw: int = 0
    remaining: Mapping[int, int] = field(default_factory=dict)

    def __add__(self, other: Plays) -> Plays:
        return Plays(
            self.won + other.won,
            self.lost + other.lost,
            self.draw + other.draw,
            Counter(self.remaining) + Counter(other.remaining),
        )


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted; only whole numbers, so that sums are exact in any order.

    Attributes:
        winnable, unwinnable, unknown: deals.
        remaining: deals by the fewest cards that can be left; all winnable ones count as 0. Those
            without a remainder (unknown; ``recycle`` and unwinnable) are left out.
        nodes: of all searches together.
        most: nodes of the hardest deal.
        hardest: its index, the lowest among equals; None where nothing needed a node.
        plays: by policy.
        chances: deals for which the random player's exact chance was found.
        chance: sum of those chances, in 2^-96ths, each rounded down.
    """

    winnable: int = 0
    unwinnable: int = 0
    unknown: int = 0
    remaining: Mapping[int, int] = field(default_factory=dict)
    nodes: int = 0
    most: int = 0
    hardest: int | None = None
    plays: Mapping[SurveyPolicy, Plays] = field(default_factory=dict)
    chances: int = 0
    chance: int = 0

    @property
    def deals(self) -> int:
        """How many deals were counted."""
        return self.winnable + self.unwinnable + self.unknown

    def __add__(self, other: Tally) -> Tally:
        hardest = [
            (-tally.most, tally.hardest) for tally in (self, other) if tally.hardest is not None
        ]
        most, index = min(hardest, default=(0, None))
        return Tally(
            self.winnable + other.winnable,
            self.unwinnable + other.unwinnable,
            self.unknown + other.unknown,
            Counter(self.remaining) + Counter(other.remaining),
            self.nodes + other.nodes,
            -most,
            index,
            {
                policy: self.plays.get(policy, Plays()) + other.plays.get(policy, Plays())
                for policy in SURVEY_POLICIES
                if policy in self.plays or policy in other.plays
            },
            self.chances + other.chances,
            self.chance + other.chance,
        )


def countable(rules: Rules) -> bool:
    """Say whether plays can be counted, and so a random player's exact chance be found."""
    return rules.discard is Discard.FORCED and not rules.recycle


class Found(NamedTuple):
    """A range of deals, counted.

    Attributes:
        tally: of the whole range.
        marks: for each mark asked for: the mark, and the winnable and unknown deals before it.
        seconds: how long it took.
    """

    tally: Tally
    marks: tuple[tuple[int, int, int], ...]
    seconds: float


def count_deals(
    plan: Plan, start: int, end: int, marks: Sequence[int] = (), stop: Stop | None = None
) -> Found:
    """Decide and count the deals with the indices from ``start`` to ``end`` - 1.

    Args:
        plan: what to count.
        start: index of the first deal.
        end: one beyond the index of the last deal.
        marks: indices, ascending, above ``start`` and up to ``end``, for partial counts.
        stop: a flag that ends the work from another thread.

    Raises:
        SurveyError: if the plan was made where the search counts nodes differently.
        KeyboardInterrupt: if it was interrupted.
    """
    import numpy as np  # noqa: PLC0415 (slow)

    if plan.search != search_mark(plan.rules):
        raise SurveyError("a worker has another version of decade-solver: its nodes differ")
    began = time.perf_counter()
    stop = Stop() if stop is None else stop
    tally, found = Tally(), []
    for low in range(start, end, _PART):
        high = min(end, low + _PART)
        values = point_values(plan.rules, plan.seed, low, high - low)
        verdict, remaining, nodes = _solve(plan, values, stop)
        for mark in (mark for mark in marks if low < mark <= high):
            unwinnable, winnable, unknown = np.bincount(verdict[: mark - low], minlength=3).tolist()
            found.append((mark, tally.winnable + winnable, tally.unknown + unknown))
        unwinnable, winnable, unknown = np.bincount(verdict, minlength=3).tolist()
        left = np.where(verdict == 1, 0, remaining)
        hardest = int(nodes.argmax())
        chances, chance = _add_chances(plan, values[: max(0, plan.random_win - low)], stop)
        tally += Tally(
            winnable=winnable,
            unwinnable=unwinnable,
            unknown=unknown,
            remaining=_count(left[left >= 0]),
            nodes=int(nodes.sum()),
            most=int(nodes[hardest]),
            hardest=low + hardest if nodes[hardest] else None,
            plays={policy: _play(plan, policy, values, low, stop) for policy in plan.policies},
            chances=chances,
            chance=chance,
        )
    return Found(tally, tuple(found), time.perf_counter() - began)


def point_values(rules: Rules, seed: int, start: int, deals: int) -> NDArray[np.uint8]:
    """Make the point values of seeded deals.

    Returns:
        uint8 array of shape (deals, 52), first dealt first; see `byte_values`.

    Raises:
        NumberError: if seed or start is out of range.
        SurveyError: if a value that a set can hold does not fit a byte.
    """
    import numpy as np  # noqa: PLC0415 (slow)

    try:
        ranks = byte_values((*range(1, 11), *rules.face_values), rules)
    except RulesError as error:
        raise SurveyError(str(error)) from error
    pack = np.array([ranks[card.rank - 1] for card in PACK], np.uint8)
    return seeded_cards(seed, start, deals, pack)


def _solve(
    plan: Plan, values: NDArray[np.uint8], stop: Stop
) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.int64]]:
    import numpy as np  # noqa: PLC0415 (slow)

    deals = len(values)
    verdict = np.empty(deals, np.uint8)
    remaining, nodes = np.empty(deals, np.int16), np.empty(deals, np.int64)
    search = new_search(plan.rules, plan.node_limit, MEMORY_LIMIT, stop)
    search.solve_many(values, verdict, remaining, nodes)
    return verdict, remaining, nodes


def _count(numbers: NDArray[np.int16]) -> dict[int, int]:
    import numpy as np  # noqa: PLC0415 (slow)

    counts = np.bincount(numbers)
    return {number: int(counts[number]) for number in np.flatnonzero(counts).tolist()}


def _play(
    plan: Plan, policy: SurveyPolicy, values: NDArray[np.uint8], start: int, stop: Stop
) -> Plays:
    """Play deals by a policy; random numbers belong to the deal's seed and index."""
    import numpy as np  # noqa: PLC0415 (slow)

    if policy == "advise":
        return _play_by_advice(plan, values, start, stop)
    deals = len(values)
    outcome, remaining = np.empty(deals, np.uint8), np.empty(deals, np.int16)
    player = Player(**compiled_fields(plan.rules))
    for at in range(0, deals, _CHUNK):
        part = slice(at, at + _CHUNK)
        if stop.is_set():
            raise KeyboardInterrupt
        player.play_many(
            values[part], policy, outcome[part], remaining[part], seed=plan.seed, index=start + at
        )
    ended = dict(zip(OUTCOMES, np.bincount(outcome, minlength=len(OUTCOMES)).tolist(), strict=True))
    judged = OUTCOMES.index("won") if plan.rules.recycle else None
    left = remaining if judged is None else np.zeros(ended["won"], np.int16)
    return Plays(**ended, remaining=_count(left))


def _play_by_advice(plan: Plan, values: NDArray[np.uint8], start: int, stop: Stop) -> Plays:
    adviser = Adviser(plan.rules, node_limit=plan.node_limit, stop=stop)
    won, remaining = 0, Counter[int]()
    for index, deal in enumerate(values.tolist(), start):
        if stop.is_set():
            raise KeyboardInterrupt
        wins, left = play_by_advice(adviser, deal, plan.samples, plan.seed, index)
        won += wins
        remaining[left] += 1
    return Plays(won, len(values) - won, 0, remaining)


def _add_chances(plan: Plan, values: NDArray[np.uint8], stop: Stop) -> tuple[int, int]:
    """Add up the random player's exact chances, in 2^-96ths; say for how many no limit was hit."""
    deals = total = 0
    search = new_search(plan.rules, plan.node_limit, MEMORY_LIMIT, stop)
    for deal in values.tolist():
        counts = search.solve(deal, count=True)[4]
        if counts is not None:
            deals += 1
            total += (counts[2].numerator << CHANCE_BITS) // counts[2].denominator
        if stop.is_set():
            raise KeyboardInterrupt
    return deals, total


@lru_cache(maxsize=64)
def search_mark(rules: Rules) -> str:
    """Stand for the way in which this version's search counts nodes under a rule set.

    Verdicts and remainders are the same in all versions, but a faster search looks at fewer
    positions. Counts of different versions are not to be added up, so a few deals are searched,
    and what is returned is a check sum of their nodes.
    """
    import numpy as np  # noqa: PLC0415 (slow)

    values = point_values(rules, 0, 0, _PROBES)
    verdict, remaining = np.empty(_PROBES, np.uint8), np.empty(_PROBES, np.int16)
    nodes = np.empty(_PROBES, np.int64)
    search = new_search(rules, _PROBE_NODES, MEMORY_LIMIT, Stop())
    search.solve_many(values, verdict, remaining, nodes)
    return f"{zlib.crc32(nodes.astype('<i8').tobytes()):08x}"
