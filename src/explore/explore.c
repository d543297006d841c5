/* SPDX-License-Identifier: MIT */
/* explore.c: the functions of spoor/explore.h about places, memory and touches. */
#include "spoor/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/nearest.h"
#include "base/scan.h"
#include "explore/internal.h"
#include "isa/mode_role.h"
#include "model/cpu_name.h"
#include "model/options.h"

/* ---- opening ---- */

enum spoor_status spoor_explorer_open(struct spoor_explorer **made, const char *path,
                                      const struct spoor_index *index,
                                      const struct spoor_explorer_options *given,
                                      struct spoor_error *error)
{
    struct spoor_explorer_options options;
    struct explorer *explorer;
    struct spoor_error unused = {0};
    if (!error) error = &unused;
    *made = NULL;
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    if (status == SPOOR_OK) status = explorer_open(&explorer, path, index_seen(index), error);
    if (status != SPOOR_OK) return status;
    explorer->images = options.images;
    explorer->machine.big = options.big_endian; /* an index does not depend on it */
    explorer->goes_on = options.goes_on;
    explorer->context = options.context;
    explorer->disassemble = options.disassemble;
    explorer->disassembler = options.disassembler;
    *made = (struct spoor_explorer *)(void *)explorer;
    return SPOOR_OK;
}

void spoor_explorer_close(struct spoor_explorer *explorer)
{
    explorer_close(explorer_of(explorer));
}

const struct spoor_index *spoor_explorer_index(const struct spoor_explorer *explorer)
{
    return (const struct spoor_index *)(const void *)explorer_seen(explorer)->index;
}

/* ---- moments and processors ---- */

/* The address of a symbol of the images; false: there is none. */
static bool explore_find_symbol(const struct explorer *explorer, const char *name, size_t size,
                                uint64_t *address)
{
    char copy[256];
    if (!explorer->images || size >= sizeof copy) return false;
    memcpy(copy, name, size);
    copy[size] = '\0';
    return spoor_images_find(explorer->images, copy, 0, address);
}

enum spoor_status spoor_explorer_moment(struct spoor_explorer *shown, const char *text,
                                        uint64_t *moment, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct spoor_moment query = {.kind = SPOOR_MOMENT_END};
    char address[64];
    uint64_t pc;
    const size_t size = text && strncmp(text, "pc:", 3) == 0 ? strcspn(text + 3, "#") : 0;
    if (size && explore_find_symbol(explorer, text + 3, size, &pc)) {
        /* "pc:main#2" with the address of a symbol in place of its name */
        if (explorer->machine.isa == ISA_AARCH32) pc &= ~UINT64_C(1); /* of Thumb */
        snprintf(address, sizeof address, "pc:%llx%s", (unsigned long long)pc, text + 3 + size);
        text = address;
    }
    if (text && !spoor_moment_parse(text, &query))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', expected a time, record:N, line:N, pc:ADDR[#K] or end",
                               text);
    return explorer_moment(explorer, &query, moment, explorer_error(shown, error));
}

unsigned spoor_explorer_cpu_count(const struct spoor_explorer *explorer)
{
    return machine_cpu_count(explorer_machine(explorer_seen(explorer)));
}

const char *spoor_explorer_cpu_name(const struct spoor_explorer *explorer, unsigned cpu)
{
    return machine_cpu_name(explorer_machine(explorer_seen(explorer)), cpu);
}

enum spoor_isa spoor_explorer_isa(const struct spoor_explorer *explorer)
{
    return (enum spoor_isa)explorer_seen(explorer)->machine.isa;
}

bool spoor_explorer_register(const struct spoor_explorer *shown, unsigned number, char *name,
                             size_t capacity)
{
    const struct machine *machine = explorer_machine(explorer_seen(shown));
    char own[MACHINE_NAME_SIZE];
    if (!number || number >= spoor_names_count(machine->registers)) return false;
    if (capacity)
        snprintf(name, capacity, "%s", machine_register_name(machine, (spoor_name)number, own));
    return true;
}

