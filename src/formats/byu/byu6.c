/* SPDX-License-Identifier: MIT */
/*
 * byu6.c: BYU address traces of 6 bytes a record.
 *
 *     address (4, big-endian)   byte enables   control
 *
 * The address is that of eight bytes; a 0 bit among the enables means that the byte was requested.
 * The high nibble of the control byte is the bus transaction; the low one has no meaning and is
 * kept.
 */
#include <string.h>

#include "formats/byu/byu.h"
#include "formats/reference.h"
#include "model/bus.h"

enum { RECORD = 6, LANES = 8, TRANSACTIONS = 16, LONGEST_LINE = 32 };

/* By the control byte's high nibble.  The names are the document's. */
static const struct {
    uint8_t op;
    const char *label;
} transactions[TRANSACTIONS] = {
    {SPOOR_BUS_UNDEFINED, "INVALID"},    {SPOOR_BUS_INT_ACK, "INT_ACK"},
    {SPOOR_BUS_UNDEFINED, "INVALID"},    {SPOOR_BUS_SPECIAL, "SPECIAL"},
    {SPOOR_BUS_UNDEFINED, "INVALID"},    {SPOOR_BUS_IO_READ, "IO_READ"},
    {SPOOR_BUS_UNDEFINED, "INVALID"},    {SPOOR_BUS_IO_WRITE, "IO_WRITE"},
    {SPOOR_BUS_FETCH, "I_FETCH"},        {SPOOR_BUS_FETCH, "NC_I_FETCH"},
    {SPOOR_BUS_UNDEFINED, "INVALID"},    {SPOOR_BUS_UNDEFINED, "INVALID"},
    {SPOOR_BUS_READ, "D_READ"},          {SPOOR_BUS_READ, "NC_D_READ"},
    {SPOOR_BUS_WRITEBACK, "WRITE_BACK"}, {SPOOR_BUS_WRITE, "D_WRITE"},
};

static uint32_t byu6_address(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

/* Number of bytes that are enabled: those whose bit is clear.  In place, because the compiler's own
 * count is a call where the processor is not known to have the instruction. */
static unsigned byu6_enabled_bytes(uint8_t enables)
{
    unsigned bits = 0xFFu ^ enables;
    bits -= bits >> 1 & 0x55;
    bits = (bits & 0x33) + (bits >> 2 & 0x33);
    return (bits + (bits >> 4)) & 15;
}

static void byu6_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    (void)decoder; /* nothing to intern */
    const uint8_t *at = (const uint8_t *)batch->text;
    for (size_t left = batch->text_size / RECORD; left > 0; left--, at += RECORD) {
        const uint8_t enables = at[4], control = at[5];
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_BUS;
        record->op = transactions[control >> 4].op;
        record->has = SPOOR_HAS_PA;
        record->bus.address = byu6_address(at);
        record->bus.attr = (control >> 4 == 9 || control >> 4 == 13) ? SPOOR_BUS_NONCACHEABLE : 0;
        record->bus.size = (uint16_t)byu6_enabled_bytes(enables);
        record->bus.code = control;
        record->bus.enables = enables;
        record->bus.given = SPOOR_BUS_GIVEN_CONTROL | SPOOR_BUS_GIVEN_ENABLES;
    }
    trailing_bytes(batch, RECORD);
}

/* ---- projection ---- */

