/* SPDX-License-Identifier: MIT */
/* shared_library.c: loading a shared library with dlopen(3). */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NAME(function) #function,
#define SHARED_LIBRARY(name, package, part, LIST, ...) \
    [SHARED_##name] = {package, (const char *const[]){LIST(NAME) NULL}, {__VA_ARGS__}},
const struct shared_library shared_libraries[SHARED_LIBRARIES] = {
#include "base/shared_libraries.def"
};

/* All of the pointers or, if one is missing, none: dlerror() then has the reason. */
static bool shared_library_find(const struct shared_library *library, char *pointers)
{
    void *handle = NULL;
    size_t count = 0;
    for (size_t i = 0; i < SHARED_FILES && library->files[i] && !handle; i++)
        handle = dlopen(library->files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    bool complete = handle != NULL;
    for (; library->functions[count] && complete; count++) {
        void *function = dlsym(handle, library->functions[count]);
        memcpy(pointers + count * sizeof function, &function, sizeof function);
        complete = function != NULL;
    }
    if (!complete) memset(pointers, 0, count * sizeof(void *));
    return complete;
}

bool shared_library_load(const struct shared_library *library, void *pointers,
                         char sentence[SHARED_SENTENCE])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    void *first;
    pthread_mutex_lock(&lock);
    memcpy(&first, pointers, sizeof first);
    const bool loaded = first || shared_library_find(library, pointers);
    if (!loaded && sentence)
        snprintf(sentence, SHARED_SENTENCE,
                 "%s cannot be loaded (%s): install it, on Debian the package %s",
                 library->files[0], dlerror(), library->package);
    pthread_mutex_unlock(&lock);
    return loaded;
}
