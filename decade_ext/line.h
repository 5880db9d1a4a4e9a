/*
 * One pile with forced discards, straight or a loop: a depth-first search over its lines.
 *
 * A line is the bit set of its prefix totals, in W words of 64 bits. The line 3 5 7 (7 was dealt last) is
 *
 *     bit   0 . . 3 . . . . 8 . . . . . . 15 . . .        (bit 0: nothing; the top bit: the line's total)
 *
 * A card dealt sets a bit above the top one; the last cards leave by clearing bits, the first by a shift. The words
 * lie in memory; what a turn looks at is one register for each end of the line, as in prefix.h: the *window*, the
 * 64 bits up to the top one, which moves down with each card, and of a loop the lowest word.
 *
 * A turn in which one set can be taken costs no more than that. Where there is a *choice*, the line as it lies is a
 * key: if it is known, the play ends here; if it is not, it is kept, and its sets are tried one by one.
 *
 *     keys     | W words of bits | dealt, total |    the lines at choices, each once
 *     table    | hash, number |                      open addressing, at most half full
 *     frames   | key | sets left | sets taken |      the choices of this play that are still open
 *     sets     | set | set | set | set |             those not tried yet, of all frames
 *
 * Plays that meet go the same way until the next choice, so it is enough to ask there; at most the turns
 * between two choices are played again. Keys are compared whole: the hash only says where to look. The keys of a deal
 * are numbered on from those of the deals before, and a slot with a number of theirs is free, so the table, which
 * lies in the fastest cache, is never cleared.
 *
 * A live line holds no set when a card lands, so a set contains that card; piles.h says what may be looked for after
 * that, and why. With the card that makes it live a set may lie anywhere. In that turn every line is a key.
 *
 * Tried and dropped (microseconds for a pack of 52 cards, least readings):
 *   - every line after a set a key, in an array that is stack and log too: 1.67 for a loop and 3.75 for one of at most
 *     three cards, where this takes 1.3 and 2.8; fewer nodes (51 instead of 58 for the latter), but a look-up for each;
 *   - bits counted from the top, so that the window is a word: all words move with each card;
 *   - the totals of a loop four at a time with AVX2: an eighth fewer instructions, no gain (callgrind predicts 70
 *     branches a deal wrongly, in 90 turns);
 *   - two words (too many deals are searched twice), six (no gain); sets in another order (0 to 8 % more nodes);
 *   - lines layer by layer, without a table: that would not stop at a win, and 92 % of the loops are won.
 *
 * LINE_WORDS hold lines that total up to 255; a deal that needs more is searched again with PREFIX_WORDS.
 */
#ifndef DECADE_LINE_H
#define DECADE_LINE_H

#include "effort.h"
#include "prefix.h"

/* Words of a line, and the first sizes of the arrays. */
enum { LINE_WORDS = 4, LINE_KEYS = 256, LINE_SLOTS = 512, LINE_FRAMES = 64, LINE_LEFT = 256 };

typedef struct {
    uint8_t dealt;          /* after how many cards dealt */
    prefix_set set;
} line_taken;

typedef struct {
    uint32_t key;
    uint32_t left;          /* sets not tried yet */
    int taken;              /* sets taken before */
} line_frame;

typedef struct {
    prefix_rules rules;
    int target, opening, n;
    uint8_t value[PREFIX_CARDS];
    effort spent;

    uint64_t *keys, *table;
    line_frame *frames;
    prefix_set *left;
    size_t keys_size, table_size, frames_size, left_size;
    uint32_t slots, before, count;      /* keys of the deals before, keys of this one */
    size_t depth, waiting;              /* frames, sets not tried yet */
    prefix_set sets[PREFIX_SETS];

    int keep_play, best, best_count;
    line_taken play[PREFIX_CARDS], best_play[PREFIX_CARDS];
} line_search;

PREFIX_INLINE uint32_t line_hash(const uint64_t *key, const int W) {
    static const uint64_t odd[4] = {
        0x9E3779B97F4A7C15ULL, 0xD6E8FEB86659FD93ULL, 0xBF58476D1CE4E5B9ULL, 0x94D049BB133111EBULL
    };
    uint64_t mixed = key[W] * 0xA0761D6478BD642FULL;
    for (int i = 0; i < W; i += 4) {
        mixed ^= mixed >> 29;
        for (int k = i; k < i + 4 && k < W; k++)
            mixed += key[k] * odd[k - i];
    }
    mixed = (mixed ^ mixed >> 32) * 0xE7037ED1A0B428DBULL;
    return (uint32_t)(mixed >> 32);
}

/* Double the table. */
static __attribute__((noinline)) int line_rehash(line_search *p) {
    uint32_t slots = 2 * p->slots;
    size_t size = (size_t)slots * sizeof(uint64_t);
    uint64_t *table = slots < UINT32_MAX / 4 ? p->spent.resize(p->spent.owner, NULL, 0, size) : NULL;
    if (!table)
        return 0;
    memset(table, 0, size);
    for (uint32_t i = 0; i < p->slots; i++)
        if ((uint32_t)p->table[i] > p->before) {
            uint32_t at = (uint32_t)(p->table[i] >> 32) & (slots - 1);
            while (table[at])
                at = (at + 1) & (slots - 1);
            table[at] = p->table[i];
        }
    p->spent.release(p->spent.owner, p->table, p->table_size);
    p->table = table;
    p->slots = slots;
    p->table_size = size;
    return 1;
}

