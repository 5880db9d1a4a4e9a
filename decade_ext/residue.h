/* Forced straight lines decided by residues, many deals side by side, and what callers use. The idea, the state and the
 * proofs are told in residue_plays.h.
 *
 * Tried and dropped. ns a pack without the shuffle, in turn on one machine (AVX2); this file takes 160.
 *
 *   16-bit pieces in 16 lanes             154, but 104 cards take 10 to 20 % longer, and seven copies of the loop
 *   batches of 64 packs, of 128           6 % longer, no gain
 *   deals read in words, cut into pieces
 *     by vectors                          155, for one more structure
 *   asking for splits wherever a set
 *     removes an open ten                 about 210: that is one turn in four, and no branch predictor knows it
 *   settling forks by recursion, one
 *     open ten at a time                  175
 *   unsigned __int128 for the scalar
 *     search                              a quarter slower, and no faster for 104 cards
 *   stopping at the first play that wins  the lanes run in step and have nothing to stop; the work would depend on the path
 */
#ifndef RESIDUE_H
#define RESIDUE_H

#include "residue_moves.h"
#include "residue_plays.h"

/* ---- plays side by side ---- */

#if RESIDUE_LANES

typedef uint32_t residue_vector __attribute__((vector_size(4 * RESIDUE_LANES)));
typedef int32_t residue_signed __attribute__((vector_size(4 * RESIDUE_LANES)));
typedef union {
    residue_vector all;
    uint32_t at[RESIDUE_LANES];
} residue_lanes;

enum {
    RESIDUE_PIECES = 4,   /* 32-bit pieces of the two words: piece 0 is the high half of word 0 */
    RESIDUE_GROUPS = 64,  /* of RESIDUE_LANES plays, in a front */
    RESIDUE_NARROW = 96,  /* deals in a batch: up to 62 cards */
    RESIDUE_WIDE = 64,    /* and above */
    RESIDUE_ROOM = RESIDUE_GROUPS * RESIDUE_LANES,
};

/* 32 boundaries of one group of plays: what changes, and what each play keeps of its deal. */
typedef struct {
    residue_lanes alive, ten, either, digit[RESIDUE_DIGITS], carry, lone;
} residue_piece;

typedef struct {
    residue_piece piece[RESIDUE_PIECES];
} residue_group;

/* All plays of a batch. */
typedef struct {
    residue_group group[RESIDUE_GROUPS];
    uint8_t deal[RESIDUE_ROOM]; /* whose play it is, by place in the batch */
    int plays;
} residue_front;

/* Population counts of the bytes. */
RESIDUE_TARGET RESIDUE_INLINE residue_vector residue_byte_ones(residue_vector x) {
#if defined(RESIDUE_AVX2)
    const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2,
                                          3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256((__m256i)x, nibble);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16((__m256i)x, 4), nibble);
    return (residue_vector)_mm256_add_epi8(_mm256_shuffle_epi8(ones, low), _mm256_shuffle_epi8(ones, high));
#elif defined(RESIDUE_NEON)
    return (residue_vector)vcntq_u8((uint8x16_t)x);
#else
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (x + (x >> 4)) & 0x0f0f0f0fu;
#endif
}

/* The sum of each lane's bytes, which must stay below 128: at most 2 x 4 words of 32 bits are ever counted together. */
RESIDUE_TARGET RESIDUE_INLINE residue_signed residue_sum_bytes(residue_vector x) {
#if defined(RESIDUE_AVX2)
    const __m256i pairs = _mm256_maddubs_epi16((__m256i)x, _mm256_set1_epi8(1));
    return (residue_signed)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
#else
    x = (x & 0x00ff00ffu) + ((x >> 8) & 0x00ff00ffu);
    return (residue_signed)((x + (x >> 16)) & 0xffffu);
#endif
}

/* Which lanes are not zero, lane 0 lowest; the lanes are all ones or zero. */
RESIDUE_TARGET RESIDUE_INLINE unsigned residue_which(residue_vector mask) {
#if defined(RESIDUE_AVX2)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    unsigned which = 0;
    for (int lane = 0; lane < RESIDUE_LANES; lane++) which |= (mask[lane] & 1) << lane;
    return which;
#endif
}

