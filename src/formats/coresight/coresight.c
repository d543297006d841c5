/* SPDX-License-Identifier: MIT */
/*
 * coresight.c: the elements of a decoded trace of CoreSight (silicon/element.h) as records.
 *
 * The format is read only: a trace unit writes such traces, from what a processor does.
 */
#include "formats/coresight/coresight.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/batch_own.h"
#include "silicon/element.h"

/* The processors of the sources, by the header. */
struct coresight_names {
    unsigned count;
    char names[ELEMENT_SOURCES][ELEMENT_NAME];
};

size_t coresight_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    (void)stream;
    const size_t known = element_size(at, size);
    if (known != SIZE_MAX) return known;
    /* bytes of no element: up to one */
    size_t invalid = 8;
    while (invalid < size && element_size(at + invalid, size - invalid) == SIZE_MAX) invalid += 8;
    return invalid < size ? invalid : size;
}

size_t coresight_last_known(const char *at, size_t size)
{
    size_t end = 0, known;
    while ((known = element_size(at + end, size - end)) != 0 && known != SIZE_MAX) end += known;
    return end;
}

static bool coresight_is_header(const struct spoor_format *self, const void *at, size_t size)
{
    const struct coresight_variant *variant = self->variant;
    const size_t magic = strlen(variant->magic);
    struct element_other header;
    if (size < sizeof header + magic) return false;
    memcpy(&header, at, sizeof header);
    return header.kind == ELEMENT_HEADER &&
           memcmp((const char *)at + sizeof header, variant->magic, magic) == 0;
}

int coresight_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { SURE = 100 };
    return coresight_is_header(self, head->bytes, head->size) ? SURE : 0;
}

void *coresight_share(const struct spoor_format *self, const struct spoor_head *head)
{
    const struct coresight_variant *variant = self->variant;
    struct coresight_names *names = calloc(1, sizeof *names);
    if (!names || !coresight_is_header(self, head->bytes, head->size)) return names;
    const size_t size = element_size(head->bytes, head->size);
    const size_t before = sizeof(struct element_other) + strlen(variant->magic);
    if (size == SIZE_MAX || size < before) return names;
    size_t count = (size - before) / ELEMENT_NAME;
    if (count > ELEMENT_SOURCES) count = ELEMENT_SOURCES;
    names->count = (unsigned)count;
    for (size_t i = 0; i < count; i++)
        memcpy(names->names[i], head->bytes + before + i * ELEMENT_NAME, ELEMENT_NAME - 1);
    return names;
}

/* ---- records ---- */

struct coresight_reader {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    const struct coresight_names *names;
    const struct coresight_variant *variant;
    struct spoor_record insn;                               /* of the source, mode and set of */
    struct element_insn like;                               /* this one; */
    uint32_t thread;                                        /* whose name is known; */
    spoor_name thread_name;                                 /* SPOOR_NO_NAME: none is */
    spoor_name cpus[ELEMENT_SOURCES], modes[ELEMENT_MODES]; /* 0: not interned yet */
};

