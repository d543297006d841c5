/* SPDX-License-Identifier: MIT */
/* layout.c: the tables of layout.h. */
#include "model/layout.h"

#include <stddef.h>

#define AT(member) offsetof(struct spoor_record, member)

const struct layout record_layouts[SPOOR_KINDS] = {
    [SPOOR_NOTE] = {.refs = {AT(note.text)}},
    [SPOOR_UOP] = {.names = {AT(uop.macro), AT(uop.micro)}},
    [SPOOR_INSN] = {.names = {AT(insn.mode)}, .refs = {AT(insn.disasm)}},
    [SPOOR_REG] = {.names = {AT(reg.name), AT(reg.note)}, .refs = {AT(reg.wide)}},
    [SPOOR_MEM] = {.refs = {AT(mem.wide)}},
    [SPOOR_BUS] = {.names = {AT(bus.master)}},
    [SPOOR_CACHEOP] = {.names = {AT(cacheop.side), AT(cacheop.operation), AT(cacheop.scope),
                                 AT(cacheop.region), AT(cacheop.memory_type)}},
    [SPOOR_CACHE] = {.names = {AT(cache.unit)}},
    [SPOOR_WALK] = {.names = {AT(walk.side), AT(walk.table_format)}, .refs = {AT(walk.attributes)}},
    [SPOOR_TLB] = {.names = {AT(tlb.unit), AT(tlb.region), AT(tlb.regime), AT(tlb.memory_type)},
                   .refs = {AT(tlb.attributes)}},
    [SPOOR_EVENT] = {.names = {AT(event.mode), AT(event.name)}, .refs = {AT(event.text)}},
};
