/* SPDX-License-Identifier: MIT */
/*
 * transfer.c: write traces, or slices of them, one after another into one trace.
 *
 * First every input is planned.  A regular file whose format differs from the target's is read to
 * its end, so that the loss report is exact; a pipe can be read only once, so the declared fields
 * of the two formats decide.  Writing begins only after that.
 */
#include "cli/transfer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/image_set.h"
#include "cli/output.h"
#include "cli/record_numbers.h"
#include "cli/skip.h"
#include "cli/trace_index.h"
#include "cli/write_result.h"

/* A pass over one input. */
struct passage {
    struct trace_input trace_input;
    struct image_set located; /* with transfer->settings->code */
    bool open;
    const struct spoor_format *format; /* of its records */
    bool again;                        /* a regular file: it can be read more than once */
    struct stat planned; /* it, before it was read the first time; inode 0: it is read only once */
    uint64_t put;        /* records of it that were put into the sink */
};

/* The destination of records, and the loss report. */
struct sink {
    struct spoor_output *output;
    struct spoor_writer *writer;
    const struct spoor_format *target;
    struct spoor_loss *loss;             /* NULL: no loss report */
    struct spoor_index_writer *indexing; /* NULL: no index is made */
    struct spoor_error error;
    uint64_t put; /* records, but for the header of a file */
    bool whole;   /* all records of all inputs were put */
};

struct transfer_job {
    struct transfer *transfer;
    struct passage *passages;
    size_t count;
    const struct spoor_format *target;
    bool some_secure, all_secure; /* inputs whose addresses are Secure with nothing appended */
    struct sink sink;
    struct text description;       /* of the first input, and the notes; NUL-terminated */
    uint64_t left_out;             /* trailing bytes between inputs */
    struct record_numbers numbers; /* of a slice of the input */
    struct spoor_record *records;  /* of a batch, with those numbers */
    size_t record_capacity;
    struct spoor_result *report; /* --json: what was written */
    int exit_code;
};

/* ---- the sink ---- */

static bool sink_open(struct sink *sink, const char *path, const struct spoor_format *format,
                      const struct transfer *transfer, const char *description,
                      uint64_t source_bytes, bool mixes_security)
{
    const struct settings *settings = transfer->settings;
    const struct spoor_writer_options options = {.style = SPOOR_WRITE_TRACE,
                                                 .level = (enum spoor_level)transfer->level,
                                                 .description = description,
                                                 .encoder = transfer->encoder,
                                                 .threads = thread_count(settings),
                                                 .source_bytes = source_bytes,
                                                 .mixes_security = mixes_security};
    *sink = (struct sink){.target = format};
    if (output_open(&sink->output, path, settings, &sink->error) != SPOOR_OK) return false;
    spoor_output_use_threads(sink->output, thread_count(settings));
    if (spoor_writer_open(&sink->writer, format, &options, sink->output, &sink->error) != SPOOR_OK)
        return false;
    if (transfer->no_index || !spoor_format_is_container(format)) return true;
    if (trace_index_while_writing(&sink->indexing, settings, &sink->error) != SPOOR_OK)
        return false;
    spoor_index_writer_watch(sink->indexing, sink->writer);
    return true;
}

/* Records that the writer left out although the loss report did not expect it, for a reason that it
 * does not name. */
static uint64_t sink_skipped(const struct sink *sink)
{
    size_t notes;
    const struct spoor_writer_note *note = spoor_writer_notes(sink->writer, &notes);
    uint64_t expected = 0, skipped = spoor_writer_skipped(sink->writer);
    for (enum spoor_kind kind = 0; sink->loss && kind < SPOOR_KINDS; kind++)
        expected += spoor_loss_records(sink->loss, kind);
    for (; notes--; note++) expected += note->lost ? note->records : 0;
    return skipped > expected ? skipped - expected : 0;
}

