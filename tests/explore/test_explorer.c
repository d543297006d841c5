/* SPDX-License-Identifier: MIT */
/*
 * test_explorer.c: answers of the explorer, compared with a plain reading of the whole trace by
 * this test: values, last writers and open calls at random moments.
 *
 * SPOOR_POINTS=N queries N moments of each trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "explore/explorer.h"
#include "spoor/writer.h"
#include "views/published.h"

/* ---- the whole trace, as a list of its effects ---- */

struct deed {
    uint64_t record, address, value[2];
    unsigned cpu;
    spoor_name name; /* the register; 0: memory */
    uint8_t does;    /* the kind of memory access */
    uint8_t byte, known;
};

/* A semihosting call: its record, and the bytes of a word. */
struct semihosting_call {
    uint64_t record;
    unsigned cpu;
    uint8_t word;
};

struct history {
    struct deed *deeds;
    size_t count, capacity;
    uint64_t records;
    bool numbered;   /* its instructions have numbers */
    uint64_t joined; /* where the numbers of the instructions begin again; 0: nowhere */
    struct semihosting_call hosted[64];
    size_t hosted_count;
};

static void put_deed(struct history *history, const struct deed *deed)
{
    if (history->count == history->capacity) {
        history->capacity = history->capacity ? 2 * history->capacity : 4096;
        history->deeds = realloc(history->deeds, history->capacity * sizeof *history->deeds);
        assert_non_null(history->deeds);
    }
    history->deeds[history->count++] = *deed;
}

static void list_register(struct history *history, struct machine *machine,
                          const struct spoor_record *record, uint64_t number, unsigned cpu)
{
    const struct machine_register reg = machine_register(machine, record);
    const bool whole = !record->reg.high && !record->reg.unknown && !reg.low &&
                       !record->reg.wide.size && (record->has & SPOOR_HAS_DATA);
    if (record->op != SPOOR_REG_WRITE || reg.zero) return;
    put_deed(history, &(struct deed){.record = number,
                                     .cpu = cpu,
                                     .name = reg.name,
                                     .value = {record->reg.value[0], record->reg.value[1]},
                                     .known = whole});
}

static void list_access(struct history *history, const struct machine *machine,
                        const struct spoor_batch *batch, size_t index, unsigned cpu)
{
    struct access access;
    if (!machine_access(machine, batch, index, &access) || !access.has_va) return;
    for (uint32_t i = 0; i < access.size; i++) {
        struct deed deed = {.record = batch->first + index,
                            .cpu = cpu,
                            .address = access.va + i,
                            .does = access.does};
        deed.known = (uint8_t)access_byte(batch, index, &access, i, &deed.byte);
        if (deed.known != BYTE_UNTOUCHED) put_deed(history, &deed);
    }
}

static void list_record(struct history *history, struct machine *machine,
                        const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const unsigned cpu = machine_cpu(machine, record);
    if (record->kind == SPOOR_REG)
        list_register(history, machine, record, batch->first + index, cpu);
    if (record->kind == SPOOR_UOP && record->uop.dest >= 0)
        put_deed(history, &(struct deed){.record = batch->first + index,
                                         .cpu = cpu,
                                         .name = machine_uop_register(machine, record->uop.dest)});
    struct semihosting_call hosted = {batch->first + index, cpu, 0};
    if (hosted_is_call(record, &hosted.word) && history->hosted_count < 64)
        history->hosted[history->hosted_count++] = hosted;
    if (record->kind == SPOOR_MEM || record->kind == SPOOR_UOP)
        list_access(history, machine, batch, index, cpu);
}

