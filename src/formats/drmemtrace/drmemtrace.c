/* SPDX-License-Identifier: MIT */
/* drmemtrace.c: the format of DynamoRIO's memory traces and of Google's workload traces. */
#include "formats/drmemtrace/drmemtrace.h"

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_drmemtrace = {
    .name = "drmemtrace",
    .title = "DynamoRIO memory trace (drmemtrace), also Google's workload traces",
    .suffixes = "memtrace",
    .document = "DynamoRIO: clients/drcachesim/common/trace_entry.h, \"Trace Format\"",
    .time_unit = "us",
    .record_size = DRM_ENTRY,
    .length = drm_length,
    .last_known = drm_last_known,
    .multi_record = true,
    .fields = {[SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE) |
                              BIT(OPCODE_SIZE) | BIT(ISET) | BIT(DISASM) | BIT(EXTRA),
               [SPOOR_FLOW] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC) | BIT(TARGET),
               [SPOOR_MEM] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE),
               [SPOOR_UOP] =
                   BIT(PC) | BIT(FALL) | BIT(BRANCH) | BIT(TARGET) | BIT(LDST) | BIT(ADDRESS),
               [SPOOR_CACHEOP] = BIT(TIME) | BIT(CPU) | BIT(ADDRESS) | BIT(SIDE) | BIT(OPERATION),
               [SPOOR_EVENT] =
                   BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(NUMBER) | BIT(EVENT) | BIT(VALUE)},
    .produces = 1U << SPOOR_INSN | 1U << SPOOR_FLOW | 1U << SPOOR_MEM | 1U << SPOOR_CACHEOP |
                1U << SPOOR_EVENT,
    .probe = drm_probe,
    .resembles = drm_resembles,
    .decode = drm_decode,
    .projects = 1U << PROJECT_STATS,
    .project = drm_project,
    .resolve = drm_resolve,
    .forget = drm_forget,
    .write = drm_write,
    .end = drm_end,
};
