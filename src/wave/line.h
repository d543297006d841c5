/* SPDX-License-Identifier: MIT */
/* wave/line.h: the lines of text that a waveform becomes. */
#ifndef SPOOR_WAVE_LINE_H
#define SPOOR_WAVE_LINE_H

#include "wave/view.h"

/* The name of a scope, where several have the signals. */
const char *wave_line_cpu(const struct wave_sampler *sampler, const struct wave_instance *instance);
/* Reserves a line, "TIME UNIT" or "TIME UNIT cpu NAME", and `room` bytes after that; NULL: memory
 * ran out. */
char *wave_line_begin(struct wave_sampler *sampler, const struct wave_instance *instance,
                      const struct wave_view *view, uint64_t time, size_t room);
/* Hexadecimal, X for a digit of which a bit is unknown. */
char *wave_put_bits(char *at, uint64_t bits, uint64_t unknown, uint32_t size);
/* Appends a line that reports damage: "! what". */
void wave_line_damage(struct wave_sampler *sampler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
