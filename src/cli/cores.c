/* SPDX-License-Identifier: MIT */
/* cores.c: the traces of several cores as one input. */
#include "cli/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/selection.h"

/* One core: its input, and the references of it that were read and not yet given. */
struct core_input {
    struct trace_input input;
    const struct spoor_reference *items;
    size_t count;
    spoor_name name; /* of the core */
    spoor_name cpu;  /* of the trace, with `has_cpu`; a core runs one */
    int exit_code;   /* of earlier readings */
    bool has_cpu, open, ended;
    bool found; /* something of it was given and is counted */
    bool holds; /* a block of branches that was read and not yet given */
    struct spoor_branch_block held;
    uint64_t instructions; /* up to the branches that were given last */
};

struct core_inputs {
    struct settings settings, again; /* of each input, and where it is read once more */
    struct spoor_reader_options options;
    struct core_input items[MAX_LIST];
    size_t count;
    size_t turn;
    bool counts; /* what was given last is counted */
    struct spoor_stream stream;
    struct text path, format;
    struct spoor_reference *references;
    struct spoor_branch *branches;
    size_t reference_capacity, branch_capacity;
    uint64_t *instructions; /* by name of the core */
};

bool cores_are_sensible(const struct settings *settings)
{
    if (!settings->cores.count) return true;
    if (settings->operand_count)
        return complain("%s --core: found '%s', too: expected the traces of the cores alone",
                        settings->verb->name, settings->operands[0]);
    if (settings->simpoints)
        return complain("%s --core: cannot be combined with --simpoints", settings->verb->name);
    size_t pipes = 0;
    for (size_t i = 0; i < settings->cores.count; i++)
        pipes += strcmp(settings->cores.items[i], "-") == 0;
    if (pipes > 1)
        return complain("%s --core: found '-' %zu times, expected it once: standard input is read "
                        "by one core",
                        settings->verb->name, pipes);
    return true;
}

/* True if what the inputs have next is counted. */
static bool cores_count_next(const struct core_inputs *cores)
{
    for (size_t i = 0; i < cores->count; i++)
        if (!cores->items[i].ended && !input_counts(&cores->items[i].input)) return false;
    return true;
}

/* ---- opening and closing ---- */

static bool core_open(struct core_inputs *cores, size_t core, const struct settings *settings)
{
    struct core_input *one = &cores->items[core];
    const char *path = settings->cores.items[core];
    one->open = input_open_with(&one->input, path, settings, cores->options);
    one->ended = !one->open;
    one->count = 0;
    one->has_cpu = false;
    return one->open;
}

struct core_inputs *cores_open(const struct settings *settings,
                               const struct spoor_reader_options *options, int *exit_code)
{
    struct core_inputs *cores = calloc(1, sizeof *cores);
    *exit_code = EXIT_UNREADABLE;
    if (cores) cores->stream.names = spoor_names_new();
    if (cores) cores->instructions = calloc(MAX_LIST + 2, sizeof *cores->instructions);
    if (!cores || !cores->stream.names || !cores->instructions) {
        complain("out of memory");
        if (cores) cores_close(cores);
        return NULL;
    }
    cores->settings = cores->again = *settings;
    cores->again.quiet = true;
    cores->again.warmup = 0;
    cores->options = *options;
    for (size_t i = 0; i < settings->cores.count; i++) {
        char number[24];
        const int size = snprintf(number, sizeof number, "%zu", i);
        cores->items[i].name = spoor_names_intern(cores->stream.names, number, (size_t)size);
        text_printf(&cores->path, "%s%s", i ? " + " : "", settings->cores.items[i]);
        const bool good = core_open(cores, i, &cores->settings);
        cores->count = i + 1;
        if (good) continue;
        *exit_code = cores->items[i].input.exit_code;
        cores_close(cores);
        return NULL;
    }
    text_put(&cores->path, "", 1);
    /* the formats, unless all are of one */
    bool one_format = true;
    for (size_t i = 1; i < cores->count; i++)
        one_format &= cores->items[i].input.stream->format == cores->items[0].input.stream->format;
    for (size_t i = 0; i < (one_format ? 1 : cores->count); i++)
        text_printf(&cores->format, "%s%s", i ? " + " : "",
                    spoor_format_name(cores->items[i].input.stream->format));
    text_put(&cores->format, "", 1);
    /* what all share is as in the first trace */
    struct spoor_names *names = cores->stream.names;
    cores->stream = *cores->items[0].input.stream;
    cores->stream.names = names;
    cores->stream.path = cores->path.failed ? "" : cores->path.bytes;
    for (size_t i = 1; i < cores->count; i++)
        cores->stream.kinds |= cores->items[i].input.stream->kinds;
    cores->counts = cores_count_next(cores);
    *exit_code = EXIT_CLEAN;
    return cores;
}

