/* SPDX-License-Identifier: MIT */
/*
 * info.c: what is in a trace: counts by kind and op, cpus, ranges of addresses and of time, damage.
 */
#include "spoor/info.h"

#include <stdlib.h>
#include <string.h>

#include "model/field_source.h"
#include "spoor/format.h"
#include "view/projection.h"

enum { NAMES = 1 << 16, OPS = 256, AGENTS = 256, DIALECTS_MOST = 16 };

/* Addresses are virtual or physical, and the two are never mixed. */
enum space { VIRTUAL, PHYSICAL, SPACES };

struct spoor_info {
    uint64_t ops[SPOOR_KINDS][OPS];
    struct span addresses[SPACES][USES];
    uint64_t first_time, last_time, backwards;
    bool has_time, mixed_units;
    bool sums; /* times are sums of deltas: those that were left away are missing */
    char unit[8];
    uint64_t macro_ops, odd, trailing_bytes, bytes;
    bool is_scaled;                                 /* a report says whether it is an estimate */
    uint64_t gaps;                                  /* before batches */
    uint64_t sampled_bytes;                         /* of those that `bytes` stands for */
    uint64_t spelled[NAMES];                        /* records by spelling */
    uint64_t agents[AGENTS / 64], cpus[NAMES / 64]; /* sets */
    uint64_t timed[NAMES / 64];                     /* spellings whose unit of time was seen */
};

/* ---- taking records in ---- */

static void reach(struct span *span, uint64_t address)
{
    if (address < span->least) span->least = address;
    if (address > span->most) span->most = address;
}

/* Extend by all of another, which may be none. */
static void join(struct span *span, const struct span *other)
{
    if (other->least < span->least) span->least = other->least;
    if (other->most > span->most) span->most = other->most;
}

/* An address that may have both parts. */
static void reach_both(struct spoor_info *info, uint16_t has, enum address_use use, uint64_t va,
                       uint64_t pa)
{
    if (has & SPOOR_HAS_VA) reach(&info->addresses[VIRTUAL][use], va);
    if (has & SPOOR_HAS_PA) reach(&info->addresses[PHYSICAL][use], pa);
}

static void take_uop(struct spoor_info *info, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    bool spilled = record->has & SPOOR_IS_SPILLED;
    info->macro_ops += spilled ? spoor_uop_of(batch, index).step == 1 : record->uop.step == 1;
    reach(&info->addresses[VIRTUAL][USE_CODE], record->uop.pc);
    if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        reach(&info->addresses[VIRTUAL][USE_DATA], record->uop.address);
}

static void take_bus(struct spoor_info *info, const struct spoor_record *record)
{
    reach(&info->addresses[PHYSICAL][bus_uses[record->op]], record->bus.address);
    if (record->bus.given & SPOOR_BUS_GIVEN_AGENT)
        info->agents[record->bus.agent / 64] |= UINT64_C(1) << record->bus.agent % 64;
}

static void take_addresses(struct spoor_info *info, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint16_t has = record->has;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_NOTE:
        if (record->op == SPOOR_NOTE_TRAILING) info->trailing_bytes += record->note.text.size;
        break;
    case SPOOR_UOP: take_uop(info, batch, index); break;
    case SPOOR_INSN: reach_both(info, has, USE_CODE, record->insn.va, record->insn.pa); break;
    case SPOOR_FLOW: reach_both(info, has, USE_CODE, record->flow.va, record->flow.pa); break;
    case SPOOR_MEM:
        reach_both(info, has, record->op == SPOOR_MEM_FETCH ? USE_CODE : USE_DATA, record->mem.va,
                   record->mem.pa);
        break;
    case SPOOR_BUS: take_bus(info, record); break;
    case SPOOR_CACHE: reach_both(info, has & SPOOR_HAS_PA, USE_OTHER, 0, record->cache.pa); break;
    case SPOOR_WALK: reach(&info->addresses[PHYSICAL][USE_OTHER], record->walk.pa); break;
    default: break;
    }
}

