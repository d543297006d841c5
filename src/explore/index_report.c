/* SPDX-License-Identifier: MIT */
/* index_report.c: what is in an index. */
#include "explore/activity_section.h"
#include "explore/index_folds.h"
#include "explore/pc_counts.h"
#include "index/index.h"
#include "isa/register.h"
#include "model/options.h"

const struct index_fold *const index_known_folds[] = {&activity_fold, &pc_counts_fold, NULL};

static void put_kinds(const struct index *index, struct spoor_result *result)
{
    static const char *const names[SPOOR_KINDS] = {
        "notes", "micro_ops",   "instructions", "flow",  "registers", "accesses",
        "bus",   "maintenance", "cache",        "walks", "tlb",       "events"};
    struct spoor_result *kinds = spoor_result_object(result, "segments_with");
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        uint64_t count = 0;
        for (size_t i = 0; i < index->count; i++) count += index->segments[i].kinds >> kind & 1;
        if (count) spoor_result_unsigned(kinds, names[kind], count);
    }
}

static void put_folds(const struct index *index, struct spoor_result *result)
{
    for (const struct index_fold *const *fold = index_known_folds; *fold; fold++) {
        size_t size;
        if (index_section(index, (*fold)->id, (*fold)->version, &size))
            spoor_result_unsigned(result, (*fold)->name, size);
    }
}

enum spoor_status spoor_index_report(const struct spoor_index *described,
                                     struct spoor_result *result)
{
    const struct index *index = index_seen(described);
    uint64_t sets = 0, state = 0;
    for (size_t i = 0; i < index->count; i++) {
        sets += index->segments[i].sets.size;
        state += index->segments[i].state.size;
    }
    spoor_result_text(result, "index", index->path);
    spoor_result_text(result, "format", spoor_format_name(index->format));
    spoor_result_unsigned(result, "records", index->records);
    spoor_result_unsigned(result, "bytes", index->bytes);
    spoor_result_unsigned(result, "segments", index->count);
    spoor_result_bool(result, "entered_anywhere", index->enterable);
    spoor_result_unsigned(result, "inflated_to_enter", index_entry_cost(index));
    spoor_result_text(result, "instruction_set", isa_name(index->machine.isa));
    spoor_result_unsigned(result, "cpus", machine_cpu_count(&index->machine));
    spoor_result_unsigned(result, "names_of_registers",
                          spoor_names_count(index->machine.registers) - 1);
    struct spoor_result *size = spoor_result_object(result, "size");
    spoor_result_unsigned(size, "bytes", index->size);
    spoor_result_unsigned(size, "memory", sets);
    spoor_result_unsigned(size, "registers_and_calls", state);
    spoor_result_real(size, "trace_ratio",
                      index->trace.size ? (double)index->size / (double)index->trace.size : 0.0, 5);
    spoor_result_real(size, "content_ratio",
                      index->bytes ? (double)index->size / (double)index->bytes : 0.0, 5);
    put_folds(index, size);
    put_kinds(index, result);
    return result_status(result);
}
