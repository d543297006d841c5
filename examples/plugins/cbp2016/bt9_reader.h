/* SPDX-License-Identifier: MIT */
/* bt9_reader.h: empty: spoor reads the trace. */
