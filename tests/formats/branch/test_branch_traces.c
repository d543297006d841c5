/* SPDX-License-Identifier: MIT */
/* test_branch_traces.c: SBBT, BT9 and ChampSim, field by field, from their documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/branch/champsim.h"
#include "formats/format.h"
#include "formats/support.h"

extern const struct spoor_format format_sbbt, format_bt9, format_champsim, format_champsim72,
    format_cloudsuite;

/* True if reading and writing reproduces the bytes, including those before the records. */
static bool comes_back(const struct trace *trace, const void *bytes, size_t size)
{
    struct text out = {0};
    trace_encode(trace, trace->stream.format, SPOOR_WRITE_TRACE, &out);
    const bool same = text_is(&out, bytes, size);
    text_free(&out);
    return same;
}

static const struct spoor_record *nth(const struct trace *trace, enum spoor_kind kind, size_t n)
{
    for (size_t i = 0; i < trace->batch.count; i++)
        if (trace->batch.records[i].kind == kind && n-- == 0) return &trace->batch.records[i];
    fail_msg("there is no such record");
    return NULL;
}

static const char *op_of(const struct spoor_record *record)
{
    return spoor_op_name(record);
}

/* ---- SBBT ---- */

enum { TAKEN = 1 << 11, SBBT_HEADER = 24, SBBT_BRANCH = 16 };

static const char sbbt_header[SBBT_HEADER] = "SBBT\n\1\0\0\x14\0\0\0\0\0\0\0\4\0\0\0\0\0\0";

static void put_words(struct text *out, uint64_t first, uint64_t second)
{
    const uint64_t words[] = {first, second};
    text_put(out, words, sizeof words);
}

/* MBPlib's document: in the first word the type in bits 0 to 3, taken in 11, the address in 12 to
 * 63; in the second word the instructions since the last branch in bits 0 to 11, the target in 12
 * to 63. */