static void byu6_project(const struct decoder *decoder, const struct projection *projection,
                         struct spoor_batch *batch)
{
    (void)decoder; /* nothing to intern */
    const size_t count = batch->text_size / RECORD;
    const uint8_t *at = (const uint8_t *)batch->text;
    if (projection->kind == PROJECT_REFERENCES) {
        struct reference_view *view = projection_reserve_references(batch, count);
        if (!view) return;
        struct spoor_reference *item = view->items;
        for (size_t i = 0; i < count; i++, at += RECORD) {
            const uint8_t op = projection->bus.ops[transactions[at[5] >> 4].op];
            *item = (struct spoor_reference){
                .address = bus_lowest_lane(byu6_address(at), at[4]),
                .size = byu6_enabled_bytes(at[4]),
                .op = op,
                .has = SPOOR_REFERENCE_PHYSICAL,
            };
            item += op != NO_REFERENCE; /* overwritten if it is not a reference */
        }
        view->count = (size_t)(item - view->items);
        byu_project_end(batch, count);
        return;
    }
    struct stats *stats = byu_stats_begin(batch, count);
    if (!stats) return;
    /* by control byte, in turns: an addition need not wait for that of the record before */
    uint32_t counts[2][256] = {{0}};
    struct span *spans[TRANSACTIONS];
    for (unsigned i = 0; i < TRANSACTIONS; i++)
        spans[i] = &stats->addresses[SPACE_PHYSICAL][bus_uses[transactions[i].op]];
    for (size_t i = 0; i < count; i++, at += RECORD) {
        counts[i % 2][at[5]]++;
        span_reach(spans[at[5] >> 4], bus_lowest_lane(byu6_address(at), at[4]));
    }
    for (unsigned control = 0; control <= UINT8_MAX; control++) {
        const uint64_t records = (uint64_t)counts[0][control] + counts[1][control];
        stats->ops[SPOOR_BUS][transactions[control >> 4].op] += records;
        stats->cacheabilities[bus_cacheability_of_control[control >> 4]] += records;
    }
    byu_stats_end(stats, batch, count);
}

/* ---- records of any kind to cycles of the bus ---- */

struct cycle {
    uint64_t address;
    uint8_t enables, control;
};

/* High nibble of an operation's control byte; 0 (INVALID) if there is none.  The special
 * transactions of the 12-byte format are all special bus cycles here. */
static const uint8_t nibbles[SPOOR_BUS_OPS] = {
    [SPOOR_BUS_FETCH] = 8,    [SPOOR_BUS_READ] = 12,      [SPOOR_BUS_READ_INVALIDATE] = 12,
    [SPOOR_BUS_WRITE] = 15,   [SPOOR_BUS_WRITEBACK] = 14, [SPOOR_BUS_IO_READ] = 5,
    [SPOOR_BUS_IO_WRITE] = 7, [SPOOR_BUS_INT_ACK] = 1,    [SPOOR_BUS_SPECIAL] = 3,
    [SPOOR_BUS_SHUTDOWN] = 3, [SPOOR_BUS_FLUSH] = 3,      [SPOOR_BUS_HALT] = 3,
    [SPOOR_BUS_SYNC] = 3,     [SPOOR_BUS_FLUSH_ACK] = 3,  [SPOOR_BUS_STOPCLK_ACK] = 3,
    [SPOOR_BUS_SMI_ACK] = 3,
};

/* The cycle that moves `size` bytes at `address`: bytes beyond the eight are dropped; with a size
 * of 0 (unknown) no byte is marked as requested. */
static struct cycle byu6_cycle(uint64_t address, unsigned size, uint8_t op, bool uncached)
{
    const unsigned lane = (unsigned)(address % LANES);
    const unsigned lanes = size < LANES - lane ? size : LANES - lane;
    const unsigned requested = ((1u << lanes) - 1) << lane;
    uint8_t nibble = nibbles[op];
    if (uncached && (op == SPOOR_BUS_FETCH || op == SPOOR_BUS_READ)) nibble++;
    return (struct cycle){address - lane, (uint8_t)(0xFFu ^ requested), (uint8_t)(nibble << 4)};
}

enum { MAX_CYCLES = 2 * MAX_REFERENCES };

/* The cycles for record `index`: none if an address needs more than 32 bits. */
static size_t byu6_cycles_of(const struct spoor_batch *batch, size_t index, struct cycle *made)
{
    const uint8_t raw = SPOOR_BUS_GIVEN_CONTROL | SPOOR_BUS_GIVEN_ENABLES;
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_bus *bus = &record->bus;
    size_t used = 0;
    if (record->kind != SPOOR_BUS) {
        struct reference references[MAX_REFERENCES];
        const size_t count = references_of(batch, index, references);
        for (size_t i = 0; i < count; i++) {
            const uint64_t address = reference_physical(&references[i]);
            const unsigned size = references[i].size;
            const uint8_t op = references[i].op;
            if (op == SPOOR_MEM_FETCH)
                made[used++] = byu6_cycle(address, size, SPOOR_BUS_FETCH, false);
            if (op == SPOOR_MEM_READ || op == SPOOR_MEM_MODIFY)
                made[used++] = byu6_cycle(address, size, SPOOR_BUS_READ, false);
            if (op == SPOOR_MEM_WRITE || op == SPOOR_MEM_MODIFY)
                made[used++] = byu6_cycle(address, size, SPOOR_BUS_WRITE, false);
        }
    } else if ((bus->given & raw) == raw) {
        made[used++] = (struct cycle){bus->address, bus->enables, bus->code};
    } else if (nibbles[record->op] != 0) {
        const bool uncached = (bus->given & SPOOR_BUS_GIVEN_ATTRIBUTE)
                                  ? (bus->attr & 3) == 0
                                  : (bus->attr & SPOOR_BUS_NONCACHEABLE) != 0;
        made[used++] = byu6_cycle(bus->address, bus->size, record->op, uncached);
    }
    for (size_t i = 0; i < used; i++)
        if (made[i].address > UINT32_MAX) return 0;
    return used;
}

