/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c: which instruction was in which stage when: as the log of a pipeline states it, else
 * as a machine of `spoor pipe` would run the records around the row.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "html/log_chart.h"
#include "html/machine_stages.h"
#include "serve/internal.h"

enum {
    PIPELINE_ROWS = 400,   /* instructions of an answer */
    LOG_BEFORE = 12000,    /* records of a log that are read before the row, */
    LOG_UNKNOWN = 4000,    /* ... in the first of which an instruction may have begun earlier */
    LOG_AFTER = 8000,      /* and after it */
    MATCH_WITHIN = 64,     /* instructions among which that of a micro-op is sought */
    MACHINE_RECORDS = 2000 /* records around the row that a machine runs, at least */
};

/* ---- a log ---- */

struct pipeline_log {
    struct log_chart chart;
    uint64_t from, known; /* an instruction that is met before `known` may have begun earlier */
    uint64_t highest;     /* the highest number of those */
    bool any;             /* there are some */
};

static bool pipeline_note_log(void *context, const struct spoor_record_visit *visited)
{
    struct pipeline_log *log = context;
    log_chart_add_record(&log->chart, visited->batch, visited->index, visited->record);
    if (visited->record + 1 == log->known)
        for (size_t i = 0; i < log->chart.count; i++) {
            log->any = true;
            if (log->chart.drawn[i].number > log->highest)
                log->highest = log->chart.drawn[i].number;
        }
    return !log->chart.failed;
}

/* The text of an instruction of which the log has only the opcode. */
static const char *pipeline_text_of(struct question *question, const struct drawn *drawn,
                                    char *words, size_t size)
{
    struct spoor_error error = {0};
    *words = '\0';
    if (!drawn->label && drawn->ended && !drawn->squashed)
        spoor_explorer_text(question->trace->explorer, drawn->last, words, size, &error);
    return *words ? words : drawn->label;
}

static void pipeline_give_log(struct question *question, struct pipeline_log *log, uint64_t at)
{
    struct text *out = question->out;
    const struct log_chart *chart = &log->chart;
    size_t here = 0, first = 0;
    for (size_t i = 0; i < chart->count; i++)
        if (chart->drawn[i].record <= at && chart->drawn[i].record >= chart->drawn[here].record)
            here = i;
    if (here > PIPELINE_ROWS / 2) first = here - PIPELINE_ROWS / 2;
    log_chart_put_stages(chart, out);
    json_begin(out, "rows", '[');
    size_t given = 0;
    for (size_t i = first; i < chart->count && given < PIPELINE_ROWS; i++) {
        if (log->any && chart->drawn[i].number <= log->highest) continue;
        given++;
        char words[128];
        log_chart_put_row(&chart->drawn[i],
                          pipeline_text_of(question, &chart->drawn[i], words, sizeof words), out);
    }
    json_end(out, ']');
}

/* False: the trace is no log, or the question is refused. */
static bool pipeline_answer_log(struct question *question, uint64_t at)
{
    const uint64_t records = spoor_index_records(question->trace->index);
    struct spoor_error error = {0};
    struct pipeline_log log = {.from = at > LOG_BEFORE ? at - LOG_BEFORE : 0};
    log.known = log.from ? log.from + LOG_UNKNOWN : 0;
    const uint64_t end = records - at > LOG_AFTER ? at + LOG_AFTER : records;
    bool found = false;
    if (log_chart_open(&log.chart, 0, UINT64_MAX, LOG_BEFORE + LOG_AFTER)) {
        const enum spoor_status status = spoor_explorer_visit(question->trace->explorer, log.from,
                                                              end, pipeline_note_log, &log, &error);
        log_chart_end(&log.chart);
        if (status < SPOOR_OK) refuse_error(question, status, &error);
        for (size_t i = 0; i < log.chart.count && !found; i++) found = log.chart.drawn[i].count > 0;
        if (found && !question->refused) pipeline_give_log(question, &log, at);
    }
    question->out->failed |= log.chart.failed;
    log_chart_close(&log.chart);
    return found;
}

