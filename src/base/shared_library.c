/* SPDX-License-Identifier: MIT */
/* shared_library.c: loading a shared library with dlopen(3). */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static void *open_library(const char *file)
{
    return dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

/* Sets the function pointer that lies at `pointer`; false: the library has no such function. */
static bool look_up(void *library, const char *name, void *pointer)
{
    void *address = dlsym(library, name);
    if (address) memcpy(pointer, &address, sizeof address);
    return address != NULL;
}

bool shared_library_load(const char *name, const struct shared_function *functions, size_t count,
                         const char **reason)
{
    void *library = open_library(name);
    bool complete = library != NULL;
    for (size_t i = 0; i < count && complete; i++)
        complete = look_up(library, functions[i].name, functions[i].pointer);
    if (!complete) *reason = dlerror(); /* dlclose() would release it */
    return complete;
}

/* All of the pointers or, if one is missing, none. */
static bool fill(const char *const *files, const char *const *names, char *pointers,
                 const char **reason)
{
    void *library = NULL;
    size_t count = 0;
    while (*files && !library) library = open_library(*files++);
    bool complete = library != NULL;
    for (; names[count] && complete; count++)
        complete = look_up(library, names[count], pointers + count * sizeof(void *));
    if (!complete) *reason = dlerror();
    if (!complete) memset(pointers, 0, count * sizeof(void *));
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
