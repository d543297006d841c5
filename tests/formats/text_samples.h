/* SPDX-License-Identifier: MIT */
/* text_samples.h: lines of each text format, as traces have them. */
#ifndef TESTS_FORMATS_TEXT_SAMPLES_H
#define TESTS_FORMATS_TEXT_SAMPLES_H

#include <stddef.h>

static const struct {
    const char *format;
    const char *lines[24]; /* NULL at the end */
} samples[] = {
    {"din",
     {"2 401ab70", "1 1fff0006e8", "0 0", "2 0", "0 00401ab7", "2 4", "1 7FFF00A", "2\t401ab70",
      "0 ffffffffffffffff", "1 1 some rest", "2 0x401ab70"}},
    {"xdin",
     {"i 401ab70 3", "w 1fff0006e8 8", "r 0 1", "m 7fff0a 10", "c 1000 40", "v 20 0",
      "i 00401AB7 4", "r 1fff000a 4 rest", " i 401ab70 3", "r 0x12 0x4"}},
    {"lackey",
     {"I  04025310,3", " S 1ffeffe9b8,8", " L 0401ab70,4", " M 1ffefff1c0,16", "I  04025313,5",
      " L 00000000,1", " S 1FFEFFE9B8,8", "==123== Command: ls", " L 123,4",
      " L 00001ffeffe9b8,8"}},
};

#endif
