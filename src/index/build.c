/* SPDX-License-Identifier: MIT */
/*
 * build.c: builds an index as a fold over the digests of batches, in order; records of a batch that
 * has none are examined one by one.
 *
 * The content of a segment is collected while its batches arrive and packed when it ends.  Only the
 * packed bytes remain.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "index/digest.h"
#include "index/internal.h"
#include "index/line_set.h"
#include "model/batch_own.h"
#include "model/batch_part.h"
#include "spoor/field.h"

enum {
    SEGMENT_BYTES = 1 << 20,
    SEGMENT_RECORDS = 1 << 16,
    NAMES_MANY = 60000,       /* of the 65,535 that a table may have */
    TIES_MAX = 1 << 16,       /* mapped pages to remember; what is known may be stated again */
    PASSED_AT_ONCE = 2 << 20, /* bytes of an index that is written while it is made */
    FOLD_MAX = 16 << 20,      /* bytes of its memory while a .spoor file is written */
};

/* Virtual pages with the physical pages that the trace maps them to. */
struct tie_entry {
    uint64_t page; /* virtual page number */
    uint64_t physical;
    uint64_t segment; /* segment of the mapping, plus 1 */
    uint8_t space;
};

struct builder {
    struct index *index;
    struct calls *calls;
    struct folds folds;
    struct registers registers;
    struct line_set sets[INDEX_SETS];
    struct hash_map ties; /* struct tie_entry */
    struct {
        uint64_t page, physical;
        uint8_t space;
    } tied[4];              /* recent mappings */
    struct segment segment; /* the segment under construction */
    struct text state, calls_packed, content;
    struct dirty {
        uint16_t cpu, name;
    } * dirty; /* registers that the segment wrote */
    size_t dirty_count, dirty_capacity;
    uint64_t segment_bytes;
    uint64_t time;
    bool open, failed;
    bool digests;   /* batches come with them */
    bool contained; /* the trace is in a container */
};

/* ---- mapped pages ---- */

static void tie_slowly(struct builder *builder, uint64_t page, uint64_t physical, uint8_t space)
{
    bool added;
    struct tie_entry *entry = hash_map_add(&builder->ties, page, sizeof *entry, &added);
    if (!entry) {
        builder->failed = true;
        return;
    }
    if (!added && entry->physical == physical && entry->space == space) return;
    *entry = (struct tie_entry){page, physical, builder->index->count + 1, space};
}

static void tie(struct builder *builder, uint64_t va, uint64_t pa, uint8_t space)
{
    const uint64_t page = va >> LINES_PAGE_SHIFT, physical = pa >> LINES_PAGE_SHIFT;
    const size_t slot = page % (sizeof builder->tied / sizeof *builder->tied);
    if (builder->tied[slot].page == page && builder->tied[slot].physical == physical &&
        builder->tied[slot].space == space)
        return;
    tie_slowly(builder, page, physical, space);
    builder->tied[slot].page = page;
    builder->tied[slot].physical = physical;
    builder->tied[slot].space = space;
}

static void pack_ties(struct builder *builder, struct text *text)
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

static void add_address(struct builder *builder, const struct spoor_batch *batch, size_t index,
                        enum spoor_field field, enum index_set set)
{
    const struct spoor_value address = spoor_field_get(batch, index, field);
    if (address.type == SPOOR_VALUE_HEX) line_set_add(&builder->sets[set], address.number, 1);
}

/* The addresses of a record that accesses no memory. */
static void add_addresses(struct builder *builder, const struct spoor_batch *batch, size_t index)
{
    add_address(builder, batch, index, SPOOR_FIELD_ADDRESS, SET_OTHER);
    add_address(builder, batch, index, SPOOR_FIELD_PA, SET_OTHER_PHYSICAL);
}

static void add_access(struct builder *builder, const struct spoor_batch *batch, size_t index)
{
    struct access access;
    if (!machine_access(&builder->index->machine, batch, index, &access)) {
        const struct spoor_record *record = &batch->records[index];
        if (record->kind != SPOOR_UOP)
            add_addresses(builder, batch, index);
        else if (record->uop.address != 0)
            builder->segment.flags |= SEGMENT_ADDRESSES;
        return;
    }
    const bool reads = access.does & ACCESS_READS, writes = access.does & ACCESS_WRITES;
    if (access.has_va) {
        if (reads) line_set_add(&builder->sets[SET_READ], access.va, access.size);
        if (writes) line_set_add(&builder->sets[SET_WRITTEN], access.va, access.size);
    }
    if (access.has_pa) {
        if (reads) line_set_add(&builder->sets[SET_READ_PHYSICAL], access.pa, access.size);
        if (writes) line_set_add(&builder->sets[SET_WRITTEN_PHYSICAL], access.pa, access.size);
        if (access.has_va) tie(builder, access.va, access.pa, access.space);
    }
}

