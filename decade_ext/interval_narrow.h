/* Optional straight lines, the narrow kernel: totals m, 2m, 3m and values up to m, or at most four cards; 62 cards.
 * The idea is told in interval_plan.h. */
#ifndef INTERVAL_NARROW_H
#define INTERVAL_NARROW_H

#include "interval_plan.h"

#define INTERVAL_NOWHERE ((uint64_t)1 << 63)

typedef struct {
    /* By left end: four lanes of noughts, then the four lanes; row 63 ("nowhere") is empty. */
    uint64_t rows[64][8] __attribute__((aligned(64)));
    uint64_t same[INTERVAL_MOST_MODULUS]; /* by residue: the boundaries that have it */
    uint8_t residue[72];  /* by boundary: total of the cards before it, modulo m; 65 of them are written */
    int8_t shift[64];     /* by card: minus the levels that it adds, 0 or -1 */
    int8_t first[64];     /* by card: where to look for sets: shift, but 1 higher if the card must not go alone */
} interval_narrow;

#if defined(__SSE2__) && !defined(INTERVAL_PORTABLE)

/* x modulo m for x < 2m: if x < m, x - m wraps round to a greater byte. */
INTERVAL_INLINE __m128i interval_reduce(__m128i x, __m128i modulus)
{
    return _mm_min_epu8(x, _mm_sub_epi8(x, modulus));
}

/* Running totals modulo m by doubling, sixteen cards at a time; the masks of equal residues by comparison. */
INTERVAL_INLINE void interval_narrow_residues(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                              unsigned cards)
{
    const __m128i modulus = _mm_set1_epi8((char)plan->modulus), below = _mm_set1_epi8((char)(plan->modulus - 1));
    const __m128i alone = plan->min_cards == 1 ? _mm_setzero_si128() : modulus;
    __m128i before[4];
    uint8_t padded[64] = {0};
    unsigned carried = 0;
    memcpy(padded, values, cards);
#pragma GCC unroll 4
    for (unsigned block = 0; block < 4; block++) {
        __m128i value = _mm_loadu_si128((const __m128i *)(padded + 16 * block));
        __m128i x = interval_reduce(value, modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 1)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 2)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 4)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 8)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_set1_epi8((char)carried)), modulus);
        before[block] = _mm_or_si128(_mm_slli_si128(x, 1), _mm_cvtsi32_si128((int)carried));
        carried = (unsigned)_mm_extract_epi16(x, 7) >> 8;
        __m128i shift = _mm_cmpgt_epi8(_mm_add_epi8(before[block], value), below);
        __m128i first = _mm_sub_epi8(shift, _mm_cmpeq_epi8(value, alone));
        _mm_storeu_si128((__m128i *)(deal->residue + 16 * block), before[block]);
        _mm_storeu_si128((__m128i *)(deal->shift + 16 * block), shift);
        _mm_storeu_si128((__m128i *)(deal->first + 16 * block), first);
    }
    for (unsigned residue = 0; residue < plan->modulus; residue++) {
        __m128i wanted = _mm_set1_epi8((char)residue);
        uint64_t mask = 0;
#pragma GCC unroll 4
        for (unsigned block = 0; block < 4; block++)
            mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(before[block], wanted)) << (16 * block);
        deal->same[residue] = mask;
    }
}

#else

INTERVAL_INLINE void interval_narrow_residues(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                              unsigned cards)
{
    unsigned residue = 0;
    memset(deal->same, 0, plan->modulus * sizeof deal->same[0]);
    for (unsigned card = 0; card < cards; card++) {
        deal->residue[card] = (uint8_t)residue;
        deal->same[residue] |= (uint64_t)1 << card;
        residue += values[card];
        unsigned carry = residue >= plan->modulus;
        residue -= carry ? plan->modulus : 0;
        residue -= residue >= plan->modulus ? plan->modulus : 0;
        deal->shift[card] = (int8_t)-(int)carry;
        deal->first[card] = (int8_t)((plan->min_cards == 2 && values[card] == plan->modulus) - (int)carry);
    }
    deal->residue[cards] = (uint8_t)residue;
    deal->same[residue] |= (uint64_t)1 << cards;
}

#endif

INTERVAL_INLINE uint64_t *interval_narrow_row(const interval_narrow *deal, size_t boundary)
{
    return (uint64_t *)deal->rows[boundary] + 4;
}