static void take_unit(struct spoor_info *info, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    const char *unit = spoor_record_unit(batch, record);
    if (!info->has_time) strncpy(info->unit, unit, sizeof info->unit - 1);
    if (strncmp(info->unit, unit, sizeof info->unit - 1) != 0) info->mixed_units = true;
    info->timed[record->spelling / 64] |= UINT64_C(1) << record->spelling % 64;
}

static void take_time(struct spoor_info *info, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    if (!(info->timed[record->spelling / 64] >> record->spelling % 64 & 1))
        take_unit(info, batch, record);
    if (!info->has_time) info->first_time = info->last_time = record->time;
    info->has_time = true;
    info->backwards += record->time < info->last_time;
    info->last_time = record->time;
}

/* Behind a gap, time cannot be compared with that before it. */
static void step_over(struct spoor_info *info, const struct spoor_batch *batch)
{
    size_t i = 0;
    info->gaps++;
    while (i < batch->count && !(batch->records[i].has & SPOOR_HAS_TIME)) i++;
    if (i == batch->count) return;
    const struct spoor_record *record = &batch->records[i];
    info->last_time = record->time;
    info->sums |= record->kind == SPOOR_BUS && (record->bus.given & SPOOR_BUS_GIVEN_DELTA);
}

/* Micro-ops of one spelling without a time and anything out of the ordinary, from `at` on: how
 * many. Most traces of micro-ops are nothing else. */
static size_t take_plain_uops(struct spoor_info *info, const struct spoor_batch *batch, size_t at)
{
    const uint16_t other = SPOOR_HAS_TIME | SPOOR_HAS_CPU | SPOOR_IS_ODD | SPOOR_IS_SPILLED;
    const struct spoor_record *record = &batch->records[at], *end = batch->records + batch->count;
    const spoor_name spelling = record->spelling;
    struct span code = {UINT64_MAX, 0}, data[2] = {code, code};
    uint64_t macro_ops = 0;
    for (; record < end && record->kind == SPOOR_UOP && !(record->has & other) &&
           record->spelling == spelling;
         record++) {
        info->ops[SPOOR_UOP][record->op]++;
        macro_ops += record->uop.step == 1;
        reach(&code, record->uop.pc);
        /* chosen rather than branched to: loads and stores come at random */
        const bool refers = record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
        reach(&data[refers], record->uop.address);
    }
    const size_t count = (size_t)(record - &batch->records[at]);
    info->spelled[spelling] += count;
    info->macro_ops += macro_ops;
    join(&info->addresses[VIRTUAL][USE_CODE], &code);
    join(&info->addresses[VIRTUAL][USE_DATA], &data[true]);
    return count;
}

static void take_record(struct spoor_info *info, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    info->ops[record->kind][record->op]++;
    info->odd += (record->has & SPOOR_IS_ODD) != 0;
    info->spelled[record->spelling]++;
    if (record->has & SPOOR_HAS_TIME) take_time(info, batch, record);
    if (record->has & SPOOR_HAS_CPU)
        info->cpus[record->cpu / 64] |= UINT64_C(1) << record->cpu % 64;
    take_addresses(info, batch, index);
}

/* Records that were counted before they were made: all are BUS, and their time never goes back. */
static void take_account(struct spoor_info *info, const struct spoor_batch *batch)
{
    const struct bus_account *account = batch->view;
    const struct spoor_record record = {.kind = SPOOR_BUS};
    for (int op = 0; op < SPOOR_BUS_OPS; op++) info->ops[SPOOR_BUS][op] += account->ops[op];
    for (int use = 0; use < USES; use++) {
        const struct span *span = &account->addresses[use];
        if (span->least > span->most) continue;
        reach(&info->addresses[PHYSICAL][use], span->least);
        reach(&info->addresses[PHYSICAL][use], span->most);
    }
    for (int i = 0; i < AGENTS / 64; i++) info->agents[i] |= account->agents[i];
    info->ops[SPOOR_NOTE][SPOOR_NOTE_TRAILING] += account->trailing != 0;
    info->trailing_bytes += account->trailing;
    info->spelled[SPOOR_NO_NAME] += batch->count;
    if (!account->has_time) return;
    if (!info->has_time) {
        take_unit(info, batch, &record);
        info->first_time = account->first_delta;
        info->has_time = true;
    }
    info->last_time += account->time;
}

