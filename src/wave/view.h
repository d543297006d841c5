/* SPDX-License-Identifier: MIT */
/* wave/view.h: the values that the expressions of a mapping have before an edge. */
#ifndef SPOOR_WAVE_VIEW_H
#define SPOOR_WAVE_VIEW_H

#include "wave/sample.h"

struct wave_value {
    uint64_t bits, unknown;
    uint32_t size; /* in bits; 0: absent */
};

static inline struct wave_value wave_value_of(const struct wave_sampler *sampler,
                                              const struct wave_bound *bound)
{
    if (bound->signal < 0) return (struct wave_value){0, UINT64_MAX, 0};
    const struct wave_signal *signal = &sampler->signals[bound->signal];
    const uint64_t *value = sampler->values + signal->at, *unknown = value + signal->words;
    const uint32_t word = bound->low / 64, shift = bound->low % 64;
    const uint32_t size = bound->bits;
    struct wave_value result = {value[word] >> shift, unknown[word] >> shift, size};
    if (shift && shift + size > 64) {
        result.bits |= value[word + 1] << (64 - shift);
        result.unknown |= unknown[word + 1] << (64 - shift);
    }
    const uint64_t mask = UINT64_MAX >> (64 - size);
    result.bits &= mask;
    result.unknown &= mask;
    return result;
}

/* The value of a node that is no signal. */
struct wave_value wave_operate(const struct wave_sampler *sampler, const struct wave_bound *bound,
                               const struct wave_node *one);

static inline struct wave_value wave_evaluate(const struct wave_sampler *sampler,
                                              const struct wave_bound *bound, int node)
{
    const struct wave_node *one = &sampler->mapping->nodes[node];
    if (one->op == WAVE_SIGNAL) return wave_value_of(sampler, &bound[one->reference]);
    return wave_operate(sampler, bound, one);
}

/* True if the waveform has not all signals of an expression. */
bool wave_is_absent(const struct wave_sampler *sampler, const struct wave_bound *bound, int node);

static inline bool wave_value_is_true(struct wave_value value)
{
    return (value.bits & ~value.unknown) != 0;
}

struct wave_view { /* a port of an instance */
    const struct wave_sampler *sampler;
    const struct wave_port *port;
    const struct wave_bound *bound;
    const struct wave_direct *direct;
};

static inline struct wave_view sampler_view(const struct wave_sampler *sampler,
                                            const struct wave_instance *instance, unsigned port)
{
    const struct wave_mapping *mapping = sampler->mapping;
    return (struct wave_view){sampler, &mapping->ports[mapping->packed != WAVE_ABSENT ? 0 : port],
                              instance->bound + port * mapping->reference_count,
                              instance->direct + (size_t)port * WAVE_FIELDS};
}

static inline struct wave_value view_get(const struct wave_view *view, enum wave_field field)
{
    const struct wave_direct *direct = &view->direct[field];
    if (direct->kind == WAVE_DIRECT_ABSENT) return (struct wave_value){0, UINT64_MAX, 0};
    if (direct->kind == WAVE_DIRECT_NOT)
        return wave_evaluate(view->sampler, view->bound, view->port->fields[field]);
    const uint64_t *value = view->sampler->values + direct->at;
    return (struct wave_value){value[0] >> direct->shift & direct->mask,
                               value[direct->words] >> direct->shift & direct->mask, direct->size};
}

static inline bool view_is_true(const struct wave_view *view, enum wave_field field)
{
    return wave_value_is_true(view_get(view, field));
}

/* A number of which all bits are known. */
static inline bool view_number(const struct wave_view *view, enum wave_field field,
                               uint64_t *number)
{
    const struct wave_value value = view_get(view, field);
    *number = value.bits;
    return value.size && !value.unknown;
}

#endif
