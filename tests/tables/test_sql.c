/* SPDX-License-Identifier: MIT */
/*
 * test_sql.c: by public headers alone: statements on traces give what a reader counts; types,
 * several traces, refusals and early ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spoor/sql.h"

static char trace[] = "/tmp/spoor-test-sql-XXXXXX";
static const char lines[] = "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP\n"
                            "2 clk cpu0 MW8 00000ff0 00000000_00000001\n"
                            "3 clk cpu0 IT (2) 00001004 d503201f O EL1h_n : NOP\n"
                            "no line of the format\n";

static int make_trace(void **state)
{
    (void)state;
    const int file = mkstemp(trace);
    const bool good = file >= 0 && write(file, lines, sizeof lines - 1) == sizeof lines - 1;
    return good && close(file) == 0 ? 0 : -1;
}

static int remove_trace(void **state)
{
    (void)state;
    return unlink(trace);
}

/* The rows of the last statement, as text. */
struct rows {
    char names[128], values[256];
    unsigned count, limit;
    bool complete;
};

static bool take_columns(void *context, const char *const *names, size_t count)
{
    struct rows *rows = context;
    *rows = (struct rows){.limit = rows->limit};
    for (size_t i = 0; i < count; i++)
        snprintf(rows->names + strlen(rows->names), sizeof rows->names - strlen(rows->names), "%s ",
                 names[i]);
    return true;
}

static bool take_row(void *context, const struct spoor_sql_value *values, size_t count)
{
    struct rows *rows = context;
    for (size_t i = 0; i < count; i++) {
        char *to = rows->values + strlen(rows->values);
        const size_t room = sizeof rows->values - strlen(rows->values);
        switch (values[i].type) {
        case SPOOR_SQL_NULL: snprintf(to, room, "null "); break;
        case SPOOR_SQL_INTEGER: snprintf(to, room, "%lld ", (long long)values[i].integer); break;
        case SPOOR_SQL_HEX: snprintf(to, room, "%#llx ", (long long)values[i].integer); break;
        case SPOOR_SQL_REAL: snprintf(to, room, "%.3f ", values[i].real); break;
        case SPOOR_SQL_TEXT:
            snprintf(to, room, "'%.*s' ", (int)values[i].size, values[i].text);
            break;
        }
    }
    return ++rows->count != rows->limit;
}

static bool take_end(void *context, bool complete)
{
    ((struct rows *)context)->complete = complete;
    return true;
}

static struct spoor_sql *opened(const struct spoor_sql_options *options, size_t count)
{
    const char *const traces[] = {trace, trace};
    static const char *paths[2];
    struct spoor_sql *sql = NULL;
    struct spoor_error error = {0};
    memcpy(paths, traces, sizeof paths);
    if (spoor_sql_open(&sql, paths, count, options, &error) == SPOOR_OK) return sql;
    if (strstr(error.text, "SQLite")) skip();
    fail_msg("%s", error.text);
    return NULL;
}

static const struct spoor_sql_options options = {
    .struct_size = sizeof options, .threads = 1, .no_index = true};

static void rows_are_those_of_the_trace(void **state)
{
    (void)state;
    struct rows rows = {.limit = 0};
    const struct spoor_sql_sink sink = {&rows, take_columns, take_row, take_end};
    struct spoor_error error = {0};
    struct spoor_sql *sql = opened(&options, 2);
    assert_int_equal(spoor_sql_run(sql, "select record, pc, time from insn", &sink, &error),
                     SPOOR_OK);
    assert_string_equal(rows.names, "record pc time ");
    assert_string_equal(rows.values, "0 0x1000 1 2 0x1004 3 ");
    assert_true(rows.complete);
    assert_int_equal(spoor_sql_faults(sql), 1);
    assert_int_equal(spoor_sql_run(sql,
                                   "select 1.5, null, 'a;b', x'41'; select count(*) from t2.mem",
                                   &sink, &error),
                     SPOOR_OK);
    assert_string_equal(rows.values, "1 "); /* of the last statement */
    assert_int_equal(spoor_sql_run(sql, "select 1.5, null, 'a;b', x'41'", &sink, &error), SPOOR_OK);
    assert_string_equal(rows.values, "1.500 null 'a;b' 'A' ");
    assert_int_equal(
        spoor_sql_run(sql, "create table own(n); insert into own values (7)", NULL, &error),
        SPOOR_OK);
    assert_int_equal(spoor_sql_run(sql, "select n from own", &sink, &error), SPOOR_OK);
    assert_string_equal(rows.values, "7 ");
    spoor_sql_close(sql);
}

