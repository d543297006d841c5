/* SPDX-License-Identifier: MIT */
/*
 * tarmac.c: Arm's Tarmac trace, as Fast Models' plug-in writes it.
 *
 * The rules of the document, in the order in which real traces use them.
 */
#include "formats/tarmac/dialect.h"

static const struct rule rules[] = {
    {"IT", "tarmac-it", insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false},
    {"R", "tarmac-r", reg_line_read, SPOOR_REG, SPOOR_REG_WRITE, false},
    {"MR", "tarmac-mr", mem_line_read, SPOOR_MEM, SPOOR_MEM_READ, true},
    {"MW", "tarmac-mw", mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true},
    {"IS", "tarmac-is", insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false},
    {"CACHE", "tarmac-cache", cache_line_read, SPOOR_CACHE, 0, false},
    {"TLB", "tarmac-tlb", tlb_line_read, SPOOR_TLB, SPOOR_TLB_FILL, false},
    {"WALKCACHE", "tarmac-walkcache", tlb_line_read, SPOOR_TLB, SPOOR_WALKCACHE_FILL, false},
    {"TTW", "tarmac-ttw", walk_line_read, SPOOR_WALK, SPOOR_WALK_READ, false},
    {"TTU", "tarmac-ttu", walk_line_read, SPOOR_WALK, SPOOR_WALK_UPDATE, false},
    {"FD", "tarmac-fd", flow_line_read, SPOOR_FLOW, SPOOR_FLOW_DIRECT, false},
    {"FI", "tarmac-fi", flow_line_read, SPOOR_FLOW, SPOOR_FLOW_INDIRECT, false},
    {"FR", "tarmac-fr", flow_line_read, SPOOR_FLOW, SPOOR_FLOW_RETURN, false},
    {"MU", "tarmac-mu", atomic_line_read, SPOOR_MEM, SPOOR_MEM_READ, true},
    {"BR", "tarmac-br", bus_line_read, SPOOR_BUS, SPOOR_BUS_READ, true},
    {"BW", "tarmac-bw", bus_line_read, SPOOR_BUS, SPOOR_BUS_WRITE, true},
    {"E", "tarmac-e", event_line_read, SPOOR_EVENT, SPOOR_EVENT_E, false},
    {"SIGNAL:", "tarmac-signal", remark_line_read, SPOOR_EVENT, SPOOR_EVENT_SIGNAL, false},
    {"CADI", "tarmac-cadi", remark_line_read, SPOOR_EVENT, SPOOR_EVENT_CADI, false},
};

static const struct dialect dialect_tarmac = {
    .format = &format_tarmac,
    .line_rule = "tarmac-line",
    .tag = 'T',
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
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
    .data_upper = false,
    .physical = true,
    .annotations = true,
    .numbers_cpus = false,
};

static void decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    dialect_decode(&dialect_tarmac, decoder, batch);
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    dialect_write(&dialect_tarmac, encoder, batch, from, to, out);
}

/* Trace Matcher's traces are nearly all Tarmac too: matcher.c says where it is the better name. */
static int probe(const struct spoor_head *head)
{
    struct dialect_sample sample;
    if (!dialect_sample(&dialect_tarmac, head, &sample)) return 0;
    int score = dialect_score(&sample);
    bool matchers = sample.named_cpus == 0 && sample.a64 == 0 &&
                    (sample.plain_cpus || sample.plain_modes || sample.dotted);
    return matchers && score > 80 ? 80 : score;
}

#define BIT(field) SPOOR_FIELD_BIT(field)
#define HEAD (BIT(TIME) | BIT(CPU) | BIT(OP))
#define PLACE (BIT(ADDRESS) | BIT(PA) | BIT(SECURITY))

const struct spoor_format format_tarmac = {
    .name = "tarmac",
    .title = "Arm Tarmac trace (Fast Models)",
    .suffixes = "tarmac;tarm",
    .document = "Arm, Fast Models Reference Guide: TarmacTrace file format",
    .time_unit = "clk",
    .carries =
        {
            [SPOOR_NOTE] = BIT(TEXT),
            [SPOOR_INSN] = HEAD | BIT(PC) | BIT(PC_PA) | BIT(SECURITY) | BIT(INDEX) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(ISET) | BIT(MODE) | BIT(DISASM) | BIT(EXTRA),
            [SPOOR_FLOW] = HEAD | BIT(PC) | BIT(PC_PA) | BIT(SECURITY) | BIT(INDEX) | BIT(TARGET) |
                           BIT(TARGET_PA) | BIT(ISET),
            [SPOOR_REG] = HEAD | BIT(REG) | BIT(VALUE) | BIT(BITS) | BIT(BANK),
            [SPOOR_MEM] = HEAD | PLACE | BIT(SIZE) | BIT(DATA) | BIT(EXCLUSIVE) | BIT(TRANSLATED) |
                          BIT(LOCKED) | BIT(RESULT),
            [SPOOR_BUS] = HEAD | BIT(PA) | BIT(SECURITY) | BIT(SIZE) | BIT(DATA) | BIT(EXCLUSIVE) |
                          BIT(LOCKED) | BIT(PRIVILEGED) | BIT(CACHED) | BIT(MASTER) | BIT(SIDE),
            [SPOOR_CACHEOP] = HEAD | PLACE | BIT(DATA) | BIT(SIDE) | BIT(OPERATION) | BIT(SCOPE) |
                              BIT(REGION) | BIT(MEMTYPE),
            [SPOOR_CACHE] = HEAD | BIT(UNIT) | BIT(LINE_ID) | BIT(PA) | BIT(SECURITY),
            [SPOOR_WALK] = HEAD | BIT(SIDE) | BIT(TABLE_FORMAT) | BIT(STAGE) | BIT(LEVEL) |
                           BIT(PA) | BIT(SECURITY) | BIT(DATA) | BIT(RESULT) | BIT(ATTRIBUTES),
            [SPOOR_TLB] = HEAD | PLACE | BIT(UNIT) | BIT(REGION) | BIT(REGIME) | BIT(VMID) |
                          BIT(ASID) | BIT(MEMTYPE) | BIT(ATTRIBUTES),
            [SPOOR_EVENT] = HEAD | PLACE | BIT(VALUE) | BIT(VALUE1) | BIT(MODE) | BIT(NUMBER) |
                            BIT(EVENT) | BIT(TEXT),
        },
    .probe = probe,
    .decode = decode,
    .settle = dialect_settle,
    .write = write,
};