/* The rows that are there before any card is: "nowhere", and behind the last card. */
INTERVAL_INLINE void interval_narrow_ends(interval_narrow *deal, unsigned cards)
{
    *(interval_row *)interval_narrow_row(deal, 63) = (interval_row){0, 0, 0, 0};
    *(interval_row *)interval_narrow_row(deal, cards) = (interval_row){(uint64_t)1 << cards, 0, 0, 0};
}

INTERVAL_INLINE void interval_narrow_prepare(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                             unsigned cards)
{
    interval_narrow_residues(deal, plan, values, cards);
    interval_narrow_ends(deal, cards);
}

/* The boundaries j >= left for which all cards from `left` to j can leave. */
INTERVAL_INLINE uint64_t interval_narrow_removable(const interval_narrow *deal, unsigned left)
{
    return interval_narrow_row(deal, left)[0] & deal->same[deal->residue[left]];
}

/* Joins three rows, and makes the boundary of `here` removable. In halves where a register holds no more, since rows
 * that do not fit one are built in memory otherwise. */
INTERVAL_INLINE void interval_narrow_join(uint64_t *row, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                                          uint64_t here, int halves)
{
    typedef uint64_t half __attribute__((vector_size(16), aligned(8), may_alias));
    if (halves) {
        ((half *)row)[0] = ((const half *)a)[0] | ((const half *)b)[0] | ((const half *)c)[0] | (half){here, 0};
        ((half *)row)[1] = ((const half *)a)[1] | ((const half *)b)[1] | ((const half *)c)[1];
    } else {
        *(interval_row *)row = *(const interval_row *)a | *(const interval_row *)b | *(const interval_row *)c |
                               (interval_row){here, 0, 0, 0};
    }
}

/* What is known of a card when the sets that it begins are looked up. */
typedef struct {
    const uint64_t *moved;   /* the row behind it, moved up */
    const uint64_t *nearest; /* the row of its nearest end */
    uint64_t ends;           /* that one among them, and "nowhere" */
} interval_narrow_sets;

INTERVAL_INLINE interval_narrow_sets interval_narrow_look(const interval_narrow *deal, const interval_plan *plan,
                                                          size_t card, int counts)
{
    const uint64_t *behind = interval_narrow_row(deal, card + 1);
    interval_narrow_sets sets = {.moved = behind + (counts ? -1 : deal->shift[card])};
    if (counts)
        sets.ends = (behind[0] & plan->counted[0]) | (behind[1] & plan->counted[1]) |
                    (behind[2] & plan->counted[2]) | (behind[3] & plan->counted[3]);
    else
        sets.ends = (behind + 1)[deal->first[card]] | sets.moved[2] | sets.moved[3];
    sets.ends = (sets.ends & deal->same[deal->residue[card]]) | INTERVAL_NOWHERE;
    sets.nearest = interval_narrow_row(deal, (unsigned)__builtin_ctzll(sets.ends));
    return sets;
}

INTERVAL_INLINE void interval_narrow_take(interval_narrow *deal, interval_narrow_sets sets, size_t card, int halves)
{
    uint64_t *row = interval_narrow_row(deal, card), ends = sets.ends & ~sets.nearest[0];
    /* Nearly always at most two ends are walked; the empty row stands in for those that there are not. */
    const uint64_t *next = interval_narrow_row(deal, (unsigned)__builtin_ctzll(ends));
    ends &= ~next[0];
    interval_narrow_join(row, sets.moved, sets.nearest, next, (uint64_t)1 << card, halves);
    while (__builtin_expect(ends != INTERVAL_NOWHERE, 0)) {
        next = interval_narrow_row(deal, (unsigned)__builtin_ctzll(ends));
        interval_narrow_join(row, row, row, next, 0, halves);
        ends &= ~next[0];
    }
}

/*
 * Eight deals, card by card, so that the processor always has seven others to work at while it waits for a row. And
 * the next deal's sets are looked up before this one's are taken: it can hold only so many steps that wait, and those
 * that follow from a row just looked up would all wait.
 */
