/* SPDX-License-Identifier: MIT */
/*
 * replay.c: runs a fuzz target on files and on the files of directories, without libFuzzer, as
 * regression tests.  Prints TAP; a target that aborts ends the program.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

static size_t ran;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t size = 0, got = 1;
    while (file && got) {
        bytes = realloc(bytes, size + 65536);
        if (!bytes) abort();
        got = fread(bytes + size, 1, 65536, file);
        size += got;
    }
    if (!file) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    printf("ok %zu - %s\n", ++ran, path);
    fflush(stdout);
}

static void replay(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return; /* a target that has no seeds, or no regressions yet */
    if (!S_ISDIR(status.st_mode)) {
        replay_file(path);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') replay(inner);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

int main(int count, char **words)
{
    uint8_t nothing[1] = {0};
    LLVMFuzzerTestOneInput(nothing, 0);
    printf("ok %zu - no bytes at all\n", ++ran);
    for (int i = 1; i < count; i++) replay(words[i]);
    printf("1..%zu\n", ran);
    return 0;
}
