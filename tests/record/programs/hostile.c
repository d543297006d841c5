/* SPDX-License-Identifier: MIT */
/* hostile.c: attack the memory that a recorded program's QEMU shares with spoor: "truncate" it, or
 * "clear" its counters. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TURNS = 30000, KEPT = 16, CLEARED = 32 << 20 };

static void work(void)
{
    for (volatile long i = 0; i < TURNS; i++) continue;
}

static void attack(const char *path, int truncates)
{
    const int file = open(path, O_RDWR);
    if (truncates) {
        printf("ftruncate %d\n", ftruncate(file, 0));
        return;
    }
    char *memory = mmap(NULL, KEPT + CLEARED, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) memset(memory + KEPT, 0, CLEARED);
}

int main(int count, char **words)
{
    char folder[64], path[512], name[256];
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)getppid());
    DIR *files = opendir(folder);
    work();
    for (struct dirent *entry; files && (entry = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const ssize_t size = readlink(path, name, sizeof name - 1);
        name[size > 0 ? size : 0] = '\0';
        if (strstr(name, "spoor-record"))
            attack(path, count > 1 && strcmp(words[1], "truncate") == 0);
    }
    fflush(stdout);
    work();
    return 0;
}