bool spoor_explorer_find_cpu(const struct spoor_explorer *explorer, const char *name, unsigned *cpu)
{
    const unsigned count = spoor_explorer_cpu_count(explorer);
    for (*cpu = 0; *cpu < count; ++*cpu)
        if (cpu_is_named(spoor_explorer_cpu_name(explorer, *cpu), name)) return true;
    return false;
}

/* ---- records ---- */

struct visitor {
    spoor_visit *visit;
    void *context;
    enum isa isa;
};

static bool explore_visit_one(void *context, const struct explorer_visit *visited)
{
    const struct visitor *visitor = context;
    const struct call_place *place = visited->place;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const bool sized = place->size || record->kind != SPOOR_INSN;
    const struct spoor_record_visit shown = {
        .batch = visited->batch,
        .index = visited->index,
        .record = visited->record,
        .instruction = place->record,
        .pc = place->pc,
        .cpu = visited->cpu,
        .has_instruction = place->known,
        .instruction_size = sized ? place->size : isa_opcode_size(visitor->isa, &record->insn),
    };
    return visitor->visit(visitor->context, &shown);
}

enum spoor_status spoor_explorer_visit(struct spoor_explorer *explorer, uint64_t from, uint64_t end,
                                       spoor_visit *visit, void *context, struct spoor_error *error)
{
    struct visitor visitor = {visit, context, explorer_of(explorer)->machine.isa};
    const enum spoor_status status =
        explorer_visit(explorer_of(explorer), from, end, explore_visit_one, &visitor,
                       explorer_error(explorer, error));
    return status < SPOOR_OK ? status : SPOOR_OK;
}

enum spoor_status spoor_explorer_visit_segment(struct spoor_explorer *shown, size_t segment,
                                               uint64_t from, uint64_t end, spoor_visit *visit,
                                               void *context, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct visitor visitor = {visit, context, explorer->machine.isa};
    if (segment >= explorer->index->count) return SPOOR_OK;
    const enum spoor_status status = explorer_visit_segment(
        explorer, segment, from, end, explore_visit_one, &visitor, explorer_error(shown, error));
    return status < SPOOR_OK ? status : SPOOR_OK;
}

bool spoor_explorer_timed(struct spoor_explorer *explorer, uint64_t record)
{
    return explorer_timed(explorer_of(explorer), record);
}

/* ---- memory ---- */

bool spoor_range_parse(const char *text, struct spoor_range *range)
{
    static const char *const spaces[] = {"pa:", "pa_s:", "pa_ns:", "pa_rl:", "pa_rt:"};
    *range = (struct spoor_range){.size = 1};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const size_t size = strlen(spaces[i]);
        if (ascii_compare_some(text, spaces[i], size) != 0) continue;
        range->physical = true;
        range->security = (uint8_t)i;
        text += size;
        break;
    }
    struct scan scan = {text, text + strlen(text)};
    return scan_span(&scan, &range->address, &range->size) && scan_done(&scan) &&
           range->size - 1 <= UINT64_MAX - range->address;
}

enum spoor_status spoor_explorer_memory(struct spoor_explorer *shown,
                                        const struct spoor_range *range, uint64_t moment,
                                        struct spoor_byte *bytes, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    enum spoor_status status = SPOOR_OK;
    for (uint64_t at = 0; status == SPOOR_OK && at < range->size;) {
        const struct memory_place place =
            explorer_place(explorer, range->address + at, range->size - at, range->physical,
                           space_of_security(range->security), moment);
        status =
            explorer_memory(explorer, &place, moment, bytes + at, explorer_error(shown, error));
        at += place.size;
    }
    return status;
}

bool spoor_explorer_each_range(const struct spoor_explorer *explorer,
                               bool (*range)(void *context, uint64_t address, uint64_t size),
                               void *context)
{
    return index_each_range(explorer_seen(explorer)->index, range, context);
}

/* ---- subjects ---- */

