/* SPDX-License-Identifier: MIT */
/*
 * test_branches.c: the branches of traces, compared with the results of a course, with the
 * disassembly in published traces, and between formats of one run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/made_trace.h"
#include "views/published.h"

extern const struct spoor_format format_tarmac;

/* Returns all branches of a trace, copied from the reader's blocks. */
static struct spoor_branches branches_of(struct spoor_reader *reader)
{
    struct spoor_branches all = {0};
    struct spoor_error error = {0};
    struct spoor_branch_block block = {.struct_size = sizeof block};
    enum spoor_status status;
    while ((status = spoor_reader_next_branches(reader, &block, &error)) == SPOOR_OK) {
        all.capacity = all.count + block.count + 1;
        all.items = realloc(all.items, all.capacity * sizeof *all.items);
        if (block.count)
            memcpy(all.items + all.count, block.items, block.count * sizeof *all.items);
        all.count += block.count;
        all.instructions = block.instructions;
        all.unresolved = block.unresolved;
    }
    assert_int_equal(status, SPOOR_END);
    spoor_reader_close(reader);
    return all;
}

static bool is_conditional(const struct spoor_branch *branch)
{
    return branch->type & SPOOR_BRANCH_CONDITIONAL;
}

static bool is_taken(const struct spoor_branch *branch)
{
    return branch->has & SPOOR_BRANCH_TAKEN;
}

/* oracles/uop/bimodal3.output: "COUNTERS | PC  ACTUAL | ...", a line for each conditional branch.
 */
static void the_branches_that_a_course_predicts(void **state)
{
    (void)state;
    struct spoor_reader *reader = open_published("traces/uop/gcc-1K.trace");
    FILE *oracle = file_published("oracles/uop/bimodal3.output");
    if (!reader || !oracle) skip();
    struct spoor_branches branches = branches_of(reader);
    char line[256];
    size_t at = 0, conditional = 0;
    while (fgets(line, sizeof line, oracle)) {
        unsigned long long pc;
        char actual;
        if (sscanf(line, "%*s | %llx %c", &pc, &actual) != 2) continue;
        while (at < branches.count && !is_conditional(&branches.items[at])) at++;
        assert_true(at < branches.count);
        assert_int_equal(branches.items[at].pc, pc);
        assert_int_equal(is_taken(&branches.items[at]), actual == 'T');
        at++;
        conditional++;
    }
    assert_int_equal(conditional, 157);
    assert_int_equal(branches.instructions, 754);
    fclose(oracle);
    spoor_branches_free(&branches);
}

/* Micro-ops state the outcome of a branch; Tarmac and Matcher only show where execution continues.
 */
static void one_run_in_several_formats(void **state)
{
    (void)state;
    static const char *const others[] = {"sort.matcher.xz", "sort.tarmac.xz"};
    struct spoor_branches uop = branches_of(open_example("sort.uop.xz"));
    assert_int_equal(uop.count, 987 + 644 + 2576);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct spoor_branches other = branches_of(open_example(others[i]));
        assert_int_equal(other.instructions, uop.instructions);
        assert_int_equal(other.count + other.unresolved, uop.count);
        for (size_t j = 0; j < other.count; j++) {
            const struct spoor_branch *a = &uop.items[j], *b = &other.items[j];
            assert_int_equal(a->pc, b->pc);
            assert_int_equal(is_taken(a), is_taken(b));
            assert_int_equal(is_conditional(a), is_conditional(b));
            assert_int_equal(a->fall, b->fall);
            assert_int_equal(a->gap, b->gap);
            if (b->has & SPOOR_BRANCH_HAS_TARGET) assert_int_equal(a->target, b->target);
        }
        spoor_branches_free(&other);
    }
    spoor_branches_free(&uop);
}

