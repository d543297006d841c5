/* SPDX-License-Identifier: MIT */
/* who.c: the verb `who`: who writes, and reads, a register or memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/asking.h"

struct who_settings {
    struct settings common;
    const char *before, *cpu, *where;
    bool all, next, csv, no_index;
};

static const struct option options[] = {
    {0, "before", "MOMENT", OPTION_TEXT, offsetof(struct who_settings, before),
     "the last writer up to a time, record:N, line:N or pc:ADDR[#VISIT]; end (the default)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "all", NULL, OPTION_FLAG, offsetof(struct who_settings, all),
     "all writers and readers up to there, newest first", NULL, OPTION_DOUBLE_DASH},
    {0, "next", NULL, OPTION_FLAG, offsetof(struct who_settings, next),
     "the next writer after the moment instead", NULL, OPTION_DOUBLE_DASH},
    {0, "cpu", "NAME", OPTION_TEXT, offsetof(struct who_settings, cpu), "registers of this cpu",
     NULL, OPTION_DOUBLE_DASH},
    IMAGE_OPTIONS,
    {0, "where", "EXPR", OPTION_TEXT, offsetof(struct who_settings, where),
     "with --all: only records that fit an expression over fields", NULL, OPTION_DOUBLE_DASH},
    {0, "no-index", NULL, OPTION_FLAG, offsetof(struct who_settings, no_index),
     "read the whole trace, and neither use nor store an index", NULL, OPTION_DOUBLE_DASH},
    {0, "csv", NULL, OPTION_FLAG, offsetof(struct who_settings, csv),
     "print comma-separated values", NULL, OPTION_DOUBLE_DASH},
    OPTION_END,
};

/* A touch, as it is kept: values are short. */
struct kept_touch {
    uint64_t record, time;
    struct call_place place;
    unsigned cpu;
    bool writes, reads, valued;
    char *value;
};

struct touches {
    const struct spoor_select *where; /* NULL: all */
    struct kept_touch *items;
    size_t count, capacity;
    bool failed;
};

static bool keep(void *context, const struct touch *touch)
{
    struct touches *touches = context;
    if (touches->where &&
        !spoor_select_match(touches->where, touch->visited->batch, touch->visited->index))
        return true;
    if (!array_reserve(&touches->items, &touches->capacity, touches->count + 1)) {
        touches->failed = true;
        return false;
    }
    struct kept_touch *kept = &touches->items[touches->count++];
    *kept = (struct kept_touch){touch->record, touch->time,  touch->place,  touch->cpu,
                                touch->writes, touch->reads, touch->valued, NULL};
    if (touch->valued) kept->value = strdup(touch->value);
    touches->failed |= touch->valued && !kept->value;
    return !touches->failed;
}

static void release(struct touches *touches)
{
    for (size_t i = 0; i < touches->count; i++) free(touches->items[i].value);
    free(touches->items);
}

