/* SPDX-License-Identifier: MIT */
/*
 * protobuf.c: the traces of gem5 in Protocol Buffers: packets of memory (CommMonitor, TrafficGen),
 * instructions (InstPBTrace), and instructions with what they depend on (ElasticTrace, TraceCPU).
 *
 * A file is "gem5", a header, and messages, each with its size before it.  A message is its fields:
 * a number and a type, and a value (gem5: src/proto/packet.proto, inst.proto,
 * inst_dep_record.proto).  The fields that a
 * record has no place for are its spelling.  A message that its record and spelling do not give
 * back, as one with its fields in another order, keeps its bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "formats/format.h"
#include "formats/reference.h"
#include "model/batch_own.h"

enum {
    MAGIC = 4,
    MAX_MESSAGE = 1 << 16,
    ACCESSES = 8, /* of an instruction */
    INSN_BYTES = 16,
    FETCH_FLAG = 0x100, /* of a request: it fetches an instruction */
    READ_COMMAND = 1,
    WRITE_COMMAND = 4, /* all versions of gem5 have these numbers */
    READ_TYPE = 30,
    WRITE_TYPE = 31, /* of instructions, in inst.proto */
};
static const char magic[MAGIC] = "gem5";

/* ---- the wire ---- */

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };
struct wire_field {
    unsigned number, type;
    uint64_t value;       /* of WIRE_BYTES, the size */
    const uint8_t *bytes; /* WIRE_BYTES */
};
enum fit { FIT, TOO_SHORT, IMPOSSIBLE };

static enum fit wire_read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    struct unpacker from = {*at, end, false};
    *value = unpack(&from);
    if (from.failed) return end - *at < VARINT_SIZE ? TOO_SHORT : IMPOSSIBLE;
    *at = from.at;
    return FIT;
}

static uint64_t wire_number(const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    while (size--) value = value << 8 | at[size];
    return value;
}

static enum fit wire_read_field(const uint8_t **at, const uint8_t *end, struct wire_field *field)
{
    uint64_t tag;
    enum fit fit = wire_read_varint(at, end, &tag);
    if (fit != FIT) return fit;
    *field = (struct wire_field){.number = (unsigned)(tag >> 3), .type = tag & 7};
    const size_t fixed = field->type == WIRE_64 ? 8 : field->type == WIRE_32 ? 4 : 0;
    if (tag >> 3 == 0 || tag >> 32) return IMPOSSIBLE;
    if (field->type == WIRE_VARINT) return wire_read_varint(at, end, &field->value);
    if (fixed) {
        if ((size_t)(end - *at) < fixed) return TOO_SHORT;
        field->value = wire_number(*at, fixed);
        *at += fixed;
        return FIT;
    }
    if (field->type != WIRE_BYTES) return IMPOSSIBLE;
    fit = wire_read_varint(at, end, &field->value);
    if (fit != FIT) return fit;
    if ((uint64_t)(end - *at) < field->value) return TOO_SHORT;
    field->bytes = *at;
    *at += field->value;
    return FIT;
}

static void wire_put(struct text *out, unsigned number, unsigned type, uint64_t value)
{
    text_varint(out, (uint64_t)number << 3 | type);
    if (type == WIRE_VARINT || type == WIRE_BYTES)
        text_varint(out, value);
    else
        text_put(out, (const char *)&value, type == WIRE_64 ? 8 : 4);
}

/* ---- messages ---- */

/* The fields of a message; bit n of `has`: field n is there. */
struct packet {
    uint32_t has;
    uint64_t tick, address, id, pc;
    uint32_t command, size, flags;
};
enum {
    PACKET_TICK = 1,
    PACKET_COMMAND,
    PACKET_ADDRESS,
    PACKET_SIZE,
    PACKET_FLAGS,
    PACKET_ID,
    PACKET_PC
};
enum {
    PACKET_REQUIRED =
        1 << PACKET_TICK | 1 << PACKET_COMMAND | 1 << PACKET_ADDRESS | 1 << PACKET_SIZE
};

struct inst_access {
    uint8_t has;
    uint64_t address;
    uint32_t size, flags;
};
struct inst {
    uint32_t has;
    uint64_t pc, tick;
    uint32_t code, node, cpu, type, flags;
    uint8_t byte_count, access_count;
    uint8_t bytes[INSN_BYTES];
    struct inst_access accesses[ACCESSES];
};
enum {
    INST_PC = 1,
    INST_CODE,
    INST_NODE,
    INST_CPU,
    INST_TICK,
    INST_TYPE,
    INST_FLAGS,
    INST_ACCESS,
    INST_BYTES
};
enum { ACCESS_ADDRESS = 1, ACCESS_SIZE, ACCESS_FLAGS };

/* The fields of a message are read, and `others` is set if there are more than it has; false: they
 * are those of another message. */