enum spoor_status spoor_info_feed(struct spoor_info *info, const struct spoor_batch *batch,
                                  struct spoor_error *error)
{
    (void)error; /* nothing grows: nothing can fail */
    info->bytes += batch->text_size;
    if (batch->projected) {
        take_account(info, batch);
        return SPOOR_OK;
    }
    if (batch->gap) step_over(info, batch);
    for (size_t i = 0, plain; i < batch->count; i += plain) {
        plain = batch->records[i].kind == SPOOR_UOP ? take_plain_uops(info, batch, i) : 0;
        if (plain) continue;
        take_record(info, batch, i);
        plain = 1;
    }
    return SPOOR_OK;
}

struct spoor_info *spoor_info_new(void)
{
    struct spoor_info *info = calloc(1, sizeof *info);
    if (!info) return NULL;
    for (int space = 0; space < SPACES; space++)
        for (int use = 0; use < USES; use++) info->addresses[space][use].least = UINT64_MAX;
    return info;
}

void spoor_info_free(struct spoor_info *info)
{
    free(info);
}

/* ---- from samples to the whole ---- */

static uint64_t scaled(uint64_t count, double factor)
{
    return (uint64_t)((double)count * factor + 0.5);
}

/* What is at the end was seen: trailing bytes stay what they are.  The most frequent op takes what
 * rounding leaves over, so that the sum is right: exact, where all records have one size. */
static void scale_ops(struct spoor_info *info, double factor)
{
    uint64_t *most = &info->ops[0][0], sum = 0, new_sum = 0;
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        for (int op = 0; op < OPS; op++) {
            uint64_t *count = &info->ops[kind][op];
            if (kind == SPOOR_NOTE && op == SPOOR_NOTE_TRAILING) continue;
            sum += *count;
            *count = scaled(*count, factor);
            new_sum += *count;
            if (*count > *most) most = count;
        }
    *most += scaled(sum, factor) - new_sum;
}

static void scale_counts(struct spoor_info *info, double factor)
{
    uint64_t *const counts[] = {&info->macro_ops, &info->odd, &info->backwards};
    scale_ops(info, factor);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = scaled(*counts[i], factor);
    for (int i = 0; i < NAMES; i++) info->spelled[i] = scaled(info->spelled[i], factor);
}

void spoor_info_scale(struct spoor_info *info, uint64_t bytes)
{
    const uint64_t stray = info->trailing_bytes;
    info->is_scaled = true;
    info->sampled_bytes = info->bytes;
    if (info->gaps == 0 || info->bytes <= stray || bytes <= stray) return;
    scale_counts(info, (double)(bytes - stray) / (double)(info->bytes - stray));
    info->bytes = bytes;
}

bool spoor_info_is_estimate(const struct spoor_info *info)
{
    return info->gaps > 0;
}

/* ---- reporting ---- */

static uint64_t count_of(const struct spoor_info *info, int kind)
{
    uint64_t sum = 0;
    for (int op = 0; op < OPS; op++) sum += info->ops[kind][op];
    return sum;
}

uint64_t spoor_info_faults(const struct spoor_info *info)
{
    return info->ops[SPOOR_NOTE][SPOOR_NOTE_UNKNOWN] + info->ops[SPOOR_NOTE][SPOOR_NOTE_TRAILING];
}

static void report_kinds(const struct spoor_info *info, struct spoor_result *result)
{
    struct spoor_result *kinds = spoor_result_object(result, "kinds");
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        uint64_t count = count_of(info, kind);
        if (count) spoor_result_unsigned(kinds, spoor_kind_name((enum spoor_kind)kind), count);
    }
}

