/*
 * One pile with forced discards, straight or a loop: a depth-first search over its lines.
 *
 * A *node* is the line after a set is taken: the bit set of prefix.h, and how many cards are dealt. From it cards
 * are dealt until sets can be taken (a turn without one is a shift and a test), and each set leads to a node
 * below. The nodes lie in one array, which is all there is:
 *
 *     node    | W words of bits | dealt | node before, set taken |        keys of the memo, stack and log of plays
 *     table   | hash | node |  open addressing, at most half full         open    | node | node | ... not yet explored
 *
 * Plays can meet only after a set is taken, so only then is the table asked. Lines are compared whole,
 * with the cards dealt: the hash only says where to look. The table starts with a few hundred slots and is cleared for
 * each deal; it lies in the fastest cache and grows for the deals that need it.
 *
 * A live line holds no set when a card lands, so a set contains that card; piles.h says what may be looked for after
 * that, and why. With the card that makes it live a set may lie anywhere.
 *
 * Tried and dropped: two words (too many deals are searched twice: 22 nodes a deal of max-three instead of 16), six
 * (2.9 microseconds for a loop instead of 2.5); the sets of a turn in the other order (31 nodes a loop instead of 28).
 * Lines layer by layer, without a table, would not stop at a win, and 92 % of the loops are won.
 *
 * Four words hold lines that total up to 255; a deal that needs more is searched again with PREFIX_WORDS.
 */
#ifndef DECADE_LINE_H
#define DECADE_LINE_H

#include "effort.h"
#include "prefix.h"

enum { LINE_SLOTS = 128, LINE_NODES = 512, LINE_WORDS = 4 };

typedef struct {
    uint32_t before;        /* of the start itself: the start is node 0 */
    uint16_t dealt, sum;    /* cards dealt, and what the line totals */
    prefix_set set;
} line_from;

typedef struct {
    uint32_t hash;
    uint32_t node;          /* 0 if the slot is free: the first node is the start, which cannot come again */
} line_slot;

typedef struct {
    prefix_rules rules;
    int target, opening, n;
    uint8_t value[PREFIX_CARDS];
    effort spent;

    uint64_t *bits;
    line_from *from;
    line_slot *table;
    uint32_t *open;
    size_t bits_size, from_size, table_size, open_size;
    uint32_t count, slots, waiting;
    prefix_set sets[PREFIX_SETS];

    int best;
    uint32_t best_node;
} line_search;

PREFIX_INLINE uint32_t line_hash(const uint64_t *bits, int dealt, const int W) {
    uint64_t mixed = (uint64_t)dealt * 0x9E3779B97F4A7C15ULL;
    for (int i = 0; i < W; i++)
        mixed = (mixed ^ bits[W - 1 - i]) * 0xD6E8FEB86659FD93ULL ^ mixed >> 32;
    return (uint32_t)(mixed >> 32);
}

/* Double the table and put all nodes but the start into it again. */
static int line_rehash(line_search *p) {
    uint32_t slots = 2 * p->slots;
    if (slots == 0)     /* 2^32 of them */
        return 0;
    line_slot *old = p->table, *table = p->spent.resize(p->spent.owner, NULL, 0, (size_t)slots * sizeof(line_slot));
    if (!table)
        return 0;
    memset(table, 0, (size_t)slots * sizeof(line_slot));
    for (uint32_t i = 0; i < p->slots; i++)
        if (old[i].node) {
            uint32_t at = old[i].hash & (slots - 1);
            while (table[at].node)
                at = (at + 1) & (slots - 1);
            table[at] = old[i];
        }
    p->spent.release(p->spent.owner, old, p->table_size);
    p->table = table;
    p->slots = slots;
    p->table_size = slots * sizeof(line_slot);
    return 1;
}

/* Make the newest bits a node that waits to be explored, unless they are known. */
PREFIX_INLINE int line_remember(line_search *p, line_from from, const int W) {
    const uint64_t *bits = p->bits + (size_t)p->count * W;
    uint32_t hash = line_hash(bits, from.dealt, W), at = hash & (p->slots - 1);
    for (; p->table[at].node; at = (at + 1) & (p->slots - 1)) {
        uint32_t node = p->table[at].node;
        if (p->table[at].hash == hash && p->from[node].dealt == from.dealt
                && prefix_same(p->bits + (size_t)node * W, bits, W))
            return EFFORT_GOING_ON;
    }
    if (!EFFORT_ROOM(p, from, (p->count + (size_t)1) * sizeof(line_from))
            || !EFFORT_ROOM(p, open, (p->waiting + (size_t)1) * sizeof(uint32_t)))
        return EFFORT_OUT_OF_MEMORY;
    p->table[at] = (line_slot){hash, p->count};
    p->from[p->count] = from;
    p->open[p->waiting++] = p->count++;
    return p->count > p->slots / 2 && !line_rehash(p) ? EFFORT_OUT_OF_MEMORY : EFFORT_GOING_ON;
}

