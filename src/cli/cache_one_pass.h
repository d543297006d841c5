/* SPDX-License-Identifier: MIT */
/* cache_one_pass.h: the verb `cache` with --curve and --sweep: many caches in one pass. */
#ifndef SPOOR_CLI_CACHE_ONE_PASS_H
#define SPOOR_CLI_CACHE_ONE_PASS_H

#include "cli/references.h"
#include "cli/simpoints.h"
#include "spoor/cache.h"
#include "spoor/curve.h"
#include "spoor/sweep.h"

struct one_pass {
    const struct settings *common;
    const struct reference_settings *references;
    const char *sweep; /* the value of the option; NULL: not given */
    double rate;
    bool curve;
    enum spoor_cache_takes takes; /* 0: as the sweep states, else all */
    uint32_t block, unknown_size;
    bool shared; /* all cpus share a cache, as asked for */
    uint64_t seed;
};

/* Sets the rate, 1 where `words` is NULL.  False: an error has been printed. */
bool one_pass_rate(struct one_pass *pass, const char *words);
/* Its context is a struct one_pass. */
extern const struct interval_simulator one_pass_simulator;

#endif