static enum spoor_status collect(struct asking *asking, const struct who_settings *settings,
                                 const struct subject *subject, uint64_t moment,
                                 struct touches *touches, struct spoor_error *error)
{
    struct explorer *explorer = asking->explorer;
    struct touch touch;
    if (settings->all)
        return settings->next
                   ? explorer_touches(explorer, subject, moment, UINT64_MAX, keep, touches, error)
                   : explorer_touches(explorer, subject, 0, moment, keep, touches, error);
    const enum spoor_status status =
        settings->next ? explorer_next_write(explorer, subject, moment, &touch, error)
                       : explorer_last_write(explorer, subject, moment, &touch, error);
    touches->where = NULL;
    if (status == SPOOR_OK) keep(touches, &touch);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

static void give_touch(struct spoor_result *array, const struct machine *machine,
                       const struct kept_touch *touch)
{
    struct spoor_result *entry = spoor_result_object(array, NULL);
    spoor_result_unsigned(entry, "record", touch->record);
    spoor_result_unsigned(entry, "time", touch->time);
    spoor_result_text(entry, "cpu", machine_cpu_name(machine, touch->cpu));
    if (touch->place.known)
        spoor_result_hex(entry, "pc", touch->place.pc);
    else
        spoor_result_null(entry, "pc");
    spoor_result_text(entry, "value", touch->valued ? touch->value : NULL);
}

struct widths {
    int record, time, pc, value;
};

static int digits(uint64_t value)
{
    return (int)decimal_digits(value);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static struct widths measure(const struct touches *touches)
{
    struct widths widths = {6, 4, 8, 5};
    for (size_t i = 0; i < touches->count; i++) {
        const struct kept_touch *touch = &touches->items[i];
        widths.record = larger(widths.record, digits(touch->record));
        widths.time = larger(widths.time, digits(touch->time));
        widths.pc = larger(widths.pc, (int)hex_digits(touch->place.pc));
        widths.value = larger(widths.value, touch->valued ? (int)strlen(touch->value) : 1);
    }
    return widths;
}

static void put_touch(struct asking *asking, struct text *text, const struct kept_touch *touch,
                      const struct widths *widths)
{
    struct instruction instruction = {.text = ""};
    struct spoor_error error = {0};
    const char *cpu = machine_cpu_name(explorer_machine(asking->explorer), touch->cpu);
    text_printf(text, "%-5s  %*llu  %*llu  %s%s",
                touch->writes ? (touch->reads ? "both" : "write") : "read", widths->record,
                (unsigned long long)touch->record, widths->time, (unsigned long long)touch->time,
                cpu, cpu[0] ? "  " : "");
    if (touch->place.known)
        text_printf(text, "0x%0*llx", widths->pc, (unsigned long long)touch->place.pc);
    else
        text_printf(text, "%-*s", widths->pc + 2, "-");
    text_printf(text, "  %-*s", widths->value, touch->valued ? touch->value : "?");
    if (touch->place.known)
        explorer_instruction(asking->explorer, touch->place.record, &instruction, &error);
    if (instruction.text[0]) text_printf(text, "  %s", instruction.text);
    if (touch->place.known) put_located(asking, touch->place.pc, text);
    while (text->size && text->bytes[text->size - 1] == ' ') text->size--;
    text_puts(text, "\n");
}

static void put_touches(struct asking *asking, struct text *text, const struct touches *touches)
{
    const struct widths widths = measure(touches);
    const struct machine *machine = explorer_machine(asking->explorer);
    const int cpu = machine_cpu_name(machine, 0)[0] ? (int)strlen(machine_cpu_name(machine, 0)) : 0;
    text_printf(text, "%-5s  %*s  %*s  ", "", widths.record, "record", widths.time, "time");
    if (cpu) text_printf(text, "%-*s  ", cpu, "cpu");
    text_printf(text, "%-*s  %s\n", widths.pc + 2, "pc", "value");
    for (size_t i = touches->count; i-- > 0;) put_touch(asking, text, &touches->items[i], &widths);
}

static bool answer(struct asking *asking, const struct who_settings *settings, const char *words,
                   struct text *text, struct spoor_result *result)
{
    uint64_t moment;
    struct subject subject;
    struct touches touches = {0};
    struct spoor_error error = {0};
    struct spoor_select *where = NULL;
    if (settings->where && spoor_select_compile(&where, settings->where, &error) != SPOOR_OK) {
        asking->code = fail(&error);
        return false;
    }
    touches.where = where;
    if (!asking_moment(asking, settings->before, &moment) ||
        !asking_subject(asking, words, settings->cpu, moment, &subject)) {
        spoor_select_free(where);
        return false;
    }
    enum spoor_status status = collect(asking, settings, &subject, moment, &touches, &error);
    spoor_select_free(where);
    if (touches.failed) status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
    if (status != SPOOR_OK) {
        asking_fail(asking, status, &error);
        release(&touches);
        return false;
    }
    const struct machine *machine = explorer_machine(asking->explorer);
    struct spoor_result *writes = spoor_result_array(result, "writes");
    for (size_t i = touches.count; i-- > 0;)
        if (touches.items[i].writes) give_touch(writes, machine, &touches.items[i]);
    if (settings->all) {
        struct spoor_result *reads = spoor_result_array(result, "reads");
        for (size_t i = touches.count; i-- > 0;)
            if (touches.items[i].reads) give_touch(reads, machine, &touches.items[i]);
    }
    located_name(&asking->located, result, NULL);
    if (touches.count) {
        put_touches(asking, text, &touches);
    } else {
        complain("%s: nothing writes %s %s the moment", asking->path, words,
                 settings->next ? "after" : "before");
        asking->code = worse(asking->code, EXIT_NOTHING);
    }
    release(&touches);
    return true;
}

static int run(void *chosen)
{
    const struct who_settings *settings = chosen;
    struct asking asking;
    struct text text = {0};
    bool shown = false;
    if (settings->common.operand_count != 2) {
        complain("who: expected a trace and a register or an address: who TRACE REG|ADDR[+BYTES]");
        return EXIT_USAGE;
    }
    if (!asking_open(&asking, &settings->common, settings->common.operands[0], settings->no_index))
        return asking.code;
    struct spoor_result *result = spoor_result_new_object();
    if (answer(&asking, settings, settings->common.operands[1], &text, result) &&
        (text.size || settings->common.json || settings->csv))
        asking.code = worse(asking.code,
                            show_answer(&settings->common, settings->csv, &text, result, &shown));
    spoor_result_free(result);
    text_free(&text);
    return asking_close(&asking);
}

const struct verb verb_who = {
    .name = "who",
    .brief = "who wrote a register or memory, and who read it",
    .operands = "TRACE REG|ADDR[+BYTES]",
    .about = "Prints the last writer of a register or of bytes of memory before a moment, with its "
             "value and its instruction; with --all every writer and reader, newest first.  "
             "Addresses are hexadecimal and virtual; pa:ADDR is physical.",
    .options = options,
    .settings_size = sizeof(struct who_settings),
    .run = run,
};