static void sbbt_fields(void **state)
{
    (void)state;
    static const struct {
        uint64_t low, pc, gap, target;
        const char *op;
        uint64_t index;
    } cases[] = {
        {TAKEN, 0x400000, 5, 0x400800, "jump", 5},
        {1, 0x400804, 1, 0x400900, "conditional", 6},
        {TAKEN | 8, 0x400808, 4095, 0x401000, "call", 4101},
        {TAKEN | 8 | 2, 0x40080c, 1, 0x402000, "indirect-call", 4102},
        {TAKEN | 4 | 2, UINT64_C(0xfffffffffffff000), 2, UINT64_C(0xffffffff80000004), "return",
         4104},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    struct text file = {0};
    struct trace trace;
    text_put(&file, sbbt_header, SBBT_HEADER);
    for (size_t i = 0; i < CASES; i++)
        put_words(&file, cases[i].pc << 12 | cases[i].low, cases[i].target << 12 | cases[i].gap);
    trace_decode(&trace, &format_sbbt, file.bytes, file.size);
    assert_int_equal(trace_count(&trace, SPOOR_FLOW), CASES);
    assert_int_equal(nth(&trace, SPOOR_NOTE, 0)->op, SPOOR_NOTE_HEADER);
    for (size_t i = 0; i < CASES; i++) {
        const struct spoor_record *record = nth(&trace, SPOOR_FLOW, i);
        assert_true(record->flow.va == cases[i].pc);
        assert_true(record->flow.target == cases[i].target);
        assert_int_equal(record->flow.index, cases[i].index);
        assert_int_equal(!(record->op & SPOOR_FLOW_NOT_TAKEN), (cases[i].low & TAKEN) != 0);
        assert_string_equal(op_of(record), cases[i].op);
    }
    assert_true(comes_back(&trace, file.bytes, file.size));
    trace_free(&trace);
    text_free(&file);
}

/* A target of 0 is absent if the branch was not taken; reserved bits are reproduced. */
static void sbbt_corners(void **state)
{
    (void)state;
    struct text file = {0};
    struct trace trace;
    text_put(&file, sbbt_header, SBBT_HEADER);
    put_words(&file, UINT64_C(0x400000) << 12 | 1, 3);
    put_words(&file, UINT64_C(0x400004) << 12 | 0x7f0 | TAKEN, 3);
    text_put(&file, "\1\2\3", 3);
    trace_decode(&trace, &format_sbbt, file.bytes, file.size);
    assert_int_equal(nth(&trace, SPOOR_FLOW, 0)->has & SPOOR_HAS_DATA, 0);
    assert_int_equal(nth(&trace, SPOOR_FLOW, 1)->has & SPOOR_HAS_DATA, SPOOR_HAS_DATA);
    assert_int_equal(nth(&trace, SPOOR_NOTE, 1)->op, SPOOR_NOTE_TRAILING);
    assert_true(comes_back(&trace, file.bytes, file.size));
    trace_free(&trace);
    text_free(&file);
}

/* The layout of older traces: outcome in bit 0, type in bits 8 to 11 (1 return, 2 call, 4
 * conditional, 8 indirect), the instructions up to the next branch. */
static const struct {
    uint64_t low, pc, gap, target;
    const char *op;
    uint64_t index;
    bool taken;
} older_cases[] = {
    {0x400, 0x400000, 4, 0x400800, "conditional", 1, false},
    {0x401, 0x400804, 2, 0x400900, "conditional", 5, true},
    {0x001, 0x400808, 3, 0x401000, "jump", 7, true},
    {0x201, 0x40080c, 5, 0x402000, "call", 10, true},
    {0x901, 0x402008, 1, 0x400810, "return", 15, true},
    {0xA01, 0x400818, 1, 0x403000, "indirect-call", 16, true},
    {0x801, 0x403000, 1, 0x403004, "indirect-jump", 17, true},
    {0xD00, 0x403008, 1, 0, "conditional-return", 18, false},
};
enum { OLDER_CASES = sizeof older_cases / sizeof *older_cases };

static void put_older(struct text *file)
{
    text_put(file, sbbt_header, SBBT_HEADER);
    for (size_t i = 0; i < OLDER_CASES; i++)
        put_words(file, older_cases[i].pc << 12 | older_cases[i].low,
                  older_cases[i].target << 12 | older_cases[i].gap);
}

static void check_dialect(const struct trace *trace, const char *dialect)
{
    for (size_t i = 0; i < trace->batch.count; i++) {
        const struct spoor_record *record = &trace->batch.records[i];
        if (record->kind != SPOOR_FLOW) continue;
        assert_string_equal(spelling_dialect(&trace->stream, record->spelling), dialect);
    }
}

static void sbbt_older_layout(void **state)
{
    (void)state;
    struct text file = {0};
    struct trace trace;
    put_older(&file);
    trace_decode(&trace, &format_sbbt, file.bytes, file.size);
    assert_int_equal(trace_count(&trace, SPOOR_FLOW), OLDER_CASES);
    assert_int_equal(trace.batch.spill_count, 0);
    for (size_t i = 0; i < OLDER_CASES; i++) {
        const struct spoor_record *record = nth(&trace, SPOOR_FLOW, i);
        assert_true(record->flow.va == older_cases[i].pc);
        assert_true(record->flow.target == older_cases[i].target);
        assert_int_equal(record->flow.index, older_cases[i].index);
        assert_int_equal(!(record->op & SPOOR_FLOW_NOT_TAKEN), older_cases[i].taken);
        assert_string_equal(op_of(record), older_cases[i].op);
    }
    check_dialect(&trace, "older");
    assert_true(comes_back(&trace, file.bytes, file.size));
    trace_free(&trace);
    text_free(&file);
}

/* A later batch whose records could have either layout has the trace's, and records of the other
 * layout have reserved bits. */
static void sbbt_keeps_its_layout(void **state)
{
    (void)state;
    static const struct spoor_decode_options asked = {.dialect = "current"};
    struct text file = {0}, later = {0};
    struct trace trace;
    struct carry carry = {0};
    put_older(&file);
    put_words(&later, UINT64_C(0x400000) << 12 | 0x001, UINT64_C(0x400010) << 12 | 2);
    trace_decode(&trace, &format_sbbt, file.bytes, file.size);
    struct decoder decoder = {.names = trace.stream.names, .spellings = trace.stream.spellings};
    format_sbbt.resolve(&carry, &trace.batch);
    spoor_batch_clear(&trace.batch);
    trace.batch.offset = file.size;
    memcpy(trace.batch.text, later.bytes, later.size);
    trace.batch.text_size = later.size;
    format_sbbt.decode(&decoder, &trace.batch);
    assert_string_equal(op_of(nth(&trace, SPOOR_FLOW, 0)), "conditional");
    format_sbbt.resolve(&carry, &trace.batch);
    assert_int_equal(trace.batch.count, 1);
    assert_string_equal(op_of(nth(&trace, SPOOR_FLOW, 0)), "jump");
    assert_int_equal(nth(&trace, SPOOR_FLOW, 0)->flow.index, 19);
    check_dialect(&trace, "older");
    trace_free(&trace);
    trace_decode_with(&trace, &format_sbbt, file.bytes, file.size, &asked);
    check_dialect(&trace, "current");
    assert_true(nth(&trace, SPOOR_FLOW, 0)->has & SPOOR_IS_SPILLED);
    assert_true(comes_back(&trace, file.bytes, file.size));
    trace_free(&trace);
    text_free(&file);
    text_free(&later);
}

static void sbbt_older_published(void **state)
{
    (void)state;
    size_t size, taken = 0;
    char *bytes = shared_file("traces/wild/short-server-1-head.sbbt.zst", "zstd -dc", &size);
    if (!bytes) skip();
    struct trace trace;
    trace_decode(&trace, &format_sbbt, bytes, size);
    check_dialect(&trace, "older");
    const struct spoor_record *before = NULL;
    size_t reached = 0;
    for (size_t i = 0; i < trace.batch.count; i++) {
        const struct spoor_record *record = &trace.batch.records[i];
        if (record->kind != SPOOR_FLOW) continue;
        assert_int_equal(record->has & SPOOR_IS_SPILLED, 0);
        if (before && !(before->op & SPOOR_FLOW_NOT_TAKEN)) {
            taken++; /* no instruction has more than 4 bytes */
            reached += record->flow.va - before->flow.target <=
                       4 * (record->flow.index - before->flow.index);
        }
        before = record;
    }
    /* both counts by another reader */
    assert_int_equal(taken, 112494);
    assert_int_equal(reached, 112434);
    assert_true(comes_back(&trace, bytes, size));
    trace_free(&trace);
    free(bytes);
}

static void sbbt_published(void **state)
{
    (void)state;
    size_t size;
    char *bytes = shared_file("traces/branch/cbp5-short-mobile-1.sbbt.zst",
                              "sh -c 'zstd -dc \"$0\" | head -c 1600024'", &size);
    if (!bytes) skip();
    struct trace trace;
    trace_decode(&trace, &format_sbbt, bytes, size);
    assert_int_equal(trace_count(&trace, SPOOR_FLOW), (size - SBBT_HEADER) / SBBT_BRANCH);
    assert_int_equal(trace_verbatim(&trace), 0);
    assert_int_equal(trace.batch.fault_count, 0);
    for (size_t i = 0; i < 100000; i++) { /* a branch that is never conditional is always taken */
        const struct spoor_record *record = &trace.batch.records[i + 1];
        assert_int_equal(record->kind, SPOOR_FLOW);
        if (!(record->op & SPOOR_FLOW_IS_CONDITIONAL))
            assert_int_equal(record->op & SPOOR_FLOW_NOT_TAKEN, 0);
    }
    assert_true(comes_back(&trace, bytes, size));
    trace_free(&trace);
    free(bytes);
}

/* ---- BT9 ---- */

#define BT9_HEADER                                                                    \
    "BT9_SPA_TRACE_FORMAT\n"                                                          \
    "bt9_minor_version: 0\n"                                                          \
    "total_instruction_count:     19    # Count\n"                                    \
    "branch_instruction_count:     5\n"                                               \
    "BT9_NODES\n"                                                                     \
    "#NODE  id  virtual physical opcode  size\n"                                      \
    "NODE 0 0 - 0 0\n"                                                                \
    "NODE 1 0x400010 -        0x54000061 4  class: JMP+DIR+CND  behavior: DYN\n"      \
    "NODE 2 0x400018 0x800018 0x94000010 4  class: CALL+DIR+UCD # mnemonic: \"BL\"\n" \
    "NODE 3 0x400064 -        0xd65f03c0 4  class: RET+IND+UCD\n"                     \
    "NODE 4 0x400070 -        0          4\n"                                         \
    "BT9_EDGES\n"                                                                     \
    "EDGE 0 0 1 T 0x400000 -        4  traverse_cnt: 1\n"                             \
    "EDGE 1 1 1 T 0x400000 -        4\n"                                              \
    "EDGE 2 1 2 N 0x400014 -        1\n"                                              \
    "EDGE 3 2 3 T 0x400050 0x800050 5\n"                                              \
    "EDGE 4 3 4 T 0x40001c -        0\n"                                              \
    "EDGE 5 4 0 N 0x400074 -        0\n"                                              \
    "BT9_EDGE_SEQUENCE\n"
static const char bt9[] = BT9_HEADER "0\n1\n2\n3\n4\n5\nEOF\n";

/* bt9_reader.h: an edge begins at the branch, and states its target and the number of instructions
 * before the next branch. */
static void bt9_fields(void **state)
{
    (void)state;
    static const struct {
        uint64_t pc, pa, target, target_pa, index;
        const char *op;
        bool taken;
    } cases[] = {
        {0x400010, 0, 0x400000, 0, 5, "conditional", true},
        {0x400010, 0, 0x400014, 0, 10, "conditional", false},
        {0x400018, 0x800018, 0x400050, 0x800050, 12, "call", true},
        {0x400064, 0, 0x40001c, 0, 18, "return", true},
        {0x400070, 0, 0x400074, 0, 19, "branch", false},
    };
    struct trace trace;
    trace_decode(&trace, &format_bt9, bt9, sizeof bt9 - 1);
    assert_int_equal(trace_count(&trace, SPOOR_FLOW), 5);
    assert_int_equal(trace_verbatim(&trace), 0);
    assert_int_equal(trace.batch.fault_count, 0);
    for (size_t i = 0; i < 5; i++) {
        const struct spoor_record *record = nth(&trace, SPOOR_FLOW, i);
        assert_int_equal(record->flow.va, cases[i].pc);
        assert_int_equal(record->flow.pa, cases[i].pa);
        assert_int_equal(!!(record->has & SPOOR_HAS_PA), cases[i].pa != 0);
        assert_int_equal(record->flow.target, cases[i].target);
        assert_int_equal(record->flow.target_pa, cases[i].target_pa);
        assert_int_equal(!!(record->has & SPOOR_HAS_PA2), cases[i].target_pa != 0);
        assert_int_equal(record->flow.index, cases[i].index);
        assert_int_equal(!(record->op & SPOOR_FLOW_NOT_TAKEN), cases[i].taken);
        assert_string_equal(op_of(record), cases[i].op);
    }
    assert_true(comes_back(&trace, bt9, sizeof bt9 - 1));
    trace_free(&trace);
}

static void bt9_numbers_without_an_edge(void **state)
{
    (void)state;
    static const char lines[] = BT9_HEADER "0\n77\n 1\n01\n2 # x\nEOF\n";
    struct trace trace;
    trace_decode(&trace, &format_bt9, lines, sizeof lines - 1);
    assert_int_equal(trace_count(&trace, SPOOR_FLOW), 4);
    assert_int_equal(trace_verbatim(&trace), 3); /* a blank, a zero and a comment */
    assert_int_equal(nth(&trace, SPOOR_FLOW, 0)->has & SPOOR_HAS_VA, 0);
    assert_int_equal(nth(&trace, SPOOR_FLOW, 1)->flow.va, 0x400010);
    assert_int_equal(nth(&trace, SPOOR_FLOW, 3)->flow.target, 0x400014);
    assert_true(comes_back(&trace, lines, sizeof lines - 1));
    trace_free(&trace);
}

static void bt9_damage_is_named(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {&format_bt9, "NODE x", 6, "the number of the node"},
        {&format_bt9, "NODE 1 -", 8, "the virtual address of the branch"},
        {&format_bt9, "NODE 1 1 1 1", 13, "the size of the instruction"},
        {&format_bt9, "EDGE 1 1 1 X", 12, "T or N"},
        {&format_bt9, "EDGE 1 1 4294967296", 10, "the number of the node where the edge ends"},
        {&format_bt9, "EDGE 1 1 1 T 1 - q", 18,
         "the number of instructions between the two branches"},
        {&format_bt9, "something", 1, "NODE, EDGE, a title, `key: value` or the number of an edge"},
        {&format_bt9, "4294967296", 1,
         "NODE, EDGE, a title, `key: value` or the number of an edge"},
    };
    demand_refusals(cases, sizeof cases / sizeof *cases);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        trace_decode(&trace, &format_bt9, cases[i].line, strlen(cases[i].line));
        assert_true(comes_back(&trace, cases[i].line, strlen(cases[i].line)));
        trace_free(&trace);
    }
}

