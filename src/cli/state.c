/* SPDX-License-Identifier: MIT */
/* state.c: the verb `state`, which prints registers and memory at a moment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory_need.h"
#include "base/scan.h"
#include "cli/asking.h"
#include "cli/narrow.h"
#include "cli/shade.h"

struct state_settings {
    struct settings common;
    const char *at, *diff, *cpu, *where;
    struct list memory;
    bool no_index;
    struct byte_order order;
};

static const struct option options[] = {
    MOMENT_OPTION("at", offsetof(struct state_settings, at)),
    OPT(0, "diff", TEXT, "MOMENT", offsetof(struct state_settings, diff),
        "compare the states at two moments: TRACE --diff T1 T2"),
    OPT('m', "memory", LIST, "ADDR+BYTES", offsetof(struct state_settings, memory),
        "also print bytes of memory; pa:ADDR+BYTES: physical addresses; all: all known bytes (a "
        "size such as 2G: see --memory of every verb)"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct state_settings, cpu),
        "print only the registers of this cpu"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS(struct state_settings, order),
    OPT(0, "where", TEXT, "EXPR", offsetof(struct state_settings, where),
        "only registers and memory that a record wrote last that matches an expression over "
        "fields, or the instruction of which does"),
    NO_INDEX_OPTION(offsetof(struct state_settings, no_index)),
    OPTION_END,
};

/* ---- registers ---- */

/* Lists the registers of a processor that are known or were written, in order; with --diff, only
 * those that differ.  NULL: an error has been printed. */
static struct spoor_register *list_registers(struct asking *asking, unsigned cpu,
                                             const struct spoor_state *now,
                                             const struct spoor_state *before, size_t *count)
{
    struct spoor_error error = {0};
    struct spoor_register *list;
    size_t kept = 0;
    const enum spoor_status status = spoor_state_registers(now, before, cpu, &list, count, &error);
    if (status != SPOOR_OK) asking_fail(asking, status, &error);
    for (size_t i = 0; asking->where && i < *count; i++)
        if (list[i].written && asking_selects(asking, list[i].writer)) list[kept++] = list[i];
    if (asking->where) *count = kept;
    return list;
}

static const char *text_of(const char *value)
{
    return value ? value : "-";
}

/* Prints registers in as many columns as fit; a wider register has its own line. */
static void put_registers(struct text *text, const struct spoor_register *list, size_t count,
                          uint64_t since)
{
    enum { WIDTH = 100, NARROW = 18 };
    const size_t line = screen_columns() ? screen_columns() : WIDTH;
    size_t name = 2, column = 0;
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i].name) > name && list[i].bits <= 64) name = strlen(list[i].name);
    const size_t width = name + NARROW + 5, columns = (line + 1) / width ? (line + 1) / width : 1;
    for (size_t i = 0; i < count; i++) {
        const bool wide = list[i].bits > 64, changed = list[i].writer >= since;
        if (wide && column) {
            while (text->bytes[text->size - 1] == ' ') text->size--;
            text_puts(text, "\n");
            column = 0;
        }
        const size_t at = text->size;
        const enum shade shade = changed ? SHADE_CHANGED : SHADE_NONE;
        if (column == 0) text_puts(text, " ");
        shade_begin(text, shade);
        text_printf(text, "%c %-*s ", changed ? '*' : ' ', (int)name, list[i].name);
        text_puts(text, text_of(list[i].value));
        shade_end(text, shade);
        column++;
        const bool last = wide || column == columns || i + 1 == count;
        if (last) {
            text_puts(text, "\n");
            column = 0;
        } else {
            const size_t used = narrow_width(text, at) - (column == 1);
            for (size_t pad = used; pad < width; pad++) text_puts(text, " ");
        }
    }
}

static void put_differences(struct text *text, const struct spoor_register *list, size_t count)
{
    int width = 2;
    for (size_t i = 0; i < count; i++)
        if ((int)strlen(list[i].name) > width) width = (int)strlen(list[i].name);
    for (size_t i = 0; i < count; i++) {
        text_printf(text, "  %-*s %s -> ", width, list[i].name, text_of(list[i].before));
        shade_begin(text, SHADE_CHANGED);
        text_puts(text, text_of(list[i].value));
        shade_end(text, SHADE_CHANGED);
        text_puts(text, "\n");
    }
}

static void give_text(struct spoor_result *in, const char *key, const struct text *text)
{
    if (text->failed) spoor_result_fail(in);
    spoor_result_bytes(in, key, text->bytes ? text->bytes : "", text->size);
}

