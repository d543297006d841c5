/* SPDX-License-Identifier: MIT */
/*
 * perf_data.c: what a file perf.data of Linux's perf has (silicon/perf_data.h), as records.
 *
 * Samples, their callers and branch stacks are the records that the text of `perf script` has
 * (perf.c).  The format is read only.
 */
#include "formats/coresight/coresight.h"
#include "silicon/element.h"

static const struct coresight_variant perf_data_variant = {
    .magic = ELEMENT_PERF_MAGIC,
    .rule = "perf-data",
    .expected = "records of perf.data, each in its size",
    .other_time = true,
};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_perf_data = {
    .name = "perf-data",
    .title = "perf.data of Linux's perf: samples, branch stacks, Intel PT, CoreSight",
    .suffixes = "data",
    .omits = FORMAT_OMITS_ANY,
    .document = "Linux: tools/perf/Documentation/perf.data-file-format.txt",
    .time_unit = "ns",
    .record_size = 1,
    .length = coresight_length,
    .last_known = coresight_last_known,
    .share = coresight_share,
    .multi_record = true,
    .follows_code = true,
    .variant = &perf_data_variant,
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