/* Flushes everything; the first error stays in sink->error. */
static bool sink_close(struct sink *sink)
{
    struct spoor_error *error = sink->error.status ? NULL : &sink->error;
    if (sink->writer && spoor_writer_close(sink->writer, error) != SPOOR_OK) error = NULL;
    if (sink->error.status) error = NULL;
    if (spoor_index_writer_close(sink->indexing, error) != SPOOR_OK) error = NULL;
    output_close(sink->output, sink->whole && sink->error.status == SPOOR_OK, error);
    spoor_loss_free(sink->loss);
    return sink->error.status == SPOOR_OK;
}

static bool sink_put(struct sink *sink, const struct spoor_batch *batch, size_t from, size_t to)
{
    if (from >= to) return true;
    if (sink->loss && (batch->stream->format != sink->target || batch->stream->cpu_is_of_insn))
        spoor_loss_feed(sink->loss, batch, from, to);
    sink->put += to - from - spoor_batch_is_header(batch, from);
    return spoor_writer_put(sink->writer, batch, from, to, &sink->error) == SPOOR_OK;
}

/* True if the branch directly follows its own instruction, which the image showed. */
static bool transfer_has_insn(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *branch = &batch->records[index];
    const struct spoor_record *insn = index ? branch - 1 : branch;
    return branch->kind == SPOOR_FLOW && (branch->has & SPOOR_CONTINUES) &&
           insn->kind == SPOOR_INSN && insn->insn.va == branch->flow.va;
}

/* ---- seams between inputs ---- */

/* Records from .. to - 1.  Stray bytes after the last whole record of an input are left out if
 * another input follows.  With --code: where the target has no types of branches, a branch is its
 * instruction and the one that follows, and no record of its own. */
static bool transfer_put_run(struct transfer_job *job, const struct spoor_batch *batch, size_t from,
                             size_t to, bool followed)
{
    const struct spoor_record *end = &batch->records[to - 1];
    if (followed && from < to && end->kind == SPOOR_NOTE && end->op == SPOOR_NOTE_TRAILING) {
        job->left_out++;
        to--;
    }
    if (!job->transfer->settings->code ||
        (spoor_format_fields(job->target, SPOOR_FLOW) & SPOOR_FIELD_BIT(BRANCH)))
        return sink_put(&job->sink, batch, from, to);
    bool good = true;
    for (size_t next = from; good && from < to; from = next + 1) {
        for (next = from; next < to && !transfer_has_insn(batch, next);) next++;
        good = sink_put(&job->sink, batch, from, next);
    }
    return good;
}

/* ---- reading ---- */

static bool passage_open(struct transfer_job *job, size_t index)
{
    struct passage *passage = &job->passages[index];
    const char *path = operand(job->transfer->settings, index);
    if (passage->open) return true;
    const struct settings *settings = job->transfer->settings;
    struct spoor_reader_options options = {0};
    if (settings->code) {
        if (!image_set_open(&passage->located, settings, path, OWN_NAMES_NONE)) {
            job->exit_code = worse(job->exit_code, passage->located.code);
            return false;
        }
        options = image_set_reading(&passage->located);
    }
    passage->open = input_open_with(&passage->trace_input, path, settings, options);
    if (!passage->open && settings->code) image_set_close(&passage->located);
    passage->again = can_be_read_twice(path);
    const struct spoor_cut_options *slice = job->transfer->slice;
    if (passage->open && slice && slice->records.given)
        passage->trace_input.last = slice->records.last;
    if (passage->open && slice && !slice->pc.given && !job->transfer->no_index) {
        struct spoor_skipper_options passed = {.records = slice->records,
                                               .time = slice->time,
                                               .cpu = slice->cpu,
                                               .where = slice->where};
        struct record_numbers numbers;
        record_numbers_begin(&numbers, passage->trace_input.stream, 0);
        if (record_numbers_passes(&numbers, &passed))
            input_skip(&passage->trace_input, path, &passed);
    }
    if (!passage->open) job->exit_code = worse(job->exit_code, passage->trace_input.exit_code);
    return passage->open;
}