RESIDUE_TARGET RESIDUE_INLINE int residue_any(residue_vector x) {
#if defined(RESIDUE_AVX2)
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#elif defined(RESIDUE_NEON)
    return vmaxvq_u32((uint32x4_t)x) != 0;
#else
    uint64_t half[2];
    memcpy(half, &x, sizeof half);
    return (half[0] | half[1]) != 0;
#endif
}

/* The 32 bits of a piece, in words, and the way back. */
RESIDUE_INLINE uint32_t residue_cut(const uint64_t *words, int piece) {
    return (uint32_t)(words[piece / 2] >> (piece % 2 ? 0 : 32));
}

RESIDUE_INLINE void residue_join(uint64_t *words, int piece, uint32_t bits) {
    words[piece / 2] |= (uint64_t)bits << (piece % 2 ? 0 : 32);
}

/* ---- reading deals into lanes ---- */

/* What a deal says about its boundaries. Those that it does not have get residue 15 and nothing else: cards laid
 * there take only each other, carry nothing and bear no ten. */
typedef struct {
    uint64_t digit[RESIDUE_DIGITS][RESIDUE_WORDS], carry[RESIDUE_WORDS], lone[RESIDUE_WORDS];
    int last, either;
} residue_record;

#if defined(RESIDUE_AVX2)

/* x modulo `modulus`, byte by byte, for x < 2 * most * modulus with `most` a power of two; what is smaller wraps
 * round to more. */
RESIDUE_TARGET RESIDUE_INLINE __m256i residue_reduce(__m256i x, int most, int modulus) {
    RESIDUE_UNROLL
    for (; most; most /= 2) x = _mm256_min_epu8(x, _mm256_sub_epi8(x, _mm256_set1_epi8((char)(most * modulus))));
    return x;
}

/* The residues after each of 32 cards, where `before` holds the residue before them in every byte. Sixteen tens sum
 * to 16 m, which the first reduction leaves at m; the second, of at most m + m + (m - 1), puts it right. */
RESIDUE_TARGET RESIDUE_INLINE __m256i residue_prefix(__m256i values, __m256i before, int modulus) {
    __m256i sum = _mm256_add_epi8(values, _mm256_slli_si256(values, 1));
    sum = _mm256_add_epi8(sum, _mm256_slli_si256(sum, 2));
    sum = _mm256_add_epi8(sum, _mm256_slli_si256(sum, 4));
    sum = _mm256_add_epi8(sum, _mm256_slli_si256(sum, 8));
    sum = residue_reduce(sum, 8, modulus);
    const __m256i low = _mm256_shuffle_epi8(sum, _mm256_set1_epi8(15));
    sum = _mm256_add_epi8(sum, _mm256_add_epi8(before, _mm256_permute2x128_si256(low, low, 0x08)));
    return residue_reduce(sum, 2, modulus);
}

/* The top bits of 64 bytes, the first byte's highest. */
RESIDUE_TARGET RESIDUE_INLINE uint64_t residue_signs(__m256i first, __m256i second) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(first) << 32 | (uint32_t)_mm256_movemask_epi8(second);
}

RESIDUE_TARGET RESIDUE_INLINE __m256i residue_reverse(__m256i x) {
    const __m256i order = _mm256_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9,
                                           8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(x, order), 0x4e);
}

/* Puts bits, the first highest, at the boundaries after `last`. */
RESIDUE_INLINE void residue_append(uint64_t word[RESIDUE_WORDS], uint64_t bits, int last, int starts) {
    if (starts) {
        word[0] = bits >> 1;
        word[1] = bits << 63;
    } else if (last < 63) {
        word[0] |= bits >> (last + 1);
        word[1] |= bits << (63 - last);
    } else {
        word[1] |= bits >> (last - 63);
    }
}

/* Reads up to 64 cards after residue `residue` and returns the residue after them; 64 bytes must be readable. `odd`
 * gets whether the card below each boundary has an odd place in the deal, counted from 0. */
