/* SPDX-License-Identifier: MIT */
/* stride.c: the last value plus a stride, which changes when another one came twice. */
#include "simulate/value/value.h"

static const struct spoor_component_key value_stride_keys[] = {KEYS_OF_VALUES, {0}};

struct value_stride {
    unsigned bits, sure;
    struct value_stride_entry {
        uint64_t value, stride, seen; /* seen: the last stride */
        uint16_t tag;
        uint8_t right; /* times in succession, up to `sure` */
        bool used;
    } entries[];
};

static struct value_stride_entry *value_stride_entry(struct value_stride *self,
                                                     const struct spoor_plugin_value *value)
{
    return &self->entries[value_hash(value) & ((UINT64_C(1) << self->bits) - 1)];
}

static bool value_stride_has(const struct value_stride *self,
                             const struct value_stride_entry *entry,
                             const struct spoor_plugin_value *value)
{
    return entry->used && entry->tag == value_tag(value, self->bits);
}

static bool value_stride_predict(void *state, const struct spoor_plugin_value *value,
                                 uint64_t *guess)
{
    struct value_stride *self = state;
    const struct value_stride_entry *entry = value_stride_entry(self, value);
    *guess = entry->value + entry->stride;
    return value_stride_has(self, entry, value) && entry->right >= self->sure;
}

static void value_stride_train(void *state, const struct spoor_plugin_value *value)
{
    struct value_stride *self = state;
    struct value_stride_entry *entry = value_stride_entry(self, value);
    if (!value_stride_has(self, entry, value)) {
        *entry = (struct value_stride_entry){
            .value = value->value, .tag = value_tag(value, self->bits), .used = true};
        return;
    }
    const uint64_t stride = value->value - entry->value;
    if (stride != entry->stride)
        entry->right = 0;
    else if (entry->right < self->sure)
        entry->right++;
    if (stride == entry->seen) entry->stride = stride;
    entry->seen = stride;
    entry->value = value->value;
}

static const char *value_stride_size(const struct component_setup *setup,
                                     struct component_size *size)
{
    const size_t entries = (size_t)1 << setup->values[VALUE_BITS];
    size->tables = entries * sizeof(struct value_stride_entry);
    size->bits =
        entries * (3 * 64 + VALUE_TAG_BITS + 1 + value_log2(setup->values[VALUE_SURE] + 1));
    return NULL;
}

static void value_stride_start(void *state, const struct component_setup *setup)
{
    struct value_stride *self = state;
    self->bits = (unsigned)setup->values[VALUE_BITS];
    self->sure = (unsigned)setup->values[VALUE_SURE];
}

const struct value_predictor value_predictor_stride = {
    .component = {.about = {SPOOR_VALUE_PREDICTOR, "stride", "the last value plus a stride",
                            "Eickemeyer, Vassiliadis 1993", value_stride_keys},
                  .struct_size = sizeof(struct value_stride),
                  .size = value_stride_size,
                  .start = value_stride_start},
    .predict = value_stride_predict,
    .train = value_stride_train,
};