/* Opens a trace written in another format; its file is already removed. */
static struct spoor_reader *open_converted(const char *name, const char *format)
{
    char path[] = "/tmp/spoor-branches-XXXXXX";
    const int file = mkstemp(path);
    struct spoor_reader *from = open_example(name), *converted;
    struct spoor_error error = {0};
    struct spoor_output *output;
    struct spoor_writer *writer;
    const struct spoor_batch *batch;
    assert_true(file >= 0);
    close(file);
    assert_int_equal(spoor_output_open(&output, path, &error), SPOOR_OK);
    assert_int_equal(spoor_writer_open(&writer, spoor_format_find(format), NULL, output, &error),
                     SPOOR_OK);
    while (spoor_reader_next(from, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_writer_put(writer, batch, 0, batch->count, &error), SPOOR_OK);
    assert_int_equal(spoor_writer_close(writer, &error), SPOOR_OK);
    assert_int_equal(spoor_output_close(output, &error), SPOOR_OK);
    spoor_reader_close(from);
    assert_int_equal(spoor_reader_open(&converted, path, NULL, &error), SPOOR_OK);
    unlink(path);
    return converted;
}

/* Branch traces have every branch and its target; in ChampSim's, the next record shows the target
 * of a taken branch, and the instruction after one that was not taken. */
static void one_run_as_branch_traces(void **state)
{
    (void)state;
    static const char *const formats[] = {"sbbt", "bt9", "champsim"};
    struct spoor_branches uop = branches_of(open_example("sort.uop.xz"));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct spoor_branches other = branches_of(open_converted("sort.uop.xz", formats[i]));
        const bool by_next = strcmp(formats[i], "champsim") == 0;
        assert_int_equal(other.count, uop.count);
        for (size_t j = 0; j < other.count; j++) {
            const struct spoor_branch *a = &uop.items[j], *b = &other.items[j];
            const bool last = j + 1 == other.count;
            assert_int_equal(a->pc, b->pc);
            assert_int_equal(is_taken(a), is_taken(b));
            assert_int_equal(is_conditional(a), is_conditional(b));
            assert_int_equal(a->gap, b->gap);
            if (!by_next || is_taken(a)) {
                assert_true(last || (b->has & SPOOR_BRANCH_HAS_TARGET));
                if (b->has & SPOOR_BRANCH_HAS_TARGET) assert_int_equal(a->target, b->target);
            } else {
                assert_true(last || (b->has & SPOOR_BRANCH_HAS_FALL));
                if (b->has & SPOOR_BRANCH_HAS_FALL) assert_int_equal(a->fall, b->fall);
            }
        }
        spoor_branches_free(&other);
    }
    spoor_branches_free(&uop);
}