static void note_dirty(struct builder *builder, struct cell *cell, unsigned cpu, spoor_name name)
{
    const uint64_t segment = builder->index->count + 1;
    if (cell->mark == segment) return;
    cell->mark = segment;
    if (!array_reserve(&builder->dirty, &builder->dirty_capacity, builder->dirty_count + 1)) {
        builder->failed = true;
        return;
    }
    builder->dirty[builder->dirty_count++] = (struct dirty){(uint16_t)cpu, name};
}

static struct cell *cell_to_write(struct builder *builder, unsigned cpu, spoor_name name)
{
    if (name == SPOOR_NO_NAME || name == SPOOR_NAMES_FULL) return NULL;
    struct cell *cell = registers_cell(&builder->registers, cpu, name);
    if (cell)
        note_dirty(builder, cell, cpu, name);
    else
        builder->failed = true;
    return cell;
}

static void add_register(struct builder *builder, const struct spoor_batch *batch, size_t index,
                         unsigned cpu)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->op != SPOOR_REG_WRITE) return;
    const struct machine_register reg = machine_register(&builder->index->machine, record);
    if (reg.zero) return;
    struct cell *cell = cell_to_write(builder, cpu, reg.name);
    if (cell) cell_write(cell, batch, index, &reg);
}

static void reach_pc(struct builder *builder, uint64_t pc, uint64_t size)
{
    struct segment *segment = &builder->segment;
    if (pc < segment->pc_low) segment->pc_low = pc;
    if (pc > segment->pc_high) segment->pc_high = pc;
    line_set_add(&builder->sets[SET_EXECUTED], pc, size ? size : 1);
}

static void add_uop(struct builder *builder, const struct spoor_batch *batch, size_t index,
                    unsigned cpu)
{
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    struct machine *machine = &builder->index->machine;
    reach_pc(builder, uop.pc, 1);
    struct cell *cell = cell_to_write(builder, cpu, machine_uop_register(machine, uop.dest));
    if (cell) cell_forget(cell, batch->first + index);
    if (batch->records[index].op & SPOOR_UOP_WRITES_FLAGS) {
        cell = cell_to_write(builder, cpu, machine_uop_flags(machine));
        if (cell) cell_forget(cell, batch->first + index);
    }
    add_access(builder, batch, index);
}

/* The number in a register; false: it is not known. */
static bool number_in(const struct builder *builder, unsigned cpu, const char *name, unsigned bits,
                      uint64_t *number)
{
    const struct machine_part part = machine_find_register(&builder->index->machine, name);
    const struct cell *cell =
        part.name ? registers_find(&builder->registers, cpu, part.name) : NULL;
    if (!cell || !cell_knows(cell, part.low, bits)) return false;
    *number = cell_number(cell, part.low) & UINT64_MAX >> (64 - bits);
    return true;
}

static void add_hosted(struct builder *builder, uint64_t number, unsigned cpu, uint8_t word)
{
    struct index *index = builder->index;
    uint64_t operation, block;
    const bool wide = word == 8;
    if (!number_in(builder, cpu, wide ? "x0" : "r0", 32, &operation) || !hosted_writes(operation) ||
        !number_in(builder, cpu, wide ? "x1" : "r1", wide ? 64 : 32, &block))
        return;
    if (!array_reserve(&index->hosted, &index->hosted_capacity, index->hosted_count + 1)) {
        builder->failed = true;
        return;
    }
    index->hosted[index->hosted_count++] =
        (struct hosted_call){number, block, (uint8_t)operation, word};
}

static void add_insn(struct builder *builder, const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    if (record->has & SPOOR_HAS_VA)
        reach_pc(builder, insn->va, insn->opcode_size);
    else if (record->has & SPOOR_HAS_PA)
        reach_pc(builder, insn->pa, insn->opcode_size);
    if ((record->has & SPOOR_HAS_VA) && (record->has & SPOOR_HAS_PA))
        tie(builder, insn->va, insn->pa, space_of_security(insn->security));
}

