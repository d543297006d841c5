/* SPDX-License-Identifier: MIT */
/*
 * test_follows.c: the share of missing, doubled and exchanged instructions that insn-next finds, by
 * format.
 *
 * The test takes one instruction of a trace away, with what it writes, repeats it, or exchanges it
 * with the next one.  A change counts if it makes one instruction follow another that none of the
 * unchanged trace has: those are the changes of the flow.  The rule finds nothing in the unchanged
 * traces.  The scores are printed; that of no format may fall below 95 %.  Formats without opcodes
 * are not here, nor those that omit instructions by their nature (riscv-dv, perf).
 *
 * SPOOR_CHANGES sets the number of changes of each kind per trace, SPOOR_MISSED=1 prints those that
 * were missed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/inline.h"
#include "formats/support.h"
#include "spoor/check.h"

#ifdef IS_SANITIZED
enum { CHANGES = 5 };
#else
enum { CHANGES = 40 };
#endif
enum { EVIDENCE = 32 }; /* instructions that show how the trace goes on */
enum { MAX_RECORDS = 20000, MAX_TEXT = 2 << 20, LONGEST = 1000 };
enum { FLOOR = 95 }; /* per cent */

#define XZ "xz -dc"
#define EXAMPLES SOURCE_ROOT "/examples/"
static const struct sample {
    const char *format, *path, *command;
    const char *from; /* the trace is of this format, from which the writer makes the sample; NULL:
                       * it is the sample */
} samples[] = {
    {"tarmac", EXAMPLES "sort.tarmac.xz", XZ, NULL},
    {"tarmac", EXAMPLES "sort-aarch64.tarmac.xz", XZ, NULL},
    {"tarmac", EXAMPLES "sort-arm.tarmac.xz", XZ, NULL},
    {"tarmac", EXAMPLES "list-aarch64.tarmac.xz", XZ, NULL},
    {"tarmac", "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac", NULL, NULL},
    {"tarmac", "traces/tarmac/calltest32.tarmac", NULL, NULL},
    {"tarmac", "traces/tarmac/calltest64.tarmac", NULL, NULL},
    {"tarmac", "traces/wild/calculator-aarch32-fastmodel.tarmac.xz", XZ, NULL},
    {"tarmac", "traces/wild/calculator-aarch32-es-ld-st-style.tarmac.xz", XZ, NULL},
    {"tarmac", "traces/wild/crash32.tarmac.xz", XZ, NULL},
    {"tarmac", "traces/wild/crash32m.tarmac.xz", XZ, NULL},
    {"tarmac", "traces/wild/instances-v7m.tarmac.xz", XZ, NULL},
    {"matcher", EXAMPLES "list.matcher.xz", XZ, NULL},
    {"matcher", EXAMPLES "list-aarch64.tarmac.xz", XZ, "tarmac"},
    {"spike", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"spike", "traces/wild/five-stage.spike.log.xz", XZ, NULL},
    {"spike", "traces/wild/ctb-logical-3-0.spike.dump.xz", XZ, NULL},
    {"spike", "traces/wild/ctb-random.spike.dump.xz", XZ, NULL},
    {"spike", "traces/wild/ctb-random.rtl.dump.xz", XZ, NULL},
    {"execlog", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"execlog", EXAMPLES "list-aarch64.tarmac.xz", XZ, "tarmac"},
    {"execlog", EXAMPLES "sort-arm.tarmac.xz", XZ, "tarmac"},
    {"whisper", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"whisper", "traces/riscv/whisper/rv64-program.log", NULL, NULL},
    {"whisper-csv", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"whisper-csv", "traces/riscv/whisper/rv64-program.csv", NULL, NULL},
    {"sail", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"sail", "traces/riscv/sail/made-here-rv64-program.log", NULL, NULL},
    {"rvvi", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"rvvi", "traces/riscv/rvvi/made-here-rv64-program.rvvi", NULL, NULL},
    {"rvvi", "traces/riscv/rvvi/traps-excerpt.rvvi", NULL, NULL},
    {"ibex", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"cva6", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"qemu", EXAMPLES "list.tarmac.xz", XZ, "tarmac"},
    {"qemu", EXAMPLES "list-aarch64.tarmac.xz", XZ, "tarmac"},
    {"drmemtrace", EXAMPLES "list-aarch64.tarmac.xz", XZ, "tarmac"},
    {"drmemtrace", "traces/drmemtrace/simple-app-v4.trace.zip", "unzip -p", NULL},
    {"drmemtrace", "traces/drmemtrace/allasm-x86-64.trace.zip", "unzip -p", NULL},
    {"scarab-pt", "traces/drmemtrace/allasm-x86-64.trace.zip", "unzip -p", "drmemtrace"},
    {"cvp1", "traces/drmemtrace/threadsig-aarch64/drmemtrace.threadsig.2444839.4030.trace.zip",
     "unzip -p", "drmemtrace"},
    {"cbp2025", "traces/drmemtrace/threadsig-aarch64/drmemtrace.threadsig.2444839.4030.trace.zip",
     "unzip -p", "drmemtrace"},
    {"cis501-arm", EXAMPLES "sort-arm.tarmac.xz", XZ, "tarmac"},
};

