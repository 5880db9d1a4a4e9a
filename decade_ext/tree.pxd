"""The search over positions of any rule set: every choice of discards, depth first, without recursion.

A *turn* deals until there are sets to take. One is taken (or, if discards are optional, a card dealt
over them), and the position after it is looked up in the memo: if it is known, all that can follow
has been explored or is being explored. That is enough for the verdict and the smallest remainder, for
every position that can be reached is visited once, with some play that leads to it. It is enough with
cycles too (recycling): a play in which a position recurs is not won, and what else could follow is
found from the position's first visit.

Steps are logged; coming back to a turn undoes them one by one, and the log is the play. A memo that
forgets could walk round a cycle for ever, so then the keys on the way are kept and compared as well.

When plays are counted, nothing stops at a win, and each position after a discard notes where its next
sets lead (an edge each, in one array). Positions finish after all that they lead to.

    node   | first edge | edges | won |        edges   | node | node | node | ...
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from decade_ext.budget cimport DECIDED, GOING_ON, OUT_OF_MEMORY, Budget, End, release, resize, spend_node
from decade_ext.memo cimport (
    FULL, KEY_WORDS, KNOWN, MEMO_UNLIMITED, NEW, Looked, Memo, memo_look, memo_same,
)
from decade_ext.position cimport (
    NO_PILE, PILES, REACH_TOP, Position, Rules, Run, Step,
    deal_card, lay_table, list_runs, on_table, runs_at_most, start_position, stock_left, take_back, take_run,
    write_key,
)


cdef enum:
    STACK_BYTES = 1 << 13       # of a stack at first


cdef struct Stack:
    # An array that grows within the budget.
    void* items
    size_t bytes


cdef struct Turn:
    # A turn: how to come back to it (the log's length), and which of its sets are still to be tried.
    size_t steps
    size_t first
    size_t next
    size_t end
    uint32_t node


cdef struct Node:
    uint32_t first
    uint32_t edges
    uint32_t won


cdef struct Tree:
    Position at
    Stack queue, steps, runs, turns, keys       # see above; keys on the way, for a memo that forgets
    Stack nodes, edges, finished                # when plays are counted
    Stack best_steps, best_queue                # the best play
    size_t step_count, run_count, turn_count, edge_count, finished_count
    size_t best_step_count
    size_t taken            # sets taken in this play
    uint32_t node           # the position after the last discard (0: the start)
    bint counting
    bint keep_play
    bint won
    bint laid               # whether the game begins with cards on the table: so many in each pile,
    uint8_t sizes[PILES]    # which has had so many, and this pile gets the next
    uint32_t received[PILES]
    int next
    int best                # smallest remainder, n + 1 if there was none


cdef inline bint reserve(Budget* budget, Stack* stack, size_t bytes) noexcept nogil:
    """Make room for so many bytes in all."""
    cdef size_t larger
    cdef void* items
    if bytes <= stack.bytes:
        return True
    larger = max(bytes, 2 * stack.bytes, <size_t>STACK_BYTES)
    items = resize(budget, stack.items, stack.bytes, larger)
    if items == NULL:
        return False
    stack.items = items
    stack.bytes = larger
    return True


cdef inline void drop(Budget* budget, Stack* stack) noexcept nogil:
    release(budget, stack.items, stack.bytes)
    stack.items = NULL
    stack.bytes = 0


cdef inline bint restart(Budget* budget, Stack* stack) noexcept nogil:
    """Bring a stack to its first size, so that each deal finds the memory in the same state."""
    if stack.bytes > STACK_BYTES:
        drop(budget, stack)
    return reserve(budget, stack, STACK_BYTES)


cdef inline void tree_free(Tree* tree, Budget* budget) noexcept nogil:
    drop(budget, &tree.queue)
    drop(budget, &tree.steps)
    drop(budget, &tree.runs)
    drop(budget, &tree.turns)
    drop(budget, &tree.keys)
    drop(budget, &tree.nodes)
    drop(budget, &tree.edges)
    drop(budget, &tree.finished)
    drop(budget, &tree.best_steps)
    drop(budget, &tree.best_queue)


cdef inline bint tree_log(Tree* tree, Budget* budget, Step step) noexcept nogil:
    if not reserve(budget, &tree.steps, (tree.step_count + 1) * sizeof(Step)):
        return False
    (<Step*>tree.steps.items)[tree.step_count] = step
    tree.step_count += 1
    return True


cdef inline bint tree_list(
    Tree* tree, const Rules* rules, Budget* budget, int pile, int reach
) noexcept nogil:
    """Put the legal sets of a live pile on the stack of sets, with room for one entry more."""
    cdef size_t most = tree.run_count + runs_at_most(&tree.at, pile) + 1
    if not reserve(budget, &tree.runs, most * sizeof(Run)):
        return False
    tree.run_count += list_runs(
        &tree.at, rules, pile, reach, <Run*>tree.runs.items + tree.run_count
    )
    return True


cdef inline bint tree_dealt_last(const Tree* tree) noexcept nogil:
    """Say whether the last step dealt a card."""
    return tree.step_count > 0 and (<Step*>tree.steps.items)[tree.step_count - 1].count == 0


cdef inline bint tree_clean(const Tree* tree, const Rules* rules, int pile) noexcept nogil:
    """Say whether a live pile, but for a card just dealt to it, has been through a discard phase.

    It has, unless it lay on the table when the game began and discards are forced, so that only the pile
    that was dealt to last had its phase then.
    """
    cdef int first = tree.next - 1 if tree.next else rules.piles - 1
    return (
        not tree.laid or rules.optional or pile == first
        or tree.at.received[pile] > tree.received[pile] + (pile == tree.at.last)
    )


cdef inline bint tree_list_all(Tree* tree, const Rules* rules, Budget* budget) noexcept nogil:
    """Put the sets to be tried now on the stack of sets.

    After a card is dealt to a pile that was live already, only sets that contain it are tried. If sets
    are forced there are no others, for the pile held none when it was dealt to last. If they are
    optional, any other could have been taken before the deal, and nothing is lost by that: the cards
    in between it and the runs taken since only become fewer, so those runs stay runs, and a card that
    was first or last stays so. Taking every set as early as it can be taken, a play ends as it did.
    (The position after a deal is therefore another than the same one after a discard: see the key.)
    """
    cdef int pile, reach, last = tree.at.last
    cdef bint empty, after_deal, everywhere
    if last == NO_PILE:
        return True
    empty = stock_left(&tree.at, rules) == 0
    after_deal = tree_dealt_last(tree)
    everywhere = empty or rules.optional
    for pile in range(0 if everywhere else last, rules.piles if everywhere else last + 1):
        if not empty and tree.at.received[pile] < rules.opening:
            continue
        reach = rules.reach
        if (after_deal and tree.at.received[pile] >= rules.opening + (pile == last)
                and tree_clean(tree, rules, pile)):
            if pile != last:
                continue
            reach = REACH_TOP
        if not tree_list(tree, rules, budget, pile, reach):
            return False
    return True


cdef inline bint tree_keep_play(Tree* tree, Budget* budget) noexcept nogil:
    """Keep the play that leads here as the best so far."""
    cdef size_t bytes = tree.step_count * sizeof(Step)
    if not reserve(budget, &tree.best_steps, bytes):
        return False
    if not reserve(budget, &tree.best_queue, tree.at.gone):
        return False
    if bytes:       # a game that is gone on with may be over
        memcpy(tree.best_steps.items, tree.steps.items, bytes)
    memcpy(tree.best_queue.items, tree.at.queue, tree.at.gone)
    tree.best_step_count = tree.step_count
    return True


cdef inline bint tree_end(Tree* tree, const Rules* rules, Budget* budget) noexcept nogil:
    """Judge a play that ends here; False if memory is spent."""
    cdef bint cleared = tree.at.left == 0, better, won
    cdef int left = on_table(&tree.at)
    won = cleared or (not rules.recycle and left <= rules.target)
    better = left < tree.best and not tree.won and (cleared or not rules.recycle)
    if tree.counting:
        (<Node*>tree.nodes.items)[tree.node].won = won
    if better:
        tree.best = 0 if cleared else left
        tree.won = won
        if tree.keep_play:
            return tree_keep_play(tree, budget)
    return True


cdef inline bint tree_note_edges(Tree* tree, Budget* budget, size_t sets) noexcept nogil:
    cdef Node* node = &(<Node*>tree.nodes.items)[tree.node]
    if not reserve(budget, &tree.edges, (tree.edge_count + sets) * sizeof(uint32_t)):
        return False
    node.first = <uint32_t>tree.edge_count
    node.edges = <uint32_t>sets
    tree.edge_count += sets
    return True


cdef inline bint tree_push(Tree* tree, Budget* budget, size_t first) noexcept nogil:
    """Open a turn with the sets from ``first`` on, its first one being tried next."""
    cdef Turn* turn
    if not reserve(budget, &tree.turns, (tree.turn_count + 1) * sizeof(Turn)):
        return False
    if tree.counting and not tree_note_edges(tree, budget, tree.run_count - first):
        return False
    turn = &(<Turn*>tree.turns.items)[tree.turn_count]
    turn.steps, turn.node = tree.step_count, tree.node
    turn.first, turn.next, turn.end = first, first + 1, tree.run_count
    tree.turn_count += 1
    return True


cdef inline bint tree_finish(Tree* tree, Budget* budget, uint32_t node) noexcept nogil:
    """Note that everything that follows from a position has been counted."""
    if not reserve(budget, &tree.finished, (tree.finished_count + 1) * sizeof(uint32_t)):
        return False
    (<uint32_t*>tree.finished.items)[tree.finished_count] = node
    tree.finished_count += 1
    return True


cdef enum Found:
    A_SET, NO_SET, NO_ROOM


cdef inline Found tree_find_set(
    Tree* tree, const Rules* rules, Budget* budget, Run* run
) noexcept nogil:
    """Deal until a set can be taken, and open a turn if there is a choice; NO_SET where play ends."""
    cdef size_t first = tree.run_count
    while tree.at.left:
        if not tree_list_all(tree, rules, budget):
            return NO_ROOM
        if rules.optional and stock_left(&tree.at, rules) == 0:     # play may end here
            if not tree_end(tree, rules, budget):
                return NO_ROOM
            if tree.won:
                return NO_SET
        elif rules.optional and tree.run_count > first:
            (<Run*>tree.runs.items)[tree.run_count].count = 0
            tree.run_count += 1
        if tree.run_count > first:
            run[0] = (<Run*>tree.runs.items)[first]
            if tree.run_count > first + 1 or tree.counting:
                return A_SET if tree_push(tree, budget, first) else NO_ROOM
            tree.run_count = first
            return A_SET
        if stock_left(&tree.at, rules) == 0:
            break
        if not tree_log(tree, budget, deal_card(&tree.at, rules)):
            return NO_ROOM
    return NO_SET


cdef inline Found tree_come_back(
    Tree* tree, const Rules* rules, Budget* budget, Run* run
) noexcept nogil:
    """Go back to the last turn with a set still to be tried; NO_SET if there is none."""
    cdef Turn* turn
    cdef Step step
    while tree.turn_count:
        turn = &(<Turn*>tree.turns.items)[tree.turn_count - 1]
        while tree.step_count > turn.steps:
            tree.step_count -= 1
            step = (<Step*>tree.steps.items)[tree.step_count]
            tree.taken -= step.count > 0
            take_back(&tree.at, rules, step)
        tree.node = turn.node
        if turn.next < turn.end:
            run[0] = (<Run*>tree.runs.items)[turn.next]
            turn.next += 1
            tree.run_count = turn.end
            return A_SET
        tree.run_count = turn.first
        tree.turn_count -= 1
        if tree.counting and not tree_finish(tree, budget, turn.node):
            return NO_ROOM
    return NO_SET


cdef inline bint tree_step(Tree* tree, const Rules* rules, Budget* budget, Run run) noexcept nogil:
    """Take a set; or, if it is the empty one at the end of an optional turn's sets, deal on."""
    if run.count == 0:
        return tree_log(tree, budget, deal_card(&tree.at, rules))
    if not reserve(budget, &tree.queue, tree.at.gone + run.count):
        return False
    tree.at.queue = <uint8_t*>tree.queue.items
    tree.taken += 1
    return tree_log(tree, budget, take_run(&tree.at, rules, run))