static bool packet_read(struct packet *packet, const uint8_t *at, const uint8_t *end, bool *others)
{
    *packet = (struct packet){0};
    *others = false;
    while (at < end) {
        struct wire_field field;
        if (wire_read_field(&at, end, &field) != FIT) return false;
        if (field.number > PACKET_PC) {
            *others = true;
            continue;
        }
        if (field.type != WIRE_VARINT) return false;
        const uint32_t low = (uint32_t)field.value;
        packet->has |= 1u << field.number;
        switch (field.number) {
        case PACKET_TICK: packet->tick = field.value; break;
        case PACKET_COMMAND: packet->command = low; break;
        case PACKET_ADDRESS: packet->address = field.value; break;
        case PACKET_SIZE: packet->size = low; break;
        case PACKET_FLAGS: packet->flags = low; break;
        case PACKET_ID: packet->id = field.value; break;
        default: packet->pc = field.value; break;
        }
    }
    return (packet->has & PACKET_REQUIRED) == PACKET_REQUIRED;
}

static void packet_put(const struct packet *packet, struct text *out)
{
    const uint64_t values[] = {
        0,          packet->tick, packet->command, packet->address, packet->size, packet->flags,
        packet->id, packet->pc};
    for (unsigned i = PACKET_TICK; i <= PACKET_PC; i++)
        if (packet->has >> i & 1) wire_put(out, i, WIRE_VARINT, values[i]);
}

static bool inst_read_access(struct inst *inst, const struct wire_field *message, bool *others)
{
    const uint8_t *at = message->bytes, *end = at + message->value;
    struct inst_access access = {0};
    while (at < end) {
        struct wire_field field;
        if (wire_read_field(&at, end, &field) != FIT) return false;
        if (field.number > ACCESS_FLAGS || field.type != WIRE_VARINT) {
            *others = true;
            continue;
        }
        access.has |= (uint8_t)(1u << field.number);
        if (field.number == ACCESS_ADDRESS) access.address = field.value;
        if (field.number == ACCESS_SIZE) access.size = (uint32_t)field.value;
        if (field.number == ACCESS_FLAGS) access.flags = (uint32_t)field.value;
    }
    if (inst->access_count < ACCESSES)
        inst->accesses[inst->access_count++] = access;
    else
        *others = true;
    return true;
}

static bool inst_read(struct inst *inst, const uint8_t *at, const uint8_t *end, bool *others)
{
    static const uint8_t types[] = {[INST_CODE] = WIRE_32,
                                    [INST_TICK] = WIRE_64,
                                    [INST_ACCESS] = WIRE_BYTES,
                                    [INST_BYTES] = WIRE_BYTES};
    *inst = (struct inst){0};
    *others = false;
    while (at < end) {
        struct wire_field field;
        if (wire_read_field(&at, end, &field) != FIT) return false;
        if (field.number > INST_BYTES) {
            *others = true;
            continue;
        }
        if (field.type != types[field.number]) return false;
        const uint32_t low = (uint32_t)field.value;
        inst->has |= 1u << field.number;
        switch (field.number) {
        case INST_PC: inst->pc = field.value; break;
        case INST_CODE: inst->code = low; break;
        case INST_NODE: inst->node = low; break;
        case INST_CPU: inst->cpu = low; break;
        case INST_TICK: inst->tick = field.value; break;
        case INST_TYPE: inst->type = low; break;
        case INST_FLAGS: inst->flags = low; break;
        case INST_ACCESS:
            if (!inst_read_access(inst, &field, others)) return false;
            break;
        default:
            *others |= field.value > INSN_BYTES;
            inst->byte_count = (uint8_t)(field.value > INSN_BYTES ? INSN_BYTES : field.value);
            if (field.bytes) memcpy(inst->bytes, field.bytes, inst->byte_count);
            break;
        }
    }
    return inst->has >> INST_PC & 1;
}

static void inst_put_access(const struct inst_access *access, struct text *out)
{
    struct text message = {0};
    const uint64_t values[] = {0, access->address, access->size, access->flags};
    for (unsigned i = ACCESS_ADDRESS; i <= ACCESS_FLAGS; i++)
        if (access->has >> i & 1) wire_put(&message, i, WIRE_VARINT, values[i]);
    wire_put(out, INST_ACCESS, WIRE_BYTES, message.size);
    text_append(out, &message);
    out->failed |= message.failed;
    text_free(&message);
}

static void inst_put(const struct inst *inst, struct text *out)
{
    const uint64_t values[] = {0,         inst->pc,   inst->code, inst->node,
                               inst->cpu, inst->tick, inst->type, inst->flags};
    for (unsigned i = INST_PC; i <= INST_FLAGS; i++)
        if (inst->has >> i & 1)
            wire_put(out, i,
                     i == INST_CODE   ? WIRE_32
                     : i == INST_TICK ? WIRE_64
                                      : WIRE_VARINT,
                     values[i]);
    for (unsigned i = 0; i < inst->access_count; i++) inst_put_access(&inst->accesses[i], out);
    if (!(inst->has >> INST_BYTES & 1)) return;
    wire_put(out, INST_BYTES, WIRE_BYTES, inst->byte_count);
    text_put(out, (const char *)inst->bytes, inst->byte_count);
}

/* An instruction of a trace of dependences.  What it depends on, and its delay, have no place in a
 * record. */
