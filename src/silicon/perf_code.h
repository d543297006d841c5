/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_code.h: the code that processes of a perf.data had in memory.
 *
 * Mappings are noted in the order of the file, with their times; a process that was forked has
 * those of its parent, and loses them at exec.  Code comes from the images that the user named
 * (ELF files and bytes of memory at an address), then from the file of the mapping: an image with
 * its build id or its name, the file at its path, the cache of build ids (~/.debug).  A file of
 * another build id is not used.  Code that a program made is that of its jitdump.
 */
#ifndef SPOOR_SILICON_PERF_CODE_H
#define SPOOR_SILICON_PERF_CODE_H

#include "silicon/perf_file.h"
#include "spoor/error.h"

struct perf_code;

enum { PERF_KERNEL = -1 /* the process of the kernel's mappings */ };

/* `images`: FILE or FILE@ADDRESS, NULL after the last; NULL: none.  `folder`: of a perf.data
 * directory, whose kcore has the code of the kernel; NULL: none.  NULL: `error` is filled. */
struct perf_code *perf_code_open(const char *const *images, const char *folder,
                                 struct spoor_error *error);
void perf_code_close(struct perf_code *code);
/* Without mappings, every image lies where it says. */
void perf_code_place_all(struct perf_code *code);

/* Notes what a record MMAP, MMAP2, COMM, FORK says.  False: memory ran out. */
bool perf_code_note(struct perf_code *code, const struct perf_file *file,
                    const struct perf_event *event);
/* After the last record: sorts by time. */
void perf_code_sort(struct perf_code *code);

/* Code of a process at a time; returns how many bytes there are, up to the end of a mapping or a
 * file: 0: none. */
size_t perf_code_read(struct perf_code *code, uint32_t process, uint64_t time, uint64_t address,
                      void *to, size_t size);

/* The same of a region below, whatever the process. */
size_t perf_code_read_any(struct perf_code *code, uint64_t address, void *to, size_t size);

/* A mapping of code that all processes agree about, in the order of addresses; false: past the
 * last.  `path`: of the file that has it; NULL: none was found. */
struct perf_region {
    uint64_t start, end, offset; /* of the file */
    const char *path, *named;    /* as the recording names it */
    const char *build_id;        /* "" if it is not known */
    const char *function;        /* that a jitdump has there; NULL: it is a part of the file */
};
bool perf_code_region(struct perf_code *code, size_t index, struct perf_region *region);

#endif
