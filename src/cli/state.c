/* SPDX-License-Identifier: MIT */
/* state.c: the verb `state`, which prints registers and memory at a moment. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory_need.h"
#include "base/scan.h"
#include "cli/filled_copy.h"
#include "cli/inquiry.h"
#include "cli/selection.h"

struct state_settings {
    struct settings common;
    const char *at, *diff, *until; /* until: the second moment of --diff */
    struct list memory;
};

static const struct option options[] = {
    MOMENT_OPTION(offsetof(struct state_settings, at)),
    OPT(0, "diff", TEXT, "MOMENT", offsetof(struct state_settings, diff),
        "compare the states at two moments: TRACE --diff T1 T2"),
    OPT('m', "memory", LIST, "ADDR+BYTES", offsetof(struct state_settings, memory),
        "also print bytes of memory; pa:ADDR+BYTES: physical addresses; all: all known bytes"),
    IMAGE_OPTIONS,
    CODE_OPTION,
    BYTE_ORDER_OPTIONS,
    SELECTION_OPTIONS,
    OPTION_END,
};

struct state_answer {
    struct inquiry *inquiry;
    const struct state_settings *settings;
    uint64_t moment, before; /* before: first moment of --diff */
    struct spoor_state *now, *old;
    struct spoor_range *ranges;
    struct spoor_byte **bytes, **old_bytes; /* bytes of each range, up to a NULL; old_bytes: those
                                             * at the first moment of --diff */
    size_t range_count, range_capacity;
};

/* ---- memory ---- */