static const char *explore_register_at(const void *context, size_t index)
{
    return spoor_names_text(context, (spoor_name)(index + 1), NULL);
}

static struct spoor_subject explore_subject_at(const struct memory_place *place)
{
    return (struct spoor_subject){
        .address = place->va,
        .physical = place->pa,
        .size = place->size,
        .has_address = place->has_va,
        .has_physical = place->has_pa,
        .security = place->has_pa ? (uint8_t)(place->space - SPACE_PHYSICAL_MEMORY) : 0,
    };
}

enum spoor_status spoor_explorer_place(struct spoor_explorer *shown,
                                       const struct spoor_range *range, uint64_t moment,
                                       struct spoor_subject *subject, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    const struct memory_place place =
        explorer_place(explorer, range->address, range->size, range->physical,
                       space_of_security(range->security), moment);
    *subject = explore_subject_at(&place);
    return explorer_find_hosted(explorer, explorer_error(shown, error));
}

/* The error for a text that is neither a register nor an address, with the registers that it could
 * have meant. */
static enum spoor_status explore_refuse_subject(const struct machine *machine, const char *text,
                                                bool named, struct spoor_error *error)
{
    enum { LISTED = 12 };
    const bool is_r15 = machine->isa == ISA_AARCH32 && ascii_compare(text, "r15") == 0;
    if (is_r15 || ascii_compare(text, "pc") == 0)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', which no record of this trace writes: it is the "
                               "address of each instruction, expected another register",
                               text);
    const struct spoor_names *registers = machine->registers;
    const size_t count = spoor_names_count(registers) - 1;
    const bool is_role = mode_role_named(text) != NO_ROLE;
    const char *near = is_role ? NULL : nearest(text, explore_register_at, registers, count);
    char words[256] = "";
    size_t size = 0;
    if (near) snprintf(words, sizeof words, ": did you mean '%.60s'?", near);
    for (size_t i = 0; !near && i < count && i < LISTED && size + 40 < sizeof words; i++)
        size += (size_t)snprintf(words + size, sizeof words - size, "%s%.20s",
                                 i ? ", " : ": the trace has ", explore_register_at(registers, i));
    if (size && count > LISTED) snprintf(words + size, sizeof words - size, " and others");
    if (is_role)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', which this trace does not state in the mode of that "
                               "moment%s",
                               text, words);
    if (named)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', which is not a register of this trace; the address is "
                               "written 0x%s%s",
                               text, text, words);
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "found '%s', expected a register of the trace or an address in "
                           "hexadecimal, with +BYTES after it where it is more than one byte%s",
                           text, words);
}

enum spoor_status spoor_explorer_subject(struct spoor_explorer *shown, const char *text,
                                         unsigned cpu, uint64_t moment,
                                         struct spoor_subject *subject, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct spoor_range range;
    struct machine_part part = machine_find_register(&explorer->machine, text);
    /* as a name of a register, fp is that of A32 */
    if (explorer->machine.isa == ISA_AARCH32 && ascii_compare(text, "fp") == 0) {
        part.name = explorer_role(explorer, text, cpu, moment, moment);
    } else if (part.name && explorer->machine.isa == ISA_RISCV && !explorer->machine.vector_bytes) {
        const char *name = spoor_names_text(explorer->machine.registers, part.name, NULL);
        const struct subject vector = {.cpu = cpu, .part.name = part.name};
        struct touch touch;
        if (name[0] == 'v' && name[1] >= '0' && name[1] <= '9') {
            /* a record that writes a vector register states how long they are */
            const enum spoor_status status =
                explorer_last_write(explorer, &vector, UINT64_MAX, &touch, error);
            if (status < SPOOR_OK) return status;
            part = machine_find_register(&explorer->machine, text);
        }
    }
    *subject =
        (struct spoor_subject){.cpu = cpu, .name = part.name, .low = part.low, .bits = part.bits};
    if (part.name) return SPOOR_OK;
    subject->name = explorer_role(explorer, text, cpu, moment, moment);
    if (subject->name) return SPOOR_OK;
    /* names of registers that could be read as numbers: d0, b8 */
    const size_t digits = strspn(text[0] ? text + 1 : text, "0123456789");
    const bool named = (text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'f' &&
                       (digits == 1 || digits == 2) &&
                       (!text[1 + digits] || text[1 + digits] == '+');
    if (named || !spoor_range_parse(text, &range)) { /* a symbol: "counter" or "counter+4" */
        const char *plus = strrchr(text, '+');
        range = (struct spoor_range){.size = 1};
        if ((plus && (!scan_all_number(plus + 1, &range.size) || range.size == 0)) ||
            !explore_find_symbol(explorer, text, plus ? (size_t)(plus - text) : strlen(text),
                                 &range.address))
            return explore_refuse_subject(&explorer->machine, text, named, error);
    }
    const struct memory_place place =
        explorer_place(explorer, range.address, range.size, range.physical,
                       space_of_security(range.security), moment);
    if (place.size != range.size)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', which reaches into another page, expected bytes of one "
                               "page of 4 KiB",
                               text);
    *subject = explore_subject_at(&place);
    return SPOOR_OK;
}

