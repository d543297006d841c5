/* SPDX-License-Identifier: MIT */
/*
 * test_mutations.c: the share of single changes of a trace that `check` finds, by format.
 *
 * The test flips one bit of a published trace, or replaces a digit or a letter of a text by another
 * one of its kind, and compares the findings with those of the unchanged trace.  Many changes give
 * another valid trace, for example another value of a register that is loaded: those are not
 * counted.  The documents of the formats and of the instruction sets decide which they are
 * (is_free()), not the rules of check.  The scores are printed; none may fall below its floor.
 *
 * SPOOR_MUTATIONS sets the number of changes per trace, SPOOR_MISSED=1 prints the records that were
 * missed, and SPOOR_MUTATIONS_DIRECTORY names an existing directory for the changed traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/support.h"
#include "spoor/check.h"
#include "spoor/field.h"

enum { MUTATIONS = 200, MAX_TEXT = 24 << 10, MAX_RECORDS = 400 };

#define XZ "xz -dc"
#define HEAD(command) "sh -c '" command " \"$0\" 2>/dev/null | head -c 100000'"
static const struct sample {
    const char *format, *path, *command;
    unsigned bits, letters; /* floors in per cent: flipped bits; replaced digits and letters */
    const char *from;       /* the trace is of this format, from which the writer makes the sample;
                             * NULL: it is the sample */
} samples[] = {
    {"spike", "traces/wild/five-stage.spike.log.xz", XZ, 89, 93, NULL},
    {"spike", "traces/wild/ctb-logical-3-0.spike.dump.xz", XZ, 92, 82, NULL},
    {"spike", "traces/wild/ctb-random.spike.dump.xz", XZ, 92, 80, NULL},
    {"riscv-dv", "traces/wild/five-stage.iss.csv.xz", XZ, 85, 90, NULL},
    {"riscv-dv", "traces/wild/riscv-dv-jump-stress.csv.xz", XZ, 61, 58, NULL},
    {"tarmac", "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac", NULL, 75, 69, NULL},
    {"tarmac", "traces/wild/calculator-aarch32-fastmodel.tarmac.xz", XZ, 65, 63, NULL},
    {"tarmac", "traces/wild/calculator-aarch32-es-ld-st-style.tarmac.xz", XZ, 71, 52, NULL},
    {"tarmac", "traces/wild/instances-v7m.tarmac.xz", XZ, 78, 62, NULL},
    {"uop", "traces/uop/gcc-1K.trace", NULL, 100, 98, NULL},
    {"uop", "traces/uop/sfsu-test.trace", NULL, 93, 84, NULL},
    {"byu12", "traces/byu/pentium2-w2k-middle.tr", NULL, 100, 0, NULL},
    {"din", "traces/memory/small5M.din.zst", HEAD("zstd -dc"), 100, 100, NULL},
    {"xdin", "traces/memory/small5M.xdin.zst", HEAD("zstd -dc"), 100, 100, NULL},
    {"champsim", "traces/wild/simple-array.champsimtrace.xz", XZ, 86, 0, NULL},
    {"sbbt", "traces/branch/cbp5-short-mobile-1.sbbt.zst", HEAD("zstd -dc"), 54, 0, NULL},
    {"sbbt", "traces/wild/short-server-1-head.sbbt.zst", HEAD("zstd -dc"), 35, 0, NULL},
    {"gem5", "traces/gem5/execall-riscv-add16.txt.xz", XZ, 32, 32, NULL},
    {"gem5", "traces/gem5/exec-x86-2014-excerpt.txt", NULL, 19, 16, NULL},
    {"kanata", "traces/gem5/kanata-sample-2.log.gz", HEAD("gzip -dc"), 82, 100, NULL},
    {"o3pipeview", "traces/gem5/o3pipeview-basic.txt", NULL, 95, 91, NULL},
    {"perf", "traces/perf/magic-trace/hello-world-userspace.perf.xz", XZ, 60, 96, NULL},
    {"perf", "traces/perf/made-here/insn-trace.perf", NULL, 46, 60, NULL},
    {"sail", "traces/riscv/sail/made-here-rv64-program.log", NULL, 71, 54, NULL},
    {"rvvi", "traces/riscv/rvvi/made-here-rv64-program.rvvi", NULL, 78, 67, NULL},
    {"rvvi", "traces/riscv/rvvi/traps-excerpt.rvvi", NULL, 73, 73, NULL},
    {"whisper", "traces/riscv/whisper/rv64-program.log", NULL, 70, 48, NULL},
    {"whisper-csv", "traces/riscv/whisper/rv64-program.csv", NULL, 48, 23, NULL},
    {"whisper-branches", "traces/riscv/whisper/rv64-program-branches.txt", NULL, 69, 20, NULL},
    {"ibex", "traces/wild/five-stage.spike.log.xz", XZ, 90, 86, "spike"},
    {"cva6", "traces/wild/five-stage.spike.log.xz", XZ, 86, 82, "spike"},
    {"picorv32", "made here/words", NULL, 100, 100, "picorv32"},
    {"qemu", "traces/wild/five-stage.spike.log.xz", XZ, 70, 26, "spike"},
    {"pinatrace", "traces/memory/small5M.xdin.zst", HEAD("zstd -dc"), 100, 100, "xdin"},
    {"drmemtrace", "traces/drmemtrace/simple-app-v4.trace.zip", "unzip -p", 77, 0, NULL},
    {"scarab-pt", "traces/drmemtrace/simple-app-v4.trace.zip", "unzip -p", 84, 34, "drmemtrace"},
    {"drmemtrace", "traces/drmemtrace/threads-unversioned/drmemtrace.threadsig.10506.7343.trace.gz",
     HEAD("gzip -dc"), 92, 0, NULL},
};

