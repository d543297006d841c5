/* SPDX-License-Identifier: MIT */
/*
 * test_dialects.c: dialects of one run are oracles for each other; each converts to the other, and
 * each is recognised.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/lines.h"

#include "formats/format.h"

extern const struct spoor_format format_tarmac_fm, format_tarmac_es;

/* ---- the published program in three dialects ---- */

enum dialect_of_run { FAST_MODELS, ES, GEM5, RUNS };
static const char *const paths[RUNS] = {
    "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
    "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
    "traces/tarmac/gem5/calculator-aarch64-gem5.tarmac",
};

static void run_decode(struct trace *trace, enum dialect_of_run run)
{
    size_t size;
    char *bytes = published(paths[run], &size);
    if (!bytes) {
        print_message("%s is not here (set SPOOR_SHARED): skipped\n", paths[run]);
        skip();
    }
    trace_decode(trace, &format_tarmac, bytes, size);
    free(bytes);
}

/* Returns the next instruction from `at` on, or the number of records. */
static size_t next_insn(const struct trace *trace, size_t at)
{
    while (at < trace->batch.count && trace->batch.records[at].kind != SPOOR_INSN) at++;
    return at;
}

static void assert_same_instructions(const struct trace *a, const struct trace *b)
{
    size_t i = next_insn(a, 0), j = next_insn(b, 0), count = 0;
    for (; i < a->batch.count && j < b->batch.count; count++) {
        assert_int_equal(a->batch.records[i].insn.va, b->batch.records[j].insn.va);
        assert_int_equal(a->batch.records[i].insn.opcode, b->batch.records[j].insn.opcode);
        i = next_insn(a, i + 1);
        j = next_insn(b, j + 1);
    }
    assert_true(i == a->batch.count && j == b->batch.count);
    assert_int_equal(count, 4783);
}

/* Computes the values of X0 .. X30 at the end; a write of W is a write of X with zeros above. */
static void last_values(const struct trace *trace, uint64_t values[31])
{
    memset(values, 0, 31 * sizeof *values);
    for (size_t i = 0; i < trace->batch.count; i++) {
        const struct spoor_record *record = &trace->batch.records[i];
        if (record->kind != SPOOR_REG) continue;
        const char *name = spoor_names_text(trace->stream.names, record->reg.name, NULL);
        char *end;
        unsigned long which = strtoul(name + 1, &end, 10);
        if ((*name == 'X' || *name == 'W') && end > name + 1 && !*end && which < 31)
            values[which] = record->reg.value[0];
    }
}

/* ---- accesses of one instruction, byte by byte ---- */

struct byte {
    uint64_t address;
    uint8_t op, value;
};
enum { MAX_BYTES = 256 };
struct bytes {
    struct byte items[MAX_BYTES];
    size_t count;
};

static int compare_bytes(const void *a, const void *b)
{
    const struct byte *one = a, *other = b;
    if (one->address != other->address) return one->address < other->address ? -1 : 1;
    return one->op - other->op;
}

static void add_access(struct bytes *bytes, const struct spoor_mem *mem, uint8_t op)
{
    for (unsigned i = 0; i < mem->size && bytes->count < MAX_BYTES; i++) {
        if (mem->unknown >> i & 1) continue;
        uint8_t value = (uint8_t)(mem->data[i / 8] >> i % 8 * 8);
        bytes->items[bytes->count++] = (struct byte){mem->va + i, op, value};
    }
}

static bool is_load_pair(const struct trace *trace, const struct spoor_record *insn)
{
    const char *disasm = spoor_batch_bytes(&trace->batch, insn->insn.disasm);
    return insn->insn.disasm.size >= 3 && memcmp(disasm, "LDP", 3) == 0;
}

/* Lists the accesses of the instruction at `at`, in the order of addresses.  gem5 prints the loads
 * of LDP as writes of 16 bytes that do not occur in memory: `ldp` counts those that are left out.
 * If it is given, the loads of LDP in other dialects are left out too. */
static void accesses_of(const struct trace *trace, size_t at, size_t *ldp, struct bytes *bytes)
{
    const struct spoor_record *insn = &trace->batch.records[at];
    bool tolerated = ldp && is_load_pair(trace, insn);
    bytes->count = 0;
    for (at++; at < trace->batch.count && trace->batch.records[at].kind != SPOOR_INSN; at++) {
        const struct spoor_record *record = &trace->batch.records[at];
        if (record->kind != SPOOR_MEM) continue;
        if (tolerated)
            *ldp += record->op == SPOOR_MEM_WRITE && record->mem.size == 16;
        else
            add_access(bytes, &record->mem, record->op);
    }
    qsort(bytes->items, bytes->count, sizeof *bytes->items, compare_bytes);
}

