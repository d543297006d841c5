/* SPDX-License-Identifier: MIT */
/*
 * dialect_tarmac.c: the rules of Arm's Tarmac trace, in all its dialects.
 *
 * The rules are in the order of their frequency in real traces.  Records of other formats are
 * written as Fast Models does.
 */
#include "formats/tarmac/reading.h"

static const struct rule rules[] = {
    {"IT", "tarmac-it", insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_FAST_MODELS},
    {"R", "tarmac-r", reg_line_read, SPOOR_REG, SPOOR_REG_WRITE, false, PRODUCER_ANY},
    {"MR", "tarmac-mr", mem_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_ANY},
    {"MW", "tarmac-mw", mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_ANY},
    {"IS", "tarmac-is", insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false,
     PRODUCER_FAST_MODELS},
    {"ES", "tarmac-es", es_insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_ES},
    {"LD", "tarmac-ld", diagram_line_read, SPOOR_MEM, SPOOR_MEM_READ, false, PRODUCER_ES},
    {"ST", "tarmac-st", diagram_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, false, PRODUCER_ES},
    {"BR", "tarmac-br", branch_line_read, SPOOR_FLOW, SPOOR_FLOW_BRANCH, false, PRODUCER_ES},
    {"R", "tarmac-r-size", cs_mem_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_CS},
    {"W", "tarmac-w-size", cs_mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_CS},
    {"MNR", "tarmac-mnr", cycle_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_RTL_M},
    {"MNW", "tarmac-mnw", cycle_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_RTL_M},
    {"MSR", "tarmac-msr", cycle_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_RTL_M},
    {"MSW", "tarmac-msw", cycle_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_RTL_M},
    {"MCR", "tarmac-mcr", cycle_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_RTL_R},
    {"MCW", "tarmac-mcw", cycle_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_RTL_R},
    {"IF", "tarmac-if", rtl_insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_RTL_M},
    {"CACHE", "tarmac-cache", cache_line_read, SPOOR_CACHE, 0, false, PRODUCER_FAST_MODELS},
    {"TLB", "tarmac-tlb", tlb_line_read, SPOOR_TLB, SPOOR_TLB_FILL, false, PRODUCER_FAST_MODELS},
    {"WALKCACHE", "tarmac-walkcache", tlb_line_read, SPOOR_TLB, SPOOR_WALKCACHE_FILL, false,
     PRODUCER_FAST_MODELS},
    {"TTW", "tarmac-ttw", walk_line_read, SPOOR_WALK, SPOOR_WALK_READ, false, PRODUCER_FAST_MODELS},
    {"TTU", "tarmac-ttu", walk_line_read, SPOOR_WALK, SPOOR_WALK_UPDATE, false,
     PRODUCER_FAST_MODELS},
    {"FD", "tarmac-fd", flow_line_read, SPOOR_FLOW, SPOOR_FLOW_DIRECT, false, PRODUCER_FAST_MODELS},
    {"FI", "tarmac-fi", flow_line_read, SPOOR_FLOW, SPOOR_FLOW_INDIRECT, false,
     PRODUCER_FAST_MODELS},
    {"FR", "tarmac-fr", flow_line_read, SPOOR_FLOW, SPOOR_FLOW_RETURN, false, PRODUCER_FAST_MODELS},
    {"MU", "tarmac-mu", atomic_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_FAST_MODELS},
    {"BR", "tarmac-br-size", bus_line_read, SPOOR_BUS, SPOOR_BUS_READ, true, PRODUCER_FAST_MODELS},
    {"BW", "tarmac-bw-size", bus_line_read, SPOOR_BUS, SPOOR_BUS_WRITE, true, PRODUCER_FAST_MODELS},
    {"E", "tarmac-e", event_line_read, SPOOR_EVENT, SPOOR_EVENT_E, false, PRODUCER_ANY},
    {"SIGNAL:", "tarmac-signal", remark_line_read, SPOOR_EVENT, SPOOR_EVENT_SIGNAL, false,
     PRODUCER_FAST_MODELS},
    {"CADI", "tarmac-cadi", remark_line_read, SPOOR_EVENT, SPOOR_EVENT_CADI, false,
     PRODUCER_FAST_MODELS},
    {"INFO_EXCEPTION_REASON:", "tarmac-reason", remark_line_read, SPOOR_EVENT, SPOOR_EVENT_REASON,
     false, PRODUCER_FAST_MODELS},
    {"BNR", "tarmac-bnr", bus_cycle_line_read, SPOOR_BUS, SPOOR_BUS_READ, true, PRODUCER_RTL_M},
    {"BNW", "tarmac-bnw", bus_cycle_line_read, SPOOR_BUS, SPOOR_BUS_WRITE, true, PRODUCER_RTL_M},
    {"BSR", "tarmac-bsr", bus_cycle_line_read, SPOOR_BUS, SPOOR_BUS_READ, true, PRODUCER_RTL_M},
    {"BSW", "tarmac-bsw", bus_cycle_line_read, SPOOR_BUS, SPOOR_BUS_WRITE, true, PRODUCER_RTL_M},
    {"EXC", "tarmac-exc", exception_line_read, SPOOR_EVENT, SPOOR_EVENT_EXCEPTION, false,
     PRODUCER_ES},
    /* tried if the first rule of the word fails: */
    {"IT", "tarmac-it-rtl", rtl_insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false,
     PRODUCER_RTL_M},
    {"IT", "tarmac-it-cs", cs_insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_CS},
    {"IT", "tarmac-it-bare", bare_insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false,
     PRODUCER_RTL_M},
    {"ES", "tarmac-es-exc", es_exception_line_read, SPOOR_EVENT, SPOOR_EVENT_EXCEPTION, false,
     PRODUCER_ES},
    {"MR", "tarmac-mr-side", cycle_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_RTL_M},
    {"MW", "tarmac-mw-side", cycle_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_RTL_M},
};

static const struct rule continued = {
    "", "tarmac-continued", continued_line_read, SPOOR_MEM, SPOOR_MEM_READ, false, PRODUCER_ES};

static void begin(void *state, const struct decoder *decoder)
{
    dialect_begin(state, decoder, &dialect_tarmac);
}

const struct text_rules dialect_tarmac_text = {.line = dialect_line,
                                               .state_size = sizeof(struct reading),
                                               .begin = begin,
                                               .begin_batch = dialect_begin_batch,
                                               .passed = dialect_passed,
                                               .mark = {' ', ':'} /* before a disassembly */};

const struct dialect dialect_tarmac = {
    .text = &dialect_tarmac_text,
    .format = "tarmac",
    .time_unit = "clk",
    .line_rule = "tarmac-line",
    .tag = TAG_TARMAC,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .wordless = &continued,
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
    .stamps_all = true,
};
