/* SPDX-License-Identifier: MIT */
/* builder.c: the ordered stage of making an index: records, digests and segments. */
#include "index/builder.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/names.h"
#include "spoor/field.h"

enum {
    SEGMENT_RECORDS = 1 << 16,
    TIES_MAX = 1 << 16, /* mapped pages to remember; what is known may be stated again */
};

/* Virtual pages with the physical pages that the trace maps them to. */
struct tie_entry {
    uint64_t page; /* virtual page number */
    uint64_t physical;
    uint64_t segment; /* segment of the mapping, plus 1 */
    uint8_t space;
};

/* ---- mapped pages ---- */

static void builder_tie(struct builder *builder, uint64_t va, uint64_t pa, uint8_t space)
{
    const uint64_t page = va >> LINES_PAGE_SHIFT, physical = pa >> LINES_PAGE_SHIFT;
    const size_t slot = page % (sizeof builder->tied / sizeof *builder->tied);
    if (builder->tied[slot].page == page && builder->tied[slot].physical == physical &&
        builder->tied[slot].space == space)
        return;
    bool added;
    struct tie_entry *entry = hash_map_add(&builder->ties, page, sizeof *entry, &added);
    if (!entry)
        builder->failed = true;
    else if (added || entry->physical != physical || entry->space != space)
        *entry = (struct tie_entry){page, physical, builder->index->count + 1, space};
    builder->tied[slot].page = page;
    builder->tied[slot].physical = physical;
    builder->tied[slot].space = space;
}

static void builder_pack_ties(struct builder *builder, struct text *text)
{
    const uint64_t segment = builder->index->count + 1;
    const struct tie_entry *entry = NULL;
    size_t count = 0;
    while ((entry = hash_map_next(&builder->ties, entry, sizeof *entry)))
        count += entry->segment == segment;
    text_varint(text, count);
    while (count && (entry = hash_map_next(&builder->ties, entry, sizeof *entry))) {
        if (entry->segment != segment) continue;
        text_varint(text, entry->page);
        text_varint(text, entry->physical);
        text_varint(text, entry->space);
    }
    if (builder->ties.count >= TIES_MAX) hash_map_clear(&builder->ties, sizeof *entry);
}

/* ---- records ---- */

/* The addresses of a record that accesses no memory. */
static void builder_add_addresses(struct builder *builder, const struct spoor_batch *batch,
                                  size_t index)
{
    const struct spoor_value address = spoor_field_get(batch, index, SPOOR_FIELD_ADDRESS);
    const struct spoor_value physical = spoor_field_get(batch, index, SPOOR_FIELD_PA);
    if (address.type == SPOOR_VALUE_HEX) line_set_add(&builder->sets[SET_OTHER], address.number, 1);
    if (physical.type == SPOOR_VALUE_HEX)
        line_set_add(&builder->sets[SET_OTHER_PHYSICAL], physical.number, 1);
}

static void builder_add_access(struct builder *builder, const struct spoor_batch *batch,
                               size_t index)
{
    struct access access;
    if (!machine_access(&builder->index->machine, batch, index, &access)) {
        const struct spoor_record *record = &batch->records[index];
        if (record->kind != SPOOR_UOP)
            builder_add_addresses(builder, batch, index);
        else if (record->uop.address != 0)
            builder->segment.flags |= SEGMENT_ADDRESSES;
        return;
    }
    const bool reads = access.does & (ACCESS_READS | ACCESS_FETCHES);
    const bool writes = access.does & ACCESS_WRITES;
    if (access.has_va) {
        if (reads) line_set_add(&builder->sets[SET_READ], access.va, access.size);
        if (writes) line_set_add(&builder->sets[SET_WRITTEN], access.va, access.size);
    }
    if (access.has_pa) {
        if (reads) line_set_add(&builder->sets[SET_READ_PHYSICAL], access.pa, access.size);
        if (writes) line_set_add(&builder->sets[SET_WRITTEN_PHYSICAL], access.pa, access.size);
        if (access.has_va) builder_tie(builder, access.va, access.pa, access.space);
    }
}

/* The cell of a register that is written, which is then listed as dirty; NULL: there is none. */
static struct cell *builder_cell_to_write(struct builder *builder, unsigned cpu, spoor_name name)
{
    if (name == SPOOR_NO_NAME || name == SPOOR_NAMES_FULL) return NULL;
    const uint64_t segment = builder->index->count + 1;
    struct cell *cell = registers_cell(&builder->registers, cpu, name);
    if (!cell) {
        builder->failed = true;
    } else if (cell->mark != segment) {
        cell->mark = segment;
        if (array_reserve(&builder->dirty, &builder->dirty_capacity, builder->dirty_count + 1))
            builder->dirty[builder->dirty_count++] = (struct dirty){(uint16_t)cpu, name};
        else
            builder->failed = true;
    }
    return cell;
}

