/* SPDX-License-Identifier: MIT */
/*
 * stf_write.c: writes STF, and its chunks of zstd.
 *
 * A group that was read is made again of its records as its spelling says.  Of records of other
 * formats, the group of an instruction is complete when the next one begins, whose address says
 * whether the first one was a branch that was taken.  Where an address does not follow from what
 * was written before, a record states it.
 *
 * A .zstf file is a mark, the number of instructions of a chunk, the offset of the index, then a
 * frame of zstd for each chunk, and the index: how many chunks there are, and of each its offset,
 * the address of its first instruction, and its bytes.
 */
#include <limits.h>
#include <stdlib.h>

#include "formats/commit/parts.h"
#include "formats/stf/stf.h"
#include "isa/opcode.h"
#include "isa/riscv_cause.h"

#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>
#endif

enum { CHUNK_INSTRUCTIONS = 100000, ZSTF_HEADER = 20 };
#define ANY_WORDS UINT_MAX /* the header is that of the trace, and states no length of vectors */

struct stf_chunk_entry {
    uint64_t offset, pc, size;
};

struct stf_writer {
    bool header;            /* it is written */
    struct stf_place place; /* of the next instruction */
    spoor_name cpu;         /* of the instructions; others' are skipped */
    bool has_cpu;
    spoor_name hart;           /* that the trace states for what follows */
    struct stf_header learned; /* by the trace or its registers, for the header */
    struct stf_transactions transactions;

    /* An instruction of another format. */
    bool open;
    struct text process, registers, accesses, events;
    uint64_t pc, opcode, target;
    uint8_t size;    /* of the opcode */
    bool taken;      /* a record says so, and where to: target */
    bool interrupts; /* `events` has one: what comes next is its handler */

    /* .zstf */
    struct text chunk;
    uint64_t instructions; /* in it */
    uint64_t pc_of_chunk;  /* of its first instruction; of the first chunk, 0 */
    uint64_t file_size;    /* bytes of the file so far */
    struct text index;     /* of struct stf_chunk_entry */
};

static struct stf_writer *stf_writer_of(struct encoder *encoder, struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct stf_writer));
    if (!encoder->tables) out->failed = true;
    return encoder->tables;
}

static bool stf_is_chunked(const struct encoder *encoder)
{
    return encoder->format->front == zstf_front;
}

/* ---- chunks ---- */

static void stf_end_chunk(struct encoder *encoder, struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    struct text *chunk = &writer->chunk;
    out->failed |= chunk->failed;
    if (!chunk->size) return;
    const struct stf_chunk_entry entry = {ZSTF_HEADER + writer->file_size, writer->pc_of_chunk,
                                          chunk->size};
#ifdef SPOOR_WITH_ZSTD
    const size_t bound = ZSTD_compressBound(chunk->size);
    char *at = text_reserve(out, bound);
    if (!at) return;
    const size_t size = ZSTD_compress(at, bound, chunk->bytes, chunk->size, ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size)) { /* memory ran out: the capacity suffices */
        out->failed = true;
        return;
    }
    text_commit(out, at + size);
    writer->file_size += size;
#endif
    text_put(&writer->index, (const char *)&entry, sizeof entry);
    writer->pc_of_chunk = writer->place.next;
    writer->instructions = chunk->size = 0;
}

/* Where the next record goes. */
static struct text *stf_target(struct encoder *encoder, struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    return stf_is_chunked(encoder) ? &writer->chunk : out;
}

static void stf_end_group(struct encoder *encoder, struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    if (stf_is_chunked(encoder) && ++writer->instructions == CHUNK_INSTRUCTIONS)
        stf_end_chunk(encoder, out);
}

void zstf_front(struct encoder *encoder, struct text *out)
{
    const uint64_t instructions = CHUNK_INSTRUCTIONS;
    text_put(out, "ZSTF", 4);
    text_put(out, (const char *)&instructions, sizeof instructions);
    const uint64_t end = encoder->word[0] + ZSTF_HEADER;
    text_put(out, (const char *)&end, sizeof end);
}

/* ---- parts ---- */

