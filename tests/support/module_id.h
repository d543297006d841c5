/* SPDX-License-Identifier: MIT */
/* module_id.h: included before each file of build-asan (scripts/fuzz), so that its global variables
 * are registered by one call for the whole program.
 *
 * clang 14 does this for a file which has an external symbol outside of a group (COMDAT).  The
 * counters of the fuzzer put each function into a group of its own, so a file that has only
 * functions would register its variables by a call of its own: two pages of the table of stacks for
 * each such call, at each start of a program.  The linker takes one of the symbols (-z muldefs) and
 * leaves it out (--gc-sections). */
extern const char spoor_module_id __attribute__((visibility("hidden"), no_sanitize("address")));
const char spoor_module_id = 0;
