/* SPDX-License-Identifier: MIT */
/* sql.c: any text as statements on a small trace.  Recursive ones, which need not end, are left
 * out. */
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "spoor/sql.h"

static const char trace[] = "0 clk cpu0 R SP 0000000000001000\n"
                            "0 clk cpu0 IT (0) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp]\n"
                            "0 clk cpu0 MW8 00000ff0 00000000_00000000\n"
                            "1 clk cpu1 IT (0) 00500000 d2800020 O EL0t : mov x0, #1\n"
                            "1 clk cpu1 R X0 0000000000000001\n"
                            "nonsense\n";
static char path[] = "/tmp/spoor-fuzz-sql-XXXXXX";

static bool columns(void *context, const char *const *names, size_t count)
{
    *(unsigned *)context = 0;
    return names && count;
}

static bool row(void *context, const struct spoor_sql_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        DEMAND(values[i].type <= SPOOR_SQL_TEXT, "%d", (int)values[i].type);
    return ++*(unsigned *)context < 1000;
}

static bool end(void *context, bool complete)
{
    (void)context, (void)complete;
    return true;
}

static void open_trace(void)
{
    static bool done;
    if (done) return;
    const int file = mkstemp(path);
    DEMAND(file >= 0 && write(file, trace, sizeof trace - 1) == sizeof trace - 1, "%s", path);
    close(file);
    done = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    const struct spoor_sql_options options = {
        .struct_size = sizeof options, .threads = 1, .no_index = true};
    const char *const traces[] = {path};
    struct spoor_error error = {0};
    struct spoor_sql *sql = NULL;
    unsigned rows = 0;
    const struct spoor_sql_sink sink = {&rows, columns, row, end};
    if (!text) abort();
    memcpy(text, bytes, size);
    text[size] = '\0';
    open_trace();
    /* ATTACH and VACUUM INTO would write files; zeroblob(), randomblob() and printf() much memory
     */
    static const char *const left_out[] = {"recursive", "attach", "vacuum", "blob", "f(", "load"};
    bool runs = strlen(text) == size && size < 4096;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        runs = runs && !strcasestr(text, left_out[i]);
    if (runs && spoor_sql_open(&sql, traces, 1, &options, &error) == SPOOR_OK)
        spoor_sql_run(sql, text, &sink, &error);
    spoor_sql_close(sql);
    free(text);
    return 0;
}