RESIDUE_TARGET RESIDUE_INLINE int residue_read_half(residue_record *record, uint64_t odd[RESIDUE_WORDS], const uint8_t *values,
                                                    int cards, int modulus, int residue, int starts) {
    const __m256i last_byte = _mm256_set1_epi8(15), tens = _mm256_set1_epi8((char)modulus);
    __m256i first = _mm256_loadu_si256((const __m256i *)values);
    __m256i second = _mm256_loadu_si256((const __m256i *)(values + 32));
    __m256i residue1 = residue_prefix(first, _mm256_set1_epi8((char)residue), modulus);
    const __m256i between = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(residue1, 0xff), last_byte);
    __m256i residue2 = residue_prefix(second, between, modulus);
    const int after = _mm256_extract_epi8(residue2, 31);
    first = residue_reverse(first);
    second = residue_reverse(second);
    residue1 = residue_reverse(residue1);
    residue2 = residue_reverse(residue2);
    const uint64_t ten = residue_signs(_mm256_cmpeq_epi8(first, tens), _mm256_cmpeq_epi8(second, tens));
    const uint64_t carry = residue_signs(_mm256_cmpgt_epi8(first, residue1), _mm256_cmpgt_epi8(second, residue2));
    const uint64_t keep = ~ten & residue_up_to(cards - 1, 0);
    const int count = (int)_mm_popcnt_u64(keep), last = starts ? 0 : record->last;
    const int shift = (64 - count) & 63; /* with no card there is no bit to shift */
    residue_append(record->carry, _pext_u64(carry, keep) << shift, last, starts);
    residue_append(odd, _pext_u64(0x5555555555555555u, keep) << shift, last, starts);
    RESIDUE_UNROLL
    for (int k = 0; k < RESIDUE_DIGITS; k++) {
        const uint64_t digit = residue_signs(_mm256_slli_epi16(residue1, 7 - k), _mm256_slli_epi16(residue2, 7 - k));
        residue_append(record->digit[k], _pext_u64(digit, keep) << shift, last, starts);
    }
    record->last = last + count;
    return after;
}

/* Reads a deal of which `readable` bytes from `values` on may be read. The number of tens between two cards is odd if
 * their places are both odd or both even; boundary 0 counts as place -1, and the end as a place too. */
RESIDUE_TARGET RESIDUE_INLINE void residue_record_deal(residue_record *record, const uint8_t *values, int cards,
                                                       const residue_game *game, int64_t readable, int words) {
    uint8_t copy[64 * RESIDUE_WORDS];
    uint64_t odd[RESIDUE_WORDS];
    const uint8_t *from = values;
    if (readable < 64 * words) {
        memset(copy, 0, sizeof copy);
        memcpy(copy, values, (size_t)cards);
        from = copy;
    }
    const int residue = residue_read_half(record, odd, from, cards < 64 ? cards : 64, game->modulus, 0, 1);
    if (words > 1 && cards > 64) residue_read_half(record, odd, from + 64, cards - 64, game->modulus, residue, 0);
    const int end = record->last + 1;
    odd[0] |= residue_bit(0);
    if (cards % 2) odd[words == 1 ? 0 : end / 64] |= residue_bit(end);
    const uint64_t next[RESIDUE_WORDS] = {odd[0] << 1 | odd[1] >> 63, odd[1] << 1};
    RESIDUE_UNROLL
    for (int w = 0; w < words; w++) {
        const uint64_t present = words == 1 ? ~(~(uint64_t)0 >> end) : residue_up_to(record->last, w);
        RESIDUE_UNROLL
        for (int k = 0; k < RESIDUE_DIGITS; k++) record->digit[k][w] |= ~present;
        record->lone[w] = ~(odd[w] ^ next[w]) & present;
    }
    record->either = residue_opens_either(values, cards, game);
}

#else

RESIDUE_INLINE void residue_record_deal(residue_record *record, const uint8_t *values, int cards, const residue_game *game,
                                        int64_t readable, int words) {
    residue_deal deal;
    (void)readable;
    residue_read(&deal, values, cards, game);
    for (int w = 0; w < words; w++) {
        for (int k = 0; k < RESIDUE_DIGITS; k++) {
            record->digit[k][w] = ~residue_up_to(deal.last, w);
            for (int r = 1; r < game->modulus; r++) record->digit[k][w] |= r >> k & 1 ? deal.same[r][w] : 0;
        }
        record->carry[w] = deal.carry[w];
        record->lone[w] = deal.lone[w];
    }
    record->last = deal.last;
    record->either = deal.either;
}

#endif

