/* SPDX-License-Identifier: MIT */
/*
 * stf.c: reads STF, RISC-V's Simulation Trace Format.
 *
 * A group becomes, in this order: a register for each value that the trace states of its own accord
 * (the state), the instruction, and what it did.  The address of an instruction is stated only
 * where it does not follow from the instructions before: it is resolved in order.
 *
 * The spelling of a group is the types of its records.  A group with a record that has no place in
 * spoor's records, or with values that these cannot give back, keeps its bytes.
 */
#include "formats/stf/stf.h"

#include <stdlib.h>

#include "base/text.h"
#include "isa/opcode.h"
#include "isa/riscv_cause.h"
#include "isa/riscv_csr.h"
#include "model/batch_own.h"
#include "views/flow_type.h"

static enum stf_fit stf_size_of(const uint8_t *at, const uint8_t *end,
                                const struct stf_header *header, size_t *size)
{
    if (header->protocol && at < end && *at != STF_IDENTIFIER)
        return stf_transactions_size(at, end, size);
    return stf_group_size(at, end, header->words, size);
}

/* Returns the size of the header or group at `at`, or of the invalid bytes up to the next run of
 * groups; 0: it is longer than these bytes.  Of an unknown protocol nothing is a group. */
static size_t stf_length_of(const uint8_t *at, const uint8_t *end, const struct stf_header *header,
                            bool *damaged)
{
    enum { RUN = 16 /* groups */, FEWEST = 2 /* up to the end */ };
    size_t size;
    if (header->protocol > STF_TILELINK && *at != STF_IDENTIFIER) {
        *damaged = true;
        return (size_t)(end - at);
    }
    const enum stf_fit fit = stf_size_of(at, end, header, &size);
    *damaged = fit == STF_IMPOSSIBLE;
    if (fit == STF_TOO_SHORT) return 0;
    if (fit == STF_FITS) return size;
    const uint8_t *resumed = at + 1;
    for (; resumed < end; resumed++) {
        const uint8_t *next = resumed;
        enum stf_fit found = STF_FITS;
        unsigned run = 0;
        while (run < RUN && (found = stf_size_of(next, end, header, &size)) == STF_FITS) {
            next += size;
            run++;
        }
        if (run == RUN || (found == STF_TOO_SHORT && run >= FEWEST)) break;
    }
    return (size_t)(resumed - at);
}

static size_t stf_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    bool damaged;
    const uint8_t *begin = (const uint8_t *)at;
    const struct stf_header header = stf_header_of(stream);
    return stf_length_of(begin, begin + size, &header, &damaged);
}

static void *stf_share(const struct spoor_format *self, const struct spoor_head *head)
{
    (void)self;
    const uint8_t *at = head->bytes, *end = at + head->size;
    struct stf_header *header = malloc(sizeof *header + SPELLING_UNIT_SIZE + head->size);
    if (!header) return NULL;
    *header = stf_read_header(at, end);
    char *spelling = (char *)(header + 1), *to = spelling;
    to = put_bytes(to, "clk\0\0\0\0", SPELLING_UNIT_SIZE);
    for (size_t size; stf_record_size(at, end, 0, &size) == STF_FITS; at += size) {
        if (*at == STF_END_HEADER) break;
        if (*at == STF_CLOCK) to = put_bytes(to, at, size);
    }
    header->spelling = spelling;
    header->spelling_size = (size_t)(to - spelling);
    return header;
}

/* ---- records ---- */

struct stf_reader {
    struct spoor_batch *batch;
    const struct decoder *decoder;
    struct stf_header header;
    size_t first;  /* index of the group's first record */
    bool verbatim; /* the group's spelling does not give it back */
    unsigned size; /* of the codes */
    struct stf_spelling spelling;
};

static struct spoor_record *stf_push(struct stf_reader *reader, enum spoor_kind kind, unsigned op,
                                     unsigned has)
{
    struct spoor_batch *batch = reader->batch;
    const unsigned continues = batch->count > reader->first ? SPOOR_CONTINUES : 0;
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = (uint16_t)(has | continues);
    return record;
}

