/* SPDX-License-Identifier: MIT */
/*
 * record/capstone.h: the functions of capstone that recording calls.  The recorders that
 * disassemble load the library (base/shared_library.h).
 */
#ifndef SPOOR_RECORD_CAPSTONE_H
#define SPOOR_RECORD_CAPSTONE_H

#include <capstone/capstone.h>

#include "base/shared_library.h"
#include "spoor/error.h"

struct capstone {
    CAPSTONE_FUNCTIONS(SHARED_POINTER)
};
extern struct capstone capstone;

/* Loads the library; its functions are in `capstone` from then on. */
enum spoor_status capstone_load(struct spoor_error *error);

#endif