static int passage_close(const struct transfer_job *job, struct passage *passage)
{
    if (!passage->open) return EXIT_CLEAN;
    passage->open = false;
    const int code = input_close(&passage->trace_input);
    return job->transfer->settings->code ? worse(code, image_set_close(&passage->located)) : code;
}

/* True if the input is still the file that was planned with. */
static bool transfer_is_unchanged(struct transfer_job *job, size_t index)
{
    const struct passage *passage = &job->passages[index];
    const char *path = operand(job->transfer->settings, index);
    struct stat now;
    if (!passage->again || passage->planned.st_ino == 0) return true;
    if (stat(path, &now) == 0 && now.st_ino == passage->planned.st_ino &&
        now.st_dev == passage->planned.st_dev && now.st_size == passage->planned.st_size &&
        now.st_mtim.tv_sec == passage->planned.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == passage->planned.st_mtim.tv_nsec)
        return true;
    complain("%s: was changed or replaced after it was read the first time: nothing is written",
             path);
    job->exit_code = worse(job->exit_code, EXIT_UNREADABLE);
    return false;
}

/* Passes the rest of one input to the sink; `followed`: another input follows. */
static bool transfer_put_input(struct transfer_job *job, struct passage *passage, bool followed)
{
    const struct spoor_cut_options *slice = job->transfer->slice;
    struct record_numbers *numbers = &job->numbers;
    struct spoor_cut *cut = NULL;
    const struct spoor_batch *batch;
    bool good = !slice || spoor_cut_new(&cut, slice, &job->sink.error) == SPOOR_OK;
    record_numbers_begin(numbers, passage->trace_input.stream,
                         slice && slice->records.given ? slice->records.first : 0);
    spoor_writer_seam(job->sink.writer);
    if (job->sink.indexing && !slice)
        spoor_index_writer_reads(job->sink.indexing, passage->trace_input.reader);
    while (good && !(cut && spoor_cut_done(cut)) && input_next(&passage->trace_input, &batch)) {
        const char *cpu;
        bool timed;
        if (cut && skip_passed(&passage->trace_input, &cpu, &timed))
            spoor_cut_skip(cut, batch->stream->names, cpu, timed);
        if (!cut) {
            good = !batch->count || transfer_put_run(job, batch, 0, batch->count, followed);
            job->transfer->selected += batch->count;
            continue;
        }
        /* a text or binary format has the numbers between branches; .spoor has those of the
         * records */
        const bool renumbers =
            (numbers->applies && spoor_format_is_container(job->target)) || numbers->headless;
        struct spoor_batch own = *batch;
        good = spoor_cut_feed(cut, batch, &job->sink.error) == SPOOR_OK;
        if (good && renumbers) {
            good = array_reserve(&job->records, &job->record_capacity, batch->count + 1);
            if (!good) spoor_error_set(&job->sink.error, SPOOR_ENOMEM, "out of memory");
        }
        if (good && renumbers) {
            memcpy(job->records, batch->records, batch->count * sizeof *batch->records);
            own.records = job->records;
            record_numbers_read(numbers, batch);
        }
        for (size_t from, to = 0; good && spoor_cut_run(cut, &from, &to);) {
            if (renumbers) record_numbers_run(numbers, batch, from, to, job->records + from);
            good = transfer_put_run(job, &own, from, to, followed);
        }
    }
    if (cut) job->transfer->selected += spoor_cut_selected(cut);
    spoor_cut_free(cut);
    return good;
}

/* ---- planning ---- */

enum { MAX_WORDS = 1000 };