cdef inline Looked tree_look_on_the_way(
    Tree* tree, Budget* budget, const uint64_t* key, int words
) noexcept nogil:
    """Look for a position among those on the way to it, for a memo that forgets."""
    cdef uint64_t* keys
    cdef size_t i
    if not reserve(budget, &tree.keys, tree.taken * KEY_WORDS * sizeof(uint64_t)):
        return FULL
    keys = <uint64_t*>tree.keys.items
    for i in range(tree.taken - 1):
        if memo_same(keys + i * KEY_WORDS, key, words):
            return KNOWN
    memcpy(keys + (tree.taken - 1) * KEY_WORDS, key, KEY_WORDS * sizeof(uint64_t))
    return NEW


cdef inline Looked tree_look(
    Tree* tree, const Rules* rules, Memo* memo, Budget* budget
) noexcept nogil:
    """Look up the position after a discard, or after sets were left lying."""
    cdef uint64_t key[KEY_WORDS]
    cdef int words = write_key(&tree.at, rules, tree_dealt_last(tree), key)
    cdef uint32_t id = 0
    cdef Looked looked
    if rules.recycle and memo.few != MEMO_UNLIMITED:
        looked = tree_look_on_the_way(tree, budget, key, words)
        if looked != NEW:
            return looked
    looked = memo_look(memo, budget, key, words, &id)
    return looked if not tree.counting else tree_reach(tree, budget, looked, id + 1)


