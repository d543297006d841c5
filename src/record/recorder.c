/* SPDX-License-Identifier: MIT */
/* record/recorder.c: choose a recorder; functions shared by all recorders. */
#include "record/recorder.h"

const struct recorder_kind *recorder_kind_for(const struct spoor_format *format)
{
    if (!spoor_format_writes(format)) return NULL;
    if (spoor_format_fields(format, SPOOR_INSN) && spoor_format_fields(format, SPOOR_REG))
        return &recorder_registers;
    if (spoor_format_fields(format, SPOOR_UOP) & SPOOR_FIELD_BIT(MICRO)) return &recorder_micro_ops;
    if (spoor_format_fields(format, SPOOR_MEM)) return &recorder_memory;
    return NULL;
}

enum spoor_status recorder_open(struct recorder *recorder, const struct spoor_format *format,
                                const struct machine *machine, struct spoor_error *error)
{
    *recorder = (struct recorder){
        .kind = recorder_kind_for(format),
        .machine = machine,
        .stream = {.path = "-", .format = format, .names = spoor_names_new()},
    };
    recorder->stream.spellings = spoor_names_new();
    recorder->batch.stream = &recorder->stream;
    if (!recorder->kind)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s cannot represent a recording: record uop, tarmac, lackey or "
                               "din and convert it",
                               spoor_format_name(format));
    if (!recorder->stream.names || !recorder->stream.spellings)
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return recorder->kind->open ? recorder->kind->open(recorder, error) : SPOOR_OK;
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->kind && recorder->kind->close) recorder->kind->close(recorder);
    spoor_batch_free(&recorder->batch);
    spoor_names_free(recorder->stream.names);
    spoor_names_free(recorder->stream.spellings);
    *recorder = (struct recorder){0};
}
