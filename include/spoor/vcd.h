/* SPDX-License-Identifier: MIT */
/*
 * vcd.h: a trace as a value change dump (IEEE 1364, clause 18), the file of waveform viewers.
 *
 * A value change dump declares its variables before their values, so a trace is read twice:
 *
 *     struct spoor_vcd *vcd;
 *     spoor_vcd_new(&vcd, &options, &error);
 *     for each batch, in order: spoor_vcd_survey(vcd, batch, &error);
 *     for each batch of a second reading, in order:
 *         spoor_vcd_feed(vcd, batch, &error);
 *         write(spoor_vcd_output(vcd, &size), size);
 *     spoor_vcd_end(vcd, &error);
 *     while (bytes = spoor_vcd_output(vcd, &size), size) write(bytes, size);
 *     spoor_vcd_free(vcd);
 *
 * Memory does not grow with the trace.  The same can be written as FST, GTKWave's format: its first
 * bytes state what the last record decides, so that spoor_vcd_output() has nothing before the end,
 * and what follows is kept in a temporary file.
 *
 * Each processor has a scope with what its records have: `pc`, `opcode`, `instruction` (the
 * disassembly), `executed` (0: the condition failed), `mode`, `function` and `depth` (open calls),
 * `event` (an exception, an interrupt, a signal, for one instruction) and `exceptions` (open ones),
 * `target` of branches, the accesses of memory as a bus (`mem_op`, `mem_addr`, `mem_size`,
 * `mem_data`), and every register.  Transactions at the pins have the scope `bus`.  Unknown bits
 * are x.  A bus without an access is z.
 *
 * Time.  The step of the dump is a thousandth of the trace's unit: a time t is #t000.  A unit that
 * is no part of a second (clk, cyc, tic) counts as 1 ns.  The n-th instruction of a processor at
 * one time is n - 1 steps after it, and so is each further access of an instruction.  A record
 * whose time is before that of an earlier one is one step after it: time never goes back, and the
 * variable `time` has what the trace states.  A trace without times, and SPOOR_VCD_INSTRUCTIONS,
 * have one unit, 1 ns, for each instruction.
 */
#ifndef SPOOR_VCD_H
#define SPOOR_VCD_H

#include "batch.h"
#include "image.h"
#include "result.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_vcd;

enum spoor_vcd_layout {
    SPOOR_VCD_PLAIN, /* as above */
    /* As tarmac-vcd of Arm's Tarmac Trace Utilities writes it: one scope CPU with the registers x,
     * xsp, psr, d and s (AArch32: r, psr, d, s), Cycle, Function, Inst, InstAsm, InstExecuted, PC,
     * MemRW, MemAddr and MemData, of the first processor. */
    SPOOR_VCD_TTU,
};
enum spoor_vcd_form {
    SPOOR_VCD_TEXT, /* IEEE 1364 */
    SPOOR_VCD_FST,  /* of the PLAIN layout; texts are as they are, not escaped */
};
enum spoor_vcd_time {
    SPOOR_VCD_DEFAULT_TIME, /* PLAIN: of the trace; TTU: instructions */
    SPOOR_VCD_TRACE_TIME,
    SPOOR_VCD_INSTRUCTIONS,
};
struct spoor_vcd_options {
    size_t struct_size; /* sizeof this struct */
    enum spoor_vcd_layout layout;
    enum spoor_vcd_time time;
    struct spoor_images *images;      /* names of functions; NULL: addresses */
    const struct spoor_select *where; /* draw only these records; NULL: all.  Calls are those of the
                                       * whole trace */
    const char *cpu; /* draw only this processor: its name, or "cpu" and its name; NULL: all */
    enum spoor_vcd_form form;
};

/* On SPOOR_OK the caller owns *vcd.  What the options point at must outlive it. */
enum spoor_status spoor_vcd_new(struct spoor_vcd **vcd, const struct spoor_vcd_options *options,
                                struct spoor_error *error);
void spoor_vcd_free(struct spoor_vcd *vcd);

/* Adds a batch of the first reading, of the second; then the second ends. */
enum spoor_status spoor_vcd_survey(struct spoor_vcd *vcd, const struct spoor_batch *batch,
                                   struct spoor_error *error);
enum spoor_status spoor_vcd_feed(struct spoor_vcd *vcd, const struct spoor_batch *batch,
                                 struct spoor_error *error);
enum spoor_status spoor_vcd_end(struct spoor_vcd *vcd, struct spoor_error *error);
/* The bytes of the dump since the last call; they last until the next call for `vcd`.  After the
 * end, none: all of them were given; NULL: the temporary file of FST cannot be read, or memory ran
 * out. */
const char *spoor_vcd_output(struct spoor_vcd *vcd, size_t *size);

/* The number of records that the survey found to be drawn. */
uint64_t spoor_vcd_records(const struct spoor_vcd *vcd);
/* The findings of the first reading: records whose time is before that of an earlier one, and the
 * first of them, counted from 0. */
struct spoor_vcd_disorder {
    uint64_t count, record;
};
struct spoor_vcd_disorder spoor_vcd_disorder(const struct spoor_vcd *vcd);

/* Adds a summary of the finished dump to an object: `records` that were drawn, `unit` of the
 * trace's times (null: one unit for each instruction), `timescale`, `steps` of the timescale in a
 * unit, `end`, `variables`, `cpus` of `name` and `registers`, `backwards` (as spoor_vcd_disorder())
 * and `first_backwards` (null: none). */
enum spoor_status spoor_vcd_report(const struct spoor_vcd *vcd, struct spoor_result *into);

#ifdef __cplusplus
}
#endif

#endif
