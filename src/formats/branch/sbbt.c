/* SPDX-License-Identifier: MIT */
/*
 * sbbt.c: Simple Binary Branch Traces (SBBT) of version 1, MBPlib's.
 *
 *     header   "SBBT\n" 1 0 0   instructions (8)   branches (8)
 *     branch   pc:52 taken:1 reserved:7 type:4   target:52 instructions:12
 *
 * All numbers are little-endian; addresses are sign-extended from 52 bits.  The instructions of a
 * branch are those since the branch before it, itself counted.
 */
#include <stdlib.h>

#include "formats/branch/branch.h"

enum {
    HEADER = 24,
    RECORD = 16,
    ADDRESS_SHIFT = 12,
    TYPE = 0xF,
    RESERVED = 0x7F0,
    TAKEN = 1 << 11,
    GAP_MOST = 0xFFF,
};
static const char signature[8] = "SBBT\n\1\0\0";

static uint64_t load(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words of the format are loaded and stored as they lie"
#endif

static uint64_t address_of(uint64_t word)
{
    return (uint64_t)((int64_t)word >> ADDRESS_SHIFT);
}

/* ---- reading ---- */

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    (void)decoder; /* nothing to intern */
    const size_t header = header_bytes(batch, HEADER);
    const char *at = batch->text + header;
    const size_t count = (batch->text_size - header) / RECORD;
    struct spoor_record *record = spoor_batch_reserve(batch, count);
    for (size_t i = 0; record && i < count; i++, record++, at += RECORD) {
        const uint64_t first = load(at), second = load(at + 8);
        const bool known = (first & TAKEN) || second >> ADDRESS_SHIFT;
        *record = (struct spoor_record){
            .kind = SPOOR_FLOW,
            .op = (uint8_t)(SPOOR_FLOW_TYPED | (first & TYPE) |
                            (first & TAKEN ? 0 : SPOOR_FLOW_NOT_TAKEN)),
            .has = (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_INDEX | (known ? SPOOR_HAS_DATA : 0)),
            .flow = {.va = address_of(first),
                     .target = address_of(second),
                     .number = second & GAP_MOST},
        };
        batch->count++;
        if (first & RESERVED)
            spoor_batch_spill(batch, SPOOR_SPILL_FIELD, spoor_batch_refer(batch, at, 2));
    }
    trailing_bytes(batch, RECORD);
}

static void settle(struct carry *carry, struct spoor_batch *batch)
{
    uint64_t index = carry->word[0];
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_FLOW) record->flow.index = index += record->flow.number;
    }
    carry->word[0] = index;
}

static int probe(const struct spoor_head *head)
{
    enum { SURE = 100, VERSION_UNKNOWN = 60, NAME = 5 };
    if (head->size < HEADER || memcmp(head->bytes, signature, NAME) != 0) return 0;
    return memcmp(head->bytes, signature, sizeof signature) == 0 ? SURE : VERSION_UNKNOWN;
}

/* ---- writing ---- */

/* What is remembered until the front is written, in encoder->tables. */
struct totals {
    struct branch_count count;
    uint64_t branches, instructions;
    uint64_t owed; /* instructions that did not fit the gaps so far, or whose branch did not fit */
    bool own;      /* the records come from a trace of this format */
    size_t header_size, trailing_size;
    char header[HEADER], trailing[HEADER];
};

static struct totals *totals_of(struct encoder *encoder)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct totals));
    return encoder->tables;
}

/* What is no record is put in its place at the end. */
static void keep_note(struct totals *totals, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    const bool trails = record->op == SPOOR_NOTE_TRAILING;
    const struct spoor_ref ref = record->note.text;
    if ((!trails && record->op != SPOOR_NOTE_HEADER) || ref.size > HEADER) return;
    memcpy(trails ? totals->trailing : totals->header, spoor_batch_bytes(batch, ref), ref.size);
    *(trails ? &totals->trailing_size : &totals->header_size) = ref.size;
}

/* Bits that the format reserves, of a record that came from it. */
static uint64_t reserved_bits(const struct spoor_batch *batch, size_t index)
{
    struct spoor_ref ref;
    if (!(batch->records[index].has & SPOOR_IS_SPILLED) ||
        !spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &ref) || ref.size != 2)
        return 0;
    uint16_t low;
    memcpy(&low, spoor_batch_bytes(batch, ref), sizeof low);
    return low & RESERVED;
}

/* A gap that is too long for its 12 bits is made up for by those that follow. */
static uint64_t gap_of(struct totals *totals, const struct branch *branch,
                       const struct spoor_record *record)
{
    const uint64_t gap = branch->gap + totals->owed;
    if (totals->own) return record->flow.number;
    totals->owed = gap > GAP_MOST ? gap - GAP_MOST : 0;
    return gap - totals->owed;
}