static void builder_add_register(struct builder *builder, const struct spoor_batch *batch,
                                 size_t index, unsigned cpu)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->op != SPOOR_REG_WRITE) return;
    const struct machine_register reg = machine_register(&builder->index->machine, record);
    if (reg.zero) return;
    struct cell *cell = builder_cell_to_write(builder, cpu, reg.name);
    if (cell) cell_write(cell, batch, index, &reg);
}

static void builder_reach_pc(struct builder *builder, uint64_t pc, uint64_t size)
{
    struct segment *segment = &builder->segment;
    if (pc < segment->pc_low) segment->pc_low = pc;
    if (pc > segment->pc_high) segment->pc_high = pc;
    line_set_add(&builder->sets[SET_EXECUTED], pc, size ? size : 1);
}

/* The number in a register; false: it is not known. */
static bool builder_number_in(const struct builder *builder, unsigned cpu, const char *name,
                              unsigned bits, uint64_t *number)
{
    const struct machine_part part = machine_find_register(&builder->index->machine, name);
    const struct cell *cell =
        part.name ? registers_find(&builder->registers, cpu, part.name) : NULL;
    if (!cell || !cell_knows(cell, part.low, bits)) return false;
    *number = cell_number(cell, part.low) & UINT64_MAX >> (64 - bits);
    return true;
}

static void builder_add_hosted(struct builder *builder, uint64_t number, unsigned cpu, uint8_t word)
{
    struct index *index = builder->index;
    uint64_t operation, block;
    const bool wide = word == 8;
    if (!builder_number_in(builder, cpu, wide ? "x0" : "r0", 32, &operation) ||
        !hosted_writes(operation) ||
        !builder_number_in(builder, cpu, wide ? "x1" : "r1", wide ? 64 : 32, &block))
        return;
    if (!array_reserve(&index->hosted, &index->hosted_capacity, index->hosted_count + 1)) {
        builder->failed = true;
        return;
    }
    index->hosted[index->hosted_count++] =
        (struct hosted_call){number, block, (uint8_t)operation, word};
}

/* The pc of a branch, and the one that is stated with an access. */
static void builder_add_other_pc(struct builder *builder, const struct spoor_batch *batch,
                                 size_t index)
{
    const struct spoor_value pc = spoor_field_get(batch, index, SPOOR_FIELD_PC);
    if (pc.type == SPOOR_VALUE_HEX) builder_reach_pc(builder, pc.number, 1);
}

/* True if the calls need an access, which says of no call: only where records are left out. */
static bool builder_calls_want_access(const struct builder *builder, unsigned cpu)
{
    return builder->is_part && calls_wants_access(builder->calls, cpu);
}