struct dependent {
    uint32_t has;
    uint64_t number, type, physical, size, pc, address;
};
enum {
    DEPENDENT_NUMBER = 1,
    DEPENDENT_TYPE,
    DEPENDENT_PHYSICAL,
    DEPENDENT_SIZE,
    DEPENDENT_ROB = 6, /* repeated, as DEPENDENT_REGISTER */
    DEPENDENT_DELAY,
    DEPENDENT_REGISTER,
    DEPENDENT_PC = 10,
    DEPENDENT_ADDRESS,
    DEPENDENT_LAST
};
enum { DEPENDENT_INVALID, DEPENDENT_LOAD, DEPENDENT_STORE, DEPENDENT_COMPUTES };
enum { DEPENDENT_REQUIRED = 1 << DEPENDENT_NUMBER | 1 << DEPENDENT_TYPE | 1 << DEPENDENT_DELAY };

static bool dependent_read(struct dependent *dependent, const uint8_t *at, const uint8_t *end)
{
    *dependent = (struct dependent){0};
    while (at < end) {
        struct wire_field field;
        if (wire_read_field(&at, end, &field) != FIT) return false;
        if (field.number > DEPENDENT_LAST) continue;
        const bool repeated = field.number == DEPENDENT_ROB || field.number == DEPENDENT_REGISTER;
        if (field.type != WIRE_VARINT && !(repeated && field.type == WIRE_BYTES)) return false;
        dependent->has |= 1u << field.number;
        switch (field.number) {
        case DEPENDENT_NUMBER: dependent->number = field.value; break;
        case DEPENDENT_TYPE: dependent->type = field.value; break;
        case DEPENDENT_PHYSICAL: dependent->physical = field.value; break;
        case DEPENDENT_SIZE: dependent->size = field.value; break;
        case DEPENDENT_PC: dependent->pc = field.value; break;
        case DEPENDENT_ADDRESS: dependent->address = field.value; break;
        default: break;
        }
    }
    return (dependent->has & DEPENDENT_REQUIRED) == DEPENDENT_REQUIRED &&
           dependent->type <= DEPENDENT_COMPUTES;
}

/* ---- sizes ---- */

enum kind { PACKETS, INSTS, DEPENDENTS };

static enum kind protobuf_kind(const struct spoor_format *format)
{
    return *(const enum kind *)format->variant;
}

static bool protobuf_is(enum kind kind, const uint8_t *at, const uint8_t *end)
{
    struct packet packet;
    struct inst inst;
    struct dependent dependent;
    bool others;
    switch (kind) {
    case PACKETS: return packet_read(&packet, at, end, &others);
    case INSTS: return inst_read(&inst, at, end, &others);
    default: return dependent_read(&dependent, at, end);
    }
}

/* The size of the message at `at` with its own size before it, of `content`; the magic and the
 * header are one. */
static enum fit protobuf_message(enum kind kind, const uint8_t *at, const uint8_t *end,
                                 size_t *size, const uint8_t **content)
{
    const uint8_t *begin = at;
    uint64_t bytes;
    if (end - at < MAGIC && memcmp(at, magic, (size_t)(end - at)) == 0) return TOO_SHORT;
    const bool header = end - at >= MAGIC && memcmp(at, magic, MAGIC) == 0;
    if (header) at += MAGIC;
    const enum fit fit = wire_read_varint(&at, end, &bytes);
    if (fit != FIT) return fit;
    if (bytes > MAX_MESSAGE) return IMPOSSIBLE;
    if ((uint64_t)(end - at) < bytes) return TOO_SHORT;
    if (!header && !protobuf_is(kind, at, at + bytes)) return IMPOSSIBLE;
    *content = at;
    *size = (size_t)(at - begin) + (size_t)bytes;
    return FIT;
}

static size_t protobuf_length_of(enum kind kind, const uint8_t *at, const uint8_t *end,
                                 bool *damaged)
{
    enum { RUN = 16, FEWEST = 2 /* up to the end */ };
    size_t size;
    const uint8_t *content;
    const enum fit fit = protobuf_message(kind, at, end, &size, &content);
    *damaged = fit == IMPOSSIBLE;
    if (fit == TOO_SHORT) return 0;
    if (fit == FIT) return size;
    const uint8_t *resumed = at + 1;
    for (; resumed < end; resumed++) {
        const uint8_t *next = resumed;
        enum fit found = FIT;
        unsigned run = 0;
        while (run < RUN && next < end &&
               (found = protobuf_message(kind, next, end, &size, &content)) == FIT) {
            next += size;
            run++;
        }
        if (run == RUN || (found != IMPOSSIBLE && run >= FEWEST)) break;
    }
    return (size_t)(resumed - at);
}

static size_t protobuf_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    bool damaged;
    const uint8_t *begin = (const uint8_t *)at;
    return protobuf_length_of(protobuf_kind(stream->format), begin, begin + size, &damaged);
}

/* What begins a file, which a part of it has, too. */
struct protobuf_header {
    size_t size; /* 0: the bytes are none */
    char bytes[];
};

static void *protobuf_share(const struct spoor_format *self, const struct spoor_head *head)
{
    const uint8_t *at = head->bytes, *content;
    size_t size = 0;
    if (head->size < MAGIC || memcmp(at, magic, MAGIC) != 0 ||
        protobuf_message(protobuf_kind(self), at, at + head->size, &size, &content) != FIT)
        size = 0;
    struct protobuf_header *header = malloc(sizeof *header + size);
    if (!header) return NULL;
    header->size = size;
    memcpy(header->bytes, at, size);
    return header;
}