const struct spoor_stream *cores_stream(const struct core_inputs *cores)
{
    return &cores->stream;
}

const char *cores_format(const struct core_inputs *cores)
{
    return cores->format.failed ? "" : cores->format.bytes;
}

struct trace_input *cores_input(struct core_inputs *cores, size_t core)
{
    return &cores->items[core].input;
}

bool cores_reopen(struct core_inputs *cores, size_t core)
{
    struct core_input *one = &cores->items[core];
    one->open = false;
    one->exit_code = worse(one->exit_code, input_close(&one->input));
    if (!core_open(cores, core, &cores->again)) return false;
    one->input.repeats = true;
    return true;
}

bool cores_explain(const struct core_inputs *cores, size_t core)
{
    const struct core_input *one = &cores->items[core];
    return worse(one->exit_code, one->input.exit_code) != EXIT_CLEAN ||
           (one->input.settings->warmup && !input_counts(&one->input));
}

int cores_close(struct core_inputs *cores)
{
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < cores->count; i++) {
        struct core_input *one = &cores->items[i];
        code = worse(code, one->exit_code);
        if (one->open) code = worse(code, input_close(&one->input));
    }
    spoor_names_free(cores->stream.names);
    text_free(&cores->path);
    text_free(&cores->format);
    free(cores->references);
    free(cores->branches);
    free(cores->instructions);
    free(cores);
    return code;
}

/* ---- turns ---- */

/* False, with a message, if a core's trace has a second cpu. */
static bool core_is_one_cpu(struct core_input *core, bool has_cpu, spoor_name cpu)
{
    if (!has_cpu) return true;
    if (!core->has_cpu) core->cpu = cpu;
    core->has_cpu = true;
    if (core->cpu == cpu) return true;
    complain("%s: found a second cpu, expected one for a core: --cpu NAME selects one",
             core->input.stream->path);
    core->input.exit_code = EXIT_USAGE;
    return false;
}

bool cores_check_batch(struct core_inputs *cores, size_t core, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_UOP && record->kind != SPOOR_INSN && record->kind != SPOOR_FLOW)
            continue;
        if (!core_is_one_cpu(&cores->items[core], record->has & SPOOR_HAS_CPU, record->cpu))
            return false;
    }
    return true;
}

/* The core whose turn it is: one that still trains, before all others; NULL: all have ended. */
static struct core_input *cores_next(struct core_inputs *cores)
{
    const bool counts = cores_count_next(cores);
    for (size_t i = 0; i < cores->count; i++) {
        struct core_input *core = &cores->items[cores->turn];
        cores->turn = (cores->turn + 1) % cores->count;
        if (!core->ended && (counts || !input_counts(&core->input))) return core;
    }
    return NULL;
}

/* The trace of a core has ended: says, as for one trace, if nothing of it was found. */
static void core_end(struct core_input *core, const char *what)
{
    struct trace_input *input = &core->input;
    core->ended = true;
    if (core->found || input->exit_code != EXIT_CLEAN) return;
    if (input->settings->warmup && !input_counts(input)) return; /* which input_close() says */
    input->exit_code = complain_for(EXIT_NOTHING, "%s: found no %s%s", input->stream->path, what,
                                    selection_words(input->settings));
}

/* ---- references ---- */

/* Reads on, if all of a core's references were given; false: a second cpu, which was said. */
static bool core_read_references(struct core_input *core,
                                 const struct spoor_reference_options *options)
{
    struct spoor_reference_block block = {.struct_size = sizeof block};
    while (!core->ended && core->count == 0) {
        if (!input_next_references(&core->input, options, &block)) {
            core_end(core, "memory reference");
            break;
        }
        core->items = block.items;
        core->count = block.count;
    }
    for (size_t i = 0; i < core->count; i++)
        if (!core_is_one_cpu(core, core->items[i].has & SPOOR_REFERENCE_HAS_CPU,
                             core->items[i].cpu))
            return false;
    return true;
}

/* The number of references from the first to before the next instruction. */
static size_t core_instruction_size(const struct core_input *core)
{
    size_t size = 1;
    if (core->items[0].op != SPOOR_REFERENCE_FETCH) return 1;
    while (size < core->count && core->items[size].op != SPOOR_REFERENCE_FETCH) size++;
    return size;
}

