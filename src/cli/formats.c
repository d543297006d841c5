/* SPDX-License-Identifier: MIT */
/* formats.c: the verb `formats`: list the formats and their fields. */
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/option.h"
#include "cli/results.h"

struct formats_settings {
    struct settings common;
    bool table;
};

static const struct option options[] = {
    OPT_FLAG(0, "table", offsetof(struct formats_settings, table),
             "print the table of README.md, in Markdown: kinds with their numbers of fields, what "
             "is read, written and indexed, and a trace that tests read"),
    OPTION_END,
};

static const struct {
    const char *format, *path;
} samples[] = {
#define SAMPLE(format, path) {format, path},
#include "cli/samples.def"
};

static void put_suffixes(struct spoor_result *result, const struct spoor_format *format)
{
    struct spoor_result *list = spoor_result_array(result, "suffixes");
    const char *at = spoor_format_suffixes(format);
    while (at && *at) {
        size_t size = strcspn(at, ";");
        spoor_result_bytes(list, NULL, at, size);
        at += size + (at[size] == ';');
    }
}

/* The kinds that reading it produces. */
static void put_kinds(struct spoor_result *result, const struct spoor_format *format)
{
    struct spoor_result *list = spoor_result_array(result, "kinds");
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (kind != SPOOR_NOTE && spoor_format_produces(format, (enum spoor_kind)kind))
            spoor_result_text(list, NULL, spoor_kind_name((enum spoor_kind)kind));
}

static void put_fields(struct spoor_result *result, const struct spoor_format *format)
{
    struct spoor_result *fields = spoor_result_object(result, "fields");
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        spoor_field_set set = spoor_format_fields(format, (enum spoor_kind)kind);
        if (!set) continue;
        struct spoor_result *list =
            spoor_result_array(fields, spoor_kind_name((enum spoor_kind)kind));
        for (int field = 0; field < SPOOR_FIELDS; field++)
            if (set >> field & 1)
                spoor_result_text(list, NULL, spoor_field_name((enum spoor_field)field));
    }
}

/* A row of the table of all formats. */
static void put_row(struct spoor_result *row, const struct spoor_format *format)
{
    spoor_result_text(row, "name", spoor_format_name(format));
    spoor_result_bool(row, "reads", spoor_format_reads(format));
    spoor_result_bool(row, "writes", spoor_format_writes(format));
    put_suffixes(row, format);
    spoor_result_text(row, "title", spoor_format_title(format));
    put_kinds(row, format);
}

static void put_details(struct spoor_result *result, const struct spoor_format *format)
{
    size_t record_size = spoor_format_record_size(format);
    spoor_result_text(result, "name", spoor_format_name(format));
    spoor_result_text(result, "title", spoor_format_title(format));
    spoor_result_text(result, "document", spoor_format_document(format));
    spoor_result_text(result, "record", record_size ? "binary" : "line");
    if (record_size) spoor_result_unsigned(result, "record_bytes", record_size);
    spoor_result_bool(result, "reads", spoor_format_reads(format));
    spoor_result_bool(result, "writes", spoor_format_writes(format));
    put_suffixes(result, format);
    put_kinds(result, format);
    put_fields(result, format);
}

static struct spoor_result *table_of_all(void)
{
    struct spoor_result *all = spoor_result_new_array();
    for (size_t i = 0; i < spoor_format_count(); i++)
        put_row(spoor_result_object(all, NULL), spoor_format_at(i));
    return all;
}

/* An object for one name, an array of objects for several; NULL: a name is not a format. */
static struct spoor_result *details_of(const struct settings *settings)
{
    const int count = settings->operand_count;
    struct spoor_result *all = count > 1 ? spoor_result_new_array() : spoor_result_new_object();
    for (int i = 0; i < count; i++) {
        const struct spoor_format *format = format_named(settings->operands[i]);
        if (!format) {
            spoor_result_free(all);
            return NULL;
        }
        put_details(count > 1 ? spoor_result_object(all, NULL) : all, format);
    }
    return all;
}

/* ---- as Markdown ---- */

/* "insn (9), reg (6)": the kinds of records that reading it produces, and how many fields each has.
 */
static void put_field_counts(struct text *out, const struct spoor_format *format)
{
    bool any = false;
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        const spoor_field_set set = spoor_format_fields(format, (enum spoor_kind)kind);
        const bool produced = spoor_format_produces(format, (enum spoor_kind)kind);
        if (kind == SPOOR_NOTE || !set || (spoor_format_reads(format) && !produced)) continue;
        text_printf(out, "%s%s (%u)", any ? ", " : "", spoor_kind_name((enum spoor_kind)kind),
                    spoor_field_count(set));
        any = true;
    }
}

static const char *sample_of(const struct spoor_format *format)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i].format, spoor_format_name(format)) == 0) return samples[i].path;
    return "";
}

static const char *yes_or_no(bool is_so)
{
    return is_so ? "yes" : "no";
}

static int show_markdown(void)
{
    struct text out = {0};
    text_puts(&out, "| format | what it is | kinds (fields) | read | written | indexed | sample |\n"
                    "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        const char *sample = sample_of(format);
        const bool reads = spoor_format_reads(format);
        text_printf(&out, "| `%s` | %s | ", spoor_format_name(format), spoor_format_title(format));
        put_field_counts(&out, format);
        text_printf(&out, " | %s | %s | %s | %s%s%s |\n", yes_or_no(reads),
                    yes_or_no(spoor_format_writes(format)), yes_or_no(reads), *sample ? "`" : "",
                    sample, *sample ? "`" : "");
    }
    const int code =
        out.failed ? (complain("out of memory"), EXIT_UNREADABLE) : show_bytes(out.bytes, out.size);
    text_free(&out);
    return code;
}

/* --table without a name: the verb has one table. */
static int show_whole_table(const struct settings *settings)
{
    if (!settings->operand_count && !settings->json && !settings->csv) return show_markdown();
    if (settings->operand_count)
        complain("formats --table: it has all formats, found '%s'", settings->operands[0]);
    else
        complain("formats --table: it is printed in Markdown: expected no --json, --csv or "
                 "--parquet");
    return EXIT_USAGE;
}

static int run(void *chosen)
{
    const struct settings *settings = chosen;
    const struct formats_settings *formats = chosen;
    if (formats->table) return show_whole_table(settings);
    struct spoor_result *result = settings->operand_count ? details_of(settings) : table_of_all();
    if (!result && settings->operand_count) return EXIT_USAGE;
    int code = show_result(result, result_form_of(settings));
    spoor_result_free(result);
    return code;
}

const struct verb verb_formats = {
    .name = "formats",
    .brief = "list the formats that can be read and written, and their fields",
    .operands = "[FORMAT...]",
    .about = "Lists the formats.  For a named format, prints the document that defines it and the "
             "fields of each kind of record that it can represent; all other fields are lost in "
             "a conversion to it.",
    .options = options,
    .settings_size = sizeof(struct formats_settings),
    .results = true,
    .run = run,
};
