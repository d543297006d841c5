/* SPDX-License-Identifier: MIT */
/* fifo.c: the page that came first goes. */
#include "simulate/paging/paging.h"

const struct page_policy page_policy_fifo = {
    .name = "fifo",
    .title = "first in, first out",
    .victim = ring_take_oldest,
    .load = ring_insert,
};
