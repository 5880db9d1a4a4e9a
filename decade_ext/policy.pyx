"""Playing deals by a fixed policy that does not see the stock, many a second.

The rules are those of :mod:`decade_ext.position`; what a policy takes is said in :mod:`decade.play`, the
plain engine that this one is compared with. What makes it fast: a pile that held no legal set when it
was looked at last need not be looked at again, and if it only got a card since, every legal set contains
that card. For a set without it lay in the pile as it was, with the same first card, and was legal then.

    CLEAN   no legal set              GREW   clean, then one card on top            DIRTY   not known

After a set is taken the pile is dirty, but for one case: a straight pile with ``reach`` any that grew. The
set was a suffix, what is left is part of the pile as it was clean, and so it is clean again.

The random policy needs numbers that belong to the deal alone. Those of deal I of seed S are the words,
in their order, of the Philox4x64-10 stream with the key (S, 2) and the counter I 2^64 (as NumPy counts:
its ``Philox(key=S + 2**65, counter=I << 64)``); deals themselves are made with the keys (S, 0) and
(S, 1). A choice among k > 1 sets, in the order of pile, first card and number of cards, uses up one word x
and takes set floor(k x / 2^64), counted from 0: uniform up to k / 2^64. A lone set uses up none.
"""

cimport cython
from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from decade_ext.budget cimport Budget, release, resize
from decade_ext.memo cimport (
    FULL, KEY_WORDS, KNOWN, MEMO_UNLIMITED, Looked, Memo, memo_free, memo_look, memo_start,
)
from decade_ext.position cimport (
    CARDS, NO_PILE, PILES, REACH_ANY, REACH_TOP, Position, Rules, Run,
    deal_card, eliminated, list_runs, on_table, set_rules, start_position, stock_left, take_run, write_key,
)


cdef extern from *:
    """
    typedef struct { uint64_t seed, index, block, word[4]; int used; } decade_words;

    /* Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). */
    static uint64_t decade_next_word(decade_words *words) {
        if (words->used == 4) {
            uint64_t key0 = words->seed, key1 = 2;
            uint64_t x0 = ++words->block, x1 = words->index, x2 = 0, x3 = 0;
            for (int round = 0; round < 10; round++) {
                unsigned __int128 a = (unsigned __int128)0xD2E7470EE14C6C93ULL * x0;
                unsigned __int128 b = (unsigned __int128)0xCA5A826395121157ULL * x2;
                x0 = (uint64_t)(b >> 64) ^ x1 ^ key0;
                x1 = (uint64_t)b;
                x2 = (uint64_t)(a >> 64) ^ x3 ^ key1;
                x3 = (uint64_t)a;
                key0 += 0x9E3779B97F4A7C15ULL;
                key1 += 0xBB67AE8584CAA73BULL;
            }
            words->word[0] = x0, words->word[1] = x1, words->word[2] = x2, words->word[3] = x3;
            words->used = 0;
        }
        return words->word[words->used++];
    }

    static uint64_t decade_below(decade_words *words, uint64_t count) {
        return (uint64_t)(((unsigned __int128)decade_next_word(words) * count) >> 64);
    }
    """
    ctypedef struct Words "decade_words":
        uint64_t seed
        uint64_t index
        uint64_t block      # blocks of four words made so far
        int used            # words of the last block used up

    uint64_t random_below "decade_below"(Words* words, uint64_t count) noexcept nogil

POLICIES = ("front", "back", "longest", "shortest", "random")
OUTCOMES = ("lost", "won", "draw")


cdef enum Policy:
    FRONT, BACK, LONGEST, SHORTEST, RANDOM

cdef enum Outcome:
    LOST, WON, DRAW, NO_MEMORY

cdef enum State:
    DIRTY, GREW, CLEAN

cdef enum:
    QUEUE = 4096                    # discards that fit before the queue is moved down
    MEMORY = 1 << 30
    RUNS = CARDS * CARDS            # no position has more: all piles together hold CARDS cards


