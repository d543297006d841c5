/* SPDX-License-Identifier: MIT */
/* profile_text.h: profiles as text for a terminal of 80 columns. */
#ifndef SPOOR_CLI_PROFILE_TEXT_H
#define SPOOR_CLI_PROFILE_TEXT_H

#include "cli/chart.h"
#include "spoor/profile.h"

enum profile_sort { SORT_EXCLUSIVE, SORT_INCLUSIVE, SORT_CALLS, SORT_NAME };
struct profile_table {
    const struct spoor_profile *profile;
    const char *title; /* of the trace */
    struct chart chart;
    enum spoor_profile_by by;
    enum profile_sort sort;
    uint64_t top;     /* rows */
    unsigned columns; /* of the screen: narrow.h */
};
/* The totals, and a line for each row. */
void profile_put_table(const struct profile_table *table, struct text *text);
/* One function with its callers and callees. */
void profile_put_function(const struct profile_table *table, const struct spoor_profile_row *row,
                          struct text *text);
/* The changes from `before` to table->profile. */
void profile_put_changes(const struct profile_table *table, const struct spoor_profile *before,
                         const struct spoor_profile_change *changes, size_t count,
                         struct text *text);

#endif
