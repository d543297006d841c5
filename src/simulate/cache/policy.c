/* SPDX-License-Identifier: MIT */
/* policy.c: the list of replacement policies. */
#include "simulate/cache/cache.h"

#define POLICY(name) extern const struct cache_policy cache_policy_##name;
#include "simulate/cache/policies.def"
#undef POLICY

const struct cache_policy *const cache_policies[] = {
#define POLICY(name) &cache_policy_##name,
#include "simulate/cache/policies.def"
#undef POLICY
    NULL};

enum { POLICIES = sizeof cache_policies / sizeof *cache_policies - 1 };

const char *spoor_cache_policy_name(size_t index)
{
    return index < POLICIES ? cache_policies[index]->name : NULL;
}

const char *spoor_cache_policy_title(size_t index)
{
    return index < POLICIES ? cache_policies[index]->title : NULL;
}
