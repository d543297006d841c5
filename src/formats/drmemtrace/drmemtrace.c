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

struct reading {
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

static spoor_name intern(struct spoor_names *names, const void *text, size_t size)
{
    const spoor_name name = spoor_names_intern(names, text, size);
    return name == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : name;
}

static spoor_name name_of(struct reading *reading, size_t slot, const char *text)
{
    if (!text) return SPOOR_NO_NAME;
    if (reading->names[slot] == SPOOR_NO_NAME)
        reading->names[slot] = intern(reading->decoder->names, text, strlen(text));
    return reading->names[slot];
}

static struct spoor_record *push(struct reading *reading, enum spoor_kind kind, unsigned op,
                                 unsigned has)
{
    struct spoor_record *record = spoor_batch_push(reading->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = (uint16_t)(has | reading->has);
    record->cpu = reading->cpu;
    record->time = reading->time;
    return record;
}

/* Where the spelling is kept; `nowhere` for others. */
static spoor_name *known_spelling(struct reading *reading, const struct drm_entry *entry,
                                  const struct group *group, spoor_name *nowhere)
{
    if (entry->type >= DRM_TYPES || drm_classes[entry->type] != DRM_IS_INSN) return nowhere;
    if (!group) return &reading->plain[entry->type];
    return group->parts == 1 && group->part[0] <= DRM_CODE
               ? &reading->coded[entry->type][group->part[0]]
               : nowhere;
}

static spoor_name spelling_of(struct reading *reading, const struct drm_entry *entry,
                              const struct group *group)
{
    spoor_name unknown = SPOOR_NO_NAME;
    spoor_name *known = known_spelling(reading, entry, group, &unknown);
    if (*known) return *known;
    struct drm_spelling spelling = {.type = (uint8_t)entry->type};
    if (group) {
        spelling.parts = (uint8_t)group->parts;
        memcpy(spelling.part, group->part, group->parts);
    } else if (known == &unknown) {
        spelling.size = entry->size;
    }
    return *known = intern(reading->decoder->spellings, &spelling, sizeof spelling);
}

/* ---- instructions ---- */

static void add_part(struct group *group, const struct drm_entry *entry)
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

/* The bytes as a number, the first lowest; the ordered stage knows the architecture.  `no_target`:
 * the instruction has no target that a FLOW record could hold. */
static void put_code(struct reading *reading, struct spoor_record *record,
                     const struct group *group, bool no_target)
{
    struct spoor_batch *batch = reading->batch;
    const unsigned size = group->code_size;
    if (group->irregular || (group->has_target && no_target))
        spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                          spoor_batch_refer(batch, group->at, group->size));
    if (size == 0) return;
    memcpy(&record->insn.opcode, group->code, size < DRM_CODE ? size : DRM_CODE);
    if (size <= DRM_CODE && size == record->insn.opcode_size)
        record->has |= SPOOR_HAS_DATA;
    else
        spoor_batch_spill(batch, SPOOR_SPILL_FIELD, spoor_batch_keep(batch, group->code, size));
}

static void push_flow(struct reading *reading, const struct drm_entry *entry,
                      const struct group *group, unsigned flow)
{
    const bool stated = group && group->has_target;
    const bool open = entry->type == DRM_CONDITIONAL;
    struct spoor_record *record =
        push(reading, SPOOR_FLOW, flow,
             (unsigned)SPOOR_HAS_VA | SPOOR_CONTINUES | (stated ? SPOOR_HAS_DATA : 0U) |
                 (open ? SPOOR_HAS_EXTRA : 0U));
    record->flow.va = entry->value;
    record->flow.target = stated ? group->target : 0;
}

/* A size of 0 is no fetch: filtered traces state the pc of an access so. */
static void push_insn(struct reading *reading, const struct drm_entry *entry,
                      const struct group *group)
{
    const bool again = entry->type == DRM_NOT_FETCHED || entry->size == 0;
    const unsigned flow = drm_flow(entry->type);
    struct spoor_record *record =
        push(reading, SPOOR_INSN, again ? SPOOR_INSN_AGAIN : SPOOR_INSN_TAKEN, SPOOR_HAS_VA);
    record->insn.va = entry->value;
    record->insn.opcode_size = (uint8_t)entry->size;
    record->spelling = spelling_of(reading, entry, group);
    if (group) put_code(reading, record, group, again || !flow);
    if (flow && !again) push_flow(reading, entry, group, flow);
}

/* ---- accesses ---- */

static void push_access(struct reading *reading, const struct drm_entry *entry)
{
    struct spoor_record *record =
        push(reading, SPOOR_MEM, entry->type == DRM_READ ? SPOOR_MEM_READ : SPOOR_MEM_WRITE,
             SPOOR_HAS_VA);
    record->mem.va = entry->value;
    record->mem.size = entry->size;
}

static void push_prefetch(struct reading *reading, const struct drm_entry *entry)
{
    const bool code = entry->type == DRM_PREFETCH_CODE || entry->type >= DRM_PREFETCH_CODE_FIRST;
    struct spoor_record *record =
        push(reading, SPOOR_MEM, code ? SPOOR_MEM_PREFETCH_CODE : SPOOR_MEM_PREFETCH, SPOOR_HAS_VA);
    record->mem.va = entry->value;
    record->mem.size = entry->size;
    record->spelling = spelling_of(reading, &(struct drm_entry){.type = entry->type}, NULL);
}

static void push_flush(struct reading *reading, const struct drm_entry *entry)
{
    struct spoor_names *names = reading->decoder->names;
    const bool data = entry->type >= DRM_FLUSH_DATA;
    const bool ends = entry->type == DRM_FLUSH_DATA_END || entry->type == DRM_FLUSH_INSN_END;
    struct spoor_record *record = push(reading, SPOOR_CACHEOP, 0, SPOOR_HAS_VA);
    record->cacheop.va = entry->value;
    record->cacheop.side = data ? intern(names, "D", 1) : intern(names, "I", 1);
    record->cacheop.operation = ends ? intern(names, "FLUSH_END", 9) : intern(names, "FLUSH", 5);
    record->spelling = spelling_of(reading, entry, NULL);
}

/* ---- markers and state ---- */

/* The thread is the processor of the records from here on. */
static void enter_thread(struct reading *reading, uint64_t thread)
{
    char text[24], *end = put_decimal(text, thread);
    reading->cpu = intern(reading->decoder->names, text, (size_t)(end - text));
    reading->has = SPOOR_HAS_CPU;
}

static void push_state(struct reading *reading, const struct drm_entry *entry)
{
    if (entry->type == DRM_THREAD) enter_thread(reading, entry->value);
    struct spoor_record *record = push(reading, SPOOR_EVENT, SPOOR_EVENT_MARKER, SPOOR_HAS_VA);
    record->event.name = name_of(reading, entry->type, drm_type_name(entry->type));
    record->event.value = entry->value;
    record->spelling = spelling_of(reading, entry, NULL);
}

static void check_version(struct reading *reading, const struct drm_entry *entry, const char *at)
{
    if (entry->value <= DRM_VERSION_NEWEST && (entry->size != DRM_VERSION || entry->value >= 2))
        return;
    spoor_batch_fault(reading->batch, "drmemtrace-version", 5,
                      "version 2 to 7: what a newer version changed is not known here",
                      spoor_batch_refer(reading->batch, at + 4, 8));
}

static void push_marker(struct reading *reading, const struct drm_entry *entry, const char *at)
{
    const unsigned op = drm_interrupts(entry->size) ? SPOOR_EVENT_EXCEPTION : SPOOR_EVENT_MARKER;
    const bool is_time = entry->size == DRM_TIMESTAMP;
    if (is_time) reading->time = entry->value;
    struct spoor_record *record =
        push(reading, SPOOR_EVENT, op,
             (unsigned)SPOOR_HAS_VA | SPOOR_HAS_INDEX | (is_time ? SPOOR_HAS_TIME : 0U));
    record->event.number = entry->size;
    record->event.value = entry->value;
    record->event.name = name_of(reading, entry->size < DRM_MARKERS ? DRM_TYPES + entry->size : 0,
                                 drm_marker_name(entry->size));
    if (entry->size == DRM_VERSION) check_version(reading, entry, at);
}

static void push_unknown(struct reading *reading, const char *at, size_t size, const char *rule,
                         const char *expected)
{
    struct spoor_record *record = spoor_batch_push(reading->batch);
    record->kind = SPOOR_NOTE;
    record->op = SPOOR_NOTE_UNKNOWN;
    record->note.text = spoor_batch_refer(reading->batch, at, size);
    spoor_batch_fault(reading->batch, rule, 0, expected, record->note.text);
}

/* ---- groups ---- */

/* A group of more than its last entry. */
static void read_parts(struct reading *reading, const char *at, size_t size)
{
    struct group group = {.at = at, .size = size};
    const char *last = at + size - DRM_ENTRY;
    const struct drm_entry entry = drm_load(last);
    if (drm_class_of(&entry) == DRM_IS_PART) {
        push_unknown(reading, at, size, "drmemtrace-parts",
                     "the instruction whose code or target this is");
        return;
    }
    for (; at < last; at += DRM_ENTRY) {
        const struct drm_entry part = drm_load(at);
        add_part(&group, &part);
    }
    group.irregular |= entry.size > UINT8_MAX;
    push_insn(reading, &entry, &group);
}

static void read_group(struct reading *reading, const char *at, size_t size)
{
    const struct drm_entry entry = drm_load(at);
    switch (drm_class_of(&entry)) {
    case DRM_IS_INSN:
        if (entry.size <= UINT8_MAX)
            push_insn(reading, &entry, NULL);
        else
            push_unknown(reading, at, size, "drmemtrace-size",
                         "a size that an instruction can have");
        break;
    case DRM_IS_ACCESS: push_access(reading, &entry); break;
    case DRM_IS_PREFETCH: push_prefetch(reading, &entry); break;
    case DRM_IS_FLUSH: push_flush(reading, &entry); break;
    case DRM_IS_MARKER: push_marker(reading, &entry, at); break;
    case DRM_IS_STATE: push_state(reading, &entry); break;
    case DRM_IS_PART: read_parts(reading, at, size); break;
    case DRM_IS_UNKNOWN:
        push_unknown(reading, at, size, "drmemtrace-type",
                     "a type of entry that finished files have");
    }
}

/* The group at `at`, which may be all that is left; returns its size. */
static size_t read_next(struct reading *reading, const char *at, const char *end)
{
    size_t size = drm_length(at, (size_t)(end - at));
    if (size == 0) size = (size_t)(end - at) / DRM_ENTRY * DRM_ENTRY; /* the trace ends */
    read_group(reading, at, size);
    return size;
}

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    struct reading reading = {.batch = batch, .decoder = decoder};
    const char *at = batch->text, *end = at + batch->text_size;
    while ((size_t)(end - at) >= DRM_ENTRY && spoor_batch_reserve(batch, 2))
        at += read_next(&reading, at, end);
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

static struct tally tally_begin(void)
{
    return (struct tally){.code = {UINT64_MAX, 0}, .data = {UINT64_MAX, 0}};
}

static bool is_whole_insn(const struct drm_entry *entry)
{
    return entry->type < DRM_TYPES && drm_classes[entry->type] == DRM_IS_INSN && entry->size > 0 &&
           entry->size <= UINT8_MAX;
}

/* Follows the flow of a thread. */
struct following {
    struct stats *stats;
    struct stats_numbers *numbers; /* NULL: there are too many threads */
};

/* Where the instruction after one of a type is, enum flow_next. */
static const uint8_t next_of[DRM_TYPES] = {
    [DRM_INSN] = FLOW_NEXT,
    [DRM_SYSENTER] = FLOW_NEXT,
    [DRM_NOT_TAKEN] = FLOW_NEXT,
    [DRM_JUMP] = FLOW_DIRECT,
    [DRM_CALL] = FLOW_DIRECT,
    [DRM_TAKEN] = FLOW_DIRECT,
    [DRM_CONDITIONAL] = FLOW_DIRECT_OR_NEXT,
};

static void follow_thread(struct following *following, spoor_name thread)
{
    following->stats->last_cpu = thread;
    following->numbers = stats_numbers_of(following->stats, thread);
}

static inline void follow_insn(const struct following *following, const struct drm_entry *entry)
{
    if (following->numbers && entry->type != DRM_NOT_FETCHED)
        stats_execute(following->stats, following->numbers, entry->value, entry->size,
                      (enum flow_next)next_of[entry->type]);
}

/* The code and the target that the group of the last instruction states.  The set of instructions
 * is not known here. */
static void follow_parts(const struct following *following, unsigned type,
                         const struct group *group)
{
    struct stats_numbers *numbers = following->numbers;
    uint64_t opcode = 0;
    if (!numbers) return;
    memcpy(&opcode, group->code, sizeof opcode);
    if (drm_flow(type) && group->code_size == numbers->flow.next - numbers->flow.pc)
        stats_code(following->stats, numbers, 0, opcode);
    if (!group->has_target || numbers->flow.where == FLOW_NEXT) return;
    numbers->flow.where = FLOW_TARGET;
    numbers->flow.target = group->target;
}

/* Follows a group for which there is a record. */
static void follow_group(struct following *following, const struct reading *reading, const char *at,
                         size_t size)
{
    const char *last = at + size - DRM_ENTRY;
    const struct drm_entry entry = drm_load(last);
    struct group group = {.at = at};
    if (entry.type == DRM_THREAD) follow_thread(following, reading->cpu);
    if (entry.type == DRM_MARKER && drm_interrupts(entry.size) && following->numbers)
        stats_interrupt(following->numbers);
    if (!is_whole_insn(&entry) || entry.type == DRM_NOT_FETCHED) return;
    for (; at < last; at += DRM_ENTRY) {
        const struct drm_entry part = drm_load(at);
        add_part(&group, &part);
    }
    follow_insn(following, &entry);
    follow_parts(following, entry.type, &group);
}

/* Counts accesses and instructions without parts; returns the first other entry. */
static const char *count_entries(struct tally *tally, const struct following *following,
                                 const char *at, const char *end)
{
    struct span code = tally->code, data = tally->data;
    for (unsigned turn = 0; end - at >= DRM_ENTRY; at += DRM_ENTRY, turn ^= 1) {
        const struct drm_entry entry = drm_load(at);
        const bool access = entry.type <= DRM_WRITE;
        if (!access && !is_whole_insn(&entry)) break;
        /* selected without a branch: an address that does not count changes neither bound */
        const uint64_t of_data = -(uint64_t)access;
        const struct span in_code = {entry.value | of_data, entry.value & ~of_data};
        const struct span in_data = {entry.value | ~of_data, entry.value & of_data};
        span_join(&code, &in_code);
        span_join(&data, &in_data);
        tally->counts[turn][entry.type]++;
        if (!access) follow_insn(following, &entry);
    }
    tally->code = code;
    tally->data = data;
    return at;
}

/* Counts an instruction with one entry of code, as writers write it; false: there is none. */
static bool count_coded(struct tally *tally, const struct following *following, const char *at,
                        const char *end)
{
    if (end - at < 2 * DRM_ENTRY) return false;
    const struct drm_entry part = drm_load(at), entry = drm_load(at + DRM_ENTRY);
    struct group group = {.at = at};
    if (part.type != DRM_ENCODING || !is_whole_insn(&entry)) return false;
    add_part(&group, &part);
    if (group.irregular) return false;
    span_reach(&tally->code, entry.value);
    tally->counts[0][entry.type]++;
    tally->coded[entry.type][part.size]++;
    follow_insn(following, &entry);
    if (entry.type != DRM_NOT_FETCHED) follow_parts(following, entry.type, &group);
    return true;
}

static void count_spelling(struct stats *stats, struct reading *reading, unsigned type,
                           const struct group *group, uint64_t count)
{
    const struct drm_entry entry = {.type = (uint16_t)type};
    if (count) stats->spelled[spelling_of(reading, &entry, group)] += count;
}

static void count_spellings(struct stats *stats, const struct tally *tally, struct reading *reading,
                            unsigned type, uint64_t count)
{
    for (unsigned size = 1; size <= DRM_CODE; size++) {
        const struct group group = {.parts = 1, .part = {(uint8_t)size}};
        count_spelling(stats, reading, type, &group, tally->coded[type][size]);
        count -= tally->coded[type][size];
    }
    count_spelling(stats, reading, type, NULL, count);
}

/* Returns the number of records. */
static uint64_t count_type(struct stats *stats, const struct tally *tally, struct reading *reading,
                           unsigned type)
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
    count_spellings(stats, tally, reading, type, count);
    if (!flow) return count;
    stats->kinds |= 1U << SPOOR_FLOW;
    stats->ops[SPOOR_FLOW][flow] += count;
    stats->spelled[SPOOR_NO_NAME] += count;
    return 2 * count;
}

