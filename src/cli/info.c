/* SPDX-License-Identifier: MIT */
/* info.c: the verb `info`: summarise a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/layout.h"
#include "cli/preset.h"
#include "cli/selection.h"

enum {
    MAX_HEAD = 64 << 10, /* bytes that detection examines */
    SURE = 80,           /* a score that needs no word, if no other format has one */
    SAMPLES = 64,        /* for --quick: 4 MiB in all */
};

struct info_settings {
    struct settings common;
    bool quick;
    int preset; /* enum preset */
};

static const struct option options[] = {
    OPT_FLAG(0, "quick", offsetof(struct info_settings, quick),
             "read only 64 samples of 64 KiB of a large uncompressed file and estimate the rest"),
    OPT_CHOICE(0, "preset", "NAME", offsetof(struct info_settings, preset),
               "penn: also print the lines of the course's program; the others change nothing",
               PRESET_CHOICES),
    SELECTION_OPTIONS,
    OPTION_END,
};

static void info_put_head(struct spoor_result *result, const struct trace_input *trace_input,
                          const struct spoor_batch *batch)
{
    put_trace(result, trace_input);
    spoor_result_text(result, "title", spoor_format_title(trace_input->stream->format));
    if (batch) {
        /* The score of the trace's format, and the best of the others. */
        const struct spoor_ranking *detected = spoor_reader_ranking(trace_input->reader);
        struct spoor_ranking ranking = {.struct_size = sizeof ranking};
        if (detected) {
            ranking = *detected;
        } else {
            const struct spoor_head head = {(const uint8_t *)batch->text,
                                            batch->text_size < MAX_HEAD ? batch->text_size
                                                                        : MAX_HEAD,
                                            batch->last && batch->text_size <= MAX_HEAD};
            spoor_format_rank(&head, &ranking);
            if (ranking.best.format != batch->stream->format) {
                ranking.second = ranking.best;
                ranking.best = (struct spoor_score){
                    batch->stream->format, spoor_format_probe(batch->stream->format, &head)};
                ranking.out_of_memory |= ranking.best.score < 0;
            }
        }
        char why[160];
        if (ranking.out_of_memory) spoor_result_fail(result);
        int used = snprintf(why, sizeof why, "%s the beginning fits by %d of 100",
                            detected ? "detected:" : "named with -f;", ranking.best.score);
        if (ranking.second.score)
            snprintf(why + used, sizeof why - (size_t)used, ", next best is %s with %d",
                     spoor_format_name(ranking.second.format), ranking.second.score);
        spoor_result_text(result, "why", why);
        if (detected && !ranking.second.score && ranking.best.score >= SURE)
            spoor_result_hide_last(result);
    } else
        spoor_result_text(result, "why", "named with -f; there is no content");
    spoor_result_text(result, "compression", spoor_reader_compression(trace_input->reader));
    const char *mapping = spoor_reader_mapping(trace_input->reader);
    if (mapping) {
        spoor_result_text(result, "waveform", spoor_reader_waveform(trace_input->reader));
        spoor_result_text(result, "mapping", mapping);
    }
    /* The file that holds the trace, and what it says about itself. */
    const struct spoor_reader *reader = trace_input->reader;
    const char *at = spoor_reader_description(reader), *end;
    const struct spoor_format *container = spoor_reader_stream(reader)->container;
    if (!container || !at) return;
    spoor_result_text(result, "container", spoor_format_name(container));
    struct spoor_result *description = spoor_result_object(result, "description"), *maps = NULL;
    for (; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        char *line = strndup(at, (size_t)(end - at)), *value = line ? strchr(line, '=') : NULL;
        if (!line) spoor_result_fail(result);
        if (value) *value++ = '\0';
        if (value && strcmp(line, "map") == 0) { /* comes once for each mapping */
            if (!maps) maps = spoor_result_array(description, "maps");
            spoor_result_text(maps, NULL, value);
        } else if (value && strcmp(line, "format") != 0 && strcmp(line, "security") != 0) {
            /* the others are what the records themselves show */
            spoor_result_text(description, line, value);
            if (strcmp(line, "format-description") == 0) /* a page */
                spoor_result_hide_last(description);
        }
        free(line);
    }
}

/* ---- what the trace is, in a sentence ---- */

