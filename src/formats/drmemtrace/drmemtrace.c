/* SPDX-License-Identifier: MIT */
/*
 * drmemtrace.c: reads drmemtrace, the traces of DynamoRIO and Google's workload traces.
 *
 * An instruction is an INSN record, and a branch also a FLOW record; a further iteration of an
 * instruction (rep of x86) is an INSN record with the operation `again`.  Reads, writes and
 * software prefetches are MEM records, flushes CACHEOP records.  Markers and entries of state
 * (thread, pid, header) are EVENT records with their names.  The processor of a record is its
 * thread.
 */
#include "formats/drmemtrace/drmemtrace.h"
#include "base/scan.h"
#include "model/batch_own.h"
#include "views/stats.h"

/* The parts of a group before its last entry. */
struct group {
    const char *at; /* the group */
    size_t size;
    unsigned parts;
    uint8_t part[DRM_PARTS];
    uint8_t code[DRM_CODE_MAX];
    unsigned code_size;
    bool has_target;
    uint64_t target;
    bool irregular; /* the parts are not as a writer writes them */
};

struct drm_reader {
    struct spoor_batch *batch;
    const struct decoder *decoder;
    spoor_name cpu;                            /* the thread, once an entry has stated it */
    uint64_t time;                             /* of the last timestamp of the batch */
    uint16_t has;                              /* SPOOR_HAS_CPU once the thread is known */
    spoor_name plain[DRM_TYPES];               /* spellings of instructions without parts, */
    spoor_name coded[DRM_TYPES][DRM_CODE + 1]; /* and of those with one entry of code, by its bytes;
                                                * 0: not interned yet */
    spoor_name names[DRM_TYPES + DRM_MARKERS]; /* of types and markers; 0: not interned yet */
};