/* Take a set from the line of a node; what is left is a node too, unless it is known. */
PREFIX_INLINE int line_take(
    line_search *p, uint32_t node, const uint64_t *bits, unsigned sum, prefix_set set, int dealt, const int W
) {
    int end = effort_spend_node(&p->spent);
    if (end != EFFORT_GOING_ON)
        return end;
    if (!EFFORT_ROOM(p, bits, (p->count + (size_t)1) * W * sizeof(uint64_t)))
        return EFFORT_OUT_OF_MEMORY;
    uint64_t *after = p->bits + (size_t)p->count * W;
    for (int i = 0; i < W; i++)
        after[i] = bits[i];
    prefix_take(after, sum, set, W);
    return line_remember(p, (line_from){node, (uint16_t)dealt, (uint16_t)(sum - set.total), set}, W);
}

/* List the sets of a line, `first` if a card has just landed on it. */
PREFIX_INLINE unsigned line_sets(
    line_search *p, const uint64_t *bits, unsigned sum, int dealt, int first,
    const int W, const int wrap, const int few
) {
    const prefix_rules *rules = &p->rules;
    if (dealt <= p->opening)
        return dealt < p->opening ? 0 : prefix_list_all(rules, bits, sum, p->sets, W);
    if (!wrap && !first && rules->reach == PREFIX_ANY)
        return 0;
    unsigned found = prefix_list_top(rules, bits, sum, p->sets, W, wrap, few);
    if (!first && rules->reach == PREFIX_ENDS)
        found += prefix_list_front(rules, bits, sum, p->sets + found, W);
    return found;
}

PREFIX_INLINE int line_search_words(line_search *p, const int W, const int wrap, const int few) {
    uint64_t bits[PREFIX_WORDS];
    if (!EFFORT_START(p, table, LINE_SLOTS * sizeof(line_slot))
            || !EFFORT_START(p, bits, LINE_NODES * LINE_WORDS * sizeof(uint64_t))
            || !EFFORT_START(p, from, LINE_NODES * sizeof(line_from))
            || !EFFORT_START(p, open, LINE_NODES * sizeof(uint32_t)))
        return EFFORT_OUT_OF_MEMORY;
    p->slots = LINE_SLOTS;
    memset(p->table, 0, LINE_SLOTS * sizeof(line_slot));
    prefix_empty(p->bits, W);
    p->from[0] = (line_from){0, 0, 0, {0, 0}};
    p->open[0] = 0;
    p->count = p->waiting = 1;
    p->best = p->n + 1;
    while (p->waiting) {
        uint32_t node = p->open[--p->waiting];
        int dealt = p->from[node].dealt;
        unsigned sets = 0, sum = p->from[node].sum;
        for (int i = 0; i < W; i++)
            bits[i] = p->bits[(size_t)node * W + i];
        if (dealt)
            sets = line_sets(p, bits, sum, dealt, 0, W, wrap, few);
        while (!sets && dealt < p->n) {
            sum += p->value[dealt];
            if (!prefix_deal(bits, p->value[dealt++], W))
                return EFFORT_TOO_WIDE;
            sets = line_sets(p, bits, sum, dealt, 1, W, wrap, few);
        }
        if (!sets) {
            int left = prefix_cards(bits, W);
            if (left < p->best) {
                p->best = left;
                p->best_node = node;
                if (left <= p->target)
                    return EFFORT_DECIDED;
            }
        }
        for (unsigned k = 0; k < sets; k++) {
            int end = line_take(p, node, bits, sum, p->sets[k], dealt, W);
            if (end != EFFORT_GOING_ON)
                return end;
        }
    }
    return EFFORT_DECIDED;
}

/* A copy of the search for each kind of rules that differ in what is done for every card. */
PREFIX_FAST int line_search_fast(line_search *p) {
    if (!p->rules.wrap)
        return line_search_words(p, LINE_WORDS, 0, 0);
    return prefix_few(&p->rules) ? line_search_words(p, LINE_WORDS, 1, PREFIX_FEW) : line_search_words(p, LINE_WORDS, 1, 0);
}

PREFIX_RARE int line_search_any(line_search *p, int words) {
    return line_search_words(p, words, p->rules.wrap, prefix_few(&p->rules));
}

/* Decide a deal. The caller sets n, value and the limits. */
static int line_decide(line_search *p) {
    int end = prefix_is_fast() ? line_search_fast(p) : line_search_any(p, LINE_WORDS);
    return end == EFFORT_TOO_WIDE ? line_search_any(p, PREFIX_WORDS) : end;
}

#endif
