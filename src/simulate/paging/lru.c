/* SPDX-License-Identifier: MIT */
/* lru.c: the page that was not accessed for longest goes. */
#include "simulate/paging/paging.h"

const struct page_policy page_policy_lru = {
    .name = "lru",
    .title = "least recently used",
    .hit = ring_touch,
    .victim = ring_take_oldest,
    .load = ring_insert,
};
