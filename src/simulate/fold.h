/* SPDX-License-Identifier: MIT */
/* fold.h: the folds of plug-ins as components. */
#ifndef SPOOR_SIMULATE_FOLD_H
#define SPOOR_SIMULATE_FOLD_H

#include "simulate/component.h"
#include "spoor/plugin.h"

struct fold_component {
    struct component component;
    const struct spoor_plugin_fold *given;
    const char *file; /* of the plug-in, in messages */
};

#endif
