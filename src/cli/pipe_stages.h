/* SPDX-License-Identifier: MIT */
/*
 * pipe_stages.h: pictures of the stages that the log of a pipeline states (O3PipeView, Kanata), as
 * `pipe` draws them of a simulated machine: a timeline in text, a table, a page.
 */
#ifndef SPOOR_CLI_PIPE_STAGES_H
#define SPOOR_CLI_PIPE_STAGES_H

#include "base/hash_map.h"
#include "base/text.h"
#include "cli/option.h"
#include "spoor/spoor.h"

/* A stage of an instruction, in cycles; `end` is the cycle after it. */
struct drawn_stage {
    unsigned name, lane; /* numbers of log_chart.names and .lanes */
    uint64_t begin, end;
};

/* An instruction of the log. */
struct drawn {
    uint64_t number, pc;
    uint64_t begin, end; /* of all stages; `end` is the cycle in which it retires or is squashed */
    bool has_pc, ended, squashed;
    char *label;
    char *notes; /* Kanata: labels of types 1 and 2, one a line; NULL: none */
    struct drawn_stage *stages;
    size_t count, capacity;
    uint64_t *producers;
    size_t producer_count, producer_capacity;
};

struct log_chart {
    struct range range; /* numbers of instructions to draw */
    size_t maximum;     /* instructions to draw */
    struct drawn *drawn;
    size_t count, capacity;
    struct hash_map numbers; /* struct chart_number */
    struct spoor_names *names, *lanes;
    uint64_t ticks; /* of a cycle; 0: not yet known */
    uint64_t first, last, retired, squashed;
    uint64_t lowest, highest; /* numbers of the instructions that ended */
    bool any, more, failed;   /* `more`: further instructions are in the range */
};

/* True if the batch has stages of a log. */
bool log_chart_is_log(const struct spoor_batch *batch);
bool log_chart_open(struct log_chart *chart, const struct range *range, size_t maximum);
void log_chart_add(struct log_chart *chart, const struct spoor_batch *batch);
/* No record follows: sorts the instructions by number and counts times in cycles. */
void log_chart_end(struct log_chart *chart);
void log_chart_close(struct log_chart *chart);

/* The timeline in text, 100 columns wide. */
void log_chart_put_text(const struct log_chart *chart, struct text *out);
/* The page; `path` is that of the log. */
void log_chart_put_page(const struct log_chart *chart, const char *path, struct text *out);
/* Into an object: `retired`, `squashed`, `cycles`, `ipc`, and `stages`, how long the instructions
 * of the chart were in each. */
void log_chart_report(const struct log_chart *chart, struct spoor_result *result);
/* The timeline as a table.  `apart`: the stages of a row, whatever their names, are members of an
 * object `stages`. */
void log_chart_put_rows(const struct log_chart *chart, bool apart, struct spoor_result *rows);

#endif
