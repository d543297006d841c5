/* SPDX-License-Identifier: MIT */
/* run_scalar.c: lines of known layouts and of the cache, for any processor. */
#include "formats/text/cache_run.h"
#include "formats/text/run.h"

const struct text_width text_width_scalar = {text_run_lines, cache_run_lines, text_key_of,
                                             text_hash_of};