/* The losses as text; false: there are none. */
static bool transfer_describe(const struct sink *sink, char *words)
{
    uint64_t skipped = sink_skipped(sink);
    bool lossy = sink->loss && spoor_loss_any(sink->loss);
    size_t used = 0, notes;
    const struct spoor_writer_note *note = spoor_writer_notes(sink->writer, &notes);
    if (lossy) {
        spoor_loss_describe(sink->loss, words, MAX_WORDS);
        used = strlen(words);
    }
    if (skipped)
        snprintf(words + used, MAX_WORDS - used,
                 "%s%" PRIu64 " record%s that the format cannot represent", used ? "; " : "",
                 skipped, skipped == 1 ? "" : "s");
    for (; notes--; note++) {
        if (!note->lost) continue;
        used = strlen(words);
        snprintf(words + used, MAX_WORDS - used, "%s%" PRIu64 " record%s of another %s (%s)",
                 lossy || skipped ? "; " : "", note->records, note->records == 1 ? "" : "s",
                 note->field, note->remedy);
        lossy = true;
    }
    return lossy || skipped;
}

/* Says what the written packets state although the records do not. */
static void transfer_say_assumed(const struct sink *sink)
{
    char words[MAX_WORDS] = "";
    size_t notes, used = 0;
    const struct spoor_writer_note *note = spoor_writer_notes(sink->writer, &notes);
    for (; notes--; note++) {
        if (note->lost) continue;
        used += (size_t)snprintf(
            words + used, MAX_WORDS - used, "%s%s %s (%" PRIu64 " packet%s%s%s)", used ? "; " : "",
            note->field, note->value, note->records, note->records == 1 ? "" : "s",
            note->remedy ? "; not with --encoder " : "", note->remedy ? note->remedy : "");
    }
    if (used)
        complain("not in the trace, but stated, since %s packets cannot leave it out: %s",
                 spoor_format_name(sink->target), words);
}

static bool transfer_refuse(const struct transfer_job *job, const struct trace_input *trace_input,
                            const char *what, const char *lost)
{
    return complain("%s: %s would %s: %s: use --lossy to continue", trace_input->stream->path,
                    spoor_format_name(job->target), what, lost);
}

/* The first input's description of itself, and the notes.  An index of records whose effects come
 * first is made by reading: it has them in another order.  False: memory ran out. */
static bool transfer_describe_trace(struct transfer_job *job, const struct spoor_reader *reader)
{
    const struct list *notes = job->transfer->notes;
    /* but for the line that states the order of effects */
    const char *description = spoor_reader_description(reader);
    for (const char *at = description, *end; at && *at; at = end) {
        end = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at);
        if (strncmp(at, SPOOR_EFFECTS_FIRST_LINE, strlen(SPOOR_EFFECTS_FIRST_LINE)) != 0)
            text_put(&job->description, at, (size_t)(end - at));
    }
    if (spoor_reader_stream(reader)->effects_first &&
        decode_options(job->transfer->settings).effects == SPOOR_EFFECTS_AS_WRITTEN) {
        text_puts(&job->description, SPOOR_EFFECTS_FIRST_LINE "\n");
        job->transfer->no_index = true;
    }
    for (size_t i = 0; notes && i < notes->count; i++)
        text_printf(&job->description, "%s\n", notes->items[i]);
    text_put(&job->description, "", 1);
    return !job->description.failed;
}

