"""Solving: deals in, results out. The search itself is compiled (``decade_ext``).

This layer checks what comes in, gives each thread a search of its own and names what comes out.
It never decides a deal.
"""

from __future__ import annotations

import json
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from decade.cards import Deal, DealError, show
from decade.play import Game, IllegalMove, Layout, Move, replay
from decade.position import Position
from decade.rules import Discard, Reach, Rules, RulesError
from decade_ext.search import Search, Stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEMORY_LIMIT = 2**30
_NO_LIMIT = 2**63 - 1
_FEWEST, _MOST, _SHARE_SECONDS, _ENDING = 2**8, 2**17, 0.02, 2**6
"""Deals that a thread takes at first and at most, and for how long it should be at them; towards
the end it takes fewer, down to this part of them."""


class Verdict(str, Enum):
    """What is known of a deal. ``UNKNOWN`` only where a limit ended the search."""

    UNWINNABLE = "unwinnable"
    WINNABLE = "winnable"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


VERDICTS = (Verdict.UNWINNABLE, Verdict.WINNABLE, Verdict.UNKNOWN)
"""Verdicts by the number that stands for them in arrays."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many plays (sequences of sets taken) there are, how many win, and a random one's chance.

    The player picks uniformly among the legal sets at every choice.
    """

    lines: int
    winning_lines: int
    random_win: Fraction