/* ---- records ---- */

struct packet_spelling {
    char unit[SPELLING_UNIT_SIZE];
    uint32_t has, command, flags;
};

struct inst_spelling {
    char unit[SPELLING_UNIT_SIZE];
    uint32_t has, node, type, flags;
    uint8_t access_has[ACCESSES];
    uint32_t access_flags[ACCESSES];
};

struct protobuf_reader {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct text made;
};

static const char tick_unit[SPELLING_UNIT_SIZE] = "tick";

/* The spelling of the record at `first`, or all bytes of its message. */
static void protobuf_spell(struct protobuf_reader *reader, size_t first, const void *spelling,
                           size_t spelling_size, bool gives_back, const uint8_t *at, size_t size)
{
    struct spoor_batch *batch = reader->batch;
    const spoor_name name =
        gives_back ? spoor_names_intern(reader->decoder->spellings, spelling, spelling_size)
                   : SPOOR_NAMES_FULL;
    /* what has the unit, too */
    const spoor_name unit =
        name == SPOOR_NAMES_FULL
            ? spoor_names_intern(reader->decoder->spellings, tick_unit, sizeof tick_unit)
            : name;
    if (batch->count <= first) return;
    batch->records[first].spelling = unit == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : unit;
    if (name != SPOOR_NAMES_FULL) return;
    const size_t count = batch->count;
    batch->count = first + 1;
    spoor_batch_spill(batch, SPOOR_SPILL_LINE, spoor_batch_refer(batch, (const char *)at, size));
    batch->count = count;
}

static bool protobuf_same(const struct text *made, const uint8_t *content, const uint8_t *end)
{
    return made->size == (size_t)(end - content) && memcmp(made->bytes, content, made->size) == 0;
}

static void packet_push(struct protobuf_reader *reader, const uint8_t *at, const uint8_t *content,
                        const uint8_t *end)
{
    struct spoor_batch *batch = reader->batch;
    const size_t first = batch->count;
    struct packet packet;
    bool others;
    packet_read(&packet, content, end, &others);
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_MEM;
    record->op = packet.command == WRITE_COMMAND  ? SPOOR_MEM_WRITE
                 : packet.command != READ_COMMAND ? SPOOR_MEM_MISC
                 : packet.flags & FETCH_FLAG      ? SPOOR_MEM_FETCH
                                                  : SPOOR_MEM_READ;
    record->has = SPOOR_HAS_TIME | SPOOR_HAS_PA;
    record->time = packet.tick;
    record->mem.pa = packet.address;
    record->mem.size = packet.size <= UINT16_MAX ? (uint16_t)packet.size : 0;
    const struct spoor_origin origin = {packet.pc, UINT64_MAX};
    if (packet.has >> PACKET_PC & 1)
        spoor_batch_spill(batch, SPOOR_SPILL_ORIGIN,
                          spoor_batch_keep(batch, &origin, sizeof origin));
    reader->made.size = 0;
    packet_put(&packet, &reader->made);
    /* the identifier has no place but the bytes: one is not as another */
    const bool gives_back = !others && packet.size <= UINT16_MAX &&
                            !(packet.has >> PACKET_ID & 1) &&
                            protobuf_same(&reader->made, content, end) && content - at == 1;
    struct packet_spelling spelling = {
        .has = packet.has, .command = packet.command, .flags = packet.flags};
    memcpy(spelling.unit, tick_unit, sizeof tick_unit);
    if (batch->count <= first) return;
    const spoor_name name =
        gives_back ? spoor_names_intern(reader->decoder->spellings, &spelling, sizeof spelling)
                   : SPOOR_NAMES_FULL;
    if (name != SPOOR_NAMES_FULL) {
        batch->records[first].spelling = name;
        return;
    }
    /* spills are in the order of their kinds: the line comes before the origin */
    const bool spilled = packet.has >> PACKET_PC & 1;
    if (spilled && batch->spill_count) batch->spill_count--;
    protobuf_spell(reader, first, NULL, 0, false, at, (size_t)(end - at));
    if (spilled)
        spoor_batch_spill(batch, SPOOR_SPILL_ORIGIN,
                          spoor_batch_keep(batch, &origin, sizeof origin));
}