static void stf_put(struct text *out, enum stf_type type, const void *bytes, size_t size)
{
    char *at = text_reserve(out, 1 + size);
    if (at) text_commit(out, put_bytes(put_char(at, (char)type), bytes, size));
}

static void stf_put_address(struct text *out, enum stf_type type, uint64_t address)
{
    stf_put(out, type, &address, sizeof address);
}

/* The header up to the features. */
static void stf_put_front(struct text *to, uint16_t encoding, uint64_t features)
{
    enum { RISCV = 1 };
    static const char comment[] = "written by spoor";
    const uint32_t version[] = {1, 5};
    const uint16_t isa = RISCV, size = sizeof comment - 1;
    stf_put(to, STF_IDENTIFIER, "STF", 3);
    stf_put(to, STF_VERSION, version, sizeof version);
    if (encoding) {
        stf_put(to, STF_ISA, &isa, sizeof isa);
        stf_put(to, STF_ENCODING, &encoding, sizeof encoding);
    }
    stf_put(to, STF_TRACE_INFO, "\0\0\0\0", 4); /* no known generator, nor a version */
    text_put(to, (const char *)&size, sizeof size);
    text_put(to, comment, size);
    stf_put(to, STF_FEATURES, &features, sizeof features);
}

static void stf_put_header(struct encoder *encoder, struct text *out, bool has_pc, uint64_t pc)
{
    enum { WORD = 64, RV64_FEATURE = 0x20, VECTOR_FEATURE = 0x40000, EVENT64_FEATURE = 0x80000 };
    struct stf_writer *writer = encoder->tables;
    struct text *to = stf_target(encoder, out);
    const uint16_t encoding = writer->learned.encoding == STF_RV32 ? STF_RV32 : STF_RV64;
    const uint32_t vector_bits = WORD * writer->learned.words;
    stf_put_front(to, encoding,
                  (encoding == STF_RV64 ? RV64_FEATURE : 0) | (vector_bits ? VECTOR_FEATURE : 0) |
                      EVENT64_FEATURE);
    if (vector_bits) stf_put(to, STF_VECTOR_LENGTH, &vector_bits, sizeof vector_bits);
    if (has_pc) {
        stf_put_address(to, STF_FORCE_PC, pc);
        writer->place = (struct stf_place){pc, true};
    }
    stf_put(to, STF_END_HEADER, "", 0);
    writer->header = true;
}

/* States the address of the next instruction where it does not follow. */
static void stf_put_place(struct encoder *encoder, struct text *out, uint64_t pc)
{
    struct stf_writer *writer = encoder->tables;
    if (!writer->place.known || writer->place.next != pc)
        stf_put_address(stf_target(encoder, out), STF_FORCE_PC, pc);
    writer->place = (struct stf_place){pc, true};
}

/* States the hart of the record, where another one's or none is stated; its process is not known.
 */
static void stf_put_hart(struct stf_writer *writer, const struct spoor_batch *batch,
                         const struct spoor_record *record, struct text *to)
{
    if (!(record->has & SPOOR_HAS_CPU) || writer->hart == record->cpu) return;
    const uint32_t process[] = {commit_cpu_number(batch, record), 0, 0};
    stf_put(to, STF_PROCESS, process, sizeof process);
    writer->hart = record->cpu;
}

/* False: STF has no such register, or the record no such value; or it is a vector of another length
 * than the header states, as its readers would not know. */
