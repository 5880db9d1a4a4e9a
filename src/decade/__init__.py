"""Decade: the exact solver for the 10-20-30 family of patience games.

>>> import decade
>>> str(decade.solve("5 5 10 K 4 6", "decade").verdict)
'winnable'
"""

from importlib import import_module
from typing import TYPE_CHECKING

from decade._version import __version__
from decade.cards import Card, Deal, DealError, NumberError
from decade.play import IllegalMove, Move, play_policy
from decade.position import Position
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

if TYPE_CHECKING:
    from decade.advice import Advice, AdviceError, Option, advise
    from decade.batch import Outcome, solve_file, solve_to_file
    from decade.export import write_rows
    from decade.files import DealFile, InputError
    from decade.find import Found, find_deals
    from decade.journal import FinishedError, OutputError
    from decade.parts import solve_folder
    from decade.rows import Row, Run
    from decade.sources import Numbers, Seed
    from decade.tally import Tally

__all__ = [
    "PRESETS",
    "VERDICTS",
    "Advice",
    "AdviceError",
    "Card",
    "Counts",
    "Deal",
    "DealError",
    "DealFile",
    "Discard",
    "FinishedError",
    "Found",
    "IllegalMove",
    "InputError",
    "Move",
    "NumberError",
    "Numbers",
    "Option",
    "Outcome",
    "OutputError",
    "Position",
    "Reach",
    "Result",
    "Row",
    "Rules",
    "RulesError",
    "Run",
    "Seed",
    "Solutions",
    "Tally",
    "Verdict",
    "__version__",
    "advise",
    "find_deals",
    "play_policy",
    "solve",
    "solve_file",
    "solve_folder",
    "solve_many",
    "solve_to_file",
    "verify",
    "write_rows",
]

_LATE = {
    "Advice": "decade.advice",
    "AdviceError": "decade.advice",
    "DealFile": "decade.files",
    "FinishedError": "decade.journal",
    "Found": "decade.find",
    "InputError": "decade.files",
    "Option": "decade.advice",
    "Numbers": "decade.sources",
    "Outcome": "decade.batch",
    "OutputError": "decade.journal",
    "Row": "decade.rows",
    "Run": "decade.rows",
    "Seed": "decade.sources",
    "Tally": "decade.tally",
    "advise": "decade.advice",
    "find_deals": "decade.find",
    "solve_file": "decade.batch",
    "solve_folder": "decade.parts",
    "solve_to_file": "decade.batch",
    "write_rows": "decade.export",
}
"""What many deals and advice need: imported when asked for, so that one deal is solved at once."""


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
