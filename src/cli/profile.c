/* SPDX-License-Identifier: MIT */
/* profile.c: the verb `profile`: which functions a program spends its instructions or time in. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cli/like_ttu.h"
#include "cli/narrow.h"
#include "cli/profile_text.h"
#include "cli/profiled.h"

enum { USUAL_ROWS = 40 };
struct profile_settings {
    struct profiled_settings profiled;
    int by, sort, like;
    bool callers, compare, all;
    const char *of;
    uint64_t top;
};

#define AT(field) offsetof(struct profile_settings, field)
static const struct option options[] = {
    OPT_CHOICE(0, "by", "WHAT", AT(by),
               "count by function (default), line, file, address or opcode",
               "function|line|file|address|opcode"),
    PROFILED_OPTIONS(struct profile_settings, profiled),
    OPT(0, "of", TEXT, "ROW", AT(of),
        "one function, line, file, address or opcode: its callers and what it calls"),
    OPT_FLAG(0, "callers", AT(callers), "with --json: the callers of each row, and what it calls"),
    OPT_FLAG(0, "compare", AT(compare),
             "compare two traces: which functions became slower from the first to the second"),
    OPT_CHOICE(0, "sort", "KEY", AT(sort), "order by exclusive (default), inclusive, calls or name",
               "exclusive|inclusive|calls|name"),
    OPT(0, "top", COUNT, "N", AT(top), "print N rows (default: 40)"),
    OPT_FLAG(0, "all", AT(all), "print all rows"),
    LIKE_TTU_OPTION(AT(like)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

static struct profile_table table_of(const struct profile_settings *settings,
                                     const struct spoor_profile *profile)
{
    return (struct profile_table){
        .profile = profile,
        .chart = chart_start(wants_color(&settings->profiled.common)),
        .by = (enum spoor_profile_by)settings->by,
        .sort = (enum profile_sort)settings->sort,
        .top = settings->all   ? UINT64_MAX
               : settings->top ? settings->top
                               : USUAL_ROWS,
        .columns = narrow_columns(&settings->profiled.common),
    };
}

/* ---- one trace ---- */

/* True if a row is called that: a function, an opcode, a file or "file:line", with or without
 * folders. */
static bool is_named(const struct spoor_profile_row *row, enum spoor_profile_by by,
                     const char *words)
{
    const char *name = by == SPOOR_PROFILE_LINES ? row->source : row->name;
    if (!name) return false;
    const size_t size = strlen(name), wanted = strlen(words);
    if (size == wanted || (by != SPOOR_PROFILE_LINES && by != SPOOR_PROFILE_FILES))
        return strcmp(name, words) == 0;
    return size > wanted && name[size - wanted - 1] == '/' &&
           strcmp(name + size - wanted, words) == 0;
}

static const struct spoor_profile_row *find_row(const struct profiled *profiled,
                                                enum spoor_profile_by by, const char *words)
{
    size_t count;
    const struct spoor_profile_row *rows = spoor_profile_rows(profiled->profile, &count);
    uint64_t address;
    const bool addressed = scan_all_address(words, &address);
    for (size_t i = 0; i < count; i++)
        if (is_named(&rows[i], by, words)) return &rows[i];
    for (uint64_t ignored = 0; addressed && ignored < 2; ignored++) /* bit 0 of T32 */
        for (size_t i = 0; i < count; i++)
            if (rows[i].located && ((rows[i].address ^ address) & ~ignored) == 0) return &rows[i];
    return NULL;
}

static int show(const struct profile_settings *settings, const struct profiled *profiled,
                const char *path, bool *shown, struct spoor_result *all)
{
    const struct spoor_profile_row *of = NULL;
    const bool data = prints_data(&settings->profiled.common);
    const int nothing = profiled_nothing(profiled, path);
    int code = EXIT_CLEAN;
    if (nothing != EXIT_CLEAN && !data) return nothing;
    if (settings->of && nothing == EXIT_CLEAN) {
        static const char *const things[] = {"a function", "a line", "a file", "an address",
                                             "an opcode"};
        of = find_row(profiled, (enum spoor_profile_by)settings->by, settings->of);
        if (!of) {
            complain("%s: never ran %s '%s'", path, things[settings->by], settings->of);
            return EXIT_NOTHING;
        }
    }
    if (data) {
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", profiled->input.format);
        spoor_profile_report(profiled->profile, settings->callers || settings->of, result);
        if (!all) code = show_result(result, result_form_of(&settings->profiled.common));
        if (!all) spoor_result_free(result);
        return worse(code, nothing);
    }
    struct text text = {0};
    struct profile_table table = table_of(settings, profiled->profile);
    table.title = path;
    if (of)
        profile_put_function(&table, of, &text);
    else
        profile_put_table(&table, &text);
    code = show_apart(shown);
    code = worse(code, show_text(&text));
    text_free(&text);
    return code;
}