static bool cores_next_references(struct core_inputs *cores,
                                  const struct spoor_reference_options *options,
                                  struct spoor_reference_block *block)
{
    enum { BLOCK = 4096 };
    size_t made = 0;
    *block = (struct spoor_reference_block){.count = 0};
    const bool counts = cores->counts = cores_count_next(cores);
    for (struct core_input *core; made < BLOCK && (core = cores_next(cores));) {
        if (core->count == 0 && !core_read_references(core, options)) return false;
        if (core->count == 0) continue;
        /* what has just begun to count waits for the next block, and for the other cores */
        if (counts != cores_count_next(cores)) break;
        if (!counts && input_counts(&core->input)) continue;
        const size_t size = core_instruction_size(core);
        if (!array_reserve(&cores->references, &cores->reference_capacity, made + size)) {
            complain("out of memory");
            core->input.exit_code = EXIT_UNREADABLE;
            return false;
        }
        for (size_t i = 0; i < size; i++, made++) {
            struct spoor_reference *reference = &cores->references[made];
            *reference = core->items[i];
            reference->address = core_address(reference->address, (size_t)(core - cores->items));
            reference->has =
                (uint8_t)((reference->has & ~SPOOR_REFERENCE_HAS_AGENT) | SPOOR_REFERENCE_HAS_CPU);
            reference->cpu = core->name;
        }
        core->items += size;
        core->count -= size;
        core->found |= counts;
    }
    block->items = cores->references;
    block->count = made;
    if (made == 0) cores->counts = cores_count_next(cores);
    return made > 0 || cores_next(cores);
}

/* ---- branches ---- */

static bool cores_next_branches(struct core_inputs *cores, struct spoor_branch_block *block)
{
    struct core_input *core;
    while ((core = cores_next(cores))) {
        if (!core->holds && !input_next_branches(&core->input, &core->held))
            core_end(core, "branch");
        core->holds = !core->ended;
        /* what counts waits until the other cores count, too */
        if (core->holds && (!input_counts(&core->input) || cores_count_next(cores))) break;
    }
    cores->counts = cores_count_next(cores);
    if (!core) return false;
    *block = core->held;
    core->holds = false;
    cores->counts = input_counts(&core->input);
    core->found |= cores->counts && block->count > 0;
    if (!array_reserve(&cores->branches, &cores->branch_capacity, block->count)) {
        complain("out of memory");
        core->input.exit_code = EXIT_UNREADABLE;
        return false;
    }
    for (size_t i = 0; i < block->count; i++) {
        struct spoor_branch *branch = &cores->branches[i];
        *branch = block->items[i];
        if (!core_is_one_cpu(core, branch->has & SPOOR_BRANCH_HAS_CPU, branch->cpu)) return false;
        branch->has |= SPOOR_BRANCH_HAS_CPU;
        branch->cpu = core->name;
    }
    core->instructions = block->instructions;
    cores->instructions[core->name] = block->instructions;
    block->items = cores->branches;
    block->instructions = block->unresolved = 0;
    for (size_t i = 0; i < cores->count; i++) block->instructions += cores->items[i].instructions;
    block->cpu_instructions = cores->instructions;
    block->cpu_capacity = MAX_LIST + 2;
    block->source = NULL;
    return true;
}

/* ---- as one input ---- */

/* The worst exit code of the inputs so far. */
static int cores_exit_code(const struct core_inputs *cores)
{
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < cores->count; i++) code = worse(code, cores->items[i].input.exit_code);
    return code;
}

static bool joint_next_branches(struct trace_input *trace_input, struct spoor_branch_block *block)
{
    const bool more = cores_next_branches(trace_input->joined, block);
    trace_input->exit_code = cores_exit_code(trace_input->joined);
    return more;
}

static bool joint_next_references(struct trace_input *trace_input,
                                  const struct spoor_reference_options *options,
                                  struct spoor_reference_block *block)
{
    const bool more = cores_next_references(trace_input->joined, options, block);
    trace_input->exit_code = cores_exit_code(trace_input->joined);
    return more;
}

static bool joint_counts(const struct trace_input *trace_input)
{
    return ((const struct core_inputs *)trace_input->joined)->counts;
}

static const char *joint_format(const struct trace_input *trace_input)
{
    return cores_format(trace_input->joined);
}

static int joint_close(struct trace_input *trace_input)
{
    return trace_input->exit_code = worse(trace_input->exit_code, cores_close(trace_input->joined));
}

bool input_open_cores(struct trace_input *trace_input, const char *path,
                      const struct settings *settings, struct spoor_reader_options options)
{
    static const struct joint_input joint = {.next_branches = joint_next_branches,
                                             .next_references = joint_next_references,
                                             .counts = joint_counts,
                                             .format = joint_format,
                                             .close = joint_close};
    if (!settings->cores.count) return input_open_with(trace_input, path, settings, options);
    *trace_input = (struct trace_input){.settings = settings, .joint = &joint};
    struct core_inputs *cores = cores_open(settings, &options, &trace_input->exit_code);
    trace_input->joined = cores;
    if (cores) trace_input->stream = cores_stream(cores);
    return cores;
}
