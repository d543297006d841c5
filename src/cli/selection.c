/* SPDX-License-Identifier: MIT */
/* selection.c: batches of the selected records of a trace. */
#include "cli/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/record_numbers.h"
#include "cli/skip.h"

/* What is done with the records from one boundary of an interval to the next. */
enum part { PART_SKIPPED, PART_TRAINING, PART_COUNTED, PARTS };

struct selection {
    struct spoor_select *where;
    struct spoor_cut_options options;
    struct spoor_cut *cut;
    struct spoor_batch batch; /* the selected records; its other memory is that of what was read */
    struct spoor_record *records;
    size_t capacity;
    struct spoor_spill *spills;
    size_t spill_capacity;
    struct spoor_fault *faults;
    size_t fault_capacity;
    const struct spoor_batch *read; /* the batch that they were selected from; NULL: none yet */
    uint64_t read_end;              /* the number of the record after it */
    size_t from, to;                /* records of it that the cut selected and no batch has yet */
    size_t row;                     /* of it, a line or what has a length, */
    const char *row_start;          /* which begins here in its text */
    struct run {
        size_t first, from; /* the run begins at record `first`, which was record `from` */
    } * runs;
    size_t run_count, run_capacity;
    bool left[1 << 16]; /* by cpu: instructions were left out since its last selected record */
    size_t left_count;
    size_t seen;    /* records of the batch before this one are selected, or noted as left out */
    uint64_t count; /* of records so far */
    struct record_numbers numbers;
    struct spoor_references references;
    struct spoor_branches branches;
    enum part part;
    struct boundary ends[PARTS]; /* of each part of the interval that is read */
    bool counts_instructions;    /* a boundary may be one of instructions */
    bool of_intervals;           /* the boundaries are those of --simpoints */
    bool masks;                  /* what is not selected becomes notes: struct verb, `numbers` */
    bool of_machine;             /* `masks`: what is left out changed registers and memory */
    /* `masks`: the batch was not given yet; it has a selected record */
    bool is_full, is_selected;
    struct spoor_instruction_count instructions;
};

/* Of all traces of this run of the program. */
static struct {
    bool asked, found;
} verdict;

bool selection_is_part(const struct settings *settings)
{
    const struct record_selection *selection = &settings->selection;
    return selection->records.given || selection->time.given || selection_cpu(settings) ||
           selection->where;
}

const char *selection_cpu(const struct settings *settings)
{
    return settings->verb->machine ? NULL : settings->selection.cpu;
}

void selection_note(bool found)
{
    verdict.asked = true;
    verdict.found |= found;
}

int selection_verdict(int code)
{
    if (code != EXIT_CLEAN || !verdict.asked || verdict.found) return code;
    return complain_for(EXIT_NOTHING, "no record was selected");
}

int selection_fail(const struct spoor_select *where)
{
    struct spoor_error error = {0};
    if (spoor_select_status(where, &error) == SPOOR_EUSAGE) return fail(&error);
    return complain_for(EXIT_UNREADABLE, "out of memory");
}

const char *selection_words(const struct settings *settings)
{
    return selection_is_part(settings) ? " in the selected records" : "";
}

struct spoor_span selection_span(const struct range *range)
{
    return (struct spoor_span){range->given, range->first, range->last};
}

/* ---- opening ---- */

bool selection_open(struct trace_input *trace_input, const char *path)
{
    const struct settings *settings = trace_input->settings;
    const struct record_selection *chosen = &settings->selection;
    struct spoor_error error = {0};
    if (!selection_is_part(settings) && !settings->warmup && !settings->simpoints) return true;
    struct selection *selection = trace_input->selection = calloc(1, sizeof *selection);
    if (selection && chosen->where &&
        spoor_select_compile(&selection->where, chosen->where, &error) != SPOOR_OK) {
        trace_input->exit_code = fail_option("--where", &error);
        return false;
    }
    if (selection) {
        selection->options = (struct spoor_cut_options){.records = selection_span(&chosen->records),
                                                        .time = selection_span(&chosen->time),
                                                        .cpu = selection_cpu(settings),
                                                        .where = selection->where};
        (void)spoor_cut_new(&selection->cut, &selection->options, NULL);
    }
    if (!selection || !selection->cut) {
        complain("out of memory");
        trace_input->exit_code = EXIT_UNREADABLE;
        return false;
    }
    selection->counts_instructions = settings->warmup || settings->simpoints;
    selection->of_intervals = settings->simpoints != NULL;
    selection->masks = settings->verb->numbers;
    selection->of_machine = settings->verb->machine;
    selection_begin(selection, &(struct interval){.count = {true, settings->warmup},
                                                  .end = {false, UINT64_MAX}});
    if (selection_is_part(settings)) selection_note(false);
    struct spoor_skipper_options passed = {.records = selection->options.records,
                                           .time = selection->options.time,
                                           .cpu = selection->options.cpu,
                                           .where = selection->options.where};
    record_numbers_begin(&selection->numbers, trace_input->stream,
                         chosen->records.given ? chosen->records.first : 0);
    /* what an index excludes may have instructions, between which and the others nothing leads */
    const bool scattered = settings->verb->follows && (chosen->where || chosen->time.given);
    if (!settings->no_index && !trace_input->fills && !scattered &&
        record_numbers_passes(&selection->numbers, &passed))
        input_skip(trace_input, path, &passed);
    return true;
}

