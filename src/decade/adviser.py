"""Choices in a game whose stock cannot be seen, weighed by the search in random orders of it.

The cards that are neither on the table nor gone are the stock, in an unknown order. Orders are
drawn, each choice is followed by the search in every one of them, and what is counted is how often
the game can be won then. The orders are the same for all choices: luck in the draw favours none.

The search sees the stock, so the chances are those of a player who from the next choice on knows
what comes, which is more than anyone knows. What is compared is how much each choice leaves open.

Order i of a stock of u cards is made of the words u i to u i + u - 1, counted from 0, of the stream
that NumPy's ``Philox`` makes with the key S + 3 2^64 (deals and the random policy have keys below)
and the counter I 2^64 + T 2^128: of seed S, deal I in a survey (otherwise 0), and its T-th choice,
from 0. Of the cards sorted by value, that with the place of the least word comes first, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from decade.play import Game, Run, Standing
from decade.rules import Discard, Reach, Rules
from decade.solver import MEMORY_LIMIT, VERDICTS, Verdict, new_search, searched_as
from decade_ext.search import Search, Stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WON = VERDICTS.index(Verdict.WINNABLE)
_KEY = 3 << 64

Choice = Run | None
"""A set to take, or None for leaving what lies, and dealing on."""


def words_for(seed: int, index: int = 0, turn: int = 0) -> np.random.Philox:
    """Make the stream that orders are drawn from."""
    import numpy as np  # noqa: PLC0415 (slow)

    return np.random.Philox(key=seed + _KEY, counter=(turn << 128) + (index << 64))


def sampled_decks(
    values: Sequence[int], unseen: Sequence[int], words: np.random.Philox, samples: int
) -> NDArray[np.uint8]:
    """Deal the unseen cards out in random orders; the order that they have does not matter.

    Args:
        values: what each card counts, by its number.
        unseen: the numbers of the unseen cards.
        words: where the random numbers are from.
        samples: how many orders.

    Returns:
        uint8 array of shape (samples, cards): what each card counts in each order.
    """
    import numpy as np  # noqa: PLC0415 (slow)

    decks = np.tile(np.array(values, np.uint8), (samples, 1))
    if unseen:
        drawn = words.random_raw(samples * len(unseen)).reshape(samples, -1)
        pool = np.sort(decks[0, list(unseen)])
        decks[:, list(unseen)] = pool[drawn.argsort(axis=1, kind="stable")]
    return decks


class Adviser:
    """Says what a choice leads to in given orders of the stock; for one thread at a time."""

    def __init__(
        self,
        rules: Rules,
        *,
        node_limit: int | None = None,
        memory_limit: int = MEMORY_LIMIT,
        stop: Stop | None = None,
    ) -> None:
        self.rules = rules
        self.limits = node_limit, memory_limit
        self.stop = Stop() if stop is None else stop
        self.searches: dict[Rules, Search] = {}
        # In one straight line a set that is left can be taken later, for its cards stay neighbours:
        # whatever can be won after taking it can be won after leaving it.
        self.patient = (
            rules.discard is Discard.OPTIONAL
            and rules.piles == 1
            and not rules.wrap
            and rules.reach is Reach.ANY
        )

    def choices(self, game: Game, state: Standing) -> list[Choice]:
        """List what a player may do, sets before leaving them; nothing where there is no set."""
        runs: list[Choice] = list(game.legal_sets(state))
        return [*runs, None] if runs and self.rules.discard is Discard.OPTIONAL else runs

    def weigh(
        self, game: Game, state: Standing, choice: Choice, decks: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """Find the verdict after a choice for each of the decks.

        Args:
            game: the game; of its values only those on the table matter.
            state: where it stands.
            choice: a legal set, or None to leave what lies.
            decks: what each card counts, shape (samples, cards), alike for those on the table.
        """
        import numpy as np  # noqa: PLC0415 (slow)

        over = False
        if choice is not None:
            state = game.take(state, choice)
        elif self.rules.discard is Discard.OPTIONAL:
            over = not state.stock
            state = state if over else game.deal(state)
        verdict = np.full(len(decks), VERDICTS.index(Verdict.UNWINNABLE), np.uint8)
        if over or not state.cards or game.cleared(state):
            if game.won(state):
                verdict[:] = WON
            return verdict
        values = decks.take(state.cards, axis=1)
        rules, laid = searched_as(values[0].tolist(), self.rules, state.layout)
        remaining, nodes = np.empty(len(decks), np.int16), np.empty(len(decks), np.int64)
        self._search(rules).solve_many(values, verdict, remaining, nodes, layout=laid)
        return verdict

    def _search(self, rules: Rules) -> Search:
        if rules not in self.searches:
            self.searches[rules] = new_search(rules, *self.limits, self.stop)
        return self.searches[rules]

    def waits(self, state: Standing) -> bool:
        """Say whether leaving what lies cannot lose anything, so that no choice is better."""
        return self.patient and bool(state.stock)

    def order(self, state: Standing, choices: Sequence[Choice], wins: Sequence[int]) -> list[int]:
        """Order choices by their wins, the best first, and give their places.

        Ties: more cards, then further to the front, then leaving; but where waiting cannot lose
        anything, leaving comes first.
        """
        waits = self.waits(state)

        def key(at: int) -> tuple[int, ...]:
            run = choices[at]
            return (wins[at], 0, run.size, -run.pile, -run.start) if run else (wins[at], waits)

        return sorted(range(len(choices)), key=key, reverse=True)

    def advised(
        self, game: Game, state: Standing, choices: Sequence[Choice], decks: NDArray[np.uint8]
    ) -> Choice:
        """Give the best choice."""
        wins = [int((self.weigh(game, state, one, decks) == WON).sum()) for one in choices]
        return choices[self.order(state, choices, wins)[0]]


def play_by_advice(
    adviser: Adviser, values: Sequence[int], samples: int, seed: int, index: int
) -> tuple[bool, int]:
    """Play a deal by advice; say whether it is won, and what is left.

    The order of the stock is only looked at when its cards are dealt.

    Args:
        adviser: of rules without recycling.
        values: what each card counts, at most 255, first dealt first.
        samples: how many orders each choice is weighed in.
        seed: that the random numbers are of, with the index and the choice's number.
        index: the deal's.
    """
    game = Game(values, adviser.rules)
    state, turn = game.start(), 0
    while True:
        while choices := adviser.choices(game, state):
            chosen = choices[0]
            if adviser.waits(state):
                chosen = None
            elif len(choices) > 1:
                draws = samples if len(state.stock) > 1 else 1
                decks = sampled_decks(values, state.stock, words_for(seed, index, turn), draws)
                chosen, turn = adviser.advised(game, state, choices, decks), turn + 1
            if chosen is None:
                break
            state = game.take(state, chosen)
        if not state.stock or game.cleared(state):
            return game.won(state), game.remaining(state)
        state = game.deal(state)
