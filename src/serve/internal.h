/* SPDX-License-Identifier: MIT */
/* internal.h: shared by the files of serve. */
#ifndef SPOOR_SERVE_INTERNAL_H
#define SPOOR_SERVE_INTERNAL_H

#include <pthread.h>

#include "base/clock.h"
#include "base/json.h"
#include "browse/alignment.h"
#include "browse/kept_events.h"
#include "serve/site.h"
#include "spoor/cache.h"
#include "spoor/listing.h"
#include "spoor/reader.h"
#include "spoor/signal.h"
#include "spoor/sql.h"

/* ---- timeline.c: which function ran when, from far and near ----
 *
 * A span is one execution of a function, from the record at which it was entered to the one at
 * which it was left.  The spans come from the section of activity of the index.  The longest
 * TIMELINE_SPANS are kept, so memory does not grow with the trace; `shortest` states the length
 * from which on all are there.  A tile is a part of the timeline on as many pixels as are asked
 * for: spans narrower than a pixel become one mark. */

enum { TIMELINE_SPANS = 1 << 20, TIMELINE_DEEPEST = 200 };

struct span {
    uint64_t begin, end; /* records; `end` is the first one after it */
    uint32_t function;   /* in timeline->functions */
    uint16_t cpu;
    uint8_t depth;
    uint8_t exception;
};
/* The spans of a processor at a depth, in order. */
struct span_row {
    size_t first, count;
    uint16_t cpu;
    uint8_t depth;
};
struct timeline {
    struct span *spans;
    size_t count, capacity;
    uint64_t shortest; /* spans with fewer records may be missing; 0: none is */
    struct span_row *rows;
    size_t row_count, row_capacity;
    uint64_t *functions; /* addresses */
    size_t function_count, function_capacity;
    bool built;
};

/* Builds it from the index, unless it is built: a trace of millions of calls takes a moment, so a
 * question that needs none does not wait.  An index without calls gives an empty timeline. */
enum spoor_status timeline_build(struct timeline *timeline, const struct spoor_index *index,
                                 struct spoor_error *error);
void timeline_free(struct timeline *timeline);
/* The row of a processor at a depth; NULL: none. */
const struct span_row *timeline_row(const struct timeline *timeline, unsigned cpu, unsigned depth);
/* The span of a row that is open at the record; NULL: none. */
const struct span *timeline_at(const struct timeline *timeline, const struct span_row *row,
                               uint64_t record);

/* A mark of a tile: a span, or several that share pixels. */
struct mark {
    uint64_t begin, end;
    const struct span *span; /* NULL: several */
};
/* The next mark of a row from *from on and before `to`, where a pixel has `pixel` records; advances
 * *from.  False: there is none. */
bool timeline_next(const struct timeline *timeline, const struct span_row *row, uint64_t *from,
                   uint64_t to, uint64_t pixel, struct mark *mark);

/* ---- misses.c: the accesses and misses of simulated caches over the records of a trace ----
 *
 * A thread reads the whole trace once.  It counts by bins of equally many records, at most 65,536,
 * so memory does not grow with the trace.  Bins can be read while it counts. */

enum { MISS_BINS = 1 << 16 };

struct miss_bin {
    uint64_t accesses, misses;
};
struct misses;

/* Starts to simulate two caches of one design "SIZE,WAYS,BLOCK[,key=value...]", one for
 * instructions and one for data.  `path` and `records`, those of the trace, stay valid.  On
 * SPOOR_OK the caller owns *made; reading->threads 1: it has counted all, without a thread;
 * SPOOR_EUSAGE: the design is wrong. */
enum spoor_status misses_start(struct misses **made, const char *path,
                               const struct spoor_reader_options *reading, uint64_t records,
                               const char *design, struct spoor_error *error);
/* Stops the thread, and frees.  NULL is allowed. */
void misses_end(struct misses *misses);

/* The design that it was started with. */
const char *misses_design(const struct misses *misses);
/* Records in a bin. */
uint64_t misses_step(const struct misses *misses);
/* Records that are counted; *ended: no more are to come.  NULL, or why counting failed. */
uint64_t misses_counted(const struct misses *misses, bool *ended,
                        const struct spoor_error **failed);
/* The sum over the counted bins that begin at a record in [from, to). */
struct miss_bin misses_between(const struct misses *misses, uint64_t from, uint64_t to);

/* ---- survey.c: a thread that reads the whole trace for the overview (survey.h) ---- */

struct survey;

/* Starts to read.  `path` and `images` (NULL: none) stay valid.  On SPOOR_OK the caller owns *made;
 * reading->threads 1: it has read all, without a thread. */
enum spoor_status survey_start(struct survey **made, const char *path,
                               const struct spoor_reader_options *reading,
                               struct spoor_images *images, struct spoor_error *error);
/* Stops the thread, and frees.  NULL is allowed. */
void survey_end(struct survey *survey);
/* Records that are read; *ended: no more are to come.  Then *found is that of
 * survey_tools_report(); NULL: none.  *failed: NULL, or why a part could not be read. */