static bool stf_put_register(const struct stf_writer *writer, struct text *out,
                             const struct spoor_batch *batch, size_t index,
                             enum stf_operand operand)
{
    enum { HEAD = 3, VECTOR_WORD = 8 };
    const struct spoor_reg *reg = &batch->records[index].reg;
    unsigned number;
    const char kind = commit_riscv_number(batch, reg->name, &number);
    if (!kind || !(batch->records[index].has & SPOOR_HAS_DATA) || reg->unknown || reg->low ||
        reg->high)
        return false;
    const unsigned type = kind == 'x'   ? STF_INTEGER
                          : kind == 'f' ? STF_FLOAT
                          : kind == 'v' ? STF_VECTOR
                                        : STF_CSR;
    if (type != STF_VECTOR && (reg->bits > 64 || reg->wide.size)) return false;
    const size_t bytes = type == STF_VECTOR ? reg->bits / 8U : VECTOR_WORD;
    const unsigned words = writer->learned.words;
    if (!bytes || bytes % VECTOR_WORD) return false;
    if (type == STF_VECTOR && words != ANY_WORDS && reg->bits != 64 * words) return false;
    const void *value =
        reg->wide.size ? spoor_batch_bytes(batch, reg->wide) : (const char *)reg->value;
    if (bytes > (reg->wide.size ? reg->wide.size : sizeof reg->value)) return false;
    const uint8_t head[HEAD] = {(uint8_t)number, (uint8_t)(number >> 8),
                                (uint8_t)(type | operand << STF_OPERAND_SHIFT)};
    stf_put(out, STF_REGISTER, head, HEAD);
    text_put(out, value, bytes);
    return true;
}

/* ---- groups that were read ---- */

struct stf_group {
    const struct spoor_batch *batch;
    size_t state, insn, rest, end; /* indices: the next state, the instruction, the next effect */
    size_t word;                   /* of the access before */
};

/* The next effect of this kind; the end: there is none, or it is of another kind. */
static size_t stf_next_effect(struct stf_group *group, enum spoor_kind kind)
{
    const struct spoor_record *records = group->batch->records;
    while (group->rest < group->end && records[group->rest].kind == SPOOR_FLOW) group->rest++;
    if (group->rest == group->end || records[group->rest].kind != kind) return group->end;
    return group->rest++;
}

static bool stf_put_access(struct stf_group *group, const uint8_t *attributes, struct text *to)
{
    const size_t index = stf_next_effect(group, SPOOR_MEM);
    if (index == group->end) return false;
    const struct spoor_record *record = &group->batch->records[index];
    char *at = text_reserve(to, 14);
    if (!at) return true;
    at = put_bytes(put_char(at, STF_ACCESS), &record->mem.va, 8);
    at = put_bytes(put_bytes(at, &record->mem.size, 2), attributes, 2);
    text_commit(to, put_char(at, record->op == SPOOR_MEM_READ ? 1 : 2));
    group->word = 0;
    return true;
}

/* The next 8 bytes of an access. */
static bool stf_put_content(const struct spoor_batch *batch, const struct spoor_record *record,
                            size_t word, struct text *to)
{
    const struct spoor_mem *mem = &record->mem;
    const char *bytes =
        mem->wide.size ? spoor_batch_bytes(batch, mem->wide) : (const char *)mem->data;
    const size_t held = mem->wide.size ? mem->wide.size : sizeof mem->data;
    const size_t begin = 8 * word;
    if (!(record->has & SPOOR_HAS_DATA) || begin >= mem->size || mem->size > held) return false;
    uint64_t content = 0;
    memcpy(&content, bytes + begin, mem->size - begin < 8 ? mem->size - begin : 8);
    stf_put(to, STF_CONTENT, &content, sizeof content);
    return true;
}

static void stf_put_event(const struct spoor_batch *batch, const struct spoor_record *record,
                          unsigned how, struct text *to)
{
    const bool wide = how & STF_EVENT_WIDE, mode = how & STF_EVENT_MODE;
    const uint64_t top = (how & STF_EVENT_INTERRUPT ? STF_INTERRUPT : 0) | (mode ? STF_SPECIAL : 0);
    const uint64_t number = (mode ? 0 : record->event.number) | top << (wide ? 62 : 30);
    const char values = how & STF_EVENT_VALUE ? 1 : 0;
    uint64_t value = record->event.value;
    if (mode) {
        size_t size;
        const char *name = spoor_names_text(batch->stream->names, record->event.mode, &size);
        value = (uint64_t)(strchr(STF_MODES, *name) - STF_MODES);
    }
    stf_put(to, STF_EVENT, &number, wide ? 8 : 4);
    text_put(to, &values, 1);
    if (values) text_put(to, (const char *)&value, sizeof value);
}

