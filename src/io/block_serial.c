/* SPDX-License-Identifier: MIT */
/* block_serial.c: inflating in the caller's thread, a window at a time. */
#include "io/block_serial.h"

#include <stdlib.h>

bool block_serial_begin(struct block_serial *serial, const struct block *block)
{
    if (!serial->decoder) serial->decoder = serial->kind->open();
    if (!serial->kept) serial->kept = malloc(BLOCK_WINDOW);
    serial->block = *block;
    serial->used = serial->made = 0;
    serial->kept_at = serial->kept_end = 0;
    serial->result = INFLATE_MORE;
    serial->inside =
        serial->decoder && serial->kept && serial->kind->begin(serial->decoder, &serial->block);
    return serial->inside;
}

void block_serial_close(struct block_serial *serial)
{
    if (serial->decoder) serial->kind->close(serial->decoder);
    free(serial->kept);
    serial->decoder = NULL;
    serial->kept = NULL;
}

static size_t block_serial_minimum(uint64_t a, uint64_t b)
{
    return (size_t)(a < b ? a : b);
}

/* Delivers buffered output first. */
static void give_kept(struct block_serial *serial, struct flow *flow)
{
    const size_t size = block_serial_minimum(serial->kept_end - serial->kept_at, flow->out_left);
    if (size == 0) return;
    memcpy(flow->out, serial->kept + serial->kept_at, size);
    serial->kept_at += size;
    flow->out += size;
    flow->out_left -= size;
}

/* The number of input bytes for the decoder; false: its window is not complete yet. */
static bool cut_window(const struct block_serial *serial, const struct flow *flow, size_t *size)
{
    uint64_t maximum = BLOCK_WINDOW - serial->used % BLOCK_WINDOW;
    if (serial->block.packed)
        maximum = block_serial_minimum(maximum, serial->block.packed - serial->used);
    *size = block_serial_minimum(flow->in_left, maximum);
    return *size == maximum || flow->input == INPUT_ALL;
}

/* One call of the decoder: directly into the caller's memory if it has the capacity for a window.
 * False: no progress. */
static bool block_serial_inflate_window(struct block_serial *serial, struct flow *flow, size_t in)
{
    const size_t capacity = BLOCK_WINDOW - (size_t)(serial->made % BLOCK_WINDOW);
    const bool keeps = flow->out_left < capacity;
    uint8_t *to = keeps ? serial->kept + (BLOCK_WINDOW - capacity) : flow->out;
    struct flow part = {.in = flow->in, .in_left = in, .out = to, .out_left = capacity};
    serial->result = serial->kind->inflate(serial->decoder, &part, &serial->what);
    const size_t used = in - part.in_left, made = capacity - part.out_left;
    flow->in += used;
    flow->in_left -= used;
    serial->used += used;
    serial->made += made;
    if (keeps) {
        serial->kept_at = BLOCK_WINDOW - capacity;
        serial->kept_end = serial->kept_at + made;
        give_kept(serial, flow);
    } else {
        flow->out += made;
        flow->out_left -= made;
    }
    const bool moved = used || made;
    serial->result =
        block_result(&serial->block, serial->used, moved, serial->result, &serial->what);
    return moved;
}

enum inflate_result block_serial_inflate(struct block_serial *serial, struct flow *flow,
                                         const char **what)
{
    give_kept(serial, flow);
    while (serial->result == INFLATE_MORE && flow->out_left) {
        size_t in;
        if (!cut_window(serial, flow, &in) || !block_serial_inflate_window(serial, flow, in)) break;
    }
    if (serial->kept_at < serial->kept_end || serial->result == INFLATE_MORE) return INFLATE_MORE;
    *what = serial->what;
    serial->inside = serial->result != INFLATE_END;
    return serial->result;
}
