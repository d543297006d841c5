/* SPDX-License-Identifier: MIT */
/*
 * byu24.c: BYU address traces of 24 bytes a record.
 *
 * The published struct as a 64-bit compiler lays it out: both longs are 8 bytes, and four bytes of
 * padding precede the time.  Padding that is not zero is kept.
 */
#include "formats/byu/byu.h"
#include "formats/byu/byu_project.h"

static const struct byu_shape shape = {.address = 8, .padding = 4, .time = 8, .record = 24};

static int probe(const struct spoor_head *head)
{
    return byu_probe(head, &shape);
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    (void)decoder; /* nothing to intern */
    byu_decode(batch, shape);
}

static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    (void)decoder; /* nothing to intern */
    byu_project(projection, batch, shape);
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    byu_write(encoder, batch, from, to, out, &shape);
}

static void print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    byu_print(encoder, batch, from, to, out, &shape);
}

const struct spoor_format format_byu24 = {
    .name = "byu24",
    .title = "BYU address trace, 24-byte records of a 64-bit build",
    .suffixes = "byu24",
    .document = "the BYU v1.1 struct as a 64-bit (LP64) compiler lays it out: two 8-byte longs, 4 "
                "bytes of padding",
    .time_unit = "clk",
    .record_size = 24,
    .fields =
        {
            [SPOOR_BUS] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) |
                          SPOOR_FIELD_BIT(SIZE) | SPOOR_FIELD_BIT(TYPE) | SPOOR_FIELD_BIT(DELTA) |
                          SPOOR_FIELD_BIT(ATTR) | SPOOR_FIELD_BIT(AGENT) | SPOOR_FIELD_BIT(EXTRA),
            [SPOOR_MEM] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) |
                          SPOOR_FIELD_BIT(SIZE),
            [SPOOR_INSN] =
                SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(PC_PA) | SPOOR_FIELD_BIT(OPCODE_SIZE),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(LDST),
        },
    .produces = 1u << SPOOR_BUS,
    .probe = probe,
    .decode = decode,
    .projects = 1u << PROJECT_REFERENCES, /* sums of 64-bit deltas may overflow */
    .project = project,
    .resolve = byu_resolve,
    .resolves_little = true,
    .write = write,
    .end = byu_end,
    .print = print,
};
