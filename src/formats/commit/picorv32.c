/* SPDX-License-Identifier: MIT */
/*
 * picorv32.c: the trace port of PicoRV32, as its test bench writes it (testbench.trace).
 *
 *     FDDDDDDDD
 *
 * A line is a word of 36 bits in hexadecimal.  Its lower 32 bits are where a branch goes (flag 1),
 * the address of an access (flag 2), or the result of an instruction; flag 8 says that an interrupt
 * is being handled.  An x stands for four bits of no value.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"

enum { FLAG_BRANCH = 1, FLAG_ADDRESS = 2, FLAG_INTERRUPT = 8, DIGITS = 9 };

static void picorv32_push_result(struct commit_reader *reading)
{
    static const char result[] = "result";
    struct spoor_record *record = commit_push(reading, SPOOR_REG);
    record->op = SPOOR_REG_WRITE;
    record->reg.name = commit_intern(reading, result, sizeof result - 1);
}

static bool picorv32_read_line(struct commit_reader *reading)
{
    const char *begin = reading->scan.at;
    const size_t size = (size_t)(reading->scan.end - begin);
    if (memchr(begin, 'x', size)) { /* the result of an instruction that is not known */
        for (; !scan_done(&reading->scan); reading->scan.at++)
            if (*reading->scan.at != 'x' && hex_value[(unsigned char)*reading->scan.at] >= 16)
                return commit_fail(reading, "9 hexadecimal digits");
        if (size != DIGITS) return commit_fail(reading, "9 hexadecimal digits");
        picorv32_push_result(reading);
        commit_plain(reading, begin, DIGITS);
        return true;
    }
    const uint8_t flags = size ? hex_value[(unsigned char)*begin] : 16;
    if (flags >= 16 || (flags & 4) || size != DIGITS)
        return commit_fail(reading, "9 hexadecimal digits, the first without bit 4");
    commit_copy(reading, begin + 1);
    if (flags & FLAG_BRANCH) {
        struct spoor_record *record = commit_push(reading, SPOOR_FLOW);
        record->op = SPOOR_FLOW_BRANCH;
        record->has |= SPOOR_HAS_DATA;
        return commit_hex(reading, COMMIT_TARGET, &record->flow.target);
    }
    if (flags & FLAG_ADDRESS) {
        struct spoor_record *record = commit_push(reading, SPOOR_MEM);
        record->op = SPOOR_MEM_MISC; /* the word does not say whether it is read or written */
        record->has |= SPOOR_HAS_VA;
        record->mem.size = sizeof(uint32_t);
        return commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va);
    }
    picorv32_push_result(reading);
    return commit_value(reading) || commit_fail(reading, "8 hexadecimal digits");
}

static const struct commit_lines lines = {"picorv32", picorv32_read_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

static enum line_fit picorv32_fit(const struct spoor_format *self, const char *line, size_t size)
{
    return size == 0 || size == DIGITS ? commit_fit(self, line, size) : LINE_MISFITS;
}

/* Only its own words: those of other formats are not known to the port. */
#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_picorv32 = {
    .name = "picorv32",
    .title = "trace port of PicoRV32, a word of 36 bits a line",
    .suffixes = "picorv32;trace",
    .document = "YosysHQ/picorv32: ENABLE_TRACE, showtrace.py",
    .time_unit = "",
    .is_riscv = true,
    .fields =
        {
            [SPOOR_FLOW] = BIT(OP) | BIT(TARGET),
            [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(SIZE),
            [SPOOR_REG] = BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
        },
    .fit = picorv32_fit,
    .text = &rules,
    .write = commit_write_records,
};
