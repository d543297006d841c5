/* SPDX-License-Identifier: MIT */
/*
 * uop_avx2.c: decodes micro-op lines many bytes at a time, for processors with AVX2.
 */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX2
#include "formats/uop/uop_simd_decode.h"

FOR_AVX2 void uop_decode_avx2(const struct decoder *decoder, struct spoor_batch *batch,
                              struct record_sink *sink)
{
    decode_all(decoder, batch, sink);
}
#endif
