/* SPDX-License-Identifier: MIT */
/* elfutils.c: loads libdw and libelf. */
#include "image/elfutils.h"

#include "base/shared_library.h"

#define FUNCTION(function) {#function, &elfutils->function},

bool elfutils_load(struct elfutils *elfutils)
{
    const struct shared_function libelf[] = {LIBELF_FUNCTIONS(FUNCTION)};
    const struct shared_function libdw[] = {LIBDW_FUNCTIONS(FUNCTION)};
    const char *reason;
    return shared_library_load("libelf.so.1", libelf, sizeof libelf / sizeof *libelf, &reason) &&
           shared_library_load("libdw.so.1", libdw, sizeof libdw / sizeof *libdw, &reason) &&
           elfutils->elf_version(EV_CURRENT) != EV_NONE;
}
