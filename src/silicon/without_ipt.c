/* SPDX-License-Identifier: MIT */
/* without_ipt.c: instead of a decoder, where libipt was not there to build with. */
#include "model/error.h"
#include "silicon/intel_pt.h"

bool intel_pt_load(const char *path, struct spoor_error *error)
{
    spoor_error_set(error, SPOOR_EINPUT,
                    "%s: has a trace of Intel PT, which this spoor was built without a decoder of: "
                    "install libipt-dev and build again",
                    path);
    return false;
}

struct intel_pt *intel_pt_open(const struct intel_pt_input *input)
{
    (void)input;
    return NULL;
}

void intel_pt_decode(struct intel_pt *pt, uint64_t until, struct text *out, size_t enough)
{
    (void)pt;
    (void)until;
    (void)out;
    (void)enough;
}

bool intel_pt_has_ended(const struct intel_pt *pt)
{
    (void)pt;
    return true;
}

uint64_t intel_pt_time(const struct intel_pt *pt)
{
    (void)pt;
    return 0;
}

void intel_pt_close(struct intel_pt *pt)
{
    (void)pt;
}
