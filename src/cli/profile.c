/* SPDX-License-Identifier: MIT */
/* profile.c: the verb `profile`: which functions a program spends its instructions or time in. */
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cli/flame.h"
#include "cli/layout.h"
#include "cli/like_ttu.h"
#include "cli/output.h"

enum { USUAL_ROWS = 40 };
struct profile_settings {
    struct profile_input_settings profiled;
    int by, like;
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
    OPT_CHOICE(0, "sort", "KEY", PROFILE_INPUT_AT(struct profile_settings, profiled, sort),
               "order by exclusive (default), inclusive, calls or name",
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

static const char *const profile_things[] = {"function", "line", "file", "address", "opcode"};

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
        const struct layout layout = layout_of(common, &profiled.input.located);
        struct spoor_result *result = result_of(all);
        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", profiled.input.format);
        if (of)
            spoor_profile_report_row(profiled.profile, of, result);
        else
            spoor_profile_report(profiled.profile, data && settings->callers, result);
        if (!data) spoor_result_bool(result, "of", of != NULL);
        code = worse(code, layout_show(&layout, result, shown, all));
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
                            profile_things[settings->by]);
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
    const bool data = prints_data(&settings->profiled.common);
    struct layout layout = layout_of(&settings->profiled.common, &after->input.located);
    struct spoor_result *result = spoor_result_new_object();
    const int64_t growth = (int64_t)(spoor_profile_totals(after->profile).amount -
                                     spoor_profile_totals(before->profile).amount);
    size_t same = 0, shown = 0;
    bool begun = false;
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
    struct spoor_result *rows = spoor_result_array(result, "functions");
    for (size_t i = 0; i < count; i++) {
        const struct spoor_profile_change *change = &changes[i];
        const bool is_same = !change->exclusive && !change->calls;
        same += is_same;
        if (!data && (is_same || shown++ >= settings->top)) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        profile_report_change(change, (enum spoor_profile_by)settings->by, row);
        if (data) continue;
        spoor_result_bool(row, "was", change->after && change->before && change->before->exclusive);
        spoor_result_bool(row, "gone", !change->after);
        spoor_result_bool(row, "new", !change->before);
    }
    results_describe("profile_against");
    layout.report = "profile_against";
    if (!data) {
        spoor_result_text(result, "by", profile_things[settings->by]);
        spoor_result_signed(result, "growth", growth);
        spoor_result_unsigned(result, "more", shown > settings->top ? shown - settings->top : 0);
        spoor_result_unsigned(result, "same", same);
    }
    return layout_show(&layout, result, &begun, NULL);
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
                            : settings->profiled.sort                    ? "--sort"
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
    const bool data = prints_data(&settings->profiled.common);
    settings->profiled.rows = settings->top || data || settings->all ? settings->top : USUAL_ROWS;
    if (settings->all) settings->profiled.rows = 0;
    if (settings->all)
        settings->top = UINT64_MAX;
    else if (!settings->top)
        settings->top = USUAL_ROWS;
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
