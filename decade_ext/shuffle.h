/*
 * Shuffling packs of 52 with random words that are given: the same words, the same order, everywhere.
 *
 * Place i gets one of the cards in places 0 to i, for i = 51 to 1 (Fisher and Yates). The 51 choices take eight words
 * of 64 bits. A word x is a fraction x / 2^64; multiplied by the number of cards to choose from it gives the choice as
 * its whole part, and what is behind the point serves for the next choice (Brackett-Rozinsky and Lemire, "Batched
 * ranged random integer generation", 2024). With b the product of the numbers that a word has served for, the choices
 * together are floor(x b / 2^64), and x b mod 2^64 is left over. Each of the b outcomes has the same number of words
 * if those that leave less than 2^64 mod b are rejected. Less than one in 2^24 is, and then another word must be given.
 *
 * Side by side, in bytes of AVX2, 32 packs go at a time, and nothing is swapped in memory, where each swap would wait
 * for those before it. With t_i the swap of places i and c_i, place p ends with the card from place
 * t_51(t_50(...t_1(p))). So each place keeps where its card is from, up to now itself or less than i, and turn i makes
 * i of those that are c_i (and c_i of place i):
 *
 *     place      0    1    2    3    4  ...
 *     i = 1  [ 0|1  c_1                      ]   c_1 = 0: place 0 has its card from place 1 now
 *     i = 2  [  .    .   c_2                 ]   those that are c_2 are 2 from now on
 *     i = 3  [  .    .    .   c_3            ]   ...
 *
 * That is one comparison and one selection for each pair of places, 1,326 for 32 packs, and places do not depend on
 * each other: 13 at a time stay in registers while all turns go by. Choices are made for four words of a pack at
 * once and turned over, so that a row has the choices of all packs for one place, as the orders are turned back.
 *
 * Tried and dropped (ns a pack, a Zen 3 at 3.4 GHz; side by side 29, scalar 92): choices unrolled with constants 105;
 * the last place of the pack not written 117; four scalar packs in turn 86.
 */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SHUFFLE_CARDS = 52,
    SHUFFLE_WORDS = 8,
    SHUFFLE_STEPS = 7, /* choices of the first three words; the others have one less: 3 x 7 + 5 x 6 = 51 */
    SHUFFLE_NONE = -1,
};

/* By step and word: how many cards there are to choose from, and so, plus one, the place that gets the card. */
static const uint8_t shuffle_bounds[SHUFFLE_STEPS][SHUFFLE_WORDS] = {
    {52, 45, 38, 31, 25, 19, 13, 7}, {51, 44, 37, 30, 24, 18, 12, 6}, {50, 43, 36, 29, 23, 17, 11, 5},
    {49, 42, 35, 28, 22, 16, 10, 4}, {48, 41, 34, 27, 21, 15, 9, 3},  {47, 40, 33, 26, 20, 14, 8, 2},
    {46, 39, 32},
};

static inline int shuffle_steps(int word)
{
    return word < 3 ? SHUFFLE_STEPS : SHUFFLE_STEPS - 1;
}

/* ---- one pack -------------------------------------------------------------------------------------------------- */

/* Returns the first word that is rejected, or SHUFFLE_NONE. */
static inline int shuffle_one(const uint64_t *words, const uint8_t *pack, uint8_t *cards)
{
    memcpy(cards, pack, SHUFFLE_CARDS);
    uint64_t bound = SHUFFLE_CARDS;
    for (int word = 0; word < SHUFFLE_WORDS; word++) {
        uint64_t left = words[word], product = 1;
        for (int step = 0; step < shuffle_steps(word); step++, bound--) {
            __extension__ unsigned __int128 both = (unsigned __int128)left * bound;
            uint64_t choice = (uint64_t)(both >> 64);
            uint8_t card = cards[choice];
            left = (uint64_t)both;
            product *= bound;
            cards[choice] = cards[bound - 1];
            cards[bound - 1] = card;
        }
        if (left < product && left < -product % product)
            return word;
    }
    return SHUFFLE_NONE;
}

/* ---- packs side by side ---------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

#include <immintrin.h>

#define SHUFFLE_AVX2 __attribute__((target("avx2"))) static
#define SHUFFLE_INLINE SHUFFLE_AVX2 inline __attribute__((always_inline))

enum {
    SHUFFLE_SIDE_BY_SIDE = 32,
    SHUFFLE_PLACES = 13, /* that are in registers together */
};

/* Choices of four words, from the lower or the higher half of eight: in byte s of each lane that of step s. `doubt`
 * becomes true if a word leaves so little that it may be rejected. */
