/* SPDX-License-Identifier: MIT */
/* late.c: fills in the values of registers that are written late. */
#include "wave/late.h"

#include <string.h>

#include "base/byte_order.h"
#include "wave/line.h"

static void late_drop(struct wave_instance *instance, unsigned which)
{
    instance->wait_count--;
    memmove(instance->waits + which, instance->waits + which + 1,
            (instance->wait_count - which) * sizeof *instance->waits);
}

char *wave_late_wait(struct wave_sampler *sampler, struct wave_instance *instance, char *at,
                     uint64_t rd, uint32_t bits)
{
    enum { MOST = sizeof instance->waits / sizeof *instance->waits };
    const struct text *out = &sampler->out;
    if (instance->wait_count == MOST) late_drop(instance, 0);
    at = put_bytes(at, " w x", 4);
    at = put_decimal(at, rd);
    instance->waits[instance->wait_count++] =
        (struct wave_wait){.rd = rd,
                           .line = sampler->given + out->size,
                           .place = sampler->given + (uint64_t)(at - out->bytes),
                           .bits = bits};
    at = put_char(at, '~');
    return wave_put_bits(at, 0, UINT64_MAX, bits);
}

void wave_late_write(struct wave_sampler *sampler, struct wave_instance *instance,
                     const struct wave_view *view, uint64_t time)
{
    const struct wave_value rd = view_get(view, WAVE_LATE_RD);
    const bool writes = view_is_true(view, WAVE_LATE_WHEN);
    if (!writes && !wave_late_may_write(instance, view)) return;
    if (!writes || rd.unknown) {
        /* the next write of such a register may be that of a younger instruction */
        for (unsigned i = instance->wait_count; i-- > 0;) {
            if ((instance->waits[i].rd ^ rd.bits) & ~rd.unknown) continue;
            late_drop(instance, i);
            if (instance->doubtful++ == 0) instance->doubtful_time = time;
        }
        return;
    }
    if (!rd.bits) return;
    for (unsigned i = 0; i < instance->wait_count; i++) {
        const struct wave_wait *wait = &instance->waits[i];
        if (wait->rd != rd.bits) continue;
        const struct wave_value value = view_get(view, WAVE_LATE_RD_VALUE);
        /* of another port, which may have more bits than there is room for */
        const uint64_t unknown = value.size > wait->bits ? UINT64_MAX : value.unknown;
        char *at = sampler->out.bytes + (wait->place - sampler->given);
        at = put_char(at, unknown ? '~' : '=');
        wave_put_bits(at, value.bits, unknown, wait->bits);
        late_drop(instance, i);
        return;
    }
    if (instance->unclaimed++ == 0) instance->unclaimed_time = time;
}

void wave_late_limit(struct wave_sampler *sampler, size_t bytes)
{
    const uint64_t end = sampler->given + sampler->out.size;
    for (size_t i = 0; i < sampler->instance_count; i++) {
        struct wave_instance *one = &sampler->instances[i];
        while (one->wait_count && end - one->waits[0].line > bytes) late_drop(one, 0);
    }
}

size_t wave_late_ready(const struct wave_sampler *sampler)
{
    uint64_t end = sampler->given + sampler->out.size;
    for (size_t i = 0; i < sampler->instance_count; i++) {
        const struct wave_instance *one = &sampler->instances[i];
        if (one->wait_count && one->waits[0].line < end) end = one->waits[0].line;
    }
    return (size_t)(end - sampler->given);
}