/* By the type of a column, whatever it is called; of an expression by its name. */
static void addresses_are_hexadecimal(void **state)
{
    static const struct {
        const char *statement, *values;
    } cases[] = {
        {"select pc as a, record from insn limit 1", "0x1000 0 "},
        {"select a, n from (select pc as a, count(*) as n from insn group by pc) limit 1",
         "0x1000 1 "},
        {"select pc + 0 as n, pc + 4 as next_pc, pc + 4 as PC from insn limit 1",
         "4096 0x1004 0x1004 "},
        {"select min(pc), max(insn.pc), max(record), sum(pc) from insn", "0x1000 0x1004 2 8196 "},
        {"select 16 as espcpc, 16 as pc_of, null as pc, 'x' as addr", "16 16 null 'x' "},
        {"select -1 as address", "0xffffffffffffffff "},
        {"create table own as select pc from insn; select pc as p, pc from own limit 1",
         "4096 4096 "},
    };
    struct rows rows = {.limit = 0};
    const struct spoor_sql_sink sink = {&rows, take_columns, take_row, take_end};
    struct spoor_error error = {0};
    struct spoor_sql *sql = opened(&options, 1);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(spoor_sql_run(sql, cases[i].statement, &sink, &error), SPOOR_OK);
        assert_string_equal(rows.values, cases[i].values);
    }
    spoor_sql_close(sql);
}

static void a_sink_ends_a_statement(void **state)
{
    (void)state;
    struct rows rows = {.limit = 1};
    const struct spoor_sql_sink sink = {&rows, take_columns, take_row, take_end};
    struct spoor_error error = {0};
    struct spoor_sql *sql = opened(&options, 1);
    assert_int_equal(spoor_sql_run(sql, "select record from insn; select 2", &sink, &error),
                     SPOOR_END);
    assert_string_equal(rows.values, "0 ");
    assert_false(rows.complete);
    assert_true(spoor_sql_is_complete(sql, "select ';';"));
    assert_false(spoor_sql_is_complete(sql, "select ';'"));
    spoor_sql_close(sql);
}

static bool never(void *context)
{
    ++*(unsigned *)context;
    return false;
}

static void what_is_refused_has_a_sentence(void **state)
{
    (void)state;
    unsigned asked = 0;
    struct spoor_sql_options with = options;
    struct spoor_error error = {0};
    struct spoor_sql *sql = opened(&options, 1);
    assert_int_equal(spoor_sql_run(sql, "select nothing from insn", NULL, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "nothing"));
    spoor_sql_close(sql);
    with.read_only = true;
    sql = opened(&with, 1);
    assert_int_equal(spoor_sql_run(sql, "create table own(n)", NULL, &error), SPOOR_EUSAGE);
    assert_int_equal(spoor_sql_run(sql, "select count(*) from insn", NULL, &error), SPOOR_OK);
    spoor_sql_close(sql);
    with = options;
    with.goes_on = never;
    with.context = &asked;
    sql = opened(&with, 0);
    assert_int_equal(
        spoor_sql_run(sql,
                      "with recursive n(i) as (select 1 union all select i + 1 from n) "
                      "select max(i) from n",
                      NULL, &error),
        SPOOR_EUSAGE);
    assert_true(asked > 0);
    spoor_sql_close(sql);
    spoor_sql_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_trace),
        cmocka_unit_test(addresses_are_hexadecimal),
        cmocka_unit_test(a_sink_ends_a_statement),
        cmocka_unit_test(what_is_refused_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
