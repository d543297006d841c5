/* SPDX-License-Identifier: MIT */
/*
 * test_champsim_translate.c: the branches of a trace and of the ChampSim trace made of it are the
 * same, for every trace of ../shared.
 *
 * Of large traces the beginning is compared.
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/inline.h"
#include "formats/branch/champsim.h"
#include "support/trace.h"
#include "views/published.h"

extern const struct spoor_format format_champsim;

/* In sanitized code, the beginning of a trace runs the same code as the whole. */
#ifdef IS_SANITIZED
enum { MAX_RECORDS = 15000 };
#else
enum { MAX_RECORDS = 60000 };
#endif

static struct {
    unsigned traces, with_branches, with_types;
    const char *path;    /* of the trace that is walked */
    bool goes_elsewhere; /* a signal, an abort or another thread may follow a branch */
} walked;

/* ---- comparing ---- */

/* ChampSim has no conditional branch that is indirect, and takes one that is a call and a return
 * for a call. */
static unsigned type_for_champsim(unsigned type)
{
    if (type & SPOOR_BRANCH_CONDITIONAL) return SPOOR_BRANCH_CONDITIONAL;
    if (type & SPOOR_BRANCH_CALL) return type & ~(unsigned)SPOOR_BRANCH_RETURN;
    return type & SPOOR_BRANCH_RETURN ? type | SPOOR_BRANCH_INDIRECT : type;
}

static void compare_branch(const struct spoor_branch *first, const struct spoor_branch *second,
                           bool is_last)
{
    /* a trace may state an unconditional branch that was not taken, which ChampSim has not */
    const bool possible = first->has & SPOOR_BRANCH_TAKEN || first->type & SPOOR_BRANCH_CONDITIONAL;
    const bool typed = first->has & SPOOR_BRANCH_HAS_TYPE && possible;
    assert_true(first->pc == second->pc);
    assert_int_equal(first->has & SPOOR_BRANCH_TAKEN, second->has & SPOOR_BRANCH_TAKEN);
    assert_int_equal(typed, (second->has & SPOOR_BRANCH_HAS_TYPE) != 0);
    if (typed) assert_int_equal(type_for_champsim(first->type), second->type);
    walked.with_types += typed;
    const bool taken = first->has & SPOOR_BRANCH_TAKEN,
               known = first->has & SPOOR_BRANCH_HAS_TARGET;
    if (taken && known && !is_last && !walked.goes_elsewhere && first->target != second->target)
        fail_msg("%s: branch at %#llx: target %#llx, in ChampSim %#llx", walked.path,
                 (unsigned long long)first->pc, (unsigned long long)first->target,
                 (unsigned long long)second->target);
}

/* Traces of several processors are one stream in ChampSim, so only the sums are the same. */
static void compare(const struct spoor_branches *first, const struct spoor_branches *second,
                    bool in_order)
{
    uint64_t pcs[2] = {0}, taken[2] = {0};
    assert_int_equal(first->count, second->count);
    for (size_t i = 0; i < first->count; i++) {
        if (in_order) compare_branch(&first->items[i], &second->items[i], i + 1 == first->count);
        pcs[0] += first->items[i].pc;
        pcs[1] += second->items[i].pc;
        taken[0] += first->items[i].has & SPOOR_BRANCH_TAKEN;
        taken[1] += second->items[i].has & SPOOR_BRANCH_TAKEN;
    }
    assert_true(pcs[0] == pcs[1]);
    assert_true(taken[0] == taken[1]);
}

/* ---- one trace ---- */

struct original {
    struct spoor_branches branches;
    struct text champsim;
    bool has_instructions, several_cpus;
    uint64_t unplaced; /* instructions without an address, which ChampSim cannot represent */
};

static void see_cpus(struct original *original, const struct spoor_batch *batch, spoor_name *cpu)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        original->has_instructions |= record->kind == SPOOR_INSN;
        original->unplaced += record->kind == SPOOR_INSN && record->op != SPOOR_INSN_AGAIN &&
                              record->op != SPOOR_INSN_SQUASHED &&
                              !(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA));
        if (!(record->has & SPOOR_HAS_CPU)) continue;
        original->several_cpus |= *cpu && *cpu != record->cpu;
        *cpu = record->cpu;
    }
}