static void end_tally(struct stats_sink *sink, const struct tally *tally, struct reading *reading)
{
    struct stats *stats = sink->sink.stats;
    for (unsigned type = 0; type < DRM_TYPES; type++)
        sink->sink.records += count_type(stats, tally, reading, type);
    span_join(&stats->addresses[SPACE_VIRTUAL][USE_CODE], &tally->code);
    span_join(&stats->addresses[SPACE_VIRTUAL][USE_DATA], &tally->data);
}

static bool is_window(const struct spoor_record *record)
{
    return record->kind == SPOOR_EVENT && (record->has & SPOOR_HAS_INDEX) &&
           record->event.number == DRM_WINDOW;
}

static void project(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch)
{
    struct reading reading = {.batch = batch, .decoder = decoder};
    struct tally tally = tally_begin();
    struct stats_sink sink;
    struct following following = {.stats = NULL};
    const char *at = batch->text, *end = at + batch->text_size;
    bool windowed = false; /* the windows before decide whether one states a gap: resolve.c */
    (void)projection;      /* of statistics */
    if (!stats_sink_begin(&sink, decoder, batch)) return;
    following.stats = sink.sink.stats;
    follow_thread(&following, SPOOR_NO_NAME); /* the one before */
    while ((size_t)(end - at) >= DRM_ENTRY && spoor_batch_reserve(batch, 2)) {
        at = count_entries(&tally, &following, at, end);
        if (count_coded(&tally, &following, at, end)) {
            at += 2 * (size_t)DRM_ENTRY;
            continue;
        }
        if (end - at < DRM_ENTRY) break;
        const size_t size = read_next(&reading, at, end);
        follow_group(&following, &reading, at, size);
        at += size;
        windowed |= batch->count && is_window(&batch->records[batch->count - 1]);
        if (batch->count >= CONSUMED_AT_ONCE) stats_sink_consume(&sink.sink, batch);
    }
    end_tally(&sink, &tally, &reading);
    trailing_bytes(batch, DRM_ENTRY);
    stats_sink_consume(&sink.sink, batch);
    record_sink_end(&sink.sink, batch);
    following.stats->flows = true; /* not before: the records are only some of them */
    if (batch->fault_count == 0 && !windowed) return;
    /* the places of faults are those of records */
    batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
    batch->projected = false;
    decode(decoder, batch);
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
    .decode = decode,
    .projects = 1U << PROJECT_STATS,
    .project = project,
    .resolve = drm_resolve,
    .forget = drm_forget,
    .write = drm_write,
    .end = drm_end,
};
