/* SPDX-License-Identifier: MIT */
/* inline.h: functions that become part of every caller, in spite of their size. */
#ifndef SPOOR_BASE_INLINE_H
#define SPOOR_BASE_INLINE_H

/* Of sanitized code, the compiler decides: of some files it would need a minute each. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifdef IS_SANITIZED
#define FORCE_INLINE inline
#else
#define FORCE_INLINE inline __attribute__((always_inline))
#endif

/* Before a loop: unrolls up to COUNT rounds, so that what differs between them is constant. */
#define UNROLL_TEXT(TEXT) _Pragma(#TEXT)
#ifdef __clang__
#define UNROLL(COUNT) UNROLL_TEXT(clang loop unroll_count(COUNT))
#else
#define UNROLL(COUNT) UNROLL_TEXT(GCC unroll COUNT)
#endif

#endif
