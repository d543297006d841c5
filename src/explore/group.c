/* SPDX-License-Identifier: MIT */
/* group.c: collects an instruction with its effects, and finds the sources of each effect. */
#include <limits.h>

#include <string.h>

#include "base/ascii.h"
#include "effects/event.h"
#include "explore/internal.h"
#include "explore/slice.h"

bool group_begins(const struct explorer_visit *visited)
{
    return visited->place->known && visited->place->record == visited->record;
}

static struct group_effect *group_push(struct group *group, const struct explorer_visit *visited)
{
    if (group->count == GROUP_EFFECTS) return NULL;
    struct group_effect *effect = &group->effects[group->count++];
    *effect = (struct group_effect){
        .touch = {.record = visited->record,
                  .time = visited->batch->records[visited->index].time,
                  .cpu = visited->cpu,
                  .place = group->place},
    };
    return effect;
}

static struct group_effect *
group_add_register(struct group *group, const struct explorer_visit *visited, spoor_name name)
{
    struct group_effect *effect = name ? group_push(group, visited) : NULL;
    if (effect) effect->name = name;
    return effect;
}

struct memory_place access_place(const struct access *access)
{
    return (struct memory_place){.va = access->va,
                                 .pa = access->pa,
                                 .size = access->size,
                                 .space = access->space,
                                 .has_va = access->has_va,
                                 .has_pa = access->has_pa};
}

static void group_add_access(struct group *group, const struct machine *machine,
                             const struct explorer_visit *visited)
{
    struct access access;
    if (!machine_access(machine, visited->batch, visited->index, &access) ||
        !(access.does & (ACCESS_READS | ACCESS_WRITES)))
        return;
    struct group_effect *effect = group_push(group, visited);
    if (!effect) return;
    effect->is_memory = true;
    effect->access = access;
    const struct memory_place place = access_place(&access);
    touch_memory_value(&effect->touch, visited, &place, &access, 0, access.size);
    group->failed |= effect->touch.failed;
}

/* ---- exceptions between an instruction and the next one ---- */

static void group_begin_exception(struct group *group, struct machine *machine,
                                  const struct explorer_visit *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    group->taken = group->changed = UINT_MAX;
    group->in_handler = group->has_frames = false;
    if (machine->isa != ISA_AARCH32 || record->kind != SPOOR_INSN) return;
    const char *mode = operand_mode(visited);
    const enum machine_m_mode m = machine_m_mode(mode);
    group->in_handler = m == MACHINE_HANDLER || !mode[0]; /* RTL of Cortex-M0 states none */
    group->has_frames = !mode[0] || m != MACHINE_NOT_M;
    const size_t count = spoor_names_count(machine->registers);
    if (!group->has_frames || group->stacked_of == count) return;
    /* the registers of a stack frame, as far as the trace has stated them */
    static const char *const names[GROUP_FRAME] = {
        "r4", "r5",  "r6",  "r7", "r8",   "r9",  "r10", "r11", "r0",  "r1",  "r2",
        "r3", "r12", "r14", NULL, "cpsr", "s0",  "s1",  "s2",  "s3",  "s4",  "s5",
        "s6", "s7",  "s8",  "s9", "s10",  "s11", "s12", "s13", "s14", "s15", "fpscr"};
    enum { STATUS = 15 };
    group->stacked_of = count;
    for (size_t i = 0; i < GROUP_FRAME; i++)
        group->stacked[i] =
            names[i] ? machine_find_register(machine, names[i]) : (struct machine_part){0};
    if (!group->stacked[STATUS].name)
        group->stacked[STATUS] = machine_find_register(machine, "xpsr");
    if (!group->stacked[STATUS].name)
        group->stacked[STATUS] = machine_find_register(machine, "psr");
}

static bool group_is_access(const struct group_effect *effect, enum access_does does)
{
    return effect->is_memory && effect->access.does & does;
}

enum { FRAME_WORDS = 8, WORD = 4 };

/* Where the effects of an entry begin whose event comes after them: with the writes of a stack
 * frame that the instruction does not make itself. */