cdef inline Looked tree_reach(
    Tree* tree, Budget* budget, Looked looked, uint32_t node
) noexcept nogil:
    """Note that the set being tried leads to a node."""
    cdef Turn* turn = &(<Turn*>tree.turns.items)[tree.turn_count - 1]
    cdef Node* nodes = <Node*>tree.nodes.items
    if looked == FULL:
        return FULL
    (<uint32_t*>tree.edges.items)[nodes[turn.node].first + (turn.next - 1 - turn.first)] = node
    if looked == NEW:
        if not reserve(budget, &tree.nodes, (<size_t>node + 1) * sizeof(Node)):
            return FULL
        nodes = <Node*>tree.nodes.items
        nodes[node].first = nodes[node].edges = nodes[node].won = 0
        tree.node = node
    return looked


cdef inline bint tree_start(Tree* tree, const Rules* rules, Budget* budget) noexcept nogil:
    """Lay the deal out. The caller has set at.n, at.value and at.byte."""
    cdef int card
    cdef Node* root
    if not (restart(budget, &tree.queue) and restart(budget, &tree.steps)
            and restart(budget, &tree.runs) and restart(budget, &tree.turns)
            and restart(budget, &tree.nodes)):
        return False
    tree.at.queue = <uint8_t*>tree.queue.items
    for card in range(tree.at.n):
        tree.at.queue[card] = <uint8_t>card
    start_position(&tree.at, rules)
    if tree.laid:
        lay_table(&tree.at, rules, tree.sizes, tree.received, tree.next)
    root = <Node*>tree.nodes.items
    root.first = root.edges = root.won = 0
    tree.step_count = tree.run_count = tree.turn_count = 0
    tree.edge_count = tree.finished_count = tree.best_step_count = 0
    tree.taken = tree.node = 0
    tree.won = False
    tree.best = tree.at.n + 1
    return True