/* The pc of a branch, and the one that is stated with an access. */
static void add_other_pc(struct builder *builder, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_value pc = spoor_field_get(batch, index, SPOOR_FIELD_PC);
    if (pc.type == SPOOR_VALUE_HEX) reach_pc(builder, pc.number, 1);
}

/* The values by which expressions and ranges select. */
static void add_bounds(struct segment *segment, const struct spoor_record *record, unsigned cpu)
{
    segment->kinds |= UINT32_C(1) << record->kind;
    if (record->time < segment->time_minimum) segment->time_minimum = record->time;
    if (record->time > segment->time_maximum) segment->time_maximum = record->time;
    if (record->has & SPOOR_HAS_TIME) segment->flags |= SEGMENT_TIMED;
    if (record->has & SPOOR_HAS_CPU)
        segment->cpus |= UINT64_C(1) << (cpu < 63 ? cpu : 63);
    else if (!segment->cpus)
        segment->flags |= SEGMENT_NO_CPU;
}

static void add(struct builder *builder, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const unsigned cpu = machine_cpu(&builder->index->machine, record);
    uint8_t word;
    add_bounds(&builder->segment, record, cpu);
    if (record->time > builder->time) builder->time = record->time;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        add_insn(builder, record);
        if (hosted_is_call(record, &word)) add_hosted(builder, batch->first + index, cpu, word);
        break;
    case SPOOR_REG: add_register(builder, batch, index, cpu); break;
    case SPOOR_UOP: add_uop(builder, batch, index, cpu); break;
    case SPOOR_FLOW: add_other_pc(builder, batch, index); break;
    case SPOOR_MEM:
        if (record->has & SPOOR_IS_SPILLED) add_other_pc(builder, batch, index);
        add_access(builder, batch, index);
        return;
    case SPOOR_BUS:
        if (record->bus.given & SPOOR_BUS_GIVEN_AGENT) builder->segment.flags |= SEGMENT_AGENTS;
        add_access(builder, batch, index);
        return;
    case SPOOR_WALK: add_access(builder, batch, index); return;
    case SPOOR_CACHEOP:
    case SPOOR_CACHE:
    case SPOOR_TLB:
    case SPOOR_EVENT: add_addresses(builder, batch, index); break;
    default: break;
    }
    builder->failed |= !calls_add(builder->calls, &builder->index->machine, batch, index, cpu);
}

/* ---- digests ---- */

static void forget_registers(struct builder *builder, const struct spoor_batch *batch,
                             const struct digest *digest, unsigned cpu)
{
    struct machine *machine = &builder->index->machine;
    for (size_t i = 0; i < digest->register_count; i++) {
        const unsigned number = digest->registers[i];
        const spoor_name name = number == DIGEST_FLAGS ? machine_uop_flags(machine)
                                                       : machine_uop_register(machine, (int)number);
        struct cell *cell = cell_to_write(builder, cpu, name);
        if (cell) cell_forget(cell, batch->first + digest->writers[number] - 1);
    }
}

static void write_registers(struct builder *builder, const struct spoor_batch *batch,
                            const struct digest *digest, const unsigned *cpus)
{
    /* the names get their ids in the order of the trace */
    for (size_t i = 0; i < digest->name_count; i++)
        machine_register(&builder->index->machine, &batch->records[digest->names[i]]);
    for (size_t i = 0; i < digest->write_count; i++) {
        const struct digest_write *write = &digest->writes[i];
        if (write->record != NO_RECORD)
            add_register(builder, batch, write->record, cpus[write->cpu]);
    }
}

static void follow_calls(struct builder *builder, const struct spoor_batch *batch,
                         const struct digest *digest, const unsigned *cpus)
{
    struct calls *calls = builder->calls;
    for (size_t i = 0; i < digest->event_count; i++) {
        const struct digest_event *event = &digest->events[i];
        const unsigned cpu = cpus[event->cpu];
        builder->failed |=
            event->continues
                ? !calls_continue(calls, batch, event->record, cpu, event->passed, event->halves)
                : !calls_add(calls, &builder->index->machine, batch, event->record, cpu);
    }
}

