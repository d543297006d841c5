/* SPDX-License-Identifier: MIT */
/*
 * info.c: the summary of a trace: counts by kind and op, cpus, ranges of addresses and of time,
 * damage.
 */
#include "spoor/info.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "formats/format.h"
#include "model/batch_own.h"
#include "model/bus.h"
#include "model/options.h"
#include "query/field_source.h"
#include "result/bus_counts.h"
#include "result/result_node.h"
#include "spoor/format.h"
#include "views/stats.h"

enum { MAX_DIALECTS = 16 };

struct spoor_info {
    const struct spoor_stream *stream; /* NULL: no batch was fed, and none was named */
    struct stats *seen;
    bool sums;      /* times are sums of deltas, without those that were not read */
    bool is_scaled; /* the report states whether it is an estimate */
    bool part;
    uint64_t bytes;
    uint64_t gaps;          /* before batches */
    uint64_t astray;        /* direct branches that did not arrive at their targets */
    struct hash_map direct; /* of struct direct_branch, of a trace that states every branch */
    uint64_t sampled_bytes; /* bytes of the samples that represent `bytes` */
};

/* The target of a direct branch, by its code. */
struct direct_branch {
    uint64_t pc, target;
    bool several; /* there were several: of other processes, or of code that changes */
};

/* ---- adding batches ---- */

/* Compares where direct branches went with their code, which the trace states before. */
static bool info_add_arrivals(struct spoor_info *info)
{
    struct stats *seen = info->seen;
    for (uint32_t i = 0; i < seen->arrived; i++) {
        const struct stats_arrival *at = &seen->arrivals[i];
        struct direct_branch *branch;
        if (at->times == 0) { /* the code */
            bool added;
            branch = hash_map_add(&info->direct, at->pc, sizeof *branch, &added);
            if (!branch) return false;
            branch->several |= !added && branch->target != at->target;
            branch->target = at->target;
            continue;
        }
        branch = hash_map_find(&info->direct, at->pc, sizeof *branch);
        if (branch && branch->target != at->target && !branch->several && !flow_is_kernel(at->pc) &&
            !flow_is_kernel(at->target))
            info->astray += at->times;
    }
    stats_forget_arrivals(seen);
    return true;
}

enum spoor_status spoor_info_feed(struct spoor_info *info, const struct spoor_batch *batch,
                                  struct spoor_error *error)
{
    if (!info->stream) info->stream = batch->stream;
    info->bytes += batch->text_size;
    if (batch->projected) {
        stats_join(info->seen, batch_own_of(batch)->view);
        return memory_status(info_add_arrivals(info), error);
    }
    if (batch->gap) {
        /* After a gap, time cannot be compared with the time before it. */
        info->gaps++;
        for (uint32_t i = 0; i < info->seen->numbered; i++) { /* nor do numbers follow */
            info->seen->numbers[i].known = false;
            info->seen->numbers[i].flow.where = FLOW_ANYWHERE;
        }
        size_t i = 0;
        while (i < batch->count && !(batch->records[i].has & SPOOR_HAS_TIME)) i++;
        if (i < batch->count) {
            const struct spoor_record *record = &batch->records[i];
            info->seen->time.last = record->time;
            info->sums |= record->kind == SPOOR_BUS && (record->bus.given & SPOOR_BUS_GIVEN_DELTA);
        }
    }
    info->seen->flows = batch->stream->format->exceptions_are_stated;
    stats_add(info->seen, batch, 0, batch->count, batch->stream->names, batch->stream->spellings);
    return memory_status(info_add_arrivals(info), error);
}

enum spoor_status spoor_info_new(struct spoor_info **info, const struct spoor_info_options *options,
                                 struct spoor_error *error)
{
    struct spoor_info_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_info *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->stream = own.stream;
    made->part = own.part;
    made->seen = stats_new();
    if (!made->seen) {
        free(made);
        return memory_status(false, error);
    }
    *info = made;
    return SPOOR_OK;
}

void spoor_info_free(struct spoor_info *info)
{
    if (!info) return;
    free(info->seen);
    hash_map_free(&info->direct);
    free(info);
}

enum spoor_status spoor_info_end(struct spoor_info *info, struct spoor_error *error)
{
    (void)info;
    return memory_status(true, error);
}