static void builder_add_record(struct builder *builder, const struct spoor_batch *batch,
                               size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const unsigned cpu = machine_cpu(&builder->index->machine, record);
    uint8_t word;
    builder->segment.kinds |= UINT32_C(1) << record->kind;
    if (record->time < builder->segment.time_minimum) builder->segment.time_minimum = record->time;
    if (record->time > builder->segment.time_maximum) builder->segment.time_maximum = record->time;
    if (record->has & SPOOR_HAS_TIME) builder->segment.flags |= SEGMENT_TIMED;
    if (record->has & SPOOR_HAS_CPU)
        builder->segment.cpus |= UINT64_C(1) << (cpu < 63 ? cpu : 63);
    else if (!builder->segment.cpus)
        builder->segment.flags |= SEGMENT_NO_CPU;
    if (record->time > builder->time) builder->time = record->time;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: {
        const struct spoor_insn *insn = &record->insn;
        const bool has_va = record->has & SPOOR_HAS_VA, has_pa = record->has & SPOOR_HAS_PA;
        if (has_va || has_pa)
            builder_reach_pc(builder, has_va ? insn->va : insn->pa, insn->opcode_size);
        if (has_va && has_pa)
            builder_tie(builder, insn->va, insn->pa, space_of_security(insn->security));
        if (hosted_is_call(record, &word))
            builder_add_hosted(builder, batch->first + index, cpu, word);
        break;
    }
    case SPOOR_REG: builder_add_register(builder, batch, index, cpu); break;
    case SPOOR_UOP: {
        const struct spoor_uop_full uop = spoor_uop_of(batch, index);
        struct machine *machine = &builder->index->machine;
        builder_reach_pc(builder, uop.pc, 1);
        struct cell *cell =
            builder_cell_to_write(builder, cpu, machine_uop_register(machine, uop.dest));
        if (cell) cell_forget(cell, batch->first + index);
        cell = record->op & SPOOR_UOP_WRITES_FLAGS
                   ? builder_cell_to_write(builder, cpu, machine_uop_flags(machine))
                   : NULL;
        if (cell) cell_forget(cell, batch->first + index);
        builder_add_access(builder, batch, index);
        break;
    }
    case SPOOR_FLOW: builder_add_other_pc(builder, batch, index); break;
    case SPOOR_MEM:
        if (record->has & SPOOR_IS_SPILLED) builder_add_other_pc(builder, batch, index);
        builder_add_access(builder, batch, index);
        if (!builder_calls_want_access(builder, cpu)) return;
        break;
    case SPOOR_BUS:
        if (record->bus.given & SPOOR_BUS_GIVEN_AGENT) builder->segment.flags |= SEGMENT_AGENTS;
        builder_add_access(builder, batch, index);
        if (!builder_calls_want_access(builder, cpu)) return;
        break;
    case SPOOR_WALK:
        builder_add_access(builder, batch, index);
        if (!builder_calls_want_access(builder, cpu)) return;
        break;
    case SPOOR_CACHEOP:
    case SPOOR_CACHE:
    case SPOOR_TLB:
    case SPOOR_EVENT: builder_add_addresses(builder, batch, index); break;
    default: break;
    }
    builder->failed |= !calls_add(builder->calls, &builder->index->machine, batch, index, cpu);
}

/* ---- digests ---- */

/* What selections need of the records of a batch that has a digest. */
struct batch_heads {
    uint32_t kinds; /* bit k: it has records of kind k */
    uint64_t time_minimum, time_maximum;
    bool timed;                        /* a record names a time */
    bool unnamed;                      /* a record before the first that names a processor */
    spoor_name named[DIGEST_CPUS + 1]; /* the processors, in the order of their first records */
    unsigned named_count;
    spoor_name last; /* of the processor named last; 0: none is */
};

/* False: there are too many processors. */
static bool builder_find_heads(struct batch_heads *heads, const struct spoor_batch *batch,
                               const struct digest *digest)
{
    enum { CAPACITY = sizeof heads->named / sizeof *heads->named };
    *heads = (struct batch_heads){.time_minimum = UINT64_MAX};
    /* micro-ops have neither times nor processors: one is like the others */
    const size_t count = digest->micro_ops ? 1 : batch->count;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_record *record = &batch->records[i];
        heads->kinds |= UINT32_C(1) << record->kind;
        if (record->time < heads->time_minimum) heads->time_minimum = record->time;
        if (record->time > heads->time_maximum) heads->time_maximum = record->time;
        heads->timed |= (record->has & SPOOR_HAS_TIME) != 0;
        if (!(record->has & SPOOR_HAS_CPU)) {
            heads->unnamed |= heads->named_count == 0;
            continue;
        }
        if (heads->named_count && heads->last == record->cpu) continue;
        heads->last = record->cpu;
        unsigned listed = 0;
        while (listed < heads->named_count && heads->named[listed] != record->cpu) listed++;
        if (listed < heads->named_count) continue;
        if (heads->named_count == CAPACITY) return false;
        heads->named[heads->named_count++] = record->cpu;
    }
    return true;
}

static unsigned builder_cpu_of(struct machine *machine, spoor_name name)
{
    const struct spoor_record record = {.has = SPOOR_HAS_CPU, .cpu = name};
    return machine_cpu(machine, &record);
}

