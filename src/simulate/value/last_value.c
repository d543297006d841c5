/* SPDX-License-Identifier: MIT */
/* last_value.c: the value that the instruction wrote last time. */
#include "simulate/value/value.h"

static const struct spoor_component_key last_value_keys[] = {KEYS_OF_VALUES, {0}};

struct last_value {
    unsigned bits, sure;
    struct last_value_entry {
        uint64_t value;
        uint16_t tag;
        uint8_t right; /* times in succession, up to `sure` */
        bool used;
    } entries[];
};

static struct last_value_entry *last_value_entry(struct last_value *self,
                                                 const struct spoor_plugin_value *value)
{
    return &self->entries[value_hash(value) & ((UINT64_C(1) << self->bits) - 1)];
}

static bool last_value_has(const struct last_value *self, const struct last_value_entry *entry,
                           const struct spoor_plugin_value *value)
{
    return entry->used && entry->tag == value_tag(value, self->bits);
}

static bool last_value_predict(void *state, const struct spoor_plugin_value *value, uint64_t *guess)
{
    struct last_value *self = state;
    const struct last_value_entry *entry = last_value_entry(self, value);
    *guess = entry->value;
    return last_value_has(self, entry, value) && entry->right >= self->sure;
}

static void last_value_train(void *state, const struct spoor_plugin_value *value)
{
    struct last_value *self = state;
    struct last_value_entry *entry = last_value_entry(self, value);
    const bool right = last_value_has(self, entry, value) && entry->value == value->value;
    if (!right)
        *entry = (struct last_value_entry){
            .value = value->value, .tag = value_tag(value, self->bits), .used = true};
    else if (entry->right < self->sure)
        entry->right++;
}

static const char *last_value_size(const struct component_setup *setup, struct component_size *size)
{
    const size_t entries = (size_t)1 << setup->values[VALUE_BITS];
    size->tables = entries * sizeof(struct last_value_entry);
    size->bits = entries * (64 + VALUE_TAG_BITS + 1 + value_log2(setup->values[VALUE_SURE] + 1));
    return NULL;
}

static void last_value_start(void *state, const struct component_setup *setup)
{
    struct last_value *self = state;
    self->bits = (unsigned)setup->values[VALUE_BITS];
    self->sure = (unsigned)setup->values[VALUE_SURE];
}

const struct value_predictor value_predictor_last_value = {
    .component = {.about = {SPOOR_VALUE_PREDICTOR, "last-value", "the value of the last time",
                            "Lipasti, Wilkerson, Shen 1996", last_value_keys},
                  .struct_size = sizeof(struct last_value),
                  .size = last_value_size,
                  .start = last_value_start},
    .predict = last_value_predict,
    .train = last_value_train,
};
