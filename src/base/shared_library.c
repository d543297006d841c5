/* SPDX-License-Identifier: MIT */
/* shared_library.c: loading a shared library with dlopen(3). */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

bool shared_library_load(const char *name, const struct shared_function *functions, size_t count,
                         const char **reason)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    bool complete = library != NULL;
    for (size_t i = 0; i < count && complete; i++) {
        void *address = dlsym(library, functions[i].name);
        complete = address != NULL;
        if (complete) memcpy(functions[i].pointer, &address, sizeof address);
    }
    if (!complete) *reason = dlerror();
    if (library) dlclose(library);
    return complete;
}