static void builder_add_digest(struct builder *builder, const struct spoor_batch *batch,
                               const struct digest *digest, const struct batch_heads *heads)
{
    struct machine *machine = &builder->index->machine;
    struct segment *segment = &builder->segment;
    unsigned cpus[DIGEST_CPUS] = {machine->cpu};
    segment->kinds |= heads->kinds;
    if (heads->time_minimum < segment->time_minimum) segment->time_minimum = heads->time_minimum;
    if (heads->time_maximum > segment->time_maximum) segment->time_maximum = heads->time_maximum;
    if (!digest->micro_ops && heads->time_maximum > builder->time)
        builder->time = heads->time_maximum;
    if (heads->timed) segment->flags |= SEGMENT_TIMED;
    if (heads->unnamed && !segment->cpus) segment->flags |= SEGMENT_NO_CPU;
    for (unsigned i = 0; i < heads->named_count; i++) {
        const unsigned cpu = builder_cpu_of(machine, heads->named[i]);
        segment->cpus |= UINT64_C(1) << (cpu < 63 ? cpu : 63);
    }
    for (unsigned i = 1; i < digest->cpu_count; i++)
        cpus[i] = builder_cpu_of(machine, batch->records[digest->cpus[i]].cpu);
    if (heads->named_count) builder_cpu_of(machine, heads->last);
    if (digest->addresses) segment->flags |= SEGMENT_ADDRESSES;
    if (digest->agents) segment->flags |= SEGMENT_AGENTS;
    if (digest->pc_low < segment->pc_low) segment->pc_low = digest->pc_low;
    if (digest->pc_high > segment->pc_high) segment->pc_high = digest->pc_high;
    for (size_t i = 0; i < digest->page_count; i++) {
        const struct digest_page *page = &digest->pages[i];
        const uint64_t number = (page->page & UINT64_MAX >> (64 - DIGEST_SET_SHIFT)) - 1;
        line_set_add_page(&builder->sets[page->page >> DIGEST_SET_SHIFT], number, page->lines);
    }
    for (size_t i = 0; i < digest->tie_count; i++)
        builder_tie(builder, digest->ties[i].va, digest->ties[i].pa, digest->ties[i].space);
    if (digest->micro_ops) {
        unsigned cpu = cpus[0];
        for (size_t i = 0; i < digest->register_count; i++) {
            const unsigned number = digest->registers[i];
            const spoor_name name = number == DIGEST_FLAGS
                                        ? machine_uop_flags(machine)
                                        : machine_uop_register(machine, (int)number);
            struct cell *cell = builder_cell_to_write(builder, cpu, name);
            if (cell) cell_forget(cell, batch->first + digest->writers[number] - 1);
        }
    } else {
        /* the names get their ids in the order of the trace */
        for (size_t i = 0; i < digest->name_count; i++)
            machine_register(machine, &batch->records[digest->names[i]]);
        for (size_t i = 0; i < digest->write_count; i++) {
            const struct digest_write *write = &digest->writes[i];
            if (write->record != NO_RECORD)
                builder_add_register(builder, batch, write->record, cpus[write->cpu]);
        }
    }
    struct calls *calls = builder->calls;
    for (size_t i = 0; i < digest->event_count; i++) {
        const struct digest_event *event = &digest->events[i];
        const unsigned cpu = cpus[event->cpu];
        builder->failed |= event->continues ? !calls_continue(calls, batch, event->record, cpu,
                                                              event->passed, event->halves)
                                            : !calls_add(calls, machine, batch, event->record, cpu);
    }
}

void builder_add_batch(struct builder *builder, const struct spoor_batch *batch,
                       const struct digest *digest)
{
    struct batch_heads heads;
    /* the instruction in a delay slot belongs to the branch before it: calls need each one */
    if (batch->stream->isa == SPOOR_ISA_MIPS) digest = NULL;
    if (digest && !builder_find_heads(&heads, batch, digest)) digest = NULL;
    if (digest)
        builder_add_digest(builder, batch, digest, &heads);
    else
        for (size_t i = 0; i < batch->count; i++) builder_add_record(builder, batch, i);
    builder->failed |= !folds_add(&builder->folds, &builder->index->machine, batch, digest);
}

/* ---- segments ---- */

void builder_begin_segment(struct builder *builder, const struct reader_place *place)
{
    struct index *index = builder->index;
    builder->segment = (struct segment){
        .place = *place,
        .time_first = builder->time,
        .time_minimum = UINT64_MAX,
        .pc_low = UINT64_MAX,
        .cpu = (uint16_t)index->machine.cpu,
    };
    builder->calls_packed.size = builder->state.size = 0;
    calls_pack(builder->calls, index->count % WHOLE_EVERY == 0, &builder->calls_packed);
    text_varint(&builder->state, builder->calls_packed.size);
    text_put(&builder->state, builder->calls_packed.bytes, builder->calls_packed.size);
    builder->open = true;
}

/* Returns the section of the bytes added since `from`. */
static struct section builder_section_from(const struct builder *builder, size_t from)
{
    return (struct section){
        builder->index->passed + from, builder->content.size - from,
        hash_of_bytes(builder->content.bytes + from, builder->content.size - from)};
}