static void ignore(void *context, const struct spoor_finding *finding)
{
    (void)context;
    (void)finding;
}

enum { RULES = 128 };

/* Counts the findings of each rule that is on by default.  The trace continues after the sample. */
static void count_findings(struct trace *trace, uint64_t counts[RULES])
{
    const struct spoor_check_options how = {.sink = ignore, .context = NULL, .maximum = 1};
    struct spoor_check *check = NULL;
    assert_int_equal(spoor_check_new(&check, &how, NULL), SPOOR_OK);
    assert_non_null(check);
    assert_true(spoor_rule_count() <= RULES);
    trace->batch.last = false;
    assert_int_equal(spoor_check_feed(check, &trace->batch, NULL), SPOOR_OK);
    for (size_t i = 0; i < spoor_rule_count(); i++) counts[i] = spoor_check_count(check, (int)i);
    spoor_check_free(check);
}

/* Returns the class of a byte of text: a change within a class changes a field, not the layout. */
static const char *class_of(char c, size_t *size)
{
    static const char *const classes[] = {"0123456789", "abcdef", "ABCDEF", "ghijklmnopqrstuvwxyz",
                                          "GHIJKLMNOPQRSTUVWXYZ"};
    for (size_t i = 0; c && i < sizeof classes / sizeof *classes; i++)
        if (strchr(classes[i], c)) {
            *size = strlen(classes[i]);
            return classes[i];
        }
    return NULL;
}

static void mutate_text(struct numbers *numbers, char *bytes, size_t size)
{
    for (;;) {
        const size_t at = numbers_below(numbers, size);
        size_t count;
        const char *class = class_of(bytes[at], &count);
        if (!class) continue;
        const size_t old = (size_t)(strchr(class, bytes[at]) - class);
        bytes[at] = class[(old + 1 + numbers_below(numbers, count - 1)) % count];
        return;
    }
}

static void mutate_bit(struct numbers *numbers, char *bytes, size_t size)
{
    const size_t bit = numbers_below(numbers, (8 * size));
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
}

/* Returns the size of the sample: whole lines or records from the beginning. */
static size_t sample_size(const struct spoor_format *format, const char *bytes, size_t size)
{
    const size_t record = spoor_format_record_size(format);
    const size_t header = format->header_size;
    const size_t maximum = record ? header + MAX_RECORDS * record : MAX_TEXT;
    if (size > maximum) size = maximum;
    while (!record && size && bytes[size - 1] != '\n') size--;
    return record ? size - (size - header) % record : size;
}

