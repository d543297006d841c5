/* SPDX-License-Identifier: MIT */
/*
 * image_set.h: images in verbs that print code addresses: --image, --source, and the load map that
 * `record` writes beside a trace.
 */
#ifndef SPOOR_CLI_IMAGE_SET_H
#define SPOOR_CLI_IMAGE_SET_H

#include "base/text.h"
#include "cli/cli.h"
#include "cli/same_file.h"

/* The rows of a verb's option table. */
#define IMAGE_OPTIONS                                             \
    OPT(0, "image", LIST, "FILE[@OFFSET]", COMMON(images), NULL), \
        OPT(0, "source", LIST, "DIR", COMMON(sources),            \
            "also search source files in DIR (repeatable)")

/* The row of a verb that fills in records from the code of the image. */
#define CODE_OPTION                                                                         \
    OPT_FLAG(0, "code", COMMON(code),                                                       \
             "take from the image what records lack: opcodes, sizes, and the instructions " \
             "between branches")

/* The functions that a trace names itself are known where there is no image. */
enum own_names {
    OWN_NAMES_NONE,    /* nothing is printed that they would name */
    OWN_NAMES_READ,    /* from the index, if there is one; else the trace is read for them */
    OWN_NAMES_INDEXED, /* from the index, which the verb needs anyway and which is made */
    OWN_NAMES_LATER,   /* the caller adds those of the index to a set that is still empty */
    OWN_NAMES_ASKED,   /* when something is to be named: image_set_read_names() */
};

struct image_set {
    struct spoor_images *images; /* NULL: none */
    int code;                    /* the exit code after a failure */
    struct spoor_locator locator;
    struct spoor_program program;
    bool fills;            /* --code: records are filled in from the program */
    enum own_names later;  /* LATER or ASKED: the trace may name functions that are not added yet */
    const char *named;     /* the trace that may; as long as the caller's */
    const char *trace;     /* that is read for its names, and again by the verb; NULL: none */
    struct same_file file; /* the trace, before anything of it was read */
    bool changed;          /* it is another one now */
};
/* The images of a trace.  False: an error has been printed. */
bool image_set_open(struct image_set *located, const struct settings *settings, const char *trace,
                    enum own_names names);
/* Opened with OWN_NAMES_ASKED: adds the functions that the trace names itself, the first time;
 * where it names none, `images` becomes NULL.  False: an error has been printed, and located->code
 * is set. */
bool image_set_read_names(struct image_set *located, const struct settings *settings);
/* False, with a message: the trace that was read for its names is another one now. */
bool image_set_is_same(struct image_set *located);
/* Returns EXIT_UNREADABLE, with a message, if memory ran out for some names, or the trace is
 * another one. */
int image_set_close(struct image_set *located);
/* False, with that message: before a file is written that would lack names. */
bool image_set_is_whole(const struct image_set *located);
/* For a reader's options; NULL without images, and with OWN_NAMES_ASKED without other ones. */
const struct spoor_locator *image_set_locator(const struct image_set *located);
/* Options of a reader: the locator and, with --code, the program. */
struct spoor_reader_options image_set_reading(const struct image_set *located);

/* "function+0x12 file:line", as much of it as is known; false: nothing is. */
bool image_set_put(const struct image_set *located, uint64_t pc, struct text *out);
/* Says for every `pc` of a result where that is; `within`: only in objects of this key. */
void image_set_name(const struct image_set *located, struct spoor_result *result,
                    const char *within);

/* The lines "key=value" in a .spoor file; *description is NULL if it is none, or too damaged, which
 * its reader states, or no file.  Owned by the caller. */
enum spoor_status description_in(char **description, const char *trace, struct spoor_error *error);

#endif
