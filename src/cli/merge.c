/* SPDX-License-Identifier: MIT */
/* merge.c: the verb `merge`: merge several traces by time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/trace_index.h"
#include "cli/transfer.h"
#include "cli/write_result.h"

enum { CPU_NAME = 64 };
enum { INPUTS_WITH_THREADS = 4 }; /* with more, one batch of each input is in memory */

struct merge_settings {
    struct settings common;
    const char *output;
    struct list cpus;
};

static const struct option options[] = {
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct merge_settings, output), NULL),
    OPT(0, "name-cpu", LIST, "NAME=FILE", offsetof(struct merge_settings, cpus),
        "all records of FILE are of processor NAME (repeatable): RTL writes a file for each core"),
    OPT_FLAG(0, "without-index", COMMON(no_index), NULL),
    OPTION_END,
};

/* An input, as far as its records tell whose they are. */
struct merge_origin {
    const char *path;
    struct trace_input *input;
    uint64_t begin, end; /* times of its first and its last record */
    uint64_t records;
    bool begun;
    bool has_nameless; /* an instruction or register of no processor, though the format has them */
};

/* RTL writes a file for each core and names none: merged, their registers are those of one.  Parts
 * of one trace follow each other in time. */
static void merge_warn_nameless(const struct spoor_merge_input *inputs, size_t count)
{
    const struct merge_origin *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct merge_origin *origin = inputs[i].context;
        if (inputs[i].cpu || !origin->has_nameless) continue;
        if (first && first->begin < origin->end && origin->begin < first->end) {
            complain("%s and %s name no processor: merged, their registers are those of one; if "
                     "they are of several, --name-cpu NAME=FILE says so",
                     first->path, origin->path);
            return;
        }
        if (!first) first = origin;
    }
}

/* A batch of an input, of which the times are noted, and whether its records name no processor; its
 * faults have been printed. */
static enum spoor_status merge_next(void *context, const struct spoor_batch **next,
                                    struct spoor_error *error)
{
    struct merge_origin *origin = context;
    (void)error;
    if (!input_next(origin->input, next)) return SPOOR_END;
    const struct spoor_batch *batch = *next;
    if (!batch->count) return SPOOR_OK;
    if (!origin->begun) origin->begin = batch->records[0].time;
    origin->end = batch->records[batch->count - 1].time;
    origin->begun = true;
    origin->records += batch->count - spoor_batch_is_header(batch, 0);
    for (size_t i = 0; i < batch->count && !origin->has_nameless; i++)
        origin->has_nameless =
            (batch->records[i].kind == SPOOR_INSN || batch->records[i].kind == SPOOR_REG) &&
            !(batch->records[i].has & SPOOR_HAS_CPU);
    return SPOOR_OK;
}

/* Writes the merged records, and the index of them into a container. */
static int merge_write_all(struct spoor_merge *merge, struct spoor_writer *writer,
                           struct spoor_index_writer *indexing, uint64_t *records)
{
    struct spoor_error error = {0}, closing = {0};
    int code = EXIT_CLEAN;
    if (indexing) spoor_index_writer_watch(indexing, writer);
    struct spoor_merge_run run = {.struct_size = sizeof run};
    enum spoor_status status;
    while ((status = spoor_merge_next_run(merge, &run, &error)) == SPOOR_OK) {
        status = spoor_writer_put(writer, run.batch, run.from, run.to, &error);
        if (status != SPOOR_OK) break;
        *records += run.to - run.from - spoor_batch_is_header(run.batch, run.from);
    }
    if (spoor_writer_close(writer, &closing) != SPOOR_OK) code = exit_for(&closing);
    if (status < SPOOR_OK) code = fail(&error);
    if (spoor_index_writer_close(indexing, &error) != SPOOR_OK && code == EXIT_CLEAN)
        code = fail(&error);
    return code;
}

