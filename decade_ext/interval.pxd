"""Declarations of ``interval.h``: straight lines with optional discards, decided without a search."""

from libc.stdint cimport int16_t, uint8_t, uint32_t


cdef extern from "interval.h" nogil:
    enum:
        INTERVAL_NO_MEMORY
        INTERVAL_STOPPED

    ctypedef struct interval_ends:
        # 128 bits, looked into with is_removable() only.
        pass

    ctypedef struct interval_plan:
        int plain
        int (*stop)(void*) noexcept nogil   # asked now and then in long computations
        void* stop_about

    ctypedef struct interval_answer:
        unsigned int remaining
        unsigned int sets
        uint8_t* ends
        uint8_t* cards

    void interval_plan_make(
        interval_plan* plan, const uint32_t* totals, size_t totals_size,
        unsigned int min_cards, unsigned int max_cards
    )
    int interval_decide(
        const interval_plan* plan, const uint32_t* values, unsigned int cards,
        interval_ends* removable, size_t memory_limit
    )
    int interval_least(const interval_ends* removable, unsigned int cards, uint8_t* left_over)
    int interval_remaining(
        const interval_plan* plan, const uint32_t* values, unsigned int cards, size_t memory_limit
    )
    int interval_batch(
        const interval_plan* plan, const uint8_t* values, size_t deals, unsigned int cards,
        int16_t* remaining, size_t memory_limit
    )
    int interval_play(
        const interval_plan* plan, const uint32_t* values, unsigned int cards,
        interval_answer* answer, size_t memory_limit
    )


cdef extern from *:
    """
    static inline int decade_removable(const interval_ends *removable, int left, int right) {
        return (int)(removable[left] >> right & 1);
    }
    """
    bint is_removable "decade_removable"(
        const interval_ends* removable, int left, int right
    ) noexcept nogil
