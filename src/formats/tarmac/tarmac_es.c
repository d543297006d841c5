/* SPDX-License-Identifier: MIT */
/*
 * tarmac_es.c: writes Tarmac in the ES dialect of cycle models, from any dialect.
 *
 *         41000 ns  ES  (00000000:e59ff018) A svc:            LDR      pc,{pc}+0x20 ; 0x20
 *                       LD 00000020 ........ ........ ........ 00000080    0000000020
 *
 * An instruction has its time; the lines that follow it print one only if it differs.  An access
 * that crosses a boundary of 16 bytes takes two lines, which are read as two accesses.  Traces in
 * this dialect are read as tarmac.
 */
#include <string.h>

#include "formats/tarmac/writer.h"

/* The columns of the dialect's published traces. */
enum {
    TIME_COLUMN = 11,  /* where the time ends */
    UNIT_COLUMNS = 3,  /* of the unit */
    ES_COLUMN = 16,    /* where ES begins */
    WORD_COLUMN = 20,  /* where the other words begin */
    MODE_COLUMNS = 9,  /* of the mode with its colon and spaces */
    CCFAIL_COLUMNS = 7 /* "CCFAIL " or as many spaces */
};

static void es_lay_out(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct encoder *encoder = writer->encoder;
    const bool main = record->kind == SPOOR_INSN || record->kind == SPOOR_EVENT; /* ES leads it */
    struct spelling *spelling = &writer->spelling;
    uint8_t *gaps = spelling->gap;
    bool same = encoder->word[TIME_WRITTEN] && encoder->time == record->time;
    if (record->kind != SPOOR_INSN && same) writer->timed = false;
    unsigned gap = 0; /* that follows the leading word */
    if (writer->timed) {
        size_t size = strlen(spelling->unit);
        spelling->indent = TIME_COLUMN;
        gaps[1] = (uint8_t)(size < UNIT_COLUMNS ? 1 + UNIT_COLUMNS - size : 1);
        if (!main) gaps[1] += WORD_COLUMN - ES_COLUMN;
        gap = 2;
    } else {
        memset(spelling->unit, 0, sizeof spelling->unit);
        spelling->indent = main ? ES_COLUMN : WORD_COLUMN;
    }
    if (record->kind == SPOOR_INSN) {
        size_t size = 0;
        if (record->has & SPOOR_HAS_EXTRA)
            spoor_names_text(writer->batch->stream->names, record->insn.mode, &size);
        size_t padding = size + 2 <= MODE_COLUMNS ? MODE_COLUMNS - 1 - size : 1;
        if (record->op != SPOOR_INSN_SKIPPED) padding += CCFAIL_COLUMNS;
        gaps[gap] = 2;
        gaps[gap + (record->insn.iset ? 3 : 2)] = (uint8_t)padding;
        spelling->shape = INSN_ES;
    }
    if (record->kind == SPOOR_MEM) gaps[gap + 5] = 4;
    if (record->kind == SPOOR_EVENT) {
        gaps[gap] = 2;
        spelling->shape = EVENT_ES | EVENT_EXC | EVENT_0X;
    }
}

static const struct dialect dialect_es = {
    .time_unit = "tic",
    .write = {[SPOOR_INSN] = insn_line_write,
              [SPOOR_FLOW] = branch_line_write,
              [SPOOR_REG] = reg_line_write,
              [SPOOR_MEM] = diagram_line_write,
              [SPOOR_EVENT] = exception_line_write},
    .address_digits = 8,
    .data_group = 8,
    .annotations = true,
    .stamps_all = true,
    .no_cpus = true,
    .names_sp_lr = true,
    .lay_out = es_lay_out,
};

#define BIT(field) SPOOR_FIELD_BIT(field)

const struct spoor_format format_tarmac_es = {
    .name = "tarmac-es",
    .title = "Arm Tarmac trace in the ES, LD, ST dialect (read as tarmac)",
    .suffixes = "",
    .document = "Arm, cycle models and RTL: ES, LD and ST records, as seen in published traces",
    .time_unit = "tic",
    .fields =
        {
            [SPOOR_NOTE] = BIT(TEXT),
            [SPOOR_INSN] = BIT(TIME) | BIT(OP) | BIT(PC) | BIT(OPCODE) | BIT(OPCODE_SIZE) |
                           BIT(ISET) | BIT(MODE) | BIT(DISASM),
            [SPOOR_FLOW] = BIT(TIME) | BIT(TARGET) | BIT(ISET),
            [SPOOR_REG] = BIT(TIME) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS) | BIT(BANK),
            [SPOOR_MEM] = BIT(TIME) | BIT(OP) | BIT(ADDRESS) | BIT(PA) | BIT(SECURITY) | BIT(SIZE) |
                          BIT(DATA) | BIT(MEMTYPE),
            [SPOOR_EVENT] = BIT(TIME) | BIT(OP) | BIT(NUMBER) | BIT(EVENT),
        },
    .variant = &dialect_es,
    .write = dialect_write,
};
