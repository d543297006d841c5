/* SPDX-License-Identifier: MIT */
/* cli/vcd.c: the verb `vcd`: a trace as a value change dump, for waveform viewers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/image_set.h"
#include "cli/output.h"
#include "cli/same_file.h"
#include "cli/selection.h"
#include "cli/shown_path.h"
#include "cli/transfer.h"
#include "spoor/vcd.h"

enum { VCD_TO_DEFAULT, VCD_TO_VCD, VCD_TO_FST };
struct vcd_settings {
    struct settings common;
    int like, time, to;
    const char *output;
};

static const struct option options[] = {
    OPT_CHOICE('t', "to", "FORMAT", offsetof(struct vcd_settings, to),
               "vcd (the default), fst (also by the suffix of -o)", "default|vcd|fst"),
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct vcd_settings, output), NULL),
    OPT_CHOICE(0, "time-unit", "RULE", offsetof(struct vcd_settings, time),
               "trace: as the trace states it (the default); instructions: one unit for each",
               "default|trace|instructions"),
    OPT_CHOICE(0, "like", "TOOL", offsetof(struct vcd_settings, like),
               "ttu: the layout of tarmac-vcd of Arm's Tarmac Trace Utilities", "spoor|ttu"),
    SELECTION_OPTIONS,
    IMAGE_OPTIONS,
    OPTION_END,
};

struct vcd_dump {
    const struct vcd_settings *settings;
    struct spoor_vcd *vcd;
    struct image_set located;
    struct spoor_output *output;
    const char *path, *format;
    int code;
    bool broken, whole; /* the trace could not be read to its end; all of it was drawn */
};

static bool vcd_put(struct vcd_dump *dump)
{
    struct spoor_error error = {0};
    size_t size;
    const char *bytes = spoor_vcd_output(dump->vcd, &size);
    if (size == 0 || spoor_output_put(dump->output, bytes, size, &error) == SPOOR_OK) return true;
    dump->code = worse(dump->code, fail(&error));
    return false;
}

/* What is left when the dump is complete: false if it cannot be written, which has been said. */
static bool vcd_put_rest(struct vcd_dump *dump)
{
    struct spoor_error error = {0};
    if (spoor_vcd_end(dump->vcd, &error) != SPOOR_OK) {
        dump->code = worse(dump->code, fail(&error));
        return false;
    }
    for (;;) {
        size_t size;
        const char *bytes = spoor_vcd_output(dump->vcd, &size);
        if (!bytes) {
            dump->code =
                complain_for(EXIT_UNREADABLE, "the temporary file of an FST file cannot be read");
            return false;
        }
        if (size == 0) return true;
        if (spoor_output_put(dump->output, bytes, size, &error) != SPOOR_OK) {
            dump->code = worse(dump->code, fail(&error));
            return false;
        }
    }
}

/* Reads the trace once; `draws`: the second time. */
static bool vcd_read_trace(struct vcd_dump *dump, bool draws)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    const struct spoor_reader_options with = {.locator = image_set_locator(&dump->located)};
    if (!input_open_with(&trace_input, dump->path, &dump->settings->common, with)) {
        dump->code = trace_input.exit_code;
        return false;
    }
    dump->format = spoor_format_name(trace_input.stream->format);
    trace_input.silent = draws; /* its damage has been reported */
    bool well = true, written = true;
    while (well && written && input_next(&trace_input, &batch)) {
        well = (draws ? spoor_vcd_feed : spoor_vcd_survey)(dump->vcd, batch, NULL) == SPOOR_OK;
        if (draws && well) written = vcd_put(dump);
    }
    dump->broken |= trace_input.broken;
    const int code = input_close(&trace_input);
    if (!draws || trace_input.broken) dump->code = worse(dump->code, code);
    if (!well) {
        dump->code = complain_for(EXIT_UNREADABLE, "out of memory");
        return false;
    }
    if (code == EXIT_USAGE) return false; /* --where has no answer, which has been said */
    if (!draws && trace_input.starved) return false; /* what is drawn has to be surveyed */
    return written;
}