bool spoor_explorer_subject_of(struct spoor_explorer *shown,
                               const struct spoor_record_visit *visited,
                               struct spoor_subject *subject)
{
    struct explorer *explorer = explorer_of(shown);
    const struct spoor_record *record = &visited->batch->records[visited->index];
    struct machine_part part = {0};
    struct access access;
    char name[64];
    if (record->kind == SPOOR_REG) {
        size_t size;
        const char *text = spoor_names_text(visited->batch->stream->names, record->reg.name, &size);
        snprintf(name, sizeof name, "%.*s", (int)size, text);
        part = machine_find_register(&explorer->machine, name);
    } else if (machine_access(&explorer->machine, visited->batch, visited->index, &access) &&
               access.does & (ACCESS_READS | ACCESS_WRITES)) {
        const struct memory_place place =
            explorer_place(explorer, access.has_va ? access.va : access.pa, access.size,
                           !access.has_va, access.space, visited->record);
        *subject = explore_subject_at(&place);
        return true;
    } else if (record->kind == SPOOR_UOP && record->uop.dest >= 0) { /* without an access */
        snprintf(name, sizeof name, "r%d", record->uop.dest);
        part = machine_find_register(&explorer->machine, name);
    }
    *subject = (struct spoor_subject){
        .cpu = visited->cpu, .name = part.name, .low = part.low, .bits = part.bits};
    return part.name != 0;
}

struct subject explorer_subject(const struct spoor_subject *shown)
{
    return (struct subject){
        .is_memory = !shown->name,
        .cpu = shown->cpu,
        .part = {.name = shown->name, .low = shown->low, .bits = shown->bits},
        .place = {.va = shown->address,
                  .pa = shown->physical,
                  .size = shown->size,
                  .space = shown->has_physical ? space_of_security(shown->security) : 0,
                  .has_va = shown->has_address,
                  .has_pa = shown->has_physical},
    };
}

/* ---- touches ---- */

/* The touch as the library shows it; its batch is that of the record, which the caller has. */
static struct spoor_touch explorer_shown_touch(const struct touch *touch)
{
    return (struct spoor_touch){
        .record = touch->record,
        .time = touch->time,
        .instruction = touch->place.record,
        .pc = touch->place.pc,
        .value = touch->valued ? touch->value : NULL,
        .cpu = touch->cpu,
        .has_instruction = touch->place.known,
        .writes = touch->writes,
        .reads = touch->reads,
    };
}

/* explorer_last_write() or explorer_next_write(). */
typedef enum spoor_status write_finder(struct explorer *explorer, const struct subject *subject,
                                       uint64_t moment, struct touch *touch,
                                       struct spoor_error *error);

/* The value of the write that is found stays with the explorer.  A gap may lie between the write
 * and the moment: of the register's processor, or, for memory, of any. */