/* True if input `index` may be written: nothing is lost, or loss is allowed. */
static bool transfer_plan(struct transfer_job *job, size_t index)
{
    struct passage *passage = &job->passages[index];
    char lost[MAX_WORDS];
    if (stat(operand(job->transfer->settings, index), &passage->planned) != 0)
        passage->planned = (struct stat){0};
    if (!passage_open(job, index)) return false;
    const struct spoor_format *source = passage->trace_input.stream->format;
    if (!job->target) {
        const struct transfer *transfer = job->transfer;
        const struct spoor_format *wanted = transfer->to ? transfer->to : source;
        if (!transfer->to && transfer->output) wanted = format_for_output(transfer->output, source);
        if (!transfer->by_suffix && wanted && !spoor_format_is_container(wanted) && !transfer->to)
            wanted = source;
        if (wanted && !spoor_format_writes(wanted)) {
            complain("%s can be read but not written", spoor_format_name(wanted));
            wanted = NULL;
        }
        job->target = wanted;
    }
    const bool described = index > 0 || transfer_describe_trace(job, passage->trace_input.reader);
    passage->format = source;
    job->some_secure |= passage->trace_input.stream->states_security;
    job->all_secure &= passage->trace_input.stream->states_security;
    /* effects without their instructions have no processor, or that of another one */
    const bool scattered = job->transfer->slice && job->transfer->slice->where &&
                           passage->trace_input.stream->cpu_is_of_insn;
    bool resolved = (source == job->target && !scattered) || job->transfer->lossy ||
                    (job->target && (spoor_format_is_container(job->target) ||
                                     spoor_format_is_table(job->target)));
    bool good = job->target != NULL;
    const bool is_table = good && spoor_format_is_table(job->target);
    const char *target = good ? spoor_format_name(job->target) : "";
    if (good && job->transfer->settings->code && !is_table &&
        !spoor_format_fields(job->target, SPOOR_INSN))
        good = complain("convert --code: %s cannot hold instructions: expected a format with "
                        "records of kind insn (see `spoor formats`)",
                        target);
    else if (good && job->transfer->settings->code && source == job->target)
        good = complain("convert --code: the trace is in %s already, whose lines are copied as "
                        "they are: expected -t another format",
                        target);
    else if (good && job->transfer->level && !is_table)
        good = complain(
            "convert --compress: the format %s is written in one way: expected -t parquet", target);
    if (good && !resolved && passage->again) {
        /* a first pass, which writes nothing, shows what would be lost */
        struct sink *sink = &job->sink;
        good = sink_open(sink, "/dev/null", job->target, job->transfer, NULL, 0, false);
        const struct spoor_loss_options of = {.target = job->target};
        if (good) good = spoor_loss_new(&sink->loss, &of, &sink->error) == SPOOR_OK;
        passage->trace_input.silent = true; /* the second pass reports the faults */
        good = good && transfer_put_input(job, passage, index + 1 < job->count) &&
               spoor_writer_end(sink->writer, &sink->error) == SPOOR_OK;
        if (good && transfer_describe(sink, lost))
            good = transfer_refuse(job, &passage->trace_input, "lose", lost);
        if (!sink_close(sink)) fail(&sink->error);
        job->transfer->selected = job->left_out = 0;
    } else if (good && !resolved && source == job->target)
        good =
            transfer_refuse(job, &passage->trace_input, "perhaps lose (a pipe is read only once)",
                            "field cpu of records whose instruction is left out");
    else if (good && !resolved && spoor_loss_possible(source, job->target, lost, sizeof lost))
        good = transfer_refuse(job, &passage->trace_input,
                               "perhaps lose (a pipe is read only once)", lost);
    if (!good) job->exit_code = worse(job->exit_code, EXIT_USAGE);
    if (!described) {
        complain("out of memory");
        job->exit_code = EXIT_UNREADABLE;
    }
    if (passage->again) passage_close(job, passage);
    return good && described;
}

void transfer_warn_security(const char *output)
{
    complain("some of the traces show security states, and some do not: in %s, addresses of the "
             "latter will seem Secure",
             output && strcmp(output, "-") != 0 ? output : "the output");
}

