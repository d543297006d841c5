/* SPDX-License-Identifier: MIT */
/*
 * compare.c: the fuzz target of alignment: two traces made of arbitrary bytes, each byte an
 * instruction.
 *
 * For any bytes, every unit of each side is either paired, skipped or omitted by the other side,
 * none twice and none forgotten; the verdict is "equal" if and only if the sides are the same or
 * one is a part of the other; a trace equals itself.  The first byte chooses the lookahead and the
 * window, the second the place where the sides diverge.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare/compare.h"
#include "fuzz/fuzz.h"
#include "spoor/spoor.h"
#include "support/trace.h"

enum { MAX_UNITS = 4000 };

/* Few addresses and few values, so that the sides have much in common. */
static void put_units(struct text *text, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < MAX_UNITS; i++) {
        unsigned place = bytes[i] & 15, value = bytes[i] >> 4;
        text_printf(text, "%zu clk 0 IT (%zu) %08x %08x A svc_ns : addi x1,x1,1\n", i, i,
                    0x1000 + 4 * place, 0x00108093 | place << 20);
        if (value < 12) text_printf(text, "%zu clk R x%u %08x\n", i, 1 + value % 3, value);
        if (value == 12) text_printf(text, "%zu clk MW4 %08x %08x\n", i, 0x2000 + place, value);
    }
}

struct input {
    struct trace trace;
    bool done;
};

static enum spoor_status next(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error)
{
    struct input *input = context;
    (void)error;
    if (input->done || input->trace.batch.count == 0) return SPOOR_END;
    input->done = true;
    *batch = &input->trace.batch;
    return SPOOR_OK;
}

static struct spoor_diff *compare(const struct text *left, const struct text *right,
                                  const struct spoor_diff_options *options)
{
    static const struct text empty;
    const struct text *texts[2] = {left ? left : &empty, right ? right : &empty};
    struct input inputs[2] = {{.done = false}, {.done = false}};
    struct spoor_diff_input sources[2];
    struct spoor_error error = {0};
    for (int side = 0; side < 2; side++) {
        trace_decode(&inputs[side].trace, spoor_format_find("matcher"), texts[side]->bytes,
                     texts[side]->size);
        sources[side] = (struct spoor_diff_input){next, &inputs[side], &inputs[side].trace.stream};
    }
    struct spoor_diff *diff = NULL;
    DEMAND(spoor_diff_new(&diff, options, &error) == SPOOR_OK, "no memory");
    DEMAND(spoor_diff_run(diff, sources, &error) == SPOOR_OK, "%s", error.text);
    struct spoor_result *result = spoor_result_new_object();
    spoor_diff_report(diff, result);
    DEMAND(spoor_result_complete(result), "no memory");
    spoor_result_free(result);
    for (int side = 0; side < 2; side++) trace_free(&inputs[side].trace);
    return diff;
}

static size_t cut(size_t size)
{
    return size < MAX_UNITS ? size : MAX_UNITS;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    const struct spoor_diff_options options = {
        .lookahead = 16U << (bytes[0] & 7), .window = bytes[0] >> 6, .no_omissions = bytes[0] & 8};
    const size_t part = (size - 2) * bytes[1] / 255;
    const size_t sizes[2] = {cut(part), cut(size - 2 - part)};
    struct text left = {0}, right = {0};
    put_units(&left, bytes + 2, part);
    put_units(&right, bytes + 2 + part, size - 2 - part);
    struct spoor_diff *diff = compare(&left, &right, &options);
    for (int side = 0; side < 2; side++)
        DEMAND(diff->counts.compared + diff->counts.skipped[side] +
                       diff->counts.omitted[1 - side] ==
                   sizes[side],
               "side %d: %zu units, %llu paired, %llu skipped, %llu omitted by the other", side,
               sizes[side], (unsigned long long)diff->counts.compared,
               (unsigned long long)diff->counts.skipped[side],
               (unsigned long long)diff->counts.omitted[1 - side]);
    const bool part_of = diff->counts.omitted[0] || diff->counts.omitted[1];
    DEMAND(!part_of || !options.no_omissions, "omissions that are not asked for");
    bool same =
        left.size == right.size && (!left.size || !memcmp(left.bytes, right.bytes, left.size));
    bool equal = spoor_diff_verdict(diff) == SPOOR_VERDICT_EQUAL;
    if (options.window < 2 && sizes[0])
        DEMAND(equal == same || (equal && part_of), "verdict %d of sides that are %s", equal,
               same ? "equal" : "not");
    spoor_diff_free(diff);
    diff = compare(&left, &left, &options);
    DEMAND(diff->counts.compared == sizes[0] && !diff->counts.mismatches && !diff->counts.gaps,
           "a trace differs from itself");
    spoor_diff_free(diff);
    text_free(&left);
    text_free(&right);
    return 0;
}
