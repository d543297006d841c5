/* SPDX-License-Identifier: MIT */
/* test_commit.c: Spike's commit logs, riscv-dv's CSV and QEMU's execlog, from the examples of their
 * documents. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/commit/commit.h"
#include "formats/format.h"
#include "formats/support.h"
#include "formats/text_samples.h"

extern const struct spoor_format format_spike, format_riscv_dv, format_execlog;

#define TITLE "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n"

static void put_word(struct text *out, const struct trace *trace, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(trace->stream.names, name, &size);
    text_put(out, text, size);
}

static void put_insn(struct text *out, const struct trace *trace, const struct spoor_record *record)
{
    const struct spoor_insn *insn = &record->insn;
    text_printf(out, "insn");
    if (record->op == SPOOR_INSN_AGAIN) text_puts(out, " again");
    if (record->has & SPOOR_HAS_VA) text_printf(out, " %" PRIx64, insn->va);
    if (record->has & SPOOR_HAS_DATA)
        text_printf(out, " %" PRIx64 "/%u", insn->opcode, insn->opcode_size);
    if (record->has & SPOOR_HAS_EXTRA) {
        text_puts(out, " mode ");
        put_word(out, trace, insn->mode);
    }
    if (insn->disasm.size) {
        text_puts(out, " '");
        text_put(out, spoor_batch_bytes(&trace->batch, insn->disasm), insn->disasm.size);
        text_puts(out, "'");
    }
    struct spoor_ref extra;
    const size_t index = (size_t)(record - trace->batch.records);
    if (!spoor_batch_find_spill(&trace->batch, index, SPOOR_SPILL_FIELD, &extra)) return;
    text_puts(out, " extra '");
    text_put(out, spoor_batch_bytes(&trace->batch, extra), extra.size);
    text_puts(out, "'");
}

static void put_reg(struct text *out, const struct trace *trace, const struct spoor_record *record)
{
    text_puts(out, "reg ");
    put_word(out, trace, record->reg.name);
    text_printf(out, "=%" PRIx64 "/%u", record->reg.value[0], record->reg.bits);
}

static void put_mem(struct text *out, const struct trace *trace, const struct spoor_record *record)
{
    const struct spoor_mem *mem = &record->mem;
    struct spoor_ref type;
    const size_t index = (size_t)(record - trace->batch.records);
    text_printf(out, "%s %s%" PRIx64, spoor_op_name(record), record->has & SPOOR_HAS_VA ? "" : ":",
                record->has & SPOOR_HAS_VA ? mem->va : mem->pa);
    if (record->has & SPOOR_HAS_DATA) text_printf(out, "=%" PRIx64, mem->data[0]);
    if (mem->size) text_printf(out, "/%u", mem->size);
    if (!spoor_batch_find_spill(&trace->batch, index, SPOOR_SPILL_MEMTYPE, &type)) return;
    text_puts(out, " ");
    text_put(out, spoor_batch_bytes(&trace->batch, type), type.size);
}

static void put_event(struct text *out, const struct trace *trace,
                      const struct spoor_record *record)
{
    text_printf(out, "%s ", spoor_op_name(record));
    put_word(out, trace, record->event.name);
    text_printf(out, " %" PRIx64, record->event.value);
}

/* Writes all fields of a record as text; fields that are not stated are absent. */
static void put_fields(struct text *out, const struct trace *trace,
                       const struct spoor_record *record)
{
    if (record->has & SPOOR_CONTINUES) text_puts(out, "+");
    if (record->has & SPOOR_HAS_CPU) {
        put_word(out, trace, record->cpu);
        text_puts(out, ":");
    }
    switch (record->kind) {
    case SPOOR_INSN: put_insn(out, trace, record); break;
    case SPOOR_REG: put_reg(out, trace, record); break;
    case SPOOR_MEM: put_mem(out, trace, record); break;
    case SPOOR_EVENT: put_event(out, trace, record); break;
    default: text_printf(out, "note %s", spoor_op_name(record));
    }
    text_puts(out, ";");
}

struct example {
    const char *line, *fields;
};

