/* SPDX-License-Identifier: MIT */
/*
 * silicon/range.h: ranges of instructions that run again and again, in the bytes that the process
 * of a decoder writes: their elements (element.h) once, and then a number.  Messages say where a
 * part of a buffer begins and ends (coresight_decoder.h).
 *
 * Measured on a trace of 7.6 million instructions in 1.7 million ranges: a tenth of the bytes go
 * through the pipe, and the process spends a third less beside libopencsd.
 */
#ifndef SPOOR_SILICON_RANGE_H
#define SPOOR_SILICON_RANGE_H

#include "silicon/element.h"

enum {
    RANGE_DEFINE = 0xF0, /* the elements of a range follow */
    RANGE_AGAIN,         /* they run */
    RANGE_PART_BEGIN,    /* a part of a buffer; its elements follow */
    RANGE_PART_END,      /* of that buffer: this part follows; 0: there is none */
    RANGE_NUMBERS = 1 << 16,
    RANGE_MOST = 1 << 10, /* bytes of elements; longer ranges have no number */
};
static_assert((int)ELEMENT_KINDS <= (int)RANGE_DEFINE, "kinds of their own");

struct range_define {
    uint8_t kind, reserved[3];
    uint32_t number;
    uint64_t size; /* of the elements */
};
struct range_again {
    uint8_t kind, flags; /* ELEMENT_HAS_TARGET: of the last element, a branch: */
    uint16_t reserved;
    uint32_t number;
    uint64_t target;
};
struct range_part {
    uint8_t kind, reserved[3];
    uint32_t part;
    uint64_t buffer;
};
static_assert(sizeof(struct range_part) == 16, "of the stream");
static_assert(sizeof(struct range_define) == 16 && sizeof(struct range_again) == 16,
              "of the stream");

#endif
