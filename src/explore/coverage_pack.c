/* SPDX-License-Identifier: MIT */
/*
 * coverage_pack.c: coverage as bytes, for partial results, and the parts of one trace.
 *
 * A trace that was read to its end is rows of addresses, lines and functions.  A part of a trace is
 * counts by processor and address: the rows are made when all parts are joined, because the
 * addresses of a processor are counted once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pack.h"
#include "explore/coverage.h"
#include "model/options.h"

enum { STRUCTURE_PART = 1 << 0, STRUCTURE_BEGINS = 1 << 1 };

/* ---- strings, which rows share ---- */

/* NULL where there was none. */
static const char *get_string(struct unpacker *from, struct spoor_coverage *coverage)
{
    const char *string = unpack_optional(from);
    if (!string) return NULL;
    const char *interned = strings_interned(&coverage->strings, string);
    coverage->failed |= !interned;
    return interned;
}

/* ---- rows ---- */

typedef void pack_row(const void *row, struct text *bytes);
typedef void unpack_row(void *row, struct unpacker *from, struct spoor_coverage *coverage);

static void pack_address(const void *row, struct text *bytes)
{
    const struct executed *executed = row;
    text_varint(bytes, executed->pc);
    text_varint(bytes, executed->count);
    text_varint(bytes, (uint64_t)executed->size << 1 | executed->branch);
    text_varint(bytes, executed->taken);
    text_varint(bytes, executed->not_taken);
}
static void unpack_address(void *row, struct unpacker *from, struct spoor_coverage *coverage)
{
    struct executed *executed = row;
    (void)coverage;
    executed->pc = unpack(from);
    executed->count = unpack(from);
    const uint64_t size = unpack(from);
    executed->size = (uint32_t)(size >> 1);
    executed->branch = size & 1;
    executed->taken = unpack(from);
    executed->not_taken = unpack(from);
}

static void pack_line(const void *row, struct text *bytes)
{
    const struct covered_line *line = row;
    text_optional(bytes, line->file);
    text_varint(bytes, line->line);
    text_varint(bytes, line->count);
}
static void unpack_line(void *row, struct unpacker *from, struct spoor_coverage *coverage)
{
    struct covered_line *line = row;
    line->file = get_string(from, coverage);
    line->line = (uint32_t)unpack(from);
    line->count = unpack(from);
    from->failed |= !line->file;
}

static void pack_function(const void *row, struct text *bytes)
{
    const struct covered_function *function = row;
    text_optional(bytes, function->file);
    text_optional(bytes, function->name);
    text_varint(bytes, function->line);
    text_varint(bytes, function->count);
    text_varint(bytes, function->size);
}
static void unpack_function(void *row, struct unpacker *from, struct spoor_coverage *coverage)
{
    struct covered_function *function = row;
    function->file = get_string(from, coverage);
    function->name = get_string(from, coverage);
    function->line = (uint32_t)unpack(from);
    function->count = unpack(from);
    function->size = unpack(from);
}

static void pack_part(const void *row, struct text *bytes)
{
    const struct covered_part *part = row;
    text_optional(bytes, part->file);
    text_optional(bytes, part->name);
    text_varint(bytes, part->line);
    text_varint(bytes, part->size);
    text_varint(bytes, part->offset);
}
static void unpack_part(void *row, struct unpacker *from, struct spoor_coverage *coverage)
{
    struct covered_part *part = row;
    part->file = get_string(from, coverage);
    part->name = get_string(from, coverage);
    part->line = (uint32_t)unpack(from);
    part->size = (uint32_t)unpack(from);
    part->offset = unpack(from);
}

static void pack_branch(const void *row, struct text *bytes)
{
    const struct covered_branch *branch = row;
    text_optional(bytes, branch->file);
    text_varint(bytes, branch->line);
    text_varint(bytes, branch->ordinal);
    text_varint(bytes, branch->taken);
    text_varint(bytes, branch->not_taken);
}
static void unpack_branch(void *row, struct unpacker *from, struct spoor_coverage *coverage)
{
    struct covered_branch *branch = row;
    branch->file = get_string(from, coverage);
    branch->line = (uint32_t)unpack(from);
    branch->ordinal = (uint32_t)unpack(from);
    branch->taken = unpack(from);
    branch->not_taken = unpack(from);
    from->failed |= !branch->file;
}

static void pack_cpu(const void *row, struct text *bytes)
{
    const struct covered_cpu *cpu = row;
    text_optional(bytes, cpu->name);
    text_varint(bytes, cpu->instructions);
    text_varint(bytes, cpu->addresses);
}
static void unpack_cpu(void *row, struct unpacker *from, struct spoor_coverage *coverage)
{
    struct covered_cpu *cpu = row;
    cpu->name = get_string(from, coverage);
    cpu->instructions = unpack(from);
    cpu->addresses = unpack(from);
    from->failed |= !cpu->name;
}

/* A kind of rows. */
struct row_kind {
    size_t at, size; /* `at`: offset of the rows in struct spoor_coverage */
    pack_row *pack;
    unpack_row *unpack;
};
#define ROW_KIND(field, type, name)                                                             \
    {                                                                                           \
        offsetof(struct spoor_coverage, field), sizeof(struct type), pack_##name, unpack_##name \
    }
static const struct row_kind row_kinds[] = {
    ROW_KIND(addresses, executed, address),          ROW_KIND(lines, covered_line, line),
    ROW_KIND(functions, covered_function, function), ROW_KIND(parts, covered_part, part),
    ROW_KIND(branches, covered_branch, branch),      ROW_KIND(cpus, covered_cpu, cpu),
};
enum { ROW_KINDS = sizeof row_kinds / sizeof *row_kinds };