/* Returns the number of accesses that were left out. */
static size_t assert_same_memory(const struct trace *a, const struct trace *b, bool set_ldp_aside)
{
    static struct bytes one, other;
    size_t i = next_insn(a, 0), j = next_insn(b, 0), ldp = 0;
    while (i < a->batch.count && j < b->batch.count) {
        accesses_of(a, i, set_ldp_aside ? &ldp : NULL, &one);
        accesses_of(b, j, set_ldp_aside ? &ldp : NULL, &other);
        assert_int_equal(one.count, other.count);
        for (size_t k = 0; k < one.count; k++) {
            assert_int_equal(one.items[k].address, other.items[k].address);
            assert_int_equal(one.items[k].op, other.items[k].op);
            assert_int_equal(one.items[k].value, other.items[k].value);
        }
        i = next_insn(a, i + 1);
        j = next_insn(b, j + 1);
    }
    return ldp;
}

static void one_program_is_the_same_in_three_dialects(void **state)
{
    (void)state;
    struct trace traces[RUNS];
    uint64_t values[RUNS][31];
    for (int run = 0; run < RUNS; run++) {
        run_decode(&traces[run], (enum dialect_of_run)run);
        last_values(&traces[run], values[run]);
        assert_same_instructions(&traces[FAST_MODELS], &traces[run]);
        assert_memory_equal(values[FAST_MODELS], values[run], sizeof values[run]);
    }
    assert_int_equal(assert_same_memory(&traces[FAST_MODELS], &traces[ES], false), 0);
    assert_int_equal(assert_same_memory(&traces[FAST_MODELS], &traces[GEM5], true), 143);
    for (int run = 0; run < RUNS; run++) trace_free(&traces[run]);
}

/* ---- conversion ---- */

static void convert(const struct trace *from, const struct spoor_format *to,
                    struct trace *converted)
{
    struct text out = {0};
    trace_encode(from, to, SPOOR_WRITE_TRACE, &out);
    trace_decode(converted, &format_tarmac, out.bytes, out.size);
    text_free(&out);
}

static void fast_models_to_es_and_back_keeps_content(void **state)
{
    (void)state;
    struct trace before, es, after;
    uint64_t values[2][31];
    run_decode(&before, FAST_MODELS);
    convert(&before, &format_tarmac_es, &es);
    assert_int_equal(es.batch.fault_count, 0);
    assert_int_equal(trace_verbatim(&es), 0);
    convert(&es, &format_tarmac_fm, &after);
    assert_int_equal(after.batch.fault_count, 0);
    assert_same_instructions(&before, &after);
    last_values(&before, values[0]);
    last_values(&after, values[1]);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_int_equal(trace_count(&before, SPOOR_REG), trace_count(&after, SPOOR_REG));
    assert_int_equal(assert_same_memory(&before, &after, false), 0);
    trace_free(&before);
    trace_free(&es);
    trace_free(&after);
}

static void check_conversion(const char *text, const struct spoor_format *to, const char *expected)
{
    struct trace trace;
    struct text out = {0};
    trace_decode(&trace, &format_tarmac, text, strlen(text));
    trace_encode(&trace, to, SPOOR_WRITE_TRACE, &out);
    text_put(&out, "", 1);
    assert_string_equal(out.bytes, expected);
    text_free(&out);
    trace_free(&trace);
}

static void es_is_written_in_its_columns(void **state)
{
    (void)state;
    check_conversion(
        "5 ns IT (3) 00000364 e5c02000 A svc : STRB     r2,[r0,#0]\n"
        "5 ns MW1 b0000003:0000b0000003_NS 65\n"
        "6 ns R r2 00000065\n"
        "7 ns cpu0 IS (4) 00000368 03a06a01 A svc : MOVEQ    r6,#0x1000\n"
        "7 ns MR8 0000000c 11223344_55667788\n",
        &format_tarmac_es,
        "          5 ns  ES  (00000364:e5c02000) A svc:            STRB     r2,[r0,#0]\n"
        "                    ST b0000000 ........ ........ ........ 65......    NS:00b0000000\n"
        "          6 ns      R r2 00000065\n"
        "          7 ns  ES  (00000368:03a06a01) A svc:     CCFAIL MOVEQ    r6,#0x1000\n"
        "                    LD 00000010 ........ ........ ........ 11223344\n"
        "                    LD 00000000 55667788 ........ ........ ........\n");
}

