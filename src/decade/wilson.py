"""The interval of a share that was found by counting (Wilson 1927).

It stays between 0 and 1, and holds for rare and for few cases too. Cases that are not known may be
of either kind, and so widen it on both sides.
"""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""How many standard deviations each way hold 95 % of a normal distribution."""


def wilson(successes: int, unknown: int, total: int, z: float = Z95) -> tuple[float, float]:
    """Give the interval of a rate; its ends are those for no and for all unknown ones a success.

    Args:
        successes: how many are known to be.
        unknown: how many may be.
        total: of how many.
        z: standard deviations each way, by default for 95 %.

    >>> [round(end, 4) for end in wilson(10, 0, 50)]
    [0.1124, 0.3304]
    >>> wilson(0, 0, 0)
    (0.0, 1.0)
    """
    return _end(successes, total, -z), _end(successes + unknown, total, z)


def _end(successes: int, total: int, z: float) -> float:
    extreme = total if z > 0 else 0
    if successes == extreme:  # exactly 0 or 1, which rounding would only come near to
        return float(z > 0)
    share = successes / total
    spread = z * math.sqrt((share * (1 - share) + z * z / (4 * total)) / total)
    return (share + z * z / (2 * total) + spread) / (1 + z * z / total)
