/* SPDX-License-Identifier: MIT */
/* large.c: zeroed memory that begins with a large page, where the system has them. */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef MADV_HUGEPAGE
enum { PAGE = 2 << 20 /* bytes: a large page of most processors */ };

static size_t large_whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}
#endif

void *large_alloc(size_t size)
{
#ifdef MADV_HUGEPAGE
    if (size > SIZE_MAX - 2 * (size_t)PAGE) return NULL;
    const size_t wanted = large_whole_pages(size);
    char *all =
        mmap(NULL, wanted + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    /* a large page is aligned: what lies around the memory is given back */
    const size_t before = (PAGE - (uintptr_t)all % PAGE) % PAGE;
    if (before) munmap(all, before);
    munmap(all + before + wanted, PAGE - before);
    madvise(all + before, PAGE, MADV_HUGEPAGE); /* if refused, it is in small ones */
    return all + before;
#else
    enum { LINE = 64 };
    void *memory = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
    return memory ? memset(memory, 0, size) : NULL;
#endif
}

void large_free(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    if (memory) munmap(memory, large_whole_pages(size));
#else
    (void)size;
    free(memory);
#endif
}

void large_forget(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    madvise(memory, size / page * page, MADV_DONTNEED);
#else
    (void)memory, (void)size;
#endif
}