static unsigned mutations(void)
{
    const char *text = getenv("SPOOR_MUTATIONS");
    const unsigned count = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    return count ? count : MUTATIONS;
}

/* ---- changes that give another valid trace ---- */

static bool same_value(const struct spoor_value *a, const struct spoor_value *b)
{
    if (a->type != b->type) return false;
    if (a->type == SPOOR_VALUE_ABSENT) return true;
    if (a->type == SPOOR_VALUE_TEXT || a->type == SPOOR_VALUE_BYTES)
        return a->text.size == b->text.size &&
               memcmp(a->text.bytes, b->text.bytes, a->text.size) == 0;
    return a->number == b->number && a->unknown == b->unknown;
}

/* Returns the fields that differ. */
static spoor_field_set differing(const struct trace *before, const struct trace *after,
                                 size_t index)
{
    spoor_field_set set = 0;
    for (enum spoor_field field = 0; field < SPOOR_FIELDS; field++) {
        const struct spoor_value a = spoor_field_get(&before->batch, index, field),
                                 b = spoor_field_get(&after->batch, index, field);
        if (!same_value(&a, &b)) set |= (spoor_field_set)1 << field;
    }
    return set;
}

#define FIELD(name) SPOOR_FIELD_BIT(name)

/* True if another record at this pc occurs at least twice: two say what the third should be. */
static bool occurs_again(const struct trace *trace, size_t index)
{
    const struct spoor_record *record = &trace->batch.records[index];
    size_t count = 0;
    for (size_t i = 0; i < trace->batch.count; i++) {
        const struct spoor_record *other = &trace->batch.records[i];
        if (i == index || other->kind != record->kind) continue;
        if (record->kind == SPOOR_UOP)
            count += other->uop.pc == record->uop.pc && other->uop.step == record->uop.step;
        else
            count += other->flow.va == record->flow.va;
    }
    return count >= 2;
}

/* Fields of a micro-op that only another execution of it states, and its address. */
static bool uop_is_free(const struct trace *before, const struct trace *after, size_t index,
                        spoor_field_set set)
{
    const struct spoor_uop *uop = &after->batch.records[index].uop;
    const struct spoor_uop *old = &before->batch.records[index].uop;
    enum { REGISTERS = 49 };
    if (old->address && uop->address) set &= ~FIELD(ADDRESS);
    if (!occurs_again(before, index) && uop->src1 <= REGISTERS && uop->src2 <= REGISTERS &&
        uop->dest <= REGISTERS)
        set &= ~(FIELD(SRC1) | FIELD(SRC2) | FIELD(DEST) | FIELD(FLAGS) | FIELD(IMMEDIATE) |
                 FIELD(MICRO) | FIELD(MACRO) | FIELD(OP));
    if (old->target && uop->target && (before->batch.records[index].op & SPOOR_UOP_NOT_TAKEN))
        set &= ~FIELD(TARGET);
    return set == 0;
}

/* A request that the documents of the BYU formats allow. */
static bool bus_is_free(const struct trace *after, size_t index)
{
    const struct spoor_record *record = &after->batch.records[index];
    const struct spoor_bus *bus = &record->bus;
    const bool data = record->op >= SPOOR_BUS_FETCH && record->op <= SPOOR_BUS_IO_WRITE;
    const bool size = bus->size <= 8 || bus->size == 16 || bus->size == 32;
    return record->op != SPOOR_BUS_UNDEFINED && size && (bus->size || !data) &&
           !(data && bus->size >= 8 && bus->address % 8) && (bus->attr & 0xFF) <= 3 &&
           bus->agent <= 15 && bus->delta <= INT32_MAX;
}

/* Not the pc, the outcome and the number, which the next branch confirms. */
static bool flow_is_free(const struct trace *before, const struct trace *after, size_t index,
                         spoor_field_set set)
{
    const struct spoor_record *record = &before->batch.records[index];
    const bool taken = !(record->op & SPOOR_FLOW_NOT_TAKEN);
    struct spoor_ref ref;
    if (spoor_batch_find_spill(&after->batch, index, SPOOR_SPILL_FIELD, &ref)) return false;
    if (!occurs_again(before, index)) {
        set &= ~FIELD(OP);
        if (!taken) set &= ~FIELD(TARGET);
    }
    return set == 0;
}

