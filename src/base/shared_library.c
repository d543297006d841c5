/* SPDX-License-Identifier: MIT */
/* shared_library.c: loading a shared library with dlopen(3). */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <pthread.h>
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
    if (!complete) *reason = dlerror(); /* dlclose() would release it */
    return complete;
}

/* All of the pointers or, if one is missing, none. */
static bool fill(const char *const *files, const char *const *names, char *pointers,
                 const char **reason)
{
    void *library = NULL, *address;
    bool complete = true;
    while (*files && !library) library = dlopen(*files++, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; names[i] && library && complete; i++)
        complete = dlsym(library, names[i]) != NULL;
    complete &= library != NULL;
    if (!complete) *reason = dlerror();
    for (size_t i = 0; names[i] && complete; i++) {
        address = dlsym(library, names[i]);
        memcpy(pointers + i * sizeof address, &address, sizeof address);
    }
    return complete;
}

bool shared_library_fill(const char *const *files, const char *const *names, void *pointers,
                         bool *loaded, const char **reason)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!*loaded) *loaded = fill(files, names, pointers, reason);
    const bool is_loaded = *loaded;
    pthread_mutex_unlock(&lock);
    return is_loaded;
}
