/* SPDX-License-Identifier: MIT */
/*
 * tracer.h: the trace formats that a run can be written in.
 *
 * A tracer turns each step into the lines or records of its format.  Adding one is a function and
 * a line in tracer.c.
 */
#ifndef TRACER_H
#define TRACER_H

#include <stdint.h>
#include <stdio.h>

#include "machine.h"

/* The processor's side of the bus: see trace_byu.c. */
struct bus {
    uint64_t now;     /* clock ticks since the start */
    uint64_t request; /* when the last request went out */
    uint64_t line;    /* the line in the prefetch buffer */
    bool holds_line;  /* there is one */
    bool requested;   /* there was a request */
};

struct trace {
    const struct tracer *tracer;
    FILE *file;
    struct bus bus;
};

struct tracer {
    const char *name;
    void (*step)(struct trace *trace, const struct step *step);
};

/* NULL: no such format. */
const struct tracer *tracer_find(const char *name);

void trace_byu6(struct trace *trace, const struct step *step);
void trace_byu12(struct trace *trace, const struct step *step);
void trace_din(struct trace *trace, const struct step *step);
void trace_lackey(struct trace *trace, const struct step *step);
void trace_matcher(struct trace *trace, const struct step *step);
void trace_tarmac(struct trace *trace, const struct step *step);
void trace_uop(struct trace *trace, const struct step *step);

#endif
