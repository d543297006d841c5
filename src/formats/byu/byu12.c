/* SPDX-License-Identifier: MIT */
/*
 * byu12.c: BYU address traces of 12 bytes a record, and of 16 and 24.
 *
 * The published format has addresses and times of 32 bits.  A converter packs the same fields into
 * 16 bytes, with an address of 64 bits.  The published struct as a 64-bit compiler lays it out has
 * 24: both longs are 8 bytes, and four bytes of padding precede the time; padding that is not zero
 * is kept.
 */
#include "formats/byu/byu.h"

static const struct byu_shape shape12 = {.address = 4, .padding = 0, .time = 4, .record = 12},
                              shape16 = {.address = 8, .padding = 0, .time = 4, .record = 16},
                              shape24 = {.address = 8, .padding = 4, .time = 8, .record = 24};

/* Each shape has a loop of its own, for which it is a constant. */
static void byu12_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    switch (decoder->format->record_size) {
    case 12: byu_decode(batch, shape12); break;
    case 16: byu_decode(batch, shape16); break;
    case 24: byu_decode(batch, shape24); break;
    }
}

static void byu12_project(const struct decoder *decoder, const struct projection *projection,
                          struct spoor_batch *batch)
{
    switch (decoder->format->record_size) {
    case 12: byu_project(projection, batch, shape12); break;
    case 16: byu_project(projection, batch, shape16); break;
    case 24: byu_project(projection, batch, shape24); break;
    }
}

#define BYU_FIELDS(more)                                                                       \
    {                                                                                          \
        [SPOOR_BUS] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) |      \
                      SPOOR_FIELD_BIT(SIZE) | SPOOR_FIELD_BIT(TYPE) | SPOOR_FIELD_BIT(DELTA) | \
                      SPOOR_FIELD_BIT(ATTR) | SPOOR_FIELD_BIT(AGENT) | (more),                 \
        [SPOOR_MEM] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) |      \
                      SPOOR_FIELD_BIT(SIZE),                                                   \
        [SPOOR_INSN] =                                                                         \
            SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(PC_PA) | SPOOR_FIELD_BIT(OPCODE_SIZE),     \
        [SPOOR_UOP] = SPOOR_FIELD_BIT(LDST),                                                   \
    }
#define BYU_FUNCTIONS                                                                              \
    .produces = 1u << SPOOR_BUS, .probe = byu_probe, .decode = byu12_decode,                       \
    .project = byu12_project, .resolve = byu_resolve, .resolves_little = true, .write = byu_write, \
    .end = byu_end, .print = byu_print

const struct spoor_format format_byu12 = {
    .name = "byu12",
    .title = "BYU address trace v1.0/v1.1, 12-byte records",
    .suffixes = "tr;byu;byu12",
    .document = "Brigham Young University, Performance Evaluation Laboratory: BYU Address Trace "
                "Format v1.1",
    .time_unit = "clk",
    .record_size = 12,
    .variant = &shape12,
    .fields = BYU_FIELDS(0),
    .projects = 1u << PROJECT_REFERENCES | 1u << PROJECT_STATS,
    BYU_FUNCTIONS,
};

const struct spoor_format format_byu16 = {
    .name = "byu16",
    .title = "BYU address trace, 16-byte records with 64-bit addresses",
    .suffixes = "byu16",
    .document = "a lackey converter's packing of the BYU v1.1 record: 64-bit address, 32-bit time",
    .time_unit = "clk",
    .record_size = 16,
    .variant = &shape16,
    .fields = BYU_FIELDS(0),
    .projects = 1u << PROJECT_REFERENCES | 1u << PROJECT_STATS,
    BYU_FUNCTIONS,
};

const struct spoor_format format_byu24 = {
    .name = "byu24",
    .title = "BYU address trace, 24-byte records of a 64-bit build",
    .suffixes = "byu24",
    .document = "the BYU v1.1 struct as a 64-bit (LP64) compiler lays it out: two 8-byte longs, 4 "
                "bytes of padding",
    .time_unit = "clk",
    .record_size = 24,
    .variant = &shape24,
    .fields = BYU_FIELDS(SPOOR_FIELD_BIT(EXTRA)),
    .projects = 1u << PROJECT_REFERENCES, /* sums of 64-bit deltas may overflow */
    BYU_FUNCTIONS,
};