static spoor_name drm_intern(struct spoor_names *names, const void *text, size_t size)
{
    const spoor_name name = spoor_names_intern(names, text, size);
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

static spoor_name drm_name_of(struct drm_reader *reader, size_t slot, const char *text)
{
    if (!text) return SPOOR_NO_NAME;
    if (reader->names[slot] == SPOOR_NO_NAME)
        reader->names[slot] = drm_intern(reader->decoder->names, text, strlen(text));
    return reader->names[slot];
}

static struct spoor_record *drm_push(struct drm_reader *reader, enum spoor_kind kind, unsigned op,
                                     unsigned has)
{
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = (uint16_t)(has | reader->has);
    record->cpu = reader->cpu;
    record->time = reader->time;
    return record;
}

static spoor_name drm_spelling_of(struct drm_reader *reader, const struct drm_entry *entry,
                                  const struct group *group)
{
    spoor_name unknown = SPOOR_NO_NAME;
    spoor_name *known; /* where the spelling is kept, if it is */
    if (entry->type >= DRM_TYPES || drm_classes[entry->type] != DRM_IS_INSN)
        known = &unknown;
    else if (!group)
        known = &reader->plain[entry->type];
    else
        known = group->parts == 1 && group->part[0] <= DRM_CODE
                    ? &reader->coded[entry->type][group->part[0]]
                    : &unknown;
    if (*known) return *known;
    struct drm_spelling spelling = {.type = (uint8_t)entry->type};
    if (group) {
        spelling.parts = (uint8_t)group->parts;
        memcpy(spelling.part, group->part, group->parts);
    } else if (known == &unknown) {
        spelling.size = entry->size;
    }
    return *known = drm_intern(reader->decoder->spellings, &spelling, sizeof spelling);
}

/* ---- instructions ---- */

static void drm_add_part(struct group *group, const struct drm_entry *entry)
{
    uint8_t bytes[DRM_CODE];
    uint8_t *part = &group->part[group->parts++];
    if (entry->type == DRM_MARKER) {
        group->irregular |= group->has_target;
        group->has_target = true;
        group->target = entry->value;
        *part = DRM_PART_TARGET;
        return;
    }
    const unsigned size = entry->size <= DRM_CODE ? entry->size : DRM_CODE;
    const bool clean = size == DRM_CODE || entry->value >> (8 * size) == 0;
    group->irregular |= size == 0 || size != entry->size || !clean;
    memcpy(bytes, &entry->value, sizeof bytes);
    memcpy(group->code + group->code_size, bytes, size);
    group->code_size += size;
    *part = (uint8_t)size;
}

/* A size of 0 is no fetch: filtered traces state the pc of an access so. */
static void drm_push_insn(struct drm_reader *reader, const struct drm_entry *entry,
                          const struct group *group)
{
    struct spoor_batch *batch = reader->batch;
    const bool again = entry->type == DRM_NOT_FETCHED || entry->size == 0;
    const unsigned flow = drm_flow(entry->type);
    struct spoor_record *record =
        drm_push(reader, SPOOR_INSN, again ? SPOOR_INSN_AGAIN : SPOOR_INSN_TAKEN, SPOOR_HAS_VA);
    record->insn.va = entry->value;
    record->insn.opcode_size = (uint8_t)entry->size;
    record->spelling = drm_spelling_of(reader, entry, group);
    /* no FLOW record could hold the target of these */
    if (group && (group->irregular || (group->has_target && (again || !flow))))
        spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                          spoor_batch_refer(batch, group->at, group->size));
    if (group && group->code_size) {
        /* the bytes as a number, the first lowest; the ordered stage knows the architecture */
        const unsigned size = group->code_size;
        memcpy(&record->insn.opcode, group->code, size < DRM_CODE ? size : DRM_CODE);
        if (size <= DRM_CODE && size == record->insn.opcode_size)
            record->has |= SPOOR_HAS_DATA;
        else
            spoor_batch_spill(batch, SPOOR_SPILL_FIELD, spoor_batch_keep(batch, group->code, size));
    }
    if (!flow || again) return;
    const bool stated = group && group->has_target;
    const bool open = entry->type == DRM_CONDITIONAL;
    record = drm_push(reader, SPOOR_FLOW, flow,
                      (unsigned)SPOOR_HAS_VA | SPOOR_CONTINUES | (stated ? SPOOR_HAS_DATA : 0U) |
                          (open ? SPOOR_HAS_EXTRA : 0U));
    record->flow.va = entry->value;
    record->flow.target = stated ? group->target : 0;
}

static void drm_push_unknown(struct drm_reader *reader, const char *at, size_t size,
                             const char *rule, const char *expected)
{
    struct spoor_record *record = spoor_batch_push(reader->batch);
    record->kind = SPOOR_NOTE;
    record->op = SPOOR_NOTE_UNKNOWN;
    record->note.text = spoor_batch_refer(reader->batch, at, size);
    batch_fault(reader->batch, rule, 0, expected, record->note.text);
}

/* A group of more than its last entry. */
static void drm_read_parts(struct drm_reader *reader, const char *at, size_t size)
{
    struct group group = {.at = at, .size = size};
    const char *last = at + size - DRM_ENTRY;
    const struct drm_entry entry = drm_load(last);
    if (drm_class_of(&entry) == DRM_IS_PART) {
        drm_push_unknown(reader, at, size, "drmemtrace-parts",
                         "the instruction whose code or target this is");
        return;
    }
    for (; at < last; at += DRM_ENTRY) {
        const struct drm_entry part = drm_load(at);
        drm_add_part(&group, &part);
    }
    group.irregular |= entry.size > UINT8_MAX;
    drm_push_insn(reader, &entry, &group);
}