/* ---- a machine ---- */

struct pipeline_step {
    uint64_t record, pc;
};
struct pipeline_row {
    struct spoor_pipeline_event event;
    uint64_t pc;
    spoor_name macro, micro; /* of spoor_names of the stream; SPOOR_NO_NAME: not known */
    bool begins;             /* an instruction */
};
struct pipeline_run {
    struct spoor_pipeline *pipeline;
    const struct spoor_batch *batch; /* the one that was fed last */
    uint64_t batch_first;
    const struct spoor_names *names; /* of the trace */
    struct pipeline_step *steps;     /* instructions, in order */
    size_t step_count, step_capacity;
    struct pipeline_row *rows;
    size_t row_count, row_capacity;
    bool several; /* processors, of which the machine has one: */
    spoor_name cpu;
    struct spoor_record *masked; /* of a batch: those of others are notes */
    size_t masked_capacity;
    struct spoor_error error;
    enum spoor_status status;
    bool failed;
};

/* Feeds the batch, without the records of other processors. */
static bool pipeline_feed_batch(struct pipeline_run *run, const struct spoor_batch *batch)
{
    struct spoor_batch own = *batch;
    if (run->several) {
        run->failed |= !array_reserve(&run->masked, &run->masked_capacity, batch->count + 1);
        if (run->failed) return false;
        for (size_t i = 0; i < batch->count; i++)
            run->masked[i] = batch->records[i].cpu == run->cpu
                                 ? batch->records[i]
                                 : (struct spoor_record){.kind = SPOOR_NOTE};
        own.records = run->masked;
    }
    run->status = spoor_pipeline_feed(run->pipeline, &own, &run->error);
    return run->status >= SPOOR_OK;
}

static bool pipeline_note_cpu(void *context, const struct spoor_record_visit *visited)
{
    struct pipeline_run *run = context;
    run->cpu = visited->batch->records[visited->index].cpu;
    return true;
}

static bool pipeline_feed(void *context, const struct spoor_record_visit *visited)
{
    struct pipeline_run *run = context;
    if (visited->batch != run->batch || visited->batch->first != run->batch_first ||
        visited->index == 0) {
        run->batch = visited->batch;
        run->batch_first = visited->batch->first;
        run->names = visited->batch->stream->names;
        if (!pipeline_feed_batch(run, visited->batch)) return false;
    }
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const bool fetched = !visited->has_instruction && record->kind == SPOOR_MEM &&
                         record->op == SPOOR_MEM_FETCH && record->has & SPOOR_HAS_VA;
    const bool begins = visited->has_instruction && visited->instruction == visited->record;
    if ((!fetched && !begins) || (run->several && record->cpu != run->cpu)) return true;
    run->failed |= !array_reserve(&run->steps, &run->step_capacity, run->step_count + 1);
    if (!run->failed)
        run->steps[run->step_count++] =
            (struct pipeline_step){visited->record, fetched ? record->mem.va : visited->pc};
    return !run->failed;
}

static void pipeline_keep(void *context, const struct spoor_pipeline_event *event)
{
    struct pipeline_run *run = context;
    run->failed |= !array_reserve(&run->rows, &run->row_capacity, run->row_count + 1);
    if (run->failed) return;
    run->rows[run->row_count++] =
        (struct pipeline_row){.event = *event,
                              .pc = event->operation->pc,
                              .macro = event->operation->macro,
                              .micro = event->operation->micro,
                              .begins = event->operation->is & SPOOR_OPERATION_FIRST};
}

static int pipeline_by_ordinal(const void *a, const void *b)
{
    const struct spoor_pipeline_event *left = &((const struct pipeline_row *)a)->event;
    const struct spoor_pipeline_event *right = &((const struct pipeline_row *)b)->event;
    if (left->ordinal != right->ordinal) return left->ordinal < right->ordinal ? -1 : 1;
    return left->fetch < right->fetch ? -1 : left->fetch > right->fetch;
}

