/* SPDX-License-Identifier: MIT */
/*
 * signals.c: signal(name, time, trace): the value of a signal of a waveform just before a time, as
 * the fields of an instruction that retires then are sampled.
 *
 * A signal is read once for a connection, whole: rows ask for it in any order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "io/signal_history.h"
#include "model/error.h"
#include "model/options.h"
#include "tables/internal.h"

struct signal {
    char *trace, *name;
    struct wave_history history;
};

struct signals {
    struct tables_options *options;
    struct signal *items;
    size_t count, capacity;
};

static void signals_free(void *context)
{
    struct signals *signals = context;
    for (size_t i = 0; i < signals->count; i++) {
        free(signals->items[i].trace);
        free(signals->items[i].name);
        wave_history_free(&signals->items[i].history);
    }
    free(signals->items);
    free(signals);
}

static void signals_refuse(sqlite3_context *context, const struct spoor_error *error)
{
    char *sentence = sqlite3_mprintf("signal: %s", error->text);
    if (sentence)
        sqlite3_result_error(context, sentence, -1);
    else
        sqlite3_result_error_nomem(context);
    sqlite3_free(sentence);
}

/* NULL: `error` is filled. */
static struct wave_history *signals_find(struct signals *signals, const char *trace,
                                         const char *name, struct spoor_error *error)
{
    for (size_t i = 0; i < signals->count; i++)
        if (strcmp(signals->items[i].trace, trace) == 0 &&
            strcmp(signals->items[i].name, name) == 0)
            return &signals->items[i].history;
    struct signal made = {.trace = strdup(trace), .name = strdup(name)};
    enum spoor_status status =
        made.trace && made.name &&
                array_reserve(&signals->items, &signals->capacity, signals->count + 1)
            ? SPOOR_OK
            : memory_status(false, error);
    if (status == SPOOR_OK) status = signal_history_read(trace, name, &made.history, error);
    if (status != SPOOR_OK) {
        free(made.trace);
        free(made.name);
        return NULL;
    }
    signals->options->faults += *made.history.damage != '\0';
    if (*made.history.damage && signals->options->tell) {
        char *sentence = sqlite3_mprintf("%s: signal '%s': %s", trace, name, made.history.damage);
        if (sentence) signals->options->tell(signals->options->context, sentence);
        sqlite3_free(sentence);
    }
    signals->items[signals->count++] = made;
    return &signals->items[signals->count - 1].history;
}

/* NULL where no bit is known; else a number, or a text with ? for digits that are not known. */
static void signals_give(sqlite3_context *context, const struct wave_history *history,
                         uint64_t bits, uint64_t unknown)
{
    const uint64_t all = history->bits < 64 ? (UINT64_C(1) << history->bits) - 1 : UINT64_MAX;
    struct text text = {0};
    if (unknown == all) return;
    if (!unknown) {
        sqlite3_result_int64(context, (sqlite3_int64)bits);
        return;
    }
    text_puts(&text, "0x");
    for (unsigned digit = (history->bits + 3) / 4; digit-- > 0;)
        if (unknown >> 4 * digit & 15)
            text_puts(&text, "?");
        else
            text_printf(&text, "%x", (unsigned)(bits >> 4 * digit & 15));
    give_built(context, &text);
}

static void signals_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct signals *signals = sqlite3_user_data(context);
    struct spoor_error error = {0};
    uint64_t bits, unknown;
    const char *name = (const char *)sqlite3_value_text(values[0]);
    const char *trace = tables_trace(
        signals->options, count > 2 ? (const char *)sqlite3_value_text(values[2]) : NULL, &error);
    struct wave_history *history = NULL;
    if (trace && name) history = signals_find(signals, trace, name, &error);
    if (!name) return;
    if (!history) {
        signals_refuse(context, &error);
        return;
    }
    const int type = sqlite3_value_type(values[1]);
    if (type == SQLITE_NULL) return; /* a record without a time */
    if (type != SQLITE_INTEGER) {
        spoor_error_set(&error, SPOOR_EUSAGE, "expected a whole number as time");
        signals_refuse(context, &error);
        return;
    }
    const sqlite3_int64 time = sqlite3_value_int64(values[1]);
    /* "time - 10" of the first record may be before the waveform */
    if (time >= 0 && wave_history_find(history, (uint64_t)time, &bits, &unknown))
        signals_give(context, history, bits, unknown);
}

int signals_register(sqlite3 *database, struct tables_options *options)
{
    int code = SQLITE_OK;
    for (int count = 2; count <= 3 && code == SQLITE_OK; count++) {
        struct signals *signals = calloc(1, sizeof *signals);
        if (!signals) return SQLITE_NOMEM;
        signals->options = options;
        code = sqlite3_create_function_v2(database, "signal", count, SQLITE_UTF8, signals,
                                          signals_function, NULL, NULL, signals_free);
    }
    return code;
}
