"""What Python calls: a search for one rule set, which decides deals one by one or by the array.

It owns the memory, chooses the kernel by what the rules are, and turns plays and counts into Python
objects. Everything in between runs without the GIL.
"""

cimport cython
from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from decade_ext.budget cimport (
    DECIDED, INTERRUPTED, OUT_OF_MEMORY, OUT_OF_NODES, POLL_NODES, Budget, End, release, resize,
)
from decade_ext.line cimport Line, Taken, line_fits, line_search
from decade_ext.memo cimport FIRST_SLOTS, MEMO_UNLIMITED, Memo, memo_forget, memo_free
from decade_ext.position cimport (
    CARDS, PILES, REACH_ANY, REACH_ENDS, REACH_TOP, TOTAL_BITS, Rules, Step,
)
from decade_ext.tree cimport Node, Tree, tree_free, tree_search

from fractions import Fraction

MAX_CARDS = CARDS


cdef enum Verdict:
    UNWINNABLE, WINNABLE, UNKNOWN


cdef enum:
    NO_REMAINDER = -1


cdef extern from "Python.h":
    void* PyErr_Occurred() noexcept


cdef int interrupt() except -1:
    """Pass on what a signal handler raised, or say that another thread ended the search."""
    if PyErr_Occurred() != NULL:
        return -1
    raise KeyboardInterrupt


@cython.final
cdef class Stop:
    """A flag that ends searches in other threads."""

    cdef int raised

    def __cinit__(self):
        self.raised = 0

    def set(self):
        """End the searches that were given this flag, within a few thousand nodes."""
        self.raised = 1