/* Checks that each line has these fields, is not verbatim, and is reproduced. */
static void check(const struct spoor_format *format, const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text fields = {0};
        struct trace trace;
        const size_t size = strlen(examples[i].line);
        trace_decode(&trace, format, examples[i].line, size);
        assert_int_equal(trace_verbatim(&trace), 0);
        assert_int_equal(trace.batch.fault_count, 0);
        for (size_t j = 0; j < trace.batch.count; j++)
            put_fields(&fields, &trace, &trace.batch.records[j]);
        assert_true(text_is(&fields, examples[i].fields, strlen(examples[i].fields)));
        assert_true(round_trips(format, examples[i].line, size));
        trace_free(&trace);
        text_free(&fields);
    }
}

static void spike_fields(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"core   0: 3 0x0000000080000250 (0x638c) x11 0x0000000080001d68 mem 0x0000000080001d90\n",
         "0:insn 80000250 638c/2 mode 3;+0:reg x11=80001d68/64;+0:read 80001d90;"},
        {"core   0: 3 0x0000000080001bf4 (0xe11c) mem 0x0000000080002050 0x0000000080002060\n",
         "0:insn 80001bf4 e11c/2 mode 3;+0:write 80002050=80002060/8;"},
        {"core   0: 3 0x0000000080000034 (0x00628823) mem 0x0000000080000110 0x88\n",
         "0:insn 80000034 628823/4 mode 3;+0:write 80000110=88/1;"},
        {"3 0x00001000 (0x00000297) x 5 0x00001000\n", "insn 1000 297/4 mode 3;+reg x5=1000/32;"},
        {"core   1: 3 0x0000000080000040 (0x30529073) c773_mtvec 0x0000000080000100\n",
         "1:insn 80000040 30529073/4 mode 3;+1:reg c773_mtvec=80000100/64;"},
        {"core   0: 0x0000000080000000 (0x00000517) auipc   a0, 0x0\n",
         "0:insn 80000000 517/4 'auipc   a0, 0x0';"},
        {"core   0: exception trap_illegal_instruction, epc 0x000000008000017c\n",
         "0:exception trap_illegal_instruction 8000017c;"},
        {"core   0:           tval 0x0000000031ff9493\n", "0:debug tval 31ff9493;"},
        {"core   0: >>>>  trap_vector\n", "note comment;"},
        {"# from a co-simulator\n", "note comment;"},
        {"core   0: 3 0 0x0000100c (0x0182a283) x5  0x80000000 mem 0x00001018\n",
         "0:insn 100c 182a283/4 mode 3;+0:reg x5=80000000/32;+0:read 1018;"},
        {"(spike) core   0: 0x0000000080000000 (0x00000517) auipc   a0, 0x0\n",
         "0:insn 80000000 517/4 'auipc   a0, 0x0';"},
        {"(spike) (spike) 3 0x80000000 (0x6f) x1  0x80000004\n",
         "insn 80000000 6f/4 mode 3;+reg x1=80000004/32;"},
        {"(spike) until pc 0 80000000\n", "note comment;"},
        {"(spike) core   0: >>>>  main\n", "note comment;"},
        {"(spike) \n", "note comment;"},
    };
    check(&format_spike, examples, sizeof examples / sizeof *examples);
}

/* With both -l and --log-commits an instruction is printed twice, with its disassembly and with its
 * effects; each iteration of a loop of one instruction is printed again. */
static void spike_tells_twice(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"core   0: 0x80000000 (0x0000006f) j pc\ncore   0: 3 0x80000000 (0x0000006f)\n"
         "core   0: 0x80000000 (0x0000006f) j pc\ncore   0: 3 0x80000000 (0x0000006f)\n",
         "0:insn 80000000 6f/4 'j pc';0:insn again 80000000 6f/4 mode 3;"
         "0:insn 80000000 6f/4 'j pc';0:insn again 80000000 6f/4 mode 3;"},
        {"3 0x80000000 (0x0000006f)\n3 0x80000000 (0x0000006f)\n",
         "insn 80000000 6f/4 mode 3;insn 80000000 6f/4 mode 3;"},
        {"core   0: 0x80000000 (0x0000006f) j pc\ncore   1: 3 0x80000000 (0x0000006f)\n",
         "0:insn 80000000 6f/4 'j pc';1:insn 80000000 6f/4 mode 3;"},
        /* the commit line of older versions names no core: it belongs to the core of the previous
         * line */
        {"core   0: 0x80000000 (0x0000006f) j pc\n3 0x80000000 (0x0000006f) x1 0x4 mem 0x8\n"
         "3 0x80000000 (0x0000006f)\n",
         "0:insn 80000000 6f/4 'j pc';0:insn again 80000000 6f/4 mode 3;+0:reg x1=4/4;"
         "+0:read 8;insn 80000000 6f/4 mode 3;"},
        {"core   1: 0x80000000 (0x0000006f) j pc\n3 0x80000004 (0x0000006f) x1 0x4\n",
         "1:insn 80000000 6f/4 'j pc';insn 80000004 6f/4 mode 3;+reg x1=4/4;"},
    };
    check(&format_spike, examples, sizeof examples / sizeof *examples);
}