/* Returns the opcode of the instruction that a record belongs to; 0: the trace has no opcodes. */
static uint32_t opcode_before(const struct trace *trace, size_t index)
{
    for (size_t i = index + 1; i-- > 0;) {
        const struct spoor_record *record = &trace->batch.records[i];
        if (record->kind == SPOOR_INSN)
            return record->has & SPOOR_HAS_DATA ? (uint32_t)record->insn.opcode : 0;
    }
    return 0;
}

/* True if earlier registers imply the result: integer instructions of RISC-V.  The sample of CVA6
 * is of 32 bits, and its 16 digits are those of 64 bits: there they imply none. */
static bool is_computed(const struct sample *sample, uint32_t opcode)
{
    static const uint8_t implied[] = {0x37, 0x17, 0x6F, 0x67, 0x13, 0x33, 0x1B, 0x3B};
    const bool riscv = strcmp(sample->format, "spike") == 0 ||
                       strcmp(sample->format, "riscv-dv") == 0 ||
                       strcmp(sample->format, "ibex") == 0;
    return riscv && memchr(implied, (int)(opcode & 0x7F), sizeof implied) != NULL;
}

/* DynamoRIO's traces have no registers from which an address could follow. */
static bool states_registers(const struct sample *sample)
{
    return strcmp(sample->format, "drmemtrace") != 0;
}

/* The pc of a block of QEMU's log: the log does not say how long the block before it is. */
static bool insn_is_free(const struct sample *sample, spoor_field_set set)
{
    return strcmp(sample->format, "qemu") == 0 && !(set & ~FIELD(PC));
}

/* What a load reads, what nothing computes, and physical pages. */
static bool effect_is_free(const struct sample *sample, const struct trace *before,
                           const struct trace *after, size_t index, spoor_field_set set)
{
    const struct spoor_record *record = &before->batch.records[index];
    const struct spoor_record *other = &after->batch.records[index];
    const uint32_t opcode = opcode_before(before, index);
    if (record->kind == SPOOR_REG) {
        if (!is_computed(sample, opcode)) set &= ~FIELD(VALUE);
        if (!opcode) set &= ~FIELD(REG);
        return set == 0;
    }
    if (record->kind == SPOOR_MEM) {
        set &= ~(FIELD(DATA) | FIELD(SECURITY) | FIELD(MEMTYPE) | FIELD(CACHED));
        if (!((record->mem.pa ^ other->mem.pa) & 0xFFF)) set &= ~FIELD(PA);
        if (!opcode) set &= ~(FIELD(ADDRESS) | FIELD(OP) | FIELD(SIZE) | FIELD(PC));
        if (!states_registers(sample)) set &= ~FIELD(ADDRESS);
        return set == 0;
    }
    return true; /* events, caches, walks, notes: nothing else states them */
}

/* A time or an index between those of the neighbours. */
static bool fits_between(const struct trace *trace, size_t index, spoor_field_set set)
{
    for (enum spoor_field field = 0; field < SPOOR_FIELDS; field++) {
        if (!(set >> field & 1)) continue;
        if (field != SPOOR_FIELD_TIME && field != SPOOR_FIELD_INDEX) return false;
        uint64_t low = 0, high = UINT64_MAX;
        for (size_t i = 0; i < trace->batch.count; i++) {
            const struct spoor_value value = spoor_field_get(&trace->batch, i, field);
            if (value.type == SPOOR_VALUE_ABSENT) continue;
            if (i < index) low = value.number;
            if (i > index && value.number < high) high = value.number;
        }
        const uint64_t now = spoor_field_get(&trace->batch, index, field).number;
        if (now < low || now > high) return false;
    }
    return set != 0;
}

/* ChampSim: the low bits of a pc, which lengths of instructions would imply, registers, and
 * addresses that a process may have. */
