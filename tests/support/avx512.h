/* SPDX-License-Identifier: MIT */
/*
 * avx512.h: the decoders for AVX-512 as any machine with AVX2 can run them, if SIMDe was there when
 * the tests were built (tests/emulated/meson.build).
 */
#ifndef SUPPORT_AVX512_H
#define SUPPORT_AVX512_H

#include "base/cpu.h"
#include "formats/format.h"

#ifdef WITH_EMULATED_AVX512
enum { CAN_EMULATE_AVX512 = true };
void uop_decode_avx512_emulated(const struct decoder *decoder, struct spoor_batch *batch,
                                struct record_sink *sink);
#else
enum { CAN_EMULATE_AVX512 = false };
#define uop_decode_avx512_emulated \
    ((void (*)(const struct decoder *, struct spoor_batch *, struct record_sink *))NULL)
#endif

#endif
