/* SPDX-License-Identifier: MIT */
/* mix_names.c: counts by name, and the lives of registers. */
#include <stdlib.h>

#include "analyse/mix.h"

bool mix_names_open(struct mix_names *names)
{
    names->names = spoor_names_new();
    names->counts = calloc(MIX_NAMES, sizeof *names->counts);
    return names->names && names->counts;
}

void mix_names_close(struct mix_names *names)
{
    spoor_names_free(names->names);
    free(names->counts);
}

/* Names beyond what a table holds are counted together. */
void mix_names_count(struct mix_names *names, const char *text, size_t size, uint64_t count)
{
    names->counts[spoor_names_intern(names->names, text, size)] += count;
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

void mix_register_written(struct mix_registers *registers, uint16_t id)
{
    struct mix_life *life = &registers->lives[id];
    registers->writes[id]++;
    if (life->alive) {
        registers->values++;
        registers->dead += life->reads == 0;
        registers->uses[mix_log(life->reads)]++;
        if (life->reads) registers->lifetimes[mix_log(life->last_read - life->written)]++;
    }
    *life = (struct mix_life){.written = registers->now, .alive = true};
}
