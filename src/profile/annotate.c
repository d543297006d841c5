/* SPDX-License-Identifier: MIT */
/*
 * annotate.c: from counts by address to functions, and to their instructions with text and lines.
 */
#include "spoor/annotate.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/scan.h"
#include "base/sorted.h"
#include "effects/calls.h"
#include "explore/index_use.h"
#include "explore/pc_counts.h"
#include "isa/code_bytes.h"
#include "model/options.h"
#include "query/where_status.h"

enum {
    LONGEST_INSTRUCTION = 16,
    TEXT_CAPACITY = 128,
    FUNCTION_MAXIMUM = 1 << 24,
    GAP_MAXIMUM = 4096
};

struct annotate_function {
    struct spoor_annotated_function function;
    size_t first, count; /* rows of it that ran */
    bool of_image;
};

struct spoor_annotate {
    struct spoor_annotate_options options;
    struct machine own; /* of batches */
    const struct machine *machine;
    bool started;
    struct calls *calls;
    struct pc_counts counts;
    struct pc_count *rows; /* by address */
    size_t row_count;
    struct pc_entry *entries;
    size_t entry_count;
    struct annotate_function *functions;
    size_t function_count, function_capacity;
    struct spoor_annotated_line *lines;
    size_t line_count, line_capacity;
    size_t *line_texts; /* offsets in `texts` plus 1, before the text stops moving */
    size_t line_text_capacity;
    struct text texts;
    uint64_t all_count;
    bool failed;
    bool is_beyond; /* more addresses than the maximum */
};

enum spoor_status spoor_annotate_new(struct spoor_annotate **annotate,
                                     const struct spoor_annotate_options *options,
                                     struct spoor_error *error)
{
    struct spoor_annotate_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_annotate *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    const struct call_listener listener = {.context = &made->counts, .enter = pc_counts_enter};
    made->options = own;
    made->calls = calls_new(&listener);
    made->started = machine_start(&made->own);
    made->machine = &made->own;
    if (made->calls && made->started) {
        *annotate = made;
        return SPOOR_OK;
    }
    spoor_annotate_free(made);
    return memory_status(false, error);
}

void spoor_annotate_free(struct spoor_annotate *annotate)
{
    if (!annotate) return;
    if (annotate->started) machine_free(&annotate->own);
    calls_free(annotate->calls);
    pc_counts_free(&annotate->counts);
    free(annotate->rows);
    free(annotate->entries);
    free(annotate->functions);
    free(annotate->lines);
    free(annotate->line_texts);
    text_free(&annotate->texts);
    free(annotate);
}

/* Forgets everything where there are too many addresses. */
static void annotate_limit(struct spoor_annotate *annotate)
{
    size_t addresses = 0;
    for (size_t i = 0; i < annotate->counts.count; i++) addresses += annotate->counts.cpus[i].count;
    if (!annotate->options.maximum || addresses <= annotate->options.maximum) return;
    annotate->is_beyond = true;
    pc_counts_free(&annotate->counts);
    calls_free(annotate->calls);
    annotate->calls = NULL;
}

enum spoor_status spoor_annotate_feed(struct spoor_annotate *annotate,
                                      const struct spoor_batch *batch, struct spoor_error *error)
{
    struct machine *machine = &annotate->own;
    if (annotate->is_beyond) return SPOOR_OK;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    const struct spoor_select *where = annotate->options.where;
    const bool good = calls_feed(annotate->calls, machine, batch) &&
                      pc_counts_add(&annotate->counts, machine, batch, where, NULL);
    annotate_limit(annotate);
    return where_status(good, where, error);
}

enum spoor_status spoor_annotate_use_index(struct spoor_annotate *annotate,
                                           const struct spoor_index *index,
                                           struct spoor_error *error)
{
    if (annotate->options.where) return index_use_not_kept("instructions one by one", error);
    const enum spoor_status status =
        index_use_counts(index, &annotate->counts, &annotate->machine, error);
    annotate_limit(annotate);
    return status;
}

