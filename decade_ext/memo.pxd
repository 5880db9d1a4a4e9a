"""The memo: a set of exact keys.

A key is a string of 64-bit words. Keys are stored whole and compared whole: the hash only says
where to look, so the memo never takes one state for another. A key must tell its own length (two
keys that agree in the words both have are of one length); then comparing as many words as the key
looked up has is comparing all.

    slots   open addressing, at most half full      keys    one after the other
    +--------+------+------------+----+             +--------+--------+---
    | offset | hash | generation | id |  --offset-->| word 0 | word 1 | ...
    +--------+------+------------+----+             +--------+--------+---

A slot counts as free unless its generation is the current one, so forgetting everything between two
deals is one addition. A memo of a few entries (``few`` > 0) overwrites what is in the way, and one of
none (``few`` = 0) remembers nothing: both cost time, never truth.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from decade_ext.budget cimport Budget, release, resize


cdef enum:
    MEMO_UNLIMITED = -1
    FIRST_SLOTS = 1 << 10
    FIRST_WORDS = 1 << 12
    KEY_WORDS = 64              # the longest key, in words

cdef enum Looked:
    NEW, KNOWN, FULL


cdef struct Slot:
    uint32_t offset
    uint32_t hash
    uint32_t generation
    uint32_t id


cdef struct Memo:
    Slot* slots
    uint64_t* keys
    size_t capacity     # slots, a power of two
    size_t words        # words that fit in keys
    size_t used         # words in use
    size_t count        # keys remembered since memo_start
    uint32_t generation
    int few             # MEMO_UNLIMITED, or how many entries at most


cdef inline void memo_free(Memo* memo, Budget* budget) noexcept nogil:
    release(budget, memo.slots, memo.capacity * sizeof(Slot))
    release(budget, memo.keys, memo.words * sizeof(uint64_t))
    memo.slots = NULL
    memo.keys = NULL
    memo.capacity = memo.words = 0


cdef inline uint32_t memo_hash(const uint64_t* key, int words) noexcept nogil:
    """Mix the words into 32 bits, in two chains that do not wait for each other."""
    cdef uint64_t even = 0x9E3779B97F4A7C15ULL, odd = 0xBF58476D1CE4E5B9ULL
    cdef int i
    for i in range(0, words - 1, 2):
        even = (even ^ key[i]) * 0xD6E8FEB86659FD93ULL
        odd = (odd ^ key[i + 1]) * 0xD6E8FEB86659FD93ULL
        even ^= even >> 32
        odd ^= odd >> 32
    if words & 1:
        even = (even ^ key[words - 1]) * 0xD6E8FEB86659FD93ULL
    even = (even ^ odd >> 29) * 0x9E3779B97F4A7C15ULL + odd
    return <uint32_t>(even ^ even >> 32)


cdef inline bint memo_same(const uint64_t* a, const uint64_t* b, int words) noexcept nogil:
    cdef int i
    for i in range(words):
        if a[i] != b[i]:
            return False
    return True


cdef inline bint memo_grow_slots(Memo* memo, Budget* budget) noexcept nogil:
    """Double the slots (both tables are held for a moment)."""
    cdef size_t i, at, capacity = memo.capacity * 2 if memo.capacity else FIRST_SLOTS
    cdef Slot* slots = <Slot*>resize(budget, NULL, 0, capacity * sizeof(Slot))
    if slots == NULL:
        return False
    memset(slots, 0, capacity * sizeof(Slot))
    for i in range(memo.capacity):
        if memo.slots[i].generation == memo.generation:
            at = memo.slots[i].hash & (capacity - 1)
            while slots[at].generation == memo.generation:
                at = (at + 1) & (capacity - 1)
            slots[at] = memo.slots[i]
    release(budget, memo.slots, memo.capacity * sizeof(Slot))
    memo.slots = slots
    memo.capacity = capacity
    return True


cdef inline bint memo_grow_keys(Memo* memo, Budget* budget) noexcept nogil:
    cdef size_t words = memo.words * 2 if memo.words else FIRST_WORDS
    if words > 0xFFFFFFFFULL:   # offsets are 32 bits wide: 32 GiB of keys
        return False
    cdef void* keys = resize(
        budget, memo.keys, memo.words * sizeof(uint64_t), words * sizeof(uint64_t)
    )
    if keys == NULL:
        return False
    memo.keys = <uint64_t*>keys
    # Comparing may look at words behind the last key: never uninitialised ones.
    memset(memo.keys + memo.words, 0, (words - memo.words) * sizeof(uint64_t))
    memo.words = words
    return True


cdef inline bint memo_start(Memo* memo, Budget* budget) noexcept nogil:
    """Forget all keys; False if memory is spent.

    What only a harder deal needed is given back, so that each deal finds the memory in the same state: what
    a limit allows does not depend on the deals before.
    """
    if memo.capacity > FIRST_SLOTS or memo.words > FIRST_WORDS:
        memo_free(memo, budget)
    memo.used = memo.count = 0
    memo.generation += 1
    if memo.generation == 0:    # after 2^32 deals a stale slot could look current
        memo.generation = 1
        if memo.capacity:
            memset(memo.slots, 0, memo.capacity * sizeof(Slot))
    if memo.few == 0:
        return True
    return ((memo.capacity or memo_grow_slots(memo, budget))
            and (memo.words or memo_grow_keys(memo, budget)))


cdef inline Looked memo_look_few(
    Memo* memo, Budget* budget, const uint64_t* key, int words
) noexcept nogil:
    """Look up in a memo of ``few`` entries: each key has one place, and the newest keeps it."""
    cdef uint32_t hash = memo_hash(key, words)
    cdef size_t at
    if memo.few == 0:
        return NEW
    while memo.words < <size_t>memo.few * KEY_WORDS:
        if not memo_grow_keys(memo, budget):
            return FULL
    at = hash % <uint32_t>memo.few
    cdef Slot* slot = &memo.slots[at]
    cdef uint64_t* stored = memo.keys + at * KEY_WORDS
    if (slot.generation == memo.generation and slot.hash == hash
            and memo_same(stored, key, words)):
        return KNOWN
    slot.generation = memo.generation
    slot.hash = hash
    memcpy(stored, key, words * sizeof(uint64_t))
    return NEW


cdef inline Looked memo_look(
    Memo* memo, Budget* budget, const uint64_t* key, int words, uint32_t* id
) noexcept nogil:
    """Look a key up and remember it; ``id`` is set to its number in order of arrival."""
    if memo.few != MEMO_UNLIMITED:
        return memo_look_few(memo, budget, key, words)
    if memo.count * 2 >= memo.capacity and not memo_grow_slots(memo, budget):
        return FULL
    if memo.used + KEY_WORDS > memo.words and not memo_grow_keys(memo, budget):
        return FULL
    cdef uint32_t hash = memo_hash(key, words)
    cdef size_t at = hash & (memo.capacity - 1)
    cdef Slot* slot = &memo.slots[at]
    while slot.generation == memo.generation:
        if slot.hash == hash and memo_same(memo.keys + slot.offset, key, words):
            id[0] = slot.id
            return KNOWN
        at = (at + 1) & (memo.capacity - 1)
        slot = &memo.slots[at]
    slot.offset = <uint32_t>memo.used
    slot.hash = hash
    slot.generation = memo.generation
    slot.id = id[0] = <uint32_t>memo.count
    memcpy(memo.keys + memo.used, key, words * sizeof(uint64_t))
    memo.used += words
    memo.count += 1
    return NEW
