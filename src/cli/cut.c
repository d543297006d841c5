/* SPDX-License-Identifier: MIT */
/* cut.c: the verb `cut`: write a slice of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "cli/same_file.h"
#include "cli/selection.h"
#include "cli/transfer.h"
#include "spoor/batch.h"

/* ---- stuck ---- */

enum {
    PERIODS = 64,
    REPEATS = 3,    /* minimum repetitions of a period */
    LONGEST = 4096, /* an iteration of more records is none */
    SURE = 65536,   /* records that only repeat */
    CPUS = 1024,
};

/* A completed iteration: its effects, and its last record. */
struct iteration {
    uint64_t hash, end;
};

struct loop_state {
    bool begun;
    bool excepted;                    /* an event has come since the last instruction */
    uint64_t pc;                      /* of the last instruction */
    uint64_t hash;                    /* of the iteration so far */
    uint64_t count;                   /* iterations that have ended */
    uint64_t last;                    /* record of the last instruction */
    struct iteration lately[PERIODS]; /* iteration i at i % PERIODS */
    uint64_t runs[PERIODS];           /* by period - 1: number of the last iterations that equal
                                       * those before */
    uint64_t begins[PERIODS];         /* the same: the last record of the second repetition */
};

struct stuck {
    struct loop_state *cpus;
    size_t count, capacity;
    spoor_name cpu; /* named last */
};

/* An iteration ends before record `next`: compare it with those before it. */
static void stuck_end_iteration(struct loop_state *loop, uint64_t next)
{
    const uint64_t count = loop->count++;
    for (uint64_t period = 1; period <= PERIODS; period++) {
        uint64_t *run = &loop->runs[period - 1];
        const bool same =
            count >= period && loop->lately[(count - period) % PERIODS].hash == loop->hash;
        *run = same ? *run + 1 : 0;
        if (*run == period) loop->begins[period - 1] = next - 1;
    }
    loop->lately[count % PERIODS] = (struct iteration){loop->hash, next - 1};
    loop->hash = 0;
}

static void stuck_execute(struct loop_state *loop, uint64_t pc, uint64_t what, uint64_t record)
{
    if (loop->begun && pc <= loop->pc) stuck_end_iteration(loop, record);
    loop->begun = true;
    loop->excepted = false;
    loop->pc = pc;
    loop->last = record;
    loop->hash = hash_mix(hash_mix(loop->hash, pc), what);
}

static void stuck_add(struct loop_state *loop, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint64_t number = batch->first + index;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        if (record->op < SPOOR_INSN_AGAIN)
            stuck_execute(loop, record->has & SPOOR_HAS_VA ? record->insn.va : record->insn.pa,
                          hash_mix(record->insn.opcode, record->op), number);
        return;
    case SPOOR_UOP:
        if (spoor_uop_of(batch, index).step == 1)
            stuck_execute(loop, record->uop.pc, record->uop.micro, number);
        loop->hash = hash_mix(hash_mix(loop->hash, record->uop.address), record->op);
        return;
    case SPOOR_REG:
        loop->hash = hash_mix(hash_mix(loop->hash, record->reg.name), record->reg.value[0]);
        loop->hash = hash_mix(loop->hash, record->reg.value[1]);
        return;
    case SPOOR_MEM:
        loop->hash = hash_mix(hash_mix(loop->hash, record->op), record->mem.va);
        loop->hash = hash_mix(hash_mix(loop->hash, record->mem.data[0]), record->mem.data[1]);
        return;
    case SPOOR_EVENT: {
        /* of a chain of exceptions without an instruction between, each is an iteration */
        const struct spoor_event *event = &record->event;
        if (loop->excepted) stuck_end_iteration(loop, number);
        loop->excepted = loop->begun = true;
        loop->last = number;
        loop->hash = hash_mix(hash_mix(loop->hash, event->value), event->name);
        loop->hash = hash_mix(
            loop->hash, hash_of_bytes(spoor_batch_bytes(batch, event->text), event->text.size));
        return;
    }
    default: return;
    }
}

