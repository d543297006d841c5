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

static uint8_t type_of_older(unsigned bits)
{
    const unsigned base = bits & (OLDER_RETURN | OLDER_CALL);
    return (uint8_t)((bits & OLDER_CONDITIONAL ? SPOOR_FLOW_IS_CONDITIONAL : 0) |
                     (bits & OLDER_INDIRECT ? SPOOR_FLOW_IS_INDIRECT : 0) |
                     (base & OLDER_RETURN ? SPOOR_FLOW_IS_RETURN : 0) |
                     (base & OLDER_CALL ? SPOOR_FLOW_IS_CALL : 0));
}

static unsigned type_to_older(uint8_t type)
{
    return (type & SPOOR_FLOW_IS_CONDITIONAL ? OLDER_CONDITIONAL : 0) |
           (type & SPOOR_FLOW_IS_INDIRECT ? OLDER_INDIRECT : 0) |
           (type & SPOOR_FLOW_IS_RETURN ? OLDER_RETURN : 0) |
           (type & SPOOR_FLOW_IS_CALL ? OLDER_CALL : 0);
}

/* The type, enum spoor_flow_type, and the outcome of the low bits of a first word. */
static uint8_t op_of(unsigned low, enum layout layout)
{
    const uint8_t type = layout == OLDER ? type_of_older(low >> OLDER_SHIFT) : low & 15;
    return (uint8_t)(SPOOR_FLOW_TYPED | type |
                     (low & layouts[layout].taken ? 0 : SPOOR_FLOW_NOT_TAKEN));
}

static unsigned low_of(uint8_t type, bool taken, enum layout layout)
{
    return (layout == OLDER ? type_to_older(type) << OLDER_SHIFT : type) |
           (taken ? layouts[layout].taken : 0);
}

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

/* The layout whose reserved bits are set in fewer records. */
static enum layout layout_of(const char *at, size_t count)
{
    enum { ENOUGH = 4096 };
    size_t broken[LAYOUTS] = {0};
    for (size_t i = 0; i < count && i < ENOUGH; i++, at += RECORD)
        for (int layout = 0; layout < LAYOUTS; layout++)
            broken[layout] += (load(at) & layouts[layout].reserved) != 0;
    return broken[OLDER] < broken[CURRENT] ? OLDER : CURRENT;
}

static enum layout layout_asked_for(const struct decoder *decoder, const char *at, size_t count)
{
    const char *dialect = decoder->options ? decoder->options->dialect : NULL;
    for (int layout = 0; dialect && layout < LAYOUTS; layout++)
        if (strcmp(dialect, dialects[layout]) == 0) return (enum layout)layout;
    return layout_of(at, count);
}

static spoor_name spelling_of(const struct decoder *decoder, enum layout layout)
{
    const struct layout_spelling spelling = {.layout = (uint8_t)layout};
    const spoor_name name = spoor_names_intern(decoder->spellings, &spelling, sizeof spelling);
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

static enum layout layout_of_spelling(const void *spelling, size_t size)
{
    const struct layout_spelling *known = spelling;
    return size == sizeof *known && known->layout < LAYOUTS ? (enum layout)known->layout : CURRENT;
}

static const char *dialect_of(const void *spelling, size_t size)
{
    return size == sizeof(struct layout_spelling) ? dialects[layout_of_spelling(spelling, size)]
                                                  : NULL;
}

static enum layout layout_of_record(const struct spoor_batch *batch,
                                    const struct spoor_record *record)
{
    size_t size;
    const void *spelling = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    return layout_of_spelling(spelling, size);
}

static void decode_as(struct spoor_batch *batch, size_t header, enum layout layout,
                      spoor_name spelling)
{
    const char *at = batch->text + header;
    const size_t count = (batch->text_size - header) / RECORD;
    struct spoor_record *record = spoor_batch_reserve(batch, count);
    for (size_t i = 0; record && i < count; i++, record++, at += RECORD) {
        const uint64_t first = load(at), second = load(at + 8);
        const unsigned low = first & LOW_BITS;
        const bool known = (low & layouts[layout].taken) || second >> ADDRESS_SHIFT;
        *record = (struct spoor_record){
            .kind = SPOOR_FLOW,
            .op = op_of(low, layout),
            .has = (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_INDEX | (known ? SPOOR_HAS_DATA : 0)),
            .spelling = spelling,
            .flow = {.va = address_of(first),
                     .target = address_of(second),
                     .number = second & MAX_GAP},
        };
        batch->count++;
        if (low & layouts[layout].reserved)
            spoor_batch_spill(batch, SPOOR_SPILL_FIELD, spoor_batch_refer(batch, at, 2));
    }
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    const size_t header = header_bytes(batch, HEADER);
    const size_t count = (batch->text_size - header) / RECORD;
    const enum layout layout = layout_asked_for(decoder, batch->text + header, count);
    decode_as(batch, header, layout, spelling_of(decoder, layout));
    trailing_bytes(batch, RECORD);
}

/* The state of the ordered stage, in carry->word. */
enum { INDEX, LAST_GAP, LAYOUT, SPELLING };

/* Decodes the batch in the layout of the trace, which its first records determine: records of a
 * later batch may be ambiguous or resemble the other layout. */
static void decode_again(const struct carry *carry, struct spoor_batch *batch)
{
    batch->count = batch->spill_count = batch->fault_count = 0;
    decode_as(batch, header_bytes(batch, HEADER), (enum layout)carry->word[LAYOUT],
              (spoor_name)carry->word[SPELLING]);
    trailing_bytes(batch, RECORD);
}

static void decide(struct carry *carry, struct spoor_batch *batch)
{
    size_t first = 0;
    while (first < batch->count && batch->records[first].kind != SPOOR_FLOW) first++;
    if (first == batch->count) return;
    const enum layout layout = layout_of_record(batch, &batch->records[first]);
    if (!carry->word[SPELLING]) {
        carry->word[SPELLING] = batch->records[first].spelling;
        carry->word[LAYOUT] = layout;
        carry->word[LAST_GAP] = 1; /* the number before the first branch is unknown */
    }
    if (layout != carry->word[LAYOUT]) decode_again(carry, batch);
}

/* The older layout counts the instructions that follow a branch. */
static uint64_t next_gap(struct carry *carry, uint64_t number)
{
    if (carry->word[LAYOUT] == CURRENT) return number;
    const uint64_t gap = carry->word[LAST_GAP];
    carry->word[LAST_GAP] = number;
    return gap;
}

static void resolve(struct carry *carry, struct spoor_batch *batch)
{
    decide(carry, batch);
    uint64_t index = carry->word[INDEX];
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_FLOW) continue;
        index += next_gap(carry, record->flow.number);
        record->flow.index = index;
    }
    carry->word[INDEX] = index;
}