/* Starts the play of a deal in lane `lane` of a group, and returns the deal's last boundary. */
RESIDUE_TARGET RESIDUE_INLINE int residue_start(residue_group *group, int lane, const uint8_t *values, int cards,
                                                const residue_game *game, int64_t readable, int words) {
    const uint32_t bottom = (uint32_t)1 << 31;
    residue_record record;
    residue_record_deal(&record, values, cards, game, readable, words);
    if (lane == 0) memset(group, 0, sizeof *group);
    RESIDUE_UNROLL
    for (int p = 0; p < 2 * words; p++) {
        residue_piece *piece = &group->piece[p];
        RESIDUE_UNROLL
        for (int k = 0; k < RESIDUE_DIGITS; k++) piece->digit[k].at[lane] = residue_cut(record.digit[k], p);
        piece->carry.at[lane] = residue_cut(record.carry, p);
        piece->lone.at[lane] = residue_cut(record.lone, p);
    }
    residue_piece *lowest = &group->piece[0];
    lowest->alive.at[lane] = bottom;
    lowest->either.at[lane] = record.either ? bottom : 0;
    lowest->ten.at[lane] = record.either ? 0 : bottom & residue_cut(record.lone, 0);
    return record.last;
}

/* ---- laying a card in all plays ---- */

/* The lines of a group whose plays split, before sets are taken. */
typedef struct {
    struct {
        residue_lanes alive, ten, either, open;
    } piece[RESIDUE_PIECES];
    residue_lanes need, spare;
} residue_splits;

/* Adds a play that shares its deal with lane `lane` of group `g`; 0 if the front is full. */
RESIDUE_TARGET RESIDUE_INLINE int residue_add(residue_front *front, int g, int lane, int pieces, const residue_line *line) {
    if (front->plays == RESIDUE_ROOM) return 0;
    const residue_group *from = &front->group[g];
    residue_group *to = &front->group[front->plays / RESIDUE_LANES];
    const int at = front->plays % RESIDUE_LANES;
    if (at == 0) memset(to, 0, sizeof *to);
    for (int p = 0; p < pieces; p++) {
        residue_piece *piece = &to->piece[p];
        piece->alive.at[at] = residue_cut(line->alive, p);
        piece->ten.at[at] = residue_cut(line->ten, p);
        piece->either.at[at] = residue_cut(line->either, p);
        RESIDUE_UNROLL
        for (int k = 0; k < RESIDUE_DIGITS; k++) piece->digit[k].at[at] = from->piece[p].digit[k].at[lane];
        piece->carry.at[at] = from->piece[p].carry.at[lane];
        piece->lone.at[at] = from->piece[p].lone.at[lane];
    }
    front->deal[front->plays++] = front->deal[g * RESIDUE_LANES + lane];
    return 1;
}

/* Adds the plays of one lane that keep the card; 0 if the front is full. */
RESIDUE_TARGET static inline int residue_split(residue_front *front, int g, int lane, const residue_splits *splits,
                                               int pieces, int all_pieces) {
    residue_fork stack[RESIDUE_FORKS];
    residue_line line;
    int height = 1;
    stack[0] = (residue_fork){.need = (int)splits->need.at[lane], .spare = (int)splits->spare.at[lane]};
    for (int p = 0; p < pieces; p++) {
        residue_join(stack[0].line.alive, p, splits->piece[p].alive.at[lane]);
        residue_join(stack[0].line.ten, p, splits->piece[p].ten.at[lane]);
        residue_join(stack[0].line.either, p, splits->piece[p].either.at[lane]);
        residue_join(stack[0].open, p, splits->piece[p].open.at[lane]);
    }
    while (height) {
        height = residue_settle(stack, height, &line);
        if (!residue_add(front, g, lane, all_pieces, &line)) return 0;
    }
    return 1;
}

/* Lays `card`, whose boundary is in piece `pieces` - 1, in the plays of group `g`, of which the front has `plays` in
 * all; 0 if the front is full. The steps are those of residue_lay. Lanes without a play do as their bits say, but are
 * asked for no plays that split off. */
