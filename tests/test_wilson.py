"""Intervals of shares, against the published values and the equation that they solve."""

from __future__ import annotations

import numpy as np
import pytest

from decade.wilson import wilson


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [  # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_against_the_published_values(
    successes: int, total: int, low: float, high: float
) -> None:
    assert np.allclose(wilson(successes, 0, total), (low, high), atol=0.5e-4)
    mirrored = wilson(total - successes, 0, total)
    assert np.allclose(mirrored, (1 - high, 1 - low), atol=0.5e-4)


def test_wilson_solves_its_equation_and_unknowns_widen_it() -> None:
    for successes, total in ((3, 7), (10**9, 10**12), (1, 10**12)):
        for end in wilson(successes, 0, total, z=3.0):
            share = successes / total
            assert (end - share) ** 2 == pytest.approx(9 * end * (1 - end) / total, rel=1e-6)
    low, high = wilson(30, 0, 100)
    wide = wilson(30, 20, 100)
    assert wide == (low, wilson(50, 0, 100)[1])
    assert wide[1] > high
    assert wilson(0, 5, 5) == (0.0, 1.0)
    assert wilson(0, 0, 9)[0] == 0.0
    assert wilson(9, 0, 9)[1] == 1.0
