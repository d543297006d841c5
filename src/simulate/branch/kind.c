/* SPDX-License-Identifier: MIT */
/* kind.c: the list of predictors. */
#include "simulate/branch/kind.h"

const struct predictor_kind *const predictor_kinds[] = {
#define PREDICTOR(NAME) &predictor_##NAME,
#include "simulate/branch/predictors.def"
#undef PREDICTOR
};
enum { KINDS = sizeof predictor_kinds / sizeof *predictor_kinds };

size_t spoor_predictor_kind_count(void)
{
    return KINDS;
}

const struct spoor_predictor_kind *spoor_predictor_kind_at(size_t index)
{
    return index < KINDS ? &predictor_kinds[index]->about : NULL;
}