SHUFFLE_INLINE __m256i shuffle_choices(const uint64_t *words, int higher, int *doubt)
{
    const __m256i low_half = _mm256_set1_epi64x(UINT32_MAX);
    const __m256i x = _mm256_loadu_si256((const __m256i *)(words + 4 * higher));
    __m256i low = x, high = _mm256_srli_epi64(x, 32); /* what is left over, in the lower halves of the lanes */
    __m256i choices = _mm256_setzero_si256();
    uint64_t product[4] = {1, 1, 1, 1};
#pragma GCC unroll 7
    for (int step = 0; step < SHUFFLE_STEPS; step++) {
        uint64_t bound[4];
        if (higher && step == SHUFFLE_STEPS - 1)
            break;
#pragma GCC unroll 4
        for (int word = 0; word < 4; word++) {
            int served = step < shuffle_steps(4 * higher + word);
            bound[word] = served ? shuffle_bounds[step][4 * higher + word] : 1;
            product[word] *= bound[word];
        }
        const __m256i bounds = _mm256_setr_epi64x((long long)bound[0], (long long)bound[1], (long long)bound[2],
                                                  (long long)bound[3]);
        low = _mm256_mul_epu32(low, bounds);
        high = _mm256_add_epi64(_mm256_mul_epu32(high, bounds), _mm256_srli_epi64(low, 32));
        const __m256i choice = _mm256_andnot_si256(low_half, high);
        choices = _mm256_or_si256(choices, step < 4 ? _mm256_srli_epi64(choice, 32 - 8 * step)
                                                    : _mm256_slli_epi64(choice, 8 * step - 32));
    }
    const __m256i left = _mm256_or_si256(_mm256_slli_epi64(high, 32), _mm256_and_si256(low, low_half));
    const __m256i products = _mm256_setr_epi64x((long long)product[0], (long long)product[1], (long long)product[2],
                                                (long long)product[3]);
    /* The comparison is that of signed numbers, in the highest bit: products are positive, what is negative is more. */
    const __m256i less = _mm256_andnot_si256(left, _mm256_cmpgt_epi64(products, left));
    *doubt |= _mm256_movemask_pd(_mm256_castsi256_pd(less));
    return choices;
}

/* Turns sixteen rows of sixteen bytes over, in each half of the registers. */
SHUFFLE_INLINE void shuffle_turn(__m256i rows[16])
{
#pragma GCC unroll 4
    for (int round = 0; round < 4; round++) {
        __m256i next[16];
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) {
            next[2 * k] = _mm256_unpacklo_epi8(rows[k], rows[k + 8]);
            next[2 * k + 1] = _mm256_unpackhi_epi8(rows[k], rows[k + 8]);
        }
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++)
            rows[k] = next[k];
    }
}

/* The choices of 32 packs, by place. Returns whether a word may have to be rejected. */
SHUFFLE_INLINE int shuffle_choose(const uint64_t *words, __m256i choices[SHUFFLE_CARDS])
{
    __m128i drawn[SHUFFLE_SIDE_BY_SIDE][4];
    int doubt = 0;
    for (int pack = 0; pack < SHUFFLE_SIDE_BY_SIDE; pack++, words += SHUFFLE_WORDS) {
        _mm256_storeu_si256((__m256i *)&drawn[pack][0], shuffle_choices(words, 0, &doubt));
        _mm256_storeu_si256((__m256i *)&drawn[pack][2], shuffle_choices(words, 1, &doubt));
    }
    choices[0] = _mm256_setzero_si256();
    for (int pair = 0; pair < 4; pair++) {
        __m256i rows[16];
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++)
            rows[k] = _mm256_inserti128_si256(_mm256_castsi128_si256(drawn[k][pair]), drawn[k + 16][pair], 1);
        shuffle_turn(rows);
        for (int word = 2 * pair; word < 2 * pair + 2; word++)
            for (int step = 0; step < shuffle_steps(word); step++)
                choices[shuffle_bounds[step][word] - 1] = rows[8 * (word & 1) + step];
    }
    return doubt;
}

