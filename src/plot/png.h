/* SPDX-License-Identifier: MIT */
/* plot/png.h: a picture as PNG, drawn by librsvg and cairo where they are installed. */
#ifndef SPOOR_PLOT_PNG_H
#define SPOOR_PLOT_PNG_H

#include "base/text.h"
#include "spoor/error.h"

/* Loads the libraries.  SPOOR_EUSAGE: one is not installed, and the message says what to do. */
enum spoor_status png_begin(struct spoor_error *error);
/* Appends the picture, two pixels for each of its units. */
enum spoor_status png_of_svg(const char *svg, size_t size, struct text *png,
                             struct spoor_error *error);

#endif