@dataclass(frozen=True, slots=True)
class Result:
    """What the search says of a deal.

    Attributes:
        deal: the deal.
        rules: the rule set.
        verdict: winnable, unwinnable or unknown.
        remaining: cards that the play in ``moves`` leaves; the fewest possible if the deal is
            unwinnable; None if unknown, or under ``recycle`` not winnable.
        moves: that play, set by set.
        nodes: positions looked at, or bundles of plays where those are what is followed.
        seconds: time taken.
        counts: plays counted, if asked for.
        name: the deal's name, if it has one.
        limit: ``"nodes"`` or ``"memory"`` where that limit made the verdict unknown.
    """

    deal: Deal
    rules: Rules
    verdict: Verdict
    remaining: int | None
    moves: tuple[Move, ...]
    nodes: int
    seconds: float
    counts: Counts | None = None
    name: str | None = None
    limit: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the result as the object that ``--json`` prints."""
        data: dict[str, Any] = {
            "name": self.name,
            "deal": str(self.deal),
            **_position_fields(self.deal),
            "rules": self.rules.as_field(),
            "verdict": self.verdict.value,
            "remaining": self.remaining,
            "moves": [move.to_dict() for move in self.moves],
            "nodes": self.nodes,
            "seconds": self.seconds,
        }
        if self.name is None:
            del data["name"]
        if self.deal.packs is not None:
            data["packs"] = self.deal.packs
        if self.counts is not None:
            chance = self.counts.random_win
            data["lines"] = self.counts.lines
            data["winning_lines"] = self.counts.winning_lines
            data["random_win"] = [chance.numerator, chance.denominator]
        return data

    def to_json(self) -> str:
        """Give the result as one line of JSON, in ASCII."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, data: object) -> Result:
        """Read a result back; name, packs, nodes, seconds and counts may be missing.

        Raises:
            DealError, RulesError: if the deal or the rules in it are not valid.
            ValueError: if anything else is not as a result should be.
        """
        if not isinstance(data, Mapping):
            raise ValueError("a result is an object")
        for field in ("deal", "rules", "verdict", "remaining", "moves"):
            if field not in data:
                raise ValueError(f"the result has no {field!r}")
        if not isinstance(data["deal"], str):
            raise ValueError("deal must be a string of cards")
        rules = Rules.of(data["rules"])
        deal = _deal_from(data, rules)
        if data["verdict"] not in list(map(str, VERDICTS)):
            raise ValueError("verdict must be winnable, unwinnable or unknown")
        remaining = data["remaining"]
        if remaining is not None and type(remaining) is not int:
            raise ValueError("remaining must be a whole number or null")
        if not isinstance(data["moves"], list):
            raise ValueError("moves must be a list")
        nodes, seconds = data.get("nodes", 0), data.get("seconds", 0)
        if type(nodes) is not int or type(seconds) not in (int, float):
            raise ValueError("nodes must be a whole number and seconds a number")
        name = data.get("name")
        if name is not None and not isinstance(name, str):
            raise ValueError("name must be a string")
        return cls(
            deal=deal,
            rules=rules,
            verdict=Verdict(data["verdict"]),
            remaining=remaining,
            moves=tuple(map(Move.from_dict, data["moves"])),
            nodes=nodes,
            seconds=seconds,
            counts=_counts_from(data),
            name=name,
        )

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read a result back from JSON.

        Raises:
            ValueError: as :meth:`from_dict`, and if the text is no JSON.
        """
        try:
            return cls.from_dict(json.loads(text))
        except RecursionError:
            raise ValueError("the JSON is nested too deep") from None


def _position_fields(deal: Deal) -> dict[str, Any]:
    if not isinstance(deal, Position):
        return {}
    return {"table": deal.table, "stock": deal.stock, "next": deal.next}


def _deal_from(data: Mapping[str, Any], rules: Rules) -> Deal:
    packs = data.get("packs")
    deal = Deal.parse(data["deal"], packs=packs, face_values=rules.face_values)
    if "table" not in data:
        return deal
    table, stock, following = (data.get(field) for field in ("table", "stock", "next"))
    if not isinstance(table, str) or not isinstance(stock, str) or type(following) is not int:
        raise ValueError("table and stock must be strings of cards, next a whole number")
    position = Position.of(table, stock, next=following, packs=packs, face_values=rules.face_values)
    if position.cards != deal.cards:
        raise ValueError("the deal must be the cards in table and stock")
    return position


def _counts_from(data: Mapping[str, Any]) -> Counts | None:
    if "lines" not in data:
        return None
    chance = data.get("random_win")
    numbers = [data["lines"], data.get("winning_lines"), *(chance if type(chance) is list else [])]
    if len(numbers) != 4 or any(type(n) is not int for n in numbers) or numbers[3] < 1:
        raise ValueError("lines, winning_lines must be whole numbers, random_win two of them")
    lines, winning_lines, numerator, denominator = numbers
    return Counts(lines, winning_lines, Fraction(numerator, denominator))


class Solutions(NamedTuple):
    """Results by the array, one item a deal.

    Attributes:
        verdict: uint8; 0 unwinnable, 1 winnable, 2 unknown (see ``VERDICTS``).
        remaining: int16; what is left, -1 where that has no meaning.
        nodes: int64; positions looked at, or bundles of plays.
    """

    verdict: NDArray[np.uint8]
    remaining: NDArray[np.int16]
    nodes: NDArray[np.int64]


def searched_as(values: Sequence[int], rules: Rules, layout: Layout | None) -> tuple[Rules, Any]:
    """Give what a search takes for a game that is gone on with: rules, and a layout if need be.

    A single pile is as it is if its cards have just been dealt and it is live from the last of them
    on; so any kernel will do. Where sets must be taken and may lie anywhere in a straight line that
    holds none now, it held none before, and may as well have been live all the time.
    """
    if layout is None:
        return rules, None
    game = Game(values, rules, layout)
    if rules.piles > 1:
        return rules, (layout.sizes, layout.next, layout.had(rules))
    straight = rules.discard is Discard.FORCED and not rules.wrap and rules.reach is Reach.ANY
    clean = straight and not game.legal_sets(game.start())
    return replace(rules, opening=1 if clean else max(1, layout.sizes[0])), None


def compiled_fields(rules: Rules) -> dict[str, Any]:
    """Give the fields of a rule set as compiled code takes them."""
    return {
        "totals": rules.totals,
        "min_cards": rules.min_cards,
        "max_cards": rules.max_cards or 0,
        "wrap": rules.wrap,
        "reach": rules.reach.value,
        "piles": rules.piles,
        "opening": rules.opening,
        "optional": rules.discard is Discard.OPTIONAL,
        "recycle": rules.recycle,
        "target": rules.target,
    }


def byte_values(values: Iterable[int], rules: Rules) -> list[int]:
    """Give point values as arrays hold them.

    A value beyond the greatest total is cut to one more than it: no set can hold such a card.

    Raises:
        RulesError: if a value that a set can hold does not fit a byte.
    """
    cut = [min(value, rules.totals[-1] + 1) for value in values]
    if max(cut, default=0) > 255:
        raise RulesError("this is for rules in which a card counts at most 255")
    return cut


def new_search(
    rules: Rules, node_limit: int | None, memory_limit: int | None, stop: Stop
) -> Search:
    """Make a search for one thread, which ``stop`` ends. Raises ValueError for a bad limit."""
    for name, limit in (("node_limit", node_limit), ("memory_limit", memory_limit)):
        if limit is not None and (type(limit) is not int or not 1 <= limit <= _NO_LIMIT):
            raise ValueError(f"{name} must be a whole number, 1 or more, not {show(limit)}")
    return Search(
        **compiled_fields(rules),
        node_limit=_NO_LIMIT if node_limit is None else node_limit,
        memory_limit=_NO_LIMIT if memory_limit is None else memory_limit,
        stop=stop,
    )


def solve(
    deal: Deal | str,
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    count: bool = False,
    node_limit: int | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    name: str | None = None,
) -> Result:
    """Decide a deal, or a game in its middle.

    Args:
        deal: the cards, first dealt first, or a `Position`.
        rules: a rule set, a preset's name, or a mapping of fields.
        count: count all plays too (forced discards without recycling only).
        node_limit: positions to look at before the verdict is *unknown*; None for no limit.
        memory_limit: bytes it may hold before the verdict is *unknown*; None for no limit.
        name: what to call the deal in the result; the deal's own name by default.

    Raises:
        DealError, RulesError: if the deal or the rules are not valid.
        ValueError: if a limit is below 1, or plays cannot be counted under these rules.
        KeyboardInterrupt: on Ctrl-C, within a quarter second.

    >>> result = solve("4 8 3 3 J 6 4")
    >>> str(result.verdict), result.remaining, len(result.moves)
    ('unwinnable', 2, 1)
    """
    rules = Rules.of(rules)
    if isinstance(deal, str):
        deal = Deal.parse(deal, face_values=rules.face_values)
    else:
        deal.check(face_values=rules.face_values)
    if count and (rules.recycle or rules.discard is Discard.OPTIONAL):
        raise ValueError("plays are counted for forced discards without recycling only")
    values = deal.values(rules.face_values)
    searched, layout = searched_as(values, rules, deal.layout)
    search = new_search(searched, node_limit, memory_limit, Stop())
    start = time.perf_counter()
    verdict, remaining, nodes, moves, counts, limit = search.solve(
        values, count=count, layout=layout
    )
    seconds = time.perf_counter() - start
    return Result(
        deal=deal,
        rules=rules,
        verdict=VERDICTS[verdict],
        remaining=None if remaining < 0 else remaining,
        moves=tuple(
            Move(dealt, pile, cards, sum(values[card] for card in cards))
            for dealt, pile, cards in moves
        ),
        nodes=nodes,
        seconds=seconds,
        counts=None if counts is None else Counts(*counts),
        name=deal.name if name is None else name,
        limit=limit,
    )


def solve_many(
    values: NDArray[np.uint8],
    rules: Rules | str | Mapping[str, Any] = "decade",
    *,
    node_limit: int | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    threads: int = 1,
) -> Solutions:
    """Decide many deals of one length.

    Args:
        values: C-contiguous uint8 array of shape (deals, cards): point values, first dealt first.
        rules: a rule set, a preset's name, or a mapping of fields.
        node_limit: positions to look at, a deal; None for no limit.
        memory_limit: bytes that the search of one thread may hold; None for no limit.
        threads: how many share the deals, the GIL released; the results do not depend on it.

    Raises:
        TypeError: if ``values`` is not such an array.
        ValueError: if its shape or a value is out of range, or a limit below 1.
        RulesError: if the rules are not valid.
        KeyboardInterrupt: on Ctrl-C, within a quarter second.
    """
    import numpy as np  # noqa: PLC0415  (a fifth of a second that solving one deal does without)

    rules = Rules.of(rules)
    if not isinstance(values, np.ndarray) or values.dtype != np.uint8:
        raise TypeError("values must be a NumPy array of dtype uint8")
    if values.ndim != 2 or not 1 <= values.shape[1] <= 104:
        raise ValueError(f"values must have the shape (deals, 1 to 104), not {values.shape}")
    if not values.flags.c_contiguous:
        raise ValueError("values must be C-contiguous; numpy.ascontiguousarray makes it so")
    if type(threads) is not int or threads < 1:
        raise ValueError(f"threads must be a whole number, 1 or more, not {show(threads)}")
    deals = len(values)
    found = Solutions(
        np.empty(deals, np.uint8), np.empty(deals, np.int16), np.empty(deals, np.int64)
    )
    stop = Stop()
    threads = max(1, min(threads, -(-deals // _FEWEST)))
    searches = [new_search(rules, node_limit, memory_limit, stop) for _ in range(threads)]
    shares = _Shares(deals, threads)

    def work(search: Search) -> None:
        size = _FEWEST
        while part := shares.take(size):
            began = time.perf_counter()
            search.solve_many(
                values[part], found.verdict[part], found.remaining[part], found.nodes[part]
            )
            pace = _SHARE_SECONDS / (time.perf_counter() - began)
            size = int(max(1, min(_MOST, 16 * size, (part.stop - part.start) * pace)))

    _in_threads(work, searches, stop)
    return found


class _Shares:
    """Deals that threads take from an array, each the next that are left."""

    def __init__(self, deals: int, threads: int) -> None:
        self.deals = deals
        self.threads = threads
        self.taken = 0
        self.lock = Lock()

    def take(self, size: int) -> slice | None:
        """Take so many, fewer towards the end so that all end together; None if nothing is left."""
        with self.lock:
            start, left = self.taken, self.deals - self.taken
            if self.threads > 1:
                left = min(left, size, max(size // _ENDING, left // (2 * self.threads), 1))
            self.taken += left
            return slice(start, self.taken) if left else None


def _in_threads(work: Callable[[Search], None], searches: list[Search], stop: Stop) -> None:
    """Let each search work in a thread of its own, the first in this one; raise what one raises.

    ``threading.Thread`` would first wait until each runs, for a third of a millisecond.
    """
    raised: list[BaseException] = []
    running: list[Lock] = []  # locks that their threads release

    def guarded(search: Search) -> None:
        try:
            work(search)
        except BaseException as error:
            raised.append(error)
            stop.set()

    def thread(search: Search, lock: Lock) -> None:
        guarded(search)
        lock.release()

    def wait() -> None:
        for lock in running:
            with lock:
                pass

    try:
        for search in searches[1:]:
            lock = Lock()
            lock.acquire()
            start_new_thread(thread, (search, lock))
            running.append(lock)
        guarded(searches[0])
        wait()
    finally:  # Ctrl-C comes while waiting too
        stop.set()
        wait()
    if raised:
        raise raised[0]


def verify(deal: Deal | str, rules: Rules | str | Mapping[str, Any], moves: Iterable[Move]) -> int:
    """Replay a play by the rules, with the plain-Python engine, and say how many cards are left.

    Raises:
        DealError, RulesError: if the deal or the rules are not valid.
        IllegalMove: if the rules do not allow the play.

    >>> verify("4 6 J", "decade", [Move(3, 0, (0, 1), 10)])
    1
    """
    rules = Rules.of(rules)
    if isinstance(deal, str):
        deal = Deal.parse(deal, face_values=rules.face_values)
    return replay(deal.values(rules.face_values), rules, moves, deal.layout)


__all__ = [
    "MEMORY_LIMIT",
    "VERDICTS",
    "Counts",
    "DealError",
    "IllegalMove",
    "Result",
    "Solutions",
    "Verdict",
    "solve",
    "solve_many",
    "verify",
]
