/* SPDX-License-Identifier: MIT */
/*
 * silicon/intel_pt.h: a stream of Intel PT, and the code that it leads along, as elements.
 *
 * libipt decodes it, which is loaded when it is needed (base/shared_library.h).
 */
#ifndef SPOOR_SILICON_INTEL_PT_H
#define SPOOR_SILICON_INTEL_PT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "spoor/error.h"

struct intel_pt;

/* From a time on, a thread runs. */
struct intel_pt_turn {
    uint64_t time;
    uint32_t process, thread, cpu;
};

struct intel_pt_input {
    const uint8_t *bytes; /* which outlive the decoder, as all that is pointed to does */
    size_t size;
    unsigned family, model, stepping; /* of the processor: 0: not known */
    uint32_t ctc_top, ctc_bottom;     /* CPUID 15H: ebx, eax */
    uint8_t mtc_freq;
    /* Code of a process, or 0, at a time; returns 0 if there is none. */
    size_t (*code)(void *context, uint32_t process, uint64_t time, uint64_t address, void *to,
                   size_t size);
    /* The time of a count of the processor's clock; NULL: the count. */
    uint64_t (*time)(const void *context, uint64_t ticks);
    void *context;
    const struct intel_pt_turn *turns; /* in order; before the first one, none is known */
    size_t turn_count;
};

/* Loads libipt, once; false: `error` says what is to be installed. */
bool intel_pt_load(const char *path, struct spoor_error *error);
/* NULL: memory ran out. */
struct intel_pt *intel_pt_open(const struct intel_pt_input *input);
/* Appends elements until its time is after `until`, `out` has `enough` bytes, or it ends. */
void intel_pt_decode(struct intel_pt *pt, uint64_t until, struct text *out, size_t enough);
bool intel_pt_has_ended(const struct intel_pt *pt);
/* The time that it has reached; 0: none is known. */
uint64_t intel_pt_time(const struct intel_pt *pt);
void intel_pt_close(struct intel_pt *pt);

#endif