static spoor_name coresight_intern(struct coresight_reader *reader, const char *text)
{
    const spoor_name name = spoor_names_intern(reader->decoder->names, text, strlen(text));
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

/* The same, once: *known is the name from then on. */
static spoor_name coresight_know(struct coresight_reader *reader, spoor_name *known,
                                 const char *text)
{
    if (*known == SPOOR_NO_NAME) *known = coresight_intern(reader, text);
    return *known;
}

static spoor_name coresight_cpu(struct coresight_reader *reader, unsigned source)
{
    if (!reader->names || source >= ELEMENT_SOURCES || source >= reader->names->count)
        return SPOOR_NO_NAME;
    return coresight_know(reader, &reader->cpus[source], reader->names->names[source]);
}

static spoor_name coresight_mode(struct coresight_reader *reader, unsigned mode)
{
    if (mode == 0 || mode >= ELEMENT_MODES) return SPOOR_NO_NAME;
    return coresight_know(reader, &reader->modes[mode], element_modes[mode]);
}

static struct spoor_record *coresight_push(struct coresight_reader *reader, enum spoor_kind kind,
                                           unsigned op, unsigned source)
{
    const spoor_name cpu = coresight_cpu(reader, source);
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->cpu = cpu;
    if (cpu != SPOOR_NO_NAME) record->has = SPOOR_HAS_CPU;
    return record;
}

static const char coresight_isets[] = {
    [ELEMENT_A64] = 'O', [ELEMENT_A32] = 'A', [ELEMENT_T32] = 'T', [ELEMENT_ISET] = 0};

/* Makes what the record of an instruction has of its source, mode and set. */
static void coresight_set_insn(struct coresight_reader *reader, const struct element_insn *insn)
{
    const spoor_name cpu = coresight_cpu(reader, insn->source);
    const spoor_name mode = coresight_mode(reader, insn->mode);
    reader->like = *insn;
    reader->insn = (struct spoor_record){
        .kind = SPOOR_INSN,
        .cpu = cpu,
        .has = SPOOR_HAS_VA | SPOOR_HAS_DATA,
        .insn = {.mode = mode,
                 .iset = (uint8_t)coresight_isets[insn->how & ELEMENT_ISET],
                 .opcode_size = insn->how & ELEMENT_SHORT ? 2 : 4},
    };
    if (cpu != SPOOR_NO_NAME) reader->insn.has |= SPOOR_HAS_CPU;
    if (mode != SPOOR_NO_NAME) reader->insn.has |= SPOOR_HAS_EXTRA;
}

/* The record of an instruction, for which there is room.  Instructions are nearly all of a trace,
 * and those of a range have all but two numbers in common. */
static void coresight_push_insn(struct coresight_reader *reader, const struct element_insn *insn,
                                bool skipped)
{
    const struct element_insn *like = &reader->like;
    if (insn->source != like->source || insn->mode != like->mode || insn->how != like->how ||
        !like->kind)
        coresight_set_insn(reader, insn);
    struct spoor_record *record = &reader->batch->records[reader->batch->count++];
    *record = reader->insn;
    record->op = skipped ? SPOOR_INSN_SKIPPED : SPOOR_INSN_TAKEN;
    record->insn.va = insn->pc;
    record->insn.opcode = insn->opcode;
}

static void coresight_read_insn(struct coresight_reader *reader, const char *at)
{
    struct element_insn insn;
    memcpy(&insn, at, sizeof insn);
    coresight_push_insn(reader, &insn, insn.how & ELEMENT_SKIPPED);
}

static void coresight_read_branch(struct coresight_reader *reader, const char *at)
{
    struct element_branch element;
    memcpy(&element, at, sizeof element);
    /* as Tarmac prints it: a conditional branch that is not taken failed its condition */
    coresight_push_insn(reader, &element.insn, element.op & SPOOR_FLOW_NOT_TAKEN);
    const bool known = element.flags & ELEMENT_HAS_TARGET;
    reader->batch->records[reader->batch->count++] = (struct spoor_record){
        .kind = SPOOR_FLOW,
        .op = element.op | SPOOR_FLOW_TYPED,
        .cpu = reader->insn.cpu,
        .has = (reader->insn.has & SPOOR_HAS_CPU) | SPOOR_HAS_VA | SPOOR_CONTINUES |
               (known ? SPOOR_HAS_DATA : 0),
        .flow = {.va = element.insn.pc, .target = known ? element.target : 0},
    };
}

/* Of each kind of element: its operation and name. */
static const struct {
    uint8_t op;
    const char *name; /* NULL: its text is its name */
} coresight_events[ELEMENT_KINDS - ELEMENT_HEADER] = {
#define EVENT(KIND, OP, NAME) [ELEMENT_##KIND - ELEMENT_HEADER] = {SPOOR_EVENT_##OP, NAME}
    EVENT(BEGIN, BEGIN, "begin"),
    EVENT(END, END, "end"),
    EVENT(LOST, LOST, "lost"),
    EVENT(CONTEXT, STATE, "context"),
    EVENT(TIMESTAMP, STATE, "timestamp"),
    EVENT(CYCLES, STATE, "cycles"),
    EVENT(EXCEPTION, EXCEPTION, NULL),
    EVENT(RETURN, STATE, "exception-return"),
    EVENT(SOFTWARE, STATE, "software"),
    EVENT(TRANSACTION, STATE, "transaction"),
    EVENT(EVENT, STATE, "event"),
    EVENT(MARKER, STATE, "marker"),
    EVENT(STATE, STATE, "state"),
#undef EVENT
};

static void coresight_push_note(struct coresight_reader *reader, enum spoor_note_op op,
                                const char *at, size_t size)
{
    struct spoor_record *record = coresight_push(reader, SPOOR_NOTE, op, ELEMENT_SOURCES);
    record->note.text = spoor_batch_refer(reader->batch, at, size);
}

static void coresight_push_other(struct coresight_reader *reader, const char *at)
{
    const char *expected = reader->variant->expected;
    struct element_other other;
    memcpy(&other, at, sizeof other);
    const char *text = at + sizeof other;
    const struct spoor_ref ref = spoor_batch_refer(reader->batch, text, other.text_size);
    if (other.kind == ELEMENT_HEADER) { /* its magic word is a line */
        const char *line = memchr(text, '\n', ref.size);
        coresight_push_note(reader, SPOOR_NOTE_HEADER, text, line ? (size_t)(line - text) : 0);
        return;
    }
    if (other.kind == ELEMENT_COMMENT || other.kind == ELEMENT_DAMAGE) {
        const bool damage = other.kind == ELEMENT_DAMAGE;
        coresight_push_note(reader, damage ? SPOOR_NOTE_UNKNOWN : SPOOR_NOTE_COMMENT, text,
                            ref.size);
        if (damage) batch_fault(reader->batch, reader->variant->rule, 0, expected, ref);
        return;
    }
    const unsigned kind = (unsigned)other.kind - ELEMENT_HEADER;
    char name[64] = "";
    if (coresight_events[kind].name)
        memcpy(name, coresight_events[kind].name, strlen(coresight_events[kind].name));
    else
        memcpy(name, text, ref.size < sizeof name ? ref.size : sizeof name - 1);
    const bool named = other.kind == ELEMENT_EXCEPTION;
    const spoor_name id = *name ? coresight_intern(reader, name) : SPOOR_NO_NAME;
    const spoor_name mode = coresight_mode(reader, other.mode);
    struct spoor_record *record =
        coresight_push(reader, SPOOR_EVENT, coresight_events[kind].op, other.source);
    struct spoor_event *event = &record->event;
    event->name = id;
    event->mode = other.kind == ELEMENT_CONTEXT ? mode : SPOOR_NO_NAME;
    event->number = other.number;
    event->value = other.address;
    event->value1 = other.value;
    if (!named) event->text = ref;
    if (other.flags & ELEMENT_HAS_NUMBER) record->has |= SPOOR_HAS_INDEX;
    if (other.flags & ELEMENT_HAS_ADDRESS) record->has |= SPOOR_HAS_VA;
    if (other.flags & ELEMENT_HAS_VALUE) record->has |= SPOOR_HAS_EXTRA;
    if (other.kind == ELEMENT_TIMESTAMP && !reader->variant->other_time) {
        record->has |= SPOOR_HAS_TIME;
        record->time = other.value;
    }
}

/* ---- of perf.data ---- */

static spoor_name coresight_thread(struct coresight_reader *reader, uint32_t thread)
{
    char text[16];
    if (reader->thread_name != SPOOR_NO_NAME && reader->thread == thread)
        return reader->thread_name;
    snprintf(text, sizeof text, "%u", (unsigned)thread);
    reader->thread = thread;
    reader->thread_name = coresight_intern(reader, text);
    return reader->thread_name;
}

/* A record of a thread at a time, each as far as the flags say so. */
static struct spoor_record *coresight_push_timed(struct coresight_reader *reader,
                                                 enum spoor_kind kind, unsigned op, unsigned flags,
                                                 uint32_t thread, uint64_t time)
{
    const spoor_name cpu =
        flags & ELEMENT_HAS_THREAD ? coresight_thread(reader, thread) : SPOOR_NO_NAME;
    struct spoor_record *record = coresight_push(reader, kind, op, ELEMENT_SOURCES);
    record->cpu = cpu;
    if (cpu != SPOOR_NO_NAME) record->has |= SPOOR_HAS_CPU;
    if (flags & ELEMENT_CONTINUES) record->has |= SPOOR_CONTINUES;
    if (!(flags & ELEMENT_HAS_TIME)) return record;
    record->time = time;
    record->has |= SPOOR_HAS_TIME;
    return record;
}

static void coresight_read_timed(struct coresight_reader *reader, const char *at)
{
    struct element_timed element;
    memcpy(&element, at, sizeof element);
    const char *name = at + sizeof element;
    const size_t name_size =
        element.name_size < element.text_size ? element.name_size : element.text_size;
    const spoor_name id =
        name_size ? spoor_names_intern(reader->decoder->names, name, name_size) : SPOOR_NO_NAME;
    const struct spoor_ref text =
        spoor_batch_refer(reader->batch, name + name_size, element.text_size - name_size);
    const enum spoor_kind kind = element.kind == ELEMENT_TIMED_FLOW    ? SPOOR_FLOW
                                 : element.kind == ELEMENT_TIMED_EVENT ? SPOOR_EVENT
                                                                       : SPOOR_NOTE;
    struct spoor_record *record =
        coresight_push_timed(reader, kind, element.op, element.flags, element.thread, element.time);
    switch (kind) {
    case SPOOR_FLOW:
        record->has |= SPOOR_HAS_VA | SPOOR_HAS_DATA;
        record->flow.va = element.address;
        record->flow.target = element.value;
        break;
    case SPOOR_EVENT:
        if (element.op >= SPOOR_EVENT_OPS) record->op = SPOOR_EVENT_STATE;
        record->event.name = id == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : id;
        record->event.value = element.address;
        record->event.value1 = element.value;
        record->event.number = element.number;
        record->event.text = text;
        if (element.flags & ELEMENT_HAS_NUMBER) record->has |= SPOOR_HAS_INDEX;
        if (element.flags & ELEMENT_HAS_ADDRESS) record->has |= SPOOR_HAS_VA;
        if (element.flags & ELEMENT_HAS_VALUE) record->has |= SPOOR_HAS_EXTRA;
        break;
    default:
        record->note.text = text;
        if (element.op > SPOOR_NOTE_TRAILING) record->op = SPOOR_NOTE_UNKNOWN;
        if (record->op != SPOOR_NOTE_UNKNOWN) break;
        batch_fault(reader->batch, reader->variant->rule, 0, reader->variant->expected, text);
        break;
    }
}

static void coresight_read_x86(struct coresight_reader *reader, const char *at)
{
    enum { ISET_X86 = 'I' };
    struct element_x86 element;
    memcpy(&element, at, sizeof element);
    const unsigned flags = element.flags & (ELEMENT_HAS_TIME | ELEMENT_HAS_THREAD);
    struct spoor_record *record = coresight_push_timed(reader, SPOOR_INSN, SPOOR_INSN_TAKEN, flags,
                                                       element.thread, element.time);
    const unsigned length =
        element.length < sizeof element.code ? element.length : sizeof element.code - 1;
    record->has |= SPOOR_HAS_VA;
    record->insn.va = element.pc;
    record->insn.opcode_size = (uint8_t)length;
    if (length) record->insn.iset = ISET_X86;
    if (length && length <= sizeof record->insn.opcode) {
        record->has |= SPOOR_HAS_DATA;
        for (unsigned i = 0; i < length; i++)
            record->insn.opcode = record->insn.opcode << 8 | element.code[i];
    }
    if (!(element.flags & ELEMENT_BRANCHES)) return;
    struct spoor_record *flow =
        coresight_push_timed(reader, SPOOR_FLOW, element.op | SPOOR_FLOW_TYPED,
                             flags | ELEMENT_CONTINUES, element.thread, element.time);
    flow->has |= SPOOR_HAS_VA;
    flow->flow.va = element.pc;
    if (!(element.flags & ELEMENT_HAS_TARGET)) return;
    flow->has |= SPOOR_HAS_DATA;
    flow->flow.target = element.target;
}

void coresight_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct coresight_reader reader = {.decoder = decoder,
                                      .batch = batch,
                                      .names = batch->stream->container_state,
                                      .variant = decoder->format->variant};
    const char *at = batch->text, *end = at + batch->text_size;
    /* an element has at most two records */
    while (at < end && (batch->count + 2 <= batch->capacity || spoor_batch_reserve(batch, 2))) {
        const uint8_t kind = (uint8_t)*at;
        const size_t size = element_size(at, (size_t)(end - at));
        if (size == 0 || size == SIZE_MAX) {
            const size_t invalid = coresight_length(batch->stream, at, (size_t)(end - at));
            const size_t whole = size && invalid ? invalid : (size_t)(end - at);
            coresight_push_note(&reader, size ? SPOOR_NOTE_UNKNOWN : SPOOR_NOTE_TRAILING, at,
                                whole);
            batch_fault(batch, size ? reader.variant->rule : "trailing-bytes", 0,
                        "an element of a decoded trace", spoor_batch_refer(batch, at, whole));
            at += whole;
            continue;
        }
        if (kind == ELEMENT_INSN)
            coresight_read_insn(&reader, at);
        else if (kind == ELEMENT_BRANCH)
            coresight_read_branch(&reader, at);
        else if (kind == ELEMENT_X86)
            coresight_read_x86(&reader, at);
        else if (kind >= ELEMENT_TIMED_NOTE)
            coresight_read_timed(&reader, at);
        else
            coresight_push_other(&reader, at);
        at += size;
    }
}

