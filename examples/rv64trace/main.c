/* SPDX-License-Identifier: MIT */
/*
 * rv64trace: runs a static RISC-V program and writes its trace.
 *
 *     rv64trace PROGRAM [FORMAT=FILE]...
 *
 * One run may be written in several formats at once.  The output of the program goes to standard
 * output; the exit status is the program's, 125 if the machine could not run it, 124 if it ran too
 * long.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracer.h"

enum { CANNOT_RUN = 125, TOO_LONG = 124, TRACES = 16, STEPS_LIMIT = 100000000 };

static int complain(const char *about, const char *what)
{
    fprintf(stderr, "rv64trace: %s: %s\n", about, what);
    return CANNOT_RUN;
}

/* Opens "FORMAT=FILE"; complains and gives false if that is not possible. */
static bool open_trace(struct trace *trace, char *word)
{
    char *file = strchr(word, '=');
    if (!file) return complain(word, "expected FORMAT=FILE"), false;
    *file++ = 0;
    *trace = (struct trace){.tracer = tracer_find(word)};
    if (!trace->tracer) return complain(word, "no such format"), false;
    trace->file = fopen(file, "wb");
    if (!trace->file) return complain(file, "cannot be written"), false;
    return true;
}

/* Closes all traces; false if one could not be written in full. */
static bool close_traces(struct trace *traces, int count)
{
    bool written = true;
    for (int i = 0; i < count; i++) {
        if (ferror(traces[i].file)) written = false;
        if (fclose(traces[i].file) != 0) written = false;
    }
    if (!written) complain("traces", "cannot be written in full");
    return written;
}

static int run(struct machine *machine, struct trace *traces, int count)
{
    struct step step;
    while (!machine->ended) {
        if (machine->steps == STEPS_LIMIT) return complain("program", "does not end"), TOO_LONG;
        if (!machine_step(machine, &step)) {
            fprintf(stderr, "rv64trace: stopped at %" PRIx64 ": %s\n", machine->pc, machine->fault);
            return CANNOT_RUN;
        }
        for (int i = 0; i < count; i++) traces[i].tracer->step(&traces[i], &step);
    }
    return machine->status;
}

/* Runs the program in the machine's memory, with traces into the files that `words` name. */
static int run_traced(struct machine *machine, int count, char **words)
{
    struct trace traces[TRACES];
    int opened = 0;
    if (count > TRACES) return complain("too many traces", words[TRACES]);
    while (opened < count && open_trace(&traces[opened], words[opened])) opened++;
    int status = opened == count ? run(machine, traces, count) : CANNOT_RUN;
    if (!close_traces(traces, opened)) status = CANNOT_RUN;
    if (fflush(stdout) != 0) status = complain("standard output", "cannot be written");
    return status;
}

static int load_and_run(struct machine *machine, int count, char **words)
{
    FILE *program = fopen(words[0], "rb");
    if (!program) return complain(words[0], "cannot be read");
    const char *wrong = machine_load(machine, program);
    fclose(program);
    return wrong ? complain(words[0], wrong) : run_traced(machine, count - 1, words + 1);
}

int main(int count, char **words)
{
    if (count < 2) {
        fputs("usage: rv64trace PROGRAM [FORMAT=FILE]...\n", stderr);
        return CANNOT_RUN;
    }
    struct machine machine = {.memory = calloc(MACHINE_MEMORY, 1), .output = stdout};
    int status = machine.memory ? load_and_run(&machine, count - 1, words + 1)
                                : complain("memory", "not enough");
    free(machine.memory);
    return status;
}