/* The rules that know which instruction follows another. */
static const char *const rules[] = {"insn-next", "insn-pc", "marker-next"};
enum { RULES = sizeof rules / sizeof *rules };

/* Returns the findings of these rules. */
static uint64_t count_findings(const struct spoor_batch *batch)
{
    struct spoor_check *check = NULL;
    uint64_t count = 0;
    assert_int_equal(spoor_check_new(&check, NULL, NULL), SPOOR_OK);
    for (size_t i = 0; i < spoor_rule_count(); i++) spoor_check_enable(check, (int)i, false);
    for (size_t i = 0; i < RULES; i++) spoor_check_enable(check, spoor_rule_find(rules[i]), true);
    assert_int_equal(spoor_check_feed(check, batch, NULL), SPOOR_OK);
    for (size_t i = 0; i < RULES; i++) count += spoor_check_count(check, spoor_rule_find(rules[i]));
    spoor_check_free(check);
    return count;
}

/* ---- the instructions of a trace ---- */

struct edge {
    uint64_t from, to;
};
struct program {
    size_t *starts; /* records of executed instructions, of which no other cpu executes the next */
    size_t count;
    struct edge *edges; /* sorted */
    size_t edge_count;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *first = a, *second = b;
    if (first->from != second->from) return first->from < second->from ? -1 : 1;
    return first->to < second->to ? -1 : first->to > second->to;
}

static bool is_executed(const struct spoor_record *record)
{
    return record->kind == SPOOR_INSN && record->op != SPOOR_INSN_AGAIN &&
           record->op != SPOOR_INSN_SQUASHED && (record->has & SPOOR_HAS_VA);
}

static struct program program_of(const struct spoor_batch *batch)
{
    struct program program = {0};
    program.starts = calloc(batch->count + 1, sizeof *program.starts);
    program.edges = calloc(batch->count + 1, sizeof *program.edges);
    assert_true(program.starts && program.edges);
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!is_executed(record)) continue;
        if (program.count) {
            const struct spoor_record *last = &batch->records[program.starts[program.count - 1]];
            program.edges[program.edge_count++] = (struct edge){last->insn.va, record->insn.va};
        }
        program.starts[program.count++] = i;
    }
    qsort(program.edges, program.edge_count, sizeof *program.edges, compare_edges);
    return program;
}

static bool has_edge(const struct program *program, uint64_t from, uint64_t to)
{
    const struct edge edge = {from, to};
    return bsearch(&edge, program->edges, program->edge_count, sizeof edge, compare_edges) != NULL;
}

/* ---- changes ---- */

enum change { DELETED, DOUBLED, EXCHANGED, KINDS_OF_CHANGE };

/* Appends an instruction and what it writes. */
static size_t put(struct spoor_record *to, size_t count, const struct spoor_batch *batch,
                  const struct program *program, size_t number)
{
    for (size_t i = program->starts[number]; i < program->starts[number + 1]; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_EVENT) to[count++] = *record;
    }
    return count;
}

static size_t put_events(struct spoor_record *to, size_t count, const struct spoor_batch *batch,
                         const struct program *program, size_t number)
{
    for (size_t i = program->starts[number]; i < program->starts[number + 1]; i++)
        if (batch->records[i].kind == SPOOR_EVENT) to[count++] = batch->records[i];
    return count;
}

/* Makes the changed trace; returns its number of records. */
static size_t make_change(struct spoor_record *to, const struct spoor_batch *batch,
                          const struct program *program, enum change change, size_t number)
{
    const size_t first = program->starts[number];
    const size_t after = program->starts[number + (change == EXCHANGED ? 2 : 1)];
    memcpy(to, batch->records, first * sizeof *to);
    size_t count = first;
    if (change == EXCHANGED) count = put(to, count, batch, program, number + 1);
    if (change != DELETED) count = put(to, count, batch, program, number);
    if (change == DOUBLED) count = put(to, count, batch, program, number);
    count = put_events(to, count, batch, program, number);
    if (change == EXCHANGED) count = put_events(to, count, batch, program, number + 1);
    memcpy(to + count, batch->records + after, (batch->count - after) * sizeof *to);
    return count + batch->count - after;
}

static uint64_t pc_of(const struct spoor_batch *batch, const struct program *program, size_t number)
{
    return batch->records[program->starts[number]].insn.va;
}