void coresight_resolve_times(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}

/* ---- printing ---- */

static void coresight_put_name(const struct spoor_batch *batch, spoor_name name, struct text *out)
{
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    text_put(out, text, size);
}

static const char *coresight_iset_name(unsigned iset)
{
    return iset == 'O'   ? "A64"
           : iset == 'A' ? "A32"
           : iset == 'T' ? "T32"
           : iset == 'I' ? "x86"
                         : "-";
}

static void coresight_print_record(const struct spoor_batch *batch, size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_NOTE) {
        text_puts(out, "# ");
        text_put_visible(out, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
        text_puts(out, "\n");
        return;
    }
    if (record->has & SPOOR_HAS_CPU) coresight_put_name(batch, record->cpu, out);
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        text_printf(out, " insn 0x%llx %0*llx %s", (unsigned long long)record->insn.va,
                    2 * record->insn.opcode_size, (unsigned long long)record->insn.opcode,
                    coresight_iset_name(record->insn.iset));
        if (record->has & SPOOR_HAS_EXTRA) {
            text_puts(out, " ");
            coresight_put_name(batch, record->insn.mode, out);
        }
        if (record->op == SPOOR_INSN_SKIPPED) text_puts(out, " skipped");
        break;
    case SPOOR_FLOW: {
        const unsigned op = record->op;
        text_printf(out, " flow%s%s%s%s", op & SPOOR_FLOW_IS_CONDITIONAL ? " conditional" : "",
                    op & SPOOR_FLOW_IS_INDIRECT ? " indirect" : " direct",
                    op & SPOOR_FLOW_IS_CALL     ? " call"
                    : op & SPOOR_FLOW_IS_RETURN ? " return"
                                                : " jump",
                    op & SPOOR_FLOW_NOT_TAKEN ? " not taken" : " taken");
        if (record->has & SPOOR_HAS_DATA)
            text_printf(out, " -> 0x%llx", (unsigned long long)record->flow.target);
        break;
    }
    case SPOOR_EVENT: {
        const struct spoor_event *event = &record->event;
        if (record->op == SPOOR_EVENT_EXCEPTION) text_puts(out, " exception");
        if (event->name != SPOOR_NO_NAME) text_puts(out, " ");
        coresight_put_name(batch, event->name, out);
        if (event->mode != SPOOR_NO_NAME) text_puts(out, " ");
        coresight_put_name(batch, event->mode, out);
        if (record->has & SPOOR_HAS_INDEX) text_printf(out, " number=0x%x", event->number);
        if (record->has & SPOOR_HAS_VA)
            text_printf(out, " value=0x%llx", (unsigned long long)event->value);
        if (record->has & SPOOR_HAS_EXTRA)
            text_printf(out, " value1=0x%llx", (unsigned long long)event->value1);
        if (event->text.size) text_puts(out, ": ");
        text_put_visible(out, spoor_batch_bytes(batch, event->text), event->text.size);
        break;
    }
    default: break;
    }
    text_puts(out, "\n");
}