static void vcd_write(struct vcd_dump *dump)
{
    const struct vcd_settings *settings = dump->settings;
    struct spoor_error error = {0};
    const struct spoor_vcd_options vcd_options = {
        .layout = (enum spoor_vcd_layout)settings->like,
        .time = (enum spoor_vcd_time)settings->time,
        .images = dump->located.images,
        .form = settings->to == VCD_TO_FST ? SPOOR_VCD_FST : SPOOR_VCD_TEXT,
    };
    if (spoor_vcd_new(&dump->vcd, &vcd_options, &error) != SPOOR_OK) {
        dump->code = fail(&error);
        return;
    }
    const struct image_set *located = &dump->located;
    const struct same_file file = located->trace ? located->file : same_file_of(dump->path);
    if (!vcd_read_trace(dump, false)) return;
    const struct record_selection *chosen = &settings->common.selection;
    if (selection_is_part(&settings->common) && spoor_vcd_records(dump->vcd) == 0) {
        const bool by_cpu = !chosen->records.given && !chosen->time.given && !chosen->where;
        if (by_cpu)
            complain("%s: it has no records of cpu '%s'", dump->path, chosen->cpu);
        else
            complain("%s: no record was selected", dump->path);
        dump->code = worse(dump->code, EXIT_NOTHING);
        return;
    }
    if (output_open(&dump->output, settings->output, &settings->common, &error) != SPOOR_OK) {
        dump->code = fail(&error);
        return;
    }
    spoor_output_use_threads(dump->output, thread_count(&settings->common));
    if (!settings->like) {
        const struct spoor_vcd_disorder disorder = spoor_vcd_disorder(dump->vcd);
        if (disorder.count && !dump->settings->common.quiet)
            complain("%s: time runs backwards: %" PRIu64 " record%s (the first is record %" PRIu64
                     ") %s a time before that of an earlier one and %s drawn after it",
                     operand(&dump->settings->common, 0), disorder.count,
                     disorder.count == 1 ? "" : "s", disorder.record,
                     disorder.count == 1 ? "has" : "have", disorder.count == 1 ? "is" : "are");
    }
    if (!vcd_read_trace(dump, true)) return;
    if (!same_file_still(&file, dump->path)) {
        dump->located.trace = NULL; /* stated once */
        dump->code = EXIT_UNREADABLE;
        return;
    }
    dump->whole = vcd_put_rest(dump) && !dump->broken && image_set_is_whole(&dump->located);
}

static int vcd_run(void *chosen)
{
    struct vcd_settings *settings = chosen;
    struct vcd_dump dump = {.settings = settings, .code = EXIT_CLEAN};
    if (settings->common.operand_count > 1)
        return complain_for(
            EXIT_USAGE, "vcd: found %d traces, expected one: `spoor merge` joins several by time",
            settings->common.operand_count);
    if (settings->common.json && (!settings->output || strcmp(settings->output, "-") == 0))
        return complain_for(
            EXIT_USAGE,
            "vcd --json: expected -o FILE for the dump: standard output has the summary");
    const size_t named = settings->output ? size_without_compression(settings->output) : 0;
    if (!settings->to && named > 4 && strncmp(settings->output + named - 4, ".fst", 4) == 0)
        settings->to = VCD_TO_FST;
    if (settings->to == VCD_TO_FST && settings->like)
        return complain_for(EXIT_USAGE, "vcd: --like ttu is a layout of VCD, not of FST");
    dump.path = operand(&settings->common, 0);
    if (!output_is_free(settings->output, &settings->common)) return EXIT_USAGE;
    if (!image_set_open(&dump.located, &settings->common, dump.path, true))
        return dump.located.code;
    vcd_write(&dump);
    struct spoor_error error = {0};
    if (output_close(dump.output, dump.whole, &error) != SPOOR_OK)
        dump.code = worse(dump.code, fail(&error));
    if (settings->common.json && dump.whole) {
        struct spoor_result *result = spoor_result_new_object();
        spoor_result_text(result, "trace", shown_path(dump.path));
        spoor_result_text(result, "format", dump.format);
        spoor_result_text(result, "output", settings->output);
        spoor_vcd_report(dump.vcd, result);
        dump.code = worse(dump.code, show_result(result, RESULT_JSON));
        spoor_result_free(result);
    }
    spoor_vcd_free(dump.vcd);
    dump.code = worse(dump.code, image_set_close(&dump.located));
    return dump.code;
}

const struct verb verb_vcd = {
    .name = "vcd",
    .brief = "the trace as a value change dump, for GTKWave and other waveform viewers",
    .operands = "[TRACE]",
    .about = "Writes registers, pc, instruction, function, exceptions and accesses of memory of "
             "every processor as variables over time.",
    .options = options,
    .settings_size = sizeof(struct vcd_settings),
    .json = true,
    .numbers = true,
    .seeks = true,
    .run = vcd_run,
};
