/* SPDX-License-Identifier: MIT */
/* cli/vcd.c: the verb `vcd`: a trace as a value change dump, for waveform viewers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/located.h"
#include "cli/output.h"
#include "cli/same_file.h"
#include "cli/selection.h"
#include "cli/transfer.h"
#include "spoor/vcd.h"

struct vcd_settings {
    struct settings common;
    int like, time;
    const char *output, *where, *cpu;
};

static const struct option options[] = {
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct vcd_settings, output),
        "write to FILE, compressed by its suffix (.gz .zst .xz .bz2 .lz4)"),
    OPT_CHOICE(0, "time", "RULE", offsetof(struct vcd_settings, time),
               "trace: as the trace states it (the default); instructions: one unit for each",
               "default|trace|instructions"),
    OPT_CHOICE(0, "like", "LAYOUT", offsetof(struct vcd_settings, like),
               "ttu: in the layout of tarmac-vcd of Arm's Tarmac Trace Utilities", "spoor|ttu"),
    OPT(0, "where", TEXT, "EXPR", offsetof(struct vcd_settings, where),
        "draw only records that match an expression over fields"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct vcd_settings, cpu), "draw only one cpu"),
    IMAGE_OPTIONS,
    OPTION_END,
};

struct dumping {
    const struct vcd_settings *settings;
    struct spoor_vcd *vcd;
    struct spoor_select *select;
    struct located located;
    struct spoor_output *output;
    const char *path, *format;
    int code;
    bool broken, whole; /* the trace could not be read to its end; all of it was drawn */
};

static bool fail_memory(struct dumping *dumping)
{
    complain("out of memory");
    dumping->code = EXIT_UNREADABLE;
    return false;
}

static bool put(struct dumping *dumping)
{
    struct spoor_error error = {0};
    size_t size;
    const char *bytes = spoor_vcd_output(dumping->vcd, &size);
    if (size == 0 || spoor_output_put(dumping->output, bytes, size, &error) == SPOOR_OK)
        return true;
    dumping->code = worse(dumping->code, fail(&error));
    return false;
}

/* Reads the trace once; `draws`: the second time. */
static bool read_trace(struct dumping *dumping, bool draws)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    const struct spoor_reader_options with = {.locator = located_locator(&dumping->located)};
    if (!input_open_with(&trace_input, dumping->path, &dumping->settings->common, with)) {
        dumping->code = trace_input.exit_code;
        return false;
    }
    dumping->format = spoor_format_name(trace_input.stream->format);
    trace_input.silent = draws; /* its damage has been reported */
    bool well = true, written = true;
    while (well && written && input_next(&trace_input, &batch)) {
        well = (draws ? spoor_vcd_feed : spoor_vcd_survey)(dumping->vcd, batch, NULL) == SPOOR_OK;
        if (draws && well) written = put(dumping);
    }
    dumping->broken |= trace_input.broken;
    const int code = input_close(&trace_input);
    if (!draws || trace_input.broken) dumping->code = worse(dumping->code, code);
    if (!well) {
        dumping->code = selection_fail(dumping->select);
        return false;
    }
    if (!draws && trace_input.starved) return false; /* what is drawn has to be surveyed */
    return written;
}

static bool open_output(struct dumping *dumping)
{
    struct spoor_error error = {0};
    const struct vcd_settings *settings = dumping->settings;
    if (output_open(&dumping->output, settings->output, &settings->common, &error) == SPOOR_OK) {
        spoor_output_use_threads(dumping->output, thread_count(&dumping->settings->common));
        return true;
    }
    dumping->code = fail(&error);
    return false;
}

static void close_output(struct dumping *dumping)
{
    struct spoor_error error = {0};
    if (output_close(dumping->output, dumping->whole, &error) != SPOOR_OK)
        dumping->code = worse(dumping->code, fail(&error));
}

static void state_disorder(const struct dumping *dumping)
{
    const struct spoor_vcd_disorder disorder = spoor_vcd_disorder(dumping->vcd);
    if (disorder.count && !dumping->settings->common.quiet)
        complain("%s: time runs backwards: %" PRIu64 " record%s (the first is record %" PRIu64
                 ") %s a time before that of an earlier one and %s drawn after it",
                 operand(&dumping->settings->common, 0), disorder.count,
                 disorder.count == 1 ? "" : "s", disorder.record,
                 disorder.count == 1 ? "has" : "have", disorder.count == 1 ? "is" : "are");
}

/* A summary of the dump, for --json. */
static int show_summary(const struct dumping *dumping)
{
    struct spoor_result *result = spoor_result_new_object();
    spoor_result_text(result, "trace", operand(&dumping->settings->common, 0));
    spoor_result_text(result, "format", dumping->format);
    spoor_result_text(result, "output", dumping->settings->output);
    spoor_vcd_report(dumping->vcd, result);
    const int code = show_result(result, RESULT_JSON);
    spoor_result_free(result);
    return code;
}

