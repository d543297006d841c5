/* SPDX-License-Identifier: MIT */
/*
 * dialect_matcher.c: the rules of Trace Matcher's traces: those of Tarmac for three kinds of
 * records, with other canonical spellings.
 */
#include "formats/tarmac/reading.h"

static const struct rule rules[] = {
    {"IT", "matcher-it", insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_ANY},
    {"R", "matcher-r", reg_line_read, SPOOR_REG, SPOOR_REG_WRITE, false, PRODUCER_ANY},
    {"MR", "matcher-mr", mem_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_ANY},
    {"MW", "matcher-mw", mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_ANY},
    {"IS", "matcher-is", insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false, PRODUCER_ANY},
};

static void begin(void *state, const struct decoder *decoder)
{
    dialect_begin(state, decoder, &dialect_matcher);
}

const struct text_rules dialect_matcher_text = {.line = dialect_line,
                                                .state_size = sizeof(struct reading),
                                                .begin = begin,
                                                .begin_batch = dialect_begin_batch,
                                                .passed = dialect_passed,
                                                .mark = {' ', ':'} /* before a disassembly */};

const struct dialect dialect_matcher = {
    .text = &dialect_matcher_text,
    .format = "matcher",
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
