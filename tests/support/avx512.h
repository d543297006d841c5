/* SPDX-License-Identifier: MIT */
/*
 * avx512.h: the decoders for AVX-512 as any machine with AVX2 can run them, if SIMDe was there when
 * the tests were built (tests/emulated/meson.build); else NULL.
 */
#ifndef TESTS_SUPPORT_AVX512_H
#define TESTS_SUPPORT_AVX512_H

#include <stdio.h>

#include "formats/reference_line.h"

typedef void uop_decoder(const struct decoder *decoder, struct spoor_batch *batch,
                         struct record_sink *sink);
typedef void byu12_taker(struct spoor_batch *batch);

#ifdef WITH_EMULATED_AVX512
uop_decoder uop_decode_avx512_emulated;
byu12_taker byu12_decode_avx512_emulated, byu12_account_avx512_emulated;
reference_fast_lines din_project_avx512_emulated;
#else
#define uop_decode_avx512_emulated ((uop_decoder *)NULL)
#define byu12_decode_avx512_emulated ((byu12_taker *)NULL)
#define byu12_account_avx512_emulated ((byu12_taker *)NULL)
#define din_project_avx512_emulated ((reference_fast_lines *)NULL)
#endif

static inline void tell_avx512_is_untested(void)
{
    fputs("AVX-512 is not tested: neither the processor nor SIMDe (libsimde-dev) has it\n", stderr);
}

#endif