static void dump(struct dumping *dumping)
{
    const struct vcd_settings *settings = dumping->settings;
    struct spoor_error error = {0};
    if (settings->where &&
        spoor_select_compile(&dumping->select, settings->where, &error) != SPOOR_OK) {
        dumping->code = fail_option("--where", &error);
        return;
    }
    const struct spoor_vcd_options vcd_options = {
        .layout = (enum spoor_vcd_layout)settings->like,
        .time = (enum spoor_vcd_time)settings->time,
        .images = dumping->located.images,
        .where = dumping->select,
        .cpu = settings->cpu,
    };
    if (spoor_vcd_new(&dumping->vcd, &vcd_options, NULL) != SPOOR_OK) {
        fail_memory(dumping);
        return;
    }
    const struct located *located = &dumping->located;
    const struct same_file file = located->trace ? located->file : same_file_of(dumping->path);
    if (!read_trace(dumping, false)) return;
    if (settings->where) selection_note(spoor_vcd_records(dumping->vcd) > 0);
    if (settings->cpu && spoor_vcd_records(dumping->vcd) == 0) {
        complain("%s: it has no records of cpu '%s'", operand(&settings->common, 0), settings->cpu);
        dumping->code = worse(dumping->code, EXIT_NOTHING);
        return;
    }
    if (!open_output(dumping)) return;
    if (!settings->like) state_disorder(dumping);
    if (!read_trace(dumping, true)) return;
    if (!same_file_still(&file, dumping->path)) {
        dumping->located.trace = NULL; /* stated once */
        dumping->code = EXIT_UNREADABLE;
        return;
    }
    if (spoor_vcd_end(dumping->vcd, NULL) != SPOOR_OK)
        fail_memory(dumping);
    else
        dumping->whole = put(dumping) && !dumping->broken && located_is_whole(&dumping->located);
}

/* Copies a pipe, or standard input, into a file without a name, since it is read twice; NULL: an
 * error has been printed. */
static FILE *keep_input(const char *from, char *path, size_t capacity)
{
    char bytes[1 << 16];
    ssize_t size = 0;
    const int input = strcmp(from, "-") == 0 ? STDIN_FILENO : open(from, O_RDONLY | O_CLOEXEC);
    if (input < 0) {
        complain("%s: %s", from, strerror(errno));
        return NULL;
    }
    FILE *file = tmpfile();
    bool wrote_less = false;
    while (file && !wrote_less && (size = read(input, bytes, sizeof bytes)) > 0)
        wrote_less = fwrite(bytes, 1, (size_t)size, file) != (size_t)size;
    const bool failed = !file || size < 0 || wrote_less || fflush(file) != 0;
    if (size < 0 && !wrote_less)
        complain("%s: cannot be read: %s", from, strerror(errno));
    else if (failed)
        complain("%s: cannot be kept in a temporary file, which vcd reads twice", from);
    if (input != STDIN_FILENO) close(input);
    if (failed && file) fclose(file);
    if (failed) return NULL;
    snprintf(path, capacity, "/dev/fd/%d", fileno(file));
    return file;
}

static int run(void *chosen)
{
    struct vcd_settings *settings = chosen;
    struct dumping dumping = {.settings = settings, .code = EXIT_CLEAN};
    char kept[32];
    FILE *file = NULL;
    if (settings->common.operand_count > 1)
        return complain_for(
            EXIT_USAGE, "vcd: found %d traces, expected one: `spoor merge` joins several by time",
            settings->common.operand_count);
    if (settings->common.json && (!settings->output || strcmp(settings->output, "-") == 0))
        return complain_for(
            EXIT_USAGE,
            "vcd --json: expected -o FILE for the dump: standard output has the summary");
    dumping.path = operand(&settings->common, 0);
    if (!output_is_free(settings->output, &settings->common)) return EXIT_USAGE;
    if (!located_open_named(&dumping.located, &settings->common, dumping.path))
        return dumping.located.code;
    if (!can_be_read_twice(dumping.path)) {
        file = keep_input(dumping.path, kept, sizeof kept);
        dumping.path = kept;
    }
    if (file || dumping.path != kept)
        dump(&dumping);
    else
        dumping.code = EXIT_UNREADABLE;
    close_output(&dumping);
    if (settings->common.json && dumping.whole)
        dumping.code = worse(dumping.code, show_summary(&dumping));
    if (file) fclose(file);
    spoor_vcd_free(dumping.vcd);
    spoor_select_free(dumping.select);
    dumping.code = worse(dumping.code, located_close(&dumping.located));
    return dumping.code;
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
    .run = run,
};
