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

bool shared_library_load(const struct shared_library *library, void *pointers,
                         char sentence[SHARED_SENTENCE])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char *to = pointers;
    void *function, *handle = NULL;
    pthread_mutex_lock(&lock);
    memcpy(&function, to, sizeof function);
    bool loaded = function;
    if (!loaded) {
        /* All of the pointers or, if one is missing, none: dlerror() then has the reason. */
        for (size_t i = 0; i < SHARED_FILES && library->files[i] && !handle; i++)
            handle = dlopen(library->files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        loaded = handle;
        size_t count = 0;
        for (; library->functions[count] && loaded; count++) {
            function = dlsym(handle, library->functions[count]);
            memcpy(to + count * sizeof function, &function, sizeof function);
            loaded = function;
        }
        if (!loaded) memset(to, 0, count * sizeof function);
    }
    if (!loaded && sentence)
        snprintf(sentence, SHARED_SENTENCE,
                 "%s cannot be loaded (%s): install it, on Debian the package %s",
                 library->files[0], dlerror(), library->package);
    pthread_mutex_unlock(&lock);
    return loaded;
}