/* One run of a program as three producers recorded it. */
static void three_dialects_of_one_run(void **state)
{
    (void)state;
    static const char *const names[] = {
        "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
        "traces/tarmac/gem5/calculator-aarch64-gem5.tarmac",
    };
    struct spoor_branches branches[3];
    for (size_t i = 0; i < 3; i++) {
        struct spoor_reader *reader = open_published(names[i]);
        if (!reader) skip();
        branches[i] = branches_of(reader);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(branches[i].instructions, 4783);
        assert_int_equal(branches[i].count, branches[0].count);
        for (size_t j = 0; j < branches[i].count; j++) {
            struct spoor_branch a = branches[0].items[j], b = branches[i].items[j];
            b.cpu = a.cpu; /* ES names none */
            b.has = (uint8_t)((b.has & ~SPOOR_BRANCH_HAS_CPU) | (a.has & SPOOR_BRANCH_HAS_CPU));
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    for (size_t i = 0; i < 3; i++) spoor_branches_free(&branches[i]);
}

/* The counts of facts/simulate.md, the first also in the header of the trace. */
static void a_championship_trace(void **state)
{
    (void)state;
    struct spoor_reader *reader = open_published("traces/branch/cbp5-short-mobile-1.sbbt.zst");
    struct spoor_error error = {0};
    struct spoor_branch_block block = {0};
    uint64_t count = 0, conditional = 0;
    if (!reader) skip();
    while (spoor_reader_next_branches(reader, &block, &error) == SPOOR_OK) {
        count += block.count;
        for (size_t i = 0; i < block.count; i++) conditional += is_conditional(&block.items[i]);
    }
    assert_int_equal(count, 16662268);
    assert_int_equal(conditional, 11917426);
    spoor_reader_close(reader);
}

/* ---- records made by hand ---- */

static struct spoor_record *push_insn(struct made_trace *made, uint64_t pc, uint32_t bits,
                                      char iset)
{
    struct spoor_record *record =
        made_trace_push(made, SPOOR_INSN, SPOOR_INSN_TAKEN, SPOOR_HAS_VA | SPOOR_HAS_DATA);
    record->insn =
        (struct spoor_insn){.va = pc, .opcode = bits, .opcode_size = 4, .iset = (uint8_t)iset};
    return record;
}

static void push_flow(struct made_trace *made, unsigned op, uint64_t pc, uint64_t target,
                      uint64_t index)
{
    struct spoor_record *record =
        made_trace_push(made, SPOOR_FLOW, op, SPOOR_HAS_VA | SPOOR_HAS_INDEX | SPOOR_HAS_DATA);
    record->flow = (struct spoor_flow){.va = pc, .target = target, .index = index};
}

static const uint32_t NOP = 0xD503201F, B_NE_8 = 0x54000041, BR_X1 = 0xD61F0020, BL_16 = 0x94000004;

static void view(struct spoor_branches *branches, struct made_trace *made)
{
    assert_int_equal(spoor_branches_add(branches, &made->batch, NULL), SPOOR_OK);
    spoor_batch_clear(&made->batch);
}

/* An exception after an instruction that is not a branch is not a branch; after a conditional
 * branch it hides the outcome, and after an indirect one the target. */
static void exceptions_are_no_branches(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    push_insn(&made, 0x100, NOP, 'O');
    push_insn(&made, 0x800, B_NE_8, 'O');
    push_insn(&made, 0x900, BR_X1, 'O');
    made_trace_push(&made, SPOOR_EVENT, SPOOR_EVENT_E, 0);
    view(&branches, &made);
    push_insn(&made, 0x800, B_NE_8, 'O'); /* in the next batch */
    push_insn(&made, 0x804, BL_16, 'O');
    push_insn(&made, 0x900, B_NE_8, 'O');
    view(&branches, &made);
    assert_int_equal(spoor_branches_end(&branches, NULL), SPOOR_OK);
    assert_int_equal(branches.unresolved, 2);
    assert_int_equal(branches.instructions, 6);
    assert_int_equal(branches.count, 3);
    assert_int_equal(branches.items[0].pc, 0x900);
    assert_int_equal(branches.items[0].gap, 2);
    assert_int_equal(branches.items[0].has & SPOOR_BRANCH_HAS_TARGET, 0);
    assert_true(is_conditional(&branches.items[1]) && !is_taken(&branches.items[1]));
    assert_int_equal(branches.items[1].target, 0x808);
    assert_int_equal(branches.items[2].target, 0x814); /* for any instruction that follows */
    assert_int_equal(branches.items[2].type, SPOOR_BRANCH_CALL);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

/* Without opcodes, only a pc that does not follow the previous one shows a branch. */
static void jumps_without_opcodes(void **state)
{
    (void)state;
    static const uint64_t path[] = {0x100, 0x104, 0x108, 0x200, 0x204};
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    for (size_t i = 0; i < 5; i++) push_insn(&made, path[i], 0, 'O')->has = SPOOR_HAS_VA;
    view(&branches, &made);
    assert_int_equal(spoor_branches_end(&branches, NULL), SPOOR_OK);
    assert_int_equal(branches.count, 1);
    assert_int_equal(branches.items[0].pc, 0x108);
    assert_int_equal(branches.items[0].target, 0x200);
    assert_int_equal(branches.items[0].gap, 2);
    assert_int_equal(branches.items[0].has & SPOOR_BRANCH_HAS_TYPE, 0);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

static void flow_alone_counts_by_its_index(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    push_flow(&made, SPOOR_FLOW_DIRECT, 0x100, 0x200, 10);
    push_flow(&made, SPOOR_FLOW_INDIRECT, 0x210, 0x100, 15);
    push_flow(&made, SPOOR_FLOW_DIRECT, 0x100, 0x200, 16);
    view(&branches, &made);
    assert_int_equal(branches.count, 3);
    assert_int_equal(branches.items[1].gap, 4);
    assert_int_equal(branches.items[1].type, SPOOR_BRANCH_INDIRECT);
    assert_int_equal(branches.items[2].gap, 0);
    assert_int_equal(branches.instructions, 7);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

/* Branch traces state everything about a branch, and number instructions from the first of the
 * trace. */
static void typed_flow_says_it_all(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    push_flow(&made, SPOOR_FLOW_TYPED | SPOOR_FLOW_NOT_TAKEN | SPOOR_FLOW_IS_CONDITIONAL, 0x100,
              0x200, 8);
    push_flow(&made, SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT | SPOOR_FLOW_IS_CALL, 0x110, 0x300,
              9);
    push_flow(&made, SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT | SPOOR_FLOW_IS_RETURN, 0x304, 0,
              12);
    made.batch.records[2].has &= (uint16_t)~SPOOR_HAS_DATA;
    view(&branches, &made);
    assert_int_equal(branches.count, 3);
    assert_int_equal(branches.instructions, 12);
    assert_int_equal(branches.items[0].gap, 7);
    assert_false(is_taken(&branches.items[0]));
    assert_int_equal(branches.items[0].type, SPOOR_BRANCH_CONDITIONAL);
    assert_int_equal(branches.items[1].type, SPOOR_BRANCH_INDIRECT | SPOOR_BRANCH_CALL);
    assert_int_equal(branches.items[1].gap, 0);
    assert_int_equal(branches.items[1].has,
                     SPOOR_BRANCH_TAKEN | SPOOR_BRANCH_HAS_TARGET | SPOOR_BRANCH_HAS_TYPE);
    assert_int_equal(branches.items[2].type, SPOOR_BRANCH_INDIRECT | SPOOR_BRANCH_RETURN);
    assert_int_equal(branches.items[2].has, SPOOR_BRANCH_TAKEN | SPOOR_BRANCH_HAS_TYPE);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

/* The same branch as instruction and as flow record, in either order, is one branch. */
static void flow_and_instruction_are_one_branch(void **state)
{
    (void)state;
    for (int flow_first = 0; flow_first < 2; flow_first++) {
        struct made_trace made;
        struct spoor_branches branches = {0};
        made_trace_begin(&made, &format_tarmac);
        push_insn(&made, 0x100, NOP, 'O');
        if (flow_first) push_flow(&made, SPOOR_FLOW_DIRECT, 0x104, 0x114, 1);
        push_insn(&made, 0x104, BL_16, 'O');
        if (!flow_first) push_flow(&made, SPOOR_FLOW_DIRECT, 0x104, 0x114, 1);
        push_insn(&made, 0x114, NOP, 'O');
        push_insn(&made, 0x118, BR_X1, 'O');
        push_insn(&made, 0x100, NOP, 'O');
        view(&branches, &made);
        assert_int_equal(branches.count, 2);
        assert_int_equal(branches.instructions, 5);
        for (size_t i = 0; i < 2; i++) assert_int_equal(branches.items[i].gap, 1);
        assert_int_equal(branches.items[0].pc, 0x104);
        assert_int_equal(branches.items[0].target, 0x114);
        spoor_branches_free(&branches);
        made_trace_end(&made);
    }
}

/* A branch trace may state only whether a branch was taken. */
static void branches_without_a_type(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    push_flow(&made, SPOOR_FLOW_BRANCH, 0x100, 0x200, 8);
    push_flow(&made, SPOOR_FLOW_BRANCH | SPOOR_FLOW_NOT_TAKEN, 0x210, 0x100, 10);
    made_trace_push(&made, SPOOR_FLOW, SPOOR_FLOW_BRANCH,
                    SPOOR_HAS_DATA); /* ES's BR: no branch's pc */
    view(&branches, &made);
    assert_int_equal(branches.count, 2);
    assert_int_equal(branches.instructions, 10);
    assert_int_equal(branches.items[0].gap, 7);
    assert_int_equal(branches.items[0].target, 0x200);
    assert_int_equal(branches.items[0].has, SPOOR_BRANCH_TAKEN | SPOOR_BRANCH_HAS_TARGET);
    assert_int_equal(branches.items[0].type, 0);
    assert_int_equal(branches.items[1].gap, 1);
    assert_int_equal(branches.items[1].has, SPOOR_BRANCH_HAS_TARGET);
    assert_int_equal(branches.items[1].type, SPOOR_BRANCH_CONDITIONAL);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

static void push_step(struct made_trace *made, uint64_t pc, int op)
{
    push_insn(made, pc, 0, 0)->insn.opcode_size = 0;
    made->batch.records[made->batch.count - 1].has = SPOOR_HAS_VA;
    if (op < 0) return;
    made_trace_push(made, SPOOR_FLOW, (unsigned)op, SPOOR_HAS_VA | SPOOR_CONTINUES)->flow.va = pc;
}

/* The instruction after a branch shows its target, in the next batch too.  A branch to itself is a
 * new one each time, and the last branch of a trace keeps what it stated. */
static void flow_without_a_target(void **state)
{
    (void)state;
    static const int jump = SPOOR_FLOW_TYPED;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    push_step(&made, 0x100, -1);
    push_step(&made, 0x102, jump | SPOOR_FLOW_IS_CONDITIONAL | SPOOR_FLOW_NOT_TAKEN);
    push_step(&made, 0x107, jump);
    push_step(&made, 0x107, jump);
    view(&branches, &made);
    assert_int_equal(branches.count, 2);
    push_step(&made, 0x200, -1);
    push_step(&made, 0x201, jump | SPOOR_FLOW_IS_CALL);
    view(&branches, &made);
    assert_int_equal(spoor_branches_end(&branches, NULL), SPOOR_OK);
    assert_int_equal(branches.count, 4);
    assert_int_equal(branches.instructions, 6);
    static const struct spoor_branch expected[] = {
        {.pc = 0x102,
         .fall = 0x107,
         .gap = 1,
         .type = SPOOR_BRANCH_CONDITIONAL,
         .has = SPOOR_BRANCH_HAS_TYPE | SPOOR_BRANCH_HAS_FALL},
        {.pc = 0x107,
         .target = 0x107,
         .has = SPOOR_BRANCH_HAS_TYPE | SPOOR_BRANCH_TAKEN | SPOOR_BRANCH_HAS_TARGET},
        {.pc = 0x107,
         .target = 0x200,
         .has = SPOOR_BRANCH_HAS_TYPE | SPOOR_BRANCH_TAKEN | SPOOR_BRANCH_HAS_TARGET},
        {.pc = 0x201,
         .gap = 1,
         .type = SPOOR_BRANCH_CALL,
         .has = SPOOR_BRANCH_HAS_TYPE | SPOOR_BRANCH_TAKEN},
    };
    for (size_t i = 0; i < 4; i++)
        assert_memory_equal(&branches.items[i], &expected[i], sizeof *expected);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

/* After a gap, the first instruction is no successor. */
static void nothing_is_told_over_a_gap(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    push_insn(&made, 0x100, B_NE_8, 'O');
    view(&branches, &made);
    push_insn(&made, 0x104, NOP, 'O');
    made.batch.gap = true;
    view(&branches, &made);
    assert_int_equal(branches.count, 0);
    assert_int_equal(branches.unresolved, 1);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

/* Two interleaved processors are independent. */
static void processors_are_kept_apart(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_branches branches = {0};
    made_trace_begin(&made, &format_tarmac);
    for (uint64_t i = 0; i < 4; i++) {
        for (int cpu = 0; cpu < 2; cpu++) {
            struct spoor_record *record =
                push_insn(&made, (cpu ? 0x9000 : 0x100) + 4 * i, NOP, 'O');
            record->has |= SPOOR_HAS_CPU;
            record->cpu = made_trace_name(&made, cpu ? "cpu1" : "cpu0");
            record->has &= (uint16_t)~SPOOR_HAS_DATA; /* so that only the way tells */
        }
    }
    view(&branches, &made);
    assert_int_equal(branches.count, 0);
    assert_int_equal(branches.instructions, 8);
    spoor_branches_free(&branches);
    made_trace_end(&made);
}

/* Opcodes of GNU as, and of the manuals' examples. */
static void the_target_that_an_opcode_states(void **state)
{
    static const struct {
        enum spoor_isa isa;
        bool thumb, found;
        uint64_t opcode;
        unsigned size;
        uint64_t address;
        int reg;
    } rows[] = {
        {SPOOR_ISA_AARCH64, false, true, 0x94000400, 4, 0x2000, -1},       /* bl 0x2000 */
        {SPOOR_ISA_AARCH64, false, true, 0xd65f03c0, 4, 0, 30},            /* ret */
        {SPOOR_ISA_AARCH64, false, true, 0xd61f0200, 4, 0, 16},            /* br x16 */
        {SPOOR_ISA_AARCH64, false, false, 0xd69f03e0, 4, 0, 0},            /* eret */
        {SPOOR_ISA_AARCH64, false, false, 0xd503201f, 4, 0, 0},            /* nop */
        {SPOOR_ISA_AARCH32, false, true, 0xe12fff1e, 4, 0, 14},            /* bx lr */
        {SPOOR_ISA_AARCH32, false, true, 0xe1a0f003, 4, 0, 3},             /* mov pc, r3 */
        {SPOOR_ISA_AARCH32, false, false, 0xe25ef004, 4, 0, 0},            /* subs pc, lr, #4 */
        {SPOOR_ISA_AARCH32, false, true, 0xeb0003fe, 4, 0x2000, -1},       /* bl 0x2000 */
        {SPOOR_ISA_AARCH32, true, true, 0xe7fe, 2, 0x1000, -1},            /* b . */
        {SPOOR_ISA_AARCH32, true, true, 0x4718, 2, 0, 3},                  /* bx r3 */
        {SPOOR_ISA_AARCH32, true, true, 0x46f7, 2, 0, 14},                 /* mov pc, lr */
        {SPOOR_ISA_AARCH32, true, false, 0xbd00, 2, 0, 0},                 /* pop {pc} */
        {SPOOR_ISA_RISCV, false, true, 0x8282, 2, 0, 5},                   /* jr t0 */
        {SPOOR_ISA_RISCV, false, true, 0xffc500e7, 4, UINT64_MAX - 3, 10}, /* jalr -4(a0) */
        {SPOOR_ISA_RISCV, false, false, 0x30200073, 4, 0, 0},              /* mret */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spoor_branch_target target;
        assert_int_equal(spoor_branch_target(rows[i].isa, rows[i].thumb, 0x1000, rows[i].opcode,
                                             rows[i].size, &target),
                         rows[i].found);
        if (!rows[i].found) continue;
        assert_int_equal(target.address, rows[i].address);
        assert_int_equal(target.reg, rows[i].reg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_branches_that_a_course_predicts),
        cmocka_unit_test(one_run_in_several_formats),
        cmocka_unit_test(one_run_as_branch_traces),
        cmocka_unit_test(three_dialects_of_one_run),
        cmocka_unit_test(a_championship_trace),
        cmocka_unit_test(exceptions_are_no_branches),
        cmocka_unit_test(jumps_without_opcodes),
        cmocka_unit_test(flow_alone_counts_by_its_index),
        cmocka_unit_test(typed_flow_says_it_all),
        cmocka_unit_test(flow_and_instruction_are_one_branch),
        cmocka_unit_test(branches_without_a_type),
        cmocka_unit_test(flow_without_a_target),
        cmocka_unit_test(nothing_is_told_over_a_gap),
        cmocka_unit_test(processors_are_kept_apart),
        cmocka_unit_test(the_target_that_an_opcode_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