/* True if the change makes an instruction follow another that none of the trace has. */
static bool changes_flow(const struct spoor_batch *batch, const struct program *program,
                         enum change change, size_t number)
{
    const uint64_t before = pc_of(batch, program, number - 1), pc = pc_of(batch, program, number);
    const uint64_t after = pc_of(batch, program, number + 1);
    if (change == DELETED) return !has_edge(program, before, after);
    if (change == DOUBLED) return !has_edge(program, pc, pc);
    return pc != after && (!has_edge(program, before, after) || !has_edge(program, after, pc) ||
                           !has_edge(program, pc, pc_of(batch, program, number + 2)));
}

static unsigned changes(void)
{
    const char *text = getenv("SPOOR_CHANGES");
    const unsigned count = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    return count ? count : CHANGES;
}

/* ---- scores ---- */

/* A log of QEMU: each instruction is translated before its block of one instruction. */
static void write_qemu(const struct spoor_batch *batch, struct text *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_insn *insn = &batch->records[i].insn;
        if (!is_executed(&batch->records[i])) continue;
        text_printf(out, "IN:\n0x%08" PRIx64 ":  %0*" PRIx64 "  insn\n", insn->va,
                    2 * insn->opcode_size, insn->opcode);
        text_printf(out, "Trace 0: 0x7f00 [00000000/%016" PRIx64 "/00000000/00000201]\n", insn->va);
    }
}

/* The executed instruction after a record; NULL: the trace ends. */
static const struct spoor_insn *next_insn(const struct spoor_batch *batch, size_t index)
{
    for (size_t i = index + 1; i < batch->count; i++)
        if (is_executed(&batch->records[i])) return &batch->records[i].insn;
    return NULL;
}

/* Lines of CIS501: a branch where the next instruction does not follow. */
static void write_cis501(const struct spoor_batch *batch, struct text *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_insn *insn = &batch->records[i].insn, *next;
        if (!is_executed(&batch->records[i]) || !(next = next_insn(batch, i))) continue;
        const bool taken = next->va != insn->va + insn->opcode_size;
        text_printf(out, "%" PRIx64 "\t%u\t%c\t%" PRIx64 "\t_\t0\t0\t_\t  _\t  _\t  _\t%s\n",
                    insn->va, insn->opcode_size, taken ? 'T' : '_', taken ? next->va : 0,
                    taken ? "b" : "nop");
    }
}

/* Formats whose branches state where they go, from one whose branches do not: the next instruction
 * shows it. */
static void write_branches(struct spoor_batch *batch, const struct spoor_format *to,
                           struct text *out)
{
    struct encoder encoder = {.format = to, .options = {.style = SPOOR_WRITE_TRACE}};
    const struct spoor_insn *insn = NULL;
    if (batch->count > MAX_RECORDS) batch->count = MAX_RECORDS;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (is_executed(record)) insn = &record->insn;
        const struct spoor_insn *next = next_insn(batch, i);
        if (record->kind != SPOOR_FLOW || !insn || !next) continue;
        record->op &= (uint8_t)~SPOOR_FLOW_NOT_TAKEN;
        record->has = (uint16_t)((record->has | SPOOR_HAS_DATA) & ~SPOOR_HAS_EXTRA);
        record->flow.target = next->va;
        if (next->va == insn->va + insn->opcode_size && (record->op & SPOOR_FLOW_IS_CONDITIONAL))
            record->op |= SPOOR_FLOW_NOT_TAKEN;
    }
    if (to->begin) to->begin(&encoder, out);
    to->write(&encoder, batch, 0, batch->count, out);
    if (to->end) to->end(&encoder, out);
}

/* The trace, or what the writer makes of it; NULL: it is absent. */
static char *sample_bytes(const struct sample *sample, size_t *size)
{
    char *bytes = shared_file(sample->path, sample->command, size);
    if (!bytes) return NULL;
    const struct spoor_format *from =
        spoor_format_find(sample->from ? sample->from : sample->format);
    if (spoor_format_record_size(from) == 0) {
        if (*size > MAX_TEXT) *size = MAX_TEXT;
        while (*size && bytes[*size - 1] != '\n') --*size;
    }
    if (!sample->from) return bytes;
    struct text made = {0};
    struct trace trace;
    const struct spoor_format *to = spoor_format_find(sample->format);
    trace_decode(&trace, from, bytes, *size);
    if (strcmp(sample->format, "qemu") == 0)
        write_qemu(&trace.batch, &made);
    else if (strcmp(sample->format, "cis501-arm") == 0)
        write_cis501(&trace.batch, &made);
    else if (strcmp(sample->format, "cvp1") == 0 || strcmp(sample->format, "cbp2025") == 0)
        write_branches(&trace.batch, to, &made);
    else
        convert(from, bytes, *size, to, &made);
    trace_free(&trace);
    free(bytes);
    assert_false(made.failed);
    *size = made.size;
    return made.bytes;
}

