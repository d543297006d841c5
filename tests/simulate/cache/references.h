/* SPDX-License-Identifier: MIT */
/* references.h: for tests: the memory references of a published trace. */
#ifndef TESTS_SIMULATE_REFERENCES_H
#define TESTS_SIMULATE_REFERENCES_H

#include "spoor/spoor.h"
#include "spoor/view.h"

/* Writes the path of a file under ../shared ($SPOOR_SHARED); false, with a message, if it is
 * absent. */
bool shared_path(const char *name, char *path, size_t capacity);
/* Reads all references of a trace under ../shared/traces.  False if it is absent, and the caller
 * skips the test; aborts if it cannot be read. */
bool read_references(const char *name, const char *format, struct spoor_references *references);
/* Makes `count` references of a seeded generator: runs, loops and jumps in some regions, by `cpus`.
 */
void make_references(struct spoor_references *references, size_t count, uint64_t seed,
                     unsigned cpus);

#endif