/* The trace has ended: whether every processor is stuck that still does something, and the last
 * record of the second repetition of the loop that begins last. */
static bool stuck_found(const struct stuck *stuck, uint64_t *record)
{
    uint64_t last = 0;
    bool found = false;
    for (size_t i = 0; i < stuck->count; i++)
        if (stuck->cpus[i].last > last) last = stuck->cpus[i].last;
    *record = 0;
    for (size_t i = 0; i < stuck->count; i++) {
        const struct loop_state *loop = &stuck->cpus[i];
        unsigned period = 1; /* the shortest that lasts to the end */
        while (period <= PERIODS && loop->runs[period - 1] < (uint64_t)(REPEATS - 1) * period)
            period++;
        if (!loop->begun) continue;
        if (period > PERIODS && last - loop->last > LONGEST) continue; /* it has stopped before */
        if (period > PERIODS) return false;
        found = true;
        if (loop->begins[period - 1] > *record) *record = loop->begins[period - 1];
    }
    return found;
}

struct cut_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output, *cpu, *where;
    struct range records, time, pc;
    bool lossy, stuck;
};

static const struct option options[] = {
    OPT(0, "records", RANGE, "A:B", offsetof(struct cut_settings, records), NULL),
    OPT(0, "time", RANGE, "A:B", offsetof(struct cut_settings, time), "(in the trace's unit)"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct cut_settings, cpu), NULL),
    OPT(0, "pc", HEXRANGE, "A:B", offsetof(struct cut_settings, pc),
        "instructions at pc A to B, both included, with their effects"),
    OPT(0, "where", TEXT, "EXPR", offsetof(struct cut_settings, where), NULL),
    OPT_FLAG(0, "stuck", offsetof(struct cut_settings, stuck),
             "end where the program enters an endless loop, after two iterations"),
    OPT('t', "to", FORMAT, "FORMAT", offsetof(struct cut_settings, to), "(default: the input's)"),
    OPT('o', "output", OUTPUT, "FILE", offsetof(struct cut_settings, output), NULL),
    OPT_FLAG(0, "lossy", offsetof(struct cut_settings, lossy), NULL),
    OPT_FLAG(0, "no-index", COMMON(no_index), NULL),
    OPTION_END,
};

/* ---- --stuck ---- */

/* A trace that is read twice: a pipe is copied to a file first. */
struct stuck_trace {
    struct settings settings; /* with the copy as the operand */
    char copy[4096];          /* "": there is none */
    char *operand;
    int file; /* the copy, while it is written; -1 */
};

