"""Declarations of ``piles.h``: several piles with forced discards, and the budget it spends from."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from decade_ext.budget cimport INTERRUPTED, Budget, poll, release, resize
from decade_ext.position cimport CARDS, Rules


cdef extern from "effort.h" nogil:
    enum:
        EFFORT_TOO_WIDE

    ctypedef struct effort:
        int64_t nodes
        int64_t node_limit
        int until_poll
        int (*poll)(void*) noexcept nogil
        void* (*resize)(void*, void*, size_t, size_t) noexcept nogil
        void (*release)(void*, void*, size_t) noexcept nogil
        void* owner


cdef extern from "piles.h" nogil:
    enum:
        PREFIX_TOTAL
        PREFIX_WORDS

    ctypedef struct prefix_set:
        uint16_t back
        uint16_t total

    ctypedef struct prefix_rules:
        uint64_t totals
        uint64_t upward
        uint8_t total[PREFIX_TOTAL]
        int sizes
        int min_cards
        int max_cards
        int reach
        int wrap
        int sized

    ctypedef struct piles_move:
        uint8_t pile
        uint8_t dealt
        prefix_set set

    ctypedef struct piles_search:
        prefix_rules rules
        int piles
        int target
        int opening
        int n
        uint8_t value[CARDS]
        effort spent
        void* lines
        void* log
        void* middle
        void* forks
        size_t lines_size
        size_t log_size
        size_t middle_size
        size_t forks_size
        int keep_play
        int best
        int best_moves
        piles_move best_move[CARDS]
        uint8_t best_goes[CARDS]

    int piles_decide(piles_search* search)


cdef inline int kernel_poll(void* budget) noexcept nogil:
    return poll(<Budget*>budget) == INTERRUPTED


cdef inline void* kernel_resize(void* budget, void* block, size_t old, size_t size) noexcept nogil:
    return resize(<Budget*>budget, block, old, size)


cdef inline void kernel_release(void* budget, void* block, size_t size) noexcept nogil:
    release(<Budget*>budget, block, size)


cdef inline void effort_make(effort* spent, Budget* budget) noexcept nogil:
    spent.poll = kernel_poll
    spent.resize = kernel_resize
    spent.release = kernel_release
    spent.owner = budget


cdef inline void effort_open(effort* spent, const Budget* budget) noexcept nogil:
    spent.nodes = budget.nodes
    spent.node_limit = budget.node_limit
    spent.until_poll = budget.until_poll


cdef inline void effort_close(const effort* spent, Budget* budget) noexcept nogil:
    budget.nodes = spent.nodes
    budget.until_poll = spent.until_poll


cdef inline void prefix_make(prefix_rules* made, const Rules* rules) noexcept nogil:
    """Note the rules down; totals that are too great for the kernel are left out."""
    cdef int i
    for i in range(rules.totals):
        if rules.total[i] <= PREFIX_TOTAL:
            made.total[made.sizes] = <uint8_t>rules.total[i]
            made.totals |= <uint64_t>1 << (63 - rules.total[i])
            made.upward |= <uint64_t>1 << rules.total[i]
            made.sizes += 1
    made.min_cards = rules.min_cards
    made.max_cards = rules.max_cards
    made.reach = rules.reach
    made.wrap = rules.wrap
    made.sized = rules.min_cards > 2 or rules.max_cards < CARDS


cdef inline void piles_make(piles_search* search, const Rules* rules, Budget* budget) noexcept nogil:
    memset(search, 0, sizeof(piles_search))
    prefix_make(&search.rules, rules)
    search.piles = rules.piles
    search.target = rules.target
    search.opening = <int>min(rules.opening, CARDS + 1)
    effort_make(&search.spent, budget)


cdef inline void piles_free(piles_search* search, Budget* budget) noexcept nogil:
    release(budget, search.lines, search.lines_size)
    release(budget, search.log, search.log_size)
    release(budget, search.middle, search.middle_size)
    release(budget, search.forks, search.forks_size)
    search.lines = search.log = search.middle = search.forks = NULL
    search.lines_size = search.log_size = search.middle_size = search.forks_size = 0


cdef inline bint piles_fit(const Rules* rules, uint64_t total_of_deal) noexcept nogil:
    """Say whether this kernel decides such deals (values already cut to ``rules.most`` + 1)."""
    return (
        rules.piles > 1 and not rules.optional and not rules.recycle
        and rules.most <= PREFIX_TOTAL and total_of_deal < 64 * PREFIX_WORDS
    )


cdef inline int piles_spend(
    piles_search* search, Budget* budget, const uint32_t* values, int n
) noexcept nogil:
    """Decide a deal within the budget: an End, or EFFORT_TOO_WIDE."""
    cdef int card, end
    for card in range(n):
        search.value[card] = <uint8_t>values[card]
    search.n = n
    effort_open(&search.spent, budget)
    end = piles_decide(search)
    effort_close(&search.spent, budget)
    return end