RESIDUE_TARGET RESIDUE_INLINE int residue_lay_group(residue_front *front, int g, int plays, int card, int pieces,
                                                    int all_pieces, int multiples) {
    residue_piece *piece = front->group[g].piece;
    const residue_vector zero = {0};
    const residue_vector bit = zero + ((uint32_t)1 << (31 - card % 32));
    const int top = pieces - 1;
    residue_vector alive[RESIDUE_PIECES], above[RESIDUE_PIECES], target[RESIDUE_PIECES], opens[RESIDUE_PIECES];
    residue_vector off[RESIDUE_DIGITS]; /* ones where the card's residue has digit 0: then digits that differ agree */
    residue_vector missing = ~zero, ones = zero, open = zero, several = zero;

    RESIDUE_UNROLL
    for (int k = 0; k < RESIDUE_DIGITS; k++) off[k] = (residue_vector)((piece[top].digit[k].all & bit) == 0);
    RESIDUE_UNROLL
    for (int p = top; p >= 0; p--) {
        residue_vector seen = piece[p].alive.all;
        RESIDUE_UNROLL
        for (int k = 0; k < RESIDUE_DIGITS; k++) seen &= piece[p].digit[k].all ^ off[k];
        above[p] = (seen - 1) & ~seen & missing;
        target[p] = seen & -seen & missing;
        missing &= (residue_vector)(seen == 0);
        alive[p] = p == top ? piece[p].alive.all | bit : piece[p].alive.all;
        ones += residue_byte_ones(alive[p] & piece[p].carry.all & above[p]);
        ones += residue_byte_ones(piece[p].ten.all & above[p]);
        opens[p] = piece[p].either.all & above[p];
        several |= opens[p] & (opens[p] - 1);
        if (p < top) several |= (residue_vector)(open != 0) & opens[p];
        open |= opens[p];
    }
    const residue_signed distance = residue_sum_bytes(ones), limit = (residue_signed)zero + multiples;
    const residue_vector take = ~missing & (residue_vector)(distance <= limit);
    const residue_vector less = (residue_vector)(distance < limit);
    const residue_vector lone = piece[top].lone.all & bit;
    const residue_vector flips = take & (residue_vector)(lone != 0);

    /* With one open ten and distance < K no play splits: most turns end the question here. */
    residue_splits splits;
    unsigned which = 0;
    if (__builtin_expect(residue_any(((open & ~less) | several) & take), 0)) {
        residue_vector open_ones = zero;
        RESIDUE_UNROLL
        for (int p = 0; p < pieces; p++) {
            splits.piece[p].alive.all = alive[p];
            splits.piece[p].ten.all = p == top ? piece[p].ten.all | lone : piece[p].ten.all;
            splits.piece[p].either.all = piece[p].either.all;
            splits.piece[p].open.all = opens[p];
            open_ones += residue_byte_ones(opens[p]);
        }
        const residue_signed need = limit + 1 - distance, spare = residue_sum_bytes(open_ones) - need;
        splits.need.all = (residue_vector)need;
        splits.spare.all = (residue_vector)spare;
        which = residue_which(take & (residue_vector)(spare >= 0));
        const int here = plays - g * RESIDUE_LANES;
        if (here < RESIDUE_LANES) which &= (1u << here) - 1;
    }
    RESIDUE_UNROLL
    for (int p = 0; p < pieces; p++) {
        const residue_vector keep = ~(above[p] & take);
        const residue_vector ten = piece[p].ten.all & keep, choice = ten & target[p] & less;
        const residue_vector either = (piece[p].either.all & keep) | choice;
        piece[p].alive.all = alive[p] & keep;
        piece[p].either.all = either;
        piece[p].ten.all = (ten ^ choice) ^ (target[p] & flips & ~either);
        if (p == top) piece[p].ten.all |= lone & ~take;
    }
    for (; which; which &= which - 1)
        if (!residue_split(front, g, __builtin_ctz(which), &splits, pieces, all_pieces)) return 0;
    return 1;
}

/* Lays `card` in all plays, the last group first, so that the plays this adds are not asked again; 0 if the front is
 * full. */
RESIDUE_TARGET RESIDUE_INLINE int residue_lay_all(residue_front *front, int card, int pieces, int all_pieces, int multiples) {
    const int plays = front->plays;
    for (int g = (plays - 1) / RESIDUE_LANES; g >= 0; g--)
        if (!residue_lay_group(front, g, plays, card, pieces, all_pieces, multiples)) return 0;
    return 1;
}

