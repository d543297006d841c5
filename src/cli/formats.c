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
    OPT_FLAG(0, "readme", offsetof(struct formats_settings, table),
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

static void formats_put_suffixes(struct spoor_result *result, const struct spoor_format *format)
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
static void formats_put_kinds(struct spoor_result *result, const struct spoor_format *format)
{
    struct spoor_result *list = spoor_result_array(result, "kinds");
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (kind != SPOOR_NOTE && spoor_format_produces(format, (enum spoor_kind)kind))
            spoor_result_text(list, NULL, spoor_kind_name((enum spoor_kind)kind));
}

/* ---- as Markdown ---- */

static const char *formats_yes(bool is_so)
{
    return is_so ? "yes" : "no";
}

static int formats_show_markdown(void)
{
    struct text out = {0};
    text_puts(&out, "| format | what it is | kinds (fields) | read | written | indexed | sample |\n"
                    "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        const char *sample = "";
        for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
            if (strcmp(samples[k].format, spoor_format_name(format)) == 0) sample = samples[k].path;
        const bool reads = spoor_format_reads(format);
        text_printf(&out, "| `%s` | %s | ", spoor_format_name(format), spoor_format_title(format));
        /* "insn (9), reg (6)": the kinds of records that reading it produces, and how many fields
         * each has. */
        bool any = false;
        for (int kind = 0; kind < SPOOR_KINDS; kind++) {
            const spoor_field_set set = spoor_format_fields(format, (enum spoor_kind)kind);
            const bool produced = spoor_format_produces(format, (enum spoor_kind)kind);
            if (kind == SPOOR_NOTE || !set || (spoor_format_reads(format) && !produced)) continue;
            text_printf(&out, "%s%s (%u)", any ? ", " : "", spoor_kind_name((enum spoor_kind)kind),
                        spoor_field_count(set));
            any = true;
        }
        text_printf(&out, " | %s | %s | %s | %s%s%s |\n", formats_yes(reads),
                    formats_yes(spoor_format_writes(format)), formats_yes(reads),
                    *sample ? "`" : "", sample, *sample ? "`" : "");
    }
    const int code = out.failed ? complain_for(EXIT_UNREADABLE, "out of memory")
                                : show_bytes(out.bytes, out.size);
    text_free(&out);
    return code;
}

static int formats_run(void *chosen)
{
    const struct settings *settings = chosen;
    const struct formats_settings *formats = chosen;
    if (formats->table) {
        /* The verb has one table. */
        if (!settings->operand_count && !settings->json && !settings->csv)
            return formats_show_markdown();
        if (settings->operand_count)
            complain("formats --readme: it has all formats, found '%s'", settings->operands[0]);
        else
            complain("formats --readme: it is printed in Markdown: expected no --json, --csv or "
                     "--parquet");
        return EXIT_USAGE;
    }
    const int count = settings->operand_count;
    struct spoor_result *result = count == 1 ? spoor_result_new_object() : spoor_result_new_array();
    for (int i = 0; i < count; i++) {
        const struct spoor_format *format = format_named(settings->operands[i]);
        if (!format) {
            spoor_result_free(result);
            return EXIT_USAGE;
        }
        struct spoor_result *row = count > 1 ? spoor_result_object(result, NULL) : result;
        const size_t record_size = spoor_format_record_size(format);
        spoor_result_text(row, "name", spoor_format_name(format));
        spoor_result_text(row, "title", spoor_format_title(format));
        spoor_result_text(row, "document", spoor_format_document(format));
        spoor_result_text(row, "record", record_size ? "binary" : "line");
        if (record_size) spoor_result_unsigned(row, "record_bytes", record_size);
        spoor_result_bool(row, "reads", spoor_format_reads(format));
        spoor_result_bool(row, "writes", spoor_format_writes(format));
        formats_put_suffixes(row, format);
        formats_put_kinds(row, format);
        struct spoor_result *fields = spoor_result_object(row, "fields");
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
    for (size_t i = 0; !count && i < spoor_format_count(); i++) {
        struct spoor_result *row = spoor_result_object(result, NULL);
        const struct spoor_format *format = spoor_format_at(i);
        spoor_result_text(row, "name", spoor_format_name(format));
        spoor_result_bool(row, "reads", spoor_format_reads(format));
        spoor_result_bool(row, "writes", spoor_format_writes(format));
        formats_put_suffixes(row, format);
        spoor_result_text(row, "title", spoor_format_title(format));
        formats_put_kinds(row, format);
    }
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
    .run = formats_run,
};
