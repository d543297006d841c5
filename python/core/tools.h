/* SPDX-License-Identifier: MIT */
/*
 * tools.h: the library's tools by name, each fed with a trace, with options from a dict.
 *
 * A tool is made with the GIL held (`prepare`), and fed and asked without it.
 */
#ifndef SPOOR_PYTHON_TOOLS_H
#define SPOOR_PYTHON_TOOLS_H

#include "core.h"

/* What a tool eats. */
enum diet { EATS_BATCHES, EATS_REFERENCES, EATS_BRANCHES };

struct job {
    struct reader_object *self;
    PyObject *options; /* a dict; what is read is removed from it */
    PyObject *held[8]; /* what options point at */
    const char **lists[8];
    size_t held_count;
    void *tool, *other; /* the tool's own */
    uint64_t numbers[4];
    const char *texts[2];
    bool flags[4];
    struct spoor_result *result;
    const char *plot, *table; /* draw the result as this verb does, with only this table */
    char *text; /* of a tool whose report is a text, or a picture; freed by the library's free() */
    size_t text_size;
    struct spoor_references kept;   /* all references, for tools that need the future */
    struct spoor_branch_block last; /* of branches, for the end of the tool */
    struct spoor_error error;
};
struct tool {
    const char *name;
    enum diet diet;
    bool selects; /* it applies the reader's expression itself */
    /* Makes job->tool; false with an exception, or with job->error. */
    bool (*prepare)(struct job *job);
    enum spoor_status (*feed)(struct job *job, const void *items, size_t count);
    /* The trace had so many instructions, as the branches of a trace count them. */
    enum spoor_status (*end)(struct job *job, uint64_t instructions);
    void (*report)(struct job *job);
    void (*release)(struct job *job);
};

extern const struct tool program_tools[]; /* tools_program.c; ends without a name, as all do */
extern const struct tool simulators[];    /* tools_simulate.c */
extern const struct tool summaries[];     /* tools_summary.c */

/* ---- options: each is read once; false with an exception ---- */

bool option_number(struct job *job, const char *name, uint64_t *value);
bool option_real(struct job *job, const char *name, double *value);
bool option_flag(struct job *job, const char *name, bool *value);
/* NULL where it is not given. */
bool option_text(struct job *job, const char *name, const char **value);
/* One of the words, which a NULL ends: its number; 0 where it is not given. */
bool option_word(struct job *job, const char *name, const char *const *words, uint64_t *value);
/* A list of texts, that lives as long as the job. */
bool option_list(struct job *job, const char *name, const char *const **words, size_t *count);

/* The public types, behind pointers that all tools share. */
#define TOOL_OF(type, job) ((struct type *)(job)->tool)

#endif