/* ---- scaling samples to the whole trace ---- */

static uint64_t info_scaled(uint64_t count, double factor)
{
    return (uint64_t)((double)count * factor + 0.5);
}

void spoor_info_scale(struct spoor_info *info, uint64_t bytes)
{
    struct stats *seen = info->seen;
    const uint64_t stray = seen->trailing_bytes;
    info->is_scaled = true;
    info->sampled_bytes = info->bytes;
    if (info->gaps == 0 || info->bytes <= stray || bytes <= stray) return;
    const double factor = (double)(bytes - stray) / (double)(info->bytes - stray);
    /* The end of the trace was read, so trailing bytes are not scaled.  The most frequent op
     * absorbs the rounding errors, so that the sum is right (exact, if all records have one
     * size). */
    uint64_t *maximum = &seen->ops[0][0], sum = 0, new_sum = 0;
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        for (int op = 0; op < STATS_OPS; op++) {
            uint64_t *count = &seen->ops[kind][op];
            if (kind == SPOOR_NOTE && op == SPOOR_NOTE_TRAILING) continue;
            sum += *count;
            *count = info_scaled(*count, factor);
            new_sum += *count;
            if (*count > *maximum) maximum = count;
        }
    *maximum += info_scaled(sum, factor) - new_sum;
    seen->macro_ops = info_scaled(seen->macro_ops, factor);
    seen->verbatim = info_scaled(seen->verbatim, factor);
    seen->time.backwards = info_scaled(seen->time.backwards, factor);
    for (int i = 0; i < BUS_CACHEABILITIES; i++)
        seen->cacheabilities[i] = info_scaled(seen->cacheabilities[i], factor);
    for (uint32_t i = 0; i < seen->names; i++)
        seen->spelled[i] = info_scaled(seen->spelled[i], factor);
    info->bytes = bytes;
}

bool spoor_info_is_estimate(const struct spoor_info *info)
{
    return info->gaps > 0;
}

/* ---- reporting ---- */

static uint64_t info_count(const struct spoor_info *info, int kind)
{
    uint64_t sum = 0;
    for (int op = 0; op < STATS_OPS; op++) sum += info->seen->ops[kind][op];
    return sum;
}

static const char *info_op_word(int kind, int op)
{
    struct spoor_record record = {.kind = (uint8_t)kind, .op = (uint8_t)op};
    return kind == SPOOR_UOP ? uop_op_word((unsigned)op) : spoor_op_name(&record);
}

/* Ops of a kind by word: several ops of a micro-op share one, and are counted with the first. */
static void info_report_ops(const struct spoor_info *info, int kind, struct spoor_result *ops)
{
    uint64_t counts[STATS_OPS] = {0};
    struct spoor_result *words = NULL;
    for (int op = 0; op < STATS_OPS; op++) {
        const char *word = info_op_word(kind, op);
        int first = 0;
        if (!info->seen->ops[kind][op] || *word == '\0') continue;
        while (strcmp(info_op_word(kind, first), word) != 0) first++;
        counts[first] += info->seen->ops[kind][op];
    }
    for (int op = 0; op < STATS_OPS; op++) {
        if (!counts[op]) continue;
        if (!words) words = spoor_result_object(ops, spoor_kind_name((enum spoor_kind)kind));
        spoor_result_unsigned(words, info_op_word(kind, op), counts[op]);
    }
}

static void info_report_span(const struct span *span, struct spoor_result *in)
{
    spoor_result_hex(in, "min", span->minimum);
    spoor_result_hex(in, "max", span->maximum);
}