/* ---- ChampSim ---- */

/* inc/trace_instruction.h: input_instr. */
struct input_instr {
    uint64_t ip;
    uint8_t is_branch, branch_taken;
    uint8_t destination_registers[2], source_registers[4];
    uint64_t destination_memory[2], source_memory[4];
};
enum { SP = 6, FLAGS = 25, IP = 26 };

/* Registers determine which instructions are branches, and their type: ChampSim's
 * inc/instruction.h, struct ooo_model_instr. */
static void champsim_types_of_branches(void **state)
{
    (void)state;
    static const struct {
        uint8_t written[2], read[4];
        const char *op;
    } cases[] = {
        {{IP}, {IP}, "jump"},
        {{IP}, {3}, "indirect-jump"},
        {{IP}, {IP, FLAGS}, "conditional"},
        {{IP, SP}, {IP, SP}, "call"},
        {{IP, SP}, {IP, SP, 3}, "indirect-call"},
        {{IP, SP}, {SP}, "return"},
        {{IP, SP}, {IP, SP, FLAGS}, "branch"},
        {{0}, {0}, NULL},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool marked = i % 2;
        struct input_instr instr = {.ip = 0x400000, .is_branch = marked, .branch_taken = marked};
        struct trace trace;
        memcpy(instr.destination_registers, cases[i / 2].written, sizeof cases->written);
        memcpy(instr.source_registers, cases[i / 2].read, sizeof cases->read);
        trace_decode(&trace, &format_champsim, &instr, sizeof instr);
        if (cases[i / 2].op)
            assert_string_equal(op_of(nth(&trace, SPOOR_FLOW, 0)), cases[i / 2].op);
        else
            assert_int_equal(trace.batch.count, 1);
        assert_true(comes_back(&trace, &instr, sizeof instr));
        trace_free(&trace);
    }
}

