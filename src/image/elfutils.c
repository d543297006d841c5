/* SPDX-License-Identifier: MIT */
/* elfutils.c: loading libdw and libelf. */
#include "image/elfutils.h"

#include <string.h>

#include "base/shared_library.h"

bool elfutils_load(struct elfutils *elfutils)
{
    static const char libelf[] = "libelf.so.1", libdw[] = "libdw.so.1";
    const struct {
        const char *library;
        struct shared_function function;
    } all[] = {
#define FUNCTION(library, function) {library, {#function, &elfutils->function}},
        ELFUTILS_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    const char *reason;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!shared_library_load(all[i].library, &all[i].function, 1, &reason)) return false;
    return elfutils->elf_version(EV_CURRENT) != EV_NONE;
}