/* Program, format, instructions, time, cpus and size. */
static int info_show_sentence(const struct settings *common, const struct spoor_result *result,
                              const char *end)
{
    struct layout layout = layout_of(common, NULL);
    struct spoor_result *more = spoor_result_new_object();
    struct text text = {0};
    struct stat file;
    const char *path = spoor_result_string(spoor_result_member(result, "trace"), NULL);
    layout.around = result;
    if (path && stat(path, &file) == 0 && S_ISREG(file.st_mode))
        spoor_result_unsigned(more, "file_bytes", (uint64_t)file.st_size);
    layout_put(&layout, " sentence", more, &text);
    text_puts(&text, end);
    const int code = show_text(&text);
    spoor_result_free(more);
    text_free(&text);
    return code;
}

/* Summarises one trace as an object: in `all`, or, if that is NULL, on stdout. */
static int info_describe(const void *context, const char *path, bool *shown,
                         struct spoor_result *all)
{
    const struct info_settings *settings = context;
    struct trace_input trace_input;
    const struct spoor_reader_options how = {.samples = settings->quick ? SAMPLES : 0};
    if (!input_open_with(&trace_input, path, &settings->common, how)) return trace_input.exit_code;
    const struct spoor_info_options of = {.stream = trace_input.stream,
                                          .part = selection_is_part(&settings->common)};
    struct spoor_info *info = NULL;
    struct spoor_result *result = result_of(all);
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    bool begun = false;
    int code = EXIT_CLEAN;
    if (spoor_info_new(&info, &of, NULL) != SPOOR_OK || !result)
        code = complain_for(EXIT_UNREADABLE, "out of memory");
    while (code == EXIT_CLEAN && input_next_to_count(&trace_input, &batch)) {
        if (!begun) info_put_head(result, &trace_input, batch);
        begun = true;
        if (spoor_info_feed(info, batch, &error) != SPOOR_OK) code = fail(&error);
    }
    if (code == EXIT_CLEAN) {
        if (!begun) info_put_head(result, &trace_input, NULL);
        if (settings->quick) { /* the samples are scaled to the whole file */
            uint64_t done, size;
            spoor_reader_progress(trace_input.reader, &done, &size);
            spoor_info_scale(info, size);
        }
        spoor_info_report(info, result);
        const struct settings *common = &settings->common;
        const bool text = !prints_data(common), exact = !spoor_info_is_estimate(info);
        if (!all) {
            code = show_apart(shown);
            if (settings->quick && text) {
                static const char scaled[] =
                    "An estimate from samples: counts are scaled to the whole trace, ranges and "
                    "names are those of the samples.\n\n";
                static const char whole[] =
                    "Exact: the trace is small enough to be read in full.\n\n";
                code = worse(code, exact ? show_bytes(whole, sizeof whole - 1)
                                         : show_bytes(scaled, sizeof scaled - 1));
            }
            if (text && code == EXIT_CLEAN) code = info_show_sentence(common, result, "\n\n");
            if (code == EXIT_CLEAN) code = show_result(result, result_form_of(common));
            const unsigned long long micro_ops = spoor_info_micro_ops(info);
            if (text && settings->preset == PRESET_PENN && exact && micro_ops) {
                /* the lines that the published skeleton of a micro-op course prints at its end */
                char skeleton[160];
                const int size =
                    snprintf(skeleton, sizeof skeleton,
                             "\nProcessing trace...\nProcessed %llu trace records.\n"
                             "Micro-ops: %llu\nMacro-ops: %llu\n",
                             micro_ops, micro_ops, (unsigned long long)spoor_info_macro_ops(info));
                code = worse(code, show_bytes(skeleton, (size_t)size));
            }
        } else if (text) {
            code = info_show_sentence(common, result, "\n");
            *shown = true;
        }
    }
    if (!all) spoor_result_free(result);
    spoor_info_free(info);
    return worse(code, input_close(&trace_input));
}

static int info_run(void *chosen)
{
    struct info_settings *settings = chosen;
    settings->common.beside = !settings->quick && settings->preset != PRESET_PENN;
    return run_each_trace(&settings->common, info_describe, settings);
}

const struct verb verb_info = {
    .name = "info",
    .brief = "summarise a trace",
    .operands = "[TRACE...]",
    .about =
        "Reads each trace to its end and prints what it is in a sentence, then its format, the "
        "number of records by kind and operation, the processors, addresses and times that they "
        "name, and what is odd, such as lines that were not recognised.  Without a trace, "
        "standard input is read.",
    .options = options,
    .settings_size = sizeof(struct info_settings),
    .results = true,
    .many = true,
    .run = info_run,
};