/* Writes the records that the codes name; false: the group lacks one, or has another. */
static bool stf_put_codes(const struct stf_writer *writer, struct stf_group *group,
                          const uint8_t *codes, const uint8_t *end, struct text *to)
{
    const struct spoor_batch *batch = group->batch;
    const struct spoor_record *records = batch->records, *insn = &records[group->insn];
    const struct spoor_record *event = NULL, *flow = NULL;
    for (size_t i = group->insn; i < group->end; i++)
        if (records[i].kind == SPOOR_FLOW && records[i].has & SPOOR_HAS_DATA) flow = &records[i];
    while (codes < end) {
        const uint8_t type = *codes++;
        size_t index;
        switch (type) {
        case STF_FORCE_PC: stf_put_address(to, STF_FORCE_PC, insn->insn.va); break;
        case STF_PC_TARGET:
            if (!flow) return false;
            stf_put_address(to, STF_PC_TARGET, flow->flow.target);
            break;
        case STF_REGISTER: {
            if (codes == end) return false;
            const enum stf_operand operand = (enum stf_operand)(*codes++ >> STF_OPERAND_SHIFT);
            if (operand == STF_STATE)
                index = group->state < group->insn ? group->state++ : group->end;
            else
                index = stf_next_effect(group, SPOOR_REG);
            if (index == group->end || !stf_put_register(writer, to, batch, index, operand))
                return false;
            break;
        }
        case STF_ACCESS:
            if (end - codes < 2 || !stf_put_access(group, codes, to)) return false;
            codes += 2;
            break;
        case STF_CONTENT:
            if (!group->rest || records[group->rest - 1].kind != SPOOR_MEM ||
                !stf_put_content(batch, &records[group->rest - 1], group->word++, to))
                return false;
            break;
        case STF_EVENT:
            index = stf_next_effect(group, SPOOR_EVENT);
            if (index == group->end || codes == end) return false;
            event = &records[index];
            stf_put_event(batch, event, *codes++, to);
            break;
        case STF_EVENT_TARGET:
            if (!event) return false;
            stf_put_address(to, STF_EVENT_TARGET, event->event.value1);
            break;
        case STF_OPCODE16:
        case STF_OPCODE32: stf_put(to, type, &insn->insn.opcode, insn->insn.opcode_size); break;
        default: return false;
        }
    }
    while (group->rest < group->end && records[group->rest].kind == SPOOR_FLOW) group->rest++;
    return group->rest == group->end && group->state == group->insn;
}

/* Writes the group of records from .. end - 1 as it was read; false: it cannot be. */
static bool stf_put_own(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                        size_t end, struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    struct stf_group group = {.batch = batch, .state = from, .insn = from, .end = end};
    while (group.insn < end && batch->records[group.insn].kind != SPOOR_INSN) group.insn++;
    if (group.insn == end) return false;
    group.rest = group.insn + 1;
    const struct spoor_record *insn = &batch->records[group.insn];
    struct text *to = stf_target(encoder, out);
    struct spoor_ref line;
    size_t size;
    const char *spelling =
        spoor_names_text(batch->stream->spellings, batch->records[from].spelling, &size);
    const bool verbatim =
        spoor_batch_find_spill(batch, from, SPOOR_SPILL_LINE, &line) && line.size > 0;
    if (!verbatim && size <= SPELLING_UNIT_SIZE) return false;
    const uint8_t *codes = verbatim ? (const uint8_t *)spoor_batch_bytes(batch, line)
                                    : (const uint8_t *)spelling + SPELLING_UNIT_SIZE;
    const unsigned words = stf_header_of(batch->stream).words;
    struct stf_place forced;
    const bool states_pc = verbatim ? stf_find_place(codes, codes + line.size, words, &forced)
                                    : *codes == STF_FORCE_PC;
    if (!writer->header) stf_put_header(encoder, out, insn->has & SPOOR_HAS_VA, insn->insn.va);
    const size_t before = to->size;
    if (verbatim && stf_find(codes, codes + line.size, words, STF_PROCESS))
        writer->hart = insn->cpu;
    else
        stf_put_hart(writer, batch, insn, to);
    /* a part of a trace begins elsewhere than where the part before ended */
    if (insn->has & SPOOR_HAS_VA && !states_pc &&
        (!writer->place.known || writer->place.next != insn->insn.va))
        stf_put_address(to, STF_FORCE_PC, insn->insn.va);
    if (verbatim) {
        text_put(to, (const char *)codes, line.size);
    } else if (!stf_put_codes(writer, &group, codes, (const uint8_t *)spelling + size, to)) {
        to->size = before;
        return false;
    }
    writer->place.known = insn->has & SPOOR_HAS_VA;
    writer->place.next = insn->insn.va + insn->insn.opcode_size;
    for (size_t i = group.insn; i < end; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_FLOW && record->has & SPOOR_HAS_DATA)
            writer->place = (struct stf_place){record->flow.target, true};
        if (record->kind == SPOOR_EVENT && record->has & SPOOR_HAS_EXTRA)
            writer->place = (struct stf_place){record->event.value1, true};
    }
    stf_end_group(encoder, out);
    return true;
}

