/* SPDX-License-Identifier: MIT */
/*
 * pipe_picture.h: the output of `pipe` for each micro-op: the course's lines, files for viewers, a
 * timeline.  A picture is a constant struct; it receives every micro-op that retires or is
 * squashed.
 */
#ifndef SPOOR_CLI_PIPE_PICTURE_H
#define SPOOR_CLI_PIPE_PICTURE_H

#include "base/hash_map.h"
#include "base/text.h"
#include "cli/option.h"
#include "spoor/spoor.h"
#include <stddef.h>

enum { PICTURE_PAGE_MAXIMUM = 40000 }; /* micro-ops or instructions that a page shows */

struct picture;
struct picture_kind {
    const char *head; /* the output begins with it; NULL: none */
    size_t maximum;   /* events that are kept; 0: without limit */
    void (*event)(struct picture *picture, const struct spoor_pipeline_event *event);
    void (*end)(struct picture *picture); /* may be NULL */
};
extern const struct picture_kind picture_log, picture_kanata, picture_o3, picture_timeline,
    picture_rows, picture_html;

/* What instructions print as, by pc, for micro-ops of traces without names of opcodes. */
struct pc_texts {
    struct hash_map map;       /* of struct pc_text */
    struct spoor_names *names; /* NULL: no text was met */
    bool failed;
};
void pc_texts_add(struct pc_texts *texts, const struct spoor_batch *batch);
void pc_texts_free(struct pc_texts *texts);

/* A micro-op that waits until all earlier moments have been written. */
struct picture_operation {
    struct spoor_operation operation;
    struct spoor_pipeline_event event;
    uint64_t id;
};

struct picture {
    const struct picture_kind *kind;
    enum spoor_pipeline_model model;
    const struct spoor_stream *stream;
    struct range range; /* micro-ops to show, by ordinal */
    struct text text;   /* not yet written */
    struct spoor_output *output;
    struct spoor_error error;
    bool failed;
    /* retained for later */
    struct picture_operation *kept;
    size_t kept_count, kept_capacity;
    size_t tell_at;
    uint64_t written_until;        /* all moments before this cycle have been written */
    uint64_t cycle, id, retired;   /* Kanata: the file's time, next id, next order of retirement */
    uint64_t micro_ops, last;      /* number written so far; the last cycle of a retirement */
    struct spoor_location place;   /* timeline: of the line above */
    const struct pc_texts *texts;  /* NULL: none */
    const struct log_pairs *pairs; /* timeline, page: of --against; NULL: none */
    struct spoor_result *rows;     /* picture_rows: the timeline as a table; the caller frees */
};

/* False: an error has been printed. */
bool picture_open(struct picture *picture, const struct picture_kind *kind, const char *path,
                  const struct settings *settings, const struct range *range,
                  enum spoor_pipeline_model model, const struct spoor_stream *stream);
void picture_show(struct picture *picture, const struct spoor_pipeline_event *event);
/* `whole`: the trace was simulated to its end.  Returns the exit code. */
int picture_close(struct picture *picture, bool whole);

/* Keeps a copy of the event, up to the maximum of the picture. */
void picture_keep(struct picture *picture, const struct spoor_pipeline_event *event);
/* Sorts the kept events by micro-op, those of one micro-op by their fetch. */
void picture_sort(struct picture *picture);
/* With --against: the instruction of the log that a micro-op was compared with; NULL: none. */
const struct log_pair *picture_log_pair(const struct picture *picture, uint64_t ordinal);
/* The cycles from the log to the machine at the first pair of the kept events. */
int64_t picture_log_shift(const struct picture *picture);
/* Finds the function and line of an operation's pc; false: no image covers it. */
bool picture_locate(const struct picture *picture, uint64_t pc, struct spoor_location *located);
/* The text of an opcode; "?" if the trace has none. */
const char *picture_name(const struct picture *picture, spoor_name name);
/* "MACRO MICRO" of a micro-op, or, where the trace names neither, what its instruction prints as;
 * else "? ?". */
enum { PICTURE_WORDS = 160 };
void picture_put_words(const struct picture *picture, const struct spoor_operation *operation,
                       char words[PICTURE_WORDS]);

/* ---- pipe_html.c ---- */

/* Begins a page, a document of html/page.h; `path` is that of the trace. */
void pipe_page_begin(struct text *out, const char *path);
void pipe_page_end(struct text *out, const char *path);

#endif
