/*
 * A pile of positive values as the bit set of the totals at its back, and the sets that can be taken from it.
 *
 * The pile 3 5 7 (7 was dealt last) is, in W words of 64 bits,
 *
 *     bit   64 W - 1 - 15 . . - 12 . . . . - 7 . . . . . . 64 W - 1
 *           bottom            |            |               top: nothing
 *
 * so bit 64 W - 1 - x says that the last cards total x; bits below the bottom one are zero. Two set bits stand for
 * the run of the cards between them, which totals what lies between. A card dealt moves all bits down by its
 * value and sets the top one again; taking the last cards moves them up again; taking the first ones
 * clears the lowest bits. W is a constant wherever these functions are inlined: two words are two registers.
 *
 * The sets that contain the last card are found for all cards at once, in the *window*, the highest word. In a
 * straight pile they are the bits of the window at the totals. A loop's set is a run x from the back and a
 * run y from the front, x + y = t. With `low`, the 64 bits from the bottom up (bit y: the first cards total
 * y), the sets of total t are one shift and one AND:
 *
 *     window             63 ... 63 - x ... 0
 *     low << (63 - t)    63 - t + y = 63 - x              (bit 63 itself is x = 0: without the last card)
 *
 * If the pile's total is more than t, x and y cannot overlap; if it is t, the whole pile is the one set; if
 * it is less, there is none.
 *
 * All totals are at most 62 and all values at most 63 (a greater one is cut to one more than the greatest
 * total, which no set can hold), so the window holds all that a set can need.
 */
#ifndef DECADE_PREFIX_H
#define DECADE_PREFIX_H

#include <stdint.h>
#include <string.h>

#define PREFIX_INLINE static inline __attribute__((always_inline))
#define PREFIX_RARE static __attribute__((noinline, cold))     /* compiled once: nothing constant */

#if defined(__GNUC__) && !defined(__clang__)
/* Vectors of two words, loaded right after a store to one, make the processor wait: 4 to 8 % of a line's time. */
#define PREFIX_SCALAR __attribute__((optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
#else
#define PREFIX_SCALAR
#endif

#if defined(__x86_64__) && defined(__GNUC__)
/* Searches use the instructions that count bits where the processor has them (all that have bmi2 have lzcnt, for which
 * not every compiler can ask); where it has not, what was compiled for the rare deals does all, more slowly. */
#define PREFIX_FAST PREFIX_SCALAR __attribute__((target("popcnt,lzcnt,bmi,bmi2"))) static