static bool fits(uint64_t address)
{
    return address_of(address << ADDRESS_SHIFT) == address;
}

static void put_branch(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                       const struct branch *branch, struct text *out)
{
    struct totals *totals = encoder->tables;
    if (!fits(branch->pc) || !fits(branch->target)) {
        encoder->skipped++;
        totals->owed += branch->gap;
        return;
    }
    char *at = text_reserve(out, RECORD);
    if (!at) return;
    const uint64_t gap = gap_of(totals, branch, &batch->records[index]);
    const uint64_t words[2] = {
        branch->pc << ADDRESS_SHIFT | (branch->taken ? TAKEN : 0) | branch->type |
            (totals->own ? reserved_bits(batch, index) : 0),
        branch->target << ADDRESS_SHIFT | gap,
    };
    text_commit(out, put_bytes(at, words, sizeof words));
    encoder->written++;
    totals->branches++;
    totals->instructions += gap;
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    struct totals *totals = totals_of(encoder);
    struct branch branch;
    if (!totals) out->failed = true;
    if (totals) totals->own = batch->stream->format->settle == settle;
    if (totals && encoder->seam) branch_lost(&totals->count);
    for (size_t i = from; totals && i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (branch_arrived(batch, i, &totals->count, &branch)) {
            put_branch(encoder, batch, i, &branch, out);
            encoder->skipped--;
        }
        const enum branch_found found = branch_of(batch, i, &totals->count, &branch);
        if (found == BRANCH_FOUND)
            put_branch(encoder, batch, i, &branch, out);
        else if (totals->own && record->kind == SPOOR_NOTE)
            keep_note(totals, batch, record);
        else if (record->kind != SPOOR_UOP)
            encoder->skipped++;
    }
}

static void end(struct encoder *encoder, struct text *out)
{
    const struct totals *totals = encoder->tables;
    if (totals) text_put(out, totals->trailing, totals->trailing_size);
}

/* A header's counts are its writer's: they stay where nothing was left out. */
static void front(struct encoder *encoder, struct text *out)
{
    struct totals *totals = encoder->tables;
    if (!totals) return;
    if (encoder->whole && totals->own) {
        text_put(out, totals->header, totals->header_size);
    } else {
        const uint64_t counts[2] = {totals->instructions, totals->branches};
        text_put(out, signature, sizeof signature);
        text_put(out, counts, sizeof counts);
    }
    free(totals);
    encoder->tables = NULL;
}

/* ---- printing, as MBPlib's sbbt_cat does without its header ---- */

static char *print_branch(char *at, uint64_t index, const struct branch *branch)
{
    static const char *const kinds[] = {"JUMP", " RET", "CALL", "CALL"};
    const char *kind = kinds[branch->type >> 2], *outcome = branch->taken ? "TAKEN" : "NOT_TAKEN";
    at = put_bytes(put_signed_padded(at, (int64_t)index, 11), " 0x", 3);
    at = put_bytes(put_hex(at, branch->pc, 16), " 0x", 3);
    at = put_char(put_hex(at, branch->target, 16), ' ');
    at = put_bytes(at, branch->type & SPOOR_FLOW_IS_INDIRECT ? "IND " : "DIR ", 4);
    at = put_bytes(at, branch->type & SPOOR_FLOW_IS_CONDITIONAL ? "CND " : "UCD ", 4);
    at = put_char(put_bytes(at, kind, 4), ' ');
    return put_char(put_bytes(at, outcome, strlen(outcome)), '\n');
}

static void print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    enum { LONGEST_LINE = 96 };
    struct branch_count count = {.index = encoder->word[0]};
    struct branch branch;
    for (size_t i = from; i < to; i++) {
        if (branch_of(batch, i, &count, &branch) != BRANCH_FOUND) continue;
        char *at = text_reserve(out, LONGEST_LINE);
        if (!at) return;
        text_commit(out, print_branch(at, count.index, &branch));
        encoder->written++;
    }
    encoder->word[0] = count.index;
}

const struct spoor_format format_sbbt = {
    .name = "sbbt",
    .title = "MBPlib simple binary branch trace, version 1",
    .suffixes = "sbbt",
    .document = "MBPlib: Simple Binary Branch Trace (SBBT) 1.0.0",
    .time_unit = "",
    .record_size = RECORD,
    .header_size = HEADER,
    .carries =
        {
            [SPOOR_FLOW] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(PC) |
                           SPOOR_FIELD_BIT(TARGET) | SPOOR_FIELD_BIT(INDEX) |
                           SPOOR_FIELD_BIT(EXTRA),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(TARGET),
        },
    .gives = 1u << SPOOR_FLOW,
    .probe = probe,
    .decode = decode,
    .settle = settle,
    .write = write,
    .end = end,
    .front = front,
    .print = print,
};