/* The end of the slice: the last record of the second iteration of its endless loop. */
static int cut_find_stuck(const struct cut_settings *settings, struct stuck_trace *trace,
                          struct spoor_span *records)
{
    struct trace_input trace_input;
    const char *path = operand(&settings->common, 0);
    uint64_t last;
    *trace = (struct stuck_trace){.settings = settings->common, .file = -1};
    if (operand_count(&settings->common) != 1)
        return complain_for(EXIT_USAGE, "--stuck: expected one trace");
    struct stuck stuck = {0};
    if (!input_open(&trace_input, path, &settings->common)) return trace_input.exit_code;
    trace_input.silent = true; /* cutting says it */
    const char *folder = getenv("TMPDIR");
    bool copied = can_be_read_twice(path);
    if (!copied) {
        snprintf(trace->copy, sizeof trace->copy, "%s/spoor-stuck-XXXXXX",
                 folder && *folder ? folder : "/tmp");
        trace->file = mkstemp(trace->copy);
        copied = trace->file >= 0;
        if (!copied) {
            complain("%s: cannot be written: %s", trace->copy, strerror(errno));
            trace->copy[0] = '\0';
        }
    }
    bool read = copied, sure = false;
    const struct spoor_batch *batch;
    while (read && !sure && input_next(&trace_input, &batch)) {
        for (size_t at = 0; read && trace->file >= 0 && at < batch->text_size;) {
            const ssize_t written = write(trace->file, batch->text + at, batch->text_size - at);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0)
                read = complain("%s: cannot be written: %s", trace->copy, strerror(errno));
            at += written > 0 ? (size_t)written : 0;
        }
        for (size_t i = 0; read && i < batch->count; i++) {
            if (batch->records[i].has & SPOOR_HAS_CPU) stuck.cpu = batch->records[i].cpu;
            const size_t cpu = stuck.cpu < CPUS ? stuck.cpu : CPUS - 1;
            read = array_reserve_zeroed(&stuck.cpus, &stuck.capacity, cpu + 1) ||
                   complain("out of memory");
            if (read && cpu >= stuck.count) stuck.count = cpu + 1;
            if (read) stuck_add(&stuck.cpus[cpu], batch, i);
        }
        /* a pipe is read until nothing else is to be expected, though the trace may go on */
        uint64_t begin, end = 0;
        for (size_t i = 0; i < stuck.count; i++)
            if (stuck.cpus[i].last > end) end = stuck.cpus[i].last;
        sure = read && trace->file >= 0 && stuck_found(&stuck, &begin) && end - begin >= SURE;
    }
    if (read) trace->settings.from = trace_input.stream->format;
    int code = worse(input_close(&trace_input), read ? EXIT_CLEAN : EXIT_UNREADABLE);
    if (trace->file >= 0) {
        close(trace->file);
        trace->operand = trace->copy;
        trace->settings.operands = &trace->operand;
        trace->settings.operand_count = 1;
    }
    if (code == EXIT_CLEAN) {
        if (!stuck_found(&stuck, &last))
            complain("%s: does not end in a loop that repeats: it is written whole", path);
        else if (!records->given || last < records->last)
            *records = (struct spoor_span){true, records->given ? records->first : 0, last};
    }
    free(stuck.cpus);
    return code;
}

static int cut_run(void *settings)
{
    struct cut_settings *cut = settings;
    struct spoor_error error = {0};
    struct spoor_select *where = NULL;
    if (cut->where && spoor_select_compile(&where, cut->where, &error) != SPOOR_OK)
        return fail_option("--where", &error);
    struct spoor_cut_options slice = {.records = selection_span(&cut->records),
                                      .time = selection_span(&cut->time),
                                      .pc = selection_span(&cut->pc),
                                      .cpu = cut->cpu,
                                      .where = where};
    /* Effects belong to an instruction only where its address selects: else the order of the file
     * stays. */
    if (cut->common.effects == SPOOR_EFFECTS_DETECT && !cut->pc.given)
        cut->common.effects = SPOOR_EFFECTS_AS_WRITTEN;
    struct stuck_trace trace = {.file = -1};
    struct transfer transfer = {.settings = &cut->common,
                                .slice = &slice,
                                .output = cut->output,
                                .to = cut->to,
                                .lossy = cut->lossy,
                                .no_index = cut->common.no_index};
    int code = EXIT_CLEAN;
    if (cut->stuck) { /* the trace is read twice, and must be the same file both times */
        const char *path = operand(&cut->common, 0);
        const struct same_file file = same_file_of(path);
        code = cut_find_stuck(cut, &trace, &slice.records);
        if (code == EXIT_CLEAN && !same_file_still(&file, path)) code = EXIT_UNREADABLE;
        transfer.settings = &trace.settings;
    }
    if (code == EXIT_CLEAN) {
        code = transfer_run(&transfer);
        selection_note(transfer.selected > 0);
    }
    if (trace.copy[0]) unlink(trace.copy);
    spoor_select_free(where);
    return code;
}

const struct verb verb_cut = {
    .name = "cut",
    .brief = "write a slice: by records, time, cpu, pc or expression",
    .operands = "TRACE...",
    .about = "Writes the records that meet every condition, in the input's own format and with "
             "their own bytes.  The effects of an instruction follow it and belong to it; a "
             "record that names no cpu belongs to the cpu named last.  Deltas of time (BYU) are "
             "not changed.",
    .options = options,
    .selects = true,
    .settings_size = sizeof(struct cut_settings),
    .json = true,
    .many = true,
    .run = cut_run,
};
