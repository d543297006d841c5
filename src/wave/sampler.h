/* SPDX-License-Identifier: MIT */
/*
 * wave/sampler.h: the values of the mapped signals, and the lines of the instructions that they
 * show before each edge of the clock.
 *
 * A reader of waveforms makes the variables, has the sampler bound to them, and from then on stores
 * the values of the sampler's signals and asks for samples.  The lines are those of the described
 * format `waveform` (src/formats/described/waveform.spoor-format).
 */
#ifndef SPOOR_WAVE_SAMPLER_H
#define SPOOR_WAVE_SAMPLER_H

#include "wave/sample.h"
#include "wave/variables.h"

/* Binds a mapping to the variables: false if signals are missing: *missing is then the first such
 * reference; or memory ran out: sampler->failed. */
bool wave_sampler_bind(struct wave_sampler *sampler, const struct wave_mapping *mapping,
                       const struct wave_variables *variables,
                       const struct wave_reference **missing);
/* The unit of times that count `10^exponent` seconds; false: it has no name, and times are as the
 * waveform has them. */
enum { WAVE_NO_UNIT = 1000 };
bool wave_sampler_set_unit(struct wave_sampler *sampler, int exponent);
/* Instead of instances: stores the values of one signal, NAME, NAME[BIT] or NAME[HIGH:LOW], whose
 * path is the end of one.  False: `problem` is filled, "found ..."; or memory ran out, and
 * sampler->failed. */
bool wave_sampler_watch(struct wave_sampler *sampler, const struct wave_variables *variables,
                        const char *path, struct wave_history *history, struct text *problem);
/* Instead of instances: has `tap` called before each rising edge of a clock, a variable, when the
 * first `most` signals of at most 64 bits have their values of then.  signal_of[i] becomes the
 * number of the signal of variable i; SIZE_MAX: it has none.  False: memory ran out. */
bool wave_sampler_tap(struct wave_sampler *sampler, const struct wave_variables *variables,
                      size_t clock, size_t most, void (*tap)(void *context, uint64_t edge),
                      void *context, size_t *signal_of);
/* The watched signal may have another value from this time on. */
void wave_sampler_record(struct wave_sampler *sampler, uint64_t time);
void wave_sampler_free(struct wave_sampler *sampler);

/* The first line: what is read, and by which mapping. */
void wave_sampler_put_title(struct wave_sampler *sampler, const struct wave_variables *variables);

/* Digits 0, 1, x, z, the highest first; fewer than the width are extended as VCD says. */
void wave_set_digits(const struct wave_signal *signal, uint64_t *words, const char *digits,
                     size_t count);
/* Bits without unknown ones: the highest is the highest bit of the first byte. */
void wave_set_packed(const struct wave_signal *signal, uint64_t *words, const uint8_t *bytes);

/* True if something happens at the edge; the deciding signals have their values before it. */
bool wave_sampler_decide(struct wave_sampler *sampler, struct wave_instance *instance,
                         uint64_t time);
/* The same for another edge, before which the deciding signals have the same values, and at which
 * nothing happens. */
static inline void wave_sampler_repeat(struct wave_instance *instance, uint64_t time)
{
    instance->edges++;
    instance->undecided += instance->undecided_now;
    instance->edge_time = time;
    if (!instance->stall.count) return;
    instance->stall.count++;
    instance->stall.to = time;
}
/* Appends the lines of the edge; all signals have their values before it. */
void wave_sampler_put(struct wave_sampler *sampler, struct wave_instance *instance, uint64_t time);
/* Writes so far are not those of the next instruction: what is between is missing. */
void wave_sampler_forget(struct wave_sampler *sampler);
/* No changes were recorded between two times, of which the second is the present one. */
void wave_sampler_skip(struct wave_sampler *sampler, uint64_t from, uint64_t to);
/* After the last edge: appends what may be missing, since the waveform does not say whether
 * instructions retire. */
void wave_sampler_end(struct wave_sampler *sampler);

#endif