static void champsim_fields(void **state)
{
    (void)state;
    static const struct input_instr instr = {.ip = UINT64_C(0xffffffff81000000),
                                             .destination_registers = {0, 3},
                                             .source_registers = {5, 0, 0, 255},
                                             .destination_memory = {0x1000, 0},
                                             .source_memory = {0, 0x2000, 0x3000, 0}};
    static const struct {
        enum spoor_kind kind;
        unsigned op;
        uint64_t address;
        const char *name;
    } effects[] = {
        {SPOOR_REG, SPOOR_REG_READ, 0, "r5"},      {SPOOR_REG, SPOOR_REG_READ, 0, "r255"},
        {SPOOR_MEM, SPOOR_MEM_READ, 0x2000, NULL}, {SPOOR_MEM, SPOOR_MEM_READ, 0x3000, NULL},
        {SPOOR_REG, SPOOR_REG_WRITE, 0, "r3"},     {SPOOR_MEM, SPOOR_MEM_WRITE, 0x1000, NULL},
    };
    char file[sizeof instr + 7] = "";
    struct trace trace;
    memcpy(file, &instr, sizeof instr);
    trace_decode(&trace, &format_champsim, file, sizeof file);
    assert_int_equal(trace.batch.count, 8);
    assert_true(trace.batch.records[0].insn.va == instr.ip);
    for (size_t i = 0; i < 6; i++) {
        const struct spoor_record *record = &trace.batch.records[i + 1];
        assert_int_equal(record->kind, effects[i].kind);
        assert_int_equal(record->op, effects[i].op);
        assert_true(record->has & SPOOR_CONTINUES);
        if (record->kind == SPOOR_MEM) assert_int_equal(record->mem.va, effects[i].address);
        if (record->kind == SPOOR_REG) {
            size_t size;
            assert_string_equal(spoor_names_text(trace.stream.names, record->reg.name, &size),
                                effects[i].name);
        }
    }
    assert_int_equal(trace.batch.records[7].op, SPOOR_NOTE_TRAILING);
    assert_true(comes_back(&trace, file, sizeof file));
    trace_free(&trace);
}