static void lines_name_their_dialect(void **state)
{
    (void)state;
    static const struct {
        const struct spoor_format *format;
        const char *line, *dialect;
    } cases[] = {
        {&format_spike, "core   0: 3 0x80 (0x6f) x5  0x4\n", "core"},
        {&format_spike, "core   0: 3 0 0x80 (0x6f) x5  0x4\n", "numbers"},
        {&format_spike, "(spike) core   0: 3 0 0x80 (0x6f)\n", "numbers"},
        {&format_spike, "3 0x80 (0x6f) x5  0x4\n", "bare"},
        {&format_spike, "core   0: 0x80 (0x6f) j pc\n", NULL},
        {&format_spike, "core   0: exception trap_breakpoint, epc 0x80\n", NULL},
        {&format_riscv_dv, "80,j,,,6f,3,j,\n", "columns-8"},
        {&format_riscv_dv, "80,j,ra:84;a0:000000000000000000000,,6f,3,j,,\n", "columns-9"},
        {&format_riscv_dv, "80,j,ra:84,,6f,3,\"j 4\",\"4\",,1,2,3\n", "columns-more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *line = cases[i].line;
        struct trace trace;
        trace_decode(&trace, cases[i].format, line, strlen(line));
        assert_int_equal(trace.batch.fault_count, 0);
        const char *dialect = spelling_dialect(&trace.stream, trace.batch.records[0].spelling);
        assert_int_equal(!dialect, !cases[i].dialect);
        if (dialect) assert_string_equal(dialect, cases[i].dialect);
        trace_free(&trace);
    }
}

static void riscv_dv_fields(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {TITLE "ffffffff80000012,addi,sp:ff8e6541,,54110113,3,\"addi    sp, sp, 1345\","
               "\"sp,sp,1345\",\n",
         "note header;insn ffffffff80000012 54110113/4 mode 3 'addi    sp, sp, 1345';"
         "+reg sp=ff8e6541/32;"},
        {TITLE "80000020,csrrw,t0:00000001;t1:2,mstatus:1800,30529073,3,"
               "\"csrrw   t0, mstatus, t1\",\"t0,mstatus,t1\",\n",
         "note header;insn 80000020 30529073/4 mode 3 'csrrw   t0, mstatus, t1';"
         "+reg t0=1/32;+reg t1=2/4;+reg mstatus=1800/16;"},
        {TITLE "00400004,,,,00a00113,3,,,\n", "note header;insn 400004 a00113/4 mode 3;"},
        {TITLE ",,,,,,,,\n", "note header;insn;"},
        {"pc,instr,gpr,csr,binary,mode,instr_str,operand\n"
         "00001000,,ra:1000,,000010b7,PRV_M,,\n",
         "note header;insn 1000 10b7/4 mode PRV_M;+reg ra=1000/16;"},
        {"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad,mstatus,frm\n"
         "200,nop,,,00000013,3,nop,,,a00000000,0\n204,addi,a0:1,,00150513,3,addi,,,,\n",
         "note header;insn 200 13/4 mode 3 'nop' extra 'a00000000,0';"
         "insn 204 150513/4 mode 3 'addi' extra ',';+reg a0=1/4;"},
    };
    check(&format_riscv_dv, examples, sizeof examples / sizeof *examples);
}

static void execlog_fields(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"# vCPU, vAddr, opcode, disassembly[, load/store, memory addr, device]...\n",
         "note comment;"},
        {"0, 0xa12, 0xf8012400, \"movs r4, #0\"\n", "0:insn a12 f8012400/0 'movs r4, #0';"},
        {"0, 0xa18, 0xfff94803, \"ldr r0, [pc, #0xc]\", load, 0x00010a28, RAM\n",
         "0:insn a18 fff94803/0 'ldr r0, [pc, #0xc]';+0:read :10a28 RAM;"},
        {"0, 0xd30, 0xfff9b510, \"push {r4, lr}\", store, 0x20003ee0, RAM, store, 0x20003ee4, "
         "RAM\n",
         "0:insn d30 fff9b510/0 'push {r4, lr}';+0:write :20003ee0 RAM;+0:write :20003ee4 RAM;"},
        {"0, 0x4007c0, 0xa4004b80, \".byte 0x80\", load, 0x5500800370, load, 0x5500800371\n",
         "0:insn 4007c0 a4004b80/0 '.byte 0x80';+0:read 5500800370;+0:read 5500800371;"},
        {"1, 0x1000, 0x297, \"auipc t0, 0\", t0 -> 0x0000000000001000\n",
         "1:insn 1000 297/0 'auipc t0, 0';+1:reg t0=1000/64;"},
    };
    check(&format_execlog, examples, sizeof examples / sizeof *examples);
}

