"""Decade: the exact solver for the 10-20-30 family of patience games.

>>> import decade
>>> str(decade.solve("5 5 10 K 4 6", "decade").verdict)
'winnable'
"""

from decade._version import __version__
from decade.cards import Card, Deal, DealError
from decade.play import IllegalMove, Move, play_policy
from decade.rules import PRESETS, Discard, Reach, Rules, RulesError
from decade.solver import (
    VERDICTS,
    Counts,
    Result,
    Solutions,
    Verdict,
    solve,
    solve_many,
    verify,
)

__all__ = [
    "PRESETS",
    "VERDICTS",
    "Card",
    "Counts",
    "Deal",
    "DealError",
    "Discard",
    "IllegalMove",
    "Move",
    "Reach",
    "Result",
    "Rules",
    "RulesError",
    "Solutions",
    "Verdict",
    "__version__",
    "play_policy",
    "solve",
    "solve_many",
    "verify",
]