/* Reads the whole trace; at some records, compares the open calls with the explorer's. */
static void read_trace(struct history *history, const char *path, const struct index *index,
                       struct explorer *explorer, uint64_t step)
{
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    struct machine machine;
    const struct spoor_batch *batch;
    struct calls *straight = calls_new(NULL);
    assert_int_equal(spoor_reader_open(&reader, path, NULL, &error), SPOOR_OK);
    assert_true(machine_start(&machine));
    const size_t names = spoor_names_count(index->machine.registers);
    for (size_t i = 1; i < names; i++) {
        size_t size;
        const char *text = spoor_names_text(index->machine.registers, (spoor_name)i, &size);
        assert_int_equal(spoor_names_intern(machine.registers, text, size), i);
    }
    machine_enter(&machine, spoor_reader_stream(reader));
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        machine_see(&machine, batch);
        for (size_t i = 0; i < batch->count; i++) {
            list_record(history, &machine, batch, i);
            history->numbered |=
                batch->records[i].kind == SPOOR_INSN && batch->records[i].has & SPOOR_HAS_INDEX;
            assert_true(calls_add(straight, &machine, batch, i, machine.cpu));
            if ((batch->first + i) % step != step / 2) continue;
            struct calls *asked = NULL;
            assert_int_equal(explorer_calls(explorer, batch->first + i + 1, &asked, &error),
                             SPOOR_OK);
            const struct call_stack *one = calls_stack(straight, machine.cpu),
                                    *other = calls_stack(asked, machine.cpu);
            assert_int_equal(one->count, other->count);
            if (one->count)
                assert_memory_equal(one->frames, other->frames, one->count * sizeof *one->frames);
            calls_free(asked);
        }
        history->records = batch->first + batch->count;
    }
    assert_int_equal(history->records, index->records);
    calls_free(straight);
    machine_free(&machine);
    spoor_reader_close(reader);
}

/* ---- straight answers ---- */

static uint64_t seed;
static uint64_t random_below(uint64_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % limit;
}

static bool same_place(const struct deed *one, const struct deed *other)
{
    if (one->name || other->name) return one->name == other->name && one->cpu == other->cpu;
    return one->address == other->address;
}

static bool writes(const struct deed *deed)
{
    return deed->name || (deed->does & ACCESS_WRITES);
}

static const struct deed *last_write(const struct history *history, const struct deed *what,
                                     uint64_t moment)
{
    const struct deed *found = NULL;
    for (size_t i = 0; i < history->count && history->deeds[i].record < moment; i++)
        if (same_place(&history->deeds[i], what) && writes(&history->deeds[i]))
            found = &history->deeds[i];
    return found;
}

static const struct deed *next_write(const struct history *history, const struct deed *what,
                                     uint64_t moment)
{
    for (size_t i = 0; i < history->count; i++)
        if (history->deeds[i].record >= moment && same_place(&history->deeds[i], what) &&
            writes(&history->deeds[i]))
            return &history->deeds[i];
    return NULL;
}

/* Returns those of the run that a moment is in: what comes before another run states nothing of it.
 * They are the history's. */
static struct history run_at(const struct history *history, uint64_t moment)
{
    struct history run = *history;
    size_t first = 0;
    while (first < run.count && run.deeds[first].record < run.joined) first++;
    if (run.joined && moment <= run.joined) {
        run.count = first;
    } else {
        run.deeds += first;
        run.count -= first;
    }
    return run;
}

/* Returns the value of a byte: the last one written or read there; if none is known, the one read
 * after the moment before any write.  -1: unknown. */
static int byte_at(const struct history *history, const struct deed *what, uint64_t moment)
{
    int value = -1;
    size_t i = 0;
    for (; i < history->count && history->deeds[i].record < moment; i++) {
        const struct deed *deed = &history->deeds[i];
        if (!same_place(deed, what)) continue;
        if (writes(deed) || deed->known == BYTE_KNOWN)
            value = deed->known == BYTE_KNOWN ? deed->byte : -1;
    }
    for (; value < 0 && i < history->count; i++) {
        const struct deed *deed = &history->deeds[i];
        if (!same_place(deed, what)) continue;
        if (writes(deed)) break;
        if (deed->known == BYTE_KNOWN) value = deed->byte;
    }
    return value;
}

/* The known bytes of a word; 0 if one is not known. */
static uint64_t word_at(const struct history *history, uint64_t address, unsigned size,
                        uint64_t moment)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < size; i++) {
        const int byte = byte_at(history, &(struct deed){.address = address + i}, moment);
        if (byte < 0) return 0;
        word |= (uint64_t)byte << 8 * i;
    }
    return word;
}

/* What a register was last written with; false: nothing is known. */
static bool value_of(const struct history *history, const struct machine *machine,
                     const struct semihosting_call *call, unsigned number, uint64_t *value)
{
    char name[8];
    snprintf(name, sizeof name, "%c%u", call->word == 8 ? 'x' : 'r', number);
    const struct deed what = {.cpu = call->cpu, .name = machine_find_register(machine, name).name};
    const struct deed *writer = what.name ? last_write(history, &what, call->record) : NULL;
    if (!writer || !writer->known) return false;
    *value = call->word == 8 ? writer->value[0] : (uint32_t)writer->value[0];
    return true;
}

