/* SPDX-License-Identifier: MIT */
/*
 * test_operands.c: the registers that opcodes write, compared with traces that print every register
 * that was written.
 *
 * The trace is right about the written registers; a register that the opcode's table does not have
 * is a gap in the table.  The traces are published ones and our own examples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/operands.h"
#include "views/published.h"

/* Returns the number of a register from its name; -1: it is not one of enum isa_register. */
static int number_of(const char *text, size_t size, enum isa isa)
{
    struct register_name name;
    register_canonical(text, size, isa, &name);
    const char *digits = name.text + strcspn(name.text, "0123456789");
    const bool numbered =
        *digits && digits == name.text + 1 && strspn(digits, "0123456789") == strlen(digits);
    if (name.zero) return -1;
    if (isa == ISA_AARCH64 && strncmp(name.text, "sp", 2) == 0) return ISA_STACK_POINTER_A64;
    if (!numbered) return -1;
    const int number = atoi(digits);
    switch (name.text[0]) {
    case 'x':
    case 'r': return number < 15 || isa != ISA_AARCH32 ? number : -1;
    case 'f': return isa == ISA_RISCV ? ISA_VECTOR + number : -1;
    case 'v': return isa == ISA_AARCH64 ? ISA_VECTOR + number : -1;
    default: return -1;
    }
}

struct tally {
    unsigned instructions, known, writes, missing;
};

static bool writes(const struct isa_operands *operands, int reg)
{
    for (unsigned i = 0; i < operands->write_count; i++)
        if (operands->writes[i] == reg) return true;
    return false;
}

/* True for a system call: an operating system outside the trace may change any register. */
static bool is_system_call(const struct isa_operands *operands)
{
    return strcmp(operands->name, "exception") == 0 || strcmp(operands->name, "ecall") == 0 ||
           strcmp(operands->name, "svc") == 0 || strcmp(operands->name, "bkpt") == 0;
}

/* Registers follow their instruction; an exception in between may write any. */
static void compare(struct spoor_reader *reader, struct tally *tally)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    enum isa isa = ISA_UNKNOWN;
    struct isa_operands operands = {0};
    bool known = false;
    uint64_t opcode = 0;
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        if (isa == ISA_UNKNOWN) isa = isa_of(batch);
        for (size_t i = 0; i < batch->count; i++) {
            const struct spoor_record *record = &batch->records[i];
            if (record->kind == SPOOR_EVENT) known = false;
            if (record->kind == SPOOR_INSN && record->op != SPOOR_INSN_AGAIN) {
                const enum isa own = isa_of_instruction(isa, record->insn.iset);
                const uint8_t size = isa_opcode_size(isa, &record->insn);
                const bool thumb = record->insn.iset == 'T' || size == 2 ||
                                   (own == ISA_AARCH32 && record->insn.iset == 0);
                opcode = record->insn.opcode;
                known = (record->has & SPOOR_HAS_DATA) &&
                        isa_operands_of(&operands, own, thumb, opcode, size);
                tally->instructions++;
                tally->known += known;
                known = known && !is_system_call(&operands);
            }
            if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE || !known) continue;
            size_t size;
            const char *name = spoor_names_text(batch->stream->names, record->reg.name, &size);
            const int reg = number_of(name, size, isa);
            if (reg < 0) continue;
            tally->writes++;
            if (writes(&operands, reg)) continue;
            tally->missing++;
            print_message("%s:%llu: %08llx (%s) writes %.*s\n", batch->stream->path,
                          (unsigned long long)spoor_batch_line(batch, i),
                          (unsigned long long)opcode, operands.name ? operands.name : "-",
                          (int)size, name);
        }
    }
    spoor_reader_close(reader);
}

static void nothing_is_written_that_an_opcode_does_not_say(void **state)
{
    (void)state;
    static const char *const published[] = {
        "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
        "traces/tarmac/fastmodel/quicksort.tarmac",
        "traces/tarmac/v7m/labels-v7m.tarmac",
        "traces/wild/calculator-aarch32-fastmodel.tarmac.xz",
        "traces/wild/ctb-random.spike.dump.xz",
        "traces/wild/five-stage.core.csv.xz",
    };
    static const char *const examples[] = {"sort.tarmac.xz", "sort-aarch64.tarmac.xz"};
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct spoor_reader *reader = open_published(published[i]);
        if (reader) compare(reader, &tally);
    }
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        compare(open_example(examples[i]), &tally);
    print_message("%u instructions, %u known, %u writes\n", tally.instructions, tally.known,
                  tally.writes);
    assert_true(tally.known * 200 > tally.instructions * 199);
    assert_true(tally.writes > 20000);
    assert_int_equal(tally.missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_that_an_opcode_does_not_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