/* ---- functions ---- */

/* The last entry at or before an address; NULL: there is none. */
static const struct pc_entry *annotate_entry_before(const struct spoor_annotate *annotate,
                                                    uint64_t pc)
{
    const size_t low = SORTED_UP_TO(annotate->entries, annotate->entry_count, address, pc);
    return low ? &annotate->entries[low - 1] : NULL;
}

static bool annotate_has_row(const struct spoor_annotate *annotate,
                             const struct annotate_function *function, const struct pc_count *row)
{
    struct spoor_place place = {.struct_size = sizeof place};
    const uint64_t address = function->function.address;
    if (function->of_image) return row->pc - address < function->function.size;
    if (function->count && row->pc - row[-1].pc > GAP_MAXIMUM) return false;
    const struct pc_entry *entry = annotate_entry_before(annotate, row->pc);
    if ((entry ? entry->address : address) > address) return false;
    return !annotate->options.images ||
           !spoor_images_function(annotate->options.images, row->pc, &place) || !place.function;
}

static int annotate_hottest_first(const void *left, const void *right)
{
    const struct annotate_function *a = left, *b = right;
    if (a->function.count != b->function.count)
        return a->function.count < b->function.count ? 1 : -1;
    return a->function.address < b->function.address ? -1
                                                     : a->function.address > b->function.address;
}

enum spoor_status spoor_annotate_end(struct spoor_annotate *annotate, struct spoor_error *error)
{
    if (annotate->is_beyond) return SPOOR_OK;
    if (annotate->machine == &annotate->own && annotate->own.stream)
        annotate->failed |= !pc_counts_end(&annotate->counts, &annotate->own);
    const unsigned cpu = pc_counts_chosen_cpu(annotate->machine, annotate->options.cpu);
    annotate->rows = pc_counts_sorted(&annotate->counts, cpu, &annotate->row_count);
    annotate->entries = pc_counts_entries(&annotate->counts, &annotate->entry_count);
    for (size_t i = 0; i < annotate->row_count; i++) annotate->all_count += annotate->rows[i].count;
    struct spoor_images *images = annotate->options.images;
    for (size_t i = 0; i < annotate->row_count;) {
        if (!array_reserve(&annotate->functions, &annotate->function_capacity,
                           annotate->function_count + 1)) {
            annotate->failed = true;
            break;
        }
        const uint64_t pc = annotate->rows[i].pc;
        struct annotate_function *function = &annotate->functions[annotate->function_count++];
        struct spoor_place place = {.struct_size = sizeof place};
        *function = (struct annotate_function){.first = i, .function = {.address = pc}};
        if (images && spoor_images_function(images, pc, &place) && place.function &&
            pc - place.start < place.size) {
            function->of_image = true;
            function->function.name = place.function;
            function->function.address = place.start;
            function->function.size = place.size;
            spoor_images_resolve(images, place.start, &place);
            function->function.file = place.file;
            function->function.line = place.line;
        } else {
            const struct pc_entry *begin = annotate_entry_before(annotate, pc);
            if (begin && pc - begin->address <= GAP_MAXIMUM)
                function->function.address = begin->address;
        }
        const uint64_t address = function->function.address;
        const struct pc_entry *entry = annotate_entry_before(annotate, address | 1);
        if (entry && (entry->address | 1) == (address | 1)) function->function.calls = entry->calls;
        for (; i < annotate->row_count && annotate_has_row(annotate, function, &annotate->rows[i]);
             i++) {
            const struct pc_count *row = &annotate->rows[i];
            const uint64_t end = row->pc + (row->size ? row->size : 1);
            function->count++;
            function->function.count += row->count;
            if (!function->of_image) function->function.size = end - function->function.address;
        }
        if (function->count == 0) i++; /* its image contradicts itself */
    }
    if (annotate->function_count)
        qsort(annotate->functions, annotate->function_count, sizeof *annotate->functions,
              annotate_hottest_first);
    for (size_t i = 0; i < annotate->function_count; i++)
        annotate->functions[i].function.all_count = annotate->all_count;
    return memory_status(!annotate->failed && !annotate->counts.failed &&
                             !machine_out_of_memory(annotate->machine),
                         error);
}