static void byu6_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                       size_t to, struct text *out)
{
    struct cycle made[MAX_CYCLES];
    for (size_t i = from; i < to; i++) {
        if (byu_hold_trailing(encoder, batch, i, RECORD)) continue;
        const size_t count = byu6_cycles_of(batch, i, made);
        char *at = text_reserve(out, RECORD * MAX_CYCLES);
        if (!at) return;
        for (size_t j = 0; j < count; j++) {
            for (int shift = 24; shift >= 0; shift -= 8)
                *at++ = (char)(uint8_t)(made[j].address >> shift);
            *at++ = (char)made[j].enables;
            *at++ = (char)made[j].control;
        }
        text_commit(out, at);
        encoder->written += count != 0;
        encoder->skipped += count == 0;
    }
}

static void byu6_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                       size_t to, struct text *out)
{
    struct cycle made[MAX_CYCLES];
    for (size_t i = from; i < to; i++) {
        if (batch->records[i].kind == SPOOR_NOTE)
            continue; /* the reference printer ends at a partial record */
        const size_t count = byu6_cycles_of(batch, i, made);
        char *at = text_reserve(out, LONGEST_LINE * MAX_CYCLES);
        if (!at) return;
        for (size_t j = 0; j < count; j++) { /* "%08x %02x %s\n" */
            const char *label = transactions[made[j].control >> 4].label;
            at = put_char(put_hex(at, made[j].address, 8), ' ');
            at = put_char(put_hex(at, made[j].enables, 2), ' ');
            at = put_char(put_bytes(at, label, strlen(label)), '\n');
        }
        text_commit(out, at);
        encoder->written += count != 0;
        encoder->skipped += count == 0;
    }
}

/* ---- detection ---- */

static int byu6_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const size_t count = head->size / RECORD;
    size_t good = 0;
    (void)self;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = head->bytes + i * RECORD;
        /* the requested bytes are contiguous; none is requested where the size is unknown */
        const unsigned requested = 0xFFu ^ at[4], lowest = requested & (0u - requested);
        good += at[3] % LANES == 0 && ((requested + lowest) & requested) == 0 &&
                transactions[at[5] >> 4].op != SPOOR_BUS_UNDEFINED;
    }
    const int score = byu_score(good, count, 40);
    return score && head->whole && head->size % RECORD != 0 ? score - 5 : score;
}

const struct spoor_format format_byu6 = {
    .name = "byu6",
    .title = "BYU Pentium address trace, 6-byte records",
    .suffixes = "byu6",
    .document = "Brigham Young University: 6-byte trace record and its printer",
    .time_unit = "",
    .record_size = RECORD,
    .fields =
        {
            /* no SIZE: bytes beyond the eight at an address cannot be represented; no ATTR: of the
             * four values only "uncacheable" can */
            [SPOOR_BUS] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA) | SPOOR_FIELD_BIT(TYPE) |
                          SPOOR_FIELD_BIT(ENABLES),
            [SPOOR_MEM] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PA),
            [SPOOR_INSN] = SPOOR_FIELD_BIT(PC_PA),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(LDST),
        },
    .produces = 1u << SPOOR_BUS,
    .probe = byu6_probe,
    .decode = byu6_decode,
    .projects = 1u << PROJECT_REFERENCES | 1u << PROJECT_STATS,
    .project = byu6_project,
    .write = byu6_write,
    .end = byu_end,
    .print = byu6_print,
};