/* The machine that is asked for: a preset, and KEY=VALUE,...  False: refused. */
static bool pipeline_choose(struct question *question, struct spoor_pipeline_config *config)
{
    const char *preset = parameter(question, "preset"), *words = parameter(question, "set");
    struct spoor_error error = {0};
    char copy[512];
    if (!spoor_pipeline_preset(preset ? preset : "general", config)) {
        refuse(question, 400, "preset: found '%.40s', expected the name of one", preset);
        return false;
    }
    snprintf(copy, sizeof copy, "%s", words ? words : "");
    char *rest = NULL;
    for (char *one = strtok_r(copy, ", ", &rest); one; one = strtok_r(NULL, ", ", &rest)) {
        char *value = strchr(one, '=');
        if (value) *value++ = '\0';
        if (!value || spoor_pipeline_set(config, one, value, &error) != SPOOR_OK) {
            refuse(question, 400, "%s",
                   value ? error.text : "set: expected KEY=VALUE, such as rob=64");
            return false;
        }
    }
    const char *levels = parameter(question, "levels"); /* of caches, instead of the preset's */
    snprintf(copy, sizeof copy, "%s", levels ? levels : "");
    if (levels) spoor_pipeline_set(config, "level", "none", NULL);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        if (spoor_pipeline_set(config, "level", one, &error) != SPOOR_OK) {
            refuse(question, 400, "%s", error.text);
            return false;
        }
    return true;
}

/* What of the machine the page lets one change. */
static void pipeline_give_machine(struct text *out, const struct spoor_pipeline_config *config)
{
    struct text levels = {0};
    json_begin(out, "machine", '{');
    if (config->model == SPOOR_OUT_OF_ORDER) json_number(out, "rob", config->rob);
    json_number(out, "width", config->width);
    for (uint32_t i = 0; i < config->levels; i++)
        text_printf(&levels, "%s%s", i ? " " : "", config->level[i]);
    json_bytes(out, "levels", levels.bytes ? levels.bytes : "", levels.failed ? 0 : levels.size);
    json_end(out, '}');
    out->failed |= levels.failed;
    text_free(&levels);
}

/* The record of each row: the next instruction with its pc. */
static void pipeline_give_rows(struct question *question, const struct pipeline_run *run,
                               enum spoor_pipeline_model model, uint64_t at)
{
    struct text *out = question->out;
    uint64_t *records = calloc(run->row_count + 1, sizeof *records);
    size_t step = 0, here = 0;
    uint64_t now = UINT64_MAX, ordinal = UINT64_MAX;
    out->failed |= !records;
    for (size_t i = 0; records && i < run->row_count; i++) {
        const struct pipeline_row *row = &run->rows[i];
        if (row->begins && row->event.ordinal != ordinal) {
            size_t seek = step;
            while (seek < run->step_count && seek < step + MATCH_WITHIN &&
                   run->steps[seek].pc != row->pc)
                seek++;
            const bool found = seek < run->step_count && seek < step + MATCH_WITHIN;
            now = found ? run->steps[seek].record : UINT64_MAX;
            if (found) step = seek + 1;
        }
        ordinal = row->event.ordinal;
        records[i] = now;
        if (now <= at) here = i;
    }
    const size_t first = here > PIPELINE_ROWS / 2 ? here - PIPELINE_ROWS / 2 : 0;
    json_begin(out, "rows", '[');
    for (size_t i = first; records && i < run->row_count && i < first + PIPELINE_ROWS; i++) {
        const struct pipeline_row *row = &run->rows[i];
        machine_begin_row(out, model, &row->event, row->pc);
        if (records[i] != UINT64_MAX) json_number(out, "record", records[i]);
        char words[128] = "";
        struct spoor_error error = {0};
        if (row->macro != SPOOR_NO_NAME)
            snprintf(words, sizeof words, "%s %s", spoor_names_text(run->names, row->macro, NULL),
                     spoor_names_text(run->names, row->micro, NULL));
        else if (records[i] != UINT64_MAX && row->begins)
            spoor_explorer_text(question->trace->explorer, records[i], words, sizeof words, &error);
        if (words[0]) json_text(out, "text", words);
        json_end(out, '}');
    }
    json_end(out, ']');
    free(records);
}

