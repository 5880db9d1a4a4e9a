"""A position of any rule set: what lies where, which sets are legal, how to move and take back.

    queue   | dealt ......... | stock ........ | discards, in the order they went |
            0                 head             n                               gone

Cards are named by their place in the deal. The queue starts as the deal; discards are put at its
end. With ``recycle`` the stock reaches to ``gone``, so discards come round again; without it ends at
``n``. Either way the cards of the last discard are at the end of the queue, which is all that taking
it back needs. Piles are arrays of card numbers, their last card at the top.

The key is a string of bytes, padded with zeros to whole words:

    | head or stock left | last, after a deal | cards, live of each pile | values in each (and the stock)

Why it is injective: the first bytes, of which there is a fixed number under one rule set, give the
length of every part that follows. A byte stands for a point value. Without recycling ``head`` says
what the stock holds. A pile that is not live has had as many cards as it holds, for nothing was ever
taken from it, so one bit beside its size tells min(cards received, opening); only where the stock is
empty may a set be taken from a pile that has had fewer than ``opening`` cards, and there the number
received no longer matters, while with recycling the number itself is part of the key.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from decade_ext.memo cimport KEY_WORDS


cdef enum:
    CARDS = 104
    PILES = 52
    TOTAL_WORDS = 64
    TOTAL_BITS = 64 * 64    # totals below this are looked up in a bit set, others searched for
    NO_PILE = 255

cdef enum Reach:
    REACH_ANY, REACH_TOP, REACH_ENDS


cdef struct Rules:
    int piles
    int min_cards
    int max_cards           # CARDS where there is no limit
    int reach
    bint wrap
    bint optional
    bint recycle
    uint32_t opening
    int target
    uint32_t most           # the greatest total
    int totals              # how many totals there are
    const uint32_t* total   # ascending
    uint64_t small[TOTAL_WORDS]


cdef inline set_rules(
    Rules* rules, uint32_t* room, totals, int min_cards, int max_cards, bint wrap, str reach, int piles,
    uint32_t opening, bint optional, bint recycle, int target,
):
    """Fill rules in from their fields as Python has them; ``room`` holds the totals."""
    memset(rules, 0, sizeof(Rules))
    rules.piles = piles
    rules.min_cards = min(min_cards, CARDS + 1)
    rules.max_cards = min(max_cards, CARDS) if max_cards else CARDS
    rules.reach = {"any": REACH_ANY, "top": REACH_TOP, "ends": REACH_ENDS}[reach]
    rules.wrap = wrap
    rules.optional = optional
    rules.recycle = recycle
    rules.opening = opening
    rules.target = target
    for i, total in enumerate(sorted(totals)):
        room[<Py_ssize_t>i] = rules.most = total
        if total < TOTAL_BITS:
            rules.small[<Py_ssize_t>(total >> 6)] |= <uint64_t>1 << (total & 63)
    rules.total = room
    rules.totals = <int>len(totals)


cdef struct Run:
    # ``count`` cards of ``pile`` from place ``start`` on, round the seam if they reach beyond it.
    uint8_t pile
    uint8_t start
    uint8_t count


cdef struct Step:
    # A set taken, or (count 0) a card dealt to ``pile`` while ``last`` was dealt to before it.
    uint8_t pile
    uint8_t start
    uint8_t count
    uint8_t last


cdef struct Position:
    int n
    int last                # the pile that was dealt to last, NO_PILE before the first card
    int left                # piles that are not eliminated
    size_t head
    size_t gone
    uint8_t* queue          # grows with the discards; the search owns it
    uint32_t value[CARDS]   # by card; at most one more than the greatest total
    uint8_t byte[CARDS]     # by card: a number for its value, for keys
    uint32_t received[PILES]
    uint8_t size[PILES]
    uint8_t pile[PILES][CARDS]


cdef inline bint is_total(const Rules* rules, uint32_t total) noexcept nogil:
    cdef int low = 0, high = rules.totals, middle
    if total < TOTAL_BITS:
        return rules.small[total >> 6] >> (total & 63) & 1
    while low < high:
        middle = (low + high) >> 1
        if rules.total[middle] < total:
            low = middle + 1
        else:
            high = middle
    return low < rules.totals and rules.total[low] == total


cdef inline size_t stock_left(const Position* at, const Rules* rules) noexcept nogil:
    return (at.gone if rules.recycle else <size_t>at.n) - at.head


cdef inline int on_table(const Position* at) noexcept nogil:
    return <int>(at.head + at.n - at.gone)


cdef inline bint eliminated(const Position* at, const Rules* rules, int pile) noexcept nogil:
    return rules.piles > 1 and at.size[pile] == 0 and at.received[pile] > 0


cdef inline void start_position(Position* at, const Rules* rules) noexcept nogil:
    """Set everything up but the deal itself (n, queue, value, byte)."""
    at.last = NO_PILE
    at.left = rules.piles
    at.head = 0
    at.gone = at.n
    memset(at.received, 0, rules.piles * sizeof(uint32_t))
    memset(at.size, 0, rules.piles)


cdef inline void lay_table(
    Position* at, const Rules* rules, const uint8_t* sizes, const uint32_t* received, int next
) noexcept nogil:
    """Put the deal's first cards into the piles, as in a game that is gone on with."""
    cdef int pile, card
    at.last = next - 1 if next else rules.piles - 1
    for pile in range(rules.piles):
        at.received[pile] = received[pile]
        at.size[pile] = sizes[pile]
        for card in range(sizes[pile]):
            at.pile[pile][card] = at.queue[at.head + card]
        at.head += sizes[pile]
        if eliminated(at, rules, pile):
            at.left -= 1


