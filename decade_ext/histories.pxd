"""Several straight piles with optional discards: a search over which pile is emptied when.

Between eliminations the piles do not touch each other, and no set in a pile need be taken before the pile
is to be emptied or the stock is out: sets may be left lying, and those that can leave together stay so
while cards are added behind them. So a play is told by its *history*, the piles emptied and when, and it is
enough to empty a pile right before a card would be dealt to it, for only then does it matter. A pile can be
emptied if it is live and all its cards can leave; what is left at the end is the least that
each remaining pile can leave, each by itself. Both are asked of the interval program.

A level of the search is a history without further eliminations: where each card would go, and at which
cards the pile that would get it could be emptied instead. Each of these is a level below.

    card       0  1  2  3  4  5  6  7  8 ...
    goes to    0  1  2  0  1  2  0  1  2 ...       can: bit per card whose pile may be emptied before it
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from decade_ext.budget cimport DECIDED, GOING_ON, INTERRUPTED, OUT_OF_MEMORY, Budget, End, spend_node
from decade_ext.interval cimport (
    INTERVAL_STOPPED, interval_decide, interval_ends, interval_least, interval_plan, is_removable,
)
from decade_ext.position cimport CARDS, PILES, Rules


cdef struct Level:
    uint8_t pile[CARDS]         # that the card goes to
    uint8_t can[CARDS]          # whether that pile may be emptied before it
    uint64_t gone               # piles emptied, by bit
    int next                    # card at which to look on for an elimination
    int start                   # card at which the last elimination was, 0 if there was none
    int emptied                 # pile emptied then


cdef struct Histories:
    int n
    int best
    int best_depth
    uint32_t value[CARDS]
    Level level[PILES + 1]
    Level best_level[PILES + 1]


cdef inline int histories_lay(
    const Histories* all, const Rules* rules, const interval_plan* plan, Level* level,
    size_t memory
) noexcept nogil:
    """Deal from ``start`` on without eliminations; what is left at the end, or why that cannot be said."""
    cdef uint32_t values[CARDS]
    cdef uint8_t place[CARDS]
    cdef interval_ends removable[CARDS + 1]
    cdef int card, pile, cards, failed, left = 0
    pile = level.emptied if level.gone else rules.piles - 1
    for card in range(level.start, all.n):
        pile = pile + 1 if pile < rules.piles - 1 else 0
        while level.gone >> pile & 1:
            pile = pile + 1 if pile < rules.piles - 1 else 0
        level.pile[card] = <uint8_t>pile
    for pile in range(rules.piles):
        if level.gone >> pile & 1:
            continue
        cards = 0
        for card in range(all.n):
            if level.pile[card] == pile:
                values[cards] = all.value[card]
                place[cards] = <uint8_t>card
                cards += 1
        if cards == 0:
            continue
        failed = interval_decide(plan, values, cards, removable, memory)
        if failed:
            return failed
        left += interval_least(removable, cards, NULL)
        level.can[place[0]] = False
        for card in range(1, cards):
            level.can[place[card]] = (
                <uint32_t>card >= rules.opening and is_removable(removable, 0, card)
            )
    return left


cdef inline End histories_search(
    Histories* all, const Rules* rules, const interval_plan* plan, Budget* budget
) noexcept nogil:
    """Try all histories depth first, stopping at the first win; ``best`` and its levels are the result.

    The caller sets n and value.
    """
    cdef int depth = 0, left, card
    cdef Level* level = &all.level[0]
    cdef End end
    level.gone = 0
    level.start = level.next = level.emptied = 0
    all.best = all.n + 1
    while True:
        end = spend_node(budget)
        if end != GOING_ON:
            return end
        left = 0
        if depth < rules.piles:
            left = histories_lay(all, rules, plan, level, budget.byte_limit - budget.bytes)
        if left < 0:
            return INTERRUPTED if left == INTERVAL_STOPPED else OUT_OF_MEMORY
        if left < all.best:
            all.best = left
            all.best_depth = depth
            memcpy(all.best_level, all.level, (depth + 1) * sizeof(Level))
            if left <= rules.target:
                return DECIDED
        while True:     # to the next elimination, coming back where there is none
            level = &all.level[depth]
            card = level.next
            while card < all.n and not level.can[card]:
                card += 1
            if card < all.n:
                break
            if depth == 0:
                return DECIDED
            depth -= 1
        level.next = card + 1
        depth += 1
        memcpy(all.level[depth].pile, level.pile, card)
        level = &all.level[depth]
        level.gone = all.level[depth - 1].gone | <uint64_t>1 << all.level[depth - 1].pile[card]
        level.emptied = all.level[depth - 1].pile[card]
        level.start = level.next = card