static void transfer_write_all(struct transfer_job *job)
{
    const struct transfer *transfer = job->transfer;
    const bool suits = output_suits(transfer->output, job->target, transfer->settings);
    if (!suits) job->exit_code = EXIT_USAGE;
    uint64_t source_bytes = 0; /* of the files whose records are all written */
    for (size_t i = 0; !transfer->slice && i < job->count; i++)
        if (S_ISREG(job->passages[i].planned.st_mode))
            source_bytes += (uint64_t)job->passages[i].planned.st_size;
    const bool mixes_security = job->some_secure && !job->all_secure;
    if (suits && mixes_security && job->passages[0].format == job->target)
        transfer_warn_security(transfer->output);
    bool good = suits && sink_open(&job->sink, transfer->output, job->target, transfer,
                                   job->description.bytes, source_bytes, mixes_security);
    const struct spoor_loss_options of = {.target = job->target};
    if (good && transfer->lossy)
        good = spoor_loss_new(&job->sink.loss, &of, &job->sink.error) == SPOOR_OK;
    bool whole = good;
    for (size_t i = 0; good && i < job->count; i++) {
        const bool opened = transfer_is_unchanged(job, i) && passage_open(job, i);
        whole &= opened;
        if (!opened) break;
        const uint64_t before = job->sink.put;
        good = transfer_put_input(job, &job->passages[i], i + 1 < job->count);
        job->passages[i].put = job->sink.put - before;
        whole &= good && !job->passages[i].trace_input.broken;
        job->exit_code = worse(job->exit_code, passage_close(job, &job->passages[i]));
    }
    job->sink.whole = whole;
    good = good && spoor_writer_end(job->sink.writer, &job->sink.error) == SPOOR_OK;
    if (good) {
        char lost[MAX_WORDS];
        if (job->left_out)
            complain("left out the stray bytes after the last whole record of %" PRIu64 " input%s",
                     job->left_out, job->left_out == 1 ? "" : "s");
        const bool none = job->sink.put && spoor_writer_skipped(job->sink.writer) >= job->sink.put;
        /* of its own format: a part may lack the line that its records are of, a .spoor may have
         * the instructions of branches */
        const bool own = !none && job->passages[0].format == job->target;
        if ((own || job->sink.loss) && !job->transfer->settings->quiet &&
            transfer_describe(&job->sink, lost))
            complain("lost: %s", lost);
        if (!job->transfer->settings->quiet) transfer_say_assumed(&job->sink);
        if (none) {
            complain("nothing was written: %s has no place for any of the records",
                     spoor_format_name(job->target));
            job->exit_code = worse(job->exit_code, EXIT_NOTHING);
        }
    }
    if (good && transfer->settings->json && (whole || transfer->settings->partial)) {
        /* --json: the records of the output are counted by its writer, those of each input by the
         * sink. */
        const struct sink *sink = &job->sink;
        job->report = write_result_new(job->transfer->output, job->target,
                                       sink->put - spoor_writer_skipped(sink->writer));
        struct spoor_result *inputs = spoor_result_array(job->report, "inputs");
        for (size_t i = 0; i < job->count; i++)
            write_result_put_input(inputs, operand(job->transfer->settings, i),
                                   job->passages[i].format, job->passages[i].put);
        write_result_put_losses(job->report, sink->loss, sink_skipped(sink), job->left_out,
                                sink->writer);
    }
    if (!sink_close(&job->sink)) job->exit_code = worse(job->exit_code, fail(&job->sink.error));
}

int transfer_run(struct transfer *transfer)
{
    struct transfer_job job = {.transfer = transfer, .all_secure = true};
    if (!write_result_apart(transfer->settings, transfer->output) ||
        !output_is_free(transfer->output, transfer->settings))
        return EXIT_USAGE;
    job.count = operand_count(transfer->settings);
    job.passages = calloc(job.count, sizeof *job.passages);
    bool good = job.passages != NULL;
    if (!good) {
        complain("out of memory");
        job.exit_code = EXIT_UNREADABLE;
    }
    for (size_t i = 0; good && i < job.count; i++) good = transfer_plan(&job, i);
    if (good) transfer_write_all(&job);
    if (good && job.exit_code == EXIT_CLEAN)
        job.exit_code = carry_map(transfer->output, transfer->settings);
    if (job.report && job.sink.error.status == SPOOR_OK)
        job.exit_code = worse(job.exit_code, write_result_show(job.report, transfer->output));
    else
        spoor_result_free(job.report);
    for (size_t i = 0; job.passages && i < job.count; i++) passage_close(&job, &job.passages[i]);
    free(job.passages);
    free(job.records);
    text_free(&job.description);
    return job.exit_code;
}
