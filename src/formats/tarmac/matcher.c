/* SPDX-License-Identifier: MIT */
/*
 * matcher.c: the trace format of ISP RAS Trace Matcher, as MicroTESK writes it.
 *
 * A small member of the Tarmac family: three kinds of records, only virtual addresses, processors
 * that are numbers and occur only on instructions.  Its letter X means a privileged access,
 * Tarmac's an exclusive one.
 */
#include "formats/tarmac/dialect.h"
#include "formats/tarmac/reading.h"

static const struct rule rules[] = {
    {"IT", "matcher-it", insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_ANY},
    {"R", "matcher-r", reg_line_read, SPOOR_REG, SPOOR_REG_WRITE, false, PRODUCER_ANY},
    {"MR", "matcher-mr", mem_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_ANY},
    {"MW", "matcher-mw", mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_ANY},
    {"IS", "matcher-is", insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false, PRODUCER_ANY},
};

static const struct text_rules dialect_matcher_text = {
    .variant = &dialect_matcher,
    .line = dialect_line,
    .state_size = sizeof(struct reading),
    .begin = dialect_begin,
    .begin_batch = dialect_begin_batch,
    .passed = dialect_passed,
    .mark = {' ', ':'} /* before a disassembly */};

const struct dialect dialect_matcher = {
    .text = &dialect_matcher_text,
    .time_unit = "clk",
    .line_rule = "matcher-line",
    .tag = TAG_MATCHER,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .write = {[SPOOR_INSN] = insn_line_write,
              [SPOOR_REG] = reg_line_write,
              [SPOOR_MEM] = mem_line_write},
    .letters = {{'X', SPOOR_MEM_PRIVILEGED}, {'T', SPOOR_MEM_TRANSLATED}},
    .address_digits = 16,
    .data_group = 0,
    .data_upper = true,
    .physical = false,
    .annotations = false,
    .numbers_cpus = true,
};

/* ---- detection ---- */

static int at_maximum(int score, int limit)
{
    return score < limit ? score : limit;
}

/* Nearly every line of this format is a line of Tarmac.  A processor that is a number, a mode
 * without a security and a range <high..low> identify it.  Without any of them Tarmac is more
 * likely, and reads the same, unless an access has the letter X, whose meaning differs. */
static int probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { TARMACS = 50, EITHER = 75 };
    struct dialect_sample sample, tarmac;
    const bool typed = dialect_sample(&dialect_matcher, head, &sample);
    (void)self;
    if (sample.failed) return PROBE_FAILED;
    if (!typed) return 0;
    dialect_sample(&dialect_tarmac, head, &tarmac);
    if (tarmac.failed) return PROBE_FAILED;
    const int score = dialect_score(&sample);
    const enum dialect_sign sign = dialect_sign(&tarmac, &sample);
    if (sign == SIGN_TARMAC) return at_maximum(score, TARMACS);
    return sign == SIGN_MATCHER || sample.letter_x ? score : at_maximum(score, EITHER);
}

/* ---- order ---- */

/* Lines inherit the time of the one before; accesses and register writes have the processor of
 * their instruction, the only one that is named. */
static void matcher_resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        carry_time(carry, record);
        if (record->kind == SPOOR_INSN) {
            carry->cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
        } else if (record->kind != SPOOR_NOTE && carry->cpu != SPOOR_NO_NAME) {
            record->cpu = carry->cpu;
            record->has |= SPOOR_HAS_CPU;
        }
    }
}

#define BIT(field) SPOOR_FIELD_BIT(field)

const struct spoor_format format_matcher = {
    .name = "matcher",
    .title = "Trace Matcher / MicroTESK trace",
    .suffixes = "trace;log",
    .document = "ISP RAS, Trace Utils: Trace Format",
    .time_unit = "clk",
    .fields =
        {
            [SPOOR_NOTE] = BIT(TEXT),
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(INDEX) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(ISET) | BIT(MODE) | BIT(DISASM),
            [SPOOR_REG] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA) |
                          BIT(TRANSLATED) | BIT(PRIVILEGED) | BIT(RESULT),
        },
    .variant = &dialect_matcher,
    .probe = probe,
    .text = &dialect_matcher_text,
    .effects_first = producer_is_effects_first,
    .cpu_is_of_insn = true,
    .resolve = matcher_resolve,
    .resolves_little = true,
    .write = dialect_write,
    .verbatim_copy = true,
};
