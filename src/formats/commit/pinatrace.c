/* SPDX-License-Identifier: MIT */
/*
 * pinatrace.c: memory references as Pin's example tools named pinatrace print them.
 *
 *     0xPC: R|W 0xADDRESS [SIZE [0xVALUE]]
 *
 * The manual's example prints the address alone, the other one the size in decimal, too, and on
 * request the value: a number up to 8 bytes, above the bytes in the order of memory.  Lines
 * that begin with # are its title and its end.
 */
#include "formats/commit/parts.h"
#include "formats/probe.h"
#include "formats/reference.h"

/* Reads a number after the blanks that it is padded with. */
static bool pinatrace_read_address(struct commit_reader *reading, enum commit_code code,
                                   uint64_t *value, const char *expected)
{
    commit_gap(reading);
    return commit_prefixed(reading, code, value, expected);
}

static bool pinatrace_read_line(struct commit_reader *reading)
{
    struct spoor_origin origin = {.index = UINT64_MAX}; /* not stated */
    struct spoor_record *record = commit_push(reading, SPOOR_MEM);
    record->has |= SPOOR_HAS_VA;
    if (!pinatrace_read_address(reading, COMMIT_ORIGIN, &origin.pc,
                                "0x and the address of the instruction"))
        return false;
    if (commit_literal(reading, ": R"))
        record->op = SPOOR_MEM_READ;
    else if (commit_literal(reading, ": W"))
        record->op = SPOOR_MEM_WRITE;
    else
        return commit_fail(reading, "':', and R or W");
    if (!pinatrace_read_address(reading, COMMIT_VIRTUAL, &record->mem.va,
                                "0x and the address of the access"))
        return false;
    bool more = commit_gap(reading) && !scan_done(&reading->scan);
    if (more) {
        uint64_t size;
        struct scan scan = reading->scan;
        if (!scan_decimal(&scan, &size) || size > UINT16_MAX)
            return commit_fail(reading, "the size of the access in decimal");
        commit_copy(reading, scan.at);
        record->mem.size = (uint16_t)size;
        more = commit_gap(reading) && !scan_done(&reading->scan);
    }
    if (more) {
        struct spoor_mem *mem = &record->mem;
        const uint16_t size = mem->size;
        const bool zero = commit_stands(reading, "0") && reading->scan.end - reading->scan.at == 1;
        if ((!zero && !commit_literal(reading, "0x")) || !commit_value(reading))
            return commit_fail(reading, "0x and the value");
        if (zero) text_fixed(reading->learning, reading->scan.at - 1); /* another digit has 0x */
        mem->size = size;
        if (size > sizeof(uint64_t)) {
            /* its bytes are in the order of memory, which a template cannot say */
            text_refuse(reading->learning);
            reading->verbatim = true;
            record->has &= (uint16_t)~SPOOR_HAS_DATA;
            mem->data[0] = mem->data[1] = 0;
            mem->wide = (struct spoor_ref){0, 0};
        }
    }
    spoor_batch_spill(reading->batch, SPOOR_SPILL_ORIGIN,
                      spoor_batch_keep(reading->batch, &origin, sizeof origin));
    return true;
}

static const struct commit_lines lines = {"pinatrace", pinatrace_read_line, "#", NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- writing ---- */

/* Writes the accesses of a record; false if it has none. */
static bool pinatrace_put(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                          struct text *out)
{
    struct reference references[MAX_REFERENCES];
    const size_t count = references_of(batch, index, references);
    bool done = false;
    for (size_t i = 0; i < count; i++) {
        const uint8_t op = references[i].op;
        if (op == SPOOR_MEM_FETCH) {
            encoder->word[0] = reference_virtual(&references[i]);
            continue;
        }
        uint64_t pc = encoder->word[0]; /* of the last instruction, if the access has none */
        struct spoor_ref ref;
        if ((batch->records[index].has & SPOOR_IS_SPILLED) &&
            spoor_batch_find_spill(batch, index, SPOOR_SPILL_ORIGIN, &ref)) {
            struct spoor_origin origin;
            memcpy(&origin, spoor_batch_bytes(batch, ref), sizeof origin);
            pc = origin.pc;
        }
        for (const char *label = "RW"; *label; label++)
            if (op != (*label == 'R' ? SPOOR_MEM_WRITE : SPOOR_MEM_READ))
                text_printf(out, "0x%llx: %c 0x%llx\n", (unsigned long long)pc, *label,
                            (unsigned long long)reference_virtual(&references[i]));
        done = true;
    }
    return done;
}

static const struct commit_style style = {.record = pinatrace_put};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_pinatrace = {
    .name = "pinatrace",
    .title = "memory references of Pin's example pinatrace",
    .suffixes = "pinatrace;out",
    .document =
        "Intel Pin: source/tools/ManualExamples/pinatrace.cpp, SimpleExamples/pinatrace.cpp",
    .time_unit = "",
    .fields =
        {
            [SPOOR_MEM] = BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA) | BIT(PC),
        },
    .fit = commit_fit,
    .text = &rules,
    .variant = &style,
    .write = commit_write_records,
};