/* The group at `at`, which may be all that is left; returns its size. */
static size_t drm_read_next(struct drm_reader *reader, const char *at, const char *end)
{
    struct spoor_names *names = reader->decoder->names;
    struct spoor_record *record;
    size_t size = drm_length(reader->batch->stream, at, (size_t)(end - at));
    if (size == 0) size = (size_t)(end - at) / DRM_ENTRY * DRM_ENTRY; /* the trace ends */
    const struct drm_entry entry = drm_load(at);
    const unsigned type = entry.type;
    switch (drm_class_of(&entry)) {
    case DRM_IS_INSN:
        if (entry.size <= UINT8_MAX)
            drm_push_insn(reader, &entry, NULL);
        else
            drm_push_unknown(reader, at, size, "drmemtrace-size",
                             "a size that an instruction can have");
        break;
    case DRM_IS_ACCESS:
        record = drm_push(reader, SPOOR_MEM, type == DRM_READ ? SPOOR_MEM_READ : SPOOR_MEM_WRITE,
                          SPOOR_HAS_VA);
        record->mem.va = entry.value;
        record->mem.size = entry.size;
        break;
    case DRM_IS_PREFETCH: {
        const bool code = type == DRM_PREFETCH_CODE || type >= DRM_PREFETCH_CODE_FIRST;
        record = drm_push(reader, SPOOR_MEM, code ? SPOOR_MEM_PREFETCH_CODE : SPOOR_MEM_PREFETCH,
                          SPOOR_HAS_VA);
        record->mem.va = entry.value;
        record->mem.size = entry.size;
        record->spelling = drm_spelling_of(reader, &(struct drm_entry){.type = entry.type}, NULL);
        break;
    }
    case DRM_IS_FLUSH: {
        const bool ends = type == DRM_FLUSH_DATA_END || type == DRM_FLUSH_INSN_END;
        record = drm_push(reader, SPOOR_CACHEOP, 0, SPOOR_HAS_VA);
        record->cacheop.va = entry.value;
        record->cacheop.side = drm_intern(names, type >= DRM_FLUSH_DATA ? "D" : "I", 1);
        record->cacheop.operation =
            ends ? drm_intern(names, "FLUSH_END", 9) : drm_intern(names, "FLUSH", 5);
        record->spelling = drm_spelling_of(reader, &entry, NULL);
        break;
    }
    case DRM_IS_MARKER: {
        const bool is_time = entry.size == DRM_TIMESTAMP;
        if (is_time) reader->time = entry.value;
        record =
            drm_push(reader, SPOOR_EVENT,
                     drm_interrupts(entry.size) ? SPOOR_EVENT_EXCEPTION : SPOOR_EVENT_MARKER,
                     (unsigned)SPOOR_HAS_VA | SPOOR_HAS_INDEX | (is_time ? SPOOR_HAS_TIME : 0U));
        record->event.number = entry.size;
        record->event.value = entry.value;
        if (entry.size < DRM_MARKERS)
            record->event.name =
                drm_name_of(reader, DRM_TYPES + entry.size, drm_marker_names[entry.size]);
        if (entry.size == DRM_VERSION && (entry.value > DRM_VERSION_NEWEST || entry.value < 2))
            batch_fault(reader->batch, "drmemtrace-version", 5,
                        "version 2 to 7: what a newer version changed is not known here",
                        spoor_batch_refer(reader->batch, at + 4, 8));
        break;
    }
    case DRM_IS_STATE:
        if (type == DRM_THREAD) { /* the processor of the records from here on */
            char text[24], *text_end = put_decimal(text, entry.value);
            reader->cpu = drm_intern(names, text, (size_t)(text_end - text));
            reader->has = SPOOR_HAS_CPU;
        }
        record = drm_push(reader, SPOOR_EVENT, SPOOR_EVENT_MARKER, SPOOR_HAS_VA);
        record->event.name = drm_name_of(reader, type, drm_type_name(type));
        record->event.value = entry.value;
        record->spelling = drm_spelling_of(reader, &entry, NULL);
        break;
    case DRM_IS_PART: drm_read_parts(reader, at, size); break;
    case DRM_IS_UNKNOWN:
        drm_push_unknown(reader, at, size, "drmemtrace-type",
                         "a type of entry that finished files have");
    }
    return size;
}