/* The virtual addresses if there are any, else the physical ones. */
static void info_report_addresses(const struct spoor_info *info, struct spoor_result *result)
{
    static const char *const names[USES] = {"other", "code", "data", "io"};
    struct span virtual = {UINT64_MAX, 0}, physical = virtual; /* of everything in a space */
    for (int use = 0; use < USES; use++) {
        span_join(&virtual, &info->seen->addresses[SPACE_VIRTUAL][use]);
        span_join(&physical, &info->seen->addresses[SPACE_PHYSICAL][use]);
    }
    enum address_space space = span_is_empty(&virtual) ? SPACE_PHYSICAL : SPACE_VIRTUAL;
    if (span_is_empty(&virtual) && span_is_empty(&physical)) {
        spoor_result_null(result, "addresses");
        spoor_result_hide_last(result);
        return;
    }
    struct spoor_result *addresses = spoor_result_object(result, "addresses");
    info_report_span(space == SPACE_VIRTUAL ? &virtual : &physical, addresses);
    for (int place = 1; place <= USES; place++) {
        const int use = place % USES;
        const struct span *span = &info->seen->addresses[space][use];
        if (!span_is_empty(span))
            info_report_span(span, spoor_result_object(addresses, names[use]));
    }
    if (space == SPACE_VIRTUAL && !span_is_empty(&physical))
        info_report_span(&physical, spoor_result_object(addresses, "physical"));
}

static const char *info_unit(const struct spoor_stream *stream, spoor_name spelling)
{
    const struct spoor_batch batch = {.stream = stream};
    return spoor_record_unit(&batch, &(struct spoor_record){.spelling = spelling});
}

/* A count of what is odd, which text mentions if it is not 0. */
static void info_put_oddity(struct spoor_result *result, const char *key, uint64_t count)
{
    spoor_result_unsigned(result, key, count);
    if (!count) spoor_result_hide_last(result);
}

static void info_report_time(const struct spoor_info *info, const struct spoor_stream *stream,
                             struct spoor_result *result)
{
    const struct stats_time *seen = &info->seen->time;
    if (!seen->any) {
        spoor_result_null(result, "time");
        spoor_result_hide_last(result);
        return;
    }
    struct spoor_result *time = spoor_result_object(result, "time");
    spoor_result_unsigned(time, "first", seen->first);
    spoor_result_unsigned_if(time, "last", !(info->gaps && info->sums), seen->last);
    /* The unit of the first record with a time, unless others differ. */
    const char *unit = info_unit(stream, seen->spelling);
    for (uint32_t spelling = 0; spelling < info->seen->names; spelling++)
        if (stats_includes(info->seen->timed, spelling) &&
            strcmp(unit, info_unit(stream, (spoor_name)spelling)) != 0)
            unit = "mixed";
    spoor_result_text(time, "time_unit", unit);
    info_put_oddity(time, "backwards", seen->backwards);
}

/* Instructions that ran and are not in the trace; of samples nothing is known. */
static void info_report_gaps(const struct spoor_info *info, struct spoor_result *result)
{
    const uint64_t lost = info->seen->ops[SPOOR_EVENT][SPOOR_EVENT_LOST];
    uint64_t numbered, uncounted, missing;
    stats_gaps(info->seen, &numbered, &uncounted, &missing);
    numbered += info->astray;
    uncounted += info->astray;
    if (info->gaps || info->part || numbered + lost == 0) return;
    struct spoor_result *gaps = spoor_result_object(result, "gaps");
    spoor_result_unsigned(gaps, "count", numbered + lost);
    spoor_result_unsigned(gaps, "uncounted", uncounted + lost);
    spoor_result_unsigned(gaps, "instructions", missing);
}

/* Records that only one dialect writes in this way, by dialect; the highest count names the
 * trace's. */
static void info_report_dialect(const struct spoor_info *info, const struct spoor_stream *stream,
                                struct spoor_result *result)
{
    const char *name, *maximum = NULL;
    uint64_t counts[MAX_DIALECTS] = {0}, best = 0;
    if (!format_dialect(stream->format, 0)) return;
    for (unsigned spelling = 1; spelling < info->seen->names; spelling++) {
        const char *dialect =
            info->seen->spelled[spelling] ? spelling_dialect(stream, (spoor_name)spelling) : NULL;
        for (size_t i = 0; dialect && (name = format_dialect(stream->format, i)); i++)
            if (i < MAX_DIALECTS && strcmp(name, dialect) == 0)
                counts[i] += info->seen->spelled[spelling];
    }
    for (size_t i = 0; i < MAX_DIALECTS; i++)
        if (counts[i] > best) {
            best = counts[i];
            maximum = format_dialect(stream->format, i);
        }
    spoor_result_text(result, "dialect", maximum);
    struct spoor_result *dialects = spoor_result_object(result, "dialects");
    for (size_t i = 0; i < MAX_DIALECTS; i++)
        if (counts[i])
            spoor_result_unsigned(dialects, format_dialect(stream->format, i), counts[i]);
}

