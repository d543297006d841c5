/* SPDX-License-Identifier: MIT */
/*
 * sbbt.c: Simple Binary Branch Traces (SBBT) of version 1, MBPlib's.
 *
 *     header   "SBBT\n" 1 0 0   instructions (8)   branches (8)
 *     branch   pc:52 taken:1 reserved:7 type:4   target:52 instructions:12
 *
 * All numbers are little-endian; addresses are sign-extended from 52 bits.  The instructions of a
 * branch are those since the previous branch, itself included.
 *
 * Older traces state the same version, but have the layout
 *
 *     branch   pc:52 type:4 reserved:7 taken:1   target:52 instructions:12
 *
 * with other values of the type, and the instructions up to the next branch, which is counted.
 * Each layout uses bits that the other reserves: those set in a trace's first records decide.  The
 * layout is a record's spelling.
 */
#include <stdlib.h>

#include "formats/branch/branch.h"

enum {
    HEADER = 24,
    RECORD = 16,
    ADDRESS_SHIFT = 12,
    LOW_BITS = 0xFFF,
    MAX_GAP = 0xFFF,
};
static const char signature[8] = "SBBT\n\1\0\0";

/* The positions of the fields of a layout, and its reserved bits. */
enum layout { CURRENT, OLDER, LAYOUTS };
static const struct {
    unsigned taken, reserved;
} layouts[LAYOUTS] = {
    [CURRENT] = {.taken = 1 << 11, .reserved = 0x7F0},
    [OLDER] = {.taken = 1 << 0, .reserved = 0x0FE},
};
static const char *const dialects[LAYOUTS + 1] = {"current", "older", NULL};

struct layout_spelling {
    char unit[SPELLING_UNIT_SIZE];
    uint8_t layout;
};

/* The older layout's type: two bits for jump, return and call, then conditional and indirect. */
enum {
    OLDER_SHIFT = 8,
    OLDER_RETURN = 1,
    OLDER_CALL = 2,
    OLDER_CONDITIONAL = 4,
    OLDER_INDIRECT = 8
};

/* The bits of a type in the older layout as those of SPOOR_FLOW_, or the reverse. */
static unsigned sbbt_translate_type(unsigned bits, bool to_older)
{
    static const uint8_t types[4][2] = {{OLDER_CONDITIONAL, SPOOR_FLOW_IS_CONDITIONAL},
                                        {OLDER_INDIRECT, SPOOR_FLOW_IS_INDIRECT},
                                        {OLDER_RETURN, SPOOR_FLOW_IS_RETURN},
                                        {OLDER_CALL, SPOOR_FLOW_IS_CALL}};
    unsigned made = 0;
    for (size_t i = 0; i < 4; i++)
        if (bits & types[i][to_older]) made |= types[i][!to_older];
    return made;
}

static uint64_t sbbt_load(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words of the format are loaded and stored as they lie"
#endif

static uint64_t sbbt_address_of(uint64_t word)
{
    return (uint64_t)((int64_t)word >> ADDRESS_SHIFT);
}

/* ---- reading ---- */

static enum layout sbbt_layout_of_spelling(const void *spelling, size_t size)
{
    const struct layout_spelling *known = spelling;
    return size == sizeof *known && known->layout < LAYOUTS ? (enum layout)known->layout : CURRENT;
}

/* The dialect of a spelling; NULL: it is none of this format. */
static const char *sbbt_dialect_of(const void *spelling, size_t size)
{
    return size == sizeof(struct layout_spelling)
               ? dialects[sbbt_layout_of_spelling(spelling, size)]
               : NULL;
}

static enum layout sbbt_layout_of_record(const struct spoor_batch *batch,
                                         const struct spoor_record *record)
{
    size_t size;
    const void *spelling = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    return sbbt_layout_of_spelling(spelling, size);
}

static void sbbt_decode_as(struct spoor_batch *batch, size_t header, enum layout layout,
                           spoor_name spelling)
{
    const char *at = batch->text + header;
    const size_t count = (batch->text_size - header) / RECORD;
    struct spoor_record *record = spoor_batch_reserve(batch, count);
    for (size_t i = 0; record && i < count; i++, record++, at += RECORD) {
        const uint64_t first = sbbt_load(at), second = sbbt_load(at + 8);
        const unsigned low = first & LOW_BITS;
        const unsigned type =
            layout == OLDER ? sbbt_translate_type(low >> OLDER_SHIFT, false) : low & 15;
        const bool taken = low & layouts[layout].taken, known = taken || second >> ADDRESS_SHIFT;
        *record = (struct spoor_record){
            .kind = SPOOR_FLOW,
            .op = (uint8_t)(SPOOR_FLOW_TYPED | type | (taken ? 0 : SPOOR_FLOW_NOT_TAKEN)),
            .has = (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_INDEX | (known ? SPOOR_HAS_DATA : 0)),
            .spelling = spelling,
            .flow = {.va = sbbt_address_of(first),
                     .target = sbbt_address_of(second),
                     .number = second & MAX_GAP},
        };
        batch->count++;
        if (low & layouts[layout].reserved)
            spoor_batch_spill(batch, SPOOR_SPILL_FIELD, spoor_batch_refer(batch, at, 2));
    }
}

static void sbbt_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    enum { ENOUGH = 4096 /* records */ };
    const size_t header = header_bytes(batch, HEADER);
    const size_t count = (batch->text_size - header) / RECORD;
    const char *dialect = decoder->options ? decoder->options->dialect : NULL;
    int layout = 0;
    while (dialect && layout < LAYOUTS && strcmp(dialect, dialects[layout]) != 0) layout++;
    if (!dialect || layout == LAYOUTS) { /* which of them leaves its reserved bits alone */
        const char *at = batch->text + header;
        size_t broken[LAYOUTS] = {0};
        for (size_t i = 0; i < count && i < ENOUGH; i++, at += RECORD)
            for (int of = 0; of < LAYOUTS; of++)
                broken[of] += (sbbt_load(at) & layouts[of].reserved) != 0;
        layout = broken[OLDER] < broken[CURRENT] ? OLDER : CURRENT;
    }
    const struct layout_spelling spelling = {.layout = (uint8_t)layout};
    const spoor_name name = spoor_names_intern(decoder->spellings, &spelling, sizeof spelling);
    sbbt_decode_as(batch, header, (enum layout)layout,
                   name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name);
    trailing_bytes(batch, RECORD);
}