static unsigned group_entry_begins(const struct group *group)
{
    const struct operand_list *operands = &group->operands;
    unsigned from = group->count, bytes = 0;
    unsigned own = operands->stores ? operands->row : 0;
    if (!operands->known || !group->has_frames || (operands->stores && !own)) return group->count;
    while (from > 0 && group_is_access(&group->effects[from - 1], ACCESS_WRITES)) from--;
    for (; from < group->count && own; from++) {
        const unsigned size = group->effects[from].access.size;
        own -= size < own ? size : own;
    }
    for (unsigned i = from; i < group->count; i++) bytes += group->effects[i].access.size;
    return bytes >= FRAME_WORDS * WORD ? from : group->count;
}

static bool group_writes_name(const struct group *group, spoor_name name)
{
    for (unsigned i = 0; i < group->operands.write_count; i++)
        if (group->operands.writes[i].name == name) return true;
    return false;
}

/* The characters of the name of a general register before what names its bank; 0: it is another. */
static size_t group_general_part(const char *name)
{
    if (strncmp(name, "sp", 2) == 0 && (!name[2] || name[2] == '_')) return 2;
    const size_t digits = strspn(name + 1, "0123456789");
    const bool general = (name[0] == 'r' || name[0] == 'x') && digits &&
                         (!name[1 + digits] || name[1 + digits] == '_');
    return general ? 1 + digits : 0;
}

static bool group_is_unlisted(const struct group *group, const struct machine *machine,
                              spoor_name written)
{
    const struct operand_list *operands = &group->operands;
    const char *name = spoor_names_text(machine->registers, written, NULL);
    const size_t size = group_general_part(name);
    if (!size || !group->place.has_bits || !operands->known || operands->special) return false;
    for (unsigned i = 0; i < operands->write_count; i++) {
        const char *other = spoor_names_text(machine->registers, operands->writes[i].name, NULL);
        if (group_general_part(other) == size && strncmp(name, other, size) == 0) return false;
    }
    return !(operands->updates_base && written == operands->base);
}

void group_add(struct group *group, struct machine *machine, const struct explorer_visit *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (group_begins(visited)) {
        group->count = 0;
        group->place = *visited->place;
        group_begin_exception(group, machine, visited);
        operand_list(machine, visited, &group->operands);
        if (group->guarded) operand_guard(machine, visited, &group->operands);
        group->guarded -= group->guarded > 0;
        if (group->operands.guards) group->guarded = group->operands.guards;
    }
    if (record->kind == SPOOR_EVENT && group->taken == UINT_MAX) {
        /* Fast Models print the change of the mode before what the entry does, and the exception
         * after */
        const struct event_statement event = event_read(visited->batch, record);
        const struct spoor_names *names = visited->batch->stream->names;
        if (event.meaning == EVENT_MEANS_EXCEPTION)
            group->taken =
                group->changed < group->count ? group->changed : group_entry_begins(group);
        else if (group->changed == UINT_MAX && record->op == SPOOR_EVENT_E &&
                 strcmp(spoor_names_text(names, record->event.name, NULL),
                        "CoreEvent_ModeChange") == 0)
            group->changed = group->count;
    }
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        group_add_access(group, machine, visited);
        group_add_register(group, visited, machine_uop_register(machine, uop.dest));
        if (record->op & SPOOR_UOP_WRITES_FLAGS)
            group_add_register(group, visited, machine_uop_flags(machine));
    } else if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE) {
        const struct machine_register reg = machine_register(machine, record);
        struct group_effect *effect =
            reg.zero ? NULL : group_add_register(group, visited, reg.name);
        const struct machine_part whole = {.name = reg.name};
        if (!effect) return;
        const char *text = spoor_names_text(machine->registers, reg.name, NULL);
        effect->unlisted = group_is_unlisted(group, machine, reg.name);
        const struct call_place *place = &group->place;
        if (group->taken == UINT_MAX && place->has_bits && group->operands.known &&
            (ascii_begins(text, "spsr_") || ascii_begins(text, "elr_")) &&
            !isa_writes_special(isa_of_instruction(machine->isa, place->iset),
                                operand_is_thumb(machine, place->iset, place->size), place->bits)) {
            /* Where no event states an exception of the A profile, the saved status or return
             * address shows it: the entry has all that the opcode does not write. */
            group->taken = group->count - 1;
            for (; group->taken > 0; group->taken--) {
                const struct group_effect *before = &group->effects[group->taken - 1];
                if (before->is_memory || group_writes_name(group, before->name)) break;
            }
        }
        effect->is_process = strncmp(text, "psp", 3) == 0 && (!text[3] || text[3] == '_');
        effect->is_sp =
            effect->is_process || (strncmp(text, "msp", 3) == 0 && (!text[3] || text[3] == '_'));
        const unsigned bytes = machine_parted_bytes(machine, reg.name);
        touch_register_bits(&effect->touch, record, &reg);
        if (bytes && effect->touch.low < 8 * bytes) {
            const unsigned low = effect->touch.low / 8u, end = effect->touch.high / 8u + 1;
            effect->low = (uint8_t)low;
            effect->size = (uint8_t)((end < bytes ? end : bytes) - low);
        }
        touch_register_value(&effect->touch, visited, &reg, &whole);
        group->failed |= effect->touch.failed;
    } else if (record->kind == SPOOR_MEM) {
        group_add_access(group, machine, visited);
    }
}

