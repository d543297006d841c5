/* SPDX-License-Identifier: MIT */
/*
 * only_posix.h: makes the use of interfaces that not every system has an error.
 *
 * A build with -Dportable=true includes it before every source file of the library and of the
 * program, and so shows on Linux that the code compiles without these interfaces.
 */
#ifndef SPOOR_BASE_ONLY_POSIX_H
#define SPOOR_BASE_ONLY_POSIX_H

/* The headers that declare them come first. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#undef O_TMPFILE
#undef O_PATH
#undef MAP_POPULATE
#undef SOCK_CLOEXEC
#undef SOCK_NONBLOCK

#pragma GCC poison memrchr rawmemchr strchrnul mempcpy qsort_r asprintf vasprintf strverscmp
#pragma GCC poison program_invocation_name program_invocation_short_name secure_getenv
#pragma GCC poison canonicalize_file_name get_current_dir_name execvpe
#pragma GCC poison pipe2 dup3 accept4 memfd_create mremap fallocate posix_fadvise readahead
#pragma GCC poison copy_file_range splice tee vmsplice statx renameat2 syscall prctl
#pragma GCC poison epoll_create1 epoll_ctl epoll_wait eventfd signalfd timerfd_create
#pragma GCC poison inotify_init1 inotify_add_watch sched_getaffinity pthread_setaffinity_np
#pragma GCC poison pthread_timedjoin_np pthread_setname_np getauxval fopencookie get_nprocs

#endif
