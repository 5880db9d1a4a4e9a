"""The straight line with forced discards: a kernel of its own, for any totals up to 62.

A line of positive values is told by its prefix totals, so it is a bit set. The line 3 5 7 is

    bit   0 . . 3 . . . . 8 . . . . . . 15        (bit 0: nothing; the top bit: the line's total)

Two set bits low < high stand for the run of the cards between them, which totals high - low. Dealing
a card sets a bit above the top one. Before a card lands the line holds no set, so every legal set
contains the new card and ends at the top bit: there is one where the bit ``total`` below the top is set.
The 64 bits up to the top one, the *window*, are all that a turn looks at. Taking the set clears the bits
above its lower end, and then no set is left: what remains was part of the line before the card landed.

The exception is the card with which the line goes live: then any two set bits may enclose a set, and
there may be more after one is taken. That turn scans all pairs.

The key is the number of cards dealt, the top bit's number, and the bits. It is injective: the bits give
the values back, and the top bit's number says how many words there are. Plays can meet only after a
discard, so only then is the memo asked.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from decade_ext.budget cimport DECIDED, GOING_ON, OUT_OF_MEMORY, Budget, End, spend_node
from decade_ext.memo cimport FULL, NEW, Looked, Memo, memo_look
from decade_ext.position cimport CARDS, Rules


cdef extern from *:
    int popcount64 "__builtin_popcountll"(unsigned long long) nogil
    int zeros_above64 "__builtin_clzll"(unsigned long long) nogil


cdef enum:
    LINE_TOTAL = 62             # the greatest total: a value one more still fits the window
    LINE_WORDS = 19             # word 0 is below the line and the last above it; both stay zero
    LINE_SUM = 64 * (LINE_WORDS - 2) - 1    # the greatest sum of a deal, bounding every top bit


cdef struct Taken:
    # A set of the line: after how many cards dealt, and the prefix totals around it.
    int32_t dealt
    int32_t low
    int32_t high


cdef struct Choice:
    # A turn with sets still to be tried, and the line as it lay.
    uint64_t bits[LINE_WORDS]
    uint64_t sets               # those sets, by the window's bits; none in the turn of going live,
    int32_t low                 # where the pair tried last is what to go on from
    int32_t high
    int32_t dealt
    int32_t top
    int32_t taken


cdef struct Line:
    int n
    uint32_t value[CARDS]       # by card; at most one more than the greatest total
    uint64_t totals             # bit 63 - t for each total t
    int dealt
    int top
    int taken                   # sets taken in this play
    int choices                 # turns with sets still to be tried
    int best                    # the smallest remainder so far, and the play that leaves it
    int best_taken
    uint64_t bits[LINE_WORDS]   # prefix total t is bit t % 64 of word 1 + t / 64
    Taken play[CARDS]
    Taken best_play[CARDS]
    Choice choice[2 * CARDS]


cdef inline bint line_fits(const Rules* rules, uint64_t total_of_deal) noexcept nogil:
    """Say whether this kernel decides such deals (values already cut to ``rules.most`` + 1)."""
    return (
        rules.piles == 1 and not rules.wrap and rules.reach == 0 and not rules.optional
        and rules.most <= LINE_TOTAL and total_of_deal <= LINE_SUM
    )


cdef inline uint64_t line_window(const Line* line) noexcept nogil:
    """Give the 64 bits up to the top one, which comes out as bit 63."""
    cdef int word = 1 + (line.top >> 6), shift = line.top & 63
    return line.bits[word] << (63 - shift) | line.bits[word - 1] >> shift >> 1


cdef inline uint64_t line_sets(const Line* line, const Rules* rules) noexcept nogil:
    """Find the sets that end at the top: bit 63 - total for each."""
    cdef uint64_t window = line_window(line), sets = window & line.totals, left = sets, lowest
    cdef int cards
    if rules.min_cards <= 2 and rules.max_cards == CARDS:
        if rules.min_cards == 2:    # the last card alone is none
            sets &= ~(<uint64_t>1 << 63 >> line.value[line.dealt - 1])
        return sets
    while left:
        lowest = left & -left
        cards = popcount64(window & -lowest) - 1
        if cards < rules.min_cards or cards > rules.max_cards:
            sets ^= lowest
        left ^= lowest
    return sets


cdef inline bint line_next_pair(
    const Line* line, const Rules* rules, int32_t* low, int32_t* high
) noexcept nogil:
    """Find the next set anywhere in the line, in the order of (low, high); False if there is none."""
    cdef int bottom, end, cards
    for bottom in range(max(low[0], 0), line.top):
        if not line.bits[1 + (bottom >> 6)] >> (bottom & 63) & 1:
            continue
        cards = 0
        for end in range(bottom + 1, min(bottom + <int>rules.most, line.top) + 1):
            if not line.bits[1 + (end >> 6)] >> (end & 63) & 1:
                continue
            cards += 1
            if cards > rules.max_cards:
                break
            if bottom == low[0] and end <= high[0] or cards < rules.min_cards:
                continue
            if line.totals >> (63 - (end - bottom)) & 1:
                low[0], high[0] = bottom, end
                return True
    return False


cdef inline void line_take(Line* line, int low, int high) noexcept nogil:
    """Discard the run between two set bits: what is above comes down, what was between goes."""
    cdef int word, total = high - low, first = 1 + (low >> 6)
    cdef uint64_t keep = ((<uint64_t>2) << (low & 63)) - 1, lowered
    for word in range(first, 2 + (line.top >> 6)):
        lowered = line.bits[word] >> total | line.bits[word + 1] << (64 - total)
        line.bits[word] = (line.bits[word] & keep) | (lowered & ~keep)
        keep = 0
    cdef Taken* taken = &line.play[line.taken]
    taken.dealt, taken.low, taken.high = line.dealt, low, high
    line.taken += 1
    line.top -= total


cdef inline int line_remaining(const Line* line) noexcept nogil:
    cdef int word, cards = -1
    for word in range(1, 2 + (line.top >> 6)):
        cards += popcount64(line.bits[word])
    return cards


cdef inline Looked line_look(const Line* line, Memo* memo, Budget* budget) noexcept nogil:
    cdef uint64_t key[LINE_WORDS]
    cdef uint32_t id
    cdef int words = 1 + (line.top >> 6)
    key[0] = <uint64_t>line.dealt | <uint64_t>line.top << 8
    memcpy(key + 1, line.bits + 1, words * sizeof(uint64_t))
    return memo_look(memo, budget, key, words + 1, &id)


cdef inline Choice* line_push(Line* line) noexcept nogil:
    """Remember the line as it lies, to come back to it."""
    cdef Choice* choice = &line.choice[line.choices]
    memcpy(choice.bits, line.bits, (2 + (line.top >> 6)) * sizeof(uint64_t))
    choice.dealt, choice.top, choice.taken = line.dealt, line.top, line.taken
    line.choices += 1
    return choice


cdef inline void line_return(Line* line, const Choice* choice) noexcept nogil:
    """Lay the line as it lay at a choice (words above the top one are zero)."""
    cdef int words = 2 + (choice.top >> 6), now = 2 + (line.top >> 6)
    memcpy(line.bits, choice.bits, words * sizeof(uint64_t))
    if now > words:
        memset(line.bits + words, 0, (now - words) * sizeof(uint64_t))
    line.dealt, line.top, line.taken = choice.dealt, choice.top, choice.taken


cdef inline bint line_find_set(Line* line, const Rules* rules, int* low, int* high) noexcept nogil:
    """Deal until a set can be taken, and keep the turn's other sets for later.

    False if the stock is empty and nothing can be taken.
    """
    cdef int live = <int>min(rules.opening, <uint32_t>line.n)
    cdef uint64_t sets
    cdef Choice* choice
    cdef int shortest
    while True:
        if line.dealt == live:
            choice = line_push(line)
            choice.sets = 0
            choice.low = choice.high = -1
            if line_next_pair(line, rules, &choice.low, &choice.high):
                low[0], high[0] = choice.low, choice.high
                return True
            line.choices -= 1
        if line.dealt == line.n:
            return False
        line.top += line.value[line.dealt]
        line.bits[1 + (line.top >> 6)] |= <uint64_t>1 << (line.top & 63)
        line.dealt += 1
        if line.dealt > live:
            sets = line_sets(line, rules)
            if sets:
                shortest = zeros_above64(sets)
                low[0], high[0] = line.top - shortest, line.top
                sets ^= <uint64_t>1 << 63 >> shortest
                if sets:
                    line_push(line).sets = sets
                return True


cdef inline bint line_come_back(Line* line, const Rules* rules, int* low, int* high) noexcept nogil:
    """Go back to the last turn with a set still to be tried; False if there is none."""
    cdef Choice* choice
    cdef int shortest
    while line.choices:
        choice = &line.choice[line.choices - 1]
        line_return(line, choice)
        if choice.sets:
            shortest = zeros_above64(choice.sets)
            low[0], high[0] = line.top - shortest, line.top
            choice.sets ^= <uint64_t>1 << 63 >> shortest
            if choice.sets == 0:
                line.choices -= 1
            return True
        if line_next_pair(line, rules, &choice.low, &choice.high):
            low[0], high[0] = choice.low, choice.high
            return True
        line.choices -= 1
    return False


cdef inline End line_search(
    Line* line, const Rules* rules, Memo* memo, Budget* budget, bint keep_play
) noexcept nogil:
    """Explore all choices depth first, stopping at the first win; ``best`` is the result.

    The caller sets n, value and totals.
    """
    cdef int left, low = 0, high = 0
    cdef Looked looked
    cdef End end
    memset(line.bits, 0, sizeof(line.bits))
    line.bits[1] = 1
    line.dealt = line.top = line.taken = line.choices = line.best_taken = 0
    line.best = line.n + 1
    while True:
        if not line_find_set(line, rules, &low, &high):
            left = line_remaining(line)
            if left < line.best:
                line.best = left
                if keep_play:
                    line.best_taken = line.taken
                    memcpy(line.best_play, line.play, line.taken * sizeof(Taken))
                if left <= rules.target:
                    return DECIDED
            if not line_come_back(line, rules, &low, &high):
                return DECIDED
        while True:
            line_take(line, low, high)
            end = spend_node(budget)
            if end != GOING_ON:
                return end
            looked = line_look(line, memo, budget)
            if looked == NEW:
                break
            if looked == FULL:
                return OUT_OF_MEMORY
            if not line_come_back(line, rules, &low, &high):
                return DECIDED