static inline int prefix_is_fast(void) {
    return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#else
#define PREFIX_FAST PREFIX_SCALAR static

static inline int prefix_is_fast(void) { return 1; }
#endif

enum {
    PREFIX_TOTAL = 62,
    PREFIX_CARDS = 104,
    PREFIX_WORDS = 18,
    PREFIX_FEW = 3,
    PREFIX_SETS = PREFIX_CARDS * PREFIX_TOTAL + PREFIX_TOTAL * PREFIX_TOTAL     /* more than a pile can have */
};

enum { PREFIX_ANY, PREFIX_TOP, PREFIX_ENDS };

typedef struct {
    uint64_t totals;                /* bit 63 - t for each total t */
    uint64_t upward;                /* bit t */
    uint8_t total[PREFIX_TOTAL];    /* ascending */
    int sizes;                      /* how many */
    int min_cards;
    int max_cards;                  /* at least PREFIX_CARDS where there is no limit */
    int reach;
    int wrap;
    int sized;                      /* whether sets are counted: min_cards is more than 2 or there is a limit */
} prefix_rules;

/* The run of this total that starts where the last cards total `back`; it goes round the seam if back < total. */
typedef struct {
    uint16_t back;
    uint16_t total;
} prefix_set;

/* Whether sets are looked for by their cards, which are few, or by their totals. */
PREFIX_INLINE int prefix_is_few(const prefix_rules *rules) { return rules->max_cards == PREFIX_FEW; }

PREFIX_INLINE void prefix_empty(uint64_t *bits, const int W) {
    for (int i = 0; i < W; i++)
        bits[i] = 0;
    bits[W - 1] = (uint64_t)1 << 63;
}

PREFIX_INLINE int prefix_same(const uint64_t *a, const uint64_t *b, const int W) {
    uint64_t differ = 0;
    for (int i = 0; i < W; i++)
        differ |= a[i] ^ b[i];
    return differ == 0;
}

PREFIX_INLINE int prefix_cards(const uint64_t *bits, const int W) {
    int cards = -1;
    for (int i = 0; i < W; i++)
        cards += __builtin_popcountll(bits[i]);
    return cards;
}

/* The 64 bits from a place up. */
PREFIX_INLINE uint64_t prefix_above(const uint64_t *bits, unsigned place, const int W) {
    unsigned word = place >> 6, shift = place & 63;
    uint64_t next;
    if (W == 2) {
        uint64_t high = 0 - (uint64_t)word;
        next = bits[1] & ~high;
        return ((bits[1] & high) | (bits[0] & ~high)) >> shift | next << 1 << (63 - shift);
    }
    next = word + 1 < (unsigned)W ? bits[word + 1] : 0;
    return bits[word] >> shift | next << 1 << (63 - shift);
}

/* The 64 bits from the bottom up. */
PREFIX_INLINE uint64_t prefix_low(const uint64_t *bits, unsigned sum, const int W) {
    return prefix_above(bits, 64u * W - 1 - sum, W);
}

/* Deal a card; 0 if there is no room for it. */
PREFIX_INLINE int prefix_deal(uint64_t *bits, unsigned value, const int W) {
    if (bits[0] & (((uint64_t)1 << value) - 1))
        return 0;
    for (int i = 0; i < W - 1; i++)
        bits[i] = bits[i] >> value | bits[i + 1] << (64 - value);
    bits[W - 1] = bits[W - 1] >> value | (uint64_t)1 << 63;
    return 1;
}

/* Take a set from a pile with this total. */
PREFIX_INLINE void prefix_take(uint64_t *bits, unsigned sum, prefix_set set, const int W) {
    uint64_t stay[PREFIX_WORDS];
    unsigned up = set.total;
    if (set.back < set.total) {                 /* round the seam: the first cards go, then the last */
        unsigned bottom = 64u * W - 1 - sum + set.total - set.back, word = bottom >> 6;
        for (unsigned i = 0; i < (unsigned)W; i++)
            bits[i] &= i < word ? 0 : i == word ? ~(uint64_t)0 << (bottom & 63) : ~(uint64_t)0;
        up = set.back;
    }
    const int inner = set.back > set.total;     /* what lies above the set stays where it is */
    if (inner) {
        unsigned place = 64u * W - set.back + set.total, word = place >> 6;
        for (unsigned i = 0; i < (unsigned)W; i++)
            stay[i] = bits[i] & (i < word ? 0 : i == word ? ~(uint64_t)0 << (place & 63) : ~(uint64_t)0);
        unsigned from = 64u * W - set.back, edge = from >> 6;
        for (unsigned i = 0; i < (unsigned)W; i++)
            bits[i] &= i < edge ? ~(uint64_t)0 : i == edge ? ((uint64_t)1 << (from & 63)) - 1 : 0;
    }
    for (int i = W - 1; i > 0; i--)
        bits[i] = bits[i] << up | bits[i - 1] >> (64 - up);
    bits[0] <<= up;
    if (inner)
        for (int i = 0; i < W; i++)
            bits[i] |= stay[i];
}

/* Say whether so many cards from the back (63 - lowest bit of `back`) and the front make a set. */
PREFIX_INLINE int prefix_fits(
    const prefix_rules *rules, uint64_t window, uint64_t back, uint64_t low, unsigned front
) {
    int cards = __builtin_popcountll(window & (0 - back)) - 1
        + __builtin_popcountll(low & (((uint64_t)2 << front) - 1)) - 1;
    return cards >= rules->min_cards && cards <= rules->max_cards;
}

/*
 * List the sets that contain the last card and none beyond the seam, of a pile that shows this window; `above`
 * is what totals the cards behind it, if it is but the front part of a pile.
 */
PREFIX_INLINE unsigned prefix_list_back(
    const prefix_rules *rules, uint64_t window, unsigned above, prefix_set *out
) {
    uint64_t sets = window & rules->totals;
    unsigned found = 0;
    if (!sets)
        return 0;
    if (rules->min_cards == 2)      /* the last card alone is none */
        sets &= ~((uint64_t)1 << (62 - __builtin_clzll(window << 1 | 2)));
    while (sets) {                  /* the greatest total last: that is tried first */
        unsigned total = (unsigned)__builtin_clzll(sets);
        uint64_t bit = (uint64_t)1 << (63 - total);
        if (!rules->sized || prefix_fits(rules, window, bit, 1, 0))
            out[found++] = (prefix_set){(uint16_t)(above + total), (uint16_t)total};
        sets ^= bit;
    }
    return found;
}

/*
 * The same as below for sets of at most PREFIX_FEW cards. What a few cards from the back total is subtracted from all
 * totals at once, by a shift of `upward`: that leaves bit y where a run y from the front makes a set of it, and bit 0
 * where none is needed. A card that is not there totals 63, which leaves nothing.
 */
PREFIX_INLINE unsigned prefix_list_few(
    const prefix_rules *rules, uint64_t window, uint64_t low, unsigned sum, prefix_set *out, const int wrap
) {
    const uint64_t top = (uint64_t)1 << 63;
    window ^= top;
    unsigned one = (unsigned)__builtin_clzll(window | 1);
    window &= ~(top >> one);
    unsigned two = (unsigned)__builtin_clzll(window | 1);
    window &= ~(top >> two);
    unsigned three = (unsigned)__builtin_clzll(window | 1), found = 0;
    uint64_t single = rules->min_cards < 2 ? rules->upward >> one : 0;
    uint64_t couple = rules->min_cards < 3 ? rules->upward >> two : 0, triple = rules->upward >> three;
    uint64_t first = 0, second = 0, with_one = 0, with_two = 0;
    if (wrap) {     /* totals less than the pile's: the two runs do not overlap, nor are they the whole pile */
        uint64_t less = rules->upward & ~(~(uint64_t)0 << (sum < 63 ? sum : 63));
        low ^= 1;
        first = low & (0 - low);
        low ^= first;
        second = low & (0 - low);
        with_one = (less >> one) & (rules->min_cards < 3 ? first | second : second);
        with_two = (less >> two) & first;
    }
    if (!(((single | couple | triple) & 1) | with_one | with_two))
        return 0;
    out[found] = (prefix_set){(uint16_t)one, (uint16_t)one};
    found += single & 1;
    if (wrap) {
        out[found] = (prefix_set){(uint16_t)one, (uint16_t)(one + (unsigned)__builtin_ctzll(first | top))};
        found += (with_one & first) != 0;
        out[found] = (prefix_set){(uint16_t)one, (uint16_t)(one + (unsigned)__builtin_ctzll(second | top))};
        found += (with_one & second) != 0;
    }
    out[found] = (prefix_set){(uint16_t)two, (uint16_t)two};
    found += couple & 1;
    if (wrap) {
        out[found] = (prefix_set){(uint16_t)two, (uint16_t)(two + (unsigned)__builtin_ctzll(first | top))};
        found += with_two != 0;
    }
    out[found] = (prefix_set){(uint16_t)three, (uint16_t)three};
    found += triple & 1;
    return found;
}

/*
 * List the sets that contain the last card. Those round the seam are looked for total by total, if it is
 * less than the pile's; without a branch, as mostly there are none.
 */
PREFIX_INLINE unsigned prefix_list_top(
    const prefix_rules *rules, uint64_t window, uint64_t low, unsigned sum, prefix_set *out,
    const int wrap, const int few
) {
    if (few)
        return prefix_list_few(rules, window, low, sum, out, wrap);
    if (!wrap)
        return prefix_list_back(rules, window, 0, out);
    const uint64_t back = window ^ (uint64_t)1 << 63, front = low ^ 1;
    uint64_t any = 0, sets[PREFIX_TOTAL];
    uint64_t straight = window & rules->totals;
    if (rules->min_cards == 2)
        straight &= ~((uint64_t)1 << (62 - __builtin_clzll(window << 1 | 2)));
    for (int i = 0; i < rules->sizes; i++) {
        unsigned total = rules->total[i];
        uint64_t less = (uint64_t)((int64_t)((uint64_t)total - sum) >> 63);
        sets[i] = back & less & front << (63 - total);
        any |= sets[i];
    }
    if (!(any | straight))
        return 0;
    unsigned found = 0;
    for (; straight; straight &= straight - 1) {
        unsigned total = 63 - (unsigned)__builtin_ctzll(straight);
        out[found] = (prefix_set){(uint16_t)total, (uint16_t)total};
        found += !rules->sized || prefix_fits(rules, window, straight & (0 - straight), 1, 0);
    }
    if (!any)
        return found;
    for (int i = 0; i < rules->sizes; i++)
        for (unsigned total = rules->total[i]; sets[i]; sets[i] &= sets[i] - 1) {
            unsigned behind = 63 - (unsigned)__builtin_ctzll(sets[i]);
            out[found] = (prefix_set){(uint16_t)behind, (uint16_t)total};
            found += !rules->sized || prefix_fits(rules, window, sets[i] & (0 - sets[i]), low, total - behind);
        }
    return found;
}

/* List the sets that start at the first card and do not contain the last one. */
PREFIX_INLINE unsigned prefix_list_front(
    const prefix_rules *rules, uint64_t low, unsigned sum, prefix_set *out
) {
    unsigned found = 0;
    for (int i = 0; i < rules->sizes && rules->total[i] < sum; i++) {
        unsigned total = rules->total[i];
        if (low >> total & 1 && prefix_fits(rules, (uint64_t)1 << 63, (uint64_t)1 << 63, low, total))
            out[found++] = (prefix_set){(uint16_t)sum, (uint16_t)total};
    }
    return found;
}

/* List all sets. */
PREFIX_INLINE unsigned prefix_list_all_words(
    const prefix_rules *rules, const uint64_t *bits, unsigned sum, prefix_set *out,
    const int W
) {
    uint64_t low = prefix_low(bits, sum, W);
    unsigned found = prefix_list_top(rules, bits[W - 1], low, sum, out, rules->wrap, prefix_is_few(rules));
    if (rules->reach == PREFIX_ENDS)
        found += prefix_list_front(rules, low, sum, out + found);
    if (rules->reach != PREFIX_ANY)
        return found;
    for (int word = W - 1; word >= 0; word--)
        for (uint64_t ends = word < W - 1 ? bits[word] : bits[word] ^ (uint64_t)1 << 63; ends; ends &= ends - 1) {
            unsigned end = 64u * (unsigned)word + (unsigned)__builtin_ctzll(ends);
            if (end < 63) {     /* the window of a part that ends in the lowest word */
                uint64_t window = bits[0] << (63 - end);
                if (window << 1)
                    found += prefix_list_back(rules, window, 64u * W - 1 - end, out + found);
            } else {
                uint64_t window = prefix_above(bits, end - 63, W);
                if (window << 1)
                    found += prefix_list_back(rules, window, 64u * W - 1 - end, out + found);
            }
        }
    return found;
}

static __attribute__((noinline)) unsigned prefix_list_all_2(
    const prefix_rules *rules, const uint64_t *bits, unsigned sum, prefix_set *out
) {
    return prefix_list_all_words(rules, bits, sum, out, 2);
}

PREFIX_RARE unsigned prefix_list_all_wide(
    const prefix_rules *rules, const uint64_t *bits, unsigned sum, prefix_set *out, int words
) {
    return prefix_list_all_words(rules, bits, sum, out, words);
}

/* List all sets: asked once a pile, so it is no part of what asks. */
PREFIX_INLINE unsigned prefix_list_all(
    const prefix_rules *rules, const uint64_t *bits, unsigned sum, prefix_set *out, const int W
) {
    return W == 2 ? prefix_list_all_2(rules, bits, sum, out) : prefix_list_all_wide(rules, bits, sum, out, W);
}

#endif