uint64_t survey_read(const struct survey *survey, bool *ended, const char **found,
                     const struct spoor_error **failed);

/* ---- a trace ---- */

struct site;
/* A signal of a waveform, whose values are kept. */
struct kept_signal {
    char *name; /* NULL: none */
    struct spoor_signal *values;
};

enum { SERVE_SIGNALS = 8 };
struct serve_trace {
    const char *path, *name;
    const struct spoor_index *index;
    struct spoor_explorer *explorer;
    struct spoor_listing *listing;
    struct timeline timeline;
    struct misses *misses; /* NULL: not asked for yet */
    struct survey *survey; /* likewise */
    struct kept_events events;
    struct kept_signal signals[SERVE_SIGNALS]; /* the one that was asked for last comes first */
};

/* A database of the traces, which runs one statement at a time. */
struct site_database {
    struct spoor_sql *sql;     /* NULL: not opened yet */
    _Atomic uint64_t deadline; /* of its statement, as clock_milliseconds() counts; 0: stopped */
    uint64_t id;               /* of its statement, by which it can be stopped; 0: none */
    bool busy;
};

/* Of SERVE_SIGNALS. */
void kept_signals_free(struct kept_signal *signals);

enum { SITE_DATABASES = 4 };
struct site {
    const struct site_options *options;
    struct serve_trace traces[SITE_TRACES];
    size_t count;
    pthread_mutex_t lock; /* of the traces and of the comparison: one question at a time */
    uint64_t deadline;    /* of the question that has the lock, as clock_milliseconds() counts */
    bool patient;         /* a question may take any time */
    pthread_mutex_t databases_lock; /* of `busy`; who sets it has the rest */
    pthread_cond_t database_idle;
    struct site_database databases[SITE_DATABASES];
    struct alignment *alignment; /* of the first two traces; NULL: not started yet */
    bool numbered;
};

/* ---- a question ---- */

enum { PARAMETERS = 24 };
struct parameter {
    const char *name, *value;
};
struct question {
    struct site *site;
    struct serve_trace *trace;
    unsigned side; /* its number */
    struct parameter parameters[PARAMETERS];
    size_t parameter_count;
    const struct request *request;
    struct text *out;
    struct reply *reply;
    bool refused;
};
/* The parts of a request's target. */
struct target {
    char copy[SITE_LONGEST_TARGET];
    const char *token;
    size_t token_size;
    bool bare;        /* "/TOKEN" without a slash after it */
    const char *path; /* after "/TOKEN/", not decoded: no name of ours needs that */
    struct parameter parameters[PARAMETERS];
    size_t count;
};
/* False: it is not well-formed, or too long. */
bool target_parse(const char *words, struct target *target);

/* An endpoint: writes the members of the answer, an object. */
typedef void endpoint(struct question *question);
endpoint ask_traces, ask_rows, ask_state, ask_memory, ask_stack, ask_source, ask_writer, ask_call,
    ask_place, ask_timeline, ask_accesses, ask_misses, ask_event, ask_touch, ask_address,
    ask_functions, ask_overview, ask_survey, ask_why, ask_loop, ask_values, ask_area, ask_sql,
    ask_stop, ask_align, ask_differences, ask_differing, ask_pipeline, ask_times;

/* The value of a parameter; NULL: there is none. */
const char *parameter(const struct question *question, const char *name);
/* A number in hexadecimal or, with images, a symbol or SYMBOL+OFFSET.  False: it is neither. */
bool question_find_address(const struct question *question, const char *words, uint64_t *address);
/* The parameter `address`, such a one.  False: refused. */
bool parameter_address(struct question *question, uint64_t *address);
/* A decimal number of at most `highest`; without the parameter the number stays.  False: refused.
 */
bool parameter_number(struct question *question, const char *name, uint64_t highest,
                      uint64_t *number);
/* A processor, by its number.  Without the parameter: false, too, and *given is false. */
bool parameter_cpu(struct question *question, unsigned *cpu, bool *given);
/* Replies with an error: a status of HTTP and a sentence. */
void refuse(struct question *question, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Replies with what a function of the library reports: 404 for what is not there, 400 for wrong
 * words, 503 for what takes too long, 500. */
void refuse_error(struct question *question, enum spoor_status status,
                  const struct spoor_error *error);
/* The subject of memory at a moment; false: refused. */
bool question_place(struct question *question, const struct spoor_range *range, uint64_t moment,
                    struct spoor_subject *subject);
/* The moment after the row of record `at`; false: refused. */
bool question_moment(struct question *question, uint64_t *moment);

/* The function and the line of a pc, where images state them. */
void json_place(struct text *out, struct spoor_images *images, uint64_t pc);
/* A member "0xADDRESS": the name of the function there. */
void json_function(struct text *out, struct spoor_images *images, uint64_t address);
void json_located(struct question *question, uint64_t pc);

/* Builds the timeline of the trace; false: refused. */
bool question_has_timeline(struct question *question);
/* The calls of a segment; NULL: refused. */
const struct spoor_call_events *question_events(struct question *question, size_t segment);

#endif