static int builder_by_register(const void *a, const void *b)
{
    const struct dirty *one = a, *other = b;
    return one->cpu == other->cpu ? one->name - other->name : one->cpu - other->cpu;
}

void builder_end_segment(struct builder *builder, const struct reader_place *end)
{
    struct segment *segment = &builder->segment;
    struct index *index = builder->index;
    if (!builder->open) return;
    segment->records = end->record - segment->place.record;
    segment->bytes = end->offset - segment->place.offset;
    segment->time_highest = builder->time;
    for (unsigned i = 0; i < machine_cpu_count(&index->machine); i++) {
        struct call_gap gap;
        if (calls_gap(builder->calls, i, &gap) && gap.record >= segment->place.record)
            segment->flags |= SEGMENT_GAP;
    }
    size_t from = builder->content.size;
    struct line_set *sets = builder->sets;
    if ((segment->kinds & OTHER_PHYSICAL) || sets[SET_OTHER].pages.count ||
        sets[SET_OTHER_PHYSICAL].pages.count)
        segment->flags |= SEGMENT_OTHERS;
    for (size_t i = 0; i < INDEX_SETS; i++) {
        builder->failed |= sets[i].failed;
        if (i == ACCESS_SETS) builder_pack_ties(builder, &builder->content);
        if (i < ACCESS_SETS || (segment->flags & SEGMENT_OTHERS))
            line_set_pack(&sets[i], &builder->content);
    }
    segment->sets = builder_section_from(builder, from);
    if (builder->dirty_count)
        qsort(builder->dirty, builder->dirty_count, sizeof *builder->dirty, builder_by_register);
    text_varint(&builder->state, builder->dirty_count);
    for (size_t i = 0; i < builder->dirty_count; i++) {
        const struct dirty *dirty = &builder->dirty[i];
        const struct cell *cell = registers_find(&builder->registers, dirty->cpu, dirty->name);
        text_varint(&builder->state, dirty->cpu);
        text_varint(&builder->state, dirty->name);
        cell_pack(cell, builder->segment.place.record, &builder->state);
    }
    builder->dirty_count = 0;
    from = builder->content.size;
    text_put(&builder->content, builder->state.bytes, builder->state.size);
    segment->state = builder_section_from(builder, from);
    if (!array_reserve(&index->segments, &index->capacity, index->count + 1)) {
        builder->failed = true;
        return;
    }
    index->segments[index->count++] = *segment;
    builder->open = false;
}

void builder_enter(struct builder *builder, const struct reader_place *place, bool enterable)
{
    /* In a container each of its own segments is one. */
    const struct reader_place *begin = &builder->segment.place;
    const bool full = builder->contained ||
                      place->offset - begin->offset >= builder->segment_bytes ||
                      place->record - begin->record >= SEGMENT_RECORDS;
    if (builder->open && enterable && full) builder_end_segment(builder, place);
    builder->index->enterable &= enterable || builder->open;
    if (!builder->open) builder_begin_segment(builder, place);
}

void builder_keep_cpu(struct builder *builder, const struct spoor_stream *stream,
                      struct reader_place *place)
{
    size_t size;
    const char *text = spoor_names_text(stream->names, place->carry.cpu, &size);
    place->carry.cpu = spoor_names_intern(builder->index->names, text, size);
    builder->failed |= names_out_of_memory(builder->index->names);
}

/* ---- the whole ---- */

bool builder_begin(struct builder *builder, const struct index_fold *const *folds)
{
    if (!builder->index || !folds_begin(&builder->folds, folds)) return false;
    builder->calls = calls_new(folds ? &builder->folds.listener : NULL);
    builder->index->enterable = true;
    text_put(&builder->content, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    return builder->calls != NULL;
}

void builder_free(struct builder *builder)
{
    folds_free(&builder->folds);
    text_free(&builder->tables);
    calls_free(builder->calls);
    registers_free(&builder->registers);
    for (size_t i = 0; i < INDEX_SETS; i++) line_set_free(&builder->sets[i]);
    hash_map_free(&builder->ties);
    free(builder->dirty);
    text_free(&builder->state);
    text_free(&builder->calls_packed);
    text_free(&builder->content);
}

bool builder_has_failed(const struct builder *builder)
{
    return builder->failed || builder->content.failed || builder->state.failed ||
           builder->calls_packed.failed || machine_out_of_memory(&builder->index->machine);
}