/* Where the card of each place is from. */
SHUFFLE_INLINE void shuffle_trace(const __m256i choices[SHUFFLE_CARDS], __m256i from[SHUFFLE_CARDS])
{
    for (int first = 0; first < SHUFFLE_CARDS; first += SHUFFLE_PLACES) {
        __m256i place[SHUFFLE_PLACES];
#pragma GCC unroll 13
        for (int k = 0; k < SHUFFLE_PLACES; k++) {
            const __m256i choice = choices[first + k], here = _mm256_set1_epi8((char)(first + k));
#pragma GCC unroll 13
            for (int earlier = 0; earlier < k; earlier++)
                place[earlier] = _mm256_blendv_epi8(place[earlier], here, _mm256_cmpeq_epi8(place[earlier], choice));
            place[k] = choice;
        }
        for (int turn = first + SHUFFLE_PLACES; turn < SHUFFLE_CARDS; turn++) {
            const __m256i choice = choices[turn], here = _mm256_set1_epi8((char)turn);
#pragma GCC unroll 13
            for (int k = 0; k < SHUFFLE_PLACES; k++)
                place[k] = _mm256_blendv_epi8(place[k], here, _mm256_cmpeq_epi8(place[k], choice));
        }
#pragma GCC unroll 13
        for (int k = 0; k < SHUFFLE_PLACES; k++)
            from[first + k] = place[k];
    }
}

/* What lies at the places of the pack, which has four tables of sixteen: bits 4 and 5 of a place say which. */
SHUFFLE_INLINE __m256i shuffle_look_up(const __m256i pack[4], __m256i place)
{
    const __m256i bit4 = _mm256_slli_epi16(place, 3), bit5 = _mm256_slli_epi16(place, 2); /* now the highest */
    const __m256i lower = _mm256_blendv_epi8(_mm256_shuffle_epi8(pack[0], place), _mm256_shuffle_epi8(pack[1], place),
                                             bit4);
    const __m256i upper = _mm256_blendv_epi8(_mm256_shuffle_epi8(pack[2], place), _mm256_shuffle_epi8(pack[3], place),
                                             bit4);
    return _mm256_blendv_epi8(lower, upper, bit5);
}

/* Returns whether a word may have to be rejected; the cards are void then. */
SHUFFLE_AVX2 int shuffle_side_by_side(const uint64_t *words, const uint8_t *pack, uint8_t *cards)
{
    __m256i choices[SHUFFLE_CARDS], from[SHUFFLE_CARDS], tables[4];
    uint8_t padded[64] = {0};
    if (shuffle_choose(words, choices))
        return 1;
    shuffle_trace(choices, from);
    memcpy(padded, pack, SHUFFLE_CARDS);
    for (int k = 0; k < 4; k++)
        tables[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(padded + 16 * k)));
    for (int block = 0; block < 4; block++) {
        const int first = block < 3 ? 16 * block : SHUFFLE_CARDS - 16; /* the last block overlaps the one before */
        uint8_t *lower = cards + first, *upper = lower + 16 * SHUFFLE_CARDS;
        __m256i rows[16];
        for (int k = 0; k < 16; k++)
            rows[k] = shuffle_look_up(tables, from[first + k]);
        shuffle_turn(rows);
        for (int k = 0; k < 16; k++) {
            _mm_storeu_si128((__m128i *)(lower + k * SHUFFLE_CARDS), _mm256_castsi256_si128(rows[k]));
            _mm_storeu_si128((__m128i *)(upper + k * SHUFFLE_CARDS), _mm256_extracti128_si256(rows[k], 1));
        }
    }
    return 0;
}

static inline int shuffle_has_vector(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

#else

enum { SHUFFLE_SIDE_BY_SIDE = 1 };

static inline int shuffle_side_by_side(const uint64_t *words, const uint8_t *pack, uint8_t *cards)
{
    return shuffle_one(words, pack, cards) != SHUFFLE_NONE;
}

static inline int shuffle_has_vector(void)
{
    return 0;
}

#endif

/* Returns the first deal that has a rejected word, and which in `word`, or `deals` and SHUFFLE_NONE; the deals from
 * there on are not made. */
static inline size_t shuffle_packs(const uint64_t *words, const uint8_t *pack, uint8_t *cards, size_t deals,
                                   int vector, int *word)
{
    size_t deal = 0;
    *word = SHUFFLE_NONE;
    while (deal < deals) {
        size_t group = deals - deal;
        if (group >= SHUFFLE_SIDE_BY_SIDE) {
            group = SHUFFLE_SIDE_BY_SIDE;
            if (vector && !shuffle_side_by_side(words + SHUFFLE_WORDS * deal, pack, cards + SHUFFLE_CARDS * deal)) {
                deal += group;
                continue;
            }
        }
        for (; group; group--, deal++) {
            *word = shuffle_one(words + SHUFFLE_WORDS * deal, pack, cards + SHUFFLE_CARDS * deal);
            if (*word != SHUFFLE_NONE)
                return deal;
        }
    }
    return deals;
}

#endif
