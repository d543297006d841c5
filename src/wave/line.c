/* SPDX-License-Identifier: MIT */
/* line.c: what lines begin with, values with unknown bits, and lines about damage. */
#include "wave/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/byte_order.h"

char *wave_put_bits(char *at, uint64_t bits, uint64_t unknown, uint32_t size)
{
    const unsigned digits = (size + 3) / 4;
    at = put_hex(at, bits, digits);
    for (unsigned i = 0; unknown && i < digits; i++)
        if (unknown >> 4 * i & 15) at[-1 - (int)i] = 'X';
    return at;
}

const char *wave_line_cpu(const struct wave_sampler *sampler, const struct wave_instance *instance)
{
    const char *at = sampler->cpu_names.bytes;
    for (const struct wave_instance *one = sampler->instances; one < instance; one++)
        at += strlen(at) + 1;
    return at;
}

char *wave_line_begin(struct wave_sampler *sampler, const struct wave_instance *instance,
                      const struct wave_view *view, uint64_t time, size_t room)
{
    enum { ROOM_OF_LINE = 100 };
    const char *cpu = sampler->instance_count > 1 ? wave_line_cpu(sampler, instance) : "";
    char *at = text_reserve(&sampler->out, room + strlen(cpu) + (size_t)ROOM_OF_LINE);
    uint64_t number;
    if (!at) return NULL;
    at = put_decimal(at, time * sampler->factor);
    at = put_char(at, ' ');
    at = put_bytes(at, sampler->unit, strlen(sampler->unit));
    const bool numbered = view_number(view, WAVE_CPU, &number);
    if (numbered || *cpu) at = put_bytes(at, " cpu ", 5);
    for (const char *c = cpu; *c; c++) at = put_char(at, (unsigned char)*c > ' ' ? *c : '_');
    if (numbered && *cpu) at = put_char(at, '.');
    return numbered ? put_decimal(at, number) : at;
}

void wave_line_damage(struct wave_sampler *sampler, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    text_puts(&sampler->out, "! ");
    text_puts_visible(&sampler->out, words);
    text_put(&sampler->out, "\n", 1);
    sampler->failed |= sampler->out.failed;
}
