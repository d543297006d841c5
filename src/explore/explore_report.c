/* SPDX-License-Identifier: MIT */
/* explore_report.c: the functions of spoor/explore.h that answer with a result. */
#include <stdlib.h>

#include "model/options.h"
#include "spoor/explore.h"

/* ---- state ---- */

enum spoor_status spoor_explorer_report_state(struct spoor_explorer *explorer, const char *at,
                                              struct spoor_result *result,
                                              struct spoor_error *error)
{
    struct spoor_state *state = NULL;
    uint64_t moment = 0;
    enum spoor_status status = spoor_explorer_moment(explorer, at, &moment, error);
    if (status == SPOOR_OK) status = spoor_explorer_state(explorer, moment, &state, error);
    if (status != SPOOR_OK) return status;
    spoor_result_unsigned_if(result, "record", moment, moment - 1);
    struct spoor_result *cpus = spoor_result_array(result, "cpus");
    for (unsigned cpu = 0; cpu < spoor_explorer_cpu_count(explorer) && status == SPOOR_OK; cpu++) {
        struct spoor_result *row = spoor_result_object(cpus, NULL);
        const char *name = spoor_explorer_cpu_name(explorer, cpu);
        spoor_result_text(row, "cpu", name[0] ? name : NULL);
        struct spoor_result *registers = spoor_result_object(row, "registers");
        struct spoor_register *list;
        size_t count;
        status = spoor_state_registers(state, NULL, cpu, &list, &count, error);
        for (size_t i = 0; i < count; i++)
            spoor_result_text(registers, list[i].name, list[i].value);
        free(list);
    }
    spoor_state_free(state);
    return status == SPOOR_OK ? memory_status(spoor_result_complete(result), error) : status;
}

/* ---- what read or wrote ---- */

struct touches {
    struct spoor_explorer *explorer;
    struct spoor_result *into; /* an array; NULL: they are only counted */
    uint64_t count, skipped;   /* skipped: those before the last ones that are wanted */
};

static bool explore_report_put_touch(void *context, const struct spoor_touch *touch)
{
    struct touches *touches = context;
    if (touches->count++ < touches->skipped || !touches->into) return true;
    struct spoor_result *row = spoor_result_object(touches->into, NULL);
    spoor_result_unsigned(row, "record", touch->record);
    spoor_result_unsigned_if(row, "time", spoor_explorer_timed(touches->explorer, touch->record),
                             touch->time);
    const char *cpu = spoor_explorer_cpu_name(touches->explorer, touch->cpu);
    spoor_result_text(row, "cpu", cpu[0] ? cpu : NULL);
    spoor_result_hex_if(row, "pc", touch->has_instruction, touch->pc);
    spoor_result_text(row, "value", touch->value);
    spoor_result_text(row, "access",
                      touch->reads && touch->writes ? "both"
                      : touch->writes               ? "write"
                                                    : "read");
    return row;
}

/* A register is that of every processor in turn. */
static enum spoor_status explore_report_visit(struct spoor_explorer *explorer,
                                              const struct spoor_subject *subject, uint64_t moment,
                                              struct touches *touches, struct spoor_error *error)
{
    const unsigned cpus = subject->name ? spoor_explorer_cpu_count(explorer) : 1;
    struct spoor_subject one = *subject;
    enum spoor_status status = SPOOR_OK;
    touches->count = 0;
    for (; one.cpu < cpus && status == SPOOR_OK; one.cpu++)
        status = spoor_explorer_touches(explorer, &one, 0, moment, explore_report_put_touch,
                                        touches, error);
    return status;
}

enum spoor_status spoor_explorer_report_touches(struct spoor_explorer *explorer, const char *what,
                                                const char *at, size_t maximum,
                                                struct spoor_result *result,
                                                struct spoor_error *error)
{
    struct touches touches = {.explorer = explorer};
    struct spoor_subject subject;
    uint64_t moment = 0;
    enum spoor_status status = spoor_explorer_moment(explorer, at, &moment, error);
    if (status == SPOOR_OK)
        status = spoor_explorer_subject(explorer, what, 0, moment, &subject, error);
    if (status != SPOOR_OK) return status;
    if (maximum) {
        status = explore_report_visit(explorer, &subject, moment, &touches, error);
        touches.skipped = touches.count > maximum ? touches.count - maximum : 0;
    }
    touches.into = spoor_result_array(result, "touches");
    if (status == SPOOR_OK)
        status = explore_report_visit(explorer, &subject, moment, &touches, error);
    return status == SPOOR_OK ? memory_status(spoor_result_complete(result), error) : status;
}