INTERVAL_INLINE void interval_narrow_eight(interval_narrow *deals, const interval_plan *plan, unsigned cards,
                                           int counts, int halves)
{
    for (size_t card = cards; card-- > 0;) {
        interval_narrow_sets sets = interval_narrow_look(&deals[0], plan, card, counts);
#pragma GCC unroll 8
        for (unsigned k = 1; k < INTERVAL_SIDE_BY_SIDE; k++) {
            const interval_narrow_sets next = interval_narrow_look(&deals[k], plan, card, counts);
            interval_narrow_take(&deals[k - 1], sets, card, halves);
            sets = next;
        }
        interval_narrow_take(&deals[INTERVAL_SIDE_BY_SIDE - 1], sets, card, halves);
    }
}

/* Eight deals one behind the other; from the first card of each on 64 bytes can be read. */
typedef void interval_eight_kernel(interval_narrow *deals, const interval_plan *plan, const uint8_t *values,
                                   unsigned cards);

static inline void interval_narrow_plain(interval_narrow *deals, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards)
{
    for (unsigned k = 0; k < INTERVAL_SIDE_BY_SIDE; k++)
        interval_narrow_prepare(&deals[k], plan, values + (size_t)k * cards, cards);
    if (plan->kind == INTERVAL_COUNTS)
        interval_narrow_eight(deals, plan, cards, 1, 1);
    else
        interval_narrow_eight(deals, plan, cards, 0, 1);
}

#if defined(INTERVAL_AVX2)

INTERVAL_AVX2 INTERVAL_INLINE __m256i interval_reduce_32(__m256i x, __m256i modulus)
{
    return _mm256_min_epu8(x, _mm256_sub_epi8(x, modulus));
}

/* Running totals of 32 cards modulo m: within each half of the register, then those of the lower half on top. */
INTERVAL_AVX2 INTERVAL_INLINE __m256i interval_running_32(__m256i value, __m256i modulus)
{
    __m256i x = interval_reduce_32(value, modulus);
    x = interval_reduce_32(_mm256_add_epi8(x, _mm256_slli_si256(x, 1)), modulus);
    x = interval_reduce_32(_mm256_add_epi8(x, _mm256_slli_si256(x, 2)), modulus);
    x = interval_reduce_32(_mm256_add_epi8(x, _mm256_slli_si256(x, 4)), modulus);
    x = interval_reduce_32(_mm256_add_epi8(x, _mm256_slli_si256(x, 8)), modulus);
    const __m256i lower = _mm256_permute2x128_si256(x, x, 0x08); /* its lower half is nought */
    return interval_reduce_32(_mm256_add_epi8(x, _mm256_shuffle_epi8(lower, _mm256_set1_epi8(15))), modulus);
}

/* What 32 cards from `first` on do, with the residues behind them. A card that carries leaves less than its value. */
INTERVAL_AVX2 INTERVAL_INLINE void interval_write_32(interval_narrow *deal, unsigned first, __m256i value,
                                                     __m256i behind, __m256i alone)
{
    const __m256i shift = _mm256_cmpgt_epi8(value, behind);
    const __m256i look = _mm256_sub_epi8(shift, _mm256_cmpeq_epi8(value, alone));
    _mm256_storeu_si256((__m256i *)(deal->residue + first + 1), behind);
    _mm256_storeu_si256((__m256i *)(deal->shift + first), shift);
    _mm256_storeu_si256((__m256i *)(deal->first + first), look);
}

/* As interval_narrow_prepare, but reads 64 cards, whatever lies behind the last. */
INTERVAL_AVX2 INTERVAL_INLINE void interval_narrow_prepare_avx2(interval_narrow *deal, const interval_plan *plan,
                                                                const uint8_t *values, unsigned cards)
{
    const __m256i modulus = _mm256_set1_epi8((char)plan->modulus);
    const __m256i alone = plan->min_cards == 1 ? _mm256_setzero_si256() : modulus;
    const __m256i value0 = _mm256_loadu_si256((const __m256i *)values);
    const __m256i value1 = _mm256_loadu_si256((const __m256i *)(values + 32));
    const __m256i behind0 = interval_running_32(value0, modulus);
    const __m256i upper = _mm256_permute2x128_si256(behind0, behind0, 0x11);
    const __m256i before1 = _mm256_shuffle_epi8(upper, _mm256_set1_epi8(15));
    const __m256i behind1 = interval_reduce_32(
        _mm256_add_epi8(interval_running_32(value1, modulus), before1), modulus);
    deal->residue[0] = 0;
    interval_write_32(deal, 0, value0, behind0, alone);
    interval_write_32(deal, 32, value1, behind1, alone);
    __m256i wanted = _mm256_setzero_si256();
    for (unsigned residue = 0; residue < plan->modulus; residue++) {
        uint64_t mask0 = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(behind0, wanted));
        uint64_t mask1 = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(behind1, wanted));
        deal->same[residue] = (mask1 << 32 | mask0) << 1;
        wanted = _mm256_add_epi8(wanted, _mm256_set1_epi8(1));
    }
    deal->same[0] |= 1;
    interval_narrow_ends(deal, cards);
}

