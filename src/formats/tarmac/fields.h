/* SPDX-License-Identifier: MIT */
/* fields.h: the fields of Tarmac, by kind. */
#ifndef SPOOR_FORMATS_TARMAC_FIELDS_H
#define SPOOR_FORMATS_TARMAC_FIELDS_H

#include "formats/tarmac/dialect.h"

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

#endif
