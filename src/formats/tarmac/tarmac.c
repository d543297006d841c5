/* SPDX-License-Identifier: MIT */
/*
 * tarmac.c: Arm's Tarmac trace, as Fast Models' plug-in writes it and in all other dialects.
 *
 * The rules are in the order of their frequency in real traces.  Records of other formats are
 * written as Fast Models does.
 */
#include "formats/tarmac/dialect.h"
#include "formats/tarmac/reader.h"

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
    {"IS", "tarmac-is-rtl", rtl_insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false,
     PRODUCER_RTL_M},
    {"IS", "tarmac-is-cs", cs_insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false, PRODUCER_CS},
    {"IS", "tarmac-is-bare", bare_insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false,
     PRODUCER_RTL_M},
    {"ES", "tarmac-es-exc", es_exception_line_read, SPOOR_EVENT, SPOOR_EVENT_EXCEPTION, false,
     PRODUCER_ES},
    {"MR", "tarmac-mr-side", cycle_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_RTL_M},
    {"MW", "tarmac-mw-side", cycle_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_RTL_M},
};

static const struct rule continued = {
    "", "tarmac-continued", continued_line_read, SPOOR_MEM, SPOOR_MEM_READ, false, PRODUCER_ES};

const struct text_rules dialect_tarmac_text = {.variant = &dialect_tarmac,
                                               .line = tarmac_read_line,
                                               .state_size = sizeof(struct tarmac_reader),
                                               .begin = dialect_begin,
                                               .begin_batch = dialect_begin_batch,
                                               .passed = dialect_passed,
                                               .mark = {' ', ':'} /* before a disassembly */};

