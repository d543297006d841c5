/* SPDX-License-Identifier: MIT */
/* pane_types.c: the list of the kinds of panes. */
#include "browse/internal.h"

const struct pane_type pane_types[] = {
    [PANE_REGISTERS] = {"registers", registers_draw, registers_subject, NULL},
    [PANE_STACK] = {"calls", stack_draw, NULL, stack_enter},
    [PANE_CODE] = {"code", code_draw, NULL, code_enter},
    [PANE_SOURCE] = {"source", source_draw, NULL, NULL},
    [PANE_MEMORY] = {"memory", memory_draw, memory_subject, NULL},
};
