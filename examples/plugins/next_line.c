/* SPDX-License-Identifier: MIT */
/* next_line.c: a prefetcher as a plug-in: the next `degree` lines after a miss (Smith 1982), into
 * its own cache or, with `below`, that many levels below it.  `spoor cache --plugin ./next_line.so
 * -l l1:32K,8,64,prefetch=my-next -l l2:256K,8,64 TRACE` counts what the built-in prefetcher `miss`
 * counts. */
#include <spoor/plugin.h>

static const struct spoor_component_key keys[] = {
    {"below", "levels below its own that are filled", 0, 0, 8},
    {NULL, NULL, 0, 0, 0},
};

struct next_line {
    uint32_t sub_bits, degree;
    unsigned level;
};

static const char *next_line_size(struct spoor_plugin_setup *setup)
{
    setup->state_bytes = sizeof(struct next_line);
    return NULL;
}

static const char *next_line_create(void *state, struct spoor_plugin_setup *setup)
{
    struct next_line *self = state;
    self->sub_bits = setup->sub_bits;
    self->degree = setup->degree;
    self->level = (unsigned)setup->values[0];
    return NULL;
}

static void next_line_access(void *state, const struct spoor_plugin_access *access, bool miss,
                             bool first, struct spoor_plugin_prefetches *prefetches)
{
    const struct next_line *self = state;
    (void)first;
    if (!miss) return;
    for (uint64_t i = 1; i <= self->degree; i++)
        spoor_plugin_prefetch(prefetches, access->address + (i << self->sub_bits), self->level);
}

static const struct spoor_plugin_prefetcher next_line = {
    .design = {.name = "my-next",
               .title = "next line, on a miss",
               .source = "Smith 1982",
               .keys = keys,
               .size = next_line_size,
               .create = next_line_create},
    .access = next_line_access,
};

static const struct spoor_plugin_prefetcher *const prefetchers[] = {&next_line, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .prefetchers = prefetchers};
