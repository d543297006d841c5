/* SPDX-License-Identifier: MIT */
/*
 * record/session.h: one recording.
 */
#ifndef SPOOR_RECORD_SESSION_H
#define SPOOR_RECORD_SESSION_H

#include "record/executed.h"
#include "record/guest.h"
#include "spoor/index.h"
#include "spoor/writer.h"

struct session_options {
    const struct spoor_format *format;
    const struct spoor_format *container; /* of the file, written in place; NULL: `format` */
    const char *description;              /* for it: see struct spoor_writer_options */
    const char *output;                   /* path; NULL or "-": standard output */
    unsigned threads;                     /* that compress the output; at least 1 */
    bool partial;                         /* write it in place: see spoor_output_open_in_place() */
    const char *start, *stop;             /* symbol or 0x address, or NULL */
    struct selection selection;
    struct guest_options guest;
    struct spoor_index_writer *indexing; /* of the container; NULL: it gets no index */
};

struct session_summary {
    bool started;           /* the program ran */
    int exit_code;          /* the program's own; 128 + signal if one killed it */
    uint64_t instructions;  /* recorded */
    uint64_t left_out;      /* instructions that did not complete, or with unknown outcome */
    uint64_t other_threads; /* threads that were not recorded because the format has no cpu */
    bool never_started;     /* --start was never executed */
    bool without_vectors;   /* registers are recorded, and those of vectors were not found */
    bool without_status;    /* likewise, FPSR and FPCR */
    const char *what;       /* the records are "micro-ops", ... */
    uint64_t records;
};

/* The features of recording in this build, for --version: "record (uop)" with capstone, else
 * "record".
 */
const char *session_features(void);
/* What this build lacks of it, followed by a space; "": nothing. */
const char *session_features_absent(void);

/* Runs `words` (a program and its arguments, NULL-terminated) and records it.  The program inherits
 * the standard streams.  On an error the trace has the events recorded up to it, and a running
 * program continues to its end. */
enum spoor_status session_run(const struct session_options *options, char **words,
                              struct session_summary *summary, struct spoor_error *error);

#endif
