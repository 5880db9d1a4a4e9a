"""Declarations of ``residue.h``: forced straight lines whose totals are m, 2m, ... Km, many at a time."""

from libc.stdint cimport int16_t, int64_t, uint8_t


cdef extern from "residue.h" nogil:
    enum:
        RESIDUE_OVER
        RESIDUE_STOPPED

    ctypedef struct residue_game:
        int modulus
        int multiples
        int opening
        int64_t limit
        int (*stop)(void*) noexcept nogil   # asked now and then in long computations
        void* stop_about

    ctypedef enum residue_path:
        RESIDUE_SCALAR
        RESIDUE_VECTOR

    ctypedef struct residue_moves:
        int sets
        uint8_t* dealt
        uint8_t* end
        uint8_t* card

    int residue_has_vector()
    int residue_fits(
        const residue_game* game, int cards, const uint8_t* values, int64_t count
    )
    int residue_many(
        const uint8_t* values, int64_t deals, int cards, const residue_game* game,
        residue_path path, int16_t* remaining, int64_t* work
    )
    int residue_solve(
        const uint8_t* values, int cards, const residue_game* game, int64_t* work
    )
    int residue_find_moves(
        const uint8_t* values, int cards, const residue_game* game, int least, residue_moves* moves
    )
