/* SPDX-License-Identifier: MIT */
/* pending.c: lets the changes of a time take effect. */
#include "wave/pending.h"

#include <stdlib.h>
#include <string.h>

bool wave_pending_begin(struct wave_pending *pending, const struct wave_sampler *sampler)
{
    const size_t count = sampler->signal_count, bytes = sampler->value_words * sizeof(uint64_t);
    pending->next = malloc(bytes + 1);
    pending->changed = calloc(count + 1, sizeof *pending->changed);
    pending->dirty = calloc(count + 1, 1);
    if (!pending->next || !pending->changed || !pending->dirty) return false;
    memcpy(pending->next, sampler->values, bytes);
    return true;
}

void wave_pending_end_time(struct wave_pending *pending, struct wave_sampler *sampler)
{
    for (size_t i = 0; i < sampler->instance_count; i++) {
        struct wave_instance *instance = &sampler->instances[i];
        const struct wave_bound *clock = &instance->clock;
        if (!pending->dirty[clock->signal]) continue;
        const struct wave_signal *signal = &sampler->signals[clock->signal];
        const unsigned before = wave_bit(signal, sampler->values, clock->low);
        const unsigned after = wave_bit(signal, pending->next, clock->low);
        const bool falling = sampler->mapping->falling;
        if (before == falling && after == !falling &&
            wave_sampler_decide(sampler, instance, pending->time))
            wave_sampler_put(sampler, instance, pending->time);
    }
    for (size_t i = 0; i < pending->changed_count; i++) {
        const struct wave_signal *signal = &sampler->signals[pending->changed[i]];
        const size_t words = 2 * (size_t)signal->words;
        if (words == 2) {
            sampler->values[signal->at] = pending->next[signal->at];
            sampler->values[signal->at + 1] = pending->next[signal->at + 1];
        } else {
            memcpy(sampler->values + signal->at, pending->next + signal->at,
                   words * sizeof *pending->next);
        }
        pending->dirty[pending->changed[i]] = false;
    }
    if (sampler->history && pending->changed_count) wave_sampler_record(sampler, pending->time);
    pending->changed_count = 0;
}

void wave_pending_free(struct wave_pending *pending)
{
    free(pending->next);
    free(pending->changed);
    free(pending->dirty);
}