/* Say whether the newest key is known; if it is not, it is from now on. */
PREFIX_INLINE int line_is_known(line_search *p, const int W) {
    const uint64_t *key = p->keys + (size_t)p->count * (W + 1);
    uint32_t hash = line_hash(key, W), at = hash & (p->slots - 1);
    for (; (uint32_t)p->table[at] > p->before; at = (at + 1) & (p->slots - 1)) {
        size_t other = (uint32_t)p->table[at] - p->before - 1;
        if (p->table[at] >> 32 == hash && prefix_same(p->keys + other * (W + 1), key, W + 1))
            return 1;
    }
    p->table[at] = (uint64_t)hash << 32 | (p->before + ++p->count);
    return 0;
}

/* Give all arrays their first sizes, and forget the keys. */
static __attribute__((noinline)) int line_start(line_search *p) {
    p->before += p->count;
    p->count = 0;
    if (p->table_size != LINE_SLOTS * sizeof(uint64_t) || p->before > UINT32_MAX / 2) {
        if (!EFFORT_START(p, table, LINE_SLOTS * sizeof(uint64_t)))
            return 0;
        memset(p->table, 0, p->table_size);
        p->before = 0;
    }
    p->slots = LINE_SLOTS;
    p->depth = p->waiting = 0;
    p->best = p->n + 1;
    return EFFORT_START(p, keys, LINE_KEYS * (LINE_WORDS + 1) * sizeof(uint64_t))
        && EFFORT_START(p, frames, LINE_FRAMES * sizeof(line_frame))
        && EFFORT_START(p, left, LINE_LEFT * sizeof(prefix_set));
}

/* The window of a line; the word below the lowest one is zero. */
PREFIX_INLINE uint64_t line_window(const uint64_t *bits, unsigned sum) {
    unsigned word = sum >> 6, shift = sum & 63;
    return bits[word] << (63 - shift) | bits[(int)word - 1] >> 1 >> shift;
}

/* List all sets, in the turn in which the line goes live; prefix.h counts bits from the top. */
static __attribute__((noinline)) unsigned line_list_all(line_search *p, const uint64_t *bits, unsigned sum, int W) {
    uint64_t turned[PREFIX_WORDS];
    unsigned place = 64u * (unsigned)W - 1 - sum;
    int words = (int)(place >> 6), shift = (int)(place & 63);
    for (int i = 0; i < W; i++)
        turned[i] = i < words ? 0 : bits[i - words] << shift | bits[i - words - 1] >> 1 >> (63 - shift);
    return prefix_list_all(&p->rules, turned, sum, p->sets, W);
}

/* Take cards out of the middle: what is above comes down. */
static __attribute__((noinline)) void line_take_middle(uint64_t *bits, unsigned sum, prefix_set set, int W) {
    unsigned low = sum - set.back;
    uint64_t stay = ((uint64_t)2 << (low & 63)) - 1;
    for (int i = (int)(low >> 6); i < W; i++, stay = 0) {
        uint64_t next = i + 1 < W ? bits[i + 1] : 0;
        bits[i] = (bits[i] & stay) | ((bits[i] >> set.total | next << 1 << (63 - set.total)) & ~stay);
    }
}

/* Take a set. */
PREFIX_INLINE void line_take(uint64_t *bits, unsigned sum, prefix_set set, const int W, const int wrap) {
    if (__builtin_expect(set.back > set.total, 0)) {
        line_take_middle(bits, sum, set, W);
        return;
    }
    unsigned top = sum - set.back;
    uint64_t highest = bits[top >> 6] & (((uint64_t)2 << (top & 63)) - 1);
    bits[sum >> 6] = 0;     /* a set takes bits of two words at most */
    bits[top >> 6] = highest;
    if (wrap) {
        unsigned down = set.total - set.back;
        for (int i = 0; i < W - 1; i++)
            bits[i] = bits[i] >> down | bits[i + 1] << 1 << (63 - down);
        bits[W - 1] >>= down;
    }
}

/* List the sets of a line, `first` if a card has just landed on it. */
PREFIX_INLINE unsigned line_sets(
    line_search *p, const uint64_t *bits, uint64_t window, unsigned sum, int dealt, int first,
    const int W, const int wrap, const int few
) {
    const prefix_rules *rules = &p->rules;
    if (dealt <= p->opening)
        return dealt < p->opening ? 0 : line_list_all(p, bits, sum, W);
    if (!wrap && !first && rules->reach == PREFIX_ANY)
        return 0;
    unsigned found = prefix_list_top(rules, window, bits[0], sum, p->sets, wrap, few);
    if (!first && rules->reach == PREFIX_ENDS)
        found += prefix_list_front(rules, bits[0], sum, p->sets + found);
    return found;
}

