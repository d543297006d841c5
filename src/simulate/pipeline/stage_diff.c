/* SPDX-License-Identifier: MIT */
/* stage_diff.c: compares the micro-ops of a simulated machine with the log of another pipeline. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "model/options.h"
#include "spoor/format.h"
#include "spoor/pipeline.h"

/*
 * ---- the log: the instructions that retire, in order ----
 *
 * Stages have other names in each simulator.  The first stage of an instruction is its fetch, and
 * the INSN record its retirement.  The names below state its issue and its completion; the best one
 * that an instruction has counts.
 */

/* An instruction of a log, or a micro-op of a machine. */
struct timed_instruction {
    struct spoor_pipeline_times at; /* first: its number is the key, in the log */
    uint8_t rank[SPOOR_MOMENTS];    /* log: how well the name of the stage fits */
};

enum { ORDER_WINDOW = 1024 /* instructions that retire are sorted within */ };
struct timed_log {
    struct hash_map flights;         /* struct timed_instruction */
    struct timed_instruction *ready; /* by number; those before `next` were handed out */
    size_t next, count, capacity;
    uint64_t ticks;                          /* of a cycle; 0: not yet known */
    uint64_t retired, squashed, first, last; /* times in ticks */
    bool any, ended, failed;
};

enum { IN_FLIGHT = 1 << 18 };

static const struct {
    const char *name;
    enum spoor_pipeline_moment moment;
    uint8_t rank; /* the greatest counts */
} stage_names[] = {
    {"fetch", SPOOR_MOMENT_FETCH, 3},       {"F", SPOOR_MOMENT_FETCH, 2},
    {"issue", SPOOR_MOMENT_ISSUE, 3},       {"Is", SPOOR_MOMENT_ISSUE, 3},
    {"X", SPOOR_MOMENT_ISSUE, 2},           {"Ex", SPOOR_MOMENT_ISSUE, 2},
    {"EX", SPOOR_MOMENT_ISSUE, 2},          {"I", SPOOR_MOMENT_ISSUE, 1},
    {"complete", SPOOR_MOMENT_COMPLETE, 3}, {"C", SPOOR_MOMENT_COMPLETE, 3},
    {"Wb", SPOOR_MOMENT_COMPLETE, 3},       {"WB", SPOOR_MOMENT_COMPLETE, 3},
    {"Rw", SPOOR_MOMENT_COMPLETE, 3},       {"W", SPOOR_MOMENT_COMPLETE, 2},
    {"Cm", SPOOR_MOMENT_COMPLETE, 1},       {"retire", SPOOR_MOMENT_RETIRE, 1},
    {"Rt", SPOOR_MOMENT_RETIRE, 2},
};

static void timed_set_moment(struct timed_instruction *timed, enum spoor_pipeline_moment moment,
                             uint8_t rank, uint64_t time)
{
    if (timed->rank[moment] >= rank) return; /* 0: it has no time yet */
    timed->at.time[moment] = time;
    timed->rank[moment] = rank;
    timed->at.has = (uint8_t)(timed->at.has | 1U << moment);
}

static void timed_log_add_stage(struct timed_log *log, const struct spoor_batch *batch,
                                const struct spoor_record *record)
{
    size_t size;
    bool added;
    if (!(record->has & SPOOR_HAS_EXTRA) || !(record->has & SPOOR_HAS_TIME)) return;
    const uint64_t number = record->event.value1;
    struct timed_instruction *timed = hash_map_find(&log->flights, number, sizeof *timed);
    if (!timed && log->flights.count < IN_FLIGHT) {
        timed = hash_map_add(&log->flights, number, sizeof *timed, &added);
        log->failed |= !timed;
    }
    if (!timed) return;
    timed_set_moment(timed, SPOOR_MOMENT_FETCH, 1, record->time); /* the first stage */
    const char *text = spoor_names_text(batch->stream->names, record->event.name, &size);
    for (size_t i = 0; i < sizeof stage_names / sizeof *stage_names; i++)
        if (strlen(stage_names[i].name) == size && memcmp(stage_names[i].name, text, size) == 0)
            timed_set_moment(timed, stage_names[i].moment, stage_names[i].rank, record->time);
}

