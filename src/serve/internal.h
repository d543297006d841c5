/* SPDX-License-Identifier: MIT */
/* internal.h: shared by the files of serve. */
#ifndef SPOOR_SERVE_INTERNAL_H
#define SPOOR_SERVE_INTERNAL_H

#include <pthread.h>

#include "base/clock.h"
#include "browse/alignment.h"
#include "browse/kept_events.h"
#include "serve/misses.h"
#include "serve/site.h"
#include "serve/timeline.h"
#include "spoor/listing.h"
#include "spoor/sql.h"

/* ---- a trace ---- */

struct site;
struct explored {
    const char *path, *name;
    const struct spoor_index *index;
    struct spoor_explorer *explorer;
    struct spoor_listing *listing;
    struct timeline timeline;
    struct misses *misses; /* NULL: not asked for yet */
    struct kept_events events;
};
/* Opens the n-th trace of the options; explored_close() is called after an error, too. */
enum spoor_status explored_open(struct explored *trace, struct site *site, size_t number,
                                struct spoor_error *error);
void explored_close(struct explored *trace);

/* A database of the traces, which runs one statement at a time. */
struct site_database {
    struct spoor_sql *sql; /* NULL: not opened yet */
    uint64_t deadline;     /* of its statement, as clock_milliseconds() counts */
    bool busy;
};

enum { SITE_DATABASES = 4 };
struct site {
    const struct site_options *options;
    struct explored traces[SITE_TRACES];
    size_t count;
    pthread_mutex_t lock; /* of the traces and of the comparison: one question at a time */
    uint64_t deadline;    /* of the question that has the lock, as clock_milliseconds() counts */
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
    struct explored *trace;
    unsigned side; /* its number */
    struct parameter parameters[PARAMETERS];
    size_t parameter_count;
    const struct request *request;
    struct text *out;
    struct reply *reply;
    bool refused;
};
/* An endpoint: writes the members of the answer, an object. */
typedef void endpoint(struct question *question);
endpoint ask_traces, ask_rows, ask_state, ask_memory, ask_stack, ask_source, ask_writer, ask_call,
    ask_place, ask_timeline, ask_accesses, ask_misses, ask_event, ask_touch, ask_address, ask_sql,
    ask_align, ask_differences;

/* The value of a parameter; NULL: there is none. */
const char *parameter(const struct question *question, const char *name);
/* The parameter `address`: a number in hexadecimal or, with images, a symbol.  False: refused. */
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

/* ---- JSON: a member has a key, an item of an array has none (NULL) ---- */

void json_begin(struct text *out, const char *key, char bracket);
void json_end(struct text *out, char bracket);
void json_number(struct text *out, const char *key, uint64_t number);
void json_hex(struct text *out, const char *key, uint64_t number);
void json_text(struct text *out, const char *key, const char *words);
void json_bytes(struct text *out, const char *key, const char *bytes, size_t size);
void json_bool(struct text *out, const char *key, bool value);
void json_null(struct text *out, const char *key);
/* A number that JSON's readers may not represent, as text: a time. */
void json_time(struct text *out, const char *key, uint64_t time);
/* The function and the line of a pc, where images state them. */
void json_located(const struct question *question, uint64_t pc);

/* The calls of a segment; NULL: refused. */
const struct spoor_call_events *question_events(struct question *question, size_t segment);

#endif