const struct dialect dialect_tarmac = {
    .text = &dialect_tarmac_text,
    .time_unit = "clk",
    .line_rule = "tarmac-line",
    .tag = TAG_TARMAC,
    .other = &dialect_matcher,
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

/* ---- the formats ---- */

#define BIT(field) SPOOR_FIELD_BIT(field)
#define HEAD (BIT(TIME) | BIT(CPU) | BIT(OP))
#define PLACE (BIT(ADDRESS) | BIT(PA) | BIT(SECURITY))

/* `of_dialects`: fields of memory accesses that other dialects have, but not Fast Models. */
#define TARMAC_FIELDS(of_dialects)                                                                \
    {                                                                                             \
        [SPOOR_NOTE] = BIT(TEXT),                                                                 \
        [SPOOR_INSN] = HEAD | BIT(PC) | BIT(PC_PA) | BIT(SECURITY) | BIT(INDEX) | BIT(OPCODE) |   \
                       BIT(OPCODE_SIZE) | BIT(ISET) | BIT(MODE) | BIT(DISASM) | BIT(EXTRA),       \
        [SPOOR_FLOW] = HEAD | BIT(PC) | BIT(PC_PA) | BIT(SECURITY) | BIT(INDEX) | BIT(TARGET) |   \
                       BIT(TARGET_PA) | BIT(TARGET_SECURITY) | BIT(ISET),                         \
        [SPOOR_REG] = HEAD | BIT(REG) | BIT(VALUE) | BIT(BITS) | BIT(BANK),                       \
        [SPOOR_MEM] = HEAD | PLACE | BIT(SIZE) | BIT(DATA) | BIT(EXCLUSIVE) | BIT(TRANSLATED) |   \
                      BIT(LOCKED) | BIT(RESULT) | (of_dialects),                                  \
        [SPOOR_BUS] = HEAD | BIT(PA) | BIT(SECURITY) | BIT(SIZE) | BIT(DATA) | BIT(EXCLUSIVE) |   \
                      BIT(LOCKED) | BIT(PRIVILEGED) | BIT(CACHED) | BIT(MASTER) | BIT(SIDE),      \
        [SPOOR_CACHEOP] = HEAD | PLACE | BIT(DATA) | BIT(SIDE) | BIT(OPERATION) | BIT(SCOPE) |    \
                          BIT(REGION) | BIT(MEMTYPE),                                             \
        [SPOOR_CACHE] = HEAD | BIT(UNIT) | BIT(LINE_ID) | BIT(PA) | BIT(SECURITY),                \
        [SPOOR_WALK] = HEAD | BIT(SIDE) | BIT(TABLE_FORMAT) | BIT(STAGE) | BIT(LEVEL) | BIT(PA) | \
                       BIT(SECURITY) | BIT(DATA) | BIT(RESULT) | BIT(ATTRIBUTES),                 \
        [SPOOR_TLB] = HEAD | PLACE | BIT(REGIME_SECURITY) | BIT(UNIT) | BIT(REGION) |             \
                      BIT(REGIME) | BIT(VMID) | BIT(ASID) | BIT(MEMTYPE) | BIT(ATTRIBUTES),       \
        [SPOOR_EVENT] = HEAD | PLACE | BIT(VALUE) | BIT(VALUE1) | BIT(MODE) | BIT(NUMBER) |       \
                        BIT(EVENT) | BIT(TEXT),                                                   \
    }

const struct spoor_format format_tarmac = {
    .name = "tarmac",
    .title = "Arm Tarmac trace, any dialect",
    .suffixes = "tarmac;tarm",
    .document = "Arm, Fast Models Reference Guide: TarmacTrace file format",
    .time_unit = "clk",
    .fields = TARMAC_FIELDS(BIT(MEMTYPE) | BIT(PC) | BIT(INDEX)),
    .variant = &dialect_tarmac,
    .probe = dialect_probe,
    .text = &dialect_tarmac_text,
    .dialect = producer_of_spelling,
    .dialects = producer_names,
    .effects_first = producer_is_effects_first,
    .secure_is_unmarked = true,
    .resolve = dialect_resolve,
    .resolves_little = true,
    .write = dialect_write,
    .verbatim_copy = true,
};

/* As Fast Models writes it, from any dialect: every record counts as one of another format. */

const struct spoor_format format_tarmac_fm = {
    .name = "tarmac-fm",
    .title = "Arm Tarmac trace as Fast Models writes it (read as tarmac)",
    .suffixes = "",
    .document = "Arm, Fast Models Reference Guide: TarmacTrace file format",
    .time_unit = "clk",
    .fields = TARMAC_FIELDS(0),
    .variant = &dialect_tarmac,
    .write = dialect_write,
};

/* ---- matcher: the trace format of ISP RAS Trace Matcher, as MicroTESK writes it ---- */

/*
 * A small member of the Tarmac family: three kinds of records, only virtual addresses, processors
 * that are numbers and occur only on instructions.  Its letter X means a privileged access,
 * Tarmac's an exclusive one.
 */

static const struct rule matcher_rules[] = {
    {"IT", "matcher-it", insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN, false, PRODUCER_ANY},
    {"R", "matcher-r", reg_line_read, SPOOR_REG, SPOOR_REG_WRITE, false, PRODUCER_ANY},
    {"MR", "matcher-mr", mem_line_read, SPOOR_MEM, SPOOR_MEM_READ, true, PRODUCER_ANY},
    {"MW", "matcher-mw", mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE, true, PRODUCER_ANY},
    {"IS", "matcher-is", insn_line_read, SPOOR_INSN, SPOOR_INSN_SKIPPED, false, PRODUCER_ANY},
};

static const struct text_rules dialect_matcher_text = {
    .variant = &dialect_matcher,
    .line = tarmac_read_line,
    .state_size = sizeof(struct tarmac_reader),
    .begin = dialect_begin,
    .begin_batch = dialect_begin_batch,
    .passed = dialect_passed,
    .mark = {' ', ':'} /* before a disassembly */};

const struct dialect dialect_matcher = {
    .text = &dialect_matcher_text,
    .time_unit = "clk",
    .line_rule = "matcher-line",
    .tag = TAG_MATCHER,
    .other = &dialect_tarmac,
    .rules = matcher_rules,
    .rule_count = sizeof matcher_rules / sizeof *matcher_rules,
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
    .probe = dialect_probe,
    .text = &dialect_matcher_text,
    .effects_first = producer_is_effects_first,
    .cpu_is_of_insn = true,
    .resolve = matcher_resolve,
    .resolves_little = true,
    .write = dialect_write,
    .verbatim_copy = true,
};