static void timed_log_add_end(struct timed_log *log, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint64_t number = record->insn.index;
    struct timed_instruction *found = hash_map_find(&log->flights, number, sizeof *found);
    struct timed_instruction timed = {.at.number = number};
    if (found) {
        timed = *found;
        hash_map_remove(&log->flights, number, sizeof *found);
    }
    if (record->op == SPOOR_INSN_SQUASHED) {
        log->squashed++;
        return;
    }
    if (!(record->has & SPOOR_HAS_TIME)) return;
    timed_set_moment(&timed, SPOOR_MOMENT_RETIRE, 1, record->time);
    timed.at.pc = record->insn.va;
    timed.at.has_pc = record->has & SPOOR_HAS_VA;
    const uint64_t first =
        timed.at.time[timed.at.has & 1 ? SPOOR_MOMENT_FETCH : SPOOR_MOMENT_RETIRE];
    if (!log->any || first < log->first) log->first = first;
    if (!log->any || timed.at.time[SPOOR_MOMENT_RETIRE] > log->last)
        log->last = timed.at.time[SPOOR_MOMENT_RETIRE];
    log->any = true;
    log->retired++;
    /* It goes among those that retired, by its number. */
    if (log->next >= ORDER_WINDOW && log->next * 2 >= log->count) {
        log->count -= log->next;
        memmove(log->ready, log->ready + log->next, log->count * sizeof *log->ready);
        log->next = 0;
    }
    log->failed |= !array_reserve(&log->ready, &log->capacity, log->count + 1);
    if (log->failed) return;
    size_t at = log->count++;
    for (; at > log->next && log->ready[at - 1].at.number > number; at--)
        log->ready[at] = log->ready[at - 1];
    log->ready[at] = timed;
}

/* ---- the comparison ---- */

enum { LOOKAHEAD = 64, BUCKETS = 20, SITES = 10, STEPS = SPOOR_MOMENTS };

/* The time from one moment to another, or since the micro-op before retired. */
static const struct {
    const char *name;
    enum spoor_pipeline_moment from, to;
} steps[STEPS] = {
    {"fetch to issue", SPOOR_MOMENT_FETCH, SPOOR_MOMENT_ISSUE},
    {"issue to complete", SPOOR_MOMENT_ISSUE, SPOOR_MOMENT_COMPLETE},
    {"complete to retire", SPOOR_MOMENT_COMPLETE, SPOOR_MOMENT_RETIRE},
    {"fetch to retire", SPOOR_MOMENT_FETCH, SPOOR_MOMENT_RETIRE},
};

/* Micro-ops of one side that wait to be compared. */
struct lookahead {
    struct spoor_pipeline_times items[LOOKAHEAD];
    size_t first, count;
    uint64_t passed_over;
    bool ended;
};

struct step_sum {
    uint64_t micro_ops, machine, log, apart; /* cycles; micro-ops beyond the tolerance */
};

/* The time before the micro-ops of a pc retire, after those before them. */
struct pc_sum {
    uint64_t pc; /* key */
    uint64_t micro_ops, machine, log;
};

struct spoor_pipeline_diff {
    struct spoor_pipeline_diff_options options;
    struct timed_log log;
    struct lookahead machine, logged;
    struct step_sum steps[STEPS];
    uint64_t matched, squashed, retired, first, last; /* of the machine */
    uint64_t later[BUCKETS], earlier[BUCKETS];        /* micro-ops by how much their retirement
                                                       * differs: 0, 1, 2 to 3, 4 to 7... */
    struct hash_map sites;                            /* struct pc_sum */
    struct spoor_pipeline_times origin[2], before[2];
    struct {
        bool found;
        enum spoor_pipeline_moment moment;
        struct spoor_pipeline_times machine, log;
    } part;
    bool failed;
};

enum spoor_status spoor_pipeline_diff_new(struct spoor_pipeline_diff **diff,
                                          const struct spoor_pipeline_diff_options *options,
                                          struct spoor_error *error)
{
    struct spoor_pipeline_diff_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    *diff = NULL;
    if (status != SPOOR_OK) return status;
    if (!own.next)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found no function `next`, expected one that reads the log");
    *diff = calloc(1, sizeof **diff);
    if (!*diff) return memory_status(false, error);
    (*diff)->options = own;
    (*diff)->log.ticks = own.ticks;
    return SPOOR_OK;
}

