/* SPDX-License-Identifier: MIT */
/*
 * test_oracle.c: lines from published traces, compared with the results of Arm's
 * tarmac-trace-utilities (oracles/tarmac/parsertest*.ref).
 *
 * Each event of the reference must be in the record of its line.  If the two differ, the line is in
 * a table below with the reason; an entry that is no longer needed is a failure.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/lines.h"

/* Lines on which the utilities lose information; docs/formats/tarmac-dialects.md has the same list.
 */
static const struct exception {
    const char *line; /* a part of it */
    const char *event;
    const char *why;
} table[] = {
    {"R r14_svc 00008004", "RegisterEvent", "a banked register is not r14"},
    {"R SP_EL3 ", "RegisterEvent", "nor SP_EL3 the stack pointer of all levels"},
    {"R SP_EL2 ", "RegisterEvent", "the same"},
    {"R r13_main_s ", "RegisterEvent", "a banked register"},
    {"R MSP_S ", "RegisterEvent", "a banked register"},
    {"R MSP ", "RegisterEvent", "a banked register"},
    {"R SP ", "RegisterEvent", "a name is as printed"},
    {"R E15 ", "RegisterEvent", "a name is as printed"},
    {"R FPCR 01230123:23452345", "RegisterEvent", "64 bits are cut to 32"},
    {"R FPCR fedcba9876543210", "RegisterEvent", "64 bits are cut to 32"},
    {"R cpsr 1220023cd", "RegisterEvent", "36 bits are cut to 32"},
    {"R psr xx0xxXxx", "RegisterEvent", "unknown digits become zeros"},
    {"R fpscr xXX000Xx", "RegisterEvent", "unknown digits become zeros"},
    {"R V5<63:0> 00000000", "RegisterEvent", "32 digits are made 64"},
    {"R V5<127:64> 00000000", "RegisterEvent", "32 digits are made 64"},
    {"MR4 dfdfdfcf (ABORTED)", "TextOnlyEvent", "an access that aborted is an access"},
    {"MNR4O__I ", "TextOnlyEvent", "an instruction fetch is an access"},
    {"MR2_I 0000010a", "MemoryEvent", "4 bytes of data are of an access of 2"},
};
enum { TABLE = sizeof table / sizeof *table };
static int needed[TABLE];

static bool is_excepted(const char *line, const char *event)
{
    for (size_t i = 0; i < TABLE; i++)
        if (strstr(line, table[i].line) &&
            strncmp(event, table[i].event, strlen(table[i].event)) == 0) {
            needed[i]++;
            return true;
        }
    return false;
}

/* ---- the fields of an event: "name=value" ---- */

static bool find(const char *event, const char *name, const char **value)
{
    char key[32];
    snprintf(key, sizeof key, " %s=", name);
    const char *at = strstr(event, key);
    if (at) *value = at + strlen(key);
    return at != NULL;
}

static uint64_t number(const char *event, const char *name, int base)
{
    const char *value = "";
    find(event, name, &value);
    return strtoull(value, NULL, base);
}

static bool says(const char *event, const char *name, const char *word)
{
    const char *value = "";
    return find(event, name, &value) && strncmp(value, word, strlen(word)) == 0;
}

/* ---- one kind of event against a record ---- */

static bool same_insn(const struct trace *trace, const struct spoor_record *record,
                      const char *event)
{
    const struct spoor_insn *insn = &record->insn;
    const char *iset = insn->iset == 'A' ? "ARM" : insn->iset == 'T' ? "Thumb" : "A64", *text = "";
    bool failed = says(event, "effect", "fetchfail"), skipped = says(event, "effect", "ccfail");
    find(event, "disassembly", &text);
    const char *disasm = spoor_batch_bytes(&trace->batch, insn->disasm);
    size_t size = strrchr(text, '"') ? (size_t)(strrchr(text, '"') - text - 1) : 0;
    while (size && text[size] == ' ')
        size--; /* spaces at the end of the line belong to the
                 * spelling */
    return record->kind == SPOOR_INSN && insn->va == number(event, "pc", 16) &&
           says(event, "iset", iset) &&
           (failed || 8u * insn->opcode_size == number(event, "width", 10)) &&
           failed == !(record->has & SPOOR_HAS_DATA) &&
           (failed || insn->opcode == number(event, "instruction", 16)) &&
           record->op == (skipped ? SPOOR_INSN_SKIPPED : SPOOR_INSN_TAKEN) &&
           size == insn->disasm.size && memcmp(text + 1, disasm, size) == 0;
}

static unsigned digit_of(const struct trace *trace, const struct spoor_reg *reg, unsigned i)
{
    if (reg->wide.size)
        return (unsigned char)spoor_batch_bytes(&trace->batch, reg->wide)[i / 2] >> 4 * (i & 1) &
               15;
    return (unsigned)(reg->value[i / 16] >> 4 * (i % 16)) & 15;
}

/* True if the written bytes, from `offset` on, the highest first, are those of the reference. */
static bool same_bytes(const struct trace *trace, const struct spoor_reg *reg, const char *event)
{
    unsigned first = 0, digits = reg->bits / 4u;
    uint64_t offset = number(event, "offset", 10);
    if (reg->wide.size == 0) {
        while (first < digits && reg->unknown >> first & 1) first++;
        while (digits > first && reg->unknown >> (digits - 1) & 1) digits--;
    }
    if (offset != first / 2 + reg->low / 8u) return false;
    const char *at = strstr(event, " bytes=") + 7;
    for (unsigned i = digits; i-- > first; at += at[1] == ':' ? 2 : 1) {
        char digit[2] = {*at, '\0'};
        if (strtoul(digit, NULL, 16) != digit_of(trace, reg, i)) return false;
    }
    return strspn(at, "0123456789abcdef:") == 0;
}