void coresight_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                     size_t to, struct text *out)
{
    (void)encoder;
    for (size_t i = from; i < to; i++) coresight_print_record(batch, i, out);
}

static const struct coresight_variant coresight_variant = {
    .magic = ELEMENT_MAGIC,
    .rule = "coresight",
    .expected = "a trace that libopencsd decodes, and memory that stays as it is",
};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_coresight = {
    .name = "coresight",
    .title = "snapshot of an Arm CoreSight trace, a folder with snapshot.ini (ETM, PTM, ETE, STM)",
    .suffixes = "",
    .document = "Arm IHI 0014, 0035, 0054, 0064: decoded by libopencsd",
    .time_unit = "",
    .record_size = 1,
    .length = coresight_length,
    .last_known = coresight_last_known,
    .share = coresight_share,
    .multi_record = true,
    .variant = &coresight_variant,
    .fields =
        {
            [SPOOR_INSN] = BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(ISET) | BIT(MODE),
            [SPOOR_FLOW] = BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(NUMBER) | BIT(EVENT) | BIT(MODE) |
                            BIT(VALUE) | BIT(VALUE1) | BIT(TEXT),
        },
    .probe = coresight_probe,
    .decode = coresight_decode,
    .resolve = coresight_resolve_times,
    .print = coresight_print,
};