void spoor_pipeline_diff_free(struct spoor_pipeline_diff *diff)
{
    if (!diff) return;
    hash_map_free(&diff->log.flights);
    free(diff->log.ready);
    hash_map_free(&diff->sites);
    free(diff);
}

/* ---- a pair ---- */

/* The time of a moment since the first micro-op was fetched. */
static int64_t moment_since(const struct spoor_pipeline_times *timed,
                            const struct spoor_pipeline_times *origin,
                            enum spoor_pipeline_moment moment)
{
    const enum spoor_pipeline_moment begin =
        origin->has & 1 ? SPOOR_MOMENT_FETCH : SPOOR_MOMENT_RETIRE;
    return (int64_t)(timed->time[moment] - origin->time[begin]);
}

static uint64_t diff_magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void diff_compare_pair(struct spoor_pipeline_diff *diff,
                              const struct spoor_pipeline_times *ours,
                              const struct spoor_pipeline_times *theirs)
{
    if (!diff->matched) {
        diff->origin[0] = *ours;
        diff->origin[1] = *theirs;
        if (!(theirs->has & 1)) diff->origin[0].has = 1U << SPOOR_MOMENT_RETIRE;
    }
    const unsigned both = ours->has & theirs->has;
    for (unsigned moment = 0; moment < SPOOR_MOMENTS; moment++) {
        if (!(both >> moment & 1)) continue;
        const int64_t apart = moment_since(ours, &diff->origin[0], moment) -
                              moment_since(theirs, &diff->origin[1], moment);
        if (moment == SPOOR_MOMENT_RETIRE) {
            unsigned bucket = 0;
            for (uint64_t left = diff_magnitude(apart); left && bucket < BUCKETS - 1; left /= 2)
                bucket++;
            (apart < 0 ? diff->earlier : diff->later)[bucket]++;
        }
        if (diff->part.found || diff_magnitude(apart) <= diff->options.tolerance) continue;
        diff->part.found = true;
        diff->part.moment = moment;
        diff->part.machine = *ours;
        diff->part.log = *theirs;
    }
    if (diff->options.pair) diff->options.pair(diff->options.context, ours, theirs);
    for (unsigned i = 0; i < STEPS; i++) {
        const enum spoor_pipeline_moment from = steps[i].from, to = steps[i].to;
        if (!(both >> from & 1) || !(both >> to & 1)) continue;
        const uint64_t mine = ours->time[to] - ours->time[from];
        const uint64_t other = theirs->time[to] - theirs->time[from];
        if (theirs->time[to] < theirs->time[from]) continue;
        diff->steps[i].micro_ops++;
        diff->steps[i].machine += mine;
        diff->steps[i].log += other;
        diff->steps[i].apart += diff_magnitude((int64_t)(mine - other)) > diff->options.tolerance;
    }
    bool added;
    struct pc_sum *site = hash_map_add(&diff->sites, ours->pc, sizeof *site, &added);
    if (!site) diff->failed = true;
    if (site) site->micro_ops++;
    if (site && diff->matched) {
        const uint64_t mine = ours->time[SPOOR_MOMENT_RETIRE];
        const uint64_t before = diff->before[0].time[SPOOR_MOMENT_RETIRE];
        const uint64_t other = theirs->time[SPOOR_MOMENT_RETIRE];
        const uint64_t other_before = diff->before[1].time[SPOOR_MOMENT_RETIRE];
        site->machine += mine > before ? mine - before : 0;
        site->log += other > other_before ? other - other_before : 0;
    }
    diff->before[0] = *ours;
    diff->before[1] = *theirs;
    diff->matched++;
}

/* ---- both in order ---- */

static struct spoor_pipeline_times *lookahead_item(struct lookahead *waiting, size_t index)
{
    return &waiting->items[(waiting->first + index) % LOOKAHEAD];
}