/* Any bytes are records of the two binary formats, and are reproduced. */
/* ---- ChampSim: bytes that are not records ---- */

enum { INSN = 64, INSNS = 200 };

/* A loop of ten instructions of 4 bytes, the last of which jumps back. */
static void put_loop(struct text *file, size_t extra)
{
    static const char more[64] = {0};
    for (unsigned i = 0; i < INSNS; i++) {
        struct input_instr insn = {.ip = 0x400000 + 4 * (i % 10), .destination_registers = {7}};
        insn.source_registers[0] = (uint8_t)(10 + i % 10);
        if (i % 10 == 9) {
            insn.is_branch = insn.branch_taken = 1;
            insn.destination_registers[0] = CHAMPSIM_INSTRUCTION_POINTER;
        }
        if (i % 3 == 0) insn.source_memory[0] = 0x7fff12345678 + 8 * i;
        text_put(file, &insn, sizeof insn);
        text_put(file, more, extra);
    }
}

static void champsim_alignment_is_watched(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < INSN; cut++) {
        struct text file = {0};
        struct trace trace;
        put_loop(&file, 0);
        memmove(file.bytes + 100 * INSN, file.bytes + 100 * INSN + cut,
                file.size - 100 * INSN - cut);
        file.size -= cut;
        trace_decode(&trace, &format_champsim, file.bytes, file.size);
        size_t first = SIZE_MAX;
        for (size_t i = trace.batch.fault_count; i-- > 0;)
            if (strncmp(trace.batch.faults[i].rule, "champsim-", 9) == 0)
                first = trace.batch.faults[i].record;
        assert_int_equal(first == SIZE_MAX, cut == 0);
        size_t before = 0; /* instructions before the fault */
        for (size_t i = 0; i < first && i < trace.batch.count; i++)
            before += trace.batch.records[i].kind == SPOOR_INSN;
        if (cut) assert_in_range(before, 100 - CHAMPSIM_RUN, 100 + CHAMPSIM_RUN);
        assert_true(comes_back(&trace, file.bytes, file.size));
        trace_free(&trace);
        text_free(&file);
    }
}