static void drm_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct drm_reader reader = {.batch = batch, .decoder = decoder};
    const char *at = batch->text, *end = at + batch->text_size;
    while ((size_t)(end - at) >= DRM_ENTRY && spoor_batch_reserve(batch, 2))
        at += drm_read_next(&reader, at, end);
    trailing_bytes(batch, DRM_ENTRY);
}

/* ---- counting ---- */

/* Accesses, and instructions with at most one entry of code: most entries are one of these.  They
 * are counted without records. */
struct tally {
    uint64_t counts[2][DRM_TYPES]; /* of every other one: an addition does not wait for the last */
    uint64_t coded[DRM_TYPES][DRM_CODE + 1]; /* instructions among them, by the bytes of code */
    struct span code, data;
};

static bool drm_is_whole_insn(const struct drm_entry *entry)
{
    return entry->type < DRM_TYPES && drm_classes[entry->type] == DRM_IS_INSN && entry->size > 0 &&
           entry->size <= UINT8_MAX;
}

/* Follows the flow of a thread. */
struct thread_flow {
    struct stats *stats;
    struct stats_numbers *numbers; /* NULL: there are too many threads */
};

/* Where the instruction after one of a type is, enum flow_next. */
static const uint8_t drm_next_of[DRM_TYPES] = {
    [DRM_INSN] = FLOW_NEXT,
    [DRM_SYSENTER] = FLOW_NEXT,
    [DRM_NOT_TAKEN] = FLOW_NEXT,
    [DRM_JUMP] = FLOW_DIRECT,
    [DRM_CALL] = FLOW_DIRECT,
    [DRM_TAKEN] = FLOW_DIRECT,
    [DRM_CONDITIONAL] = FLOW_DIRECT_OR_NEXT,
};

static void drm_follow_thread(struct thread_flow *flow, spoor_name thread)
{
    flow->stats->last_cpu = thread;
    flow->numbers = stats_numbers_of(flow->stats, thread);
}

static inline void drm_follow_insn(const struct thread_flow *flow, const struct drm_entry *entry)
{
    if (flow->numbers && entry->type != DRM_NOT_FETCHED)
        stats_execute(flow->stats, flow->numbers, entry->value, entry->size,
                      (enum flow_next)drm_next_of[entry->type]);
}

/* The code and the target that the group of the last instruction states.  The set of instructions
 * is not known here. */
static void drm_follow_parts(const struct thread_flow *flow, unsigned type,
                             const struct group *group)
{
    struct stats_numbers *numbers = flow->numbers;
    uint64_t opcode = 0;
    if (!numbers) return;
    memcpy(&opcode, group->code, sizeof opcode);
    if (drm_flow(type) && group->code_size == numbers->flow.next - numbers->flow.pc)
        stats_code(flow->stats, numbers, 0, opcode);
    if (!group->has_target || numbers->flow.where == FLOW_NEXT) return;
    numbers->flow.where = FLOW_TARGET;
    numbers->flow.target = group->target;
}

/* Counts accesses and instructions without parts; returns the first other entry. */
static const char *drm_count_entries(struct tally *tally, const struct thread_flow *flow,
                                     const char *at, const char *end)
{
    struct span code = tally->code, data = tally->data;
    for (unsigned turn = 0; end - at >= DRM_ENTRY; at += DRM_ENTRY, turn ^= 1) {
        const struct drm_entry entry = drm_load(at);
        const bool access = entry.type <= DRM_WRITE;
        if (!access && !drm_is_whole_insn(&entry)) break;
        /* selected without a branch: an address that does not count changes neither bound */
        const uint64_t of_data = -(uint64_t)access;
        const struct span in_code = {entry.value | of_data, entry.value & ~of_data};
        const struct span in_data = {entry.value | ~of_data, entry.value & of_data};
        span_join(&code, &in_code);
        span_join(&data, &in_data);
        tally->counts[turn][entry.type]++;
        if (!access) drm_follow_insn(flow, &entry);
    }
    tally->code = code;
    tally->data = data;
    return at;
}