static void inst_push(struct protobuf_reader *reader, const uint8_t *at, const uint8_t *content,
                      const uint8_t *end)
{
    struct spoor_batch *batch = reader->batch;
    const size_t first = batch->count;
    struct inst inst;
    bool others;
    inst_read(&inst, content, end, &others);
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_INSN;
    record->op = SPOOR_INSN_TAKEN;
    record->has = SPOOR_HAS_VA;
    record->insn.va = inst.pc;
    if (inst.has >> INST_TICK & 1) {
        record->has |= SPOOR_HAS_TIME;
        record->time = inst.tick;
    }
    if (inst.has >> INST_CPU & 1) {
        char name[16] = "cpu";
        const char *name_end = put_decimal(name + 3, inst.cpu);
        const spoor_name cpu =
            spoor_names_intern(reader->decoder->names, name, (size_t)(name_end - name));
        others |= cpu == SPOOR_NAMES_FULL;
        record->cpu = cpu == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : cpu;
        if (record->cpu != SPOOR_NO_NAME) record->has |= SPOOR_HAS_CPU;
    }
    if (inst.has >> INST_CODE & 1) {
        record->has |= SPOOR_HAS_DATA;
        record->insn.opcode = inst.code;
        record->insn.opcode_size = 4;
        others |= inst.has >> INST_BYTES & 1; /* which the definition forbids */
    } else if (inst.byte_count == 2 || inst.byte_count == 4) {
        record->has |= SPOOR_HAS_DATA;
        record->insn.opcode = wire_number(inst.bytes, inst.byte_count);
        record->insn.opcode_size = inst.byte_count;
    } else {
        record->insn.opcode_size = inst.byte_count;
        others |= inst.byte_count != 0;
    }
    const struct spoor_record head = *record;
    struct inst_spelling spelling = {
        .has = inst.has, .node = inst.node, .type = inst.type, .flags = inst.flags};
    memcpy(spelling.unit, tick_unit, sizeof tick_unit);
    for (unsigned i = 0; i < inst.access_count; i++) {
        const struct inst_access *access = &inst.accesses[i];
        record = spoor_batch_push(batch);
        record->kind = SPOOR_MEM;
        record->op = inst.type == READ_TYPE    ? SPOOR_MEM_READ
                     : inst.type == WRITE_TYPE ? SPOOR_MEM_WRITE
                                               : SPOOR_MEM_MISC;
        record->has = (uint16_t)(SPOOR_CONTINUES | (head.has & (SPOOR_HAS_CPU | SPOOR_HAS_TIME)) |
                                 (access->has >> ACCESS_ADDRESS & 1 ? SPOOR_HAS_VA : 0));
        record->time = head.time;
        record->cpu = head.cpu;
        record->mem.va = access->address;
        record->mem.size = access->size <= UINT16_MAX ? (uint16_t)access->size : 0;
        others |= access->size > UINT16_MAX;
        spelling.access_has[i] = access->has;
        spelling.access_flags[i] = access->flags;
    }
    reader->made.size = 0;
    inst_put(&inst, &reader->made);
    const bool gives_back = !others && protobuf_same(&reader->made, content, end) &&
                            (content - at == 1 || end - content > INT8_MAX);
    protobuf_spell(reader, first, &spelling, sizeof spelling, gives_back, at, (size_t)(end - at));
}

static void dependent_push(struct protobuf_reader *reader, const uint8_t *at,
                           const uint8_t *content, const uint8_t *end)
{
    struct spoor_batch *batch = reader->batch;
    const size_t first = batch->count;
    struct dependent dependent;
    dependent_read(&dependent, content, end);
    const uint32_t has = dependent.has;
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_INSN;
    record->op = SPOOR_INSN_TAKEN;
    record->has = (uint16_t)(SPOOR_HAS_INDEX | (has >> DEPENDENT_PC & 1 ? SPOOR_HAS_VA : 0));
    record->insn.va = dependent.pc;
    record->insn.index = dependent.number;
    const bool loads = dependent.type == DEPENDENT_LOAD;
    if ((loads || dependent.type == DEPENDENT_STORE) &&
        has & (1 << DEPENDENT_PHYSICAL | 1 << DEPENDENT_ADDRESS)) {
        record = spoor_batch_push(batch);
        record->kind = SPOOR_MEM;
        record->op = loads ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
        record->has =
            (uint16_t)(SPOOR_CONTINUES | (has >> DEPENDENT_PHYSICAL & 1 ? SPOOR_HAS_PA : 0) |
                       (has >> DEPENDENT_ADDRESS & 1 ? SPOOR_HAS_VA : 0));
        record->mem.pa = dependent.physical;
        record->mem.va = dependent.address;
        record->mem.size = dependent.size <= UINT16_MAX ? (uint16_t)dependent.size : 0;
    }
    protobuf_spell(reader, first, NULL, 0, false, at, (size_t)(end - at));
}

static void protobuf_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct protobuf_reader reader = {.decoder = decoder, .batch = batch};
    const enum kind kind = protobuf_kind(decoder->format);
    const uint8_t *at = (const uint8_t *)batch->text, *end = at + batch->text_size;
    while (at < end && spoor_batch_reserve(batch, 1 + ACCESSES)) {
        bool damaged;
        size_t size = protobuf_length_of(kind, at, end, &damaged);
        const bool header = end - at >= MAGIC && memcmp(at, magic, MAGIC) == 0;
        const uint8_t *content;
        if (size && !damaged && !header) {
            size_t same;
            if (protobuf_message(kind, at, end, &same, &content) == FIT)
                (kind == PACKETS ? packet_push
                 : kind == INSTS ? inst_push
                                 : dependent_push)(&reader, at, content, at + size);
            at += size;
            continue;
        }
        const bool whole = size && !damaged;
        if (!size) size = (size_t)(end - at);
        const struct spoor_ref ref = spoor_batch_refer(batch, (const char *)at, size);
        struct spoor_record *record = spoor_batch_push(batch);
        record->kind = SPOOR_NOTE;
        record->op = whole ? SPOOR_NOTE_HEADER : damaged ? SPOOR_NOTE_UNKNOWN : SPOOR_NOTE_TRAILING;
        record->note.text = ref;
        if (!whole)
            batch_fault(batch, damaged ? "gem5-message" : "trailing-bytes", 0,
                        damaged ? "a message with the fields that it must have"
                                : "a whole message or the end",
                        ref);
        at += size;
    }
    batch->out_of_memory |= reader.made.failed;
    text_free(&reader.made);
}