static enum spoor_status explore_find_write(write_finder *find, struct spoor_explorer *shown,
                                            const struct spoor_subject *subject, uint64_t moment,
                                            struct spoor_touch *touch, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    const struct subject own = explorer_subject(subject);
    error = explorer_error(shown, error);
    enum spoor_status status = find(explorer, &own, moment, &explorer->found, error);
    if (status != SPOOR_OK) return status;
    struct spoor_touch made = explorer_shown_touch(&explorer->found);
    const uint64_t later = made.record < moment ? moment : made.record + 1;
    const uint64_t earlier = made.record < moment ? made.record + 1 : moment;
    struct call_gap gap;
    status = explorer_gap_before(explorer, own.is_memory ? (unsigned)GAP_OF_ANY : own.cpu, later,
                                 &gap, error);
    made.across_gap = gap.record != UINT64_MAX && gap.record >= earlier;
    struct_fill(touch, &made, sizeof made);
    return status;
}

enum spoor_status spoor_explorer_last_write(struct spoor_explorer *explorer,
                                            const struct spoor_subject *subject, uint64_t moment,
                                            struct spoor_touch *touch, struct spoor_error *error)
{
    return explore_find_write(explorer_last_write, explorer, subject, moment, touch, error);
}

enum spoor_status spoor_explorer_next_write(struct spoor_explorer *explorer,
                                            const struct spoor_subject *subject, uint64_t moment,
                                            struct spoor_touch *touch, struct spoor_error *error)
{
    return explore_find_write(explorer_next_write, explorer, subject, moment, touch, error);
}

enum spoor_status spoor_explorer_register_writers(struct spoor_explorer *shown,
                                                  const struct spoor_subject *subject,
                                                  uint64_t moment,
                                                  struct spoor_byte bytes[SPOOR_REGISTER_BYTES],
                                                  size_t *count, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    const struct subject own = explorer_subject(subject);
    struct registers registers = {0};
    unsigned bits =
        subject->bits ? subject->bits : 8 * machine_parted_bytes(&explorer->machine, subject->name);
    error = explorer_error(shown, error);
    if (!bits) { /* the widest value so far */
        const enum spoor_status status = explorer_registers(explorer, moment, &registers, error);
        const struct cell *cell = registers_find(&registers, own.cpu, own.part.name);
        if (status == SPOOR_OK && cell) bits = cell->bits;
        registers_free(&registers);
        if (status != SPOOR_OK) return status;
    }
    *count = bits < 8 * SPOOR_REGISTER_BYTES ? (bits + 7) / 8 : SPOOR_REGISTER_BYTES;
    return explorer_byte_writers(explorer, &own, moment, *count, bytes, error);
}

void spoor_explorer_subject_name(const struct spoor_explorer *explorer,
                                 const struct spoor_subject *subject, char *name, size_t capacity)
{
    const struct machine *machine = explorer_machine(explorer_seen(explorer));
    const struct machine_part part = {subject->name, subject->low, subject->bits};
    char own[MACHINE_NAME_SIZE];
    if (!subject->name)
        snprintf(name, capacity, "%s%llx+%llu", subject->has_address ? "" : "pa:",
                 (unsigned long long)(subject->has_address ? subject->address : subject->physical),
                 (unsigned long long)subject->size);
    else if (part.bits && !machine_parted_bytes(machine, part.name))
        snprintf(name, capacity, "%s[%u:%u]", machine_register_name(machine, part.name, own),
                 part.low + part.bits - 1u, part.low);
    else
        snprintf(name, capacity, "%s", machine_part_name(machine, &part, own));
}

bool spoor_explorer_may_touch(struct spoor_explorer *shown, size_t segment,
                              const struct spoor_subject *subject, bool writes, bool reads)
{
    struct explorer *explorer = explorer_of(shown);
    const struct index *index = explorer->index;
    const struct subject own = explorer_subject(subject);
    if (segment >= index->count) return false;
    if (!own.is_memory)
        return reads || (writes && index_writes(index, segment, own.cpu, own.part.name));
    if (reads && segment_reads(index, segment, &own.place)) return true;
    /* a semihosting call writes, too */
    return writes && (explorer_find_hosted(explorer, &explorer->unread) != SPOOR_OK ||
                      explorer_segment_writes(explorer, segment, &own.place));
}

