/* SPDX-License-Identifier: MIT */
/* policy.c: the list of page replacement policies. */
#include "simulate/paging/paging.h"

#define POLICY(name) extern const struct page_policy page_policy_##name;
#include "simulate/paging/policies.def"
#undef POLICY

const struct page_policy *const page_policies[] = {
#define POLICY(name) &page_policy_##name,
#include "simulate/paging/policies.def"
#undef POLICY
    NULL};

enum { POLICIES = sizeof page_policies / sizeof *page_policies - 1 };

const char *spoor_page_policy_name(size_t index)
{
    return index < POLICIES ? page_policies[index]->name : NULL;
}

const char *spoor_page_policy_title(size_t index)
{
    return index < POLICIES ? page_policies[index]->title : NULL;
}
