/* SPDX-License-Identifier: MIT */
/*
 * intel_pt.c: a stream of Intel PT alone, without what perf.data says about it (perf_data.c).
 */
#include "formats/coresight/coresight.h"
#include "silicon/element.h"

static const struct coresight_variant intel_pt_variant = {
    .magic = ELEMENT_PT_MAGIC,
    .rule = "intel-pt",
    .expected = "a stream of Intel PT",
    .other_time = true,
};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_intel_pt = {
    .name = "intel-pt",
    .title = "stream of Intel PT, followed along the code of --image FILE@ADDRESS",
    .suffixes = "pt",
    .document = "Intel 64 and IA-32 Software Developer's Manual, volume 3: decoded by libipt",
    .time_unit = "",
    .record_size = 1,
    .length = coresight_length,
    .last_known = coresight_last_known,
    .share = coresight_share,
    .multi_record = true,
    .follows_code = true,
    .variant = &intel_pt_variant,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) |
                           BIT(OPCODE_SIZE) | BIT(ISET) | BIT(MODE),
            [SPOOR_FLOW] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(NUMBER) | BIT(EVENT) | BIT(MODE) |
                            BIT(VALUE) | BIT(VALUE1) | BIT(TEXT),
        },
    .probe = coresight_probe,
    .decode = coresight_decode,
    .resolve = coresight_resolve_times,
    .print = coresight_print,
};