cdef inline End tree_search(
    Tree* tree, const Rules* rules, Memo* memo, Budget* budget
) noexcept nogil:
    """Explore all choices, stopping at the first win unless plays are counted.

    ``best``, ``won`` and the best play are the result.
    """
    cdef Run run
    cdef Found found
    cdef Looked looked
    cdef End end
    if not tree_start(tree, rules, budget):
        return OUT_OF_MEMORY
    while True:
        found = tree_find_set(tree, rules, budget, &run)
        if found == NO_SET:
            if not tree_end(tree, rules, budget):
                return OUT_OF_MEMORY
            if tree.won and not tree.counting:
                return DECIDED
            if tree.counting and not tree_finish(tree, budget, tree.node):
                return OUT_OF_MEMORY
            found = tree_come_back(tree, rules, budget, &run)
        while True:
            if found == NO_ROOM:
                return OUT_OF_MEMORY
            if found == NO_SET:
                return DECIDED
            if not tree_step(tree, rules, budget, run):
                return OUT_OF_MEMORY
            end = spend_node(budget)
            if end != GOING_ON:
                return end
            looked = tree_look(tree, rules, memo, budget)
            if looked == NEW:
                break
            if looked == FULL:
                return OUT_OF_MEMORY
            found = tree_come_back(tree, rules, budget, &run)