/* Adds what selections need of each record, and finds the processors of the digest. */
static void add_heads(struct builder *builder, const struct spoor_batch *batch,
                      const struct digest *digest, unsigned *cpus)
{
    struct machine *machine = &builder->index->machine;
    spoor_name name = SPOOR_NO_NAME; /* of the processor named last */
    cpus[0] = machine->cpu;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if ((record->has & SPOOR_HAS_CPU) && record->cpu != name) {
            machine_cpu(machine, record);
            name = record->cpu;
        }
        add_bounds(&builder->segment, record, machine->cpu);
        if (record->time > builder->time) builder->time = record->time;
    }
    const unsigned last = machine->cpu;
    for (unsigned i = 1; i < digest->cpu_count; i++)
        cpus[i] = machine_cpu(machine, &batch->records[digest->cpus[i]]);
    machine->cpu = last;
}

static void add_digest(struct builder *builder, const struct spoor_batch *batch,
                       const struct digest *digest)
{
    struct segment *segment = &builder->segment;
    unsigned cpus[DIGEST_CPUS] = {builder->index->machine.cpu};
    if (digest->micro_ops)
        add_bounds(segment, &batch->records[0], cpus[0]);
    else
        add_heads(builder, batch, digest, cpus);
    if (digest->addresses) segment->flags |= SEGMENT_ADDRESSES;
    if (digest->agents) segment->flags |= SEGMENT_AGENTS;
    if (digest->pc_low < segment->pc_low) segment->pc_low = digest->pc_low;
    if (digest->pc_high > segment->pc_high) segment->pc_high = digest->pc_high;
    for (size_t i = 0; i < digest->page_count; i++) {
        const struct digest_page *page = &digest->pages[i];
        line_set_add_page(&builder->sets[page->page >> DIGEST_SET_SHIFT],
                          (page->page & (UINT64_MAX >> 8)) - 1, page->lines);
    }
    for (size_t i = 0; i < digest->tie_count; i++)
        tie(builder, digest->ties[i].va, digest->ties[i].pa, digest->ties[i].space);
    if (digest->micro_ops)
        forget_registers(builder, batch, digest, cpus[0]);
    else
        write_registers(builder, batch, digest, cpus);
    follow_calls(builder, batch, digest, cpus);
}

static void add_batch(struct builder *builder, const struct spoor_batch *batch)
{
    const struct digest *digest = builder->digests ? batch_own_of(batch)->view : NULL;
    if (digest && !digest->whole) digest = NULL;
    if (digest)
        add_digest(builder, batch, digest);
    else
        for (size_t i = 0; i < batch->count; i++) add(builder, batch, i);
    builder->failed |= !folds_add(&builder->folds, &builder->index->machine, batch, digest);
}

/* ---- segments ---- */

static void begin_segment(struct builder *builder, const struct reader_place *place)
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
static struct section section_from(const struct builder *builder, size_t from)
{
    return (struct section){
        builder->index->passed + from, builder->content.size - from,
        hash_of_bytes(builder->content.bytes + from, builder->content.size - from)};
}

static int by_register(const void *a, const void *b)
{
    const struct dirty *one = a, *other = b;
    return one->cpu == other->cpu ? one->name - other->name : one->cpu - other->cpu;
}

static void pack_registers(struct builder *builder)
{
    if (builder->dirty_count)
        qsort(builder->dirty, builder->dirty_count, sizeof *builder->dirty, by_register);
    text_varint(&builder->state, builder->dirty_count);
    for (size_t i = 0; i < builder->dirty_count; i++) {
        const struct dirty *dirty = &builder->dirty[i];
        const struct cell *cell = registers_find(&builder->registers, dirty->cpu, dirty->name);
        text_varint(&builder->state, dirty->cpu);
        text_varint(&builder->state, dirty->name);
        cell_pack(cell, builder->segment.place.record, &builder->state);
    }
    builder->dirty_count = 0;
}

static void pack_sets(struct builder *builder)
{
    struct segment *segment = &builder->segment;
    struct line_set *sets = builder->sets;
    if ((segment->kinds & OTHER_PHYSICAL) || sets[SET_OTHER].pages.count ||
        sets[SET_OTHER_PHYSICAL].pages.count)
        segment->flags |= SEGMENT_OTHERS;
    for (size_t i = 0; i < INDEX_SETS; i++) {
        builder->failed |= sets[i].failed;
        if (i == ACCESS_SETS) pack_ties(builder, &builder->content);
        if (i < ACCESS_SETS || (segment->flags & SEGMENT_OTHERS))
            line_set_pack(&sets[i], &builder->content);
    }
}

