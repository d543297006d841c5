/* SPDX-License-Identifier: MIT */
/*
 * describe.h: formats that a description defines.
 *
 * A description is a text file, NAME.spoor-format, whose rules look like the lines of a log with
 * the fields of a record in braces (docs/describe.md).  The format that it defines is used like any
 * other: spoor_format_find() knows its name.  Formats live as long as the process.
 */
#ifndef SPOOR_DESCRIBE_H
#define SPOOR_DESCRIBE_H

#include <stdint.h>

#include "error.h"
#include "format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the formats that the library itself has descriptions of, which else happens when a list or
 * a probe of formats needs them first.  False: memory ran out, and some are missing. */
bool spoor_describe_begin(void);

/* Reads the description at `path`, whose name without its folder and ".spoor-format" is that of the
 * format.  *format: NULL on failure; then `error` names the line and column of a mistake and what
 * was expected there.  A name that another description had is the new one's; a built-in format
 * keeps its name: spoor_format_find() finds that.  Safe to call from several threads. */
enum spoor_status spoor_describe_file(const char *path, const struct spoor_format **format,
                                      struct spoor_error *error);
/* The same for each file *.spoor-format of a folder, in the order of their names.  A folder that
 * does not exist has none.  `tell` (may be NULL) gets a sentence for each description that cannot
 * be used.  Returns the number of those that can. */
size_t spoor_describe_folder(const char *folder, void (*tell)(void *context, const char *sentence),
                             void *context);
/* Proposes a description of a log of which nothing is known: reads its first 64 KiB, unpacked, and
 * finds columns and what they probably are; of a waveform, a file, the first 8,192 edges of its
 * clock, and finds the signals of a RISC-V core.  *description: a string that the caller frees,
 * with comments where it is uncertain; *share: of the lines read, those that it takes as records,
 * or of the steps from one instruction to the next, those that opcodes allow, 0 to 1. SPOOR_EINPUT:
 * no instructions or accesses were found, or the log cannot be read (*description is NULL), or a
 * waveform is damaged in places. */
enum spoor_status spoor_describe_log(const char *path, char **description, double *share,
                                     struct spoor_error *error);
/* What a description takes of a log. */
struct spoor_describe_trial {
    uint64_t lines; /* of the log, without blank ones and the title of a table */
    uint64_t taken; /* of these, by rules, and without a fault */
    size_t rule_count, miss_count, warning_count;
    struct spoor_describe_rule { /* that opens a record */
        unsigned line;           /* of the description, from 1 */
        const char *text;        /* text_size bytes of it, as long as the format lives */
        size_t text_size;
        uint64_t lines;          /* of the log, or times in them, that it took */
    } * rules;                   /* in the order of the description, parts last */
    struct spoor_describe_miss { /* a line that has a fault: no rule takes it, or a field cannot
                                  * have its value */
        uint64_t line;           /* of the log, from 1 */
        unsigned column;         /* where the rule that came furthest stopped */
        char *found;             /* what stands there, quoted: spoor_fault_found() */
        const char *expected;    /* as long as the format lives */
    } * misses;                  /* the first ten */
    char **warnings; /* sentences about the description: a number without a field that makes the
                      * lines differ, a rule that takes the beginning of a later one */
};
/* Tries a described format of text on a log, which it reads whole.  *trial: what was found, which
 * the caller frees; NULL on failure, but for SPOOR_EINPUT where a part of the log could be read.
 * SPOOR_EUSAGE: no description defines the format, or one of binary records. */
enum spoor_status spoor_describe_try(const struct spoor_format *format, const char *path,
                                     struct spoor_describe_trial **trial,
                                     struct spoor_error *error);
void spoor_describe_trial_free(struct spoor_describe_trial *trial);

#ifdef __cplusplus
}
#endif

#endif