static const char *word_of(int kind, int op)
{
    struct spoor_record record = {.kind = (uint8_t)kind, .op = (uint8_t)op};
    return kind == SPOOR_UOP ? uop_op_word((unsigned)op) : spoor_op_name(&record);
}

/* Ops of a kind by word: several ops of a micro-op share one. */
static void report_ops_of(const struct spoor_info *info, int kind, struct spoor_result *ops)
{
    struct spoor_result *words = NULL;
    for (int op = 0; op < OPS; op++) {
        const char *word = word_of(kind, op);
        uint64_t count = 0;
        bool first = *word != '\0';
        for (int before = 0; before < op && first; before++)
            first = strcmp(word_of(kind, before), word) != 0;
        for (int same = op; same < OPS && first; same++)
            if (strcmp(word_of(kind, same), word) == 0) count += info->ops[kind][same];
        if (!count) continue;
        if (!words) words = spoor_result_object(ops, spoor_kind_name((enum spoor_kind)kind));
        spoor_result_unsigned(words, word, count);
    }
}

static void report_ops(const struct spoor_info *info, struct spoor_result *result)
{
    struct spoor_result *ops = spoor_result_object(result, "ops");
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (count_of(info, kind)) report_ops_of(info, kind, ops);
}

static void report_cpus(const struct spoor_info *info, const struct spoor_stream *stream,
                        struct spoor_result *result)
{
    struct spoor_result *cpus = spoor_result_array(result, "cpus");
    for (unsigned name = 0; name < NAMES; name++) {
        size_t size;
        if (!(info->cpus[name / 64] >> name % 64 & 1)) continue;
        const char *text = spoor_names_text(stream->names, (spoor_name)name, &size);
        spoor_result_bytes(cpus, NULL, text, size);
    }
    for (unsigned agent = 0; agent < AGENTS; agent++) {
        char text[] = {(char)('0' + agent / 100), (char)('0' + agent / 10 % 10),
                       (char)('0' + agent % 10), '\0'};
        if (info->agents[agent / 64] >> agent % 64 & 1)
            spoor_result_text(cpus, NULL, text + (agent < 100) + (agent < 10));
    }
}

static bool is_empty(const struct span *span)
{
    return span->least > span->most;
}

/* "min" and "max" of everything in a space. */
static struct span span_of(const struct span spans[USES])
{
    struct span all = {UINT64_MAX, 0};
    for (int use = 0; use < USES; use++) {
        if (is_empty(&spans[use])) continue;
        reach(&all, spans[use].least);
        reach(&all, spans[use].most);
    }
    return all;
}

static void report_span(const struct span *span, struct spoor_result *in)
{
    spoor_result_hex(in, "min", span->least);
    spoor_result_hex(in, "max", span->most);
}

/* The virtual addresses where there are any, else the physical ones. */
static void report_addresses(const struct spoor_info *info, struct spoor_result *result)
{
    static const char *const names[USES] = {"other", "code", "data", "io"};
    struct span virtual = span_of(info->addresses[VIRTUAL]);
    struct span physical = span_of(info->addresses[PHYSICAL]);
    enum space space = is_empty(&virtual) ? PHYSICAL : VIRTUAL;
    if (is_empty(&virtual) && is_empty(&physical)) {
        spoor_result_null(result, "addresses");
        return;
    }
    struct spoor_result *addresses = spoor_result_object(result, "addresses");
    report_span(space == VIRTUAL ? &virtual : &physical, addresses);
    for (int place = 1; place <= USES; place++) {
        const int use = place % USES;
        const struct span *span = &info->addresses[space][use];
        if (!is_empty(span)) report_span(span, spoor_result_object(addresses, names[use]));
    }
    if (space == VIRTUAL && !is_empty(&physical))
        report_span(&physical, spoor_result_object(addresses, "physical"));
}