static int probe(const struct spoor_format *self, const struct spoor_head *head)
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

static struct totals *totals_of(struct encoder *encoder)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct totals));
    return encoder->tables;
}

/* Notes are written in their places at the end. */
static void keep_note(struct totals *totals, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    const bool trails = record->op == SPOOR_NOTE_TRAILING;
    const struct spoor_ref ref = record->note.text;
    if ((!trails && record->op != SPOOR_NOTE_HEADER) || ref.size > HEADER) return;
    memcpy(trails ? totals->trailing : totals->header, spoor_batch_bytes(batch, ref), ref.size);
    *(trails ? &totals->trailing_size : &totals->header_size) = ref.size;
}

/* The reserved bits of a record of this format. */
static uint64_t reserved_bits(const struct spoor_batch *batch, size_t index)
{
    struct spoor_ref ref;
    if (!(batch->records[index].has & SPOOR_IS_SPILLED) ||
        !spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &ref) || ref.size != 2)
        return 0;
    uint16_t low;
    memcpy(&low, spoor_batch_bytes(batch, ref), sizeof low);
    return low & layouts[layout_of_record(batch, &batch->records[index])].reserved;
}

/* The part of a gap that exceeds its 12 bits is added to the following gaps. */
static uint64_t gap_of(struct totals *totals, const struct branch *branch,
                       const struct spoor_record *record)
{
    const uint64_t gap = branch->gap + totals->owed;
    if (totals->own && record) return record->flow.number;
    totals->owed = gap > MAX_GAP ? gap - MAX_GAP : 0;
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
    const uint64_t gap = gap_of(totals, branch, batch ? &batch->records[index] : NULL);
    const uint64_t words[2] = {
        branch->pc << ADDRESS_SHIFT | low_of(branch->type, branch->taken, totals->layout) |
            (totals->own && batch ? reserved_bits(batch, index) : 0),
        branch->target << ADDRESS_SHIFT | gap,
    };
    text_commit(out, put_bytes(at, words, sizeof words));
    encoder->written++;
    totals->branches++;
    totals->instructions += gap;
}

/* A trace keeps the layout of its first records; records in another layout or format are written in
 * it. */
static void choose_layout(struct totals *totals, const struct spoor_batch *batch, size_t from,
                          size_t to)
{
    totals->own = batch->stream->format->resolve == resolve;
    while (totals->own && from < to && batch->records[from].kind != SPOOR_FLOW) from++;
    if (!totals->own || from == to) return;
    const enum layout layout = layout_of_record(batch, &batch->records[from]);
    if (totals->branches == 0) totals->layout = layout;
    totals->own = layout == totals->layout;
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    struct totals *totals = totals_of(encoder);
    struct branch branch;
    if (!totals) out->failed = true;
    if (totals) choose_layout(totals, batch, from, to);
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
    struct totals *totals = encoder->tables;
    struct branch branch;
    while (totals && branch_ended(&totals->count, &branch)) {
        put_branch(encoder, NULL, 0, &branch, out);
        encoder->skipped -= encoder->skipped > 0;
    }
    if (totals) text_put(out, totals->trailing, totals->trailing_size);
}

/* The counts of a header are kept if no record was left out. */
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
    branch_count_free(&totals->count);
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
    .fields =
        {
            [SPOOR_FLOW] = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(PC) |
                           SPOOR_FIELD_BIT(TARGET) | SPOOR_FIELD_BIT(INDEX) |
                           SPOOR_FIELD_BIT(EXTRA),
            [SPOOR_UOP] = SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(BRANCH) | SPOOR_FIELD_BIT(TARGET),
        },
    .produces = 1u << SPOOR_FLOW,
    .probe = probe,
    .decode = decode,
    .dialect = dialect_of,
    .dialects = dialects,
    .resolve = resolve,
    .write = write,
    .end = end,
    .front = front,
    .print = print,
};
