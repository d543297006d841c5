/* SPDX-License-Identifier: MIT */
/* cache/warm.h: the end of a warm-up: contents stay, and all counts are zero again. */
#ifndef SPOOR_SIMULATE_CACHE_WARM_H
#define SPOOR_SIMULATE_CACHE_WARM_H

struct spoor_cache_system;
struct spoor_curve;
struct spoor_sweep;

void cache_system_forget(struct spoor_cache_system *system);
void curve_forget(struct spoor_curve *curve);
void sweep_forget(struct spoor_sweep *sweep);

#endif