/* Finds the bytes of the subject that the access of a visited record reaches. */
static bool explore_find_bytes(struct explorer *explorer, const struct subject *subject,
                               const struct explorer_visit *visited, struct spoor_touch *shown)
{
    const struct memory_place *place = &subject->place;
    struct access access;
    uint64_t from, to;
    if (!explorer_access(explorer, visited, &access) ||
        !place_touched(place, &access, &from, &to) ||
        !array_reserve(&explorer->touched, &explorer->touched_capacity, (size_t)(to - from)))
        return false;
    const uint64_t begin =
        place->has_pa && access.has_pa ? place->pa - access.pa : place->va - access.va;
    for (uint64_t at = from; at < to; at++) {
        struct spoor_byte *byte = &explorer->touched[at - from];
        *byte = (struct spoor_byte){.writer = visited->record};
        const enum byte_known known = access_byte(visited->batch, visited->index, &access,
                                                  (uint32_t)(begin + at), &byte->value);
        const bool writes = access.does & ACCESS_WRITES;
        byte->has_writer = writes && known != BYTE_UNTOUCHED;
        if (known == BYTE_KNOWN)
            byte->known = (uint8_t)(writes ? SPOOR_BYTE_WRITTEN : SPOOR_BYTE_READ);
    }
    shown->bytes = explorer->touched;
    shown->offset = from;
    shown->end = to;
    return true;
}

bool spoor_explorer_touch(struct spoor_explorer *shown, const struct spoor_record_visit *visited,
                          const struct spoor_subject *subject, struct spoor_touch *touch)
{
    struct explorer *explorer = explorer_of(shown);
    const struct subject own = explorer_subject(subject);
    const struct call_place place = {
        .known = visited->has_instruction, .record = visited->instruction, .pc = visited->pc};
    const struct explorer_visit of = {.batch = visited->batch,
                                      .index = visited->index,
                                      .record = visited->record,
                                      .cpu = visited->cpu,
                                      .place = &place};
    if (!explorer_touch(explorer, &own, &of, &explorer->found) || explorer->found.failed)
        return false;
    struct spoor_touch made = explorer_shown_touch(&explorer->found);
    made.batch = visited->batch;
    made.index = visited->index;
    if (own.is_memory && !explore_find_bytes(explorer, &own, &of, &made)) return false;
    struct_fill(touch, &made, sizeof made);
    return true;
}

struct touch_visitor {
    struct explorer *explorer;
    const struct subject *subject;
    spoor_touch_visit *visit;
    void *context;
    bool failed;
};

static bool explore_visit_touch(void *context, const struct touch *touch)
{
    struct touch_visitor *visitor = context;
    struct spoor_touch shown = explorer_shown_touch(touch);
    shown.batch = touch->visited->batch;
    shown.index = touch->visited->index;
    visitor->failed = touch->failed || (visitor->subject->is_memory &&
                                        !explore_find_bytes(visitor->explorer, visitor->subject,
                                                            touch->visited, &shown));
    return !visitor->failed && visitor->visit(visitor->context, &shown);
}

enum spoor_status spoor_explorer_touches(struct spoor_explorer *shown,
                                         const struct spoor_subject *subject, uint64_t from,
                                         uint64_t end, spoor_touch_visit *visit, void *context,
                                         struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    const struct subject own = explorer_subject(subject);
    struct touch_visitor visitor = {explorer, &own, visit, context, false};
    const enum spoor_status status = explorer_touches(
        explorer, &own, from, end, explore_visit_touch, &visitor, explorer_error(shown, error));
    return visitor.failed ? memory_status(false, error) : status;
}