@cython.final
cdef class Search:
    """Decides deals under one rule set; for one thread at a time."""

    cdef Rules rules
    cdef Budget budget
    cdef Memo memo
    cdef Line* line
    cdef Tree* tree
    cdef uint32_t* totals
    cdef bint busy
    cdef Stop stop

    def __cinit__(
        self, *, totals, int min_cards, int max_cards, bint wrap, str reach, int piles,
        uint32_t opening, bint recycle, int target, node_limit, size_t memory_limit,
        Stop stop, int memo_entries=MEMO_UNLIMITED,
    ):
        if not 1 <= piles <= PILES or not totals or not MEMO_UNLIMITED <= memo_entries <= FIRST_SLOTS:
            raise ValueError("piles, totals or memo_entries out of range")
        cdef Rules* rules = &self.rules
        cdef size_t fixed = sizeof(Line) + sizeof(Tree) + len(totals) * sizeof(uint32_t)
        memset(rules, 0, sizeof(Rules))
        memset(&self.budget, 0, sizeof(Budget))
        memset(&self.memo, 0, sizeof(Memo))
        rules.piles = piles
        rules.min_cards = min(min_cards, CARDS + 1)
        rules.max_cards = min(max_cards, CARDS) if max_cards else CARDS
        rules.reach = {"any": REACH_ANY, "top": REACH_TOP, "ends": REACH_ENDS}[reach]
        rules.wrap = wrap
        rules.recycle = recycle
        rules.opening = opening
        rules.target = target
        self.stop = stop
        self.budget.stop = &stop.raised
        self.budget.until_poll = POLL_NODES
        self.budget.node_limit = node_limit
        # What every search needs is small, and held whatever the limit says.
        self.budget.byte_limit = fixed
        self.totals = <uint32_t*>resize(&self.budget, NULL, 0, len(totals) * sizeof(uint32_t))
        self.line = <Line*>resize(&self.budget, NULL, 0, sizeof(Line))
        self.tree = <Tree*>resize(&self.budget, NULL, 0, sizeof(Tree))
        self.budget.byte_limit = memory_limit
        if self.totals == NULL or self.line == NULL or self.tree == NULL:
            raise MemoryError
        memset(self.line, 0, sizeof(Line))
        memset(self.tree, 0, sizeof(Tree))
        for i, total in enumerate(sorted(totals)):
            self.totals[i] = rules.most = total
            if total < TOTAL_BITS:
                rules.small[total >> 6] |= <uint64_t>1 << (total & 63)
            if total < 64:
                self.line.totals |= <uint64_t>1 << (63 - total)
        rules.total = self.totals
        rules.totals = <int>len(totals)
        self.memo.few = memo_entries
        memo_forget(&self.memo, &self.budget)

    def __dealloc__(self):
        memo_free(&self.memo, &self.budget)
        if self.tree != NULL:
            tree_free(self.tree, &self.budget)
            release(&self.budget, self.tree, sizeof(Tree))
        release(&self.budget, self.line, sizeof(Line))
        release(&self.budget, self.totals, self.rules.totals * sizeof(uint32_t))

    cdef End decide(self, const uint32_t* values, const uint8_t* bytes, int n) noexcept nogil:
        """Decide one deal with the kernel that fits; the result is in best()."""
        cdef int card
        cdef uint64_t total = 0
        memo_forget(&self.memo, &self.budget)
        self.budget.nodes = 0
        for card in range(n):
            total += values[card]
        if not self.tree.counting and line_fits(&self.rules, total):
            self.line.n = n
            for card in range(n):
                self.line.value[card] = values[card]
            return line_search(
                self.line, &self.rules, &self.memo, &self.budget, self.tree.keep_play
            )
        self.line.n = 0
        self.tree.at.n = n
        for card in range(n):
            self.tree.at.value[card] = values[card]
            self.tree.at.byte[card] = bytes[card]
        return tree_search(self.tree, &self.rules, &self.memo, &self.budget)

    cdef int best(self) noexcept nogil:
        """Give the smallest remainder found, NO_REMAINDER where no play counts."""
        cdef int n = self.line.n if self.line.n else self.tree.at.n
        cdef int best = self.line.best if self.line.n else self.tree.best
        return best if best <= n else NO_REMAINDER

    cdef Verdict verdict(self, int best) noexcept nogil:
        if best == NO_REMAINDER or (best > self.rules.target and not self.rules.recycle):
            return UNWINNABLE
        return WINNABLE

    def solve(self, values, *, bint count=False):
        """Decide one deal, and keep the play. See the stub for what is returned."""
        cdef uint32_t value[CARDS]
        cdef uint8_t byte[CARDS]
        cdef int card, best, n = len(values)
        cdef End end
        if not 1 <= n <= CARDS:
            raise ValueError("a deal has 1 to 104 cards")
        cut = [min(v, self.rules.most + 1) for v in values]
        numbers = {v: i for i, v in enumerate(sorted(set(cut)))}
        for card in range(n):
            value[card] = cut[card]
            byte[card] = numbers[cut[card]]
        self.enter()
        try:
            self.tree.keep_play = True
            self.tree.counting = count
            with nogil:
                end = self.decide(value, byte, n)
            if end == INTERRUPTED:
                interrupt()
            if end != DECIDED:
                return UNKNOWN, NO_REMAINDER, self.budget.nodes, [], None, _LIMITS[end]
            best = self.best()
            moves = self.line_moves() if self.line.n else self.tree_moves()
            counts = self.count_plays() if count else None
            return self.verdict(best), best, self.budget.nodes, moves, counts, None
        finally:
            self.busy = False

    def solve_many(
        self, const uint8_t[:, ::1] values, uint8_t[::1] verdict, int16_t[::1] remaining,
        int64_t[::1] nodes,
    ):
        """Decide a deal a row; the arrays, one item a deal, are filled in."""
        cdef Py_ssize_t deal, deals = values.shape[0]
        cdef int card, best, n = <int>values.shape[1]
        cdef uint32_t value[CARDS]
        cdef uint32_t greatest = self.rules.most + 1
        cdef End end = DECIDED
        if not 1 <= n <= CARDS:
            raise ValueError("a deal has 1 to 104 cards")
        if not verdict.shape[0] == remaining.shape[0] == nodes.shape[0] == deals:
            raise ValueError("an array for results has another length than there are deals")
        self.enter()
        try:
            self.tree.keep_play = False
            self.tree.counting = False
            with nogil:
                for deal in range(deals):
                    for card in range(n):
                        value[card] = min(<uint32_t>values[deal, card], greatest)
                    end = self.decide(value, &values[deal, 0], n)
                    if end == INTERRUPTED:
                        break
                    nodes[deal] = self.budget.nodes
                    if end == DECIDED:
                        best = self.best()
                        verdict[deal] = self.verdict(best)
                        remaining[deal] = <int16_t>best
                    else:
                        verdict[deal] = UNKNOWN
                        remaining[deal] = NO_REMAINDER
            if end == INTERRUPTED:
                interrupt()
        finally:
            self.busy = False

    cdef enter(self):
        if self.busy:
            raise RuntimeError("a Search is for one thread at a time")
        self.busy = True

    cdef list line_moves(self):
        """Turn the prefix totals of the best play into cards."""
        cdef Taken taken
        cdef int i, dealt = 0
        cdef list line = [], moves = []
        for i in range(self.line.best_taken):
            taken = self.line.best_play[i]
            line.extend(range(dealt, taken.dealt))
            dealt = taken.dealt
            gone = []
            kept = []
            total = 0
            for card in line:
                total += self.line.value[card]
                (gone if taken.low < total <= taken.high else kept).append(card)
            line = kept
            moves.append((taken.dealt, 0, tuple(gone)))
        return moves

    cdef list tree_moves(self):
        """Read the best play off its log and its queue."""
        cdef Step* steps = <Step*>self.tree.best_steps.items
        cdef uint8_t* queue = <uint8_t*>self.tree.best_queue.items
        cdef size_t i, gone = self.tree.at.n
        cdef int dealt = 0
        cdef list moves = []
        for i in range(self.tree.best_step_count):
            if steps[i].count == 0:
                dealt += 1
            else:
                cards = sorted([queue[gone + j] for j in range(steps[i].count)])
                moves.append((dealt, steps[i].pile, tuple(cards)))
                gone += steps[i].count
        return moves

    cdef tuple count_plays(self):
        """Add up plays, winning plays and the uniform player's chance, each node after its successors."""
        cdef Node* nodes = <Node*>self.tree.nodes.items
        cdef uint32_t* edges = <uint32_t*>self.tree.edges.items
        cdef uint32_t* finished = <uint32_t*>self.tree.finished.items
        cdef size_t i
        cdef Node node
        cdef dict known = {}
        for i in range(self.tree.finished_count):
            node = nodes[finished[i]]
            if node.edges == 0:
                known[finished[i]] = (1, node.won, Fraction(node.won))
                continue
            parts = [known[edges[node.first + j]] for j in range(node.edges)]
            chance = sum([part[2] for part in parts]) / node.edges
            known[finished[i]] = (sum([p[0] for p in parts]), sum([p[1] for p in parts]), chance)
        return known[0]


_LIMITS = {OUT_OF_NODES: "nodes", OUT_OF_MEMORY: "memory"}