static void fast_models_is_written_from_any_dialect(void **state)
{
    (void)state;
    check_conversion(
        "      41000 ns  ES  (000001a4:03a06a01) A svc:     CCFAIL MOVEQ    r6,#0x1000\n"
        "                    ST 9ffdb810 ....0000 ........ 88888888 88888888    S:009ffdb810    "
        "NM\n"
        "3039 cyc MNW4___D 2002fa00 efbeefbe\n"
        "6379085 cs W04 X ffffffbdc3c15c30 010c010b\n",
        &format_tarmac_fm,
        "41000 ns IS 000001a4 03a06a01 A svc : MOVEQ    r6,#0x1000\n"
        "41000 ns MW8 9ffdb810:00009ffdb810_S 88888888_88888888\n"
        "41000 ns MW2 9ffdb81c:00009ffdb81c_S 0000\n"
        "3039 cyc MW4 2002fa00 beefbeef\n"
        "6379085 cs MW4X ffffffbdc3c15c30 010c010b\n");
}

/* ---- recognising ---- */

static void a_dialect_shows_by_its_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *line, *dialect;
    } cases[] = {
        {"1 clk IT (1) 00008008 a00a T svc_s : ADR", "fast-models"},
        {"1 clk cpu0 IT (1) 002105d4 d2a00200 O EL3h_s :   MOVZ   X0, #16, #16", "gem5"},
        {"41000 ns  ES  (00000000:e59ff018) A svc:  LDR", "es"},
        {"   BR (00000080) A", "es"},
        {"354ns IT 00000350 490d        LDR      r1,[pc,#52]", "rtl-m"},
        {"3041 cyc IT (00022a7c:00000006) 00022a7c 48f6 T16 LDR", "rtl-m"},
        {"948756 ns IT (00000000:00000000) 00000000 ea000006 A :   B", "rtl-r"},
        {"1 ns MNW4____ (00000050:000000a8) 05011000 00000003", "rtl-r"},
        {"6000000 cs IT (00000000004d6eb8) 54fffea1 O  ---_- : b.ne", "cs"},
        {"5 ps BNR4___I 00000000 00800320", "rtl-m"},
        {"5 ps INFO_EXCEPTION_REASON: PHASE=RAISE", "fast-models"},
        {"27 clk IT(27) 000080ac 2016 T thread : MOVS", "fast-models"},
        {"1 clk R r0 00000000", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        trace_decode(&trace, &format_tarmac, cases[i].line, strlen(cases[i].line));
        const char *dialect = spelling_dialect(&trace.stream, trace.batch.records[0].spelling);
        if (cases[i].dialect)
            assert_string_equal(dialect, cases[i].dialect);
        else
            assert_null(dialect);
        trace_free(&trace);
    }
}

static void only_the_dialect_that_was_asked_for_is_read(void **state)
{
    (void)state;
    static const char text[] = "1 ns  ES  (00000000:e59ff018) A svc:  LDR\n"
                               "1 ns IT (1) 00008008 a00a T svc_s : ADR\n"
                               "1 ns R r0 00000000\n";
    struct spoor_decode_options options = {.dialect = "es"};
    struct trace trace;
    trace_decode_with(&trace, &format_tarmac, text, strlen(text), &options);
    assert_int_equal(trace_count(&trace, SPOOR_INSN), 1);
    assert_int_equal(trace_count(&trace, SPOOR_REG), 1);
    assert_int_equal(trace.batch.fault_count, 1);
    assert_int_equal(trace.batch.faults[0].record, 1);
    trace_free(&trace);
}

static void every_dialect_is_found_by_its_content(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "      41000 ns  ES  (00000000:e59ff018) A svc:            LDR      pc,{pc}+0x20\n"
        "                    LD 00000020  ........ ........ ........ 00000080     0000000020\n",
        "    6000000 cs IT (00000000004d6eb8) 54fffea1 O  ---_- :        b.ne\t0x4d6e8c\n"
        "    6000001 cs R08 0000007f99d14af4 4305000042ea0000\n",
        "      3041 cyc IT (00022a7c:00000006) 00022a7c     48f6 T16 LDR      r0,[pc,#984]\n"
        "      3039 cyc MNW4___D 2002fa00 efbeefbe\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct spoor_head head = {(const uint8_t *)texts[i], strlen(texts[i]), true};
        struct spoor_ranking found = {.struct_size = sizeof found};
        struct spoor_error error = {0};
        assert_int_equal(format_detect(&head, "a", &found, &error), SPOOR_OK);
        assert_ptr_equal(found.best.format, &format_tarmac);
    }
}