static int profile_trace(const void *context, const char *path, bool *shown,
                         struct spoor_result *all)
{
    const struct profile_settings *settings = context;
    struct profiled profiled;
    if (settings->like) return like_ttu(TTU_PROFILE, path, &settings->profiled.common, 0);
    if (!profiled_read(&profiled, &settings->profiled, (enum spoor_profile_by)settings->by, path))
        return profiled_close(&profiled);
    const int code = show(settings, &profiled, path, shown, all);
    return worse(profiled_close(&profiled), code);
}

/* ---- two traces ---- */

static void put_side(struct spoor_result *into, const char *key, const struct profiled *profiled)
{
    const struct spoor_profile_totals totals = spoor_profile_totals(profiled->profile);
    struct spoor_result *side = spoor_result_object(into, key);
    spoor_result_text(side, "trace", profiled->input.path);
    spoor_result_text(side, "format", profiled->input.format);
    spoor_result_unsigned(side, "total", totals.amount);
    spoor_result_unsigned(side, "instructions", totals.instructions);
    spoor_result_unsigned(side, "calls", totals.calls);
}

static void put_change(const struct spoor_profile_change *change, enum spoor_profile_by by,
                       struct spoor_result *rows)
{
    static const struct spoor_profile_row none;
    const struct spoor_profile_row *before = change->before ? change->before : &none;
    const struct spoor_profile_row *after = change->after ? change->after : &none;
    const struct spoor_profile_row *known = change->after ? after : before;
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_profile_put_name(known, by, row);
    spoor_result_unsigned(row, "calls_before", before->calls);
    spoor_result_unsigned(row, "calls_after", after->calls);
    spoor_result_unsigned(row, "inclusive_before", before->inclusive);
    spoor_result_unsigned(row, "inclusive_after", after->inclusive);
    spoor_result_unsigned(row, "exclusive_before", before->exclusive);
    spoor_result_unsigned(row, "exclusive_after", after->exclusive);
    spoor_result_signed(row, "change", change->exclusive);
}

static int show_changes(const struct profile_settings *settings, const struct profiled *before,
                        const struct profiled *after, const struct spoor_profile_change *changes,
                        size_t count)
{
    int code;
    if (prints_data(&settings->profiled.common)) {
        struct spoor_result *result = spoor_result_new_object();
        spoor_result_text(result, "count_unit", spoor_profile_totals(after->profile).unit);
        put_side(result, "before", before);
        put_side(result, "after", after);
        struct spoor_result *rows = spoor_result_array(result, "functions");
        for (size_t i = 0; i < count; i++)
            put_change(&changes[i], (enum spoor_profile_by)settings->by, rows);
        results_describe("profile_against");
        code = show_result(result, result_form_of(&settings->profiled.common));
        spoor_result_free(result);
        return code;
    }
    struct text text = {0};
    const struct profile_table table = table_of(settings, after->profile);
    profile_put_changes(&table, before->profile, changes, count, &text);
    code = show_text(&text);
    text_free(&text);
    return code;
}

static int compare_traces(const struct profile_settings *settings)
{
    const struct settings *common = &settings->profiled.common;
    const enum spoor_profile_by by = (enum spoor_profile_by)settings->by;
    struct profiled before, after;
    if (operand_count(common) != 2) {
        complain("profile --compare: found %zu trace%s, expected 2", operand_count(common),
                 operand_count(common) == 1 ? "" : "s");
        return EXIT_USAGE;
    }
    if (!profiled_read(&before, &settings->profiled, by, operand(common, 0)))
        return profiled_close(&before);
    if (!profiled_read(&after, &settings->profiled, by, operand(common, 1)))
        return worse(profiled_close(&before), profiled_close(&after));
    size_t count;
    struct spoor_profile_change *changes =
        spoor_profile_compare(before.profile, after.profile, &count);
    int code = EXIT_UNREADABLE;
    if (changes)
        code = show_changes(settings, &before, &after, changes, count);
    else
        complain("memory ran out");
    free(changes);
    code = worse(profiled_close(&before), code);
    return worse(profiled_close(&after), code);
}

static int run(void *chosen)
{
    struct profile_settings *settings = chosen;
    if (!profiled_check(&settings->profiled)) return EXIT_USAGE;
    if (settings->compare) return compare_traces(settings);
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
    .follows = true,
    .run = run,
};
