/* SPDX-License-Identifier: MIT */
/*
 * log_chart.h: the stages of instructions that the log of a pipeline states (O3PipeView, Kanata, a
 * waveform with stages).
 */
#ifndef SPOOR_HTML_LOG_CHART_H
#define SPOOR_HTML_LOG_CHART_H

#include "base/hash_map.h"
#include "base/text.h"
#include "spoor/spoor.h"

/* A stage of an instruction, in cycles; `end` is the cycle after it. */
struct drawn_stage {
    unsigned name, lane; /* numbers of log_chart.names and .lanes */
    uint64_t begin, end;
};

/* An instruction of the log. */
struct drawn {
    uint64_t number, pc;
    uint64_t record;     /* the first that names it */
    uint64_t last;       /* the one with which it ends, if it does */
    uint64_t begin, end; /* of all stages; `end` is the cycle in which it retires or is squashed */
    bool has_pc, ended, squashed;
    char *label;
    char *notes; /* Kanata: labels of types 1 and 2, one a line; NULL: none */
    struct drawn_stage *stages;
    size_t count, capacity;
    uint64_t *producers;
    size_t producer_count, producer_capacity;
};

/* Why nothing retired, up to the next instruction that does. */
struct chart_stall {
    spoor_name cpu;
    unsigned name; /* of log_chart.names */
    uint64_t begin, end;
};

/* The lane in which causes are drawn beside the instruction that then retires. */
#define CHART_STALL_LANE "stall"

struct log_chart {
    uint64_t from, to; /* numbers of the first and the last instruction to draw */
    size_t maximum;    /* instructions to draw */
    uint64_t record;   /* the one that is added */
    struct drawn *drawn;
    size_t count, capacity;
    struct hash_map numbers; /* struct chart_number */
    struct spoor_names *names, *lanes;
    uint64_t ticks;      /* of a cycle; 0: not yet known */
    unsigned stall_lane; /* number of its name; 0: the log states no causes */
    struct chart_stall *stalls;
    size_t stall_count, stall_capacity;
    uint64_t *lost; /* cycles of each cause, by number of its name */
    size_t lost_count, lost_capacity;
    uint64_t base, base_time; /* cycles in which an instruction retires, and the last */
    spoor_name base_cpu;
    uint64_t first, last, retired, squashed;
    uint64_t lowest, highest; /* numbers of the instructions that ended */
    bool any, more, failed;   /* `more`: further instructions are in the range */
};

/* True if the batch has stages of a log. */
bool log_chart_is_log(const struct spoor_batch *batch);
bool log_chart_open(struct log_chart *chart, uint64_t from, uint64_t to, size_t maximum);
void log_chart_add(struct log_chart *chart, const struct spoor_batch *batch);
/* The same of one record, with its number in the trace. */
void log_chart_add_record(struct log_chart *chart, const struct spoor_batch *batch, size_t index,
                          uint64_t number);
/* No record follows: sorts the instructions by number and counts times in cycles. */
void log_chart_end(struct log_chart *chart);
/* The cycles of the log, after log_chart_end(). */
uint64_t log_chart_cycles(const struct log_chart *chart);
void log_chart_close(struct log_chart *chart);
/* JSON: `stages`, and a row of `rows` (machine_stages.h) with this text; NULL: it has none. */
void log_chart_put_stages(const struct log_chart *chart, struct text *out);
void log_chart_put_row(const struct drawn *drawn, const char *words, struct text *out);
/* A colour for each stage, a number of the style of plots, of which 7 is that of the lines from
 * producers: those that differ most come first. */
unsigned log_chart_color(unsigned stage);

#endif
