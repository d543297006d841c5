/* SPDX-License-Identifier: MIT */
/* inquiry.h: shared by state, who, stack and slice: a trace opened for queries, moments, subjects.
 */
#ifndef SPOOR_CLI_INQUIRY_H
#define SPOOR_CLI_INQUIRY_H

#include "base/text.h"
#include "cli/image_set.h"
#include "cli/same_file.h"
#include "cli/trace_index.h"
#include "spoor/explore.h"

/* Rows of a verb's option table: the order of bytes in memory; a moment. */
#define BYTE_ORDER_OPTIONS                                                                   \
    OPT_FLAG(0, "bi", COMMON(big_endian),                                                    \
             "data of accesses is big-endian: its highest byte lies at the lowest address"), \
        OPT_FLAG(0, "li", COMMON(little_endian),                                             \
                 "data of accesses is little-endian (the default, unless an image is big-endian)")
#define MOMENT_OPTION(offset) OPT(0, "at", TEXT, "MOMENT", (offset), "(default: end)")

/* Finds the order that is asked for, or that of the images; false: they contradict each other, and
 * an error has been printed (EXIT_USAGE). */
bool byte_order_of(const struct settings *settings, bool *big);

struct inquiry {
    const struct settings *settings;
    const char *path;
    struct spoor_index *index;
    struct spoor_explorer *explorer;
    struct image_set located;
    struct code_reader *disassembler;   /* NULL: there is none */
    const char *option;                 /* that names a moment; NULL: --at */
    struct spoor_select *where;         /* of --where; NULL: all */
    struct spoor_cut_options selection; /* that the index is of */
    bool is_part;                       /* it is of some records */
    bool is_empty;                      /* none is selected */
    const char *whose; /* --cpu of a verb about the machine (struct verb): whose registers; NULL */
    int code;
    bool reported;         /* an error has been printed since it was opened */
    struct same_file file; /* the trace, which is read several times */
};
/* Opens a trace and its index, or one of the records that the settings select; `ordered`: memory
 * has the order of bytes that byte_order_of() finds, else it is little-endian.  False: an error has
 * been printed, and inquiry->code is set. */
bool inquiry_open(struct inquiry *inquiry, const struct settings *settings, const char *path,
                  bool ordered);
/* Closes both; returns the exit code. */
int inquiry_close(struct inquiry *inquiry);

/* Says what went wrong; gives and keeps the exit code: EXIT_NOTHING for what is not there. */
int inquiry_fail(struct inquiry *inquiry, enum spoor_status status,
                 const struct spoor_error *error);
/* Finds the text of an instruction; after an error, which is printed, it is empty. */
enum { INSTRUCTION_TEXT = 128 };
void inquiry_instruction(struct inquiry *inquiry, uint64_t record, char text[INSTRUCTION_TEXT]);
/* Parses a moment (NULL: the end) and finds it; false: an error has been printed. */
bool inquiry_moment(struct inquiry *inquiry, const char *words, uint64_t *moment);
/* The processors that are asked about, from *first to before *end; false: an error has been
 * printed.
 */
bool inquiry_cpus(struct inquiry *inquiry, unsigned *first, unsigned *end);
/* Parses "x0", "8000", "8000+16" or "pa:8000+4": a register, or virtual or physical memory as it is
 * mapped at the moment. */
bool inquiry_subject(struct inquiry *inquiry, const char *words, uint64_t moment,
                     struct spoor_subject *subject);

/* ---- members of results ---- */

/* The record, line, time and time_unit of a moment.  Of this function and the next, false: an error
 * has been printed. */
bool inquiry_give_moment(struct inquiry *inquiry, uint64_t moment, struct spoor_result *result);
/* The name of a processor, its last instruction, and its last gap before the moment, if there is
 * one: cpu, pc, instruction, gap. */
bool inquiry_give_cpu_state(struct inquiry *inquiry, const struct spoor_state *state, unsigned cpu,
                            uint64_t moment, struct spoor_result *entry);
/* Members of a result: the path and the format of the trace. */
void inquiry_give_trace(struct spoor_result *result, const struct inquiry *inquiry);
/* Members of a result; what the trace does not state is null: the time of a record, and the name of
 * a cpu. */
void inquiry_give_time(struct spoor_result *result, const struct inquiry *inquiry, uint64_t record,
                       uint64_t time);
void inquiry_give_cpu(struct spoor_result *result, const struct inquiry *inquiry, unsigned cpu);
/* Calls the verb's function `answer` for a trace, and shows the answer. */
trace_runner inquiry_trace;

/* ---- parts of answers, by the verbs of their names ---- */

/* Adds a flow of data as the array `nodes`. */
void slice_give_flow(struct inquiry *inquiry, const struct spoor_dataflow *flow,
                     struct spoor_result *result);
/* Adds the open calls of a processor, innermost first, to the array. */
void stack_give_frames(const struct inquiry *inquiry, const struct spoor_state *state, unsigned cpu,
                       struct spoor_result *frames);

#endif