/* As stf_put_own(), of transactions; *left_out: the dependences on others that are not written. */
static bool stf_put_own_transaction(struct encoder *encoder, const struct spoor_batch *batch,
                                    size_t from, size_t to, struct text *out, size_t *left_out)
{
    struct stf_writer *writer = encoder->tables;
    const struct spoor_record *record = &batch->records[from];
    struct text *file = stf_target(encoder, out);
    struct spoor_ref line;
    size_t size;
    if (!(record->has & SPOOR_IS_VERBATIM) ||
        !spoor_batch_find_spill(batch, from, SPOOR_SPILL_LINE, &line))
        return false;
    const uint8_t *at = (const uint8_t *)spoor_batch_bytes(batch, line);
    if (stf_transactions_size(at, at + line.size, &size) != STF_FITS || size != line.size)
        return false;
    if (!writer->header) {
        static const char tilelink = STF_TILELINK;
        const char *clocks = spoor_names_text(batch->stream->spellings, record->spelling, &size);
        stf_put_front(file, 0, 0);
        stf_put(file, STF_PROTOCOL, &tilelink, 1);
        if (size > SPELLING_UNIT_SIZE)
            text_put(file, clocks + SPELLING_UNIT_SIZE, size - SPELLING_UNIT_SIZE);
        stf_put(file, STF_END_HEADER, "", 0);
        writer->header = writer->transactions.is_part = true;
    }
    *left_out =
        stf_put_transaction(&writer->transactions, batch, from, to, at, at + line.size, file);
    stf_end_group(encoder, out);
    return true;
}

/* A header, or bytes that are no records. */
static void stf_put_note(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                         struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    const struct spoor_record *record = &batch->records[index];
    const char *text = spoor_batch_bytes(batch, record->note.text);
    const uint8_t *begin = (const uint8_t *)text;
    text_put(stf_target(encoder, out), text, record->note.text.size);
    writer->place.known = false;
    writer->header |= record->op == SPOOR_NOTE_HEADER;
    if (record->op == SPOOR_NOTE_HEADER)
        stf_find_place(begin, begin + record->note.text.size, 0, &writer->place);
}

/* ---- instructions of other formats ---- */

/* Writes the open instruction; `next` is executed after it, NULL: it is not known what is. */
static void stf_flush(struct encoder *encoder, const struct spoor_record *next, struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    if (!writer->open) return;
    writer->open = false;
    struct text *to = stf_target(encoder, out);
    if (!writer->header) stf_put_header(encoder, out, true, writer->pc);
    text_append(to, &writer->process);
    writer->process.size = 0;
    stf_put_place(encoder, out, writer->pc);
    const uint64_t fall = writer->pc + writer->size;
    const struct opcode opcode = opcode_riscv(writer->pc, (uint32_t)writer->opcode, writer->size);
    const bool branch = opcode.flow == OPCODE_BRANCH;
    const bool always = branch && !(opcode.type & SPOOR_BRANCH_CONDITIONAL);
    const bool direct = branch && !(opcode.type & SPOOR_BRANCH_INDIRECT);
    bool jumps = writer->taken;
    uint64_t target = writer->target;
    if (!jumps && next && !writer->interrupts && branch && (next->insn.va != fall || always)) {
        /* a conditional branch has one target, elsewhere an exception was taken */
        jumps = !direct || next->insn.va == opcode.target;
        target = next->insn.va;
    } else if (!jumps && direct && always) {
        jumps = true;
        target = opcode.target;
    }
    writer->place.next = jumps ? target : fall;
    if (jumps) stf_put_address(to, STF_PC_TARGET, target);
    text_append(to, &writer->registers);
    text_append(to, &writer->accesses);
    text_append(to, &writer->events);
    if (writer->interrupts && next) {
        stf_put_address(to, STF_EVENT_TARGET, next->insn.va);
        writer->place.next = next->insn.va;
    }
    stf_put(to, writer->size == 2 ? STF_OPCODE16 : STF_OPCODE32, &writer->opcode, writer->size);
    out->failed |= writer->process.failed || writer->registers.failed || writer->accesses.failed ||
                   writer->events.failed;
    stf_end_group(encoder, out);
}