static bool same_reg(const struct trace *trace, const struct spoor_record *record,
                     const char *event)
{
    size_t size;
    const char *name = spoor_names_text(trace->stream.names, record->reg.name, &size), *wanted = "";
    find(event, "reg", &wanted);
    if (strncasecmp(name, "cpsr", size) == 0) name++, size--;
    return record->kind == SPOOR_REG && strncasecmp(name, wanted, size) == 0 &&
           wanted[size] == ' ' && same_bytes(trace, &record->reg, event);
}

static bool same_mem(const struct spoor_record *record, const char *event)
{
    const struct spoor_mem *mem = &record->mem;
    uint64_t from = number(event, "addr", 16) - mem->va, size = number(event, "size", 10);
    uint64_t contents = number(event, "contents", 16);
    bool reads = record->op == SPOOR_MEM_READ || record->op == SPOOR_MEM_FETCH;
    if (record->kind != SPOOR_MEM || reads != says(event, "read", "true") ||
        from + size > mem->size || mem->data_digits > 2 * mem->size)
        return false;
    for (uint64_t i = from; i < from + size; i++, contents >>= 8) {
        bool known = record->has & SPOOR_HAS_DATA && !(mem->unknown >> i & 1);
        uint64_t byte = mem->data[i / 8] >> 8 * (i % 8) & 0xff;
        if (known != says(event, "known", "true") || (known && byte != (contents & 0xff)))
            return false;
    }
    return true;
}

static bool same_event(const struct trace *trace, const struct spoor_record *record,
                       const char *event)
{
    if (record->time != number(event, "time", 10)) return false;
    if (strncmp(event, "InstructionEvent", 16) == 0) return same_insn(trace, record, event);
    if (strncmp(event, "RegisterEvent", 13) == 0) return same_reg(trace, record, event);
    if (strncmp(event, "MemoryEvent", 11) == 0) return same_mem(record, event);
    return record->kind == SPOOR_EVENT || record->kind == SPOOR_FLOW;
}

/* Every accessed byte of a diagram is in an event: their sizes add up. */
static bool sizes_add_up(const struct spoor_record *record, uint64_t sizes)
{
    if (record->kind != SPOOR_MEM || sizes == 0) return true;
    unsigned gaps = record->mem.attr & SPOOR_MEM_GAPS ? record->mem.unknown : 0;
    return sizes + (unsigned)__builtin_popcount(gaps) == record->mem.size;
}

/* ---- the reference: "--- Tarmac line: <line>" and its events ---- */

static const char marker[] = "--- Tarmac line: ";

static void compare(const char *path, const struct spoor_decode_options *options)
{
    char reference[200];
    const char *line = "";
    snprintf(reference, sizeof reference, "oracles/tarmac/%s.ref", path);
    size_t size, lines = 0, at = 0;
    char name[200];
    snprintf(name, sizeof name, "traces/tarmac/forms/%s.txt", path);
    char *bytes = published(name, &size), *oracle = published(reference, &(size_t){0});
    if (!bytes || !oracle) {
        print_message("%s is not here (set SPOOR_SHARED): skipped\n", name);
        skip();
    }
    struct trace trace;
    trace_decode_with(&trace, &format_tarmac, bytes, size, options);
    const struct spoor_record *record = NULL;
    uint64_t sizes = 0;
    for (char *next, *row = oracle; row && *row; row = next) {
        next = strchr(row, '\n');
        if (next) *next++ = '\0';
        if (strncmp(row, marker, sizeof marker - 1) == 0) {
            if (record && !sizes_add_up(record, sizes) && !is_excepted(line, "MemoryEvent"))
                fail_msg("%s: bytes that no event has", line);
            line = row + sizeof marker - 1;
            sizes = 0;
            do record = &trace.batch.records[at++];
            while (record->kind == SPOOR_NOTE && record->op != SPOOR_NOTE_HEADER);
            assert_true(at <= trace.batch.count);
            lines++;
        } else if (strncmp(row, "* ", 2) == 0) {
            if (strncmp(row + 2, "MemoryEvent", 11) == 0) sizes += number(row, "size", 10);
            if (!same_event(&trace, record, row + 2) && !is_excepted(line, row + 2))
                fail_msg("%s\nis not: %s", line, row);
        }
    }
    assert_true(lines > 10);
    assert_int_equal(trace.batch.fault_count, 0);
    trace_free(&trace);
    free(bytes);
    free(oracle);
}

static void wild_lines_are_what_they_are_elsewhere(void **state)
{
    (void)state;
    compare("parsertest", NULL);
}

static void silent_instructions_are_thumb_where_the_reader_is_told(void **state)
{
    (void)state;
    compare("parsertest-implicit-thumb", &(struct spoor_decode_options){.implicit_thumb = true});
}

static void every_exception_is_needed(void **state)
{
    (void)state;
    size_t used = 0;
    for (size_t i = 0; i < TABLE; i++) used += needed[i] != 0;
    if (used == 0) skip();
    for (size_t i = 0; i < TABLE; i++)
        if (!needed[i]) fail_msg("'%s' (%s) is not needed any more", table[i].line, table[i].why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wild_lines_are_what_they_are_elsewhere),
        cmocka_unit_test(silent_instructions_are_thumb_where_the_reader_is_told),
        cmocka_unit_test(every_exception_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