cdef inline Step deal_card(Position* at, const Rules* rules) noexcept nogil:
    """Deal the next card; the stock must not be empty and a pile must be left."""
    cdef Step step
    cdef int pile = at.last
    step.last = <uint8_t>pile
    while True:
        pile = pile + 1 if pile < rules.piles - 1 else 0
        if not eliminated(at, rules, pile):
            break
    at.pile[pile][at.size[pile]] = at.queue[at.head]
    at.size[pile] += 1
    at.received[pile] += 1
    at.head += 1
    at.last = pile
    step.pile = <uint8_t>pile
    step.start = step.count = 0
    return step


cdef inline Step take_run(Position* at, const Rules* rules, Run run) noexcept nogil:
    """Take a set; the queue must have room for its cards."""
    cdef Step step
    cdef uint8_t* cards = at.pile[run.pile]
    cdef int size = at.size[run.pile]
    cdef int over = run.start + run.count - size     # cards beyond the seam
    if over > 0:    # they lie first in the pile, so they go first
        memcpy(at.queue + at.gone, cards, over)
        memcpy(at.queue + at.gone + over, cards + run.start, size - run.start)
        memmove(cards, cards + over, run.start - over)
    else:
        memcpy(at.queue + at.gone, cards + run.start, run.count)
        memmove(cards + run.start, cards + run.start + run.count, -over)
    at.gone += run.count
    at.size[run.pile] = <uint8_t>(size - run.count)
    if eliminated(at, rules, run.pile):
        at.left -= 1
    step.pile, step.start, step.count, step.last = run.pile, run.start, run.count, 0
    return step


cdef inline void take_back(Position* at, const Rules* rules, Step step) noexcept nogil:
    """Undo the last step."""
    cdef uint8_t* cards = at.pile[step.pile]
    cdef int size = at.size[step.pile] + step.count, over
    if step.count == 0:
        at.size[step.pile] -= 1
        at.received[step.pile] -= 1
        at.head -= 1
        at.last = step.last
        return
    if eliminated(at, rules, step.pile):
        at.left += 1
    at.size[step.pile] = <uint8_t>size
    at.gone -= step.count
    over = step.start + step.count - size
    if over > 0:
        memmove(cards + over, cards, step.start - over)
        memcpy(cards, at.queue + at.gone, over)
        memcpy(cards + step.start, at.queue + at.gone + over, size - step.start)
    else:
        memmove(cards + step.start + step.count, cards + step.start, -over)
        memcpy(cards + step.start, at.queue + at.gone, step.count)