/* True if the effect is the update of the address's base register. */
static bool group_is_moved_base(const struct group *group, const struct group_effect *effect)
{
    return !effect->is_memory && group->operands.updates_base &&
           (effect->name == group->operands.base || (effect->is_sp && group->operands.base_is_sp));
}

/* True for a register that the return of an instruction from an exception has popped, whether the
 * trace states what it read or not: the opcode does not write it. */
static bool group_is_unstacked(const struct group *group, const struct group_effect *effect)
{
    if (!group->has_frames || !group->in_handler || effect->is_memory || !group->operands.known ||
        !group->operands.branch || effect < group->effects ||
        effect >= group->effects + group->count ||
        (size_t)(effect - group->effects) >= group->taken || group_writes_name(group, effect->name))
        return false;
    for (unsigned i = 0; i < GROUP_FRAME; i++)
        if (group->stacked[i].name == effect->name) return true;
    /* a handler uses MSP, which POP and LDM move themselves */
    return effect->is_process || (effect->is_sp && !group->operands.updates_base);
}

bool group_is_foreign(const struct group *group, const struct group_effect *effect)
{
    return effect->unlisted && !group_is_unstacked(group, effect) &&
           (size_t)(effect - group->effects) < group->taken;
}

/* ---- sources ---- */

struct flow_query {
    const struct group *group;
    const struct group_effect *effect;
    unsigned begin; /* before it are the floating-point registers that an exception left to it, */
    uint64_t preserved; /* with this address */
    unsigned own;       /* up to here, effects of the instruction itself */
    unsigned end;       /* after those are of its return from an exception up to here, */
    bool returns;       /* of which there are some, */
    uint64_t frame;     /* which popped the stack frame at this address */
    flow_function *function;
    void *context;
    unsigned count;
};

static void group_put_register(struct flow_query *query, spoor_name name, unsigned low,
                               unsigned end)
{
    const struct flow_source source = {
        .name = name, .low = end == UINT_MAX ? 0 : low, .size = end == UINT_MAX ? 0 : end - low};
    query->function(query->context, &source);
    query->count++;
}

/* Returns the bytes of all accesses of the instruction that read, or write, if they are one run;
 * 0: they are not. */
static unsigned group_bytes_accessed(const struct group *group, unsigned from, unsigned to,
                                     enum access_does does, uint64_t *first)
{
    uint64_t end = 0, bytes = 0;
    *first = UINT64_MAX;
    for (unsigned i = from; i < to; i++) {
        const struct access *access = &group->effects[i].access;
        if (!group_is_access(&group->effects[i], does)) continue;
        if (access_address(access) < *first) *first = access_address(access);
        if (access_address(access) + access->size > end)
            end = access_address(access) + access->size;
        bytes += access->size;
    }
    return bytes && bytes == end - *first ? (unsigned)bytes : 0;
}

/* Accesses of the instruction itself; of a stack frame, those after them. */
static void group_put_accesses(struct flow_query *query, unsigned begin_effect, unsigned end_effect,
                               uint64_t from, uint64_t to)
{
    const struct group *group = query->group;
    for (unsigned i = begin_effect; i < end_effect; i++) {
        const struct access *access = &group->effects[i].access;
        if (!group_is_access(&group->effects[i], ACCESS_READS)) continue;
        const uint64_t begin = access_address(access), end = begin + access->size;
        const uint64_t low = from > begin ? from : begin, high = to < end ? to : end;
        if (low >= high) continue;
        /* numbers with the highest byte first: the bytes of a register are in another order */
        const struct flow_source source = {.access = access,
                                           .low = access->big ? 0 : (unsigned)(low - begin),
                                           .size =
                                               access->big ? access->size : (unsigned)(high - low)};
        query->function(query->context, &source);
        query->count++;
    }
}

