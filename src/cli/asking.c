/* SPDX-License-Identifier: MIT */
/* asking.c: opens a trace for queries, and parses their moments and subjects. */
#include "cli/asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/scan.h"
#include "cli/selecting.h"

bool asking_open(struct asking *asking, const struct settings *settings, const char *path,
                 bool no_index)
{
    struct indexing indexing;
    struct spoor_error error = {0};
    *asking = (struct asking){.settings = settings, .path = path, .code = EXIT_CLEAN};
    indexing_start(&indexing, settings, no_index);
    if (!located_open(&asking->located, settings, path)) {
        asking->code = asking->located.code;
        return false;
    }
    indexing.file = asking->located.file;
    if (!indexing_open(&indexing, path, &asking->index, &asking->code)) {
        located_close(&asking->located);
        return false;
    }
    asking->file = indexing.file;
    const enum spoor_status status = explorer_open(&asking->explorer, path, asking->index, &error);
    if (status == SPOOR_OK) return true;
    asking_fail(asking, status, &error);
    asking_close(asking);
    return false;
}

int asking_close(struct asking *asking)
{
    if (asking->explorer && !same_file_still(&asking->file, asking->path))
        asking->code = worse(asking->code, EXIT_UNREADABLE);
    asking->code = worse(asking->code, located_close(&asking->located));
    spoor_select_free(asking->where);
    asking->where = NULL;
    explorer_close(asking->explorer);
    index_free(asking->index);
    asking->explorer = NULL;
    asking->index = NULL;
    return asking->code;
}

/* The order of bytes of an ELF file "FILE[@OFFSET]"; false: it is none. */
static bool order_of_image(const char *words, bool *big)
{
    char path[4096];
    unsigned char head[6] = {0};
    const char *at = strrchr(words, '@');
    snprintf(path, sizeof path, "%.*s", at ? (int)(at - words) : (int)strlen(words), words);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool is_elf =
        fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "\177ELF", 4) == 0;
    fclose(file);
    *big = head[5] == 2; /* EI_DATA: ELFDATA2MSB */
    return is_elf;
}

bool byte_order_of(const struct settings *settings, const struct byte_order *order, bool *big)
{
    const struct list *images = &settings->images;
    *big = order->big;
    if (order->big && order->little) {
        complain("--bi and --li exclude each other");
        return false;
    }
    for (size_t i = 0; i < images->count; i++) {
        bool image;
        if (!order_of_image(images->items[i], &image)) continue;
        if ((order->big || order->little) && image != *big) {
            complain("%s is %s-endian, found --%s", images->items[i], image ? "big" : "little",
                     *big ? "bi" : "li");
            return false;
        }
        *big = image;
    }
    return true;
}

bool asking_byte_order(struct asking *asking, const struct byte_order *order)
{
    bool big;
    if (!byte_order_of(asking->settings, order, &big)) {
        asking->code = worse(asking->code, EXIT_USAGE);
        asking->reported = true;
        return false;
    }
    explorer_big_endian(asking->explorer, big);
    return true;
}

bool asking_where(struct asking *asking, const char *expression)
{
    struct spoor_error error = {0};
    if (!expression) return true;
    selecting_note(false);
    if (spoor_select_compile(&asking->where, expression, &error) == SPOOR_OK) return true;
    asking->code = worse(asking->code, fail(&error));
    asking->reported = true;
    return false;
}

bool asking_selects(struct asking *asking, uint64_t record)
{
    struct spoor_error error = {0};
    bool selects = true;
    if (!asking->where) return true;
    const enum spoor_status status =
        explorer_selects(asking->explorer, asking->where, record, &selects, &error);
    if (status != SPOOR_OK) asking_fail(asking, status, &error);
    if (selects) selecting_note(true);
    return selects;
}

int asking_fail(struct asking *asking, enum spoor_status status, const struct spoor_error *error)
{
    asking->reported = true;
    if (status == SPOOR_END) {
        complain("%s", error->text);
        return asking->code = worse(asking->code, EXIT_NOTHING);
    }
    return asking->code = worse(asking->code, fail(error));
}

void asking_instruction(struct asking *asking, uint64_t record, struct instruction *instruction)
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        explorer_instruction(asking->explorer, record, instruction, &error);
    if (status == SPOOR_OK) return;
    *instruction = (struct instruction){.text = ""};
    asking_fail(asking, status, &error);
}

/* "pc:main#2" with the address of a symbol in place of its name; false: it is none. */
static bool named_moment(const struct asking *asking, const char *words, char *address,
                         size_t capacity)
{
    char name[256];
    uint64_t pc;
    if (!asking->located.images || strncmp(words, "pc:", 3) != 0) return false;
    const size_t size = strcspn(words + 3, "#");
    if (size >= sizeof name) return false;
    memcpy(name, words + 3, size);
    name[size] = '\0';
    if (!spoor_images_find(asking->located.images, name, 0, &pc)) return false;
    if (explorer_machine(asking->explorer)->isa == ISA_AARCH32) pc &= ~UINT64_C(1); /* of Thumb */
    snprintf(address, capacity, "pc:%llx%s", (unsigned long long)pc, words + 3 + size);
    return true;
}

bool asking_moment(struct asking *asking, const char *words, uint64_t *moment)
{
    struct moment_query query = {.kind = MOMENT_END};
    struct spoor_error error = {0};
    char address[64];
    if (words && named_moment(asking, words, address, sizeof address)) words = address;
    if (words && !moment_parse(words, &query)) {
        complain("%s: found '%s', expected a time, record:N, line:N, pc:ADDR[#K] or end",
                 asking->option ? asking->option : "--at", words);
        asking->code = worse(asking->code, EXIT_USAGE);
        asking->reported = true;
        return false;
    }
    const enum spoor_status status = explorer_moment(asking->explorer, &query, moment, &error);
    if (status == SPOOR_OK) return true;
    asking_fail(asking, status, &error);
    return false;
}