static void protobuf_resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}

/* ---- detection ---- */

/* The header of packets has no number in its fourth field; the others have one. */
static int protobuf_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { SURE = 100, LIKELY = 60, FIRST = 64 /* messages */, TICKS = 3, FOURTH = 4 };
    const enum kind kind = protobuf_kind(self);
    const uint8_t *at = head->bytes, *end = at + head->size, *content;
    size_t size;
    bool ticks = false;
    if (head->size < MAGIC + 1 || memcmp(at, magic, MAGIC) != 0) return 0;
    if (protobuf_message(kind, at, end, &size, &content) != FIT) return 0;
    for (const uint8_t *field = content, *ends = at + size; field < ends;) {
        struct wire_field one;
        if (wire_read_field(&field, ends, &one) != FIT) return 0;
        ticks |= one.number == TICKS && one.type == WIRE_VARINT;
        if (kind == PACKETS && one.number == FOURTH && one.type == WIRE_VARINT) return 0;
    }
    unsigned count = 0;
    enum fit fit = FIT;
    for (at += size; at < end && count < FIRST; at += size, count++)
        if ((fit = protobuf_message(kind, at, end, &size, &content)) != FIT) break;
    if (fit == IMPOSSIBLE) return 0;
    return count ? SURE : ticks && kind == PACKETS ? LIKELY : 0;
}

/* ---- writing ---- */

static void protobuf_put_message(const struct text *message, struct text *out)
{
    text_varint(out, message->size);
    text_append(out, message);
    out->failed |= message->failed;
}

/* The ticks of a second, by the unit of the times. */
static uint64_t protobuf_frequency(const struct spoor_batch *batch, size_t index)
{
    static const struct {
        const char *unit;
        uint64_t frequency;
    } units[] = {{"fs", 1000000000000000}, {"ns", 1000000000}, {"us", 1000000}};
    const uint64_t usual = 1000000000000;
    const char *unit = spoor_record_unit(batch, &batch->records[index]);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) return units[i].frequency;
    return usual;
}

struct protobuf_writer {
    bool header;
    uint64_t count; /* of messages, the ticks of a trace without times */
    /* an instruction that waits for its accesses */
    bool open;
    struct inst inst;
    struct text message;
};

/* That of the file, or one for the times of the record. */
static void protobuf_put_header(struct protobuf_writer *writer, enum kind kind,
                                const struct spoor_batch *batch, size_t index, bool own,
                                struct text *out)
{
    static const char name[] = "written by spoor";
    const struct spoor_stream *stream = batch->stream;
    const struct protobuf_header *header =
        own && !stream->container ? stream->container_state : NULL;
    writer->header = true;
    if (header && header->size) {
        text_put(out, header->bytes, header->size);
        return;
    }
    writer->message.size = 0;
    wire_put(&writer->message, 1, WIRE_BYTES, sizeof name - 1);
    text_put(&writer->message, name, sizeof name - 1);
    wire_put(&writer->message, 2, WIRE_VARINT, 0);
    wire_put(&writer->message, 3, WIRE_VARINT, protobuf_frequency(batch, index));
    if (kind == INSTS) wire_put(&writer->message, 4, WIRE_VARINT, 1);
    text_put(out, magic, MAGIC);
    protobuf_put_message(&writer->message, out);
}

static void protobuf_put_inst(struct protobuf_writer *writer, struct text *out)
{
    if (!writer->open) return;
    writer->open = false;
    writer->message.size = 0;
    inst_put(&writer->inst, &writer->message);
    protobuf_put_message(&writer->message, out);
}