/* Counts an instruction with one entry of code, as writers write it; false: there is none. */
static bool drm_count_coded(struct tally *tally, const struct thread_flow *flow, const char *at,
                            const char *end)
{
    if (end - at < 2 * DRM_ENTRY) return false;
    const struct drm_entry part = drm_load(at), entry = drm_load(at + DRM_ENTRY);
    struct group group = {.at = at};
    if (part.type != DRM_ENCODING || !drm_is_whole_insn(&entry)) return false;
    drm_add_part(&group, &part);
    if (group.irregular) return false;
    span_reach(&tally->code, entry.value);
    tally->counts[0][entry.type]++;
    tally->coded[entry.type][part.size]++;
    drm_follow_insn(flow, &entry);
    if (entry.type != DRM_NOT_FETCHED) drm_follow_parts(flow, entry.type, &group);
    return true;
}

static void drm_count_spelling(struct stats *stats, struct drm_reader *reader, unsigned type,
                               const struct group *group, uint64_t count)
{
    const struct drm_entry entry = {.type = (uint16_t)type};
    if (count) stats->spelled[drm_spelling_of(reader, &entry, group)] += count;
}

/* Returns the number of records. */
static uint64_t drm_count_type(struct stats *stats, const struct tally *tally,
                               struct drm_reader *reader, unsigned type)
{
    const uint64_t count = tally->counts[0][type] + tally->counts[1][type];
    const unsigned flow = drm_flow(type);
    const unsigned insn = type == DRM_NOT_FETCHED ? SPOOR_INSN_AGAIN : SPOOR_INSN_TAKEN;
    if (count == 0) return 0;
    if (type <= DRM_WRITE) {
        stats->kinds |= 1U << SPOOR_MEM;
        stats->ops[SPOOR_MEM][type == DRM_READ ? SPOOR_MEM_READ : SPOOR_MEM_WRITE] += count;
        stats->spelled[SPOOR_NO_NAME] += count;
        return count;
    }
    stats->kinds |= 1U << SPOOR_INSN;
    stats->ops[SPOOR_INSN][insn] += count;
    uint64_t plain = count;
    for (unsigned size = 1; size <= DRM_CODE; size++) {
        const struct group group = {.parts = 1, .part = {(uint8_t)size}};
        drm_count_spelling(stats, reader, type, &group, tally->coded[type][size]);
        plain -= tally->coded[type][size];
    }
    drm_count_spelling(stats, reader, type, NULL, plain);
    if (!flow) return count;
    stats->kinds |= 1U << SPOOR_FLOW;
    stats->ops[SPOOR_FLOW][flow] += count;
    stats->spelled[SPOOR_NO_NAME] += count;
    return 2 * count;
}