/* Eight deals on processors where a row is one register. */
INTERVAL_AVX2 static inline void interval_narrow_avx2(interval_narrow *deals, const interval_plan *plan,
                                                      const uint8_t *values, unsigned cards)
{
    for (unsigned k = 0; k < INTERVAL_SIDE_BY_SIDE; k++)
        interval_narrow_prepare_avx2(&deals[k], plan, values + (size_t)k * cards, cards);
    if (plan->kind == INTERVAL_COUNTS)
        interval_narrow_eight(deals, plan, cards, 1, 0);
    else
        interval_narrow_eight(deals, plan, cards, 0, 0);
}

static inline interval_eight_kernel *interval_narrow_best(void)
{
    return interval_has_avx2() ? interval_narrow_avx2 : interval_narrow_plain;
}

#else

static inline interval_eight_kernel *interval_narrow_best(void)
{
    return interval_narrow_plain;
}

#endif

/*
 * One deal alone waits for its own last row at every card, so here the lanes stay in four registers, and a guess of
 * the branch predictor is cheaper than the second row.
 */
INTERVAL_INLINE void interval_narrow_lanes(interval_narrow *deal, const interval_plan *plan, unsigned cards,
                                           int counts)
{
    uint64_t lane0 = (uint64_t)1 << cards, lane1 = 0, lane2 = 0, lane3 = 0, ends;
    for (size_t card = cards; card-- > 0;) {
        if (counts) {
            ends = (lane0 & plan->counted[0]) | (lane1 & plan->counted[1]) | (lane2 & plan->counted[2]) |
                   (lane3 & plan->counted[3]);
            lane3 = lane2, lane2 = lane1, lane1 = lane0, lane0 = 0;
        } else {
            uint64_t carry = (uint64_t)deal->shift[card];
            uint64_t not_alone = carry & ~(uint64_t)(deal->shift[card] - deal->first[card]);
            ends = lane1 | lane2 | (lane0 & not_alone) | (lane3 & ~carry);
            lane3 = carry ? lane2 : lane3;
            lane2 = carry ? lane1 : lane2;
            lane1 = carry ? lane0 : lane1;
            lane0 = carry ? 0 : lane0;
        }
        ends = (ends & deal->same[deal->residue[card]]) | INTERVAL_NOWHERE;
        do {
            const uint64_t *row = interval_narrow_row(deal, (size_t)__builtin_ctzll(ends));
            lane0 |= row[0], lane1 |= row[1], lane2 |= row[2], lane3 |= row[3];
            ends &= ~row[0];
        } while (ends != INTERVAL_NOWHERE);
        lane0 |= (uint64_t)1 << card;
        uint64_t *row = interval_narrow_row(deal, card);
        row[0] = lane0, row[1] = lane1, row[2] = lane2, row[3] = lane3;
    }
}

static inline void interval_narrow_alone(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards)
{
    interval_narrow_prepare(deal, plan, values, cards);
    if (plan->kind == INTERVAL_COUNTS)
        interval_narrow_lanes(deal, plan, cards, 1);
    else
        interval_narrow_lanes(deal, plan, cards, 0);
}

/* interval_least in one word. */
static inline int interval_narrow_least(const interval_narrow *deal, unsigned cards)
{
    uint64_t reached = 0, front = interval_narrow_removable(deal, 0);
    int k = 0;
    for (; !(front >> cards & 1); k++) {
        uint64_t fresh = front & ~reached;
        reached |= fresh;
        for (front = 0; fresh; fresh &= fresh - 1)
            front |= interval_narrow_removable(deal, (unsigned)__builtin_ctzll(fresh) + 1);
    }
    return k;
}

static inline void interval_narrow_spread(const interval_narrow *deal, unsigned cards, interval_ends *removable)
{
    for (unsigned left = 0; left <= cards; left++)
        removable[left] = interval_narrow_removable(deal, left);
}

#endif