static void report_time(const struct spoor_info *info, struct spoor_result *result)
{
    if (!info->has_time) {
        spoor_result_null(result, "time");
        return;
    }
    struct spoor_result *time = spoor_result_object(result, "time");
    spoor_result_unsigned(time, "first", info->first_time);
    if (info->gaps && info->sums)
        spoor_result_null(time, "last");
    else
        spoor_result_unsigned(time, "last", info->last_time);
    spoor_result_text(time, "unit", info->mixed_units ? "mixed" : info->unit);
    spoor_result_unsigned(time, "backwards", info->backwards);
}

/* Records that only one dialect writes so, by dialect; most of them name the trace's. */
static void report_dialect(const struct spoor_info *info, const struct spoor_stream *stream,
                           struct spoor_result *result)
{
    const char *name, *most = NULL;
    uint64_t counts[DIALECTS_MOST] = {0}, best = 0;
    if (!spoor_format_dialect(stream->format, 0)) return;
    for (unsigned spelling = 1; spelling < NAMES; spelling++) {
        const char *dialect =
            info->spelled[spelling] ? spoor_spelling_dialect(stream, (spoor_name)spelling) : NULL;
        for (size_t i = 0; dialect && (name = spoor_format_dialect(stream->format, i)); i++)
            if (i < DIALECTS_MOST && strcmp(name, dialect) == 0)
                counts[i] += info->spelled[spelling];
    }
    for (size_t i = 0; i < DIALECTS_MOST; i++)
        if (counts[i] > best) {
            best = counts[i];
            most = spoor_format_dialect(stream->format, i);
        }
    spoor_result_text(result, "dialect", most);
    struct spoor_result *dialects = spoor_result_object(result, "dialects");
    for (size_t i = 0; i < DIALECTS_MOST; i++)
        if (counts[i])
            spoor_result_unsigned(dialects, spoor_format_dialect(stream->format, i), counts[i]);
}

/* The share of lines that could say something and are understood, in percent. */
static void report_typed(const struct spoor_info *info, uint64_t records,
                         struct spoor_result *result)
{
    uint64_t lines = records + info->ops[SPOOR_NOTE][SPOOR_NOTE_UNKNOWN];
    if (lines == 0)
        spoor_result_null(result, "typed_percent");
    else
        spoor_result_real(result, "typed_percent", 100.0 * (double)records / (double)lines, 2);
}

static void report_estimate(const struct spoor_info *info, struct spoor_result *result)
{
    if (!info->is_scaled) return;
    spoor_result_bool(result, "estimate", spoor_info_is_estimate(info));
    spoor_result_unsigned(result, "samples", info->gaps + 1);
    spoor_result_unsigned(result, "sampled_bytes", info->sampled_bytes);
    spoor_result_real(result, "sampled_share",
                      info->bytes ? (double)info->sampled_bytes / (double)info->bytes : 1.0, 9);
}

void spoor_info_report(const struct spoor_info *info, const struct spoor_stream *stream,
                       struct spoor_result *result)
{
    uint64_t records = 0, micro_ops = count_of(info, SPOOR_UOP);
    report_estimate(info, result);
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (kind != SPOOR_NOTE) records += count_of(info, kind);
    spoor_result_unsigned(result, "records", records);
    report_dialect(info, stream, result);
    if (spoor_format_record_size(stream->format) == 0) report_typed(info, records, result);
    report_kinds(info, result);
    report_ops(info, result);
    report_cpus(info, stream, result);
    report_addresses(info, result);
    report_time(info, result);
    spoor_result_unsigned(result, "notes", info->ops[SPOOR_NOTE][SPOOR_NOTE_UNKNOWN]);
    spoor_result_unsigned(result, "odd", info->odd);
    spoor_result_unsigned(result, "trailing_bytes", info->trailing_bytes);
    spoor_result_unsigned(result, "bytes", info->bytes);
    if (!micro_ops) return;
    spoor_result_unsigned(result, "micro_ops", micro_ops);
    spoor_result_unsigned(result, "macro_ops", info->macro_ops);
}

uint64_t spoor_info_micro_ops(const struct spoor_info *info)
{
    return count_of(info, SPOOR_UOP);
}

uint64_t spoor_info_macro_ops(const struct spoor_info *info)
{
    return info->macro_ops;
}