static void pipeline_answer_machine(struct question *question, uint64_t at)
{
    const struct spoor_index *index = question->trace->index;
    const uint64_t records = spoor_index_records(index);
    const struct spoor_pipeline_options options = {.struct_size = sizeof options};
    struct pipeline_run run = {.status = SPOOR_OK};
    struct spoor_pipeline_config config;
    struct spoor_segment begin = {0}, end = {0};
    struct text *out = question->out;
    if (!pipeline_choose(question, &config)) return;
    /* whole segments, whose batches the machine is given as they are */
    spoor_index_segment(
        index, spoor_index_segment_of(index, at > MACHINE_RECORDS ? at - MACHINE_RECORDS : 0),
        &begin);
    const uint64_t last = records - at > MACHINE_RECORDS ? at + MACHINE_RECORDS : records - 1;
    spoor_index_segment(index, spoor_index_segment_of(index, last), &end);
    struct spoor_explorer *explorer = question->trace->explorer;
    run.several = spoor_explorer_cpu_count(explorer) > 1;
    if (run.several) {
        const enum spoor_status status =
            spoor_explorer_visit(explorer, at, at + 1, pipeline_note_cpu, &run, &run.error);
        if (status < SPOOR_OK) run.status = status;
    }
    if (run.status == SPOOR_OK)
        run.status = spoor_pipeline_new(&run.pipeline, &options, &run.error);
    if (run.status == SPOOR_OK) run.status = spoor_pipeline_add(run.pipeline, &config, &run.error);
    if (run.status == SPOOR_OK) {
        spoor_pipeline_observe(run.pipeline, 0, pipeline_keep, &run);
        const enum spoor_status status =
            spoor_explorer_visit(explorer, begin.from, end.end, pipeline_feed, &run, &run.error);
        if (run.status == SPOOR_OK && status < SPOOR_OK) run.status = status;
    }
    if (run.status == SPOOR_OK) run.status = spoor_pipeline_end(run.pipeline, &run.error);
    out->failed |= run.failed;
    if (run.status < SPOOR_OK) {
        refuse_error(question, run.status, &run.error);
    } else if (!run.row_count) {
        refuse(question, 404,
               "the trace states no stages, and no instructions that a machine could run");
    } else {
        const uint64_t cycles = spoor_pipeline_cycles(run.pipeline, 0);
        qsort(run.rows, run.row_count, sizeof *run.rows, pipeline_by_ordinal);
        const enum spoor_pipeline_model model = (enum spoor_pipeline_model)config.model;
        json_bool(out, "simulated", true);
        json_number(out, "from", begin.from);
        json_number(out, "to", end.end);
        json_number(out, "cycles", cycles);
        json_number(out, "micro_ops", spoor_pipeline_micro_ops(run.pipeline, 0));
        json_begin(out, "presets", '[');
        for (size_t i = 0; spoor_pipeline_preset_name(i, NULL); i++)
            json_text(out, NULL, spoor_pipeline_preset_name(i, NULL));
        json_end(out, ']');
        pipeline_give_machine(out, &config);
        machine_put_stages(out, model);
        pipeline_give_rows(question, &run, model, at);
    }
    spoor_pipeline_free(run.pipeline);
    free(run.steps);
    free(run.rows);
    free(run.masked);
}

void ask_pipeline(struct question *question)
{
    const uint64_t records = spoor_index_records(question->trace->index);
    uint64_t at = 0;
    if (!parameter_number(question, "at", UINT64_MAX, &at)) return;
    if (!records) {
        refuse(question, 404, "the trace has no records");
        return;
    }
    if (at >= records) at = records - 1;
    if (!pipeline_answer_log(question, at) && !question->refused)
        pipeline_answer_machine(question, at);
}
