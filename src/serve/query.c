/* SPDX-License-Identifier: MIT */
/* query.c: statements in SQL, which can only read, on the traces that are served. */
#include <inttypes.h>
#include <stdlib.h>

#include "serve/internal.h"

enum { SQL_MILLISECONDS = 20000, SQL_ROWS = 1000, SQL_BYTES = 1 << 18, LONGEST_CELL = 1000 };

struct answer {
    struct question *question;
    size_t rows;
    bool more, begun, ended;
};

static bool query_columns(void *context, const char *const *names, size_t count)
{
    struct answer *answer = context;
    struct text *out = answer->question->out;
    if (answer->begun) return false; /* the rows of the first statement are shown */
    answer->begun = true;
    json_begin(out, "columns", '[');
    for (size_t i = 0; i < count; i++) json_text(out, NULL, names[i]);
    json_end(out, ']');
    json_begin(out, "rows", '[');
    return true;
}

static bool query_row(void *context, const struct spoor_sql_value *values, size_t count)
{
    struct answer *answer = context;
    struct text *out = answer->question->out;
    answer->more = answer->rows == SQL_ROWS || out->size > SQL_BYTES;
    if (answer->more) return false;
    answer->rows++;
    json_begin(out, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        const struct spoor_sql_value *value = &values[i];
        struct text number = {0};
        switch (value->type) {
        case SPOOR_SQL_NULL: json_text(out, NULL, NULL); continue;
        case SPOOR_SQL_TEXT:
            json_bytes(out, NULL, value->text,
                       value->size > LONGEST_CELL ? LONGEST_CELL : value->size);
            continue;
        case SPOOR_SQL_INTEGER: text_printf(&number, "%" PRId64, value->integer); break;
        case SPOOR_SQL_HEX: text_printf(&number, "0x%" PRIx64, (uint64_t)value->integer); break;
        case SPOOR_SQL_REAL: text_put_exact(&number, value->real); break;
        }
        out->failed |= number.failed;
        json_bytes(out, NULL, number.bytes ? number.bytes : "", number.size);
        text_free(&number);
    }
    json_end(out, ']');
    return !out->failed;
}

static bool query_end(void *context, bool complete)
{
    struct answer *answer = context;
    (void)complete;
    if (!answer->ended) json_end(answer->question->out, ']');
    answer->ended = true;
    return true;
}

static bool query_goes_on(void *context)
{
    const struct site_database *database = context;
    return clock_milliseconds() < database->deadline;
}

void ask_sql(struct question *question)
{
    struct site *site = question->site;
    const struct request *request = question->request;
    struct spoor_error error = {0};
    struct answer answer = {.question = question};
    const struct spoor_sql_sink sink = {&answer, query_columns, query_row, query_end};
    char *statement = strndup(request->body ? request->body : "", request->body_size);
    if (!statement) {
        refuse(question, 500, "out of memory");
        return;
    }
    uint64_t id = 0;
    if (!parameter_number(question, "id", UINT64_MAX, &id)) {
        free(statement);
        return;
    }
    /* One that runs no statement, and if possible one that is open; waits while all run one. */
    struct site_database *database = NULL;
    pthread_mutex_lock(&site->databases_lock);
    while (!database) {
        for (size_t i = 0; i < SITE_DATABASES && !database; i++)
            if (!site->databases[i].busy) database = &site->databases[i];
        if (!database) pthread_cond_wait(&site->database_idle, &site->databases_lock);
    }
    database->busy = true;
    database->id = id;
    database->deadline = clock_milliseconds() + SQL_MILLISECONDS;
    pthread_mutex_unlock(&site->databases_lock);
    const struct site_options *options = site->options;
    const struct spoor_sql_options how = {.struct_size = sizeof how,
                                          .format = options->reading.format,
                                          .decode = options->reading.decode,
                                          .threads = 1,
                                          .memory = options->reading.memory,
                                          .no_index = options->no_index,
                                          .images = options->images,
                                          .read_only = true,
                                          .goes_on = query_goes_on,
                                          .context = database};
    enum spoor_status status = SPOOR_OK;
    if (!database->sql)
        status = spoor_sql_open(&database->sql, options->paths, options->count, &how, &error);
    if (status == SPOOR_OK) status = spoor_sql_run(database->sql, statement, &sink, &error);
    const bool late = clock_milliseconds() >= database->deadline, stopped = !database->deadline;
    pthread_mutex_lock(&site->databases_lock);
    database->busy = false;
    database->id = 0;
    pthread_cond_signal(&site->database_idle);
    pthread_mutex_unlock(&site->databases_lock);
    if (status < SPOOR_OK && stopped)
        refuse(question, 409, "the statement was stopped");
    else if (status < SPOOR_OK && late)
        refuse(question, 503, "the statement takes longer than %d seconds",
               SQL_MILLISECONDS / 1000);
    else if (status < SPOOR_OK)
        refuse(question, status == SPOOR_EUSAGE ? 400 : 500, "%s", error.text);
    if (!question->refused) json_bool(question->out, "more", answer.more);
    free(statement);
}

/* Ends the statement that was asked with an `id`; says whether one runs. */
void ask_stop(struct question *question)
{
    struct site *site = question->site;
    uint64_t id = 0;
    bool found = false;
    if (!parameter_number(question, "id", UINT64_MAX, &id)) return;
    pthread_mutex_lock(&site->databases_lock);
    for (size_t i = 0; i < SITE_DATABASES; i++) {
        struct site_database *database = &site->databases[i];
        if (!id || !database->busy || database->id != id) continue;
        database->deadline = 0;
        found = true;
    }
    pthread_mutex_unlock(&site->databases_lock);
    json_bool(question->out, "stopped", found);
}