static void give_registers(struct spoor_result *in, const char *key,
                           const struct spoor_register *list, size_t count, bool before)
{
    struct spoor_result *registers = spoor_result_object(in, key);
    for (size_t i = 0; i < count; i++)
        spoor_result_text(registers, list[i].name, before ? list[i].before : list[i].value);
}

/* ---- memory ---- */

/* --where: bytes that no record wrote that it accepts are as unknown ones. */
static void exclude_bytes(struct asking *asking, struct spoor_byte *bytes, uint64_t size)
{
    uint64_t writer = UINT64_MAX;
    bool selected = false;
    for (uint64_t i = 0; asking->where && i < size; i++) {
        if (bytes[i].has_writer && bytes[i].writer != writer) {
            writer = bytes[i].writer;
            selected = asking_selects(asking, writer);
        }
        if (!bytes[i].has_writer || !selected) bytes[i].known = SPOOR_BYTE_UNKNOWN;
    }
}

/* True if the value of --memory is the one of every verb: a size with a unit, as no address has. */
static bool is_size(const char *word, uint64_t *size)
{
    uint64_t address;
    return scan_all_number(word, size) && !scan_all_address(word, &address);
}

/* Reads the bytes of a range at a moment; NULL after it has printed an error. */
static struct spoor_byte *read_range(struct asking *asking, const struct spoor_range *range,
                                     uint64_t moment)
{
    struct spoor_error error = {0};
    struct spoor_byte *bytes = calloc(range->size, sizeof *bytes);
    enum spoor_status status = SPOOR_ENOMEM;
    if (bytes)
        status = spoor_explorer_memory(asking->explorer, range, moment, bytes, &error);
    else
        spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
    if (bytes && status == SPOOR_OK) {
        exclude_bytes(asking, bytes, range->size);
        return bytes;
    }
    asking_fail(asking, status, &error);
    free(bytes);
    return NULL;
}

enum { LINE_BYTES = 16 };

/* How a screen has room for lines of memory: digits of an address, and bytes of a line. */
struct memory_lines {
    int digits;
    unsigned bytes;
};

static struct memory_lines memory_lines_of(const struct spoor_range *range)
{
    enum { DIGITS = 16, FEWEST = 8, GAPS = 5, OF_BYTE = 4, PHYSICAL = 3 };
    const unsigned columns = screen_columns(), mark = range->physical ? PHYSICAL : 0;
    struct memory_lines lines = {DIGITS, LINE_BYTES};
    if (!columns || columns >= mark + DIGITS + GAPS + OF_BYTE * LINE_BYTES) return lines;
    lines.digits = (int)hex_digits(range->address + (range->size - 1));
    if (lines.digits < FEWEST) lines.digits = FEWEST;
    if (columns < mark + (unsigned)lines.digits + GAPS + OF_BYTE * LINE_BYTES)
        lines.bytes = LINE_BYTES / 2;
    return lines;
}

static void put_line(struct text *text, const struct spoor_range *range, uint64_t line,
                     const struct memory_lines *lines, const struct spoor_byte *bytes)
{
    char letters[LINE_BYTES + 1];
    text_printf(text, "  %s%0*llx ", range->physical ? "pa:" : "", lines->digits,
                (unsigned long long)line);
    for (unsigned i = 0; i < lines->bytes; i++) {
        const uint64_t at = line + i - range->address;
        const bool inside = line + i >= range->address && at < range->size;
        const bool known = inside && bytes[at].known != SPOOR_BYTE_UNKNOWN;
        if (known)
            text_printf(text, " %02x", bytes[at].value);
        else
            text_puts(text, inside ? " .." : "   ");
        letters[i] = !known                                              ? ' '
                     : bytes[at].value >= 0x20 && bytes[at].value < 0x7F ? (char)bytes[at].value
                                                                         : '.';
    }
    letters[lines->bytes] = '\0';
    text_printf(text, "  %s", letters);
    while (text->size && text->bytes[text->size - 1] == ' ') text->size--;
    text_puts(text, "\n");
}

static bool line_differs(const struct spoor_range *range, uint64_t line, unsigned size,
                         const struct spoor_byte *bytes, const struct spoor_byte *before)
{
    for (unsigned i = 0; i < size; i++) {
        const uint64_t at = line + i - range->address;
        if (line + i < range->address || at >= range->size) continue;
        if (bytes[at].known != before[at].known &&
            (bytes[at].known == SPOOR_BYTE_UNKNOWN || before[at].known == SPOOR_BYTE_UNKNOWN))
            return true;
        if (bytes[at].known != SPOOR_BYTE_UNKNOWN && bytes[at].value != before[at].value)
            return true;
    }
    return false;
}