/* The state of the ordered stage, in carry->word. */
enum { INDEX, LAST_GAP, LAYOUT, SPELLING };

static void sbbt_resolve(struct carry *carry, struct spoor_batch *batch)
{
    /* A trace has the layout of its first records: those of a later batch may be ambiguous, or
     * resemble the other layout, and are then decoded again. */
    size_t first = 0;
    while (first < batch->count && batch->records[first].kind != SPOOR_FLOW) first++;
    const enum layout layout =
        first < batch->count ? sbbt_layout_of_record(batch, &batch->records[first]) : CURRENT;
    if (first < batch->count && !carry->word[SPELLING]) {
        carry->word[SPELLING] = batch->records[first].spelling;
        carry->word[LAYOUT] = layout;
        carry->word[LAST_GAP] = 1; /* the number before the first branch is unknown */
    }
    if (first < batch->count && layout != carry->word[LAYOUT]) {
        batch->count = batch->spill_count = batch->fault_count = 0;
        sbbt_decode_as(batch, header_bytes(batch, HEADER), (enum layout)carry->word[LAYOUT],
                       (spoor_name)carry->word[SPELLING]);
        trailing_bytes(batch, RECORD);
    }
    const bool older = carry->word[LAYOUT] != CURRENT;
    uint64_t index = carry->word[INDEX];
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_FLOW) continue;
        if (older) { /* it counts the instructions that follow a branch */
            index += carry->word[LAST_GAP];
            carry->word[LAST_GAP] = record->flow.number;
        } else {
            index += record->flow.number;
        }
        record->flow.index = index;
    }
    carry->word[INDEX] = index;
}

static int sbbt_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { SURE = 100, VERSION_UNKNOWN = 60, NAME = 5 };
    (void)self;
    if (head->size < HEADER || memcmp(head->bytes, signature, NAME) != 0) return 0;
    return memcmp(head->bytes, signature, sizeof signature) == 0 ? SURE : VERSION_UNKNOWN;
}

/* ---- writing ---- */

/* State until the front is written, in encoder->tables. */
struct totals {
    struct branch_count count;
    uint64_t branches, instructions;
    uint64_t owed; /* instructions that did not fit the gaps so far, or whose branch did not fit */
    bool own;      /* the records come from a trace of this format, in `layout` */
    enum layout layout;
    size_t header_size, trailing_size;
    char header[HEADER], trailing[HEADER];
};

/* The part of a gap that exceeds its 12 bits is added to the following gaps. */
static void sbbt_put_branch(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                            const struct branch *branch, struct text *out)
{
    struct totals *totals = encoder->tables;
    if (sbbt_address_of(branch->pc << ADDRESS_SHIFT) != branch->pc ||
        sbbt_address_of(branch->target << ADDRESS_SHIFT) != branch->target) { /* over 52 bits */
        encoder->skipped++;
        totals->owed += branch->gap;
        return;
    }
    char *at = text_reserve(out, RECORD);
    if (!at) return;
    const bool own = totals->own && batch, older = totals->layout == OLDER;
    uint64_t gap = branch->gap + totals->owed;
    if (own)
        gap = batch->records[index].flow.number;
    else
        totals->owed = gap > MAX_GAP ? gap - MAX_GAP : 0;
    if (!own) gap -= totals->owed;
    struct spoor_ref ref;
    uint16_t low = 0;
    uint64_t reserved = 0; /* bits of a record of this format */
    if (own && (batch->records[index].has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &ref) && ref.size == sizeof low) {
        memcpy(&low, spoor_batch_bytes(batch, ref), sizeof low);
        reserved = low & layouts[sbbt_layout_of_record(batch, &batch->records[index])].reserved;
    }
    const uint64_t words[2] = {
        branch->pc << ADDRESS_SHIFT |
            (older ? sbbt_translate_type(branch->type, true) << OLDER_SHIFT : branch->type) |
            (branch->taken ? layouts[totals->layout].taken : 0) | reserved,
        branch->target << ADDRESS_SHIFT | gap,
    };
    text_commit(out, put_bytes(at, words, sizeof words));
    encoder->written++;
    totals->branches++;
    totals->instructions += gap;
}