static bool stf_put_foreign_access(struct text *to, const struct spoor_batch *batch,
                                   const struct spoor_record *record)
{
    const struct spoor_mem *mem = &record->mem;
    const bool reads = record->op == SPOOR_MEM_READ;
    const unsigned needed = SPOOR_HAS_VA | SPOOR_HAS_DATA;
    static const uint8_t attributes[2];
    if ((!reads && record->op != SPOOR_MEM_WRITE) || (record->has & needed) != needed ||
        !mem->size || mem->unknown || mem->attr & (SPOOR_MEM_ABORTED | SPOOR_MEM_GAPS))
        return false;
    const size_t before = to->size;
    stf_put(to, STF_ACCESS, &mem->va, sizeof mem->va);
    text_put(to, (const char *)&mem->size, sizeof mem->size);
    text_put(to, (const char *)attributes, sizeof attributes);
    const char type = reads ? 1 : 2;
    text_put(to, &type, 1);
    for (size_t word = 0; 8 * word < mem->size; word++)
        if (!stf_put_content(batch, record, word, to)) {
            to->size = before;
            return false;
        }
    return true;
}

/* Returns true if the record is written. */
static bool stf_put_foreign(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                            struct text *out)
{
    struct stf_writer *writer = encoder->tables;
    const struct spoor_record *record = &batch->records[index];
    const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
    if (cpu != SPOOR_NO_NAME && !writer->has_cpu) {
        writer->has_cpu = true;
        writer->cpu = cpu;
    }
    if (cpu != SPOOR_NO_NAME && cpu != writer->cpu) return false;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: {
        const struct spoor_insn *insn = &record->insn;
        const unsigned needed = SPOOR_HAS_VA | SPOOR_HAS_DATA;
        if (record->op != SPOOR_INSN_TAKEN) return false;
        stf_flush(encoder, record->has & SPOOR_HAS_VA ? record : NULL, out);
        if ((record->has & needed) != needed ||
            (insn->opcode_size != 2 && insn->opcode_size != 4)) {
            writer->place.known = false;
            return false;
        }
        writer->open = true;
        writer->taken = writer->interrupts = false;
        writer->registers.size = writer->accesses.size = writer->events.size = 0;
        stf_put_hart(writer, batch, record, &writer->process);
        writer->pc = insn->va;
        writer->opcode = insn->opcode;
        writer->size = insn->opcode_size;
        return true;
    }
    case SPOOR_REG:
        return writer->open && record->op != SPOOR_REG_SYSTEM &&
               stf_put_register(writer, &writer->registers, batch, index,
                                record->op == SPOOR_REG_READ ? STF_SOURCE : STF_DESTINATION);
    case SPOOR_MEM: return writer->open && stf_put_foreign_access(&writer->accesses, batch, record);
    case SPOOR_FLOW:
        if (!writer->open || (record->has & SPOOR_HAS_EXTRA)) return false;
        if (!(record->op & SPOOR_FLOW_NOT_TAKEN) && record->has & SPOOR_HAS_DATA) {
            writer->taken = true;
            writer->target = record->flow.target;
        }
        return true;
    case SPOOR_EVENT: {
        /* An interrupt comes after the instruction; the one that an exception stops is not in other
         * traces. */
        struct riscv_cause cause;
        size_t size;
        const char *name = spoor_names_text(batch->stream->names, record->event.name, &size);
        if (!writer->open || record->op != SPOOR_EVENT_EXCEPTION ||
            !(record->has & SPOOR_HAS_INDEX) || !riscv_cause_find(name, size, &cause) ||
            !cause.interrupt)
            return false;
        writer->interrupts = true;
        stf_put_event(batch, record, STF_EVENT_WIDE | STF_EVENT_INTERRUPT, &writer->events);
        return true;
    }
    default: return false;
    }
}