cdef struct Table:
    Position at
    State state[PILES]
    Run runs[RUNS]
    uint8_t queue[QUEUE]
    uint64_t key[KEY_WORDS]
    Words words


cdef inline bint comes_before(Run a, Run b) noexcept nogil:
    return a.start < b.start or a.start == b.start and a.count < b.count


cdef size_t list_pile(Table* table, const Rules* rules, int pile, size_t found) noexcept nogil:
    """Add the legal sets of a live pile, in order, and note what is known of it now."""
    cdef State state = table.state[pile]
    cdef Run* runs = table.runs
    cdef Run run
    cdef size_t first = found, i, j
    if state == CLEAN:
        return found
    found += list_runs(
        &table.at, rules, pile, REACH_TOP if state == GREW else rules.reach, runs + found
    )
    if found == first:
        table.state[pile] = CLEAN
    for i in range(first + 1, found):
        run = runs[i]
        j = i
        while j > first and comes_before(run, runs[j - 1]):
            runs[j] = runs[j - 1]
            j -= 1
        runs[j] = run
    return found


cdef size_t list_sets(Table* table, const Rules* rules, bint all_piles) noexcept nogil:
    """List the legal sets in order; those of the leftmost pile that has any unless ``all_piles``."""
    cdef Position* at = &table.at
    cdef int first = 0, end = rules.piles, pile
    cdef bint empty = stock_left(at, rules) == 0
    cdef size_t found = 0
    if at.last == NO_PILE or at.left == 0:
        return 0
    if not empty and not rules.optional:
        first, end = at.last, at.last + 1
    for pile in range(first, end):
        if empty or at.received[pile] >= rules.opening:
            found = list_pile(table, rules, pile, found)
            if found and not all_piles:
                break
    return found


cdef inline long rank(const Table* table, Run run, Policy policy) noexcept nogil:
    """Order sets by what the policy wants, then more cards, then nearer to the front."""
    cdef int size = table.at.size[run.pile], beyond = max(0, run.start + run.count - size), first
    if policy == FRONT:
        first = run.count if run.start == 0 else beyond
    elif policy == BACK:
        first = run.count - beyond if run.start + run.count >= size else 0
    else:
        first = run.count if policy == LONGEST else -run.count
    return (first * (CARDS + 1) + run.count) * (CARDS + 1) - run.start


cdef Run choose(Table* table, size_t found, Policy policy) noexcept nogil:
    cdef Run run = table.runs[0]
    cdef size_t i
    if policy == RANDOM:
        return table.runs[random_below(&table.words, found)] if found > 1 else run
    for i in range(1, found):
        if rank(table, table.runs[i], policy) > rank(table, run, policy):
            run = table.runs[i]
    return run


cdef void discard(Table* table, const Rules* rules, Policy policy) noexcept nogil:
    """Play a discard phase."""
    cdef Position* at = &table.at
    cdef size_t found
    cdef Run run
    while True:
        found = list_sets(table, rules, policy == RANDOM)
        if found == 0:
            return
        run = choose(table, found, policy)
        if at.gone + run.count > QUEUE:
            memmove(at.queue, at.queue + at.head, at.gone - at.head)
            at.gone -= at.head
            at.head = 0
        take_run(at, rules, run)
        if table.state[run.pile] == GREW and rules.reach == REACH_ANY and not rules.wrap:
            table.state[run.pile] = CLEAN
        else:
            table.state[run.pile] = DIRTY


cdef Looked look(Table* table, const Rules* rules, Memo* memo, Budget* budget) noexcept nogil:
    """Ask whether the position has been before; the next pile counts, not the last one."""
    cdef Position* at = &table.at
    cdef int last = at.last, pile = last
    cdef uint32_t number
    cdef Looked looked
    if last != NO_PILE:
        while True:
            at.last = pile
            pile = pile + 1 if pile < rules.piles - 1 else 0
            if not eliminated(at, rules, pile):
                break
    looked = memo_look(memo, budget, table.key, write_key(at, rules, False, table.key), &number)
    at.last = last
    return looked


