/* SPDX-License-Identifier: MIT */
/*
 * uop_avx512.c: the decoder of micro-op lines by many bytes at a time, for processors with AVX-512.
 */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX512
#define UOP_WITH_AVX512
#include "formats/uop_simd_take.h"

FOR_AVX512 void uop_decode_avx512(const struct decoder *decoder, struct spoor_batch *batch,
                                  struct record_sink *sink)
{
    take_all(decoder, batch, sink);
}
#endif
