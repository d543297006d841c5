/* SPDX-License-Identifier: MIT */
/*
 * select.c: the fuzz target of expressions: any text compiles or is rejected with a message, and a
 * compiled expression gives the same result twice on records of several kinds, or says why it has
 * none.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "spoor/spoor.h"
#include "support/trace.h"

static const char records[] = "1 clk cpu0 IT (1) 00001000:000000001000_NS d503201f O EL1h_n : NOP\n"
                              "1 clk cpu0 R X0 0000000000000001\n"
                              "2 clk cpu0 MR8X 00002000:000000002000 00000000_13000000\n"
                              "3 clk cpu0 MU4_ADD 00002000 00000001\n"
                              "4 clk E 00000000 00000001 CoreEvent_Reset\n"
                              "unknown words\n";

static void match_all(const struct spoor_select *select)
{
    const struct spoor_format *format = spoor_format_find("tarmac");
    DEMAND(format, "no format is called tarmac");
    struct trace trace;
    trace_decode(&trace, format, records, sizeof records - 1);
    for (size_t i = 0; i < trace.batch.count; i++)
        DEMAND(spoor_select_match(select, &trace.batch, i) ==
                   spoor_select_match(select, &trace.batch, i),
               "two answers for record %zu", i);
    struct spoor_error error = {0};
    DEMAND(spoor_select_status(select, &error) == SPOOR_OK || error.text[0],
           "no answer without a sentence");
    trace_free(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *expression = malloc(size + 1);
    if (!expression) abort();
    if (size) memcpy(expression, bytes, size);
    expression[size] = '\0';
    struct spoor_error error = {0};
    struct spoor_select *select = NULL;
    if (spoor_select_compile(&select, expression, &error) == SPOOR_OK) {
        match_all(select);
        spoor_select_free(select);
    } else {
        DEMAND(error.text[0], "refused without a sentence");
    }
    free(expression);
    return 0;
}