bool spoor_annotate_function(const struct spoor_annotate *annotate, size_t n,
                             struct spoor_annotated_function *function)
{
    if (n >= annotate->function_count) return false;
    *function = annotate->functions[n].function;
    return true;
}

bool spoor_annotate_find(const struct spoor_annotate *annotate, const char *words, size_t *n)
{
    const size_t size = strlen(words);
    uint64_t address;
    for (*n = 0; *n < annotate->function_count; ++*n) {
        const char *name = annotate->functions[*n].function.name; /* "f" finds f(int), too */
        if (name && strncmp(name, words, size) == 0 && (!name[size] || name[size] == '('))
            return true;
    }
    if (!scan_all_address(words, &address)) return false;
    for (*n = 0; *n < annotate->function_count; ++*n) {
        const struct spoor_annotated_function *function = &annotate->functions[*n].function;
        if (address - function->address < function->size) return true;
    }
    return false;
}

/* ---- instructions ---- */

/* Disassembles what an image has at an address: the size of the instruction, 0 where it cannot. */
static size_t annotate_disassemble_image(const struct spoor_annotate *annotate, uint64_t pc,
                                         char *text)
{
    const struct spoor_annotate_options *options = &annotate->options;
    uint8_t bytes[LONGEST_INSTRUCTION];
    struct spoor_place place = {.struct_size = sizeof place};
    if (!options->images || !options->disassemble) return 0;
    const size_t size = spoor_images_bytes(options->images, pc, bytes, sizeof bytes);
    if (!size || !spoor_images_function(options->images, pc, &place)) return 0;
    const struct spoor_code_bytes code = {pc, bytes, size, place.code};
    return options->disassemble(options->context, &code, text, TEXT_CAPACITY);
}

static struct spoor_annotated_line *annotate_add_line(struct spoor_annotate *annotate, uint64_t pc,
                                                      const char *text)
{
    const size_t n = annotate->line_count;
    struct spoor_place place = {.struct_size = sizeof place};
    if (!array_reserve(&annotate->lines, &annotate->line_capacity, n + 1) ||
        !array_reserve(&annotate->line_texts, &annotate->line_text_capacity, n + 1)) {
        annotate->failed = true;
        return NULL;
    }
    struct spoor_annotated_line *line = &annotate->lines[annotate->line_count++];
    *line = (struct spoor_annotated_line){.pc = pc};
    annotate->line_texts[n] = annotate->texts.size;
    text_put(&annotate->texts, text, strlen(text) + 1);
    if (!annotate->options.images || !spoor_images_resolve(annotate->options.images, pc, &place))
        return line;
    line->file = place.file;
    line->line = place.line;
    if (place.file)
        line->source = spoor_images_source_line(annotate->options.images, place.file, place.line);
    return line;
}

/* Instructions of the image before `end` that never ran. */
static void annotate_add_silent(struct spoor_annotate *annotate, uint64_t pc, uint64_t end)
{
    char text[TEXT_CAPACITY];
    size_t size;
    while (pc < end && !annotate->failed &&
           (size = annotate_disassemble_image(annotate, pc, text))) {
        annotate_add_line(annotate, pc, text);
        pc += size;
    }
}