/* A trace keeps the layout of its first records; records in another layout or format are written in
 * it. */
static void sbbt_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                       size_t to, struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct totals));
    struct totals *totals = encoder->tables;
    struct branch branch;
    if (!totals) {
        out->failed = true;
        return;
    }
    totals->own = batch->stream->format->resolve == sbbt_resolve;
    size_t first = from;
    while (first < to && batch->records[first].kind != SPOOR_FLOW) first++;
    if (totals->own && first < to) {
        const enum layout layout = sbbt_layout_of_record(batch, &batch->records[first]);
        if (totals->branches == 0) totals->layout = layout;
        totals->own = layout == totals->layout;
    }
    if (encoder->seam) branch_lost(&totals->count);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (branch_arrived(batch, i, &totals->count, &branch)) {
            sbbt_put_branch(encoder, batch, i, &branch, out);
            encoder->skipped--;
        }
        const enum branch_found found = branch_of(batch, i, &totals->count, &branch);
        if (found == BRANCH_FOUND)
            sbbt_put_branch(encoder, batch, i, &branch, out);
        else if (!totals->own || record->kind != SPOOR_NOTE)
            encoder->skipped += record->kind != SPOOR_UOP;
        else if (record->note.text.size <= HEADER &&
                 (record->op == SPOOR_NOTE_TRAILING || record->op == SPOOR_NOTE_HEADER)) {
            /* written in its place at the end */
            const bool trails = record->op == SPOOR_NOTE_TRAILING;
            const struct spoor_ref ref = record->note.text;
            memcpy(trails ? totals->trailing : totals->header, spoor_batch_bytes(batch, ref),
                   ref.size);
            *(trails ? &totals->trailing_size : &totals->header_size) = ref.size;
        }
    }
}

static void sbbt_end(struct encoder *encoder, struct text *out)
{
    struct totals *totals = encoder->tables;
    struct branch branch;
    while (totals && branch_ended(&totals->count, &branch)) {
        sbbt_put_branch(encoder, NULL, 0, &branch, out);
        encoder->skipped -= encoder->skipped > 0;
    }
    if (totals) text_put(out, totals->trailing, totals->trailing_size);
}

/* The counts of a header are kept if no record was left out. */
static void sbbt_front(struct encoder *encoder, struct text *out)
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
    branch_count_free(&totals->count);
    free(totals);
    encoder->tables = NULL;
}

/* Prints as MBPlib's sbbt_cat does without its header. */
static void sbbt_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                       size_t to, struct text *out)
{
    enum { LONGEST_LINE = 96 };
    static const char *const kinds[] = {"JUMP", " RET", "CALL", "CALL"};
    struct branch_count count = {.index = encoder->word[0]};
    struct branch branch;
    for (size_t i = from; i < to; i++) {
        if (branch_of(batch, i, &count, &branch) != BRANCH_FOUND) continue;
        char *at = text_reserve(out, LONGEST_LINE);
        if (!at) return;
        const char *outcome = branch.taken ? "TAKEN" : "NOT_TAKEN";
        at = put_bytes(put_signed_padded(at, (int64_t)count.index, 11), " 0x", 3);
        at = put_bytes(put_hex(at, branch.pc, 16), " 0x", 3);
        at = put_char(put_hex(at, branch.target, 16), ' ');
        at = put_bytes(at, branch.type & SPOOR_FLOW_IS_INDIRECT ? "IND " : "DIR ", 4);
        at = put_bytes(at, branch.type & SPOOR_FLOW_IS_CONDITIONAL ? "CND " : "UCD ", 4);
        at = put_char(put_bytes(at, kinds[branch.type >> 2], 4), ' ');
        text_commit(out, put_char(put_bytes(at, outcome, strlen(outcome)), '\n'));
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
    .fields =
        {
            [SPOOR_FLOW] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(PC) |
                           SPOOR_FIELD_BIT(TARGET) | SPOOR_FIELD_BIT(INDEX) |
                           SPOOR_FIELD_BIT(EXTRA),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(TARGET),
        },
    .produces = 1u << SPOOR_FLOW,
    .probe = sbbt_probe,
    .decode = sbbt_decode,
    .dialect = sbbt_dialect_of,
    .dialects = dialects,
    .resolve = sbbt_resolve,
    .write = sbbt_write,
    .end = sbbt_end,
    .front = sbbt_front,
    .print = sbbt_print,
};