enum spoor_status spoor_info_report(const struct spoor_info *info, struct spoor_result *result)
{
    const struct spoor_stream *stream = info->stream;
    if (!stream) return SPOOR_EUSAGE;
    const uint64_t micro_ops = info_count(info, SPOOR_UOP);
    const uint64_t unknown = info->seen->ops[SPOOR_NOTE][SPOOR_NOTE_UNKNOWN];
    uint64_t records = 0;
    if (info->is_scaled) {
        spoor_result_bool(result, "estimate", spoor_info_is_estimate(info));
        spoor_result_unsigned(result, "samples", info->gaps + 1);
        spoor_result_unsigned(result, "sampled_bytes", info->sampled_bytes);
        spoor_result_real(result, "sampled_ratio",
                          info->bytes ? (double)info->sampled_bytes / (double)info->bytes : 1.0, 9);
    }
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (kind != SPOOR_NOTE) records += info_count(info, kind);
    spoor_result_unsigned(result, "records", records);
    info_report_dialect(info, stream, result);
    if (stream->effects_first) spoor_result_bool(result, "effects_first", true);
    if (spoor_format_record_size(stream->format) == 0) {
        /* Of the lines without blank lines, comments and titles. */
        const uint64_t lines = records + unknown;
        if (lines == 0)
            spoor_result_null(result, "recognised_ratio");
        else
            spoor_result_real(result, "recognised_ratio", (double)records / (double)lines, 4);
        if (lines == records) spoor_result_hide_last(result);
    }
    struct spoor_result *kinds = spoor_result_object(result, "kinds");
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (info_count(info, kind))
            spoor_result_unsigned(kinds, spoor_kind_name((enum spoor_kind)kind),
                                  info_count(info, kind));
    struct spoor_result *ops = spoor_result_object(result, "ops");
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (info_count(info, kind)) info_report_ops(info, kind, ops);
    struct spoor_result *cpus = spoor_result_array(result, "cpus");
    result_hide_empty(cpus);
    for (unsigned name = 0; name < info->seen->names; name++) {
        size_t size;
        if (!stats_includes(info->seen->cpus, name)) continue;
        const char *text = spoor_names_text(stream->names, (spoor_name)name, &size);
        spoor_result_bytes(cpus, NULL, text, size);
    }
    for (unsigned agent = 0; agent < STATS_AGENTS; agent++)
        if (stats_includes(info->seen->agents, agent))
            spoor_result_text(cpus, NULL, bus_agent_name((uint8_t)agent));
    /* What the transactions of a bus state of their blocks.  A trace in which no access was
     * cacheable is one of a machine with its caches disabled, and has every access. */
    const uint64_t *counts = info->seen->cacheabilities;
    uint64_t cacheable = 0;
    for (int i = 0; i < BUS_CACHEABILITIES; i++) cacheable += i == BUS_UNCACHEABLE ? 0 : counts[i];
    result_put_cached(result, counts);
    if (counts[BUS_UNCACHEABLE] && !cacheable && !info->gaps && !info->part)
        spoor_result_text(result, "completeness", "complete trace: no access was cacheable");
    info_report_addresses(info, result);
    info_report_time(info, stream, result);
    info_report_gaps(info, result);
    info_put_oddity(result, "unrecognised", unknown);
    info_put_oddity(result, "verbatim", info->seen->verbatim);
    info_put_oddity(result, "trailing_bytes", info->seen->trailing_bytes);
    spoor_result_unsigned(result, "bytes", info->bytes);
    if (micro_ops) {
        spoor_result_unsigned(result, "micro_ops", micro_ops);
        spoor_result_unsigned(result, "macro_ops", info->seen->macro_ops);
    }
    return result_status(result);
}

uint64_t spoor_info_micro_ops(const struct spoor_info *info)
{
    return info_count(info, SPOOR_UOP);
}

uint64_t spoor_info_macro_ops(const struct spoor_info *info)
{
    return info->seen->macro_ops;
}
