/* SPDX-License-Identifier: MIT */
/*
 * trace_reference.c: memory references only: dinero's din and valgrind's lackey.
 */
#include <inttypes.h>

#include "tracer.h"

static bool is_load(const struct step *step)
{
    return step->instruction.operation->class == CLASS_LOAD;
}

/* Labels: 0 read, 1 write, 2 instruction fetch. */
void trace_din(struct trace *trace, const struct step *step)
{
    fprintf(trace->file, "2 %" PRIx64 "\n", step->pc);
    if (step->instruction.operation->size)
        fprintf(trace->file, "%d %" PRIx64 "\n", is_load(step) ? 0 : 1, step->address);
}

void trace_lackey(struct trace *trace, const struct step *step)
{
    unsigned size = step->instruction.operation->size;
    fprintf(trace->file, "I  %08" PRIx64 ",4\n", step->pc);
    if (size)
        fprintf(trace->file, " %c %08" PRIx64 ",%u\n", is_load(step) ? 'L' : 'S', step->address,
                size);
}