const struct spoor_annotated_line *spoor_annotate_lines(struct spoor_annotate *annotate, size_t n,
                                                        size_t *count)
{
    const struct spoor_annotate_options *options = &annotate->options;
    const struct annotate_function *function = &annotate->functions[n];
    uint64_t next = function->function.address;
    const uint64_t end = next + function->function.size;
    const bool is_whole = function->of_image && function->function.size <= FUNCTION_MAXIMUM;
    annotate->line_count = 0;
    annotate->texts.size = 0;
    for (size_t i = 0; i < function->count; i++) {
        const struct pc_count *row = &annotate->rows[function->first + i];
        char text[TEXT_CAPACITY];
        const size_t size = annotate_disassemble_image(annotate, row->pc, text);
        if (is_whole) annotate_add_silent(annotate, next, row->pc);
        if (!size) {
            uint8_t bytes[8];
            const char *texts = annotate->counts.texts.bytes;
            const char *printed = row->text ? texts + row->text - 1 : NULL;
            const size_t coded = printed || !row->has_opcode
                                     ? 0
                                     : code_bytes(row->opcode, row->opcode_size, row->iset, bytes);
            const struct spoor_code_bytes code = {
                row->pc, bytes, coded,
                code_of_opcode(annotate->machine->isa, row->iset, row->opcode_size)};
            snprintf(text, sizeof text, "%s", printed ? printed : "");
            if (coded && !(options->disassemble &&
                           options->disassemble(options->context, &code, text, sizeof text)))
                snprintf(text, sizeof text, ".inst 0x%0*llx", (int)(2 * coded),
                         (unsigned long long)row->opcode);
        }
        struct spoor_annotated_line *line = annotate_add_line(annotate, row->pc, text);
        if (line) {
            line->count = row->count;
            line->taken = row->taken;
            line->not_taken = row->not_taken;
            line->branch = row->branch;
        }
        next = row->pc + (row->size ? row->size : size ? size : 1);
    }
    if (is_whole) annotate_add_silent(annotate, next, end);
    for (size_t i = 0; i < annotate->line_count && annotate->texts.bytes; i++)
        annotate->lines[i].text = annotate->texts.bytes + annotate->line_texts[i];
    *count = annotate->failed || annotate->texts.failed ? 0 : annotate->line_count;
    return annotate->lines;
}

enum spoor_status spoor_annotate_report(struct spoor_annotate *annotate, size_t n,
                                        struct spoor_result *result)
{
    struct spoor_annotated_function of;
    size_t count;
    if (!spoor_annotate_function(annotate, n, &of)) return result_status(result);
    spoor_result_text(result, "function", of.name);
    spoor_result_hex(result, "pc", of.address);
    spoor_result_text(result, "file", of.file);
    spoor_result_unsigned_if(result, "line", of.line > 0, of.line);
    spoor_result_unsigned(result, "calls", of.calls);
    spoor_result_unsigned(result, "count", of.count);
    spoor_result_unsigned(result, "all", of.all_count);
    spoor_result_real(result, "count_ratio",
                      of.all_count ? (double)of.count / (double)of.all_count : 0, 4);
    struct spoor_result *rows = spoor_result_array(result, "instructions");
    const struct spoor_annotated_line *line = spoor_annotate_lines(annotate, n, &count);
    if (count == 0) spoor_result_fail(result);
    for (const struct spoor_annotated_line *end = line + count; line < end; line++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_hex(row, "pc", line->pc);
        spoor_result_unsigned(row, "count", line->count);
        spoor_result_real(row, "count_ratio", of.count ? (double)line->count / (double)of.count : 0,
                          4);
        spoor_result_unsigned_if(row, "taken", line->branch, line->taken);
        spoor_result_unsigned_if(row, "not_taken", line->branch, line->not_taken);
        if (annotate->options.put)
            annotate->options.put(annotate->options.put_context, line->pc, row);
        spoor_result_text(row, "instruction", line->text && line->text[0] ? line->text : NULL);
        spoor_result_text(row, "file", line->file);
        spoor_result_unsigned_if(row, "line", line->line > 0, line->line);
        spoor_result_text(row, "source", line->source);
    }
    return result_status(result);
}
