/* SPDX-License-Identifier: MIT */
/*
 * only_posix.h: makes the use of functions that not every system has an error.
 *
 * A build with -Dportable=true includes it before every source file of the library and of the
 * program.  The functions get names that nothing defines, so a program that calls one cannot be
 * linked, as on a system without it.
 */
#ifndef SPOOR_BASE_ONLY_POSIX_H
#define SPOOR_BASE_ONLY_POSIX_H

#define memrchr memrchr_is_not_portable
#define rawmemchr rawmemchr_is_not_portable
#define strchrnul strchrnul_is_not_portable
#define mempcpy mempcpy_is_not_portable
#define qsort_r qsort_r_is_not_portable
#define asprintf asprintf_is_not_portable
#define vasprintf vasprintf_is_not_portable
#define strverscmp strverscmp_is_not_portable
#define program_invocation_name program_invocation_name_is_not_portable
#define program_invocation_short_name program_invocation_short_name_is_not_portable
#define secure_getenv secure_getenv_is_not_portable
#define canonicalize_file_name canonicalize_file_name_is_not_portable
#define get_current_dir_name get_current_dir_name_is_not_portable
#define execvpe execvpe_is_not_portable
#define pipe2 pipe2_is_not_portable
#define dup3 dup3_is_not_portable
#define accept4 accept4_is_not_portable
#define memfd_create memfd_create_is_not_portable
#define mremap mremap_is_not_portable
#define fallocate fallocate_is_not_portable
#define posix_fadvise posix_fadvise_is_not_portable
#define readahead readahead_is_not_portable
#define copy_file_range copy_file_range_is_not_portable
#define splice splice_is_not_portable
#define vmsplice vmsplice_is_not_portable
#define renameat2 renameat2_is_not_portable
#define syscall syscall_is_not_portable
#define prctl prctl_is_not_portable
#define epoll_create1 epoll_create1_is_not_portable
#define epoll_ctl epoll_ctl_is_not_portable
#define epoll_wait epoll_wait_is_not_portable
#define eventfd eventfd_is_not_portable
#define signalfd signalfd_is_not_portable
#define timerfd_create timerfd_create_is_not_portable
#define inotify_init1 inotify_init1_is_not_portable
#define inotify_add_watch inotify_add_watch_is_not_portable
#define sched_getaffinity sched_getaffinity_is_not_portable
#define pthread_setaffinity_np pthread_setaffinity_np_is_not_portable
#define pthread_timedjoin_np pthread_timedjoin_np_is_not_portable
#define pthread_setname_np pthread_setname_np_is_not_portable
#define getauxval getauxval_is_not_portable
#define fopencookie fopencookie_is_not_portable
#define get_nprocs get_nprocs_is_not_portable

#endif