static void lookahead_drop(struct lookahead *waiting, size_t count)
{
    waiting->first = (waiting->first + count) % LOOKAHEAD;
    waiting->count -= count;
}

static void lookahead_pass_over(struct lookahead *waiting, size_t count)
{
    lookahead_drop(waiting, count);
    waiting->passed_over += count;
}

static bool diff_are_alike(struct spoor_pipeline_diff *diff, size_t ours, size_t theirs)
{
    if (ours >= diff->machine.count || theirs >= diff->logged.count) return false;
    const struct spoor_pipeline_times *other = lookahead_item(&diff->logged, theirs);
    return !other->has_pc || lookahead_item(&diff->machine, ours)->pc == other->pc;
}

/* Passes over the fewest micro-ops of both sides before equal ones. */
static void diff_resynchronise(struct spoor_pipeline_diff *diff)
{
    const size_t all = diff->machine.count + diff->logged.count;
    for (size_t skipped = 1; skipped < all; skipped++)
        for (size_t ours = 0; ours <= skipped; ours++) {
            const size_t theirs = skipped - ours;
            if (!diff_are_alike(diff, ours, theirs)) continue;
            if (!diff_are_alike(diff, ours + 1, theirs + 1) && ours + 1 < diff->machine.count &&
                theirs + 1 < diff->logged.count)
                continue;
            lookahead_pass_over(&diff->machine, ours);
            lookahead_pass_over(&diff->logged, theirs);
            return;
        }
    lookahead_pass_over(&diff->machine, diff->machine.count);
    lookahead_pass_over(&diff->logged, diff->logged.count);
}

static void diff_fill(struct spoor_pipeline_diff *diff)
{
    struct lookahead *logged = &diff->logged;
    struct timed_log *log = &diff->log;
    while (logged->count < LOOKAHEAD && log->next < log->count &&
           (log->ended || log->count - log->next >= ORDER_WINDOW)) {
        if (!log->ticks) {
            const size_t count = log->count - log->next;
            uint64_t *all = malloc((count * SPOOR_MOMENTS + 1) * sizeof *all);
            size_t found = 0;
            for (size_t i = log->next; i < log->count && all; i++) {
                const struct spoor_pipeline_times *times = &log->ready[i].at;
                for (unsigned moment = 1; moment < SPOOR_MOMENTS; moment++)
                    if ((times->has >> moment & 1) && (times->has >> (moment - 1) & 1) &&
                        times->time[moment] > times->time[moment - 1])
                        all[found++] = times->time[moment] - times->time[moment - 1];
            }
            log->failed |= !all;
            log->ticks = spoor_stages_cycle(all, found);
            free(all);
        }
        struct spoor_pipeline_times *at = &log->ready[log->next++].at;
        for (unsigned moment = 0; moment < SPOOR_MOMENTS; moment++) at->time[moment] /= log->ticks;
        *lookahead_item(logged, logged->count++) = *at;
    }
}

/* Compares all micro-ops that wait on both sides. */
static void diff_advance(struct spoor_pipeline_diff *diff)
{
    struct lookahead *machine = &diff->machine, *logged = &diff->logged;
    for (;;) {
        diff_fill(diff);
        while (machine->count && logged->count && diff_are_alike(diff, 0, 0)) {
            diff_compare_pair(diff, lookahead_item(machine, 0), lookahead_item(logged, 0));
            lookahead_drop(machine, 1);
            lookahead_drop(logged, 1);
        }
        diff_fill(diff);
        if (!machine->count || !logged->count) return;
        if (diff_are_alike(diff, 0, 0)) continue;
        const bool enough = (machine->count == LOOKAHEAD || machine->ended) &&
                            (logged->count == LOOKAHEAD || diff->log.ended);
        if (!enough) return;
        diff_resynchronise(diff);
    }
}