/* Adds the unknown bytes that a semihosting call writes. */
static void list_hosted(struct history *history, const struct machine *machine,
                        const struct semihosting_call *call)
{
    uint64_t operation, block, words[HOSTED_WORDS], address, size;
    if (!value_of(history, machine, call, 0, &operation) ||
        !hosted_writes(operation & UINT32_MAX) || !value_of(history, machine, call, 1, &block))
        return;
    for (unsigned i = 0; i < HOSTED_WORDS; i++)
        words[i] = word_at(history, block + i * call->word, call->word, call->record);
    const struct hosted_call known = {call->record, block, (uint8_t)operation, call->word};
    if (!hosted_range(&known, words, &address, &size) || !address) return;
    size_t at = 0;
    while (at < history->count && history->deeds[at].record <= call->record) at++;
    for (uint64_t i = 0; i < size; i++) put_deed(history, &(struct deed){0});
    memmove(history->deeds + at + size, history->deeds + at,
            (history->count - size - at) * sizeof *history->deeds);
    for (uint64_t i = 0; i < size; i++)
        history->deeds[at + i] = (struct deed){.record = call->record,
                                               .cpu = call->cpu,
                                               .address = address + i,
                                               .does = ACCESS_WRITES};
}

static void list_all_hosted(struct history *history, const struct machine *machine)
{
    for (size_t i = 0; i < history->hosted_count; i++)
        list_hosted(history, machine, &history->hosted[i]);
}

/* ---- random questions ---- */

static void ask_memory(struct explorer *explorer, const struct history *history,
                       const struct deed *what, uint64_t moment)
{
    struct spoor_byte byte;
    struct spoor_error error = {0};
    const struct memory_place place = {.va = what->address, .size = 1, .has_va = true};
    const struct history run = run_at(history, moment);
    const struct deed *writer = last_write(&run, what, moment);
    assert_int_equal(explorer_memory(explorer, &place, moment, &byte, &error), SPOOR_OK);
    assert_int_equal(byte.known == SPOOR_BYTE_UNKNOWN ? -1 : byte.value,
                     byte_at(&run, what, moment));
    assert_int_equal(byte.has_writer, writer != NULL);
    if (writer) assert_int_equal(byte.writer, writer->record);
}

static void ask_register(struct explorer *explorer, const struct history *history,
                         const struct deed *what, uint64_t moment)
{
    struct registers registers;
    struct spoor_error error = {0};
    const struct history run = run_at(history, moment);
    const struct deed *writer = last_write(&run, what, moment);
    assert_int_equal(explorer_registers(explorer, moment, &registers, &error), SPOOR_OK);
    const struct cell *cell = registers_find(&registers, what->cpu, what->name);
    assert_int_equal(cell && cell->written, writer != NULL);
    if (writer) {
        assert_int_equal(cell->writer, writer->record);
        if (writer->known && writer->name && cell_knows(cell, 0, 32))
            assert_int_equal((uint32_t)cell_number(cell, 0), (uint32_t)writer->value[0]);
        assert_true(!writer->known || cell_knows(cell, 0, 4));
    }
    registers_free(&registers);
}

static void ask_writers(struct explorer *explorer, const struct history *history,
                        const struct deed *what, uint64_t moment)
{
    struct touch touch;
    struct spoor_error error = {0};
    const struct subject subject = {
        .is_memory = !what->name,
        .cpu = what->cpu,
        .part = {.name = what->name},
        .place = {.va = what->address, .size = 1, .has_va = true},
    };
    const struct deed *last = last_write(history, what, moment);
    const struct deed *next = next_write(history, what, moment);
    assert_int_equal(explorer_last_write(explorer, &subject, moment, &touch, &error),
                     last ? SPOOR_OK : SPOOR_END);
    if (last) assert_int_equal(touch.record, last->record);
    assert_int_equal(explorer_next_write(explorer, &subject, moment, &touch, &error),
                     next ? SPOOR_OK : SPOOR_END);
    if (next) assert_int_equal(touch.record, next->record);
}