/* Writes a message as it was read; false: its records and spelling do not give it back. */
static bool protobuf_put_own(struct protobuf_writer *writer, enum kind kind,
                             const struct spoor_batch *batch, size_t from, size_t end,
                             struct text *out)
{
    const struct spoor_record *record = &batch->records[from];
    struct spoor_ref ref;
    size_t size;
    if (spoor_batch_find_spill(batch, from, SPOOR_SPILL_LINE, &ref)) {
        text_put(out, spoor_batch_bytes(batch, ref), ref.size);
        return true;
    }
    const char *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    writer->message.size = 0;
    if (kind == PACKETS) {
        struct packet_spelling spelling;
        struct spoor_origin origin = {0};
        if (size != sizeof spelling || record->kind != SPOOR_MEM) return false;
        memcpy(&spelling, bytes, sizeof spelling);
        if (spoor_batch_find_spill(batch, from, SPOOR_SPILL_ORIGIN, &ref))
            memcpy(&origin, spoor_batch_bytes(batch, ref), sizeof origin);
        const struct packet packet = {.has = spelling.has,
                                      .tick = record->time,
                                      .command = spelling.command,
                                      .address = record->mem.pa,
                                      .size = record->mem.size,
                                      .flags = spelling.flags,
                                      .pc = origin.pc};
        packet_put(&packet, &writer->message);
    } else {
        struct inst_spelling spelling;
        if (size != sizeof spelling || record->kind != SPOOR_INSN || end - from - 1 > ACCESSES)
            return false;
        memcpy(&spelling, bytes, sizeof spelling);
        struct inst inst = {.has = spelling.has,
                            .pc = record->insn.va,
                            .code = (uint32_t)record->insn.opcode,
                            .node = spelling.node,
                            .tick = record->time,
                            .type = spelling.type,
                            .flags = spelling.flags};
        if (spelling.has >> INST_CPU & 1) {
            const char *name = spoor_names_text(batch->stream->names, record->cpu, &size);
            for (size_t i = 3; i < size; i++) inst.cpu = 10 * inst.cpu + (uint32_t)(name[i] - '0');
        }
        if (spelling.has >> INST_BYTES & 1) {
            inst.byte_count = record->insn.opcode_size;
            memcpy(inst.bytes, &record->insn.opcode, sizeof record->insn.opcode);
        }
        for (size_t i = from + 1; i < end; i++) {
            const struct spoor_mem *mem = &batch->records[i].mem;
            if (batch->records[i].kind != SPOOR_MEM) return false;
            inst.accesses[inst.access_count] =
                (struct inst_access){.has = spelling.access_has[inst.access_count],
                                     .address = mem->va,
                                     .size = mem->size,
                                     .flags = spelling.access_flags[inst.access_count]};
            inst.access_count++;
        }
        /* a part of the records of a message is not the message */
        if (inst.access_count < ACCESSES && spelling.access_has[inst.access_count]) return false;
        inst_put(&inst, &writer->message);
    }
    protobuf_put_message(&writer->message, out);
    return true;
}

static size_t protobuf_end(const struct spoor_batch *batch, size_t index)
{
    do index++;
    while (index < batch->count && batch->records[index].has & SPOOR_CONTINUES);
    return index;
}

/* A packet for each reference of a size. */
static bool protobuf_put_packets(struct protobuf_writer *writer, const struct spoor_batch *batch,
                                 size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    struct reference references[MAX_REFERENCES];
    const size_t count = references_of(batch, index, references);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct reference *one = &references[i];
        const bool fetch = one->op == SPOOR_MEM_FETCH, update = one->op == SPOOR_MEM_MODIFY;
        if (!one->size) continue;
        for (int write = one->op == SPOOR_MEM_WRITE;
             write <= (update || one->op == SPOOR_MEM_WRITE); write++) {
            struct packet packet = {.has = PACKET_REQUIRED,
                                    .command = write ? WRITE_COMMAND : READ_COMMAND,
                                    .address = reference_physical(one),
                                    .size = one->size,
                                    .flags = fetch ? FETCH_FLAG : 0};
            packet.tick = record->has & SPOOR_HAS_TIME ? record->time : writer->count;
            if (fetch) packet.has |= 1 << PACKET_FLAGS;
            if (record->kind == SPOOR_INSN && record->has & SPOOR_HAS_VA) {
                packet.has |= 1 << PACKET_PC;
                packet.pc = record->insn.va;
            }
            writer->count++;
            writer->message.size = 0;
            packet_put(&packet, &writer->message);
            protobuf_put_message(&writer->message, out);
            any = true;
        }
    }
    return any;
}

/* An instruction, or an access of the one that is open. */
static bool protobuf_put_insn(struct protobuf_writer *writer, const struct spoor_batch *batch,
                              size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    struct inst *inst = &writer->inst;
    if (record->kind == SPOOR_INSN) {
        if (record->op >= SPOOR_INSN_AGAIN || !(record->has & SPOOR_HAS_VA)) return false;
        protobuf_put_inst(writer, out);
        *inst = (struct inst){.has = 1 << INST_PC | 1 << INST_TICK, .pc = record->insn.va};
        inst->tick = record->has & SPOOR_HAS_TIME ? record->time : writer->count;
        writer->count++;
        writer->open = true;
        const unsigned size = record->insn.opcode_size;
        if (record->has & SPOOR_HAS_DATA && size == 4) {
            inst->has |= 1 << INST_CODE;
            inst->code = (uint32_t)record->insn.opcode;
        } else if (record->has & SPOOR_HAS_DATA && size && size <= 8) {
            /* the first byte of x86 is the highest */
            inst->has |= 1 << INST_BYTES;
            inst->byte_count = (uint8_t)size;
            for (unsigned i = 0; i < size; i++)
                inst->bytes[i] = (uint8_t)(record->insn.opcode >>
                                           8 * (record->insn.iset == 'I' ? size - 1 - i : i));
        }
        if (record->has & SPOOR_HAS_CPU) {
            size_t length, digit;
            const char *name = spoor_names_text(batch->stream->names, record->cpu, &length);
            for (digit = length; digit > 0 && name[digit - 1] >= '0' && name[digit - 1] <= '9';)
                digit--;
            for (; digit < length && inst->cpu < UINT16_MAX; digit++)
                inst->cpu = 10 * inst->cpu + (uint32_t)(name[digit] - '0');
            inst->has |= 1 << INST_CPU;
        }
        return record->op == SPOOR_INSN_TAKEN; /* of others, it does not say so */
    }
    const bool reads = record->op == SPOOR_MEM_READ, writes = record->op == SPOOR_MEM_WRITE;
    if (record->kind != SPOOR_MEM || !writer->open || (!reads && !writes) ||
        !(record->has & SPOOR_HAS_VA) || inst->access_count == ACCESSES)
        return false;
    const uint32_t type = reads ? READ_TYPE : WRITE_TYPE;
    /* one type says what all accesses are */
    if (inst->access_count && inst->type != type) return false;
    inst->has |= 1 << INST_TYPE;
    inst->type = type;
    inst->accesses[inst->access_count++] = (struct inst_access){
        .has = (uint8_t)(1 << ACCESS_ADDRESS | (record->mem.size ? 1 << ACCESS_SIZE : 0)),
        .address = record->mem.va,
        .size = record->mem.size};
    return true;
}