/* Reads the log: until micro-ops can be compared without more of it, or to its end. */
static enum spoor_status diff_read_log(struct spoor_pipeline_diff *diff, bool all,
                                       struct spoor_error *error)
{
    const struct spoor_batch *batch;
    while (!diff->log.ended && (all || diff->logged.count < LOOKAHEAD)) {
        const enum spoor_status status = diff->options.next(diff->options.context, &batch, error);
        if (status != SPOOR_END && status != SPOOR_OK) return status;
        if (status == SPOOR_END)
            diff->log.ended = true;
        else if (batch->count && strcmp(spoor_record_unit(batch, batch->records), "cycle") == 0)
            diff->log.ticks = 1;
        for (size_t i = 0; status == SPOOR_OK && i < batch->count; i++) {
            const struct spoor_record *record = &batch->records[i];
            if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STAGE &&
                !(record->has & SPOOR_CONTINUES))
                timed_log_add_stage(&diff->log, batch, record);
            else if ((record->has & SPOOR_HAS_INDEX) && spoor_record_ends_stages(batch, i))
                timed_log_add_end(&diff->log, batch, i);
        }
        if (diff->options.ticks) diff->log.ticks = diff->options.ticks;
        diff_advance(diff);
    }
    return memory_status(!diff->failed && !diff->log.failed, error);
}

enum spoor_status spoor_pipeline_diff_event(struct spoor_pipeline_diff *diff,
                                            const struct spoor_pipeline_event *event,
                                            struct spoor_error *error)
{
    struct lookahead *machine = &diff->machine;
    const enum spoor_status status = diff_read_log(diff, false, error);
    if (status != SPOOR_OK) return status;
    if (event->why & SPOOR_WHY_SQUASHED) {
        diff->squashed++;
        return SPOOR_OK;
    }
    if (!diff->retired || event->fetch < diff->first) diff->first = event->fetch;
    diff->last = event->retire;
    diff->retired++;
    if (machine->count == LOOKAHEAD) /* the log has ended */
        lookahead_pass_over(machine, 1);
    *lookahead_item(machine, machine->count) = (struct spoor_pipeline_times){
        .number = event->ordinal,
        .pc = event->operation->pc,
        .time = {event->fetch, event->issue, event->complete, event->retire},
        .has = (1U << SPOOR_MOMENTS) - 1,
        .has_pc = true,
    };
    machine->count++;
    diff_advance(diff);
    return memory_status(!diff->failed && !diff->log.failed, error);
}

enum spoor_status spoor_pipeline_diff_end(struct spoor_pipeline_diff *diff,
                                          struct spoor_error *error)
{
    const enum spoor_status status = diff_read_log(diff, true, error);
    if (status != SPOOR_OK) return status;
    diff->machine.ended = true;
    diff_advance(diff);
    lookahead_pass_over(&diff->machine, diff->machine.count);
    do {
        lookahead_pass_over(&diff->logged, diff->logged.count);
        diff_fill(diff);
    } while (diff->logged.count);
    return memory_status(!diff->failed && !diff->log.failed, error);
}

uint64_t spoor_pipeline_diff_matched(const struct spoor_pipeline_diff *diff)
{
    return diff->matched;
}

uint64_t spoor_pipeline_diff_logged(const struct spoor_pipeline_diff *diff)
{
    return diff->log.retired + diff->log.squashed;
}

/* ---- the report ---- */

static void diff_put_side(struct spoor_result *rows, const char *name, uint64_t retired,
                          uint64_t squashed, uint64_t cycles)
{
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "side", name);
    spoor_result_unsigned(row, "micro_ops", retired);
    spoor_result_unsigned(row, "cycles", cycles);
    spoor_result_real(row, "ipc", cycles ? (double)retired / (double)cycles : 0, 3);
    spoor_result_unsigned(row, "squashed", squashed);
}

static int pc_sum_compare(const void *a, const void *b)
{
    const struct pc_sum *left = a, *right = b;
    const uint64_t of_left = diff_magnitude((int64_t)(left->machine - left->log));
    const uint64_t of_right = diff_magnitude((int64_t)(right->machine - right->log));
    if (of_left != of_right) return of_left > of_right ? -1 : 1;
    return left->pc < right->pc ? -1 : left->pc > right->pc;
}