static void translate(struct spoor_reader *reader, struct original *original)
{
    struct encoder encoder = {.format = &format_champsim};
    const struct spoor_batch *batch;
    spoor_name cpu = 0;
    uint64_t records = 0;
    for (; records < MAX_RECORDS && spoor_reader_next(reader, &batch, NULL) == SPOOR_OK;
         records += batch->count) {
        see_cpus(original, batch, &cpu);
        assert_int_equal(spoor_branches_add(&original->branches, batch, NULL), SPOOR_OK);
        format_champsim.write(&encoder, batch, 0, batch->count, &original->champsim);
    }
    assert_int_equal(spoor_branches_end(&original->branches, NULL), SPOOR_OK);
    format_champsim.end(&encoder, &original->champsim);
    assert_false(original->champsim.failed);
}

static bool is_translated(const struct spoor_reader *reader)
{
    const struct spoor_format *format = spoor_reader_stream(reader)->format;
    return format != &format_champsim && format != spoor_format_find("uop");
}

static void compare_trace(struct spoor_reader *reader)
{
    struct original original = {0};
    struct spoor_branches branches = {0};
    struct trace trace;
    translate(reader, &original);
    trace_decode(&trace, &format_champsim, original.champsim.bytes, original.champsim.size);
    assert_int_equal(spoor_branches_add(&branches, &trace.batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_branches_end(&branches, NULL), SPOOR_OK);
    compare(&original.branches, &branches, !original.several_cpus);
    const uint64_t placed = original.branches.instructions - original.unplaced;
    if (original.has_instructions) /* a stated branch may have no instruction */
        assert_in_range(branches.instructions, placed, placed + branches.count);
    walked.traces++;
    walked.with_branches += branches.count > 0;
    spoor_branches_free(&original.branches);
    spoor_branches_free(&branches);
    trace_free(&trace);
    text_free(&original.champsim);
}

static int visit(const char *path, const struct stat *status, int what, struct FTW *place)
{
    (void)status;
    (void)place;
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    if (what != FTW_F || spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) return 0;
    if (is_translated(reader)) {
        walked.path = path;
        walked.goes_elsewhere =
            spoor_reader_stream(reader)->format == spoor_format_find("drmemtrace");
        compare_trace(reader);
    }
    spoor_reader_close(reader);
    return 0;
}

static void every_shared_trace_keeps_its_branches(void **state)
{
    (void)state;
    char path[512];
    if (!find_published(path, "traces")) skip();
    assert_int_equal(nftw(path, visit, 16, FTW_PHYS), 0);
    assert_true(walked.with_branches >= 20);
    assert_true(walked.with_types > 0);
}

static void every_example_keeps_its_branches(void **state)
{
    (void)state;
    static const char *const names[] = {"list.tarmac.xz", "list.matcher.xz",
                                        "list-aarch64.tarmac.xz", "search.lackey.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct spoor_reader *reader = open_example(names[i]);
        compare_trace(reader);
        spoor_reader_close(reader);
    }
    assert_int_equal(walked.with_branches, walked.traces);
}

/* ---- registers ---- */

/* "lr_svc" and "r14_svc" are the link register, which is ChampSim's register 6; barriers' opcodes
 * are not known, so the trace's registers count. */
static void copies_of_registers_are_one(void **state)
{
    (void)state;
    static const char *const traces[] = {
        "0 clk IT (1) 00001000 f57ff05f A svc_s : DMB sy\n0 clk R r14_svc 00000000\n"
        "0 clk R r13_svc 00000000\n0 clk IT (2) 00001004 e1a00000 A svc_s : NOP\n",
        "0 clk IT (1) 00001000 f57ff05f A svc_s : DMB sy\n0 clk R LR_SVC 00000000\n"
        "0 clk R sp_svc 00000000\n0 clk IT (2) 00001004 e1a00000 A svc_s : NOP\n",
        "0 clk IT (1) 00001000 f57ff05f A svc_s : DMB sy\n0 clk R r14 00000000\n"
        "0 clk R sp_main 00000000\n0 clk IT (2) 00001004 e1a00000 A svc_s : NOP\n",
    };
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        struct trace trace;
        struct text out = {0};
        struct champsim insn;
        trace_decode(&trace, spoor_format_find("tarmac"), traces[i], strlen(traces[i]));
        trace.stream.isa = SPOOR_ISA_AARCH32;
        trace_encode(&trace, &format_champsim, SPOOR_WRITE_TRACE, &out);
        assert_int_equal(out.size, 2 * CHAMPSIM_RECORD);
        insn = champsim_unpack(&champsim_shape_usual, out.bytes);
        assert_int_equal(insn.written[0], CHAMPSIM_STACK_POINTER);
        assert_int_equal(insn.written[1], 64 + 13);
        text_free(&out);
        trace_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_keeps_its_branches),
        cmocka_unit_test(every_shared_trace_keeps_its_branches),
        cmocka_unit_test(copies_of_registers_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