static void put_memory(struct text *text, const struct spoor_range *range,
                       const struct spoor_byte *bytes, const struct spoor_byte *before)
{
    const struct memory_lines how = memory_lines_of(range);
    const uint64_t first = range->address & ~(uint64_t)(how.bytes - 1);
    const uint64_t lines = (range->address - first + range->size - 1) / how.bytes + 1;
    for (uint64_t i = 0; i < lines; i++) { /* the last line may be the last one of all memory */
        const uint64_t line = first + how.bytes * i;
        if (before && !line_differs(range, line, how.bytes, bytes, before)) continue;
        if (before) {
            text_puts(text, "-");
            put_line(text, range, line, &how, before);
            text_puts(text, "+");
        }
        put_line(text, range, line, &how, bytes);
    }
}

static void give_memory(struct spoor_result *array, const struct spoor_range *range,
                        const struct spoor_byte *bytes)
{
    struct spoor_result *entry = spoor_result_object(array, NULL);
    struct text text = {0};
    spoor_result_hex(entry, "address", range->address);
    if (range->physical) spoor_result_bool(entry, "physical", true);
    for (uint64_t at = 0; at < range->size; at++)
        if (bytes[at].known != SPOOR_BYTE_UNKNOWN)
            text_printf(&text, "%02x", bytes[at].value);
        else
            text_puts(&text, "??");
    give_text(entry, "bytes", &text);
    text_free(&text);
}

/* ---- output ---- */

struct answer {
    struct asking *asking;
    const struct state_settings *settings;
    uint64_t moment, before; /* before: first moment of --diff */
    struct spoor_state *now, *old;
    struct moment_place place;
    struct text *text;
    struct spoor_result *result;
    struct spoor_range *ranges;
    struct spoor_byte **bytes, **old_bytes; /* bytes of each range; old_bytes: those at the first
                                             * moment of --diff */
    size_t range_count, range_capacity;
};

static bool answer_cpu(struct answer *answer, unsigned cpu, struct spoor_result *cpus)
{
    const bool diff = answer->settings->diff != NULL;
    struct spoor_result *entry = spoor_result_object(cpus, NULL);
    size_t count;
    struct spoor_register *list =
        list_registers(answer->asking, cpu, answer->now, answer->old, &count);
    if (!list) return false;
    asking_put_cpu(answer->asking, answer->now, cpu, answer->text, entry);
    text_puts(answer->text, count ? "\n" : "  no register is known\n");
    if (!asking_gap(answer->asking, cpu, answer->moment, answer->text, entry)) {
        free(list);
        return false;
    }
    if (diff) {
        put_differences(answer->text, list, count);
        give_registers(entry, "before", list, count, true);
    } else {
        struct spoor_last_instruction place;
        const bool known = spoor_state_last(answer->now, cpu, &place);
        put_registers(answer->text, list, count, known ? place.record : UINT64_MAX);
    }
    give_registers(entry, "registers", list, count, false);
    struct spoor_result *memory = spoor_result_array(entry, "memory");
    for (size_t i = 0; i < answer->range_count; i++)
        give_memory(memory, &answer->ranges[i], answer->bytes[i]);
    free(list);
    return true;
}

static void put_all_memory(struct answer *answer)
{
    if (answer->range_count) text_puts(answer->text, "memory\n");
    for (size_t i = 0; i < answer->range_count; i++)
        put_memory(answer->text, &answer->ranges[i], answer->bytes[i],
                   answer->settings->diff ? answer->old_bytes[i] : NULL);
}

/* ---- the query ---- */

static bool add_range(struct answer *answer, const struct spoor_range *range)
{
    if (!array_reserve(&answer->ranges, &answer->range_capacity, answer->range_count + 1))
        return false;
    answer->ranges[answer->range_count++] = *range;
    return true;
}

static bool add_all(void *context, uint64_t address, uint64_t size)
{
    const struct spoor_range range = {.address = address, .size = size};
    return add_range(context, &range);
}

static enum spoor_status check_memory(const struct answer *answer, struct spoor_error *error)
{
    enum { TEXT_BYTES = 8 }; /* of a byte, printed */
    uint64_t needed = 0;
    for (size_t i = 0; i < answer->range_count; i++)
        memory_need(&needed, answer->ranges[i].size, 2 * (sizeof(struct spoor_byte) + TEXT_BYTES));
    char sentence[MEMORY_SENTENCE];
    if (memory_fits("the bytes to print", needed, answer->settings->common.memory, sentence))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "%s", sentence);
}