static void stf_code(struct stf_reader *reader, const uint8_t *bytes, size_t size)
{
    if (reader->size + size > sizeof reader->spelling.codes) {
        reader->verbatim = true;
        return;
    }
    memcpy(reader->spelling.codes + reader->size, bytes, size);
    reader->size += (unsigned)size;
}

static spoor_name stf_intern(struct stf_reader *reader, const char *text, size_t size)
{
    const spoor_name name = spoor_names_intern(reader->decoder->names, text, size);
    reader->verbatim |= name == SPOOR_NAMES_FULL;
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

static void stf_push_register(struct stf_reader *reader, const uint8_t *at, size_t size)
{
    enum { CAPACITY = 32 };
    static const char letters[] = {[STF_INTEGER] = 'x', [STF_FLOAT] = 'f', [STF_VECTOR] = 'v'};
    const unsigned number = (unsigned)stf_number(at + 1, 2), kind = at[3] & 15;
    const bool written = at[3] >> STF_OPERAND_SHIFT != STF_SOURCE;
    char name[CAPACITY];
    const size_t name_size =
        kind == STF_CSR ? riscv_csr_name(number, name)
                        : (size_t)(put_decimal(put_char(name, letters[kind]), number) - name);
    struct spoor_record *record =
        stf_push(reader, SPOOR_REG, written ? SPOOR_REG_WRITE : SPOOR_REG_READ, SPOOR_HAS_DATA);
    struct spoor_reg *reg = &record->reg;
    reg->name = stf_intern(reader, name, name_size);
    const size_t bytes = size - STF_REGISTER_HEAD;
    reg->bits = (uint16_t)(8 * bytes);
    if (bytes <= sizeof reg->value)
        memcpy(reg->value, at + STF_REGISTER_HEAD, bytes);
    else
        reg->wide = spoor_batch_refer(reader->batch, (const char *)at + STF_REGISTER_HEAD, bytes);
    if (reader->header.encoding == STF_RV32 && (kind == STF_INTEGER || kind == STF_CSR)) {
        reader->verbatim |= reg->value[0] > UINT32_MAX; /* the bits of its sign */
        reg->value[0] &= UINT32_MAX;
        reg->bits = 32;
    }
}

/* Pushes an access with the contents that follow it; returns the end of these. */
static const uint8_t *stf_push_access(struct stf_reader *reader, const uint8_t *at,
                                      const uint8_t *end)
{
    enum { SIZE = 9, WORD = 8, CONTENT = 1 + WORD, RECORD = 14 };
    struct spoor_record *record = stf_push(
        reader, SPOOR_MEM, at[RECORD - 1] == 1 ? SPOOR_MEM_READ : SPOOR_MEM_WRITE, SPOOR_HAS_VA);
    struct spoor_mem *mem = &record->mem;
    mem->va = stf_number(at + 1, STF_ADDRESS);
    mem->size = (uint16_t)stf_number(at + SIZE, 2);
    stf_code(reader, at, 1);
    stf_code(reader, at + SIZE + 2, 2); /* attributes */
    at += RECORD;
    size_t words = 0;
    while (end - at > (ptrdiff_t)(words * CONTENT) && at[words * CONTENT] == STF_CONTENT) {
        stf_code(reader, at, 1);
        words++;
    }
    const size_t needed = ((size_t)mem->size + WORD - 1) / WORD, last = mem->size % WORD;
    const uint64_t rest =
        words && last ? stf_number(at + (words - 1) * CONTENT + 1, WORD) >> 8 * last : 0;
    if (words && (words != needed || rest)) reader->verbatim = true;
    if (!words || words < needed) return at + words * CONTENT;
    record->has |= SPOOR_HAS_DATA;
    if (mem->size <= sizeof mem->data) {
        for (size_t i = 0; i < needed; i++) mem->data[i] = stf_number(at + i * CONTENT + 1, WORD);
        if (last) mem->data[needed - 1] &= (UINT64_C(1) << 8 * last) - 1;
    } else {
        struct text bytes = {0};
        for (size_t i = 0; i < needed; i++)
            text_put(&bytes, (const char *)at + i * CONTENT + 1, WORD);
        if (bytes.failed)
            reader->batch->out_of_memory = true;
        else
            mem->wide = spoor_batch_keep(reader->batch, bytes.bytes, mem->size);
        text_free(&bytes);
    }
    return at + words * CONTENT;
}

/* Which value of an exception is that of mtval (STF: Exception Event and Event Meta-Data); NONE: no
 * one is. */
static size_t stf_trap_value(uint32_t number)
{
    enum { INSN, OPCODE, ACCESS, NONE };
    static const uint8_t values[] = {INSN, INSN, OPCODE, INSN, ACCESS, ACCESS, ACCESS, ACCESS,
                                     NONE, NONE, NONE,   NONE, INSN,   ACCESS, NONE,   ACCESS,
                                     NONE, NONE, NONE,   NONE, INSN,   ACCESS, OPCODE, ACCESS};
    return number < sizeof values ? values[number] : NONE;
}

static void stf_push_event(struct stf_reader *reader, const uint8_t *at, size_t size)
{
    enum { HEAD64 = 10, HEAD32 = 6, VALUE = 8 }; /* bytes before the values, and of each */
    const bool wide = size % VALUE == HEAD64 % VALUE;
    const size_t count = (size - (wide ? HEAD64 : HEAD32)) / VALUE;
    const uint8_t *values = at + size - count * VALUE;
    const unsigned top = at[wide ? 8 : 4] >> 6;
    const uint32_t number = (uint32_t)stf_number(at + 1, 4) & (wide ? UINT32_MAX : UINT32_MAX >> 2);
    const struct riscv_cause cause = {number, top & STF_INTERRUPT};
    const bool mode = top == STF_SPECIAL && number == 0;
    const char *name = mode                ? "mode-change"
                       : top & STF_SPECIAL ? "special"
                                           : riscv_cause_name(cause);
    struct spoor_record *record = stf_push(
        reader, SPOOR_EVENT, top & STF_SPECIAL ? SPOOR_EVENT_STATE : SPOOR_EVENT_EXCEPTION, 0);
    record->event.name = stf_intern(reader, name, strlen(name));
    if (mode) {
        static const char modes[] = STF_MODES;
        const uint64_t value = count ? stf_number(values, VALUE) : UINT64_MAX;
        if (value < sizeof modes - 1) record->event.mode = stf_intern(reader, modes + value, 1);
        reader->verbatim |= count != 1 || record->event.mode == SPOOR_NO_NAME;
    } else {
        record->has |= SPOOR_HAS_INDEX;
        record->event.number = number;
        const size_t which = top ? SIZE_MAX : stf_trap_value(number);
        if (which < count) {
            record->has |= SPOOR_HAS_VA;
            record->event.value = stf_number(values + which * VALUE, VALUE);
        }
        reader->verbatim |= count > 1 || (count && which != 0) || top & STF_SPECIAL;
    }
    stf_code(reader, at, 1);
    const uint8_t how =
        (uint8_t)((wide ? STF_EVENT_WIDE : 0) | (count ? STF_EVENT_VALUE : 0) |
                  (cause.interrupt ? STF_EVENT_INTERRUPT : 0) | (mode ? STF_EVENT_MODE : 0));
    stf_code(reader, &how, 1);
}

/* Pushes the instruction, whose opcode record is at `at`. */
static void stf_push_insn(struct stf_reader *reader, const uint8_t *at, const uint8_t *forced)
{
    struct spoor_record *record = stf_push(reader, SPOOR_INSN, SPOOR_INSN_TAKEN, SPOOR_HAS_DATA);
    record->insn.opcode_size = *at == STF_OPCODE16 ? 2 : 4;
    record->insn.opcode = stf_number(at + 1, record->insn.opcode_size);
    if (!forced) return;
    record->has |= SPOOR_HAS_VA;
    record->insn.va = stf_number(forced + 1, STF_ADDRESS);
}

/* A branch: the target says that it was taken. */
static void stf_push_flow(struct stf_reader *reader, const uint8_t *opcode, const uint8_t *target)
{
    const unsigned size = *opcode == STF_OPCODE16 ? 2 : 4;
    const struct opcode branch = opcode_riscv(0, (uint32_t)stf_number(opcode + 1, size), size);
    const bool typed = branch.flow == OPCODE_BRANCH;
    if (!target && !(typed && branch.type & SPOOR_BRANCH_CONDITIONAL)) return;
    const unsigned op = typed ? SPOOR_FLOW_TYPED | flow_of_type(branch.type) : SPOOR_FLOW_BRANCH;
    struct spoor_record *record =
        stf_push(reader, SPOOR_FLOW, op | (target ? 0 : SPOOR_FLOW_NOT_TAKEN), 0);
    if (!target) return;
    record->has |= SPOOR_HAS_DATA;
    record->flow.target = stf_number(target + 1, STF_ADDRESS);
}

/* Where the event takes execution to is the second value of the event. */
static void stf_push_event_target(struct stf_reader *reader, const uint8_t *at)
{
    struct spoor_batch *batch = reader->batch;
    struct spoor_record *event = NULL;
    for (size_t i = batch->count; i-- > reader->first && !event;)
        if (batch->records[i].kind == SPOOR_EVENT) event = &batch->records[i];
    if (!event || event->has & SPOOR_HAS_EXTRA) {
        reader->verbatim = true;
        event = stf_push(reader, SPOOR_EVENT, SPOOR_EVENT_EXCEPTION, 0);
    }
    event->has |= SPOOR_HAS_EXTRA;
    event->event.value1 = stf_number(at + 1, STF_ADDRESS);
    stf_code(reader, at, 1);
}

static bool stf_is_state(const uint8_t *at)
{
    return *at == STF_REGISTER && at[3] >> STF_OPERAND_SHIFT == STF_STATE;
}

/* The records of the group are of the hart that the process runs on. */
static void stf_name_hart(struct stf_reader *reader, const uint8_t *process)
{
    char name[16];
    const char *end = put_decimal(name, stf_number(process + 1, 4));
    const spoor_name cpu = stf_intern(reader, name, (size_t)(end - name));
    for (size_t i = reader->first; cpu != SPOOR_NO_NAME && i < reader->batch->count; i++) {
        reader->batch->records[i].cpu = cpu;
        reader->batch->records[i].has |= SPOOR_HAS_CPU;
    }
}

/* Pushes the records of a group.  The length of a vector may follow from what comes after the
 * group, as its size did. */
static void stf_push_group(struct stf_reader *reader, const uint8_t *begin, const uint8_t *end)
{
    const uint8_t *limit = (const uint8_t *)reader->batch->text + reader->batch->text_size;
    const uint8_t *forced = NULL, *target = NULL, *process = NULL, *opcode = begin;
    const unsigned words = reader->header.words;
    size_t size = 0;
    reader->first = reader->batch->count;
    reader->verbatim = false;
    reader->size = 0;
    const size_t spills = reader->batch->spill_count;
    for (const uint8_t *at = begin; at < end; at += size) {
        if (stf_record_size(at, limit, words, &size) != STF_FITS) return; /* as its length said */
        if (stf_is_state(at)) stf_push_register(reader, at, size);
        if (*at == STF_FORCE_PC) {
            reader->verbatim |= at != begin; /* the writer looks for it there */
            forced = at;
        }
        if (*at == STF_PC_TARGET) {
            reader->verbatim |= target != NULL;
            target = at;
        }
        if (*at == STF_PROCESS) process = at;
        opcode = at;
    }
    stf_push_insn(reader, opcode, forced);
    stf_push_flow(reader, opcode, target);
    for (const uint8_t *at = begin; at < end; at += size) {
        if (stf_record_size(at, limit, words, &size) != STF_FITS) return;
        switch (*at) {
        case STF_ACCESS: size = (size_t)(stf_push_access(reader, at, end) - at); break;
        case STF_REGISTER:
            stf_code(reader, at, 1);
            stf_code(reader, at + 3, 1);
            if (!stf_is_state(at)) stf_push_register(reader, at, size);
            break;
        case STF_EVENT: stf_push_event(reader, at, size); break;
        case STF_EVENT_TARGET: stf_push_event_target(reader, at); break;
        case STF_FORCE_PC:
        case STF_PC_TARGET:
        case STF_OPCODE16:
        case STF_OPCODE32: stf_code(reader, at, 1); break;
        default: reader->verbatim = true; break;
        }
    }
    struct spoor_batch *batch = reader->batch;
    if (batch->count <= reader->first) return; /* memory ran out */
    if (process) stf_name_hart(reader, process);
    struct spoor_record *first = &batch->records[reader->first];
    if (!reader->verbatim) {
        const spoor_name name = spoor_names_intern(reader->decoder->spellings, &reader->spelling,
                                                   SPELLING_UNIT_SIZE + reader->size);
        if (name != SPOOR_NAMES_FULL) {
            first->spelling = name;
            return;
        }
    }
    if (batch->spill_count != spills) return;
    /* no record of a group has another spill */
    const size_t count = batch->count;
    batch->count = reader->first + 1;
    spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                      spoor_batch_refer(batch, (const char *)begin, (size_t)(end - begin)));
    batch->count = count;
}

