/* SPDX-License-Identifier: MIT */
/* plot/data.h: the points of a plot, read from result trees by its description. */
#ifndef SPOOR_PLOT_DATA_H
#define SPOOR_PLOT_DATA_H

#include "plot/plot.h"
#include "result/result_node.h"

struct plot_point {
    double x, y;                          /* x: the value, or the number of the category */
    uint32_t series, category;            /* numbers in `series` and `categories` */
    const struct spoor_result *at, *x_at; /* the values that y and x are; x_at NULL: a name */
};

/* Distinct names in order of appearance. */
struct plot_names {
    char **items;
    size_t count, capacity;
};

struct plot_data {
    const struct plot *plot;
    struct plot_point *points;
    size_t count, capacity;
    struct plot_names series, categories;
    char *x_key;          /* the member that "#0" was; NULL: none */
    char *subtitle;       /* the trace, where there is one */
    double x_low, x_high; /* of all points */
    double y_low, y_high;
    bool numeric; /* every x is a number */
    bool failed;  /* memory ran out */
};

/* Reads the points; none: the results have no such table.  Values that are no numbers are left
 * out.  plot_data_free() in any case. */
void plot_data_read(struct plot_data *data, const struct plot *plot,
                    const struct spoor_result *results);
void plot_data_free(struct plot_data *data);

#endif
