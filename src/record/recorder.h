/* SPDX-License-Identifier: MIT */
/*
 * record/recorder.h: make records from executed instructions.
 *
 * A recorder fills a batch with the records of one kind of trace.  It is chosen by the fields of
 * the output format, never by the format's name.  The library writes the records.
 */
#ifndef SPOOR_RECORD_RECORDER_H
#define SPOOR_RECORD_RECORDER_H

#include <string.h>

#include "record/executed.h"
#include "record/guest.h"
#include "spoor/batch.h"
#include "spoor/format.h"

struct recorder {
    const struct recorder_kind *kind;
    const struct machine *machine;
    struct spoor_stream stream;
    struct spoor_batch batch;
    uint64_t
        left_out; /* instructions that began and did not complete, or whose outcome is unknown */
    bool with_vectors; /* the events have the vector registers */
    bool with_status;  /* and FPSR and FPCR */
    void *state;       /* private to the kind */
};

struct recorder_kind {
    const char *what; /* "micro-ops": the records that it makes */
    uint32_t wishes;  /* enum events_wish */
    bool one_cpu;     /* its records have no cpu and must be consecutive */
    /* True if it can record programs for this machine; the error names a recorder that can. */
    enum spoor_status (*open)(struct recorder *recorder, struct spoor_error *error);
    /* Appends the records of the executed instructions to recorder->batch. */
    void (*consume)(struct recorder *recorder, struct executions *executions);
    void (*close)(struct recorder *recorder);
};

extern const struct recorder_kind recorder_memory, recorder_micro_ops, recorder_registers;

/* The number of a name in the stream; memory may run out, which the batch then says. */
static inline spoor_name recorder_intern(struct recorder *recorder, const char *name)
{
    const spoor_name id = spoor_names_intern(recorder->stream.names, name, strlen(name));
    if (id == SPOOR_NAMES_FULL) recorder->batch.out_of_memory = true;
    return id;
}

/* The kind whose records the format can represent, or NULL. */
const struct recorder_kind *recorder_kind_for(const struct spoor_format *format);

enum spoor_status recorder_open(struct recorder *recorder, const struct spoor_format *format,
                                const struct machine *machine, struct spoor_error *error);
void recorder_close(struct recorder *recorder);

#endif
