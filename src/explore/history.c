/* SPDX-License-Identifier: MIT */
/*
 * history.c: the library's own questions about the past of a program: an index and an explorer,
 * with answers as results.
 */
#include "spoor/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "explore/explorer.h"
#include "model/options.h"

struct spoor_history {
    struct index *index;
    struct explorer *explorer;
};

static enum spoor_status open_parts(struct spoor_history *history, const char *path,
                                    const struct spoor_history_options *options,
                                    struct spoor_error *error)
{
    const struct index_use use = {.options = {.format = options->format,
                                              .decode = options->decode,
                                              .threads = options->threads,
                                              .memory = options->memory},
                                  .nowhere = options->no_index};
    enum index_origin origin;
    const enum spoor_status status = index_open(&history->index, path, &use, &origin, error);
    if (status != SPOOR_OK) return status;
    return explorer_open(&history->explorer, path, history->index, error);
}

enum spoor_status spoor_history_open(struct spoor_history **made, const char *path,
                                     const struct spoor_history_options *given,
                                     struct spoor_error *error)
{
    struct spoor_history_options options;
    struct spoor_error unused = {0};
    if (!error) error = &unused; /* what makes an index reports there */
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    *made = NULL;
    if (status != SPOOR_OK) return status;
    struct spoor_history *history = calloc(1, sizeof *history);
    if (!history) return memory_status(false, error);
    status = open_parts(history, path, &options, error);
    if (status == SPOOR_OK)
        *made = history;
    else
        spoor_history_close(history);
    return status;
}

void spoor_history_close(struct spoor_history *history)
{
    if (!history) return;
    explorer_close(history->explorer);
    index_free(history->index);
    free(history);
}

static enum spoor_status find_moment(struct spoor_history *history, const char *at,
                                     uint64_t *moment, struct spoor_error *error)
{
    struct moment_query query = {.kind = MOMENT_END};
    if (at && !moment_parse(at, &query))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', expected a time, record:N, line:N, pc:ADDR[#K] or end",
                               at);
    return explorer_moment(history->explorer, &query, moment, error);
}

/* ---- state ---- */

static void put_registers(const struct machine *machine, const struct registers *registers,
                          unsigned cpu, struct spoor_result *result)
{
    struct spoor_result *row = spoor_result_object(result, NULL);
    spoor_result_text(row, "name", machine_cpu_name(machine, cpu));
    struct spoor_result *list = spoor_result_object(row, "registers");
    for (size_t i = 1; i < spoor_names_count(machine->registers); i++) {
        const struct cell *cell = registers_find(registers, cpu, (spoor_name)i);
        char name[MACHINE_NAME_SIZE];
        struct text text = {0};
        if (!cell || !cell->bits) continue;
        cell_text(cell, 0, 0, &text);
        if (text.failed)
            spoor_result_fail(list);
        else
            spoor_result_bytes(list, machine_register_name(machine, (spoor_name)i, name),
                               text.bytes, text.size);
        text_free(&text);
    }
}

enum spoor_status spoor_history_state(struct spoor_history *history, const char *at,
                                      struct spoor_result *result, struct spoor_error *error)
{
    const struct machine *machine = explorer_machine(history->explorer);
    struct registers registers = {0};
    uint64_t moment = 0;
    enum spoor_status status = find_moment(history, at, &moment, error);
    if (status == SPOOR_OK)
        status = explorer_registers(history->explorer, moment, &registers, error);
    if (status != SPOOR_OK) return status;
    spoor_result_unsigned(result, "record", moment);
    struct spoor_result *cpus = spoor_result_array(result, "cpus");
    for (unsigned cpu = 0; cpu < machine_cpu_count(machine); cpu++)
        put_registers(machine, &registers, cpu, cpus);
    registers_free(&registers);
    return memory_status(spoor_result_complete(result), error);
}

/* ---- what read or wrote ---- */

struct touches {
    const struct machine *machine;
    struct spoor_result *into; /* an array; NULL: they are only counted */
    uint64_t count, skipped;   /* skipped: those before the last ones that are wanted */
};

static bool put_touch(void *context, const struct touch *touch)
{
    struct touches *touches = context;
    if (touches->count++ < touches->skipped || !touches->into) return !touch->failed;
    struct spoor_result *row = spoor_result_object(touches->into, NULL);
    spoor_result_unsigned(row, "record", touch->record);
    spoor_result_unsigned(row, "time", touch->time);
    spoor_result_text(row, "cpu", machine_cpu_name(touches->machine, touch->cpu));
    if (touch->place.known)
        spoor_result_hex(row, "pc", touch->place.pc);
    else
        spoor_result_null(row, "pc");
    spoor_result_text(row, "value", touch->valued ? touch->value : NULL);
    spoor_result_text(row, "access",
                      touch->reads && touch->writes ? "both"
                      : touch->writes               ? "write"
                                                    : "read");
    return !touch->failed && row;
}

static bool parse_subject(struct spoor_history *history, const char *words, uint64_t moment,
                          struct subject *subject)
{
    struct scan scan = {words, words + strlen(words)};
    uint64_t address, size;
    *subject =
        (struct subject){.part = machine_find_register(explorer_machine(history->explorer), words)};
    if (subject->part.name) return true;
    if (!scan_span(&scan, &address, &size) || !scan_done(&scan)) return false;
    subject->is_memory = true;
    subject->place = explorer_place(history->explorer, address, size, false, 0, moment);
    return true;
}

/* A register is that of every processor in turn. */
static enum spoor_status visit(struct spoor_history *history, const struct subject *subject,
                               uint64_t moment, struct touches *touches, struct spoor_error *error)
{
    const unsigned cpus = subject->is_memory ? 1 : machine_cpu_count(touches->machine);
    struct subject one = *subject;
    enum spoor_status status = SPOOR_OK;
    touches->count = 0;
    for (; one.cpu < cpus && status == SPOOR_OK; one.cpu++)
        status = explorer_touches(history->explorer, &one, 0, moment, put_touch, touches, error);
    return status;
}

enum spoor_status spoor_history_touches(struct spoor_history *history, const char *what,
                                        const char *at, size_t maximum, struct spoor_result *result,
                                        struct spoor_error *error)
{
    struct touches touches = {.machine = explorer_machine(history->explorer)};
    struct subject subject;
    uint64_t moment = 0;
    enum spoor_status status = find_moment(history, at, &moment, error);
    if (status != SPOOR_OK) return status;
    if (!parse_subject(history, what, moment, &subject))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found '%s', expected a register of the trace or an address", what);
    if (maximum) {
        status = visit(history, &subject, moment, &touches, error);
        touches.skipped = touches.count > maximum ? touches.count - maximum : 0;
    }
    touches.into = spoor_result_array(result, "touches");
    if (status == SPOOR_OK) status = visit(history, &subject, moment, &touches, error);
    if (status < SPOOR_OK) return status;
    return memory_status(spoor_result_complete(result), error);
}