static bool champsim_is_free(const unsigned char *bytes, size_t size, size_t at)
{
    enum { RECORD = 64, FLAGS = 8, REGISTERS = 10, MEMORY = 16 };
    const size_t within = at % RECORD, record = at - within;
    uint64_t address;
    size_t same = 0;
    if (within == 0) return true; /* an instruction has at most 15 bytes */
    if (within < REGISTERS) return false;
    for (size_t i = 0; i + RECORD <= size; i += RECORD)
        same += i != record && memcmp(bytes + i, bytes + record, FLAGS) == 0;
    if (within < MEMORY) return same < 2;
    memcpy(&address, bytes + at - within % 8, sizeof address);
    return address == 0 || (address >> 47 == 0 && address > UINT32_MAX);
}

/* True if nothing else in the trace contradicts the change, and no document does. */
static bool is_free(const struct sample *sample, const struct trace *before,
                    const struct trace *after, size_t line, size_t at)
{
    const struct spoor_batch *batch = &before->batch;
    if (batch->count != after->batch.count || after->batch.fault_count > batch->fault_count)
        return false;
    if (strcmp(sample->format, "picorv32") == 0) return true; /* a word says nothing of another */
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t place = spoor_batch_offset(batch, i);
        const bool here =
            line ? spoor_batch_line(batch, i) == line
                 : place <= at && at - place < spoor_format_record_size(batch->stream->format);
        if (!here) continue;
        const struct spoor_record *record = &batch->records[i];
        spoor_field_set set = differing(before, after, i);
        if (record->kind != after->batch.records[i].kind) return false;
        if (set == 0) continue; /* another way to write the same content */
        if (fits_between(after, i, set)) continue;
        set &= ~(FIELD(TIME) | FIELD(INDEX)) | (record->kind == SPOOR_FLOW ? FIELD(INDEX) : 0);
        const bool free = record->kind == SPOOR_UOP    ? uop_is_free(before, after, i, set)
                          : record->kind == SPOOR_BUS  ? bus_is_free(after, i)
                          : record->kind == SPOOR_FLOW ? flow_is_free(before, after, i, set)
                          : record->kind == SPOOR_INSN
                              ? insn_is_free(sample, set)
                              : effect_is_free(sample, before, after, i, set);
        if (!free) return false;
    }
    return true;
}

/* ---- scores ---- */

struct score {
    unsigned changes, detectable, found;
};

static unsigned percent(const struct score *score)
{
    return score->detectable ? score->found * 100 / score->detectable : 100;
}

static void keep_file(const struct sample *sample, const char *how, unsigned round, bool counts,
                      const char *bytes, size_t size)
{
    char path[4096];
    const char *folder = getenv("SPOOR_MUTATIONS_DIRECTORY");
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%02zu-%s-%03u-%s", folder, (size_t)(sample - samples), how,
             round, counts ? "detectable" : "free");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void show_missed(const char *bytes, const char *copy, bool text)
{
    size_t at = 0;
    while (copy[at] == bytes[at]) at++;
    if (!text) {
        print_message("  missed byte %zu: %02x, was %02x\n", at, (unsigned char)copy[at],
                      (unsigned char)bytes[at]);
        return;
    }
    const size_t changed = at;
    while (at && copy[at - 1] != '\n') at--;
    print_message("  missed column %zu of %.*s\n", changed - at + 1, (int)strcspn(copy + at, "\n"),
                  copy + at);
}

/* The unchanged trace. */
struct original {
    const struct sample *sample;
    const struct spoor_format *format;
    const char *bytes;
    size_t size;
    struct trace trace;
    uint64_t counts[RULES];
};

static bool is_found(struct trace *trace, const uint64_t before[RULES])
{
    uint64_t after[RULES];
    count_findings(trace, after);
    for (size_t i = 0; i < spoor_rule_count(); i++)
        if (after[i] > before[i]) return true;
    return false;
}