static void group_put_memory(struct flow_query *query, uint64_t from, uint64_t to)
{
    group_put_accesses(query, 0, query->own, from, to);
}

/* Bytes `from` up to, not including, `to` of the row come from the data that is read. */
static void group_put_row(struct flow_query *query, unsigned from, unsigned to)
{
    const struct operand_list *operands = &query->group->operands;
    for (unsigned i = 0; i < operands->count; i++) {
        const struct operand *read = &operands->reads[i];
        const struct isa_part *part = &read->part;
        if (!read->data || !part->width) continue;
        if (!part->size) { /* an integer register */
            if (part->at < to && from < part->at + part->width)
                group_put_register(query, read->name, 0, UINT_MAX);
            continue;
        }
        unsigned low = 0, end = 0; /* of its bytes, those that the range has */
        for (unsigned at = 0; at < part->size; at++) {
            const unsigned place = isa_part_place(part, at);
            if (place < from || place >= to) continue;
            if (end != at || !end) {
                if (low < end)
                    group_put_register(query, read->name, read->first + part->low + low,
                                       read->first + part->low + end);
                low = at;
            }
            end = at + 1;
        }
        if (low < end)
            group_put_register(query, read->name, read->first + part->low + low,
                               read->first + part->low + end);
    }
}

/* Bytes `from` up to `to` of the row, which are in memory or in the registers that are read.  The
 * row is of another size than the accesses where the trace does not have all. */
static void group_put_row_of(struct flow_query *query, unsigned from, unsigned to)
{
    uint64_t first;
    const struct operand_list *operands = &query->group->operands;
    if (operands->copies) {
        group_put_row(query, from, to);
        return;
    }
    const unsigned bytes = group_bytes_accessed(query->group, 0, query->own, ACCESS_READS, &first);
    const bool repeats = bytes && operands->row % bytes == 0;
    if (bytes == operands->row || (repeats && to <= bytes))
        group_put_memory(query, first + from, first + to);
    else
        group_put_memory(query, 0, UINT64_MAX);
}

/* Bytes of a register come from those of memory, or of the registers that are copied. */
static void group_put_moved(struct flow_query *query, const struct operand *write, unsigned low,
                            unsigned end)
{
    uint64_t first;
    const struct isa_part *part = &write->part;
    const struct operand_list *operands = &query->group->operands;
    /* the register gets all that is loaded: the row has no other, not even one that no trace
     * states, as the pc or zero */
    const bool loads_one = !operands->copies && operands->row == part->width;
    if (part->group) {
        /* Bytes of a vector register of RISC-V are loaded from those at its place, where all lie
         * one after another; a masked load keeps some.  An access whose size the trace does not
         * state is an element. */
        const unsigned element = operands->element ? operands->element : 1;
        bool masked = false;
        for (unsigned i = 0; i < operands->count; i++) {
            const struct operand *read = &operands->reads[i];
            if (read->name != write->name || !read->part.group || read->part.kept) continue;
            group_put_register(query, read->name, low, end);
            masked = true;
        }
        group_bytes_accessed(query->group, 0, query->own, ACCESS_READS, &first);
        const uint64_t at = first + (part->group - 1U) * (uint64_t)operands->vector;
        if (operands->unit && operands->vector && first != UINT64_MAX && end != UINT_MAX && !masked)
            group_put_memory(query, at + low / element * element, at + end);
        else
            group_put_memory(query, 0, UINT64_MAX);
        return;
    }
    if (!part->size) {
        if (!part->width || loads_one)
            group_put_memory(query, 0, UINT64_MAX);
        else
            group_put_row_of(query, part->at, part->at + part->width);
        return;
    }
    const unsigned begin = write->first + part->low;
    if (part->zeroes && end > begin + part->size) end = begin + part->size;
    if (low >= end) return;
    if (loads_one && !part->element) {
        const unsigned bytes =
            group_bytes_accessed(query->group, 0, query->own, ACCESS_READS, &first);
        if (bytes) /* what the register has beyond them is zero */
            group_put_memory(query, first + (low - begin), first + (end - begin));
        else
            group_put_memory(query, 0, UINT64_MAX);
        return;
    }
    for (unsigned at = low; at < end;) { /* runs of bytes that are side by side in the row, too */
        const unsigned from = isa_part_place(part, at - begin);
        unsigned to = from + 1;
        for (at++; at < end && isa_part_place(part, at - begin) == to; at++) to++;
        group_put_row_of(query, from, to);
    }
}