struct score {
    unsigned counted[KINDS_OF_CHANGE], found[KINDS_OF_CHANGE];
};

static unsigned percent(const struct score *score, enum change change)
{
    return score->counted[change] ? score->found[change] * 100 / score->counted[change] : 100;
}

static void print_score(const char *name, const struct score *score)
{
    print_message("%-12s", name);
    for (enum change change = DELETED; change < KINDS_OF_CHANGE; change++)
        print_message(" %4u/%-4u %3u%%", score->found[change], score->counted[change],
                      percent(score, change));
}

static void show_missed(const struct spoor_batch *batch, const struct program *program,
                        enum change change, size_t number)
{
    static const char *const names[] = {"deleted", "doubled", "exchanged"};
    print_message("  missed %s %" PRIx64 " between %" PRIx64 " and %" PRIx64 "\n", names[change],
                  pc_of(batch, program, number), pc_of(batch, program, number - 1),
                  pc_of(batch, program, number + 1));
}

/* Changes the trace, of which the rules find `before`. */
static struct score score_of(const struct spoor_batch *batch, uint64_t before)
{
    const struct program program = program_of(batch);
    struct spoor_record *changed = calloc(batch->count + LONGEST, sizeof *changed);
    struct numbers numbers = {7};
    struct score score = {0};
    const size_t first = EVIDENCE, rest = program.count > 2 * EVIDENCE ? program.count - first : 0;
    assert_non_null(changed);
    for (enum change change = DELETED; rest && change < KINDS_OF_CHANGE; change++)
        for (unsigned round = 0; round < changes(); round++) {
            const size_t number = first + numbers_below(&numbers, rest - 4);
            if (program.starts[number + 1] - program.starts[number] > LONGEST) continue;
            if (!changes_flow(batch, &program, change, number)) continue;
            struct spoor_batch copy = *batch;
            copy.records = changed;
            copy.count = make_change(changed, batch, &program, change, number);
            const bool found = count_findings(&copy) > before;
            score.counted[change]++;
            score.found[change] += found;
            if (!found && getenv("SPOOR_MISSED")) show_missed(batch, &program, change, number);
        }
    free(changed);
    free(program.starts);
    free(program.edges);
    return score;
}

/* Prints a row, and adds its score; returns the number of findings in the true trace. */
static uint64_t add_sample(const struct sample *sample, const struct trace *trace,
                           struct score *sum)
{
    struct spoor_batch batch = trace->batch;
    if (batch.count > MAX_RECORDS) batch.count = MAX_RECORDS;
    batch.place_count = batch.spill_count = batch.fault_count = 0;
    batch.last = false;
    for (size_t i = 0; i < batch.count; i++) /* a tracer that numbers what it prints */
        if (batch.records[i].kind == SPOOR_INSN) batch.records[i].has &= (uint16_t)~SPOOR_HAS_INDEX;
    const uint64_t before = count_findings(&batch);
    const struct score score = score_of(&batch, before);
    for (enum change change = DELETED; change < KINDS_OF_CHANGE; change++) {
        sum->counted[change] += score.counted[change];
        sum->found[change] += score.found[change];
    }
    print_score(sample->format, &score);
    print_message(" %4" PRIu64 "  %s%s%s\n", before, strrchr(sample->path, '/') + 1,
                  sample->from ? " from " : "", sample->from ? sample->from : "");
    return before;
}

static void changes_of_the_flow_are_found(void **state)
{
    (void)state;
    uint64_t false_findings = 0;
    unsigned fallen = 0, seen = 0;
    print_message("%-12s %14s %14s %14s %s\n", "format", "deleted", "doubled", "exchanged",
                  "unchanged");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *format = samples[i].format;
        struct score sum = {0};
        for (; i < sizeof samples / sizeof *samples && strcmp(samples[i].format, format) == 0;
             i++) {
            size_t size;
            struct trace trace;
            char *bytes = sample_bytes(&samples[i], &size);
            if (!bytes) continue;
            trace_decode(&trace, spoor_format_find(format), bytes, size);
            false_findings += add_sample(&samples[i], &trace, &sum);
            seen++;
            trace_free(&trace);
            free(bytes);
        }
        i--;
        print_score(format, &sum);
        print_message(" in all\n");
        for (enum change change = DELETED; change < KINDS_OF_CHANGE; change++)
            fallen += percent(&sum, change) < FLOOR;
    }
    if (seen == 0) skip();
    assert_int_equal(false_findings, 0);
    assert_int_equal(fallen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_of_the_flow_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
