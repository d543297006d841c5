/* SPDX-License-Identifier: MIT */
/* mix_names.c: counts by name, and the lifetimes of register values. */
#include <stdlib.h>
#include <string.h>

#include "stats/mix.h"

bool mix_names_open(struct mix_names *names)
{
    names->names = spoor_names_new();
    names->counts = calloc(MIX_NAMES, sizeof *names->counts);
    names->ids = calloc(MIX_NAMES, sizeof *names->ids);
    return names->names && names->counts && names->ids;
}

void mix_names_close(struct mix_names *names)
{
    spoor_names_free(names->names);
    free(names->counts);
    free(names->ids);
}

void mix_names_begin(struct mix_names *names, const struct spoor_batch *batch)
{
    memset(names->ids, 0, spoor_names_count(batch->stream->names) * sizeof *names->ids);
}

/* Names beyond the capacity of a table are counted together. */
spoor_name mix_names_count(struct mix_names *names, const char *text, size_t size)
{
    const spoor_name id = spoor_names_intern(names->names, text, size);
    names->counts[id]++;
    return id;
}

bool mix_names_any(const struct mix_names *names)
{
    for (size_t id = 0; id < MIX_NAMES; id++)
        if (names->counts[id]) return true;
    return false;
}

void mix_register_read(struct mix_registers *registers, uint16_t id)
{
    struct mix_life *life = &registers->lives[id];
    registers->reads[id]++;
    registers->sees_reads = true;
    life->reads++;
    life->last_read = registers->now;
}

/* The register is written: the lifetime of its value ends. */
static void end_value(struct mix_registers *registers, uint16_t id)
{
    const struct mix_life *life = &registers->lives[id];
    if (!life->alive) return;
    registers->values++;
    registers->dead += life->reads == 0;
    registers->uses[mix_log(life->reads)]++;
    if (life->reads) registers->lifetimes[mix_log(life->last_read - life->written)]++;
}

void mix_register_written(struct mix_registers *registers, uint16_t id)
{
    registers->writes[id]++;
    end_value(registers, id);
    registers->lives[id] = (struct mix_life){.written = registers->now, .alive = true};
}