cdef inline size_t runs_at_most(const Position* at, int pile) noexcept nogil:
    """How many runs a pile can have: a start and a count for each."""
    return <size_t>at.size[pile] * at.size[pile]


cdef inline size_t put_run(
    const Rules* rules, Run* out, int pile, int start, int count, uint32_t total
) noexcept nogil:
    """Write a run down if its total and number of cards make it a set; say how many were written."""
    if count < rules.min_cards or not is_total(rules, total):
        return 0
    out.pile, out.start, out.count = <uint8_t>pile, <uint8_t>start, <uint8_t>count
    return 1


cdef inline size_t list_runs(
    const Position* at, const Rules* rules, int pile, int reach, Run* out
) noexcept nogil:
    """List the sets of a live pile that ``reach`` allows, each once; ``out`` has room for runs_at_most().

    A running total that has passed the greatest total ends a scan: values are positive. The whole
    loop is one set, listed as the straight run that it also is.
    """
    cdef const uint8_t* cards = at.pile[pile]
    cdef int size = at.size[pile], longest = min(size, rules.max_cards), start, end
    cdef uint32_t total, round
    cdef size_t found = 0
    if size == 0:
        return 0
    if reach == REACH_ANY:    # straight runs that do not reach the last card
        for start in range(size - 1):
            total = 0
            for end in range(start + 1, min(start + longest, size - 1) + 1):
                total += at.value[cards[end - 1]]
                if total > rules.most:
                    break
                found += put_run(rules, out + found, pile, start, end - start, total)
    elif reach == REACH_ENDS:     # those of them that start at the first card
        total = 0
        for end in range(1, min(longest, size - 1) + 1):
            total += at.value[cards[end - 1]]
            if total > rules.most:
                break
            found += put_run(rules, out + found, pile, 0, end, total)
    total = 0
    for start in range(size - 1, size - longest - 1, -1):   # runs that do, and those over the seam
        total += at.value[cards[start]]
        if total > rules.most:
            break
        found += put_run(rules, out + found, pile, start, size - start, total)
        if rules.wrap:
            round = total
            for end in range(1, min(longest - (size - start), start - 1) + 1):
                round += at.value[cards[end - 1]]
                if round > rules.most:
                    break
                found += put_run(rules, out + found, pile, start, size - start + end, round)
    return found


cdef inline int write_key(
    const Position* at, const Rules* rules, bint after_deal, uint64_t* key
) noexcept nogil:
    """Write the key of the position down; say how many words it has."""
    cdef uint8_t* out = <uint8_t*>key
    cdef int pile, i
    cdef size_t place, stock = stock_left(at, rules)
    cdef uint32_t received
    out[0] = <uint8_t>(stock if rules.recycle else at.head)
    out[1] = <uint8_t>(at.last | after_deal << 7)
    out += 2
    for pile in range(rules.piles):
        received = min(at.received[pile], rules.opening)
        out[0] = at.size[pile]
        if rules.recycle:
            memcpy(out + 1, &received, sizeof(uint32_t))
            out += 1 + sizeof(uint32_t)
        else:
            out[0] |= (received == rules.opening) << 7
            out += 1
    for pile in range(rules.piles):
        for i in range(at.size[pile]):
            out[i] = at.byte[at.pile[pile][i]]
        out += at.size[pile]
    if rules.recycle:
        for place in range(stock):
            out[place] = at.byte[at.queue[at.head + place]]
        out += stock
    memset(out, 0, 8)
    return <int>((out - <uint8_t*>key + 7) >> 3)