/* Bytes of a register come from all that is read, or from the lanes at their place. */
static void group_put_computed(struct flow_query *query, const struct operand *write, unsigned low,
                               unsigned end)
{
    const struct operand_list *operands = &query->group->operands;
    const unsigned lane = operands->lane;
    const bool lanes = lane && write && write->part.size && end != UINT_MAX;
    const bool quads = operands->write_count > 1; /* of AArch32: two doubles each */
    for (unsigned i = 0; i < operands->count; i++) {
        const struct operand *read = &operands->reads[i];
        if (read->part.kept) continue;
        if (lane && write && write->part.group && read->part.group && end != UINT_MAX) {
            /* elements come from those at the same place of a group */
            if (read->part.group == write->part.group)
                group_put_register(query, read->name, low / lane * lane,
                                   (end + lane - 1) / lane * lane);
            continue;
        }
        if (!read->part.size) {
            group_put_register(query, read->name, 0, UINT_MAX);
            continue;
        }
        unsigned from = read->first + read->part.low, to = from + read->part.size;
        if (lanes) {
            const unsigned first = (low - write->first) / lane * lane,
                           after = (end - write->first + lane - 1) / lane * lane;
            if (quads && read->first != write->first) continue;
            if (from < read->first + first) from = read->first + first;
            if (to > read->first + after) to = read->first + after;
        }
        if (from < to) group_put_register(query, read->name, from, to);
    }
}

static void group_sources_of_register(struct flow_query *query, unsigned low, unsigned size)
{
    const struct operand_list *operands = &query->group->operands;
    const struct group_effect *effect = query->effect;
    bool listed = false;
    uint64_t kept = 0; /* a bit for each byte */
    if (operands->status && effect->name == operands->status) {
        uint64_t first;
        group_bytes_accessed(query->group, 0, query->own, ACCESS_READS, &first);
        if (operands->saved)
            group_put_register(query, operands->saved, 0, UINT_MAX);
        else
            group_put_memory(query, first + WORD, first + 2 * WORD);
        return;
    }
    for (unsigned i = 0; size && i < size; i++) kept |= UINT64_C(1) << (low + i);
    for (unsigned i = 0; i < operands->write_count; i++) {
        const struct operand *write = &operands->writes[i];
        unsigned from = low, to = size ? low + size : UINT_MAX;
        if (write->name != effect->name) continue;
        listed = true;
        if (operands->links) return;
        if (!operand_overlap(write, &from, &to)) continue;
        (operands->loads || operands->copies ? group_put_moved : group_put_computed)(query, write,
                                                                                     from, to);
        for (unsigned at = from; size && at < to; at++) kept &= ~(UINT64_C(1) << at);
    }
    for (unsigned at = low; listed && kept; at++) { /* what only the record states again */
        const unsigned begin = at;
        while (kept >> at & 1) kept &= ~(UINT64_C(1) << at++);
        if (at > begin) group_put_register(query, effect->name, begin, at);
    }
    if (listed && (query->count || size)) return;
    if (!listed && !operands->links && effect->name == operands->guard) {
        group_put_register(query, effect->name, 0,
                           UINT_MAX); /* the state of the IT block goes on */
        return;
    }
    if (operands->loads)
        group_put_memory(query, 0, UINT64_MAX);
    else
        group_put_computed(query, NULL, 0, UINT_MAX);
}

