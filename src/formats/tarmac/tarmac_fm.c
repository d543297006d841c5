/* SPDX-License-Identifier: MIT */
/*
 * tarmac_fm.c: writes Tarmac as Fast Models does, from any dialect.
 *
 * Traces in this dialect are read as tarmac.
 */
#include "formats/tarmac/fields.h"

static const struct dialect dialect_fm = {
    .format = "tarmac-fm",
    .time_unit = "clk",
    .write = {[SPOOR_INSN] = insn_line_write,
              [SPOOR_FLOW] = flow_line_write,
              [SPOOR_REG] = reg_line_write,
              [SPOOR_MEM] = mem_line_write,
              [SPOOR_BUS] = bus_line_write,
              [SPOOR_CACHEOP] = maintenance_line_write,
              [SPOOR_CACHE] = cache_line_write,
              [SPOOR_WALK] = walk_line_write,
              [SPOOR_TLB] = tlb_line_write,
              [SPOOR_EVENT] = event_line_write},
    .letters = {{'X', SPOOR_MEM_EXCLUSIVE}, {'T', SPOOR_MEM_TRANSLATED}, {'L', SPOOR_MEM_LOCKED}},
    .address_digits = 8,
    .data_group = 8,
    .physical = true,
    .annotations = true,
    .stamps_all = true,
};

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    dialect_write(&dialect_fm, encoder, batch, from, to, out);
}

/* Never detected: tarmac reads it. */
static int probe(const struct spoor_head *head)
{
    (void)head;
    return 0;
}

const struct spoor_format format_tarmac_fm = {
    .name = "tarmac-fm",
    .title = "Arm Tarmac trace as Fast Models writes it (read as tarmac)",
    .suffixes = "",
    .document = "Arm, Fast Models Reference Guide: TarmacTrace file format",
    .time_unit = "clk",
    .fields = TARMAC_FIELDS(0),
    .probe = probe,
    .write = write,
};