static void drm_project(const struct decoder *decoder, const struct projection *projection,
                        struct spoor_batch *batch)
{
    struct drm_reader reader = {.batch = batch, .decoder = decoder};
    struct tally tally = {.code = {UINT64_MAX, 0}, .data = {UINT64_MAX, 0}};
    struct stats_sink sink;
    struct thread_flow flow = {.stats = NULL};
    const char *at = batch->text, *end = at + batch->text_size;
    bool windowed = false; /* the windows before decide whether one states a gap: resolve.c */
    (void)projection;      /* of statistics */
    if (!stats_sink_begin(&sink, decoder, batch)) return;
    flow.stats = sink.sink.stats;
    drm_follow_thread(&flow, SPOOR_NO_NAME); /* the one before */
    while ((size_t)(end - at) >= DRM_ENTRY && spoor_batch_reserve(batch, 2)) {
        at = drm_count_entries(&tally, &flow, at, end);
        if (drm_count_coded(&tally, &flow, at, end)) {
            at += 2 * (size_t)DRM_ENTRY;
            continue;
        }
        if (end - at < DRM_ENTRY) break;
        const size_t size = drm_read_next(&reader, at, end);
        const char *last_at = at + size - DRM_ENTRY;
        const struct drm_entry entry = drm_load(last_at);
        struct group group = {.at = at};
        at += size;
        if (entry.type == DRM_THREAD) drm_follow_thread(&flow, reader.cpu);
        if (entry.type == DRM_MARKER && drm_interrupts(entry.size) && flow.numbers)
            stats_interrupt(flow.numbers);
        if (drm_is_whole_insn(&entry) && entry.type != DRM_NOT_FETCHED) {
            for (const char *part_at = group.at; part_at < last_at; part_at += DRM_ENTRY) {
                const struct drm_entry part = drm_load(part_at);
                drm_add_part(&group, &part);
            }
            drm_follow_insn(&flow, &entry);
            drm_follow_parts(&flow, entry.type, &group);
        }
        const struct spoor_record *last = batch->count ? &batch->records[batch->count - 1] : NULL;
        windowed |= last && last->kind == SPOOR_EVENT && (last->has & SPOOR_HAS_INDEX) &&
                    last->event.number == DRM_WINDOW;
        if (batch->count >= CONSUMED_AT_ONCE) stats_sink_consume(&sink.sink, batch);
    }
    struct stats *stats = sink.sink.stats;
    for (unsigned type = 0; type < DRM_TYPES; type++)
        sink.sink.records += drm_count_type(stats, &tally, &reader, type);
    span_join(&stats->addresses[SPACE_VIRTUAL][USE_CODE], &tally.code);
    span_join(&stats->addresses[SPACE_VIRTUAL][USE_DATA], &tally.data);
    trailing_bytes(batch, DRM_ENTRY);
    stats_sink_consume(&sink.sink, batch);
    record_sink_end(&sink.sink, batch);
    flow.stats->flows = true; /* not before: the records are only some of them */
    if (batch->fault_count == 0 && !windowed) return;
    /* the places of faults are those of records */
    batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
    batch->projected = false;
    drm_decode(decoder, batch);
}

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_drmemtrace = {
    .exceptions_are_stated = true,
    .name = "drmemtrace",
    .title = "DynamoRIO memory trace (drmemtrace), also Google's workload traces",
    .suffixes = "memtrace",
    .document = "DynamoRIO: clients/drcachesim/common/trace_entry.h, \"Trace Format\"",
    .time_unit = "us",
    .record_size = DRM_ENTRY,
    .length = drm_length,
    .last_known = drm_last_known,
    .multi_record = true,
    .fields = {[SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) |
                              BIT(OPCODE_SIZE) | BIT(ISET) | BIT(DISASM) | BIT(EXTRA),
               [SPOOR_FLOW] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),
               [SPOOR_MEM] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE),
               [SPOOR_UOP] =
                   BIT(PC) | BIT(FALL) | BIT(BRANCH) | BIT(TARGET) | BIT(LDST) | BIT(ADDRESS),
               [SPOOR_CACHEOP] = BIT(TIME) | BIT(CPU) | BIT(ADDRESS) | BIT(SIDE) | BIT(OPERATION),
               [SPOOR_EVENT] =
                   BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(NUMBER) | BIT(EVENT) | BIT(VALUE)},
    .produces = 1U << SPOOR_INSN | 1U << SPOOR_FLOW | 1U << SPOOR_MEM | 1U << SPOOR_CACHEOP |
                1U << SPOOR_EVENT,
    .probe = drm_probe,
    .resembles = drm_resembles,
    .decode = drm_decode,
    .projects = 1U << PROJECT_STATS,
    .project = drm_project,
    .resolve = drm_resolve,
    .forget = drm_forget,
    .pack_tables = drm_pack_tables,
    .unpack_tables = drm_unpack_tables,
    .write = drm_write,
    .end = drm_end,
};