void selection_close(struct selection *selection)
{
    if (!selection) return;
    spoor_cut_free(selection->cut);
    spoor_select_free(selection->where);
    spoor_references_free(&selection->references);
    spoor_branches_free(&selection->branches);
    free(selection->records);
    free(selection->spills);
    free(selection->faults);
    free(selection->runs);
    free(selection);
}

/* ---- batches ---- */

/* Goes on to the row of this number. */
static const char *selection_go_to_row(struct selection *selection, size_t row)
{
    const struct spoor_batch *batch = selection->read;
    const char *end = batch->text + batch->text_size;
    for (; selection->row < row && selection->row_start < end; selection->row++) {
        const char *at = selection->row_start, *next;
        if (batch->stream->length) {
            const size_t size = batch->stream->length(batch->stream, at, (size_t)(end - at));
            next = size ? at + size : NULL;
        } else {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            next = newline ? newline + 1 : NULL;
        }
        selection->row_start = next ? next : end;
    }
    return selection->row_start;
}

/* The number of bytes of the trace that the records of a run occupy. */
static size_t selection_bytes_of_run(struct selection *selection, size_t from, size_t to)
{
    const struct spoor_batch *batch = selection->read;
    if (!batch->stream->length && batch->stream->record_size && batch->offset == 0) {
        const uint64_t begin = spoor_batch_offset(batch, from);
        const uint64_t end =
            to < batch->count ? spoor_batch_offset(batch, to) : batch->offset + batch->text_size;
        return (size_t)(end - begin);
    }
    if (!batch->stream->length && batch->stream->record_size)
        return (to - from) * batch->stream->record_size;
    const char *begin = selection_go_to_row(selection, spoor_batch_place(batch, from));
    return (size_t)(selection_go_to_row(selection, spoor_batch_place(batch, to - 1) + 1) - begin);
}

/* Notes the instructions up to a record of the batch that was read, which are left out.  Those
 * before the first selected record separate nothing. */
static void selection_note_left_out(struct selection *selection, size_t to)
{
    const struct spoor_batch *read = selection->read;
    const bool any = selection->count || selection->batch.count;
    for (size_t i = selection->seen; any && i < to; i++) {
        const struct spoor_record *record = &read->records[i];
        bool *left = &selection->left[record->cpu];
        const bool is_instruction = record->kind == SPOOR_UOP || record->kind == SPOOR_INSN ||
                                    record->kind == SPOOR_FLOW ||
                                    (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH);
        if (*left || !is_instruction) continue;
        *left = true;
        selection->left_count++;
    }
    selection->seen = to;
}

/* Adds the records of a run, with their spills and their faults.  A whole batch of a text, where
 * each line has a record, is not copied: the bytes of the run are those of the batch. */