static void stf_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct stf_reader reader = {
        .batch = batch, .decoder = decoder, .header = stf_header_of(batch->stream)};
    const struct stf_header *header = &reader.header;
    const uint8_t *at = (const uint8_t *)batch->text, *end = at + batch->text_size;
    spoor_name clocks = SPOOR_NO_NAME;
    if (header->protocol)
        clocks = spoor_names_intern(decoder->spellings, header->spelling, header->spelling_size);
    while (at < end && spoor_batch_reserve(batch, 1)) {
        bool damaged;
        size_t size = stf_length_of(at, end, &reader.header, &damaged);
        if (size && !damaged && *at != STF_IDENTIFIER) {
            if (header->protocol)
                stf_push_transaction(decoder, batch, clocks, at, at + size);
            else
                stf_push_group(&reader, at, at + size);
            at += size;
            continue;
        }
        const bool whole = size && !damaged;
        if (!size) size = (size_t)(end - at); /* a part of a group */
        const struct spoor_ref ref = spoor_batch_refer(batch, (const char *)at, size);
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_NOTE;
        record->op = whole ? SPOOR_NOTE_HEADER : damaged ? SPOOR_NOTE_UNKNOWN : SPOOR_NOTE_TRAILING;
        record->note.text = ref;
        if (!whole)
            batch_fault(batch, damaged ? "stf-record" : "trailing-bytes", 0,
                        header->protocol > STF_TILELINK ? "transactions of TileLink"
                        : !damaged && header->protocol  ? "a whole transaction or the end"
                        : header->protocol ? "records of the types that transactions have"
                        : damaged          ? "records of the types that an instruction trace has"
                                           : "a whole instruction or the end",
                        ref);
        at += size;
    }
}

