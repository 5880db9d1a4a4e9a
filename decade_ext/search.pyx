"""What Python calls: a search for one rule set, which decides deals one by one or by the array.

It owns the memory, chooses the kernel by what the rules are, and turns plays and counts into Python
objects. Everything in between runs without the GIL.
"""

cimport cython
from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy, memset

from decade_ext.budget cimport (
    DECIDED, INTERRUPTED, NO_CARD, OUT_OF_MEMORY, OUT_OF_NODES, POLL_NODES, Budget, End, poll_after,
    release, resize,
)
from decade_ext.histories cimport Histories, Level, histories_search
from decade_ext.interval cimport (
    INTERVAL_STOPPED, interval_answer, interval_batch, interval_plan, interval_plan_make, interval_play,
    interval_remaining,
)
from decade_ext.line cimport line_fits, line_free, line_make, line_search, line_spend, line_taken
from decade_ext.memo cimport FIRST_SLOTS, MEMO_UNLIMITED, Memo, memo_free, memo_start
from decade_ext.piles cimport (
    EFFORT_TOO_WIDE, piles_fit, piles_free, piles_make, piles_move, piles_search, piles_spend, prefix_set,
)
from decade_ext.position cimport (
    CARDS, PILES, REACH_ANY, Rules, Step, set_rules,
)
from decade_ext.residue cimport (
    RESIDUE_OVER, RESIDUE_SCALAR, RESIDUE_STOPPED, RESIDUE_VECTOR, residue_find_moves, residue_fits,
    residue_game, residue_has_vector, residue_many, residue_moves, residue_path, residue_solve,
)
from decade_ext.tree cimport Node, Tree, tree_free, tree_search

from fractions import Fraction

MAX_CARDS = CARDS
PATHS = ("scalar", "vector") if residue_has_vector() else ("scalar",)


cdef enum Verdict:
    UNWINNABLE, WINNABLE, UNKNOWN


cdef void judge(
    const int16_t* remaining, int target, Py_ssize_t deals, uint8_t* verdict,
) noexcept nogil:
    """Say which deals are won whose smallest remainders are these."""
    cdef Py_ssize_t deal
    for deal in range(deals):
        verdict[deal] = WINNABLE if remaining[deal] <= target else UNWINNABLE


cdef enum Kernel:
    # What decides a deal, chosen by what the rules are and never by a preset's name.
    RESIDUE, LINE, SPLIT, INTERVAL, HISTORIES, TREE


cdef enum:
    NO_REMAINDER = -1
    KEEP_BYTES = 1 << 20    # more than this, which only a hard deal needs, is given back before the next
    COUNTED_BYTES = 400     # of a node's whole numbers and fraction while plays are added up
    BATCH = 768             # deals of an array that are looked through, then decided: the cache holds them


cdef extern from "Python.h":
    void* PyErr_Occurred() noexcept


cdef int interrupt() except -1:
    """Pass on what a signal handler raised, or say that another thread ended the search."""
    if PyErr_Occurred() != NULL:
        return -1
    raise KeyboardInterrupt


