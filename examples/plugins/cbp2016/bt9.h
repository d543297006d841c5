/* SPDX-License-Identifier: MIT */
/* bt9.h: empty: spoor reads the trace. */