static void group_sources_of_memory(struct flow_query *query, unsigned low, unsigned size)
{
    uint64_t first;
    const struct group_effect *effect = query->effect;
    const struct operand_list *operands = &query->group->operands;
    const unsigned bytes =
        group_bytes_accessed(query->group, query->begin, query->own, ACCESS_WRITES, &first);
    const bool big = effect->access.big;
    const unsigned from = (unsigned)(access_address(&effect->access) - first) + (big ? 0 : low);
    const unsigned to = from + (big ? effect->access.size : size);
    unsigned data = 0;
    for (unsigned i = 0; i < operands->count; i++) data += operands->reads[i].data;
    if (operands->vector && operands->unit && bytes && size) {
        /* bytes of those that a vector store writes one after another */
        for (unsigned i = 0; i < operands->count; i++) {
            const struct operand *read = &operands->reads[i];
            if (!read->data) continue;
            const unsigned begin =
                (read->part.group ? read->part.group - 1U : 0) * operands->vector;
            const unsigned first_byte = from > begin ? from - begin : 0;
            const unsigned end = to - begin < operands->vector ? to - begin : operands->vector;
            if (to > begin && first_byte < end)
                group_put_register(query, read->name, first_byte, end);
        }
        return;
    }
    if (operands->loads) group_put_memory(query, 0, UINT64_MAX); /* an update */
    if (bytes && size && bytes <= operands->row && (data == 1 || bytes == operands->row)) {
        group_put_row(query, from, to);
        return;
    }
    for (unsigned i = 0; i < operands->count; i++)
        if (operands->reads[i].data)
            group_put_register(query, operands->reads[i].name, 0, UINT_MAX);
}

/* The address of the first of `stacked` in a frame of so many bytes from `first` on, which begins
 * with r0: below it, an entry from secure into other code has pushed a signature, a reserved word
 * and r4 to r11.  Where there are floating-point registers, the frame is of 26 words, or of 42. */
static uint64_t group_frame_begins(uint64_t first, unsigned bytes)
{
    enum { BELOW = 10 * WORD, FLOATS = 26 * WORD, ALL_FLOATS = 42 * WORD, SAVED = 8 * WORD };
    const bool more = bytes == FRAME_WORDS * WORD + BELOW || bytes == FLOATS + BELOW ||
                      bytes == ALL_FLOATS + BELOW;
    return first + (more ? BELOW - SAVED : -(uint64_t)SAVED);
}

/* The first effects are the registers that an exception left to the first floating-point
 * instruction after it to save (lazy state preservation): writes that this one does not make
 * itself. Returns the index after them, and their address. */
static unsigned group_find_preserved(const struct group *group, uint64_t *address)
{
    enum { LEAST = 16 * WORD }; /* s0 to s15 */
    const struct operand_list *operands = &group->operands;
    const unsigned row = operands->stores ? operands->row : 0;
    const unsigned end = group->taken < group->count ? group->taken : group->count;
    unsigned bytes = 0, after = 0;
    if (!group->has_frames || !operands->known || (operands->stores && !row)) return 0;
    for (unsigned i = 0; i < end; i++)
        if (group_is_access(&group->effects[i], ACCESS_WRITES))
            bytes += group->effects[i].access.size;
    if (bytes < row + LEAST) return 0;
    bytes -= row;
    for (unsigned have = 0; after < end && have < bytes; after++)
        if (group_is_access(&group->effects[after], ACCESS_WRITES))
            have += group->effects[after].access.size;
    return group_bytes_accessed(group, 0, after, ACCESS_WRITES, address) == bytes ? after : 0;
}

bool group_set_by_exception(const struct group *group, const struct group_effect *effect)
{
    return effect >= group->effects && effect < group->effects + group->count &&
           (size_t)(effect - group->effects) >= group->taken;
}

enum slice_stop group_stop(const struct group *group, const struct group_effect *effect)
{
    const struct operand_list *operands = &group->operands;
    uint64_t address;
    bool reads = false;
    for (unsigned i = 0; i < group->count; i++)
        reads |= group_is_access(&group->effects[i], ACCESS_READS);
    if (group_set_by_exception(group, effect) ||
        /* a register that an exception before it left to the instruction to save */
        (effect->is_memory && effect >= group->effects &&
         effect < group->effects + group_find_preserved(group, &address)))
        return SLICE_EXCEPTION;
    const bool from_memory = group_is_unstacked(group, effect) ||
                             (operands->loads && !group_is_moved_base(group, effect) &&
                              (!effect->is_memory || operands->stores));
    if (from_memory && !reads) return SLICE_ACCESS;
    return operands->system ? SLICE_SYSTEM : SLICE_CONSTANT;
}