static void ask_trace(const char *path, uint64_t points)
{
    struct index *index = NULL;
    struct explorer *explorer = NULL;
    struct spoor_error error = {0};
    struct history history = {0};
    const struct index_options options = {.segment_bytes = 1}; /* each chunk is a segment */
    if (getenv("SPOOR_POINTS")) points = strtoull(getenv("SPOOR_POINTS"), NULL, 10);
    assert_int_equal(index_build(&index, path, &options, &error), SPOOR_OK);
    assert_int_equal(explorer_open(&explorer, path, index, &error), SPOOR_OK);
    read_trace(&history, path, index, explorer, index->records / points + 1);
    list_all_hosted(&history, explorer_machine(explorer));
    for (uint64_t i = 0; i < points && history.count; i++) {
        const struct deed *what = &history.deeds[random_below(history.count)];
        const uint64_t moment = random_below(history.records + 1);
        ask_writers(explorer, &history, what, moment);
        if (what->name)
            ask_register(explorer, &history, what, moment);
        else
            ask_memory(explorer, &history, what, moment);
    }
    free(history.deeds);
    explorer_close(explorer);
    index_free(index);
}

/* ---- the same in every compression ---- */

enum { PLAIN = 1 << 0, GZIP = 1 << 1, XZ = 1 << 2, ZSTD = 1 << 3 };
static const char *const suffixes[] = {"", ".gz", ".xz", ".zst"};
enum { COMPRESSIONS = sizeof suffixes / sizeof *suffixes };

/* The trace's bytes, `times` times, in these compressions. */
static void write_compressed(const char *from, const char *to, unsigned times, unsigned which)
{
    struct spoor_output *outputs[COMPRESSIONS] = {NULL};
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    char path[600];
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        snprintf(path, sizeof path, "%s%s", to, suffixes[i]);
        if (which >> i & 1)
            assert_int_equal(spoor_output_open(&outputs[i], path, &error), SPOOR_OK);
    }
    while (times-- > 0) {
        struct spoor_reader *reader = NULL;
        assert_int_equal(spoor_reader_open(&reader, from, NULL, &error), SPOOR_OK);
        while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
            for (size_t i = 0; i < COMPRESSIONS; i++)
                if (outputs[i])
                    assert_int_equal(
                        spoor_output_put(outputs[i], batch->text, batch->text_size, &error),
                        SPOOR_OK);
        spoor_reader_close(reader);
    }
    for (size_t i = 0; i < COMPRESSIONS; i++)
        if (outputs[i]) assert_int_equal(spoor_output_close(outputs[i], &error), SPOOR_OK);
}

static void ask_calls(struct explorer *explorer, struct explorer *plain, uint64_t moment)
{
    struct calls *one = NULL, *other = NULL;
    struct spoor_error error = {0};
    assert_int_equal(explorer_calls(explorer, moment, &one, &error), SPOOR_OK);
    assert_int_equal(explorer_calls(plain, moment, &other, &error), SPOOR_OK);
    const struct call_stack *stack = calls_stack(one, 0), *expected = calls_stack(other, 0);
    assert_int_equal(stack->count, expected->count);
    if (stack->count)
        assert_memory_equal(stack->frames, expected->frames, stack->count * sizeof *stack->frames);
    calls_free(one);
    calls_free(other);
}

/* Plain, which is what is read straight, and in the other compressions of `which`. */
static void ask_compressed(const char *from, unsigned times, unsigned which, uint64_t points)
{
    char folder[] = "/tmp/spoor-explorer-XXXXXX", trace[128], path[160];
    struct index *indexes[COMPRESSIONS] = {NULL};
    struct explorer *explorers[COMPRESSIONS] = {NULL};
    struct spoor_error error = {0};
    struct history history = {0};
    const struct index_options options = {.segment_bytes = 1};
    if (getenv("SPOOR_POINTS")) points = strtoull(getenv("SPOOR_POINTS"), NULL, 10);
    assert_non_null(mkdtemp(folder));
    snprintf(trace, sizeof trace, "%s/trace", folder);
    write_compressed(from, trace, times, which | PLAIN);
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        if (!((which | PLAIN) >> i & 1)) continue;
        snprintf(path, sizeof path, "%s%s", trace, suffixes[i]);
        assert_int_equal(index_build(&indexes[i], path, &options, &error), SPOOR_OK);
        assert_true(indexes[i]->enterable);
        assert_int_equal(explorer_open(&explorers[i], path, indexes[i], &error), SPOOR_OK);
    }
    read_trace(&history, trace, indexes[0], explorers[0], indexes[0]->records / points + 1);
    if (history.numbered && times > 1) history.joined = history.records / times;
    list_all_hosted(&history, explorer_machine(explorers[0]));
    for (uint64_t i = 0; i < points * COMPRESSIONS; i++) {
        const struct deed *what = &history.deeds[random_below(history.count)];
        const uint64_t moment = random_below(history.records + 1);
        struct explorer *explorer = explorers[i % COMPRESSIONS];
        if (!explorer) continue;
        ask_writers(explorer, &history, what, moment);
        ask_calls(explorer, explorers[0], moment);
        if (what->name)
            ask_register(explorer, &history, what, moment);
        else
            ask_memory(explorer, &history, what, moment);
    }
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        explorer_close(explorers[i]);
        index_free(indexes[i]);
        snprintf(path, sizeof path, "%s%s", trace, suffixes[i]);
        unlink(path);
    }
    rmdir(folder);
    free(history.deeds);
}