static void end_segment(struct builder *builder, const struct reader_place *end)
{
    struct segment *segment = &builder->segment;
    struct index *index = builder->index;
    if (!builder->open) return;
    segment->records = end->record - segment->place.record;
    segment->bytes = end->offset - segment->place.offset;
    segment->time_highest = builder->time;
    size_t from = builder->content.size;
    pack_sets(builder);
    segment->sets = section_from(builder, from);
    pack_registers(builder);
    from = builder->content.size;
    text_put(&builder->content, builder->state.bytes, builder->state.size);
    segment->state = section_from(builder, from);
    if (!array_reserve(&index->segments, &index->capacity, index->count + 1)) {
        builder->failed = true;
        return;
    }
    index->segments[index->count++] = *segment;
    builder->open = false;
}

/* In a container each of its own segments is one. */
static bool is_full(const struct builder *builder, const struct reader_place *here)
{
    return builder->contained ||
           here->offset - builder->segment.place.offset >= builder->segment_bytes ||
           here->record - builder->segment.place.record >= SEGMENT_RECORDS;
}

/* Copies the name of the cpu, because the names of the stream do not outlive the reader. */
static void keep_cpu(struct builder *builder, const struct spoor_stream *stream,
                     struct reader_place *place)
{
    size_t size;
    const char *text = spoor_names_text(stream->names, place->carry.cpu, &size);
    place->carry.cpu = spoor_names_intern(builder->index->names, text, size);
    builder->failed |= spoor_names_out_of_memory(builder->index->names);
}

static enum spoor_status read_all(struct builder *builder, struct spoor_reader *reader,
                                  const struct index_options *options, struct spoor_error *error)
{
    const struct spoor_batch *batch;
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    struct index *index = builder->index;
    struct reader_place place;
    enum spoor_status status;
    machine_enter(&index->machine, stream);
    index->checkpoints.spacing = CHECKPOINT_SPACING;
    reader_collect(reader, &index->checkpoints);
    builder->digests = !options->record_by_record && reader_digest(reader, digest_batch);
    for (;;) {
        const bool enterable = reader_where(reader, &place);
        keep_cpu(builder, stream, &place);
        status = spoor_reader_next(reader, &batch, error);
        if (builder->open && enterable && (status != SPOOR_OK || is_full(builder, &place)))
            end_segment(builder, &place);
        if (status != SPOOR_OK || builder->failed) break;
        index->enterable &= enterable || builder->open;
        if (!builder->open) begin_segment(builder, &place);
        if (batch->fault_count) builder->segment.flags |= SEGMENT_FAULTS;
        machine_see(&index->machine, batch);
        add_batch(builder, batch);
        if (options->progress) options->progress(options->context, reader);
        if (options->stopped && options->stopped(options->context))
            return spoor_error_set(error, SPOOR_EUSAGE, "%s: its indexing was stopped",
                                   reader->path);
    }
    reader_where(reader, &place);
    end_segment(builder, &place);
    index->records = place.record;
    index->bytes = place.offset;
    index->crowded = spoor_names_count(stream->names) > NAMES_MANY ||
                     spoor_names_count(stream->spellings) > NAMES_MANY ||
                     machine_cpu_count(&index->machine) >= MACHINE_CPUS;
    return builder->failed || machine_out_of_memory(&index->machine) ? SPOOR_ENOMEM : status;
}

static void builder_free(struct builder *builder)
{
    folds_free(&builder->folds);
    calls_free(builder->calls);
    registers_free(&builder->registers);
    for (size_t i = 0; i < INDEX_SETS; i++) line_set_free(&builder->sets[i]);
    hash_map_free(&builder->ties);
    free(builder->dirty);
    text_free(&builder->state);
    text_free(&builder->calls_packed);
    text_free(&builder->content);
}