/* Reads the bytes of a range at a moment; NULL after it has printed an error. */
static struct spoor_byte *state_read_range(struct inquiry *inquiry, const struct spoor_range *range,
                                           uint64_t moment)
{
    struct spoor_error error = {0};
    struct spoor_byte *bytes = calloc(range->size, sizeof *bytes);
    enum spoor_status status = SPOOR_ENOMEM;
    if (bytes)
        status = spoor_explorer_memory(inquiry->explorer, range, moment, bytes, &error);
    else
        spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
    if (status != SPOOR_OK) {
        inquiry_fail(inquiry, status, &error);
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* The bytes as digits, those that are not known as "??". */
static void state_give_bytes(struct spoor_result *row, const char *key,
                             const struct spoor_byte *bytes, uint64_t size)
{
    struct text text = {0};
    for (uint64_t at = 0; at < size; at++)
        if (bytes[at].known != SPOOR_BYTE_UNKNOWN)
            text_printf(&text, "%02x", bytes[at].value);
        else
            text_puts(&text, "??");
    if (text.failed) spoor_result_fail(row);
    spoor_result_bytes(row, key, text.bytes ? text.bytes : "", text.size);
    text_free(&text);
}

/* ---- the answer ---- */

static bool state_answer_cpu(const struct state_answer *answer, unsigned cpu,
                             struct spoor_result *entry)
{
    const bool diff = answer->settings->diff != NULL;
    struct inquiry *inquiry = answer->inquiry;
    size_t count = 0;
    struct spoor_error error = {0};
    struct spoor_register *list = NULL;
    const enum spoor_status status =
        spoor_state_registers(answer->now, answer->old, cpu, &list, &count, &error);
    if (status != SPOOR_OK) inquiry_fail(inquiry, status, &error);
    if (!list || !inquiry_give_cpu_state(inquiry, answer->now, cpu, answer->moment, entry)) {
        free(list);
        return false;
    }
    struct spoor_last_instruction place = {.struct_size = sizeof place};
    const bool known = spoor_state_last(answer->now, cpu, &place);
    struct spoor_result *written = spoor_result_array(entry, "written");
    for (size_t i = 0; known && i < count; i++)
        if (list[i].writer >= place.record) spoor_result_text(written, NULL, list[i].name);
    if (diff) {
        struct spoor_result *before = spoor_result_object(entry, "before");
        for (size_t i = 0; i < count; i++) spoor_result_text(before, list[i].name, list[i].before);
    }
    struct spoor_result *registers = spoor_result_object(entry, "registers");
    for (size_t i = 0; i < count; i++) spoor_result_text(registers, list[i].name, list[i].value);
    struct spoor_result *memory = spoor_result_array(entry, "memory");
    for (size_t i = 0; answer->bytes[i]; i++) {
        const struct spoor_range *range = &answer->ranges[i];
        struct spoor_result *row = spoor_result_object(memory, NULL);
        spoor_result_hex(row, "address", range->address);
        if (range->physical) spoor_result_bool(row, "physical", true);
        state_give_bytes(row, "bytes", answer->bytes[i], range->size);
        if (diff) state_give_bytes(row, "before", answer->old_bytes[i], range->size);
    }
    free(list);
    return true;
}

static bool state_add_range(struct state_answer *answer, const struct spoor_range *range)
{
    if (!array_reserve(&answer->ranges, &answer->range_capacity, answer->range_count + 1))
        return false;
    answer->ranges[answer->range_count++] = *range;
    return true;
}

static bool state_add_known(void *context, uint64_t address, uint64_t size)
{
    return state_add_range(context, &(struct spoor_range){.address = address, .size = size});
}

/* Collects the ranges of memory, and the state at the moment, or at both.  False: an error has been
 * printed, or memory ran out. */
static bool state_collect(struct state_answer *answer)
{
    struct inquiry *inquiry = answer->inquiry;
    const struct state_settings *settings = answer->settings;
    const bool diff = settings->diff != NULL;
    struct spoor_error error = {0};
    struct spoor_explorer *explorer = inquiry->explorer;
    if (settings->diff && !settings->until) {
        complain("--diff: expected a trace and two moments: state TRACE --diff T1 T2");
        inquiry->code = worse(inquiry->code, EXIT_USAGE);
        inquiry->reported = true;
        return false;
    }
    if ((settings->diff && !inquiry_moment(inquiry, settings->diff, &answer->before)) ||
        !inquiry_moment(inquiry, settings->diff ? settings->until : settings->at, &answer->moment))
        return false;
    enum { TEXT_BYTES = 8 }; /* of a byte, printed */
    const struct list *wanted = &settings->memory;
    uint64_t needed = 0;
    char sentence[MEMORY_SENTENCE];
    for (size_t i = 0; i < wanted->count; i++) {
        struct spoor_range range;
        if (strcmp(wanted->items[i], "all") == 0) {
            if (!spoor_explorer_each_range(inquiry->explorer, state_add_known, answer))
                return false;
            continue;
        }
        if (!spoor_range_parse(wanted->items[i], &range)) {
            inquiry->reported = true;
            complain("--memory: found '%s', expected ADDR+BYTES, pa:ADDR+BYTES or all",
                     wanted->items[i]);
            inquiry->code = worse(inquiry->code, EXIT_USAGE);
            return false;
        }
        if (!state_add_range(answer, &range)) return false;
    }
    for (size_t i = 0; i < answer->range_count; i++)
        memory_need(&needed, answer->ranges[i].size, 2 * (sizeof(struct spoor_byte) + TEXT_BYTES));
    if (!memory_fits("the bytes to print", needed, settings->common.memory, sentence)) {
        inquiry->reported = true;
        inquiry->code = complain_for(EXIT_USAGE, "%s", sentence);
        return false;
    }
    const size_t count = answer->range_count;
    enum spoor_status status = spoor_explorer_state(explorer, answer->moment, &answer->now, &error);
    if (status == SPOOR_OK && diff)
        status = spoor_explorer_state(explorer, answer->before, &answer->old, &error);
    if (status != SPOOR_OK) {
        inquiry_fail(answer->inquiry, status, &error);
        return false;
    }
    answer->bytes = calloc(count + 1, sizeof *answer->bytes);
    answer->old_bytes = calloc(count + 1, sizeof *answer->old_bytes);
    if (!answer->bytes || !answer->old_bytes) return false;
    for (size_t i = 0; i < count; i++) {
        answer->bytes[i] = state_read_range(answer->inquiry, &answer->ranges[i], answer->moment);
        if (diff && answer->bytes[i])
            answer->old_bytes[i] =
                state_read_range(answer->inquiry, &answer->ranges[i], answer->before);
        if (!answer->bytes[i] || (diff && !answer->old_bytes[i])) return false;
    }
    return true;
}

static bool state_answer(struct inquiry *inquiry, const void *context, struct spoor_result *result)
{
    const struct state_settings *settings = context;
    struct state_answer answer = {.inquiry = inquiry, .settings = settings};
    unsigned cpu = 0, end = 0;
    bool done = inquiry_cpus(inquiry, &cpu, &end) && state_collect(&answer) &&
                inquiry_give_moment(inquiry, answer.moment, result);
    struct spoor_result *cpus = done ? spoor_result_array(result, "cpus") : NULL;
    for (; done && cpu < end; cpu++)
        done = state_answer_cpu(&answer, cpu, spoor_result_object(cpus, NULL));
    if (!done && !inquiry->reported) inquiry->code = complain_for(EXIT_UNREADABLE, "out of memory");
    image_set_name(&inquiry->located, result, NULL);
    spoor_state_free(answer.now);
    spoor_state_free(answer.old);
    for (size_t i = 0; i < answer.range_count; i++) {
        if (answer.bytes) free(answer.bytes[i]);
        if (answer.old_bytes) free(answer.old_bytes[i]);
    }
    free(answer.bytes);
    free(answer.old_bytes);
    free(answer.ranges);
    return done;
}

static int state_run(void *chosen)
{
    struct state_settings *settings = chosen;
    if (settings->diff) { /* its second moment is the last operand */
        const int count = settings->common.operand_count;
        settings->until = count == 2 ? settings->common.operands[1] : NULL;
        settings->common.operand_count = count > 1 ? 1 : count;
    }
    int code = EXIT_CLEAN;
    if (!filled_copy_open(&settings->common, &code)) return code;
    return worse(code, run_each_trace(&settings->common, inquiry_trace, settings));
}

const struct verb verb_state = {
    .name = "state",
    .brief = "show registers and memory at a moment of a trace",
    .operands = "TRACE...",
    .about = "Prints the registers of every cpu at a moment, and the bytes of memory that --memory "
             "names.  Values that the trace does not state are shown as unknown (? and ..).  A "
             "byte that is read later, without a write in between, has the value that was read.  "
             "* marks the registers that the last instruction wrote.",
    .options = options,
    .settings_size = sizeof(struct state_settings),
    .results = true,
    .many = true,
    .follows = true,
    .machine = true,
    .seeks = true,
    .run = state_run,
    .answer = state_answer,
};
