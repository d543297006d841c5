/* SPDX-License-Identifier: MIT */
/* plot/scale.c: from values to positions, ticks on round numbers, and numbers as labels. */
#include "plot/panel.h"

#include <math.h>
#include <stdlib.h>

/* The step from tick to tick: 1, 2 or 5 times a power of ten; of bytes, a power of two. */
static double scale_step(double span, enum plot_unit unit, unsigned wanted)
{
    const double lowest = span / wanted;
    if (!(lowest > 0)) return 1;
    if (unit == UNIT_SIZE || unit == UNIT_ADDRESS) return exp2(ceil(log2(lowest)));
    const double ten = pow(10, floor(log10(lowest))), times = lowest / ten;
    double step = ten * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
    if (unit == UNIT_COUNT && step < 1) step = 1;
    return step;
}

struct plot_scale scale_within(double low, double high, const struct plot_axis *axis,
                               unsigned wanted)
{
    struct plot_scale scale = {.low = low, .high = high, .unit = axis->unit};
    scale.log2 = axis->log2 && low > 0;
    scale.log10 = axis->log10 && low > 0;
    if (scale.high <= scale.low) scale.high = scale.low + 1;
    if (scale.log2) {
        const double first = ceil(log2(scale.low) - 1e-9), last = floor(log2(scale.high) + 1e-9);
        const double step = fmax(1, ceil((last - first + 1) / wanted));
        for (unsigned i = 0; first + i * step <= last && scale.tick_count < MAX_TICKS; i++)
            scale.ticks[scale.tick_count++] = exp2(first + i * step);
        return scale;
    }
    if (scale.log10) {
        const double first = ceil(log10(scale.low) - 1e-9);
        const double last = floor(log10(scale.high) + 1e-9);
        for (unsigned i = 0; first + i <= last && scale.tick_count < MAX_TICKS; i++)
            scale.ticks[scale.tick_count++] = pow(10, first + i);
        return scale;
    }
    const double step = scale_step(scale.high - scale.low, axis->unit, wanted);
    const double first = ceil(scale.low / step - 1e-9) * step;
    for (unsigned i = 0; scale.tick_count < MAX_TICKS; i++) {
        const double tick = first + i * step;
        if (tick > scale.high + step / 1e6) break;
        scale.ticks[scale.tick_count++] = fabs(tick) < step / 1e6 ? 0 : tick;
    }
    return scale;
}

struct plot_scale scale_of(double low, double high, const struct plot_axis *axis, bool zero,
                           unsigned wanted)
{
    if (axis->log2 && low > 0) return scale_within(low, high, axis, wanted);
    if (axis->log10 && low > 0) /* whole powers at the ends */
        return scale_within(pow(10, floor(log10(low) + 1e-9)), pow(10, ceil(log10(high) - 1e-9)),
                            axis, wanted);
    if (zero && low > 0) low = 0;
    if (zero && high < 0) high = 0;
    if (high <= low) high = low + 1;
    const double step = scale_step(high - low, axis->unit, wanted);
    return scale_within(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, axis,
                        wanted);
}

double scale_at(const struct plot_scale *scale, double value)
{
    const bool is_log = scale->log2 || scale->log10; /* of any base: only ratios count */
    const double low = is_log ? log2(scale->low) : scale->low;
    const double high = is_log ? log2(scale->high) : scale->high;
    const double at = is_log ? log2(value) : value;
    return scale->from + (at - low) / (high - low) * (scale->to - scale->from);
}

/* ---- labels ---- */

/* Three significant digits, without zeros at the end; whole numbers below 10,000 in full. */
static void scale_put_short(struct text *out, double value)
{
    const double size = fabs(value);
    int decimals = size == 0 ? 0 : 2 - (int)floor(log10(size));
    if (decimals < 0) decimals = 0;
    if (decimals > 9) decimals = 9;
    while (decimals > 0) {
        const double scale = pow(10, decimals - 1), shorter = value * scale;
        if (fabs(shorter - round(shorter)) > 1e-6 * fmax(1, fabs(shorter))) break;
        decimals--;
    }
    text_put_fixed(out, value, decimals);
}

static void scale_put_scaled(struct text *out, double value, double unit,
                             const char *const *letters)
{
    size_t turn = 0;
    while (fabs(value) >= unit * (1 - 1e-9) && letters[turn + 1]) {
        value /= unit;
        turn++;
    }
    scale_put_short(out, value);
    text_puts(out, letters[turn]);
}

static void scale_put_count(struct text *out, double value)
{
    static const char *const letters[] = {"", " k", " M", " G", " T", NULL};
    if (fabs(value) < 99999.5 && value == floor(value)) {
        if (fabs(value) >= 1000)
            text_printf(out, "%d,%03d", (int)value / 1000, abs((int)value) % 1000);
        else
            text_printf(out, "%d", (int)value);
        return;
    }
    scale_put_scaled(out, value, 1000, letters);
}

void scale_put(struct text *out, double value, enum plot_unit unit)
{
    static const char *const sizes[] = {"", "K", "M", "G", "T", NULL};
    switch (unit) {
    case UNIT_SIZE: scale_put_scaled(out, value, 1024, sizes); break;
    case UNIT_SHARE:
        scale_put_short(out, value * 100);
        text_puts(out, " %");
        break;
    case UNIT_ADDRESS: text_printf(out, "0x%llx", (unsigned long long)value); break;
    case UNIT_NUMBER:
        if (fabs(value) >= 10000)
            scale_put_count(out, value);
        else
            scale_put_short(out, value);
        break;
    default: scale_put_count(out, value);
    }
}