static void damage_is_named(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {&format_spike, "core 0 3 0x80 (0x6f)", 7, "':' after the core"},
        {&format_spike, "3 80000000 (0x6f)", 3, "0x and the address of the instruction"},
        {&format_spike, "3 0x80000000 0x6f", 14, "( before the opcode"},
        {&format_spike, "3 0x80000000 (0x6f", 19, ") after the opcode"},
        {&format_spike, "3 0x80 (0x6f) x5 12", 18, "0x and the value of the register"},
        {&format_spike, "3 0x80 (0x6f) mem 12", 19, "0x and the address of the access"},
        {&format_spike, "core 0: exception trap", 23, ", epc"},
        {&format_riscv_dv, "12,bad", 7, "a comma after the instruction's name"},
        {&format_riscv_dv, "zz,addi,,,13,3,,,", 1, "the pc in hexadecimal and a comma"},
        {&format_riscv_dv, "12,addi,a0=1,,13,3,,,", 11, "':' and the value of the register"},
        {&format_execlog, "x", 2, "a comma after the processor"},
        {&format_execlog, "0, 10, 0x0, \"nop\"", 4, "0x and the address"},
        {&format_execlog, "0, 0x10, 0x0, nop", 15, "the quoted disassembly"},
        {&format_execlog, "0, 0x10, 0x0, \"nop", 16, "a quote after the disassembly"},
        {&format_execlog, "0, 0x10, 0x0, \"nop\", load, 5", 28, "0x and the address of the access"},
    };
    demand_refusals(cases, sizeof cases / sizeof *cases);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(round_trips(cases[i].format, cases[i].line, strlen(cases[i].line)));
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    static const char bytes[] = "0123abcxX,: ()\";\t\r\n->core mem load store#";
    static const struct spoor_format *const formats[] = {&format_spike, &format_riscv_dv,
                                                         &format_execlog};
    struct numbers numbers = {6};
    for (int round = 0; round < 20000; round++) {
        char line[60];
        const size_t size = numbers_below(&numbers, sizeof line);
        for (size_t i = 0; i < size; i++)
            line[i] = bytes[numbers_below(&numbers, sizeof bytes - 1)];
        for (size_t i = 0; i < 3; i++) assert_true(round_trips(formats[i], line, size));
    }
}

/* Lines of traces with a few bytes changed, and several of them after each other. */
static void damaged_lines_come_back(void **state)
{
    (void)state;
    enum { ROUNDS = 1500, LINES = 3, CHANGES = 3 };
    static const char bytes[] = "0179afxX,: ()[]'=;#\\\t-+RMmvc";
    struct numbers numbers = {7};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct spoor_format *format = spoor_format_find(samples[i].format);
        size_t count = 0;
        assert_non_null(format);
        if (!format->text || format->text->begin_batch != commit_begin_batch) continue;
        while (samples[i].lines[count]) count++;
        for (int round = 0; round < ROUNDS; round++) {
            struct text text = {0};
            for (int line = 0; line < LINES; line++) {
                text_puts(&text, samples[i].lines[numbers_below(&numbers, count)]);
                text_puts(&text, "\n");
            }
            for (uint64_t n = numbers_below(&numbers, CHANGES + 1); n > 0; n--)
                text.bytes[numbers_below(&numbers, text.size)] =
                    bytes[numbers_below(&numbers, sizeof bytes - 1)];
            assert_true(round_trips(format, text.bytes, text.size));
            text_free(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spike_fields),
        cmocka_unit_test(spike_tells_twice),
        cmocka_unit_test(lines_name_their_dialect),
        cmocka_unit_test(riscv_dv_fields),
        cmocka_unit_test(execlog_fields),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(damaged_lines_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