static void selection_put_run(struct selection *selection, size_t from, size_t to)
{
    const struct spoor_batch *read = selection->read;
    struct spoor_batch *own = &selection->batch;
    selection->runs[selection->run_count++] = (struct run){own->count, from};
    selection_note_left_out(selection, from);
    selection->seen = to;
    if (!selection->numbers.applies && !selection->numbers.headless && !selection->left_count &&
        from == 0 && to == read->count && !read->stream->record_size && !read->stream->length) {
        own->records = read->records;
        own->count = read->count;
        own->spills = read->spills;
        own->spill_count = read->spill_count;
        own->faults = read->faults;
        own->fault_count = read->fault_count;
        own->text_size = read->text_size;
        return;
    }
    own->text_size += selection_bytes_of_run(selection, from, to);
    memcpy(selection->records + own->count, read->records + from,
           (to - from) * sizeof *read->records);
    record_numbers_run(&selection->numbers, read, from, to, selection->records + own->count);
    /* The first record of each processor after instructions that were left out is marked. */
    struct spoor_record *records = selection->records + own->count;
    for (size_t i = 0; i < to - from && selection->left_count; i++) {
        bool *left = &selection->left[records[i].cpu];
        if (!*left || records[i].kind == SPOOR_NOTE) continue;
        *left = false;
        selection->left_count--;
        records[i].has |= SPOOR_AFTER_GAP;
    }
    spoor_batch_quote_lists(own, read, from, to);
    own->count += to - from;
}

/* The batch that was read, with notes in place of the records that are not selected. */
static void selection_mask(struct selection *selection)
{
    const struct spoor_batch *read = selection->read;
    struct spoor_batch *own = &selection->batch;
    size_t from, to = 0, fault = 0;
    *own = *read;
    own->records = selection->records;
    own->faults = selection->faults;
    own->fault_count = 0;
    spoor_cut_mask(selection->cut, read, own->records, selection->of_machine);
    while (spoor_cut_run(selection->cut, &from, &to)) {
        record_numbers_run(&selection->numbers, read, from, to, own->records + from);
        while (fault < read->fault_count && read->faults[fault].record < from) fault++;
        for (; fault < read->fault_count && read->faults[fault].record < to; fault++)
            own->faults[own->fault_count++] = read->faults[fault];
    }
}

bool selection_feed(struct trace_input *trace_input, const struct spoor_batch *batch)
{
    struct selection *selection = trace_input->selection;
    const char *cpu;
    bool timed;
    if (skip_passed(trace_input, &cpu, &timed))
        spoor_cut_skip(selection->cut, batch->stream->names, cpu, timed);
    const uint64_t before = spoor_cut_selected(selection->cut);
    const enum spoor_status status = spoor_cut_feed(selection->cut, batch, NULL);
    const size_t count = (size_t)(spoor_cut_selected(selection->cut) - before);
    selection->read = batch;
    selection->read_end = batch->first + batch->count;
    record_numbers_read(&selection->numbers, batch);
    selection->row = 0;
    selection->row_start = batch->text;
    selection->from = selection->to = selection->seen = 0;
    if (status == SPOOR_OK && selection->masks &&
        array_reserve(&selection->records, &selection->capacity, batch->count + 1) &&
        array_reserve(&selection->faults, &selection->fault_capacity, batch->fault_count + 1)) {
        /* what is left out before the first selected record separates nothing */
        selection->is_full = count > 0 || before > 0;
        selection->is_selected = count > 0;
        selection_mask(selection);
        return true;
    }
    if (status == SPOOR_OK && !selection->masks &&
        array_reserve(&selection->records, &selection->capacity, count + 1) &&
        array_reserve(&selection->runs, &selection->run_capacity, count + 1) &&
        array_reserve(&selection->spills, &selection->spill_capacity, batch->spill_count + 1) &&
        array_reserve(&selection->faults, &selection->fault_capacity, batch->fault_count + 1))
        return true;
    trace_input->exit_code = worse(trace_input->exit_code, selection_fail(selection->where));
    trace_input->broken = true;
    if (selection->masks) return false; /* no part of a result is shown */
    return complain("the records from number %llu on were not selected",
                    (unsigned long long)batch->first);
}

/* ---- intervals ---- */

void selection_begin(struct selection *selection, const struct interval *interval)
{
    selection->ends[PART_SKIPPED] = interval->train;
    selection->ends[PART_TRAINING] = interval->count;
    selection->ends[PART_COUNTED] = interval->end;
    selection->part = PART_SKIPPED;
}

/* The first record of the run, before `to`, with which more than `number` instructions have begun.
 * --warmup counts them from the first selected record, --simpoints from the first of the trace. */