/* ---- addresses ---- */

/* State in carry->word.  UNTIMED: bytes were no records, and the deltas in them are not known. */
enum { NEXT, KNOWN, BEGUN, UNTIMED };

static void stf_resolve(struct carry *carry, struct spoor_batch *batch)
{
    struct stf_place place = {carry->word[NEXT], carry->word[KNOWN]};
    uint64_t pc = 0;
    bool has_pc = false;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (carry->word[UNTIMED]) record->has &= (uint16_t)~SPOOR_HAS_TIME;
        if (record->has & SPOOR_HAS_TIME) carry->time += record->time; /* a delta */
        record->time = carry->time;
        if (record->has & SPOOR_HAS_CPU) carry->cpu = record->cpu;
        if (carry->cpu != SPOOR_NO_NAME && record->kind != SPOOR_NOTE) {
            record->cpu = carry->cpu;
            record->has |= SPOOR_HAS_CPU;
        }
        switch ((enum spoor_kind)record->kind) {
        case SPOOR_NOTE: {
            const uint8_t *text = (const uint8_t *)spoor_batch_bytes(batch, record->note.text);
            const uint8_t *end = text + record->note.text.size;
            const bool header = record->op == SPOOR_NOTE_HEADER;
            if (!header || !stf_find_place(text, end, 0, &place)) place.known = false;
            carry->word[UNTIMED] |= record->op == SPOOR_NOTE_UNKNOWN;
            break;
        }
        case SPOOR_INSN:
            if (record->has & SPOOR_HAS_VA) place = (struct stf_place){record->insn.va, true};
            has_pc = place.known;
            pc = place.next;
            record->insn.va = has_pc ? pc : 0;
            if (has_pc) record->has |= SPOOR_HAS_VA;
            place.next += record->insn.opcode_size;
            carry->word[BEGUN] = 1;
            break;
        case SPOOR_FLOW:
            if (has_pc) record->has |= SPOOR_HAS_VA;
            record->flow.va = has_pc ? pc : 0;
            if (record->has & SPOOR_HAS_DATA) place = (struct stf_place){record->flow.target, true};
            break;
        case SPOOR_EVENT:
            if (record->has & SPOOR_HAS_EXTRA)
                place = (struct stf_place){record->event.value1, true};
            break;
        case SPOOR_REG:
            /* A value that the trace states of its own accord, between instructions, is none that
             * the instruction before wrote: only the first ones are the state at the begin. */
            if (!(record->has & SPOOR_CONTINUES)) {
                size_t j = i;
                while (carry->word[BEGUN] && j < batch->count &&
                       batch->records[j].kind == SPOOR_REG)
                    batch->records[j++].op = SPOOR_REG_READ;
            }
            break;
        default: break;
        }
    }
    carry->word[NEXT] = place.next;
    carry->word[KNOWN] = place.known;
}