cdef int asks_to_stop(void* budget) noexcept nogil:
    """Poll for signals in computations that are no search, which cost as many nodes do."""
    return poll_after(<Budget*>budget, POLL_NODES // 64) == INTERRUPTED


@cython.final
cdef class Stop:
    """A flag that ends searches in other threads."""

    cdef int raised

    def __cinit__(self):
        self.raised = 0

    def set(self):
        """End the searches that were given this flag, within a few thousand nodes."""
        self.raised = 1

    def is_set(self):
        """Say whether it was set."""
        return self.raised != 0


@cython.final
cdef class Search:
    """Decides deals under one rule set; for one thread at a time."""

    cdef Rules rules
    cdef Budget budget
    cdef Memo memo
    cdef interval_plan plan
    cdef residue_game residue   # modulus 0, which no deal fits, if the rules are none
    cdef residue_path residue_path
    cdef uint8_t residue_value[CARDS]
    cdef line_search* line
    cdef piles_search* split
    cdef Tree* tree
    cdef Histories* histories
    cdef Kernel kernel          # that decided the last deal
    cdef int n                  # its cards
    cdef size_t fixed           # bytes that are held always
    cdef int left               # what a kernel that is no search found
    cdef uint32_t* totals
    cdef bint busy
    cdef Stop stop

    def __cinit__(
        self, *, totals, int min_cards, int max_cards, bint wrap, str reach, int piles,
        uint32_t opening, bint optional, bint recycle, int target, node_limit, size_t memory_limit,
        Stop stop, int memo_entries=MEMO_UNLIMITED, str path=None,
    ):
        if not 1 <= piles <= PILES or not totals or not MEMO_UNLIMITED <= memo_entries <= FIRST_SLOTS:
            raise ValueError("piles, totals or memo_entries out of range")
        if path not in (None, "search", *PATHS):
            raise ValueError(f"path must be None, search or one of {PATHS}")
        cdef Rules* rules = &self.rules
        cdef size_t fixed = (
            sizeof(line_search) + sizeof(piles_search) + sizeof(Tree) + sizeof(Histories)
            + len(totals) * sizeof(uint32_t)
        )
        memset(&self.budget, 0, sizeof(Budget))
        memset(&self.memo, 0, sizeof(Memo))
        self.stop = stop
        self.budget.stop = &stop.raised
        self.budget.until_poll = POLL_NODES
        self.budget.node_limit = node_limit
        # What every search needs is small, and held whatever the limit says.
        self.budget.byte_limit = fixed
        self.totals = <uint32_t*>resize(&self.budget, NULL, 0, len(totals) * sizeof(uint32_t))
        self.line = <line_search*>resize(&self.budget, NULL, 0, sizeof(line_search))
        self.split = <piles_search*>resize(&self.budget, NULL, 0, sizeof(piles_search))
        self.tree = <Tree*>resize(&self.budget, NULL, 0, sizeof(Tree))
        self.histories = <Histories*>resize(&self.budget, NULL, 0, sizeof(Histories))
        self.budget.byte_limit = memory_limit
        self.fixed = self.budget.bytes
        if (self.totals == NULL or self.line == NULL or self.split == NULL or self.tree == NULL
                or self.histories == NULL):
            raise MemoryError
        memset(self.tree, 0, sizeof(Tree))
        memset(self.histories, 0, sizeof(Histories))
        set_rules(
            rules, self.totals, totals, min_cards, max_cards, wrap, reach, piles, opening, optional,
            recycle, target,
        )
        line_make(self.line, rules, &self.budget)
        piles_make(self.split, rules, &self.budget)
        interval_plan_make(
            &self.plan, self.totals, rules.totals, max(1, min_cards),
            0 if rules.max_cards == CARDS else rules.max_cards,
        )
        self.plan.plain = path == "scalar"
        self.plan.stop = asks_to_stop
        self.plan.stop_about = &self.budget
        self.memo.few = memo_entries
        if path != "search" and self.is_residue_game():
            self.residue.modulus = self.totals[0]
            self.residue.multiples = rules.totals
            self.residue.opening = rules.opening
            self.residue.limit = self.budget.node_limit
            self.residue.stop = asks_to_stop
            self.residue.stop_about = &self.budget
            self.residue_path = RESIDUE_SCALAR
            if path == "vector" or path is None and residue_has_vector():
                self.residue_path = RESIDUE_VECTOR

    def __dealloc__(self):
        memo_free(&self.memo, &self.budget)
        if self.tree != NULL:
            tree_free(self.tree, &self.budget)
            release(&self.budget, self.tree, sizeof(Tree))
        release(&self.budget, self.histories, sizeof(Histories))
        if self.split != NULL:
            piles_free(self.split, &self.budget)
            release(&self.budget, self.split, sizeof(piles_search))
        if self.line != NULL:
            line_free(self.line, &self.budget)
            release(&self.budget, self.line, sizeof(line_search))
        release(&self.budget, self.totals, self.rules.totals * sizeof(uint32_t))

    cdef bint is_residue_game(self) noexcept nogil:
        """Say whether the rules are of the residue kernel's class, but for its bounds."""
        cdef const Rules* rules = &self.rules
        cdef int i
        for i in range(rules.totals):
            if self.totals[i] != <uint64_t>self.totals[0] * (i + 1):
                return False
        return (
            rules.piles == 1 and not rules.wrap and rules.reach == REACH_ANY and not rules.optional
            and not rules.recycle and rules.min_cards == 2 and rules.max_cards == CARDS
        )

    cdef bint read_residues(self, const uint32_t* values, int n) noexcept nogil:
        """Take over a deal that the residue kernel decides; False for others."""
        cdef int card
        for card in range(n):
            if values[card] > <uint32_t>self.residue.modulus:
                return False
            self.residue_value[card] = <uint8_t>values[card]
        return residue_fits(&self.residue, n, self.residue_value, n)

    cdef Kernel fitting(self, uint64_t total) noexcept nogil:
        """Choose the kernel for a deal with this total that is not the residue kernel's."""
        cdef const Rules* rules = &self.rules
        if self.tree.counting or self.tree.laid:
            return TREE
        if self.memo.few == MEMO_UNLIMITED:     # these remember what they have seen in their own ways
            if line_fits(rules, total):
                return LINE
            if piles_fit(rules, total):
                return SPLIT
        if rules.wrap or not rules.optional:
            return TREE
        # With one pile every set can be taken when its last card is dealt, where it contains the last
        # card whatever the reach; but the pile must be live by then.
        if rules.piles == 1 and (
            rules.reach == REACH_ANY or <int64_t>rules.opening <= rules.min_cards
        ):
            return INTERVAL
        if rules.piles > 1 and rules.reach == REACH_ANY:
            return HISTORIES
        return TREE

    cdef void give_back(self) noexcept nogil:
        """Free all that has grown with the deals."""
        memo_free(&self.memo, &self.budget)
        tree_free(self.tree, &self.budget)
        line_free(self.line, &self.budget)
        piles_free(self.split, &self.budget)

    cdef End decide(self, const uint32_t* values, const uint8_t* bytes, int n) noexcept nogil:
        """Decide one deal; the result is in best().

        Each kernel starts with the same memory. Where what another one holds is in the way of the limit,
        it is given back and the deal decided afresh: what a limit allows does not depend on the deals before.
        """
        if self.budget.bytes > self.fixed + KEEP_BYTES:
            self.give_back()
        cdef bint fresh = self.budget.bytes == self.fixed
        cdef End end = self.attempt(values, bytes, n)
        if end == OUT_OF_MEMORY and not fresh:
            self.give_back()
            end = self.attempt(values, bytes, n)
        return end

    cdef End attempt(self, const uint32_t* values, const uint8_t* bytes, int n) noexcept nogil:
        """Decide one deal with the kernel that fits."""
        cdef int card, end
        cdef uint64_t total = 0
        self.budget.nodes = 0
        self.n = n
        for card in range(n):
            total += values[card]
        if not self.tree.counting and self.read_residues(values, n):
            self.kernel = RESIDUE
            self.left = residue_solve(self.residue_value, n, &self.residue, &self.budget.nodes)
            if self.left == RESIDUE_OVER:
                self.budget.nodes = self.budget.node_limit
                return OUT_OF_NODES
            return INTERRUPTED if self.left == RESIDUE_STOPPED else DECIDED
        self.kernel = self.fitting(total)
        if self.kernel == LINE:
            return line_spend(self.line, &self.rules, &self.budget, values, n)
        if self.kernel == SPLIT:
            end = piles_spend(self.split, &self.budget, values, n)
            if end != EFFORT_TOO_WIDE:
                return <End>end
            self.kernel = TREE
        if self.kernel == TREE and not memo_start(&self.memo, &self.budget):
            return OUT_OF_MEMORY
        self.histories.n = n
        memcpy(self.histories.value, values, n * sizeof(uint32_t))
        if self.kernel == INTERVAL:
            self.left = interval_remaining(
                &self.plan, values, n, self.budget.byte_limit - self.budget.bytes
            )
            if self.left >= 0:
                return DECIDED
            return INTERRUPTED if self.left == INTERVAL_STOPPED else OUT_OF_MEMORY
        if self.kernel == HISTORIES:
            return histories_search(self.histories, &self.rules, &self.plan, &self.budget)
        self.tree.at.n = n
        memcpy(self.tree.at.value, values, n * sizeof(uint32_t))
        memcpy(self.tree.at.byte, bytes, n)
        return tree_search(self.tree, &self.rules, &self.memo, &self.budget)

    cdef int best(self) noexcept nogil:
        """Give the smallest remainder found, NO_REMAINDER where no play counts."""
        cdef int best = self.tree.best
        if self.kernel == LINE:
            best = self.line.best
        elif self.kernel == SPLIT:
            best = self.split.best
        elif self.kernel == INTERVAL or self.kernel == RESIDUE:
            best = self.left
        elif self.kernel == HISTORIES:
            best = self.histories.best
        return best if best <= self.n else NO_REMAINDER

    cdef Verdict verdict(self, int best) noexcept nogil:
        if best == NO_REMAINDER or (best > self.rules.target and not self.rules.recycle):
            return UNWINNABLE
        return WINNABLE

    def solve(self, values, *, bint count=False, layout=None):
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
            self.line.keep_play = self.split.keep_play = self.tree.keep_play = True
            self.tree.counting = count
            self.tree.laid = layout is not None
            if layout is not None:
                self.lay_out(n, layout)
            with nogil:
                end = self.decide(value, byte, n)
            if end == INTERRUPTED:
                interrupt()
            if end != DECIDED:
                return UNKNOWN, NO_REMAINDER, self.budget.nodes, [], None, _LIMITS[end]
            best = self.best()
            try:
                moves = self.moves()
                counts = self.count_plays() if count else None
            except MemoryError:
                return UNKNOWN, NO_REMAINDER, self.budget.nodes, [], None, "memory"
            return self.verdict(best), best, self.budget.nodes, moves, counts, None
        finally:
            self.busy = False

    def solve_many(
        self, const uint8_t[:, ::1] values, uint8_t[::1] verdict, int16_t[::1] remaining,
        int64_t[::1] nodes, *, layout=None,
    ):
        """Decide a deal a row; the arrays, one item a deal, are filled in.

        Values are looked through where they are decided: an array goes through memory once.
        """
        cdef Py_ssize_t deal, size, deals = values.shape[0]
        cdef int n = <int>values.shape[1]
        cdef End end = DECIDED
        if not 1 <= n <= CARDS:
            raise ValueError("a deal has 1 to 104 cards")
        if not verdict.shape[0] == remaining.shape[0] == nodes.shape[0] == deals:
            raise ValueError("an array for results has another length than there are deals")
        self.enter()
        try:
            self.line.keep_play = self.split.keep_play = self.tree.keep_play = False
            self.tree.counting = False
            self.tree.laid = layout is not None
            if layout is not None:
                self.lay_out(n, layout)
            with nogil:
                deal = self.solve_batches(values, verdict, remaining, nodes, &end)
                while deal < deals and end not in (INTERRUPTED, NO_CARD):
                    size = self.residues_from(&values[deal, 0], min(BATCH, deals - deal), n)
                    if size:
                        end = self.solve_residues(
                            &values[deal, 0], size, n, &verdict[deal], &remaining[deal], &nodes[deal]
                        )
                    else:
                        size = 1
                        end = self.solve_alone(
                            &values[deal, 0], n, &verdict[deal], &remaining[deal], &nodes[deal]
                        )
                    deal += size
            if end == NO_CARD:
                raise ValueError("values must be 1 or more")
            if end == INTERRUPTED:
                interrupt()
        finally:
            self.busy = False

    cdef End solve_alone(
        self, const uint8_t* values, int n, uint8_t* verdict, int16_t* remaining, int64_t* nodes
    ) noexcept nogil:
        """Decide one deal of an array."""
        cdef uint32_t value[CARDS]
        cdef int card, best
        cdef End end
        if memchr(values, 0, n) != NULL:
            return NO_CARD
        for card in range(n):
            value[card] = min(<uint32_t>values[card], self.rules.most + 1)
        end = self.decide(value, values, n)
        nodes[0] = self.budget.nodes
        verdict[0] = UNKNOWN
        remaining[0] = NO_REMAINDER
        if end == DECIDED:
            best = self.best()
            verdict[0] = self.verdict(best)
            remaining[0] = <int16_t>best
        return end

    cdef Py_ssize_t residues_from(
        self, const uint8_t* values, Py_ssize_t deals, int n
    ) noexcept nogil:
        """Say how many of these deals, from the first on, are the residue kernel's.

        There may be more of them than it says: it looks ahead twice as far each time, so that an
        array in which others lie scattered takes no longer to look through.
        """
        cdef Py_ssize_t size = 0, step = 1
        while size < deals:
            step = min(step, deals - size)
            if not residue_fits(&self.residue, n, values + size * n, step * n):
                break
            size += step
            step *= 2
        return size

    cdef End solve_residues(
        self, const uint8_t* values, Py_ssize_t deals, int n, uint8_t* verdict, int16_t* remaining,
        int64_t* nodes,
    ) noexcept nogil:
        """Decide deals that are the residue kernel's."""
        cdef Py_ssize_t deal
        if residue_many(
            values, deals, n, &self.residue, self.residue_path, remaining, nodes
        ) == RESIDUE_STOPPED:
            return INTERRUPTED
        for deal in range(deals):
            if remaining[deal] == RESIDUE_OVER:
                verdict[deal] = UNKNOWN
                remaining[deal] = NO_REMAINDER
                nodes[deal] = self.residue.limit
            else:
                verdict[deal] = self.verdict(remaining[deal])
        return DECIDED

    cdef Py_ssize_t solve_batches(
        self, const uint8_t[:, ::1] values, uint8_t[::1] verdict, int16_t[::1] remaining,
        int64_t[::1] nodes, End* end,
    ) noexcept nogil:
        """Decide as many deals as the interval program does side by side; say how many."""
        cdef Py_ssize_t start = 0, size, deals = values.shape[0]
        cdef size_t memory = self.budget.byte_limit - self.budget.bytes
        cdef int failed
        if self.fitting(0) != INTERVAL:
            return 0
        while start < deals and end[0] == DECIDED:
            size = min(BATCH, deals - start)
            if memchr(&values[start, 0], 0, size * values.shape[1]) != NULL:
                end[0] = NO_CARD
                break
            failed = interval_batch(
                &self.plan, &values[start, 0], size, <unsigned int>values.shape[1],
                &remaining[start], memory
            )
            if failed:
                if failed == INTERVAL_STOPPED:
                    end[0] = INTERRUPTED
                return start
            judge(&remaining[start], self.rules.target, size, &verdict[start])
            memset(&nodes[start], 0, size * sizeof(nodes[0]))
            start += size
            if poll_after(&self.budget, <int>size) == INTERRUPTED:
                end[0] = INTERRUPTED
        return start

    cdef lay_out(self, int n, layout):
        """Note the layout that the next search starts from."""
        cdef int pile, next = layout[1]
        sizes, _, received = layout
        if self.rules.piles == 1:
            raise ValueError("a single pile's cards are dealt, with the opening that makes it live then")
        if (not len(sizes) == len(received) == self.rules.piles or not 0 <= next < self.rules.piles
                or min(sizes) < 0 or sum(sizes) > n):
            raise ValueError("the layout does not fit the deal or the rules")
        for pile in range(self.rules.piles):
            self.tree.sizes[pile] = sizes[pile]
            self.tree.received[pile] = received[pile]
        self.tree.next = next

    cdef enter(self):
        if self.busy:
            raise RuntimeError("a Search is for one thread at a time")
        self.busy = True

    cdef list moves(self):
        """Give the play that leaves best(), as (cards dealt, pile, cards)."""
        if self.kernel == RESIDUE:
            return self.residue_sets()
        if self.kernel == LINE:
            return self.line_moves()
        if self.kernel == SPLIT:
            return self.split_moves()
        if self.kernel == INTERVAL:
            live = min(self.rules.opening, <uint32_t>self.n)
            return [
                (max(live, cards[len(cards) - 1] + 1), 0, cards)
                for cards in self.interval_sets(range(self.n))
            ]
        return self.histories_moves() if self.kernel == HISTORIES else self.tree_moves()

    cdef list residue_sets(self):
        """Find a play that leaves what the residue kernel says."""
        cdef residue_moves found
        cdef int i, k, start = 0, stopped
        cdef list moves = []
        with nogil:
            stopped = residue_find_moves(
                self.residue_value, self.n, &self.residue, self.left, &found
            )
        if stopped:
            interrupt()
        for k in range(found.sets):
            cards = tuple([found.card[i] for i in range(start, found.end[k])])
            moves.append((found.dealt[k], 0, cards))
            start = found.end[k]
        return moves

    cdef list interval_sets(self, cards):
        """Take apart one pile's cards: the sets that leave the least, each after those inside it."""
        cdef interval_answer answer
        cdef uint32_t value[CARDS]
        cdef int i, failed, n = len(cards)
        cdef unsigned int start = 0, k
        cdef list sets = []
        for i in range(n):
            value[i] = self.histories.value[<int>cards[i]]
        with nogil:
            failed = interval_play(&self.plan, value, n, &answer, self.budget.byte_limit)
        if failed == INTERVAL_STOPPED:
            interrupt()
        if failed:
            raise MemoryError
        for k in range(answer.sets):
            sets.append(tuple([cards[answer.cards[i]] for i in range(start, answer.ends[k])]))
            start = answer.ends[k]
        return sets

    cdef list histories_moves(self):
        """Empty the piles of the best history one by one, and the rest at the end."""
        cdef Histories* all = self.histories
        cdef Level* last = &all.best_level[all.best_depth]
        cdef int depth, pile, card, end
        cdef list moves = []
        emptied = [(all.best_level[depth].start, all.best_level[depth].emptied)
                   for depth in range(1, all.best_depth + 1)]
        kept = [(all.n, pile) for pile in range(self.rules.piles) if not last.gone >> pile & 1]
        for end, pile in emptied + kept:
            cards = [card for card in range(end) if last.pile[card] == pile]
            moves += [(end, pile, cards) for cards in self.interval_sets(cards)]
        return moves

    cdef list line_moves(self):
        """Turn what totals the sets of the best play have into cards."""
        cdef line_taken taken
        cdef int i, dealt = 0
        cdef list line = [], moves = []
        for i in range(self.line.best_count):
            taken = self.line.best_play[i]
            line.extend(range(dealt, taken.dealt))
            dealt = taken.dealt
            gone = run_of(self.line.value, line, taken.set)
            line = [card for card in line if card not in gone]
            moves.append((dealt, 0, tuple(gone)))
        return moves

    cdef list split_moves(self):
        """Turn what totals the sets of the best play have into cards, pile by pile."""
        cdef piles_move move
        cdef int i, card
        cdef list piles = [[] for _pile in range(self.rules.piles)], moves = []
        cdef list dealt = [0] * self.rules.piles
        for i in range(self.split.best_moves):
            move = self.split.best_move[i]
            pile = piles[move.pile]
            pile.extend([card for card in range(dealt[move.pile], move.dealt)
                         if self.split.best_goes[card] == move.pile])
            dealt[move.pile] = move.dealt
            gone = run_of(self.split.value, pile, move.set)
            piles[move.pile] = [card for card in pile if card not in gone]
            moves.append((move.dealt, move.pile, tuple(gone)))
        return sorted(moves, key=_when)

    cdef list tree_moves(self):
        """Read the best play off its log and its queue."""
        cdef Step* steps = <Step*>self.tree.best_steps.items
        cdef uint8_t* queue = <uint8_t*>self.tree.best_queue.items
        cdef size_t i, gone = self.tree.at.n
        cdef int pile, dealt = 0
        cdef list moves = []
        for pile in range(self.rules.piles if self.tree.laid else 0):
            dealt += self.tree.sizes[pile]
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
        if self.budget.bytes + self.tree.finished_count * COUNTED_BYTES > self.budget.byte_limit:
            raise MemoryError
        for i in range(self.tree.finished_count):
            node = nodes[finished[i]]
            if node.edges == 0:
                known[finished[i]] = (1, node.won, Fraction(node.won))
                continue
            parts = [known[edges[node.first + j]] for j in range(node.edges)]
            chance = sum([part[2] for part in parts]) / node.edges
            known[finished[i]] = (sum([p[0] for p in parts]), sum([p[1] for p in parts]), chance)
        return known[0]


cdef list run_of(const uint8_t* value, list pile, prefix_set set):
    """Give the cards of a set by what the cards behind them total."""
    cdef int card, behind = sum([value[<int>card] for card in pile])
    cdef int over = behind + set.back - set.total
    cdef list run = []
    for card in pile:
        if set.back - set.total < behind <= set.back or behind > over:
            run.append(card)
        behind -= value[card]
    return run


def _when(move):
    return move[0]


_LIMITS = {OUT_OF_NODES: "nodes", OUT_OF_MEMORY: "memory"}