static enum spoor_status build(struct builder *builder, struct spoor_reader *reader,
                               const struct index_options *options, struct spoor_error *error)
{
    struct index *index = builder->index;
    struct spoor_error why = {0};
    if (!folds_begin(&builder->folds, options->folds)) return SPOOR_ENOMEM;
    builder->calls = calls_new(options->folds ? &builder->folds.listener : NULL);
    builder->segment_bytes = options->segment_bytes ? options->segment_bytes : SEGMENT_BYTES;
    index->format = spoor_reader_stream(reader)->format;
    builder->contained = spoor_reader_stream(reader)->container != NULL;
    index->enterable = true;
    text_put(&builder->content, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    if (!builder->calls) return SPOOR_ENOMEM;
    const enum spoor_status status = read_all(builder, reader, options, &why);
    if (status == SPOOR_ENOMEM || builder->content.failed || builder->state.failed ||
        builder->calls_packed.failed)
        return SPOOR_ENOMEM;
    if (status != SPOOR_END) {
        if (index->records == 0) { /* or it was stopped */
            *error = why;
            return status;
        }
        index->damage = strdup(why.text);
        if (!index->damage) return SPOOR_ENOMEM;
    }
    calls_end(builder->calls);
    const bool done =
        folds_end(&builder->folds, builder->calls, index, options->before, &builder->content) &&
        index_finish(index, &builder->content);
    return done ? SPOOR_OK : SPOOR_ENOMEM;
}

struct index *index_new(void)
{
    struct index *index = calloc(1, sizeof *index);
    if (!index) return NULL;
    index->names = spoor_names_new();
    if (index->names && machine_start(&index->machine)) return index;
    index_free(index);
    return NULL;
}

enum spoor_status index_build(struct index **index, const char *path,
                              const struct index_options *options, struct spoor_error *error)
{
    struct builder builder = {.index = index_new()};
    struct spoor_reader *reader = NULL;
    const struct spoor_reader_options reading = {
        .format = options->format,
        .threads = options->threads,
        .memory = options->memory,
        .decode = options->decode,
    };
    enum spoor_status status = SPOOR_ENOMEM;
    if (builder.index) status = fingerprint_of(&builder.index->trace, path, error);
    if (status == SPOOR_OK) status = spoor_reader_open(&reader, path, &reading, error);
    if (status == SPOOR_OK) {
        builder.index->implicit_thumb = options->decode.implicit_thumb;
        builder.index->isa = options->decode.isa;
        builder.index->memory = options->memory;
        if (options->decode.dialect) builder.index->dialect = strdup(options->decode.dialect);
        status = build(&builder, reader, options, error);
    }
    if (status == SPOOR_ENOMEM)
        spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory while it was indexed", path);
    spoor_reader_close(reader);
    /* the reader is closed: the list of checkpoints is complete */
    if (status == SPOOR_OK)
        *index = builder.index;
    else
        index_free(builder.index);
    builder_free(&builder);
    return status;
}

/* ---- while a trace is written ---- */

struct spoor_index_writing {
    struct builder builder;
    struct writer_watch watch;
    uint64_t records;
    struct reader_place place;                         /* of the current segment */
    bool digests;                                      /* whole batches come with them */
    struct spoor_batch part;                           /* memory for a part of a batch */
    bool failed;                                       /* memory ran out: the file has no index */
    void (*tell)(void *context, const char *sentence); /* as in struct index_options */
    void *context;
};

static void enter_stream(struct spoor_index_writing *writing, const struct spoor_batch *batch)
{
    struct index *index = writing->builder.index;
    if (!index->format) index->format = batch->stream->format;
    machine_follow(&index->machine, batch->stream);
    index->crowded |= spoor_names_count(batch->stream->names) > NAMES_MANY ||
                      spoor_names_count(batch->stream->spellings) > NAMES_MANY;
}

static void add_written(void *context, const struct spoor_batch *batch, size_t from, size_t to)
{
    struct spoor_index_writing *writing = context;
    struct builder *builder = &writing->builder;
    const bool whole = from == 0 && to == batch->count;
    struct spoor_batch same = *batch, *part = &same;
    if (builder->failed) return;
    enter_stream(writing, batch);
    if (!builder->open) begin_segment(builder, &writing->place);
    if (!whole) {
        part = &writing->part;
        builder->failed |= !batch_part(part, batch, from, to);
    }
    if (builder->failed) return;
    part->first = writing->records;
    part->line = 0;
    builder->digests = whole && writing->digests;
    if (part->fault_count) builder->segment.flags |= SEGMENT_FAULTS;
    machine_see(&builder->index->machine, part);
    add_batch(builder, part);
    writing->records += to - from;
}

/* States which sections the index does without, so that memory is bounded. */
static void limit_folds(struct spoor_index_writing *writing)
{
    const struct index_fold *fold;
    char sentence[200];
    while ((fold = folds_limit(&writing->builder.folds, FOLD_MAX))) {
        snprintf(sentence, sizeof sentence,
                 "the index in the file has no %s, which would take more than %d MiB of memory: "
                 "a verb that needs them makes an index beside the file",
                 fold->name, FOLD_MAX >> 20);
        if (writing->tell) writing->tell(writing->context, sentence);
    }
}

static void end_written_segment(void *context, const struct container_segment *segment)
{
    struct spoor_index_writing *writing = context;
    struct builder *builder = &writing->builder;
    writing->place = (struct reader_place){.offset = segment->offset + segment->size,
                                           .record = segment->record + segment->records};
    if (builder->open) {
        builder->segment.place.line = segment->line;
        end_segment(builder, &writing->place);
        limit_folds(writing);
    }
}

static void pass_written(void *context, struct text *bytes)
{
    struct spoor_index_writing *writing = context;
    struct text *content = &writing->builder.content;
    if (content->size < PASSED_AT_ONCE) return;
    text_append(bytes, content);
    writing->builder.index->passed += content->size;
    content->size = 0;
}

/* Appends the sections of the folds, unless they are large for the file: then a verb that needs one
 * makes it when it is asked. */
static bool put_folds(struct builder *builder, uint64_t file_size)
{
    enum { SHARE = 2 };
    struct index *index = builder->index;
    const size_t before = builder->content.size;
    calls_end(builder->calls);
    if (!folds_end(&builder->folds, builder->calls, index, NULL, &builder->content)) return false;
    if (builder->content.size - before <= file_size / SHARE) return true;
    builder->content.size = before;
    index->extra_count = 0;
    return true;
}

static void end_writing(void *context, struct text *bytes)
{
    struct spoor_index_writing *writing = context;
    struct builder *builder = &writing->builder;
    struct index *index = builder->index;
    index->records = writing->place.record;
    index->bytes = writing->place.offset;
    index->crowded |= machine_cpu_count(&index->machine) >= MACHINE_CPUS;
    writing->failed = builder->failed || builder->content.failed || builder->state.failed ||
                      builder->calls_packed.failed || writing->part.out_of_memory ||
                      machine_out_of_memory(&index->machine);
    if (writing->failed || builder->open || !index->format) return;
    writing->failed =
        !put_folds(builder, writing->place.offset) || !index_finish(index, &builder->content);
    if (writing->failed) return;
    text_free(bytes);
    *bytes = (struct text){
        .bytes = (char *)index->content, .size = index->size, .capacity = index->size};
    index->content = NULL;
}

bool index_writing_failed(const struct spoor_index_writing *writing)
{
    return !writing || writing->failed;
}

struct spoor_index_writing *index_writing_new(const struct index_options *options)
{
    struct spoor_index_writing *writing = calloc(1, sizeof *writing);
    if (!writing) return NULL;
    struct builder *builder = &writing->builder;
    builder->index = index_new();
    writing->watch =
        (struct writer_watch){writing, add_written, end_written_segment, pass_written, end_writing};
    if (builder->index && folds_begin(&builder->folds, options->folds))
        builder->calls = calls_new(options->folds ? &builder->folds.listener : NULL);
    if (!builder->calls) {
        index_writing_free(writing);
        return NULL;
    }
    writing->tell = options->tell;
    writing->context = options->context;
    builder->index->enterable = true;
    builder->index->implicit_thumb = options->decode.implicit_thumb;
    builder->index->isa = options->decode.isa;
    text_put(&builder->content, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    return writing;
}

void index_writing_free(struct spoor_index_writing *writing)
{
    if (!writing) return;
    batch_part_free(&writing->part);
    index_free(writing->builder.index);
    builder_free(&writing->builder);
    free(writing);
}

const struct writer_watch *index_writing_watch(const struct spoor_index_writing *writing)
{
    return &writing->watch;
}

void index_writing_reads(struct spoor_index_writing *writing, struct spoor_reader *reader)
{
    writing->digests = reader_digest(reader, digest_batch);
}
