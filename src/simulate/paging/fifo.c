/* SPDX-License-Identifier: MIT */
/* fifo.c: first in, first out: replace the page that was loaded first. */
#include "simulate/paging/paging.h"

const struct page_policy page_policy_fifo = {
    .name = "fifo",
    .title = "first in, first out",
    .victim = ring_remove_oldest,
    .load = ring_insert,
};