/* One change: counted if it is found, or if it could be. */
static void add_change(struct score *score, const struct original *original, const char *copy,
                       bool flips, unsigned round)
{
    const struct sample *sample = original->sample;
    const char *bytes = original->bytes;
    const bool text = spoor_format_record_size(original->format) == 0;
    struct trace trace;
    size_t at = 0, line = text;
    while (copy[at] == bytes[at]) at++;
    for (size_t i = 0; text && i < at; i++) line += bytes[i] == '\n';
    trace_decode(&trace, original->format, copy, original->size);
    const bool found = is_found(&trace, original->counts);
    const bool counts =
        found || !(strcmp(sample->format, "champsim") == 0
                       ? champsim_is_free((const unsigned char *)copy, original->size, at)
                       : is_free(sample, &original->trace, &trace, line, at));
    trace_free(&trace);
    score->changes++;
    score->detectable += counts;
    score->found += found;
    keep_file(sample, flips ? "bit" : "letter", round, counts, copy, original->size);
    if (getenv("SPOOR_MISSED") && counts && !found) show_missed(bytes, copy, text);
}

static struct score score_of(const struct original *original, bool flips)
{
    const size_t header = original->format->header_size;
    char *copy = malloc(original->size + 1);
    struct numbers numbers = {11};
    struct score score = {0};
    assert_non_null(copy);
    const unsigned count = flips ? mutations() : mutations() / 2;
    for (unsigned round = 0; round < count; round++) {
        memcpy(copy, original->bytes, original->size);
        (flips ? mutate_bit : mutate_text)(&numbers, copy + header, original->size - header);
        add_change(&score, original, copy, flips, round);
    }
    free(copy);
    return score;
}

/* Prints a row; returns true if the score is below its floor. */
static bool has_fallen(const struct original *original, bool flips)
{
    const struct sample *sample = original->sample;
    const struct score score = score_of(original, flips);
    const unsigned floor = flips ? sample->bits : sample->letters;
    print_message("%-16s %-6s %7u %10u %5u %5u%% %5u%%  %s\n", sample->format,
                  flips ? "bit" : "letter", score.changes, score.detectable, score.found,
                  percent(&score), floor, strrchr(sample->path, '/') + 1);
    return percent(&score) < floor;
}

/* Words of PicoRV32's port, which writes no others: loops of a branch, results and accesses. */
static char *make_words(size_t *size)
{
    struct text made = {0};
    for (unsigned i = 0; i < 300; i++)
        text_printf(&made, "1%08x\n0%08x\n2%08x\n0%08x\n", 0x10 + i % 3 * 8, i, 0x400 + 4 * i,
                    i * i);
    assert_false(made.failed);
    *size = made.size;
    return made.bytes;
}

/* The trace, or what the writer makes of it; NULL: it is absent. */
static char *sample_bytes(const struct sample *sample, size_t *size)
{
    if (strcmp(sample->format, "picorv32") == 0) return make_words(size);
    char *bytes = shared_file(sample->path, sample->command, size);
    if (!bytes || !sample->from) return bytes;
    struct text made = {0};
    if (*size > MAX_TEXT) *size = MAX_TEXT;
    while (*size && bytes[*size - 1] != '\n') --*size;
    convert(spoor_format_find(sample->from), bytes, *size, spoor_format_find(sample->format),
            &made);
    free(bytes);
    assert_false(made.failed);
    *size = made.size;
    return made.bytes;
}

static void single_changes_are_found(void **state)
{
    (void)state;
    size_t fallen = 0, seen = 0;
    print_message("%-16s %-6s %7s %10s %5s %6s %6s  %s\n", "format", "what", "changes",
                  "detectable", "found", "score", "floor", "trace");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct original original = {.sample = &samples[i],
                                    .format = spoor_format_find(samples[i].format)};
        size_t size;
        char *bytes = sample_bytes(&samples[i], &size);
        if (!bytes) continue;
        original.bytes = bytes;
        original.size = sample_size(original.format, bytes, size);
        trace_decode(&original.trace, original.format, bytes, original.size);
        count_findings(&original.trace, original.counts);
        keep_file(original.sample, "none", 0, false, bytes, original.size);
        fallen += has_fallen(&original, true);
        if (!spoor_format_record_size(original.format)) fallen += has_fallen(&original, false);
        seen++;
        trace_free(&original.trace);
        free(bytes);
    }
    if (seen == 0) skip();
    assert_int_equal(fallen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_changes_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
