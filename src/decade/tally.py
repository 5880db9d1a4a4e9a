"""What a batch found, in numbers: verdicts, errors, remainders, and the share that can be won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from decade.rows import Block
from decade.solver import VERDICTS, Verdict
from decade.wilson import wilson


@dataclass(slots=True)
class Tally:
    """Rows counted.

    Attributes:
        verdicts: how many deals have each verdict.
        errors: how many rows are no deals.
        remaining: how many deals have each remainder.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    remaining: Counter[int] = field(default_factory=Counter)

    def add(self, block: Block) -> None:
        """Count a block of solved rows."""
        import numpy as np  # noqa: PLC0415 (slow)

        counts = np.bincount(block.verdict, minlength=len(VERDICTS))
        for number, verdict in enumerate(VERDICTS):
            self.verdicts[verdict.value] += int(counts[number])
        self.errors += len(block.errors())
        left = np.bincount(block.remaining[block.remaining >= 0].astype(np.int64))
        self.remaining.update({int(n): int(left[n]) for n in np.flatnonzero(left)})

    def include(self, other: Tally) -> None:
        """Count the rows of another tally too."""
        self.verdicts.update(other.verdicts)
        self.errors += other.errors
        self.remaining.update(other.remaining)

    @property
    def deals(self) -> int:
        """How many deals there are, without those that cannot be read."""
        return self.verdicts.total()

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.deals + self.errors

    def share(self, verdict: Verdict | str) -> float:
        """Give a verdict's share of the deals."""
        return self.verdicts[str(verdict)] / self.deals if self.deals else 0.0

    def winnable_interval(self) -> tuple[float, float]:
        """Give the 95 % interval of the winnable share; deals not known may be either."""
        return wilson(self.verdicts["winnable"], self.verdicts["unknown"], self.deals)

    def to_dict(self) -> dict[str, object]:
        """Give the tally as JSON has it."""
        left = {str(number): count for number, count in sorted(self.remaining.items())}
        return {"verdicts": dict(self.verdicts), "errors": self.errors, "remaining": left}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tally:
        """Read a tally back; what is missing is none."""
        left = {int(number): count for number, count in data.get("remaining", {}).items()}
        return cls(Counter(data.get("verdicts", {})), data.get("errors", 0), Counter(left))
