/* SPDX-License-Identifier: MIT */
/*
 * record/recorder.h: from steps to records.
 *
 * A recorder fills a batch with the records of one kind of trace; which one is chosen by what the
 * wanted format can carry, never by its name.  Writing is the library's.
 */
#ifndef SPOOR_RECORD_RECORDER_H
#define SPOOR_RECORD_RECORDER_H

#include "record/guest.h"
#include "record/step.h"
#include "spoor/batch.h"
#include "spoor/format.h"

struct recorder {
    const struct recorder_kind *kind;
    const struct machine *machine;
    struct spoor_stream stream;
    struct spoor_batch batch;
    uint64_t
        left_out; /* instructions that began and did not complete, or whose outcome is unknown */
    void *state;  /* the kind's own */
};

struct recorder_kind {
    const char *what; /* "micro-ops": what it makes of an instruction */
    uint32_t wishes;  /* enum events_wish */
    bool one_cpu;     /* its records have no place for a cpu and must follow on each other */
    /* Whether it can record programs for this machine; the error says what could. */
    enum spoor_status (*open)(struct recorder *recorder, struct spoor_error *error);
    /* Append the records of the steps to recorder->batch. */
    void (*take)(struct recorder *recorder, struct steps *steps);
    void (*close)(struct recorder *recorder);
};

extern const struct recorder_kind recorder_memory, recorder_micro_ops, recorder_registers;

/* The kind whose records the format can carry, or NULL. */
const struct recorder_kind *recorder_kind_for(const struct spoor_format *format);

enum spoor_status recorder_open(struct recorder *recorder, const struct spoor_format *format,
                                const struct machine *machine, struct spoor_error *error);
void recorder_close(struct recorder *recorder);

#endif