static bool same_cpu(const char *name, const char *words)
{
    return ascii_compare(name, words) == 0 ||
           (strncmp(words, "cpu", 3) == 0 && strcmp(name, words + 3) == 0);
}

bool asking_cpu(struct asking *asking, const char *name, unsigned *cpu)
{
    const struct machine *machine = explorer_machine(asking->explorer);
    const unsigned count = machine_cpu_count(machine);
    *cpu = 0;
    if (!name && count == 1) return true;
    for (unsigned i = 0; name && i < count; i++)
        if (same_cpu(machine_cpu_name(machine, i), name)) {
            *cpu = i;
            return true;
        }
    if (name)
        complain("%s: has no cpu '%s'", asking->path, name);
    else
        complain("%s: has %u cpus, expected --cpu with the name of one (the first is %s)",
                 asking->path, count, machine_cpu_name(machine, 0));
    asking->code = worse(asking->code, EXIT_USAGE);
    asking->reported = true;
    return false;
}

/* ---- subjects ---- */

bool address_range_parse(const char *words, struct address_range *range)
{
    static const char *const spaces[] = {"pa:", "pa_s:", "pa_ns:", "pa_rl:", "pa_rt:"};
    *range = (struct address_range){.size = 1};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const size_t size = strlen(spaces[i]);
        if (ascii_compare_some(words, spaces[i], size) != 0) continue;
        range->physical = true;
        range->space = (uint8_t)(SPACE_PHYSICAL_MEMORY + i);
        words += size;
        break;
    }
    struct scan scan = {words, words + strlen(words)};
    return scan_span(&scan, &range->address, &range->size) && scan_done(&scan);
}

/* Parses "counter" or "counter+4": the address of a symbol. */
static bool named_range(const struct asking *asking, const char *words, struct address_range *range)
{
    char name[256];
    const char *plus = strrchr(words, '+');
    const size_t size = plus ? (size_t)(plus - words) : strlen(words);
    if (!asking->located.images || size >= sizeof name) return false;
    memcpy(name, words, size);
    name[size] = '\0';
    *range = (struct address_range){.size = 1};
    if (plus && (!scan_all_number(plus + 1, &range->size) || range->size == 0)) return false;
    return spoor_images_find(asking->located.images, name, 0, &range->address);
}

bool asking_subject(struct asking *asking, const char *words, const char *cpu, uint64_t moment,
                    struct subject *subject)
{
    struct address_range range;
    *subject = (struct subject){0};
    const struct machine *machine = explorer_machine(asking->explorer);
    subject->part = machine_find_register(machine, words);
    if (subject->part.name) return asking_cpu(asking, cpu, &subject->cpu);
    if (!address_range_parse(words, &range) && !named_range(asking, words, &range)) {
        complain("found '%s', expected a register of the trace or an address in hexadecimal, with "
                 "+BYTES after it where it is more than one byte",
                 words);
        asking->code = worse(asking->code, EXIT_USAGE);
        asking->reported = true;
        return false;
    }
    subject->is_memory = true;
    subject->place = explorer_place(asking->explorer, range.address, range.size, range.physical,
                                    range.space, moment);
    if (subject->place.size == range.size) return true;
    complain("found '%s', which reaches into another page, expected bytes of one page of 4 KiB",
             words);
    asking->code = worse(asking->code, EXIT_USAGE);
    asking->reported = true;
    return false;
}

/* ---- printing ---- */

static bool note_place(void *context, const struct visited *visited)
{
    struct moment_place *place = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    place->any = true;
    place->record = visited->record;
    place->time = record->time;
    place->line = spoor_batch_line(visited->batch, visited->index);
    snprintf(place->unit, sizeof place->unit, "%s", spoor_record_unit(visited->batch, record));
    return false;
}

bool asking_place(struct asking *asking, uint64_t moment, struct moment_place *place)
{
    struct spoor_error error = {0};
    *place = (struct moment_place){0};
    if (moment == 0) return true;
    const enum spoor_status status =
        explorer_visit(asking->explorer, moment - 1, moment, note_place, place, &error);
    if (status == SPOOR_OK) return true;
    asking_fail(asking, status, &error);
    return false;
}

void put_moment(struct text *text, const struct moment_place *place)
{
    if (!place->any) {
        text_puts(text, "the beginning of the trace");
        return;
    }
    text_printf(text, "record %llu", (unsigned long long)place->record);
    if (place->line) text_printf(text, " (line %llu)", (unsigned long long)place->line);
    if (place->unit[0])
        text_printf(text, ", time %llu %s", (unsigned long long)place->time, place->unit);
}

int show_answer(const struct settings *settings, const struct text *text,
                struct spoor_result *result, bool *shown)
{
    if (prints_data(settings)) return show_result(result, result_form_of(settings));
    if (text->failed) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    const int code = show_apart(shown);
    return worse(code, show_text(text));
}

void put_located(const struct asking *asking, uint64_t pc, struct text *text)
{
    const size_t before = text->size;
    text_puts(text, "  ");
    if (!located_put(&asking->located, pc, text)) text->size = before;
}

int asking_answer(struct asking *asking, asking_answer_fn *answer, const void *settings,
                  bool *shown, struct spoor_result *all)
{
    struct text text = {0};
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    spoor_result_text(result, "trace", asking->path);
    if (answer(asking, settings, &text, result) && !all)
        asking->code = worse(asking->code, show_answer(asking->settings, &text, result, shown));
    if (!all) spoor_result_free(result);
    text_free(&text);
    return asking_close(asking);
}