/* What every play leaves goes to its deal. Boundaries that a deal does not have are those of residue 15. */
RESIDUE_TARGET static inline void residue_collect(const residue_front *front, int pieces, int16_t *remaining, int64_t *work) {
    for (int g = 0; g * RESIDUE_LANES < front->plays; g++) {
        residue_vector ones = {0};
        for (int p = 0; p < pieces; p++) {
            const residue_piece *piece = &front->group[g].piece[p];
            residue_vector absent = piece->digit[0].all;
            for (int k = 1; k < RESIDUE_DIGITS; k++) absent &= piece->digit[k].all;
            ones += residue_byte_ones(piece->alive.all & ~absent) + residue_byte_ones(piece->ten.all);
        }
        const residue_lanes left = {(residue_vector)residue_sum_bytes(ones) - 1}; /* the bottom is no card */
        for (int i = 0; i < RESIDUE_LANES && g * RESIDUE_LANES + i < front->plays; i++) {
            const int deal = front->deal[g * RESIDUE_LANES + i];
            const int16_t rest = (int16_t)left.at[i];
            remaining[deal] = rest < remaining[deal] ? rest : remaining[deal];
            work[deal]++;
        }
    }
}

/* One batch; 0 if it has more plays than the front holds. */
RESIDUE_TARGET static inline int residue_batch(residue_front *front, const uint8_t *values, int deals, int cards,
                                               const residue_game *game, int64_t readable, int16_t *remaining,
                                               int64_t *work) {
    const int multiples = game->multiples;
    int last = 0;
    for (int i = 0; i < deals; i++) {
        residue_group *group = &front->group[i / RESIDUE_LANES];
        const int lane = i % RESIDUE_LANES;
        const uint8_t *deal = values + i * cards;
        const int its_last = cards < 63 ? residue_start(group, lane, deal, cards, game, readable - i * cards, 1)
                                        : residue_start(group, lane, deal, cards, game, readable - i * cards, 2);
        last = its_last > last ? its_last : last;
        front->deal[i] = (uint8_t)i;
        remaining[i] = (int16_t)cards;
        work[i] = 0;
    }
    const int pieces = last / 32 + 1;
    front->plays = deals;
    int room = 1;
    for (int card = 1; room && card <= last && card < 32; card++) room = residue_lay_all(front, card, 1, pieces, multiples);
    for (int card = 32; room && card <= last && card < 64; card++) room = residue_lay_all(front, card, 2, pieces, multiples);
    for (int card = 64; room && card <= last && card < 96; card++) room = residue_lay_all(front, card, 3, pieces, multiples);
    for (int card = 96; room && card <= last; card++) room = residue_lay_all(front, card, 4, pieces, multiples);
    if (room) residue_collect(front, pieces, remaining, work);
    return room;
}

/* Returns 0 or RESIDUE_STOPPED. */
RESIDUE_TARGET static inline int residue_many_vector(const uint8_t *values, int64_t deals, int cards,
                                                     const residue_game *game, int16_t *remaining, int64_t *work) {
    residue_front front;
    const int step = cards < 63 ? RESIDUE_NARROW : RESIDUE_WIDE;
    for (int64_t done = 0; done < deals; done += step) {
        const int batch = deals - done < step ? (int)(deals - done) : step;
        const uint8_t *first = values + done * cards;
        if (!residue_batch(&front, first, batch, cards, game, (deals - done) * cards, remaining + done, work + done)) {
            if (residue_many_scalar(first, batch, cards, game, remaining + done, work + done)) return RESIDUE_STOPPED;
            continue;
        }
        for (int64_t i = done; i < done + batch; i++) {
            if (work[i] <= game->limit) continue;
            work[i] = game->limit + 1;
            remaining[i] = RESIDUE_OVER;
        }
        if (game->stop(game->stop_about)) return RESIDUE_STOPPED;
    }
    return 0;
}

#endif /* RESIDUE_LANES */

/* ---- for the caller ---- */

static inline int residue_has_vector(void) {
#if defined(RESIDUE_AVX2)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return RESIDUE_LANES > 0;
#endif
}

/* Decides deals for which residue_fits. values: (deals, cards), row by row; remaining, work: (deals). The smallest
 * remainder over all plays, or RESIDUE_OVER for a deal with more plays than the limit, and the number of plays (limit
 * + 1 then). Every path gives the same numbers. Returns 0, or RESIDUE_STOPPED, with part of the deals decided. */
static inline int residue_many(const uint8_t *values, int64_t deals, int cards, const residue_game *game, residue_path path,
                               int16_t *remaining, int64_t *work) {
#if RESIDUE_LANES
    if (path == RESIDUE_VECTOR) return residue_many_vector(values, deals, cards, game, remaining, work);
#endif
    (void)path;
    return residue_many_scalar(values, deals, cards, game, remaining, work);
}

#endif