/* Merges the open inputs into the output. */
static int merge_join(const struct spoor_merge_input *inputs, size_t count,
                      const struct merge_settings *settings, unsigned threads)
{
    struct spoor_error error = {0}, closing = {0};
    struct spoor_merge *merge;
    struct spoor_output *output;
    struct spoor_writer *writer;
    const struct trace_input *first = ((const struct merge_origin *)inputs[0].context)->input;
    const struct spoor_format *format = spoor_reader_stream(first->reader)->format, *named = NULL;
    struct spoor_writer_options options_of_writer = {.style = SPOOR_WRITE_TRACE,
                                                     .description =
                                                         spoor_reader_description(first->reader),
                                                     .threads = threads};
    bool some_secure = false, all_secure = true;
    for (size_t i = 0; i < count; i++) {
        some_secure |= inputs[i].stream->states_security;
        all_secure &= inputs[i].stream->states_security;
    }
    options_of_writer.mixes_security = some_secure && !all_secure;
    if (settings->output) named = format_for_output(settings->output, format);
    if (named && spoor_format_is_container(named)) format = named;
    if (!output_suits(settings->output, format, &settings->common)) return EXIT_USAGE;
    if (spoor_merge_open(&merge, inputs, count, &error) != SPOOR_OK) return fail(&error);
    if (options_of_writer.mixes_security && !spoor_format_is_container(format))
        transfer_warn_security(settings->output);
    int code = EXIT_CLEAN;
    uint64_t records = 0;
    if (output_open(&output, settings->output, &settings->common, &error) != SPOOR_OK) {
        spoor_merge_close(merge);
        return fail(&error);
    }
    spoor_output_use_threads(output, threads);
    const enum spoor_status status =
        spoor_writer_open(&writer, format, &options_of_writer, output, &error);
    if (status == SPOOR_OK) {
        struct spoor_index_writer *indexing = NULL;
        if (spoor_format_is_container(format) && !settings->common.no_index &&
            trace_index_while_writing(&indexing, &settings->common, &error) != SPOOR_OK) {
            spoor_writer_close(writer, NULL);
            code = fail(&error);
        } else {
            code = merge_write_all(merge, writer, indexing, &records);
        }
    } else {
        code = fail(&error);
    }
    bool whole = code == EXIT_CLEAN;
    for (size_t i = 0; i < count; i++)
        whole &= !((const struct merge_origin *)inputs[i].context)->input->broken;
    if (output_close(output, whole, &closing) != SPOOR_OK && code == EXIT_CLEAN)
        code = fail(&closing);
    if (spoor_format_fields(format, SPOOR_REG) && !settings->common.quiet)
        merge_warn_nameless(inputs, count);
    if (spoor_merge_left_out(merge))
        complain("left out the stray bytes after the last whole record of %" PRIu64 " inputs",
                 spoor_merge_left_out(merge));
    if (settings->common.json && code == EXIT_CLEAN && (whole || settings->common.partial)) {
        struct spoor_result *result = write_result_new(settings->output, format, records);
        struct spoor_result *rows = spoor_result_array(result, "inputs");
        for (size_t i = 0; i < count; i++) {
            const struct merge_origin *origin = inputs[i].context;
            write_result_put_input(rows, origin->path, inputs[i].stream->format, origin->records);
        }
        write_result_put_losses(result, NULL, 0, spoor_merge_left_out(merge), NULL);
        code = write_result_show(result, settings->output);
    }
    spoor_merge_close(merge);
    return code;
}

static int merge_run(void *settings)
{
    struct merge_settings *merge = settings;
    size_t count = operand_count(&merge->common), opened = 0;
    for (size_t i = 0; i < merge->cpus.count; i++) {
        const char *item = merge->cpus.items[i], *equals = strchr(item, '=');
        const size_t size = equals ? (size_t)(equals - item) : 0;
        bool found = false;
        for (size_t j = 0; equals && j < operand_count(&merge->common); j++)
            found |= strcmp(equals + 1, operand(&merge->common, j)) == 0;
        if (size == 0 || size >= CPU_NAME || strcspn(item, " \t()") < size)
            complain("merge --name-cpu: found '%s', expected NAME=FILE with a name of 1 to %d "
                     "characters without blanks and brackets",
                     item, CPU_NAME - 1);
        else if (!found)
            complain("merge --name-cpu: found '%s', which is none of the traces", equals + 1);
        if (size == 0 || size >= CPU_NAME || strcspn(item, " \t()") < size || !found)
            return EXIT_USAGE;
    }
    if (!write_result_apart(&merge->common, merge->output) ||
        !output_is_free(merge->output, &merge->common))
        return EXIT_USAGE;
    struct trace_input *trace_inputs = calloc(count, sizeof *trace_inputs);
    struct spoor_merge_input *inputs = calloc(count, sizeof *inputs);
    struct merge_origin *origins = calloc(count, sizeof *origins);
    char(*names)[CPU_NAME] = calloc(count, sizeof *names);
    int code = EXIT_CLEAN;
    if (!trace_inputs || !inputs || !origins || !names) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    }
    const unsigned threads = thread_count(&merge->common);
    merge->common.threads = threads > 1 && count <= INPUTS_WITH_THREADS ? 2 : 1;
    for (; code == EXIT_CLEAN && opened < count; opened++) {
        if (!input_open(&trace_inputs[opened], operand(&merge->common, opened), &merge->common)) {
            code = trace_inputs[opened].exit_code;
            break;
        }
        origins[opened].input = &trace_inputs[opened];
        origins[opened].path = operand(&merge->common, opened);
        const char *cpu = NULL;
        for (size_t j = 0; j < merge->cpus.count; j++) {
            const char *item = merge->cpus.items[j], *equals = strchr(item, '=');
            if (strcmp(equals + 1, origins[opened].path) != 0) continue;
            snprintf(names[opened], CPU_NAME, "%.*s", (int)(equals - item), item);
            cpu = names[opened];
            break;
        }
        inputs[opened] = (struct spoor_merge_input){merge_next, &origins[opened],
                                                    trace_inputs[opened].stream, cpu};
    }
    if (code == EXIT_CLEAN && opened == count) code = merge_join(inputs, count, merge, threads);
    if (code == EXIT_CLEAN) code = carry_map(merge->output, &merge->common);
    for (size_t i = 0; i < opened; i++) code = worse(code, input_close(&trace_inputs[i]));
    free(names);
    free(origins);
    free(inputs);
    free(trace_inputs);
    return code;
}

const struct verb verb_merge = {
    .name = "merge",
    .brief = "merge several traces by time",
    .operands = "TRACE...",
    .about = "Writes the records of several traces of one format in the order of their times; at "
             "the same time, in the order of the operands.  Within one trace the order never "
             "changes, even if its time goes back.  Deltas of time (BYU) are recomputed.",
    .options = options,
    .settings_size = sizeof(struct merge_settings),
    .json = true,
    .many = true,
    .effects = SPOOR_EFFECTS_AFTER, /* records stay in the order of the file */
    .run = merge_run,
};