static bool read_ranges(struct answer *answer)
{
    const struct list *wanted = &answer->settings->memory;
    struct spoor_error error = {0};
    uint64_t size;
    for (size_t i = 0; i < wanted->count; i++) {
        struct spoor_range range;
        if (is_size(wanted->items[i], &size)) continue;
        if (strcmp(wanted->items[i], "all") == 0) {
            if (!spoor_explorer_each_range(answer->asking->explorer, add_all, answer)) return false;
            continue;
        }
        if (!spoor_range_parse(wanted->items[i], &range)) {
            complain("--memory: found '%s', expected ADDR+BYTES, pa:ADDR+BYTES or all",
                     wanted->items[i]);
            answer->asking->code = worse(answer->asking->code, EXIT_USAGE);
            answer->asking->reported = true;
            return false;
        }
        if (!add_range(answer, &range)) return false;
    }
    if (check_memory(answer, &error) == SPOOR_OK) return true;
    answer->asking->code = fail(&error);
    answer->asking->reported = true;
    return false;
}

static bool find_moments(struct answer *answer)
{
    const struct settings *common = &answer->settings->common;
    struct asking *asking = answer->asking;
    if (!answer->settings->diff)
        return asking_moment(asking, answer->settings->at, &answer->moment);
    if (common->operand_count != 2) {
        complain("--diff: expected a trace and two moments: state TRACE --diff T1 T2");
        asking->code = worse(asking->code, EXIT_USAGE);
        asking->reported = true;
        return false;
    }
    return asking_moment(asking, answer->settings->diff, &answer->before) &&
           asking_moment(asking, common->operands[1], &answer->moment);
}

static bool collect_memory(struct answer *answer)
{
    const size_t count = answer->range_count;
    answer->bytes = calloc(count + 1, sizeof *answer->bytes);
    answer->old_bytes = calloc(count + 1, sizeof *answer->old_bytes);
    if (!answer->bytes || !answer->old_bytes) return false;
    for (size_t i = 0; i < count; i++) {
        answer->bytes[i] = read_range(answer->asking, &answer->ranges[i], answer->moment);
        if (answer->settings->diff && answer->bytes[i])
            answer->old_bytes[i] = read_range(answer->asking, &answer->ranges[i], answer->before);
        if (!answer->bytes[i] || (answer->settings->diff && !answer->old_bytes[i])) return false;
    }
    return true;
}

static bool collect(struct answer *answer)
{
    struct spoor_error error = {0};
    struct spoor_explorer *explorer = answer->asking->explorer;
    enum spoor_status status = spoor_explorer_state(explorer, answer->moment, &answer->now, &error);
    if (status == SPOOR_OK && answer->settings->diff)
        status = spoor_explorer_state(explorer, answer->before, &answer->old, &error);
    if (status != SPOOR_OK) asking_fail(answer->asking, status, &error);
    return status == SPOOR_OK;
}

static bool answer_all(struct answer *answer)
{
    unsigned cpu, end;
    if (!asking_cpus(answer->asking, answer->settings->cpu, &cpu, &end)) return false;
    put_moment(answer->asking, &answer->place, answer->text, answer->result);
    struct spoor_result *cpus = spoor_result_array(answer->result, "cpus");
    for (; cpu < end; cpu++)
        if (!answer_cpu(answer, cpu, cpus)) return false;
    put_all_memory(answer);
    return true;
}

static bool answer_state(struct asking *asking, const void *context, struct text *text,
                         struct spoor_result *result)
{
    const struct state_settings *settings = context;
    struct answer answer = {.asking = asking, .settings = settings, .text = text, .result = result};
    const bool done = asking_where(asking, settings->where) && find_moments(&answer) &&
                      read_ranges(&answer) && asking_place(asking, answer.moment, &answer.place) &&
                      collect(&answer) && collect_memory(&answer) && answer_all(&answer);
    if (!done && !asking->reported) {
        complain("out of memory");
        asking->code = EXIT_UNREADABLE;
    }
    located_name(&asking->located, result, NULL);
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

static int state_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct state_settings *settings = context;
    const struct question question = {&settings->common, path, &settings->order,
                                      settings->no_index};
    return asking_trace(&question, answer_state, settings, shown, all);
}

static int run(void *chosen)
{
    struct state_settings *settings = chosen;
    bool shown = false;
    uint64_t size;
    for (size_t i = 0; i < settings->memory.count; i++)
        if (is_size(settings->memory.items[i], &size)) settings->common.memory = size;
    if (settings->diff) return state_trace(settings, operand(&settings->common, 0), &shown, NULL);
    return run_each_trace(&settings->common, state_trace, settings);
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
    .run = run,
};