static void pack_rows(const struct spoor_coverage *coverage, struct text *bytes)
{
    for (size_t i = 0; i < ROW_KINDS; i++) {
        const struct row_kind *kind = &row_kinds[i];
        const struct rows_of *rows =
            (const struct rows_of *)(const void *)((const char *)coverage + kind->at);
        text_varint(bytes, rows->count);
        for (size_t j = 0; j < rows->count; j++)
            kind->pack((const char *)rows->items + j * kind->size, bytes);
    }
    text_varint(bytes, coverage->traces);
    text_varint(bytes, coverage->instructions);
}

static bool unpack_rows(struct spoor_coverage *coverage, struct unpacker *from)
{
    for (size_t i = 0; i < ROW_KINDS; i++) {
        const struct row_kind *kind = &row_kinds[i];
        struct rows_of *rows = (struct rows_of *)(void *)((char *)coverage + kind->at);
        const size_t count = unpack_count(from);
        rows->items = calloc(count + 1, kind->size);
        if (!rows->items) return false;
        rows->capacity = count + 1;
        for (; rows->count < count && !from->failed; rows->count++)
            kind->unpack((char *)rows->items + rows->count * kind->size, from, coverage);
    }
    coverage->traces = unpack(from);
    coverage->instructions = unpack(from);
    return !from->failed && !coverage->failed;
}

/* ---- parts of a trace ---- */

bool coverage_stop(struct spoor_coverage *coverage)
{
    if (!coverage->names || coverage->stopped) return true;
    coverage->stopped = true;
    return pc_counts_end(&coverage->counts, &coverage->machine);
}

static void pack_counts(struct spoor_coverage *coverage, struct text *bytes)
{
    struct text counts = {0};
    text_varint(bytes, coverage->counts.count);
    for (unsigned i = 0; i < coverage->counts.count; i++)
        text_optional(bytes, machine_cpu_name(coverage->names, i));
    pc_counts_pack(&coverage->counts, &counts);
    text_sized(bytes, counts.bytes, counts.size);
    bytes->failed |= counts.failed || coverage->counts.failed;
    text_free(&counts);
}

/* The number of a processor of that name, which is added if there is none. */
static unsigned cpu_of_name(struct machine *machine, const char *name, size_t size)
{
    const spoor_name id = spoor_names_intern(machine->cpus, name, size);
    return id == SPOOR_NO_NAME ? 0 : id - 1u;
}

static bool unpack_part_of_trace(struct spoor_coverage *coverage, struct unpacker *from)
{
    struct machine *machine = &coverage->machine;
    size_t size;
    if (!machine_start(machine)) return false;
    coverage->started = coverage->stopped = true;
    coverage->names = machine;
    const size_t cpus = unpack_below(from, MACHINE_CPUS + 1);
    for (size_t i = 0; i < cpus && !from->failed; i++) {
        const char *name = unpack_sized(from, &size);
        if (!size || name[size - 1] || strlen(name) + 1 != size)
            from->failed = true;
        else
            (void)cpu_of_name(machine, name, size - 1);
    }
    const char *counts = unpack_sized(from, &size);
    return counts && !from->failed && !machine_out_of_memory(machine) &&
           pc_counts_unpack(&coverage->counts, (const uint8_t *)counts, size) &&
           coverage->counts.count == cpus;
}

static enum spoor_status join_counts(struct spoor_coverage *coverage,
                                     const struct spoor_coverage *next, struct spoor_error *error)
{
    struct machine *machine = &coverage->machine;
    bool good = true;
    for (unsigned i = 0; i < next->counts.count && good; i++) {
        const char *name = machine_cpu_name(next->names, i);
        good = pc_counts_merge_cpu(&coverage->counts, cpu_of_name(machine, name, strlen(name)),
                                   &next->counts, i);
    }
    return memory_status(good && !machine_out_of_memory(machine), error);
}

enum spoor_status coverage_join(struct spoor_coverage *coverage, const struct spoor_coverage *next,
                                struct spoor_error *error)
{
    if (coverage->names && next->names && !next->begins) return join_counts(coverage, next, error);
    enum spoor_status status = SPOOR_OK;
    if (coverage->names) status = spoor_coverage_end(coverage, NULL, error);
    if (status != SPOOR_OK || !next->names)
        return status == SPOOR_OK ? spoor_coverage_merge(coverage, next, error) : status;
    if (!machine_start(&coverage->machine)) return memory_status(false, error);
    coverage->started = coverage->stopped = true;
    coverage->names = &coverage->machine;
    return join_counts(coverage, next, error);
}

/* ---- all ---- */

void coverage_pack(struct spoor_coverage *coverage, bool begins, struct text *bytes)
{
    const bool part = coverage->names != NULL;
    text_varint(bytes, (part ? STRUCTURE_PART : 0U) | (begins ? STRUCTURE_BEGINS : 0U));
    text_optional(bytes, coverage->options.cpu);
    if (part)
        pack_counts(coverage, bytes);
    else
        pack_rows(coverage, bytes);
    bytes->failed |= coverage->failed;
}

struct spoor_coverage *coverage_unpack(struct unpacker *from)
{
    struct spoor_coverage *coverage = NULL;
    const struct spoor_coverage_options options = {0};
    if (spoor_coverage_new(&coverage, &options, NULL) != SPOOR_OK) return NULL;
    const uint64_t structure = unpack(from);
    coverage->begins = structure & STRUCTURE_BEGINS;
    coverage->options.cpu = get_string(from, coverage);
    if (structure & STRUCTURE_PART ? unpack_part_of_trace(coverage, from)
                                   : unpack_rows(coverage, from))
        return coverage;
    spoor_coverage_free(coverage);
    return NULL;
}