/* ---- formats ---- */

static int stf_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { SURE = 100 };
    (void)self;
    return head->size >= 5 && memcmp(head->bytes, "\1STF\2", 5) == 0 ? SURE : 0;
}

#define BIT SPOOR_FIELD_BIT
#define STF_FIELDS                                                                              \
    {                                                                                           \
        [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE),           \
        [SPOOR_FLOW] = BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),                \
        [SPOOR_REG] = BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),                   \
        [SPOOR_MEM] = BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA),                \
        [SPOOR_BUS] = BIT(TIME) | BIT(OP) | BIT(PA) | BIT(SIZE) | BIT(DATA) | BIT(DELTA) |      \
                      BIT(ENABLES) | BIT(MASTER),                                               \
        [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(NUMBER) | BIT(EVENT) | BIT(MODE) | \
                        BIT(PA) | BIT(VALUE) | BIT(VALUE1),                                     \
    }
const struct spoor_format format_stf = {
    .name = "stf",
    .title = "RISC-V Simulation Trace Format",
    .suffixes = "stf",
    .document = "STF: the records of sparcians/stf_spec",
    .time_unit = "",
    .record_size = 1,
    .length = stf_length,
    .share = stf_share,
    .multi_record = true,
    .is_riscv = true,
    .effects_need_insn = true,
    .exceptions_have_tval = true,
    .fields = STF_FIELDS,
    .probe = stf_probe,
    .decode = stf_decode,
    .resolve = stf_resolve,
    .write = stf_write,
    .end = stf_end,
};

const struct spoor_format format_zstf = {
    .name = "zstf",
    .title = "RISC-V Simulation Trace Format in chunks of zstd (read as stf)",
    .suffixes = "zstf",
    .document = "STF: the chunks of sparcians/stf_lib",
    .time_unit = "",
    .multi_record = true,
    .is_riscv = true,
    .effects_need_insn = true,
    .fields = STF_FIELDS,
    .write = stf_write,
    .end = stf_end,
    .front = zstf_front,
};