static void protobuf_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                           size_t to, struct text *out)
{
    const enum kind kind = protobuf_kind(encoder->format);
    const bool own = encoder_writes_own(encoder, batch);
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct protobuf_writer));
    struct protobuf_writer *writer = encoder->tables;
    if (!writer) {
        out->failed = true;
        return;
    }
    /* a whole trace has its own header, or lacks one */
    if (own && batch->first + from == 0) writer->header = true;
    for (size_t i = from; i < to;) {
        const struct spoor_record *record = &batch->records[i];
        const bool begins = own && !(record->has & SPOOR_CONTINUES);
        const size_t end = begins ? protobuf_end(batch, i) : i + 1;
        if (own && record->kind == SPOOR_NOTE) {
            protobuf_put_inst(writer, out);
            text_put(out, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
            writer->header = true;
            encoder->written++;
            i++;
            continue;
        }
        if (!writer->header && (own || kind != DEPENDENTS))
            protobuf_put_header(writer, kind, batch, i, own, out);
        if (begins && end <= to) {
            protobuf_put_inst(writer, out);
            if (protobuf_put_own(writer, kind, batch, i, end, out)) {
                encoder->written += end - i;
                i = end;
                continue;
            }
        }
        /* of other traces, delays are not known */
        const bool done =
            kind != DEPENDENTS &&
            (kind == PACKETS ? protobuf_put_packets : protobuf_put_insn)(writer, batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
        i++;
    }
}

static void protobuf_finish(struct encoder *encoder, struct text *out)
{
    struct protobuf_writer *writer = encoder->tables;
    if (!writer) return;
    protobuf_put_inst(writer, out);
    text_free(&writer->message);
    free(writer);
    encoder->tables = NULL;
}

/* ---- formats ---- */

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_gem5_packet = {
    .name = "gem5-packet",
    .title = "packets of memory that gem5 traces, in Protocol Buffers",
    .suffixes = "ptrc",
    .document = "gem5: src/proto/packet.proto",
    .time_unit = "tick",
    .record_size = 1,
    .length = protobuf_length,
    .share = protobuf_share,
    .variant = &(const enum kind){PACKETS},
    .fields =
        {
            [SPOOR_MEM] = BIT(TIME) | BIT(OP) | BIT(PC) | BIT(PA) | BIT(SIZE),
            [SPOOR_BUS] = BIT(TIME) | BIT(OP) | BIT(PA) | BIT(SIZE),
            [SPOOR_INSN] = BIT(TIME) | BIT(PC) | BIT(OPCODE_SIZE),
            [SPOOR_UOP] = BIT(PC),
        },
    .produces = 1u << SPOOR_MEM,
    .probe = protobuf_probe,
    .decode = protobuf_decode,
    .resolve = protobuf_resolve,
    .resolves_little = true,
    .write = protobuf_write,
    .end = protobuf_finish,
};

const struct spoor_format format_gem5_inst = {
    .name = "gem5-inst",
    .title = "instructions that gem5 traces, in Protocol Buffers",
    .suffixes = "itrc",
    .document = "gem5: src/proto/inst.proto",
    .time_unit = "tick",
    .record_size = 1,
    .length = protobuf_length,
    .share = protobuf_share,
    .multi_record = true,
    .effects_need_insn = true,
    .variant = &(const enum kind){INSTS},
    .fields =
        {
            [SPOOR_INSN] =
                BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE),
            [SPOOR_MEM] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE),
        },
    .probe = protobuf_probe,
    .decode = protobuf_decode,
    .resolve = protobuf_resolve,
    .resolves_little = true,
    .write = protobuf_write,
    .end = protobuf_finish,
};

const struct spoor_format format_gem5_dependences = {
    .name = "gem5-dependences",
    .title = "instructions with their dependences that gem5 traces, in Protocol Buffers",
    .suffixes = "",
    .document = "gem5: src/proto/inst_dep_record.proto",
    .time_unit = "",
    .record_size = 1,
    .length = protobuf_length,
    .share = protobuf_share,
    .multi_record = true,
    .effects_need_insn = true,
    .own_only = true,
    .variant = &(const enum kind){DEPENDENTS},
    .fields =
        {
            [SPOOR_INSN] = BIT(OP) | BIT(PC) | BIT(INDEX),
            [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(PA) | BIT(SIZE),
        },
    .probe = protobuf_probe,
    .decode = protobuf_decode,
    .resolve = protobuf_resolve,
    .resolves_little = true,
    .write = protobuf_write,
    .end = protobuf_finish,
};
