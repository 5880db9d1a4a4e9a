"""What a survey counts: whole numbers only, so that sums are exact, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from decade.play import POLICIES, Policy

CHANCE_BITS = 96
"""Exact chances are added up as whole multiples of 2^-96, rounded down."""


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
    plays: Mapping[Policy, Plays] = field(default_factory=dict)
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
                for policy in POLICIES
                if policy in self.plays or policy in other.plays
            },
            self.chances + other.chances,
            self.chance + other.chance,
        )
