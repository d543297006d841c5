/* SPDX-License-Identifier: MIT */
/* names_serial.h: tells a table of names from one that has its address after it was freed. */
#ifndef SPOOR_MODEL_NAMES_SERIAL_H
#define SPOOR_MODEL_NAMES_SERIAL_H

#include "spoor/names.h"

/* A number that no other table of this process has; 0 for NULL. */
uint64_t names_serial(const struct spoor_names *names);

#endif