/* More than 4 MiB of gzip and zstd have places inside at which they are entered.  So has xz, which
 * takes seconds to be written: it is tried with less, but where SPOOR_POINTS is given. */
static void compressed_traces_give_the_same_answers(void **state)
{
    static const struct {
        const char *large, *small;
        unsigned times;
    } traces[] = {
        {SOURCE_ROOT "/examples/sort.tarmac.xz", SOURCE_ROOT "/examples/list.tarmac.xz", 2},
        {SOURCE_ROOT "/examples/sort.matcher.xz", SOURCE_ROOT "/examples/list.matcher.xz", 2},
        {SOURCE_ROOT "/examples/search.uop.xz", SOURCE_ROOT "/examples/list.uop.xz", 2}};
    const bool thorough = getenv("SPOOR_POINTS") != NULL;
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        ask_compressed(traces[i].large, traces[i].times, thorough ? GZIP | XZ | ZSTD : GZIP | ZSTD,
                       4);
        if (!thorough) ask_compressed(traces[i].small, 1, XZ, 4);
    }
    if (!find_published(path, "traces/wild/five-stage.spike.log.xz")) return;
    ask_compressed(path, 5, thorough ? GZIP | XZ | ZSTD : GZIP | ZSTD, 4);
    if (!thorough) ask_compressed(path, 1, XZ, 4);
}

static void answers_are_those_of_a_straight_reading(void **state)
{
    static const char *const published[] = {
        "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
        "traces/tarmac/v7m/labels-v7m.tarmac",
        "traces/wild/five-stage.spike.log.xz",
        "traces/wild/ctb-random.spike.dump.xz",
        "traces/uop/gcc-1K.trace",
    };
    static const char *const examples[] = {"sort.tarmac.xz", "list.matcher.xz", "search.uop.xz"};
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", examples[i]);
        ask_trace(path, 20);
    }
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (find_published(path, published[i])) ask_trace(path, 20);
}

/* ---- dumps of Arm's own tool at a line ---- */

static bool find_instruction(void *context, const struct explorer_visit *visited)
{
    if (visited->batch->records[visited->index].kind != SPOOR_INSN) return true;
    *(uint64_t *)context = visited->record;
    return false;
}

static void compare_memory(struct explorer *explorer, uint64_t moment, const char *line,
                           size_t *compared)
{
    struct spoor_error error = {0};
    char *end;
    const uint64_t address = strtoull(line, &end, 16);
    for (unsigned i = 0; i < 16 && strlen(line) > 18 + 3 * i; i++) {
        unsigned value;
        struct spoor_byte byte;
        const char *at = line + 17 + 3 * i;
        const struct memory_place place = {.va = address + i, .size = 1, .has_va = true};
        if (at[0] == ' ' || at[2] != ' ' || sscanf(at, "%2x", &value) != 1) continue;
        assert_int_equal(explorer_memory(explorer, &place, moment, &byte, &error), SPOOR_OK);
        if (byte.known == SPOOR_BYTE_UNKNOWN || byte.value != value)
            fail_msg("0x%llx: found %02x (%d), expected %02x", (unsigned long long)address + i,
                     byte.value, byte.known, value);
        ++*compared;
    }
}