cdef Outcome play(
    Table* table, const Rules* rules, Policy policy, Memo* memo, Budget* budget
) noexcept nogil:
    """Play the deal that lies in the queue."""
    cdef Position* at = &table.at
    cdef Looked looked
    start_position(at, rules)
    memset(table.state, 0, sizeof(table.state))
    if rules.recycle and not memo_start(memo, budget):
        return NO_MEMORY
    while True:
        discard(table, rules, policy)
        if at.left == 0:
            return WON
        if stock_left(at, rules) == 0:
            return WON if not rules.recycle and on_table(at) <= rules.target else LOST
        if rules.recycle:
            looked = look(table, rules, memo, budget)
            if looked == FULL:
                return NO_MEMORY
            if looked == KNOWN:
                return DRAW
        deal_card(at, rules)
        table.state[at.last] = GREW if table.state[at.last] == CLEAN else DIRTY


@cython.final
cdef class Player:
    """Plays deals under one rule set; for one thread at a time."""

    cdef Rules rules
    cdef Budget budget
    cdef Memo memo
    cdef Table* table
    cdef uint32_t* totals

    def __cinit__(
        self, *, totals, int min_cards, int max_cards, bint wrap, str reach, int piles,
        uint32_t opening, bint optional, bint recycle, int target,
    ):
        if not 1 <= piles <= PILES or not totals:
            raise ValueError("piles or totals out of range")
        cdef Rules* rules = &self.rules
        memset(&self.budget, 0, sizeof(Budget))
        memset(&self.memo, 0, sizeof(Memo))
        self.memo.few = MEMO_UNLIMITED
        self.budget.byte_limit = MEMORY
        self.table = <Table*>resize(&self.budget, NULL, 0, sizeof(Table))
        self.totals = <uint32_t*>resize(&self.budget, NULL, 0, len(totals) * sizeof(uint32_t))
        if self.table == NULL or self.totals == NULL:
            raise MemoryError
        memset(self.table, 0, sizeof(Table))
        set_rules(
            rules, self.totals, totals, min_cards, max_cards, wrap, reach, piles, opening, optional,
            recycle, target,
        )

    def __dealloc__(self):
        memo_free(&self.memo, &self.budget)
        release(&self.budget, self.table, sizeof(Table))
        release(&self.budget, self.totals, self.rules.totals * sizeof(uint32_t))

    def play_many(
        self, const uint8_t[:, ::1] values, str policy, uint8_t[::1] outcome, int16_t[::1] remaining,
        *, uint64_t seed=0, uint64_t index=0,
    ):
        """Play a deal a row; the arrays, one item a deal, are filled in. See the stub."""
        cdef Table* table = self.table
        cdef Position* at = &table.at
        cdef Policy chosen = POLICIES.index(policy)
        cdef Outcome result = LOST
        cdef Py_ssize_t deal, deals = values.shape[0]
        cdef int card, n = <int>values.shape[1]
        if not 1 <= n <= CARDS:
            raise ValueError("a deal has 1 to 104 cards")
        if not outcome.shape[0] == remaining.shape[0] == deals:
            raise ValueError("an array for results has another length than there are deals")
        with nogil:
            for deal in range(deals):
                at.n = n
                at.queue = table.queue
                for card in range(n):
                    at.queue[card] = <uint8_t>card
                    at.value[card] = min(<uint32_t>values[deal, card], self.rules.most + 1)
                    at.byte[card] = values[deal, card]
                table.words.seed = seed
                table.words.index = index + deal
                table.words.block = 0
                table.words.used = 4
                result = play(table, &self.rules, chosen, &self.memo, &self.budget)
                if result == NO_MEMORY:
                    break
                outcome[deal] = result
                remaining[deal] = <int16_t>on_table(at)
        if result == NO_MEMORY:
            raise MemoryError("a play went on for too many positions")