enum spoor_status spoor_pipeline_diff_report(const struct spoor_pipeline_diff *diff,
                                             struct spoor_result *result)
{
    spoor_result_unsigned(result, "ticks_per_cycle", diff->log.ticks);
    spoor_result_unsigned(result, "tolerance", diff->options.tolerance);
    spoor_result_unsigned(result, "matched", diff->matched);
    spoor_result_unsigned(result, "only_machine", diff->machine.passed_over);
    spoor_result_unsigned(result, "only_log", diff->logged.passed_over);
    const struct timed_log *log = &diff->log;
    struct spoor_result *rows = spoor_result_array(result, "sides");
    diff_put_side(rows, "machine", diff->retired, diff->squashed,
                  diff->retired ? diff->last - diff->first + 1 : 0);
    diff_put_side(rows, "log", log->retired, log->squashed,
                  log->any && log->ticks ? (log->last - log->first) / log->ticks + 1 : 0);
    if (diff->part.found) {
        static const char *const names[SPOOR_MOMENTS] = {"fetch", "issue", "complete", "retire"};
        const struct spoor_pipeline_times *ours = &diff->part.machine, *theirs = &diff->part.log;
        const enum spoor_pipeline_moment moment = diff->part.moment;
        struct spoor_result *part = spoor_result_object(result, "parts_at");
        spoor_result_unsigned(part, "micro_op", ours->number);
        spoor_result_unsigned(part, "logged_as", theirs->number);
        spoor_result_hex(part, "pc", ours->pc);
        spoor_result_text(part, "stage", names[moment]);
        spoor_result_signed(part, "machine", moment_since(ours, &diff->origin[0], moment));
        spoor_result_signed(part, "log", moment_since(theirs, &diff->origin[1], moment));
    }
    struct spoor_result *stages = spoor_result_array(result, "stages");
    for (unsigned i = 0; i < STEPS; i++) {
        const struct step_sum *sum = &diff->steps[i];
        if (!sum->micro_ops) continue;
        struct spoor_result *row = spoor_result_object(stages, NULL);
        const double ours = (double)sum->machine / (double)sum->micro_ops;
        const double theirs = (double)sum->log / (double)sum->micro_ops;
        spoor_result_text(row, "stage", steps[i].name);
        spoor_result_unsigned(row, "micro_ops", sum->micro_ops);
        spoor_result_real(row, "machine", ours, 2);
        spoor_result_real(row, "log", theirs, 2);
        spoor_result_real(row, "difference", ours - theirs, 2);
        spoor_result_unsigned(row, "apart", sum->apart);
    }
    struct spoor_result *distances = spoor_result_array(result, "distribution");
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (!diff->later[i] && !diff->earlier[i]) continue;
        struct spoor_result *row = spoor_result_object(distances, NULL);
        const uint64_t first = i ? UINT64_C(1) << (i - 1) : 0;
        spoor_result_unsigned(row, "cycles_from", first);
        spoor_result_unsigned_if(row, "cycles_to", i < BUCKETS - 1, first ? 2 * first - 1 : 0);
        spoor_result_unsigned(row, "machine_later", i ? diff->later[i] : 0);
        spoor_result_unsigned(row, "machine_earlier", diff->earlier[i]);
        spoor_result_unsigned(row, "same", i ? 0 : diff->later[i]);
    }
    struct pc_sum *sites = malloc((diff->sites.count + 1) * sizeof *sites), *site = NULL;
    struct spoor_result *of_sites = spoor_result_array(result, "sites");
    size_t count = 0;
    if (!sites) spoor_result_fail(result);
    while (sites && (site = hash_map_next(&diff->sites, site, sizeof *site)) != NULL)
        sites[count++] = *site;
    if (count) qsort(sites, count, sizeof *sites, pc_sum_compare);
    for (size_t i = 0; i < count && i < SITES && sites[i].machine != sites[i].log; i++) {
        struct spoor_result *row = spoor_result_object(of_sites, NULL);
        spoor_result_hex(row, "pc", sites[i].pc);
        spoor_result_unsigned(row, "micro_ops", sites[i].micro_ops);
        spoor_result_unsigned(row, "machine", sites[i].machine);
        spoor_result_unsigned(row, "log", sites[i].log);
        spoor_result_signed(row, "difference", (int64_t)(sites[i].machine - sites[i].log));
    }
    free(sites);
    return result_status(result);
}
