/* SPDX-License-Identifier: MIT */
/*
 * byu12.c: BYU address traces of 12 bytes a record.
 *
 * The published format: addresses and times of 32 bits.
 */
#include "formats/byu/byu.h"
#include "formats/byu/byu_project.h"

static const struct byu_shape shape = {.address = 4, .padding = 0, .time = 4, .record = 12};

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

const struct spoor_format format_byu12 = {
    .name = "byu12",
    .title = "BYU address trace v1.0/v1.1, 12-byte records",
    .suffixes = "tr;byu;byu12",
    .document = "Brigham Young University, Performance Evaluation Laboratory: BYU Address Trace "
                "Format v1.1",
    .time_unit = "clk",
    .record_size = 12,
    .fields =
        {
            [SPOOR_BUS] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) |
                          SPOOR_FIELD_BIT(SIZE) | SPOOR_FIELD_BIT(TYPE) | SPOOR_FIELD_BIT(DELTA) |
                          SPOOR_FIELD_BIT(ATTR) | SPOOR_FIELD_BIT(AGENT),
            [SPOOR_MEM] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) |
                          SPOOR_FIELD_BIT(SIZE),
            [SPOOR_INSN] =
                SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(PC_PA) | SPOOR_FIELD_BIT(OPCODE_SIZE),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(LDST),
        },
    .produces = 1u << SPOOR_BUS,
    .probe = probe,
    .decode = decode,
    .projects = 1u << PROJECT_REFERENCES | 1u << PROJECT_STATS,
    .project = project,
    .resolve = byu_resolve,
    .resolves_little = true,
    .write = write,
    .end = byu_end,
    .print = print,
};