/* Note a choice down: EFFORT_DECIDED if it is known. */
PREFIX_INLINE int line_choose(
    line_search *p, const uint64_t *bits, unsigned sum, int dealt, int taken, unsigned sets, const int W
) {
    if (!EFFORT_ROOM(p, keys, (p->count + (size_t)1) * (W + 1) * sizeof(uint64_t)))
        return EFFORT_OUT_OF_MEMORY;
    uint64_t *key = p->keys + (size_t)p->count * (W + 1);
    for (int i = 0; i < W; i++)
        key[i] = bits[i];
    key[W] = (uint64_t)dealt << 32 | sum;
    if (line_is_known(p, W))
        return EFFORT_DECIDED;
    if (p->count > p->slots / 2 && !line_rehash(p))
        return EFFORT_OUT_OF_MEMORY;
    if (--sets == 0)
        return EFFORT_GOING_ON;
    if (!EFFORT_ROOM(p, frames, (p->depth + 1) * sizeof(line_frame))
            || !EFFORT_ROOM(p, left, (p->waiting + sets) * sizeof(prefix_set)))
        return EFFORT_OUT_OF_MEMORY;
    p->frames[p->depth++] = (line_frame){p->count - 1, sets, taken};
    for (unsigned k = 0; k < sets; k++)
        p->left[p->waiting++] = p->sets[k];
    return EFFORT_GOING_ON;
}

PREFIX_INLINE int line_search_words(line_search *p, const int W, const int wrap, const int few) {
    uint64_t held[PREFIX_WORDS + 1], *bits = held + 1, window = (uint64_t)1 << 63;
    unsigned sum = 0;
    int dealt = 0, taken = 0, first = 1, end;
    prefix_set set;
    if (!line_start(p))
        return EFFORT_OUT_OF_MEMORY;
    for (int i = -1; i < W; i++)
        bits[i] = i == 0;
    for (;; first = 0) {
        unsigned sets = first ? 0 : line_sets(p, bits, window, sum, dealt, 0, W, wrap, few);
        while (!sets && dealt < p->n) {
            unsigned value = p->value[dealt++];
            sum += value;
            if (sum >= 64u * W)
                return EFFORT_TOO_WIDE;
            bits[sum >> 6] |= (uint64_t)1 << (sum & 63);
            window = window >> value | (uint64_t)1 << 63;
            sets = line_sets(p, bits, window, sum, dealt, 1, W, wrap, few);
        }
        if (!sets) {
            int left = prefix_cards(bits, W);
            if (left < p->best) {
                p->best = left;
                if (p->keep_play) {
                    memcpy(p->best_play, p->play, sizeof p->play);
                    p->best_count = taken;
                }
                if (left <= p->target)
                    return EFFORT_DECIDED;
            }
        } else if (sets > 1 || dealt <= p->opening) {
            end = line_choose(p, bits, sum, dealt, taken, sets, W);
            if (end == EFFORT_OUT_OF_MEMORY)
                return end;
            sets = end == EFFORT_DECIDED ? 0 : sets;
        }
        if (sets) {
            set = p->sets[sets - 1];
        } else {            /* back to the last choice with a set that is not tried yet */
            if (!p->depth)
                return EFFORT_DECIDED;
            line_frame *frame = &p->frames[p->depth - 1];
            const uint64_t *key = p->keys + (size_t)frame->key * (W + 1);
            for (int i = 0; i < W; i++)
                bits[i] = key[i];
            dealt = (int)(key[W] >> 32);
            sum = (unsigned)key[W];
            taken = frame->taken;
            set = p->left[--p->waiting];
            if (--frame->left == 0)
                p->depth--;
        }
        end = effort_spend_node(&p->spent);
        if (end != EFFORT_GOING_ON)
            return end;
        p->play[taken++] = (line_taken){(uint8_t)dealt, set};
        line_take(bits, sum, set, W, wrap);
        sum -= set.total;
        window = line_window(bits, sum);
    }
}

/* A copy of the search for each kind of rules that differ in what is done for every card. */
PREFIX_FAST int line_search_fast(line_search *p) {
    if (prefix_is_few(&p->rules))
        return p->rules.wrap ? line_search_words(p, LINE_WORDS, 1, 1) : line_search_words(p, LINE_WORDS, 0, 1);
    return p->rules.wrap ? line_search_words(p, LINE_WORDS, 1, 0) : line_search_words(p, LINE_WORDS, 0, 0);
}

PREFIX_RARE int line_search_any(line_search *p, int words) {
    return line_search_words(p, words, p->rules.wrap, prefix_is_few(&p->rules));
}

/* Decide a deal. The caller sets n, value, keep_play and the limits. */
static int line_decide(line_search *p) {
    int end = prefix_is_fast() ? line_search_fast(p) : line_search_any(p, LINE_WORDS);
    return end == EFFORT_TOO_WIDE ? line_search_any(p, PREFIX_WORDS) : end;
}

#endif
