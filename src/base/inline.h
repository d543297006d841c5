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

#endif