/* Compares "x0, last modified at line 4998: 5e 00 ..": the low 32 or 64 bits. */
static void compare_register(const struct machine *machine, const struct registers *registers,
                             const char *line, size_t *compared)
{
    char name[32];
    unsigned bytes[8], count;
    const char *colon = strchr(line, ':');
    if (!colon || sscanf(line, "%31[a-z0-9_],", name) != 1) return;
    const int found = sscanf(colon + 1, " %x %x %x %x %x %x %x %x", &bytes[0], &bytes[1], &bytes[2],
                             &bytes[3], &bytes[4], &bytes[5], &bytes[6], &bytes[7]);
    count = found < 0 ? 0 : (unsigned)found;
    const struct machine_part part = machine_find_register(machine, name);
    const struct cell *cell = part.name ? registers_find(registers, 0, part.name) : NULL;
    if (!cell || (name[0] != 'x' && name[0] != 'r' && name[0] != 'w') || count < 4) return;
    if (name[0] == 'r' && machine->isa != ISA_AARCH32) return;
    for (unsigned i = 0; i < count && i < 8; i++) {
        if (!cell_knows(cell, 8 * i, 8)) fail_msg("%s: byte %u is not known", name, i);
        assert_int_equal(cell_number(cell, 8 * i) & 0xFF, bytes[i]);
        ++*compared;
    }
}

/* Opens a dump, which may be compressed with xz; NULL if it is absent. */
static FILE *open_dump(const char *name)
{
    char path[512], command[600];
    if (!strstr(name, ".xz")) return file_published(name);
    if (!find_published(path, name)) return NULL;
    snprintf(command, sizeof command, "xz -dc '%s'", path);
    return popen(command, "r");
}

static void compare_dump(const char *trace, const char *dump, uint64_t line_number)
{
    char path[512], line[1024];
    struct index *index = NULL;
    struct explorer *explorer = NULL;
    struct spoor_error error = {0};
    struct registers registers;
    const struct index_options options = {.segment_bytes = 1};
    size_t memory = 0, cells = 0;
    FILE *oracle = open_dump(dump);
    if (!oracle || !find_published(path, trace)) skip();
    assert_int_equal(index_build(&index, path, &options, &error), SPOOR_OK);
    assert_int_equal(explorer_open(&explorer, path, index, &error), SPOOR_OK);
    uint64_t moment = index->records;
    assert_int_equal(
        explorer_visit(explorer, line_number, UINT64_MAX, find_instruction, &moment, &error),
        SPOOR_OK);
    assert_int_equal(explorer_registers(explorer, moment, &registers, &error), SPOOR_OK);
    while (fgets(line, sizeof line, oracle)) {
        line[strcspn(line, "\n")] = '\0';
        if (strspn(line, "0123456789abcdef") == 16)
            compare_memory(explorer, moment, line, &memory);
        else if (strncmp(line, "Memory", 6) != 0)
            compare_register(explorer_machine(explorer), &registers, line, &cells);
    }
    assert_true(memory > 100);
    assert_true(cells >= 20);
    registers_free(&registers);
    fclose(oracle);
    explorer_close(explorer);
    index_free(index);
}

static void memory_and_registers_are_those_of_arms_tool(void **state)
{
    (void)state;
    compare_dump("traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
                 "oracles/tarmac/calculator-aarch64-fastmodel.mem5000", 5000);
    compare_dump("traces/wild/calculator-aarch32-fastmodel.tarmac.xz",
                 "oracles/tarmac/ttu/calculator-aarch32-fastmodel.mem1000", 1000);
    compare_dump("traces/wild/calculator-aarch32-fastmodel.tarmac.xz",
                 "oracles/tarmac/ttu/calculator-aarch32-fastmodel.mem5000", 5000);
    compare_dump("traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
                 "oracles/tarmac/ttu/calculator-aarch64-fastmodel.mem1000.xz", 1000);
    compare_dump("traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
                 "oracles/tarmac/ttu/calculator-aarch64-fastmodel.mem9000.xz", 9000);
    compare_dump("traces/tarmac/v7m/labels-v7m.tarmac", "oracles/tarmac/ttu/labels-v7m.mem1000.xz",
                 1000);
    compare_dump("traces/tarmac/fastmodel/quicksort.tarmac",
                 "oracles/tarmac/ttu/quicksort.mem2000.xz", 2000);
    /* its lines count from the end of the header */
    compare_dump("traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
                 "oracles/tarmac/ttu/calculator-aarch64-es-ld-st-style.mem5000", 5001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_straight_reading),
        cmocka_unit_test(compressed_traces_give_the_same_answers),
        cmocka_unit_test(memory_and_registers_are_those_of_arms_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
