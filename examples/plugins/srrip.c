/* SPDX-License-Identifier: MIT */
/* srrip.c: a replacement policy as a plug-in: static re-reference interval prediction with hit
 * priority (Jaleel, Theobald, Steely, Emer, ISCA 2010).  `spoor cache --plugin ./srrip.so -l
 * l1:32K,8,64,policy=my-srrip:bits=3 TRACE` counts what the built-in srrip counts. */
#include <spoor/plugin.h>

static const struct spoor_component_key keys[] = {
    {"bits", "bits of a prediction", 2, 1, 8},
    {NULL, NULL, 0, 0, 0},
};

/* The order of a line is its predicted interval: 0 near, `distant` the longest. */
struct srrip {
    uint64_t *order;
    uint32_t ways;
    uint64_t distant;
};

static const char *srrip_size(struct spoor_plugin_setup *setup)
{
    setup->state_bytes = sizeof(struct srrip);
    setup->storage_bits = setup->sets * setup->ways * setup->values[0];
    return NULL;
}

static const char *srrip_create(void *state, struct spoor_plugin_setup *setup)
{
    struct srrip *self = state;
    self->order = setup->order;
    self->ways = setup->ways;
    self->distant = (UINT64_C(1) << setup->values[0]) - 1;
    return NULL;
}

static void srrip_touch(void *state, uint64_t set, uint32_t way,
                        const struct spoor_plugin_access *access)
{
    const struct srrip *self = state;
    (void)access;
    self->order[set * self->ways + way] = 0;
}

static void srrip_fill(void *state, uint64_t set, uint32_t way,
                       const struct spoor_plugin_access *access)
{
    const struct srrip *self = state;
    (void)access;
    self->order[set * self->ways + way] = self->distant - 1;
}

/* The first way that is predicted distant, after all are aged until there is one. */
static uint32_t srrip_victim(void *state, uint64_t set)
{
    const struct srrip *self = state;
    uint64_t *order = &self->order[set * self->ways];
    for (;;) {
        for (uint32_t way = 0; way < self->ways; way++)
            if (order[way] == self->distant) return way;
        for (uint32_t way = 0; way < self->ways; way++) order[way]++;
    }
}

static const struct spoor_plugin_policy srrip = {
    .design = {.name = "my-srrip",
               .title = "static re-reference interval prediction",
               .source = "Jaleel et al. 2010",
               .keys = keys,
               .size = srrip_size,
               .create = srrip_create},
    .touch = srrip_touch,
    .fill = srrip_fill,
    .victim = srrip_victim,
};

static const struct spoor_plugin_policy *const policies[] = {&srrip, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .policies = policies};