/* ---- traces ---- */

/* The width of the machine and of its vectors, by the first registers of a trace. */
static void stf_learn_header(struct stf_writer *writer, const struct spoor_batch *batch)
{
    enum { WORD = 64 };
    struct stf_header *learned = &writer->learned;
    unsigned number;
    for (size_t i = 0; i < batch->count && !(learned->encoding && learned->words); i++) {
        const struct spoor_reg *reg = &batch->records[i].reg;
        if (batch->records[i].kind != SPOOR_REG) continue;
        const char kind = commit_riscv_number(batch, reg->name, &number);
        if (kind == 'x' && !learned->encoding)
            learned->encoding = reg->bits == 32 ? STF_RV32 : STF_RV64;
        if (kind == 'v' && !learned->words) learned->words = reg->bits / WORD;
    }
}

void stf_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    enum { SUITS = 3 };
    const bool own = batch->stream->format->write == stf_write;
    struct stf_writer *writer = stf_writer_of(encoder, out);
    if (!writer) return;
    if (!own && encoder->word[SUITS] == FORMAT_SUITS_UNKNOWN)
        encoder->word[SUITS] = format_suits(encoder->format, batch);
    if (!own && encoder->word[SUITS] == FORMAT_SUITS_NOT) {
        encoder->skipped += to - from;
        return;
    }
    if (own && !writer->header) writer->learned = stf_header_of(batch->stream);
    /* a whole trace has its own header, or lacks one */
    if (own && batch->first + from == 0) {
        writer->header = true;
        if (!writer->learned.words) writer->learned.words = ANY_WORDS;
    }
    if (!writer->header) stf_learn_header(writer, batch);
    for (size_t i = from; i < to;) {
        const struct spoor_record *record = &batch->records[i];
        const bool begins = own && !(record->has & SPOOR_CONTINUES);
        const size_t end = begins ? commit_line_end(batch, i) : i + 1;
        size_t left_out = 0;
        if (own && record->kind == SPOOR_NOTE) {
            stf_flush(encoder, NULL, out);
            stf_put_note(encoder, batch, i, out);
            encoder->written++;
        } else if (begins && stf_put_own_transaction(encoder, batch, i, end < to ? end : to, out,
                                                     &left_out)) {
            encoder->written += (end < to ? end : to) - i - left_out;
            encoder->skipped += left_out;
            i = end;
            continue;
        } else if (begins && end <= to && !writer->open &&
                   stf_put_own(encoder, batch, i, end, out)) {
            encoder->written += end - i;
            i = end;
            continue;
        } else {
            const bool done = stf_put_foreign(encoder, batch, i, out);
            encoder->written += done;
            encoder->skipped += !done;
        }
        i++;
    }
}

void stf_end(struct encoder *encoder, struct text *out)
{
    struct stf_writer *writer = stf_writer_of(encoder, out);
    if (!writer) return;
    stf_flush(encoder, NULL, out);
    if (stf_is_chunked(encoder)) {
        stf_end_chunk(encoder, out);
        encoder->word[0] = writer->file_size;
        const uint64_t count = writer->index.size / sizeof(struct stf_chunk_entry);
        text_put(out, (const char *)&count, sizeof count);
        text_append(out, &writer->index);
        out->failed |= writer->index.failed;
    }
    text_free(&writer->process);
    text_free(&writer->registers);
    text_free(&writer->accesses);
    text_free(&writer->events);
    text_free(&writer->chunk);
    text_free(&writer->index);
    free(writer);
    encoder->tables = NULL;
}