static void champsim_flags_are_watched(void **state)
{
    (void)state;
    static const struct {
        uint8_t is_branch, taken;
        bool fault;
    } cases[] = {{0, 0, false}, {1, 0, false}, {1, 1, false},
                 {0, 1, true},  {2, 0, true},  {1, 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text file = {0};
        struct trace trace;
        put_loop(&file, 0);
        file.bytes[50 * INSN + 8] = (char)cases[i].is_branch;
        file.bytes[50 * INSN + 9] = (char)cases[i].taken;
        trace_decode(&trace, &format_champsim, file.bytes, file.size);
        assert_int_equal(trace.batch.fault_count, cases[i].fault);
        if (cases[i].fault) assert_string_equal(trace.batch.faults[0].rule, "champsim-flags");
        trace_free(&trace);
        text_free(&file);
    }
}

static void champsim_longer_records_are_named(void **state)
{
    (void)state;
    static const unsigned lengths[] = {80, 104, 128};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct text file = {0};
        struct spoor_ranking found = {.struct_size = sizeof found};
        struct spoor_error error = {0};
        char words[40];
        put_loop(&file, lengths[i] - INSN);
        const struct spoor_head head = {(const uint8_t *)file.bytes, file.size, true};
        assert_int_equal(format_detect(&head, "t", &found, &error), SPOOR_EINPUT);
        snprintf(words, sizeof words, "ChampSim's in records of %u bytes", lengths[i]);
        assert_non_null(strstr(error.text, words));
        text_free(&file);
    }
}

/* ChampSim's inc/trace_instruction.h, with the compiler's padding. */
struct instr_with_load_type {
    struct input_instr instr;
    uint8_t load_type;
};
struct cloudsuite_instr {
    uint64_t ip;
    uint8_t is_branch, branch_taken;
    uint8_t destination_registers[4], source_registers[4], zero[6];
    uint64_t destination_memory[4], source_memory[4];
    uint8_t asid[2], load_type, zeros[5];
};

