/* SPDX-License-Identifier: MIT */
/* write_result.c: what --json states of a trace that was written. */
#include "cli/write_result.h"

#include <string.h>
#include <sys/stat.h>

bool write_result_apart(const struct settings *settings, const char *output)
{
    if (!settings->json || (output && strcmp(output, "-") != 0)) return true;
    return complain("%s --json: the trace goes to standard output: expected -o FILE",
                    settings->verb->name);
}

struct spoor_result *write_result_new(const char *path, const struct spoor_format *format,
                                      uint64_t records)
{
    struct spoor_result *result = spoor_result_new_object();
    spoor_result_text(result, "trace", path);
    spoor_result_text(result, "format", spoor_format_name(format));
    spoor_result_unsigned(result, "records", records);
    return result;
}

void write_result_put_input(struct spoor_result *inputs, const char *path,
                            const struct spoor_format *format, uint64_t records)
{
    struct spoor_result *row = spoor_result_object(inputs, NULL);
    spoor_result_text(row, "trace", path);
    spoor_result_text(row, "format", spoor_format_name(format));
    spoor_result_unsigned(row, "records", records);
}

void write_result_put_size(struct spoor_result *result, const char *path)
{
    struct stat file;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode))
        spoor_result_size(result, "bytes", (uint64_t)file.st_size);
}

static void write_result_put_loss(struct spoor_result *lost, const char *kind, const char *field,
                                  uint64_t records)
{
    if (!records) return;
    struct spoor_result *row = spoor_result_object(lost, NULL);
    if (kind) spoor_result_text(row, "kind", kind);
    if (field) spoor_result_text(row, "field", field);
    spoor_result_unsigned(row, "records", records);
}

void write_result_put_losses(struct spoor_result *result, const struct spoor_loss *loss,
                             uint64_t unplaced, uint64_t stray, const struct spoor_writer *writer)
{
    size_t count = 0, assumed = 0;
    const struct spoor_writer_note *notes = writer ? spoor_writer_notes(writer, &count) : NULL;
    struct spoor_result *lost = spoor_result_array(result, "lost"), *rows = NULL;
    for (enum spoor_kind kind = 0; loss && kind < SPOOR_KINDS; kind++) {
        write_result_put_loss(lost, spoor_kind_name(kind), NULL, spoor_loss_records(loss, kind));
        for (enum spoor_field field = 0; field < SPOOR_FIELDS; field++)
            write_result_put_loss(lost, spoor_kind_name(kind), spoor_field_name(field),
                                  spoor_loss_fields(loss, kind, field));
    }
    write_result_put_loss(lost, spoor_kind_name(SPOOR_NOTE), NULL, stray);
    write_result_put_loss(lost, NULL, NULL, unplaced);
    for (size_t i = 0; i < count; i++) {
        assumed += !notes[i].lost;
        if (notes[i].lost) write_result_put_loss(lost, NULL, notes[i].field, notes[i].records);
    }
    if (assumed) rows = spoor_result_array(result, "assumed");
    for (size_t i = 0; i < count; i++) {
        if (notes[i].lost) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "field", notes[i].field);
        spoor_result_text(row, "value", notes[i].value);
        spoor_result_unsigned(row, "records", notes[i].records);
    }
}

int write_result_show(struct spoor_result *result, const char *path)
{
    write_result_put_size(result, path);
    const int code = result ? show_result(result, RESULT_JSON) : EXIT_UNREADABLE;
    if (!result) complain("out of memory");
    spoor_result_free(result);
    return code;
}
