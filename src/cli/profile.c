/* SPDX-License-Identifier: MIT */
/* profile.c: the verb `profile`: which functions a program spends its instructions or time in. */
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"
#include "base/scan.h"
#include "cli/flame.h"
#include "cli/layout.h"
#include "cli/like_ttu.h"
#include "cli/output.h"
#include "cli/shade.h"

enum { USUAL_ROWS = 40 };
enum profile_sort { SORT_EXCLUSIVE, SORT_INCLUSIVE, SORT_CALLS, SORT_NAME };
struct profile_settings {
    struct profile_input_settings profiled;
    int by, sort, like;
    bool callers, compare, all;
    const char *of, *callgrind;
    uint64_t top;
    struct flame_form flame;
};

#define AT(field) offsetof(struct profile_settings, field)
static const struct option options[] = {
    OPT_CHOICE(0, "by", "WHAT", AT(by), "function (default), line, file, address or opcode",
               "function|line|file|address|opcode"),
    OPT(0, "of", TEXT, "WHAT", AT(of),
        "a function, line, file, address or opcode: its callers and what it calls"),
    OPT_FLAG(0, "callers", AT(callers), "with --json, of each row, and what it calls"),
    OPT_FLAG(0, "compare", AT(compare),
             "two traces: which functions became slower from the first to the second"),
    OPT(0, "top", COUNT, "N", AT(top), "(default: 40; with --perfetto calls, 500000)"),
    OPT_FLAG(0, "all", AT(all), NULL),
    OPT(0, "callgrind", OUTPUT, "FILE", AT(callgrind),
        "write a file of Callgrind, which KCachegrind reads, to FILE instead (-: to standard "
        "output); by function, line or address"),
    OPT_CHOICE(0, "sort", "KEY", AT(sort), "order by exclusive (default), inclusive, calls or name",
               "exclusive|inclusive|calls|name"),
    OPT_FLAG(0, "flame", AT(flame.folded),
             "print stacks of functions with what each ran, for flamegraph.pl and the like"),
    OPT_FLAG(0, "svg", AT(flame.svg),
             "write a flame graph, an SVG picture that needs no other file"),
    OPT_FLAG(0, "speedscope", AT(flame.speedscope), "write the stacks for speedscope.app"),
    OPT_FLAG(
        0, "perfetto", AT(flame.perfetto),
        "write all calls over time for Perfetto: a track for each cpu, one for its exceptions"),
    PROFILE_INPUT_OPTIONS(struct profile_settings, profiled),
    LIKE_TTU_OPTION(AT(like)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

/* The names of the rows, singular and plural. */
static const char *const profile_things[][2] = {{"function", "functions"},
                                                {"line", "lines"},
                                                {"file", "files"},
                                                {"address", "addresses"},
                                                {"opcode", "opcodes"}};

/* ---- text ---- */

/* A member `label` has the name, and `place`, of a function, its source. */
static const char PROFILE_TITLE[] =
    "{trace}: {total:,} {count_unit} in {rows:,} {things}[{?by=function}, {calls:,} call{calls:s}"
    "[{?unreturned_calls} ({unreturned_calls:,} never returned)]"
    "[{?exceptions}, {exceptions:,} exception{exceptions:s}]][{?cpus>1}, {cpus} cpus]";
static const char PROFILE_HEADINGS[] =
    "[{?lost_contexts}{lost_contexts:,} call[{?lost_contexts>1}s are| is] too deep, or with too "
    "many kinds of callers: counted in a call of the\nsame function further out, or without "
    "callers\n]\n<exclusive>*0                  <inclusive>*1         "
    "<[{?by=function}calls|executions]>*2  {by}\n";
static const char PROFILE_ROW[] =
    "{$exclusive%total}{exclusive:*0,} {exclusive%total:6.1} {exclusive/total:-8}{$}"
    "  {inclusive:*1,} {inclusive%total:6.1}  [{executions:*2,}|{calls:*2,}]  <{label}>~{place&}\n";
static const char PROFILE_ONE[] =
    "{label}[{?by=function}{^function}  {pc}][  {place}]\n"
    "{inclusive:12,} {count_unit} ({inclusive%total:.1}) with what it calls\n"
    "{exclusive:12,} {count_unit} ({exclusive%total:.1}) itself\n"
    "[{executions:12,} instruction{executions:s}|{calls:12,} call{calls:s}]"
    "[{?by=function}{?unreturned_calls}, {unreturned_calls:,} never returned]\n";
static const char PROFILE_EDGE[] =
    "{inclusive:12,} {inclusive%total:6.1} {inclusive/total:-8}  {calls:10,}  "
    "<{label}>~{place&}\n";
static const char PROFILE_CHANGES[] =
    "{before.total:,} {unit} before, {after.total:,} after: {growth:,+} "
    "({growth%before.total:.1+})\n\n"
    "      change       before        after          <[{?by=function}calls|executions]>10"
    "  {by}\n";
static const char PROFILE_CHANGE[] =
    "[{?change>0}{$error}|{?change}{$good}]{change:12,+}{$}"
    " {exclusive_before:12,} {exclusive_after:12,} "
    "<[{?was}{change%exclusive_before:.1+}|{?gone}gone|{?new}new]>8 {calls:10+}  <{label}>~\n";

static struct layout profile_layout(const struct profile_settings *settings,
                                    const struct profile_input *profiled,
                                    struct spoor_result *result)
{
    struct layout layout = layout_of(&settings->profiled.common, &profiled->input.located);
    layout.around = result;
    spoor_result_text(result, "by", profile_things[settings->by][0]);
    return layout;
}

/* Puts a row, after the members that the object has already, and frees the object. */
static void profile_put_row(const struct profile_settings *settings, const struct layout *layout,
                            const char *template, const struct spoor_profile_row *row,
                            struct spoor_result *object, struct text *text)
{
    static const char *const names[] = {
        [SPOOR_PROFILE_FUNCTIONS] = "[{function}|{pc}|(unknown)][{?kind=exception} (exception)]",
        [SPOOR_PROFILE_LINES] = "[{source}[  {function}]|{function}|{pc}|(unknown)]",
        [SPOOR_PROFILE_FILES] = "[{file}|(unknown)]",
        [SPOOR_PROFILE_ADDRESSES] = "{pc}[  {function}][  {source}]",
        [SPOOR_PROFILE_OPCODES] = "[{opcode}|(unknown)]"};
    struct text label = {0};
    spoor_profile_put_row(row, (enum spoor_profile_by)settings->by, object);
    layout_put(layout, names[settings->by], object, &label);
    spoor_result_bytes(object, "label", label.bytes ? label.bytes : "", label.size);
    if (settings->by == SPOOR_PROFILE_FUNCTIONS) spoor_result_text(object, "place", row->source);
    layout_put(layout, template, object, text);
    text->failed |= label.failed || !spoor_result_complete(object);
    spoor_result_free(object);
    text_free(&label);
}

static int profile_compare_rows(const void *left, const void *right, void *context)
{
    const struct spoor_profile_row *a = *(const struct spoor_profile_row *const *)left;
    const struct spoor_profile_row *b = *(const struct spoor_profile_row *const *)right;
    uint64_t one = 0, other = 0;
    switch (*(const enum profile_sort *)context) {
    case SORT_INCLUSIVE: one = a->inclusive, other = b->inclusive; break;
    case SORT_CALLS: one = a->calls, other = b->calls; break;
    case SORT_NAME: {
        const int order = strcmp(a->name ? a->name : "", b->name ? b->name : "");
        if (order) return order;
        one = b->address, other = a->address;
        break;
    }
    default: break;
    }
    if (one != other) return one < other ? 1 : -1;
    return a < b ? -1 : a > b; /* by exclusive */
}

/* The totals first, then a line for each row. */
static void profile_put_rows(const struct profile_settings *settings,
                             const struct profile_input *profiled, struct spoor_result *result,
                             struct text *text)
{
    size_t count;
    const struct spoor_profile_row *rows = spoor_profile_rows(profiled->profile, &count);
    const struct spoor_profile_row **order = malloc((count + 1) * sizeof *order);
    struct layout layout = profile_layout(settings, profiled, result);
    const uint64_t top = settings->top;
    enum profile_sort sort = (enum profile_sort)settings->sort;
    uint64_t calls = 0, inclusive = 0;
    text->failed |= !order;
    for (size_t i = 0; order && i < count; i++) {
        order[i] = &rows[i];
        if (rows[i].calls > calls) calls = rows[i].calls;
        if (rows[i].inclusive > inclusive) inclusive = rows[i].inclusive;
    }
    if (order && sort != SORT_EXCLUSIVE)
        sort_items(order, count, sizeof *order, profile_compare_rows, &sort);
    const int digits = (int)strlen(COUNT(inclusive)), called = (int)strlen(COUNT(calls));
    const int heading = settings->by == SPOOR_PROFILE_FUNCTIONS ? 5 : 10;
    layout.widths[0] = layout.widths[1] = digits > 9 ? digits : 9;
    layout.widths[2] = called > heading ? called : heading;
    spoor_result_unsigned(result, "rows", count);
    spoor_result_text(result, "things", profile_things[settings->by][count != 1]);
    layout_put_title(&layout, PROFILE_TITLE, result, text);
    layout_put(&layout, PROFILE_HEADINGS, result, text);
    for (size_t i = 0; order && i < count && i < top; i++)
        profile_put_row(settings, &layout, PROFILE_ROW, order[i], spoor_result_new_object(), text);
    if (count > top) text_printf(text, "%s more: --all lists them\n", COUNT(count - (size_t)top));
    free(order);
}

/* One row with its callers and callees. */
static void profile_put_one(const struct profile_settings *settings,
                            const struct profile_input *profiled,
                            const struct spoor_profile_row *row, struct spoor_result *result,
                            struct text *text)
{
    size_t count, edge_count;
    const struct spoor_profile_row *rows = spoor_profile_rows(profiled->profile, &count);
    const struct spoor_profile_edge *edges = spoor_profile_edges(profiled->profile, &edge_count);
    const struct layout layout = profile_layout(settings, profiled, result);
    profile_put_row(settings, &layout, PROFILE_ONE, row, spoor_result_new_object(), text);
    for (int callers = 1; callers >= 0; callers--) {
        bool any = false;
        text_puts(text, callers ? "\ncalled by\n" : "\ncalls\n");
        for (size_t i = 0; i < edge_count; i++) {
            if (&rows[callers ? edges[i].callee : edges[i].caller] != row) continue;
            struct spoor_result *edge = spoor_result_new_object();
            any = true;
            spoor_result_unsigned(edge, "calls", edges[i].calls);
            spoor_result_unsigned(edge, "inclusive", edges[i].inclusive);
            profile_put_row(settings, &layout, PROFILE_EDGE,
                            &rows[callers ? edges[i].caller : edges[i].callee], edge, text);
        }
        if (!any) text_puts(text, callers ? "  none in the trace\n" : "  nothing\n");
    }
}

/* ---- one trace ---- */

/* The row that is called that, or has this address: a function, an opcode, a file or "file:line",
 * with or without folders; NULL: none. */
static const struct spoor_profile_row *profile_find(const struct profile_input *profiled,
                                                    enum spoor_profile_by by, const char *words)
{
    size_t count;
    const struct spoor_profile_row *rows = spoor_profile_rows(profiled->profile, &count);
    uint64_t address;
    const bool addressed = scan_all_address(words, &address);
    const bool is_path = by == SPOOR_PROFILE_LINES || by == SPOOR_PROFILE_FILES;
    const size_t wanted = strlen(words);
    for (size_t i = 0; i < count; i++) {
        const char *name = by == SPOOR_PROFILE_LINES ? rows[i].source : rows[i].name;
        if (!name) continue;
        const size_t size = strlen(name);
        if (strcmp(name, words) == 0 ||
            (is_path && size > wanted && name[size - wanted - 1] == '/' &&
             strcmp(name + size - wanted, words) == 0))
            return &rows[i];
    }
    for (uint64_t ignored = 0; addressed && ignored < 2; ignored++) /* bit 0 of T32 */
        for (size_t i = 0; i < count; i++)
            if (rows[i].located && ((rows[i].address ^ address) & ~ignored) == 0) return &rows[i];
    return NULL;
}

static int profile_trace(const void *context, const char *path, bool *shown,
                         struct spoor_result *all)
{
    const struct profile_settings *settings = context;
    struct profile_input profiled;
    const struct settings *common = &settings->profiled.common;
    const bool data = prints_data(common);
    if (settings->like) return like_ttu(TTU_PROFILE, path, common, 0);
    if (!profile_input_read(&profiled, &settings->profiled, (enum spoor_profile_by)settings->by,
                            path))
        return profile_input_close(&profiled);
    const struct spoor_profile_row *of = NULL;
    int code = profile_input_nothing(&profiled, path);
    bool shows = code == EXIT_CLEAN || data;
    if (settings->of && code == EXIT_CLEAN) {
        static const char *const things[] = {"a function", "a line", "a file", "an address",
                                             "an opcode"};
        of = profile_find(&profiled, (enum spoor_profile_by)settings->by, settings->of);
        shows = of != NULL;
        if (!of)
            code = complain_for(EXIT_NOTHING, "%s: never ran %s '%s'", path, things[settings->by],
                                settings->of);
    }
    if (shows) {
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        struct text text = {0};
        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", profiled.input.format);
        spoor_profile_report(profiled.profile, data && (settings->callers || settings->of), result);
        if (data && !all) code = worse(code, show_result(result, result_form_of(common)));
        if (!data) {
            if (of)
                profile_put_one(settings, &profiled, of, result, &text);
            else
                profile_put_rows(settings, &profiled, result, &text);
            text.failed |= !spoor_result_complete(result);
            code = show_apart(shown);
            code = worse(code, show_text(&text));
        }
        text_free(&text);
        if (!all) spoor_result_free(result);
    }
    return worse(profile_input_close(&profiled), code);
}

static int profile_write_callgrind(const struct profile_settings *settings)
{
    const struct settings *common = &settings->profiled.common;
    const char *path = operand(common, 0);
    struct profile_input profiled;
    size_t size = 0;
    if (operand_count(common) != 1)
        return complain_for(EXIT_USAGE, "profile --callgrind: found %zu traces, expected 1",
                            operand_count(common));
    if (settings->by == SPOOR_PROFILE_FILES || settings->by == SPOOR_PROFILE_OPCODES)
        return complain_for(EXIT_USAGE,
                            "profile --callgrind: found --by %s, expected function, "
                            "line or address",
                            profile_things[settings->by][0]);
    if (!profile_input_read(&profiled, &settings->profiled, (enum spoor_profile_by)settings->by,
                            path))
        return profile_input_close(&profiled);
    int code = profile_input_nothing(&profiled, path);
    char *text =
        code == EXIT_CLEAN ? spoor_profile_to_callgrind(profiled.profile, path, &size) : NULL;
    if (text)
        code = output_write(settings->callgrind, text, size, !profiled.input.broken, common);
    else if (code == EXIT_CLEAN)
        code = complain_for(EXIT_UNREADABLE, "out of memory");
    free(text);
    return worse(profile_input_close(&profiled), code);
}

/* ---- two traces ---- */

static void profile_report_change(const struct spoor_profile_change *change,
                                  enum spoor_profile_by by, struct spoor_result *row)
{
    static const struct spoor_profile_row none;
    const struct spoor_profile_row *before = change->before ? change->before : &none;
    const struct spoor_profile_row *after = change->after ? change->after : &none;
    spoor_profile_put_name(change->after ? after : before, by, row);
    spoor_result_unsigned(row, "calls_before", before->calls);
    spoor_result_unsigned(row, "calls_after", after->calls);
    spoor_result_unsigned(row, "inclusive_before", before->inclusive);
    spoor_result_unsigned(row, "inclusive_after", after->inclusive);
    spoor_result_unsigned(row, "exclusive_before", before->exclusive);
    spoor_result_unsigned(row, "exclusive_after", after->exclusive);
    spoor_result_signed(row, "change", change->exclusive);
}

static int profile_show_changes(const struct profile_settings *settings,
                                const struct profile_input *before,
                                const struct profile_input *after,
                                const struct spoor_profile_change *changes, size_t count)
{
    const struct settings *common = &settings->profiled.common;
    struct spoor_result *result = spoor_result_new_object();
    struct text text = {0};
    int code;
    spoor_result_text(result, "count_unit", spoor_profile_totals(after->profile).unit);
    for (int i = 0; i < 2; i++) {
        const struct profile_input *profiled = i ? after : before;
        const struct spoor_profile_totals totals = spoor_profile_totals(profiled->profile);
        struct spoor_result *side = spoor_result_object(result, i ? "after" : "before");
        spoor_result_text(side, "trace", profiled->input.path);
        spoor_result_text(side, "format", profiled->input.format);
        spoor_result_unsigned(side, "total", totals.amount);
        spoor_result_unsigned(side, "instructions", totals.instructions);
        spoor_result_unsigned(side, "calls", totals.calls);
    }
    if (prints_data(common)) {
        struct spoor_result *rows = spoor_result_array(result, "functions");
        for (size_t i = 0; i < count; i++)
            profile_report_change(&changes[i], (enum spoor_profile_by)settings->by,
                                  spoor_result_object(rows, NULL));
        results_describe("profile_against");
        code = show_result(result, result_form_of(common));
    } else {
        const struct spoor_profile_totals old = spoor_profile_totals(before->profile);
        const struct layout layout = profile_layout(settings, after, result);
        const uint64_t top = settings->top;
        size_t same = 0, shown = 0;
        spoor_result_text(result, "unit", old.unit);
        spoor_result_signed(result, "growth",
                            (int64_t)(spoor_profile_totals(after->profile).amount - old.amount));
        layout_put(&layout, PROFILE_CHANGES, result, &text);
        for (size_t i = 0; i < count; i++) {
            const struct spoor_profile_change *change = &changes[i];
            const bool is_same = !change->exclusive && !change->calls;
            same += is_same;
            if (is_same || shown++ >= top) continue;
            struct spoor_result *row = spoor_result_new_object();
            profile_report_change(change, (enum spoor_profile_by)settings->by, row);
            spoor_result_bool(row, "was",
                              change->after && change->before && change->before->exclusive);
            spoor_result_bool(row, "gone", !change->after);
            spoor_result_bool(row, "new", !change->before);
            spoor_result_signed(row, "calls", change->calls);
            profile_put_row(settings, &layout, PROFILE_CHANGE,
                            change->after ? change->after : change->before, row, &text);
        }
        if (shown > top)
            text_printf(&text, "%s more: --all lists them\n", COUNT(shown - (size_t)top));
        if (same) text_printf(&text, "%zu %s the same\n", same, same == 1 ? "row is" : "rows are");
        text.failed |= !spoor_result_complete(result);
        code = show_text(&text);
    }
    text_free(&text);
    spoor_result_free(result);
    return code;
}

static int profile_run_verb(void *chosen)
{
    struct profile_settings *settings = chosen;
    if (!profile_input_check(&settings->profiled)) return EXIT_USAGE;
    settings->flame.like = settings->like;
    settings->flame.top = settings->top;
    if (settings->flame.folded || settings->flame.svg || settings->flame.speedscope ||
        settings->flame.perfetto) {
        const char *other = settings->by                                 ? "--by"
                            : settings->of                               ? "--of"
                            : settings->callers                          ? "--callers"
                            : settings->compare                          ? "--compare"
                            : settings->sort                             ? "--sort"
                            : settings->all                              ? "--all"
                            : settings->callgrind                        ? "--callgrind"
                            : settings->profiled.common.plot             ? "--plot"
                            : settings->top && !settings->flame.perfetto ? "--top"
                                                                         : NULL;
        if (other)
            return complain_for(EXIT_USAGE,
                                "profile: %s is of the table: --flame, --svg, "
                                "--speedscope and --perfetto print other things",
                                other);
        return flame_show(&settings->profiled, &settings->flame);
    }
    if (!settings->top) settings->top = USUAL_ROWS;
    if (settings->all) settings->top = UINT64_MAX;
    if (settings->callgrind) return profile_write_callgrind(settings);
    if (settings->compare) {
        const struct settings *common = &settings->profiled.common;
        const enum spoor_profile_by by = (enum spoor_profile_by)settings->by;
        struct profile_input before, after;
        if (operand_count(common) != 2) {
            complain("profile --compare: found %zu trace%s, expected 2", operand_count(common),
                     operand_count(common) == 1 ? "" : "s");
            return EXIT_USAGE;
        }
        if (!profile_input_read(&before, &settings->profiled, by, operand(common, 0)))
            return profile_input_close(&before);
        if (!profile_input_read(&after, &settings->profiled, by, operand(common, 1)))
            return worse(profile_input_close(&before), profile_input_close(&after));
        size_t count;
        struct spoor_profile_change *changes =
            spoor_profile_compare(before.profile, after.profile, &count);
        int code = EXIT_UNREADABLE;
        if (changes)
            code = profile_show_changes(settings, &before, &after, changes, count);
        else
            complain("memory ran out");
        free(changes);
        code = worse(profile_input_close(&before), code);
        return worse(profile_input_close(&after), code);
    }
    return run_each_trace(&settings->profiled.common, profile_trace, settings);
}

const struct verb verb_profile = {
    .name = "profile",
    .brief = "which functions a program spends its instructions, time or misses in",
    .operands = "TRACE...",
    .about = "Finds the calls of a trace and counts what each function ran itself (exclusive) and "
             "together with all functions that it called (inclusive).  Recursion counts once, and "
             "calls that never returned count, too.  Functions have names with --image, or the "
             "load map that "
             "`record` keeps.",
    .options = options,
    .settings_size = sizeof(struct profile_settings),
    .results = true,
    .many = true,
    .numbers = true,
    .follows = true,
    .run = profile_run_verb,
};