/* The registers of the words of an access, by their place in the frame of an exception. */
static void group_put_stacked(struct flow_query *query, uint64_t frame, unsigned low, unsigned size)
{
    const struct group *group = query->group;
    const struct access *access = &query->effect->access;
    uint64_t at = access_address(access) + low;
    const uint64_t end = size ? at + size : access_address(access) + access->size;
    for (; at < end; at = (at | (WORD - 1)) + 1) {
        const uint64_t word = (at - frame) / WORD;
        if (word >= GROUP_FRAME || !group->stacked[word].name) continue;
        const struct machine_part *part = &group->stacked[word];
        const unsigned from_byte = part->low / 8U;
        group_put_register(query, part->name, from_byte,
                           part->bits ? from_byte + part->bits / 8U : UINT_MAX);
    }
}

/* What a return pops is memory; the stack pointer moves.  False: the effect is of the opcode. */
static bool group_sources_of_return(struct flow_query *query)
{
    const struct group *group = query->group;
    const struct group_effect *effect = query->effect;
    if (effect->is_memory) return false;
    const bool later = (size_t)(effect - group->effects) >= query->own;
    if (!(query->returns && later) && !group_is_unstacked(group, effect)) return false;
    if (effect->is_sp) {
        group_put_register(query, effect->name, 0, UINT_MAX);
        return true;
    }
    for (unsigned i = 0; query->returns && i < GROUP_FRAME; i++) {
        const struct machine_part *part = &group->stacked[i];
        if (!part->name || part->name != effect->name ||
            (effect->size && part->bits && effect->low != part->low / 8U))
            continue;
        const uint64_t at = query->frame + i * (uint64_t)WORD;
        group_put_accesses(query, query->own, query->end, at, at + WORD);
        return query->count > 0;
    }
    return !query->returns;
}

unsigned group_sources(const struct group *group, const struct group_effect *effect, unsigned low,
                       unsigned size, flow_function *function, void *context)
{
    struct flow_query query = {
        .group = group, .effect = effect, .function = function, .context = context};
    query.own = query.end = group->taken < group->count ? group->taken : group->count;
    query.begin = group_find_preserved(group, &query.preserved);
    /* the stack frame of the instruction's own return from an exception: what is read after its own
     * words */
    const unsigned words = group->operands.loads ? group->operands.row / WORD : 0;
    unsigned from = 0, reads = 0;
    while (from < query.end &&
           (!group_is_access(&group->effects[from], ACCESS_READS) || reads++ < words))
        from++;
    if (group->has_frames && group->in_handler && from < query.end) {
        const unsigned bytes =
            group_bytes_accessed(group, from, query.end, ACCESS_READS, &query.frame);
        query.returns = bytes >= FRAME_WORDS * WORD;
        query.frame = group_frame_begins(query.frame, bytes);
        if (query.returns) query.own = from;
    }
    if (group_is_foreign(group, effect)) return 0;
    const bool is_own = effect >= group->effects && effect < group->effects + group->count;
    const unsigned index = is_own ? (unsigned)(effect - group->effects) : 0;
    if (is_own && index >= query.end) {
        /* What an entry pushes are registers: by their place in the frame, which is the run of
         * writes that it is in.  Of other effects of an entry there is no source. */
        uint64_t first;
        unsigned begin = index, to = index;
        if (!effect->is_memory || !group->has_frames) return 0;
        while (begin > group->taken && group_is_access(&group->effects[begin - 1], ACCESS_WRITES))
            begin--;
        while (to < group->count && group_is_access(&group->effects[to], ACCESS_WRITES)) to++;
        const unsigned bytes = group_bytes_accessed(group, begin, to, ACCESS_WRITES, &first);
        if (bytes >= FRAME_WORDS * WORD)
            group_put_stacked(&query, group_frame_begins(first, bytes), low, size);
    } else if (is_own && index < query.begin && group_is_access(effect, ACCESS_WRITES)) {
        enum { FIRST_FLOAT = 16 }; /* of `stacked` */
        group_put_stacked(&query, query.preserved - FIRST_FLOAT * (uint64_t)WORD, low, size);
    } else if (is_own && group_sources_of_return(&query)) {
        return query.count;
    } else if (group_is_moved_base(group, effect)) {
        group_put_register(&query, group->operands.base, 0, UINT_MAX);
    } else if (effect->is_memory) {
        group_sources_of_memory(&query, low, size);
    } else {
        group_sources_of_register(&query, low, size);
    }
    return query.count;
}
