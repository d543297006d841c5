/* SPDX-License-Identifier: MIT */
/* lru.c: least recently used: replace the page whose last access is the oldest. */
#include "simulate/paging/paging.h"

const struct page_policy page_policy_lru = {
    .name = "lru",
    .title = "least recently used",
    .hit = ring_touch,
    .victim = ring_remove_oldest,
    .load = ring_insert,
};