static void champsim_longer_layouts(void **state)
{
    (void)state;
    enum { INSTRUCTIONS = 40 };
    static struct instr_with_load_type loads[INSTRUCTIONS];
    static struct cloudsuite_instr clouds[INSTRUCTIONS];
    for (size_t i = 0; i < INSTRUCTIONS; i++) {
        const uint64_t pc = 0x400000 + 4 * (i % 10);
        const bool jumps = i % 10 == 9;
        loads[i].instr = (struct input_instr){.ip = pc, .is_branch = jumps, .branch_taken = jumps};
        loads[i].instr.destination_registers[0] = jumps ? IP : 7;
        loads[i].instr.source_memory[0] = 0x7fff0000 + 8 * i;
        loads[i].load_type = (uint8_t)(i % 3);
        clouds[i] = (struct cloudsuite_instr){.ip = pc,
                                              .is_branch = jumps,
                                              .branch_taken = jumps,
                                              .destination_registers = {jumps ? IP : 7, 0, 0, 9},
                                              .source_registers = {3},
                                              .destination_memory = {0, 0, 0, 0x7fff0000},
                                              .source_memory = {0x7fff1000, 0x7fff2000},
                                              .asid = {1, (uint8_t)(i % 2)}};
    }
    const struct {
        const struct spoor_format *format;
        const void *bytes;
        size_t size, accesses;
    } cases[] = {{&format_champsim72, loads, sizeof loads, INSTRUCTIONS},
                 {&format_cloudsuite, clouds, sizeof clouds, 3 * INSTRUCTIONS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_ranking found = {.struct_size = sizeof found};
        struct spoor_error error = {0};
        struct trace trace;
        const struct spoor_head head = {cases[i].bytes, cases[i].size, true};
        assert_int_equal(format_detect(&head, "t", &found, &error), SPOOR_OK);
        assert_ptr_equal(found.best.format, cases[i].format);
        trace_decode(&trace, cases[i].format, cases[i].bytes, cases[i].size);
        assert_int_equal(trace_count(&trace, SPOOR_INSN), INSTRUCTIONS);
        assert_int_equal(trace_count(&trace, SPOOR_FLOW), INSTRUCTIONS / 10);
        assert_int_equal(trace_count(&trace, SPOOR_MEM), cases[i].accesses);
        assert_int_equal(trace.batch.fault_count, 0);
        assert_true(comes_back(&trace, cases[i].bytes, cases[i].size));
        trace_free(&trace);
    }
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    struct numbers numbers = {9};
    for (int round = 0; round < 2000; round++) {
        char bytes[SBBT_HEADER + 200];
        struct trace trace;
        const size_t size = SBBT_HEADER + numbers_below(&numbers, 200);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(numbers_below(&numbers, 3) ? 0 : numbers_next(&numbers));
        trace_decode(&trace, &format_champsim, bytes, size);
        assert_true(comes_back(&trace, bytes, size));
        trace_free(&trace);
        trace_decode(&trace, &format_cloudsuite, bytes, size);
        assert_true(comes_back(&trace, bytes, size));
        trace_free(&trace);
        memcpy(bytes, sbbt_header, SBBT_HEADER);
        trace_decode(&trace, &format_sbbt, bytes, size);
        assert_true(comes_back(&trace, bytes, size));
        trace_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sbbt_fields),
        cmocka_unit_test(sbbt_corners),
        cmocka_unit_test(sbbt_older_layout),
        cmocka_unit_test(sbbt_keeps_its_layout),
        cmocka_unit_test(sbbt_older_published),
        cmocka_unit_test(sbbt_published),
        cmocka_unit_test(bt9_fields),
        cmocka_unit_test(bt9_numbers_without_an_edge),
        cmocka_unit_test(bt9_damage_is_named),
        cmocka_unit_test(champsim_types_of_branches),
        cmocka_unit_test(champsim_fields),
        cmocka_unit_test(champsim_alignment_is_watched),
        cmocka_unit_test(champsim_flags_are_watched),
        cmocka_unit_test(champsim_longer_records_are_named),
        cmocka_unit_test(champsim_longer_layouts),
        cmocka_unit_test(any_bytes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