/* ---- lines that continue the previous line ---- */

static void decode_piece(struct trace *trace, struct carry *carry, const char *text)
{
    struct decoder decoder = {.names = trace->stream.names, .spellings = trace->stream.spellings};
    size_t size = strlen(text);
    spoor_batch_clear(&trace->batch);
    memcpy(trace->batch.text, text, size + 1);
    memset(trace->batch.text + size, 0, 64);
    trace->batch.text_size = size;
    format_decode(&format_tarmac, &decoder, NULL, &trace->batch);
    format_tarmac.resolve(carry, &trace->batch);
}

static void a_diagram_goes_on_across_batches(void **state)
{
    (void)state;
    static const char head[] =
        "1 tic ES  (000000d8:c878)     T thrd_s:         LDMCS    r0!,{r3}\n"
        "                    LD 00004020  ........ ........ ........ 4545203e\n";
    static const char tail[] =
        "# a comment\n"
        "                       00004010  3e000a73 ........ ........ ........\n"
        "1 tic R r0 00000000\n"
        "                       00004000  3e000a73 ........ ........ ........\n";
    static const char capacity[4096];
    struct trace trace;
    struct carry carry = {0};
    trace_decode(&trace, &format_tarmac, capacity, sizeof capacity);
    decode_piece(&trace, &carry, head);
    assert_int_equal(trace_count(&trace, SPOOR_MEM), 1);
    decode_piece(&trace, &carry, tail);
    assert_int_equal(trace.batch.records[1].kind, SPOOR_MEM);
    assert_int_equal(trace.batch.records[1].op, SPOOR_MEM_READ);
    assert_int_equal(trace.batch.records[1].mem.va, 0x401c);
    assert_int_equal(trace.batch.records[1].mem.size, 4);
    assert_int_equal(trace.batch.records[1].time, 1);
    assert_int_equal(trace.batch.fault_count, 1);
    assert_int_equal(trace.batch.faults[0].record, 3);
    decode_piece(&trace, &carry, tail); /* after a line that is a note */
    assert_int_equal(trace.batch.records[1].kind, SPOOR_NOTE);
    assert_int_equal(trace.batch.fault_count, 2);
    assert_int_equal(trace.batch.faults[0].record, 1);
    assert_int_equal(trace.batch.faults[1].record, 3);
    trace_free(&trace);
}

/* ---- lines that lost the newline between them ---- */

static void a_second_record_on_a_line_is_pointed_at(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t column;
    } cases[] = {
        {"1 clk IT (1) 00008008 a00a T svc_s : ADR r0 2 clk cpu0 R r10 000029b4", 45},
        {"1 clk MR4 00008034 000012 clk MR4 00008034 000029b4", 20},
        {"1 ns ES (00000170:ee010f10) A svc: MCR                  R R0 (USR) 00c50878", 57},
        {"1 clk R r0 0000 20 tic ES  (000000d8:c878) T thrd_s: LDM", 17},
    };
    static const char next[] = "\n2 clk R r1 00000001\n";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        struct text text = {0};
        text_printf(&text, "%s%s", cases[i].line, next);
        trace_decode(&trace, &format_tarmac, text.bytes, text.size);
        assert_int_equal(trace.batch.count, 2);
        assert_int_equal(trace.batch.records[0].kind, SPOOR_NOTE);
        assert_int_equal(trace.batch.records[1].kind, SPOOR_REG);
        assert_int_equal(trace.batch.fault_count, 1);
        assert_int_equal(trace.batch.faults[0].column, cases[i].column);
        assert_string_equal(trace.batch.faults[0].expected,
                            "the end of the line: another record begins here");
        trace_free(&trace);
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_program_is_the_same_in_three_dialects),
        cmocka_unit_test(fast_models_to_es_and_back_keeps_content),
        cmocka_unit_test(es_is_written_in_its_columns),
        cmocka_unit_test(fast_models_is_written_from_any_dialect),
        cmocka_unit_test(a_dialect_shows_by_its_spelling),
        cmocka_unit_test(only_the_dialect_that_was_asked_for_is_read),
        cmocka_unit_test(every_dialect_is_found_by_its_content),
        cmocka_unit_test(a_diagram_goes_on_across_batches),
        cmocka_unit_test(a_second_record_on_a_line_is_pointed_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
