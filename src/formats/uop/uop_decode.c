/* SPDX-License-Identifier: MIT */
/*
 * uop_decode.c: chooses the fastest decoder that the processor can run.
 */
#include "base/cpu.h"
#include "formats/uop/uop.h"

void uop_decode_into(const struct decoder *decoder, struct spoor_batch *batch,
                     struct record_sink *sink)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) {
        uop_decode_avx2(decoder, batch, sink);
        return;
    }
#endif
    uop_decode_lines(decoder, batch, sink);
}