static size_t selection_find_instruction(struct selection *selection, size_t to, uint64_t number)
{
    struct spoor_instruction_count *counted = &selection->instructions;
    const uint64_t left_out = selection->of_intervals
                                  ? 0
                                  : record_numbers_left_out(&selection->numbers, selection->read,
                                                            selection->from, selection->to);
    const uint64_t wanted = number > UINT64_MAX - left_out ? UINT64_MAX : number + left_out;
    counted->count += left_out;
    const size_t found =
        spoor_instruction_count_find(counted, selection->read, selection->from, to, wanted);
    counted->count -= left_out;
    return found;
}

enum selection_next selection_next(struct selection *selection, const struct spoor_batch **batch)
{
    if (!selection->read) return SELECTION_NEEDS_MORE;
    if (selection->masks) {
        if (!selection->is_full) return SELECTION_NEEDS_MORE;
        selection->is_full = false;
        if (selection->is_selected) selection_note(true);
        *batch = &selection->batch;
        return SELECTION_BATCH;
    }
    struct spoor_batch *own = &selection->batch;
    spoor_batch_quote(own, selection->read);
    own->records = selection->records;
    own->spills = selection->spills;
    own->faults = selection->faults;
    selection->run_count = 0;
    own->first = selection->count;
    for (;;) {
        if (selection->from == selection->to &&
            !spoor_cut_run(selection->cut, &selection->from, &selection->to)) {
            selection_note_left_out(selection, selection->read->count);
            break;
        }
        /* the end of the records of the run that lie in the present part of the interval */
        const struct boundary *boundary = &selection->ends[selection->part];
        const size_t from = selection->from, to = selection->to;
        size_t end = from;
        if (!boundary->by_instruction && boundary->at > selection->read->first + from)
            end = boundary->at >= selection->read->first + to
                      ? to
                      : (size_t)(boundary->at - selection->read->first);
        if (boundary->by_instruction && boundary->at > 0)
            end = selection_find_instruction(selection, to, boundary->at);
        else if (!boundary->by_instruction && selection->counts_instructions)
            end = selection_find_instruction(selection, end, UINT64_MAX);
        if (end > from) {
            if (selection->part != PART_SKIPPED) selection_put_run(selection, from, end);
            selection->from = end;
        } else if (selection->batch.count) {
            break; /* what follows is of another part */
        } else if (selection->part == PART_COUNTED) {
            return SELECTION_INTERVAL_ENDS;
        } else {
            selection->part++;
        }
    }
    if (!selection->batch.count) return SELECTION_NEEDS_MORE;
    selection->count += selection->batch.count;
    selection_note(true);
    *batch = &selection->batch;
    return SELECTION_BATCH;
}

struct selection_place selection_place(const struct selection *selection)
{
    return (struct selection_place){
        .counts = selection->part == PART_COUNTED,
        .over = selection->cut && spoor_cut_done(selection->cut),
        .records = selection->read_end, /* at its end the reader has emptied its batch */
        .instructions = selection->instructions.count};
}

size_t selection_origin(const struct selection *selection, size_t index,
                        const struct spoor_batch **read)
{
    const size_t before = SORTED_UP_TO(selection->runs, selection->run_count, first, index);
    const size_t low = before ? before - 1 : 0;
    *read = selection->read;
    return selection->runs[low].from + (index - selection->runs[low].first);
}

/* ---- views ---- */

bool selection_references(struct selection *selection, const struct spoor_batch *batch,
                          const struct spoor_reference_options *options,
                          struct spoor_reference_block *block)
{
    struct spoor_references *references = &selection->references;
    references->count = 0;
    if (spoor_references_add(references, batch, options, NULL) != SPOOR_OK) return false;
    *block = (struct spoor_reference_block){
        .items = references->items, .count = references->count, .source = batch};
    return true;
}

bool selection_branches(struct selection *selection, const struct spoor_batch *batch,
                        struct spoor_branch_block *block)
{
    struct spoor_branches *branches = &selection->branches;
    branches->count = 0;
    if ((batch ? spoor_branches_add(branches, batch, NULL) : spoor_branches_end(branches, NULL)) !=
        SPOOR_OK)
        return false;
    size_t cpus;
    const uint64_t *by_cpu = spoor_branches_instructions(branches, &cpus);
    *block = (struct spoor_branch_block){.items = branches->items,
                                         .count = branches->count,
                                         .instructions = branches->instructions,
                                         .unresolved = branches->unresolved,
                                         .cpu_instructions = by_cpu,
                                         .cpu_capacity = cpus,
                                         .source = batch};
    return true;
}
