/* SPDX-License-Identifier: MIT */
/*
 * test_projection.c: projections equal the views built from records: for published traces, for the
 * examples, and for both with random damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/inline.h"
#include "support/projection.h"
#include "support/stats_text.h"
#include "views/published.h"

/* Of sanitized code, some bytes and variants suffice: the fuzz target changes them all. */
#ifdef IS_SANITIZED
enum { MAXIMUM = 40000, CHANGED_STEP = 7, TURNS = 12, THREADS_STEP = 3 };
#else
enum { MAXIMUM = 150000, CHANGED_STEP = 1, TURNS = 60, THREADS_STEP = 1 };
#endif
enum { LINES_SIZE = 15000, DAMAGES = 40, CUTS = 24, LONGEST_CUT = 300 /* bytes */ };

/* Reads the first bytes of a trace, in any compression. */
static size_t bytes_of(struct spoor_reader *reader, char *bytes)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    size_t size = 0;
    while (size < MAXIMUM && spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        const size_t more = batch->text_size < MAXIMUM - size ? batch->text_size : MAXIMUM - size;
        memcpy(bytes + size, batch->text, more);
        size += more;
    }
    return size;
}

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static void demand(const struct spoor_format *format, const char *bytes, size_t size)
{
    const char *difference = projection_difference(format, bytes, size);
    if (difference) fail_msg("%s of %zu bytes: %s", spoor_format_name(format), size, difference);
}

static void compare_damaged(const struct spoor_format *format, char *bytes, size_t size)
{
    uint64_t seed = size;
    demand(format, bytes, size);
    for (size_t cut = 0; cut < CUTS; cut++) demand(format, bytes, draw(&seed) % LONGEST_CUT % size);
    for (int turn = 0; turn < 6; turn++) {
        for (int i = 0; i < DAMAGES; i++) bytes[draw(&seed) % size] = (char)draw(&seed);
        demand(format, bytes, size - draw(&seed) % 16);
    }
}

static void compare_all(struct spoor_reader *reader)
{
    static char bytes[MAXIMUM];
    if (!reader) return;
    const struct spoor_format *format = spoor_reader_stream(reader)->format;
    const size_t size = bytes_of(reader, bytes);
    assert_true(format_projects(format, PROJECT_STATS));
    compare_damaged(format, bytes, size);
    spoor_reader_close(reader);
}

static void published_traces(void **state)
{
    (void)state;
    compare_all(open_published("traces/byu/pentium2-w2k.tr.xz"));
    compare_all(open_published("traces/byu/lp64-16byte.tr"));
    compare_all(open_published("traces/uop/gcc-1K.trace"));
    compare_all(open_published("traces/memory/small5M.din.zst"));
    compare_all(open_published("traces/memory/small5M.xdin.zst"));
    compare_all(open_published("traces/drmemtrace/simple-app-v4.trace.zip"));
}

static void examples(void **state)
{
    (void)state;
    compare_all(open_example("sort.byu12.xz"));
    compare_all(open_example("search.byu12.xz"));
    compare_all(open_example("sort.byu6.xz"));
    compare_all(open_example("sort.uop.xz"));
    compare_all(open_example("sort.din.xz"));
    compare_all(open_example("sort.lackey.xz"));
}

/* Any bytes are records of a binary format. */
static void random_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"byu6", "byu12", "byu16", "byu24"};
    static char bytes[LINES_SIZE];
    uint64_t seed = 7;
    for (size_t turn = 0; turn < 8; turn++) {
        /* few types and mostly one agent, so that groups of records are common in some turns */
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)(draw(&seed) & (turn % 2 ? 0xFF : i % 12 == 7 ? 0 : 0x03));
        for (size_t f = 0; f < sizeof names / sizeof *names; f++)
            demand(spoor_format_find(names[f]), bytes, sizeof bytes - turn);
    }
}

/* ---- through the reader, which carries on from batch to batch ---- */

static struct spoor_reader *reopen(const char *path, unsigned threads, unsigned samples)
{
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_reader_options options = {.threads = threads, .samples = samples};
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

static const struct spoor_batch *next_batch(struct spoor_reader *reader)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    return spoor_reader_next(reader, &batch, &error) == SPOOR_OK ? batch : NULL;
}

static void compare_sources(const struct spoor_batch *a, const struct spoor_batch *b)
{
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->gap, b->gap);
    assert_int_equal(a->fault_count, b->fault_count);
}

static void compare_read_references(const char *path, unsigned threads, unsigned samples)
{
    const struct spoor_reference_options options = {.pc_by_order = true};
    struct spoor_reader *one = reopen(path, threads, samples), *other = reopen(path, 1, samples);
    struct spoor_references references = {0};
    struct spoor_reference_block block = {.struct_size = sizeof block};
    struct spoor_error error = {0};
    while (spoor_reader_next_references(one, &options, &block, &error) == SPOOR_OK) {
        const struct spoor_batch *batch = next_batch(other);
        assert_non_null(batch);
        assert_int_equal(block.source->projected,
                         format_projects(spoor_reader_stream(one)->format, PROJECT_REFERENCES));
        compare_sources(batch, block.source);
        references.count = 0;
        assert_int_equal(spoor_references_add(&references, batch, &options, NULL), SPOOR_OK);
        assert_int_equal(references.count, block.count);
        if (block.count)
            assert_memory_equal(references.items, block.items, block.count * sizeof *block.items);
    }
    assert_null(next_batch(other));
    spoor_references_free(&references);
    spoor_reader_close(one);
    spoor_reader_close(other);
}

static void compare_read_branches(const char *path, unsigned threads, unsigned samples)
{
    struct spoor_reader *one = reopen(path, threads, samples), *other = reopen(path, 1, samples);
    struct spoor_branches branches = {0};
    struct spoor_branch_block block = {.struct_size = sizeof block};
    struct spoor_error error = {0};
    while (spoor_reader_next_branches(one, &block, &error) == SPOOR_OK && block.source) {
        const struct spoor_batch *batch = next_batch(other);
        assert_non_null(batch);
        compare_sources(batch, block.source);
        branches.count = 0;
        assert_int_equal(spoor_branches_add(&branches, batch, NULL), SPOOR_OK);
        assert_int_equal(branches.count, block.count);
        assert_int_equal(branches.instructions, block.instructions);
        if (block.count)
            assert_memory_equal(branches.items, block.items, block.count * sizeof *block.items);
    }
    assert_null(block.source);
    assert_int_equal(block.count, 0);
    assert_int_equal(branches.instructions, block.instructions);
    spoor_branches_free(&branches);
    spoor_reader_close(one);
    spoor_reader_close(other);
}

/* Returns the output of `spoor info`, with statistics made by the decoding threads or from records.
 */
static char *stats_of(const char *path, unsigned threads, bool by_records)
{
    struct spoor_reader *reader = reopen(path, threads, 0);
    const struct spoor_info_options of = {.stream = spoor_reader_stream(reader)};
    struct spoor_info *info = NULL;
    const struct spoor_batch *batch;
    assert_int_equal(spoor_info_new(&info, &of, NULL), SPOOR_OK);
    while ((by_records ? spoor_reader_next : spoor_reader_next_to_count)(reader, &batch, NULL) ==
           SPOOR_OK)
        assert_int_equal(spoor_info_feed(info, batch, NULL), SPOOR_OK);
    char *text = stats_text(info, spoor_reader_stream(reader));
    spoor_reader_close(reader);
    return text;
}

static void compare_read_stats(const char *path)
{
    char *by_records = stats_of(path, 1, true);
    assert_non_null(by_records);
    for (unsigned threads = 1; threads <= 4; threads += THREADS_STEP) {
        char *by_stats = stats_of(path, threads, false);
        assert_string_equal(by_stats, by_records);
        free(by_stats);
    }
    free(by_records);
}

static const char *example(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", name);
    return path;
}

/* Longer than a batch: what is derived continues where the previous batch ended. */
static void read_in_several_batches(void **state)
{
    (void)state;
    static const char *const names[] = {"matmul.uop.xz", "search-x86_64.uop.xz"};
    for (unsigned threads = 1; threads <= 3; threads += 2)
        compare_read_references(example("search.lackey.xz"), threads, 0);
    for (unsigned threads = 1; threads <= 3; threads += 2)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            compare_read_references(example(names[i]), threads, 0);
            compare_read_branches(example(names[i]), threads, 0);
        }
}

static void read_stats(void **state)
{
    (void)state;
    static const char *const names[] = {"matmul.uop.xz",          "search.byu12.xz",
                                        "search.lackey.xz",       "sort.tarmac.xz",
                                        "sort-aarch64.tarmac.xz", "list.matcher.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare_read_stats(example(names[i]));
}

/* Diagrams that continue across the ends of batches, where only the continuation states their kind;
 * processors, units and spellings that threads meet in different orders; lines that no rule
 * recognises. */
static void read_tarmac_stats(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "%u clk cpu%u IT (1) %0*x e3a00000 A svc_s : NOP\n",
        "%u ns cpu%u ES (%0*x:d2a00200) O el3h_s: MOV x0,#1\n",
        "%u clk cpu%u R r0 %0*x\n",
    };
    char path[] = "/tmp/spoor-projection-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    assert_non_null(file);
    uint64_t seed = 5;
    for (uint32_t line = 0; line < 60000; line++) {
        const uint32_t drawn = draw(&seed), cpu = line / 3000;
        if (line < 2000)
            fputc('\n', file); /* the trace does not state yet whether a diagram continues */
        else if (line % 20000 < 9000)
            fprintf(file, "                    %s %016x ........ ........ %08x ........\n",
                    line % 20000 == 0 || line == 2000 ? "ST" : "  ", drawn << 4, drawn);
        else if (drawn % 64 == 0)
            fprintf(file, drawn % 128 ? "\n" : "%u clk nonsense\n", line);
        else
            fprintf(file, forms[cpu % 3], line - drawn % 2, cpu, 8 + (int)(cpu % 9), drawn >> 4);
    }
    fclose(file);
    compare_read_stats(path);
    unlink(path);
}

/* More opcodes than the table holds: from there on the caller decodes again what a thread has
 * counted, although the thread may have kept no text. */
static void read_more_names_than_fit(void **state)
{
    (void)state;
    enum { NAMES = 66000, LINES = NAMES + 20000 };
    char path[] = "/tmp/spoor-projection-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    assert_non_null(file);
    for (unsigned line = 0; line < LINES; line++)
        fprintf(file, "1 %x -1 -1 -1 - - - 0 0 %x 0 M%u add\n", line, line + 1, line % NAMES);
    fclose(file);
    char *by_records = stats_of(path, 1, true), *by_stats = stats_of(path, 2, false);
    assert_string_equal(by_stats, by_records);
    free(by_stats);
    free(by_records);
    unlink(path);
}

static void read_published(void **state)
{
    (void)state;
    static const char *const names[] = {"traces/memory/small5M.din.zst",
                                        "traces/memory/small5M.xdin.zst"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find_published(path, names[i])) compare_read_references(path, 2, 0);
}

/* Lines of references, valid and invalid, drawn from few characters. */
static void random_lines(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "0",    "1",     "2",    "r",  "w",     "i",    "m",
        "c",    "v",     "I",    "L",  "S",     "M",    " ",
        " ",    " ",     "  ",   ",",  ",",     "4",    "8",
        "ffff", "10000", "9999", "0x", "F",     "a",    "g",
        "-",    "=",     "z",    "",   "99999", "1234", "0123456789abcdef",
        "\t"};
    static const char *const starts[] = {"0 ", "2 ", "r ", "i ", "I  ", " L ", " M ", " S "};
    static const char *const ends[] = {"\n", "\n", "\n", ",8\n", " 4\n", "\r\n", " \n", "\n\n"};
    static const char *const names[] = {"din", "xdin", "lackey"};
    static char bytes[LINES_SIZE];
    uint64_t seed = 11;
    for (int turn = 0; turn < TURNS; turn++) {
        size_t size = 0;
        while (size + 100 < sizeof bytes) {
            size += (size_t)sprintf(bytes + size, "%s", starts[draw(&seed) % 8]);
            for (uint32_t left = draw(&seed) % 4; left > 0; left--)
                size += (size_t)sprintf(bytes + size, "%s", pieces[draw(&seed) % 36]);
            size += (size_t)sprintf(bytes + size, "%x%s", draw(&seed) >> draw(&seed) % 32,
                                    ends[draw(&seed) % 8]);
        }
        for (size_t f = 0; f < sizeof names / sizeof *names; f++)
            demand(spoor_format_find(names[f]), bytes, size - (size_t)turn % 7);
    }
}

/* Valid lines with addresses of every length, and each byte of them changed in turn. */
static void changed_lines(void **state)
{
    (void)state;
    static const char others[] = {'\n', '\r', ' ', '0', '2', '3', 'F', 'g', 'x', '\0', '\x80'};
    const struct spoor_format *format = spoor_format_find("din");
    char bytes[2000];
    size_t size = 0;
    uint64_t seed = 5;
    for (unsigned i = 0; i < 20; i++)
        size += (size_t)sprintf(bytes + size, "%u %0*llx\n", draw(&seed) % 3, (int)(1 + i * 5 % 17),
                                (unsigned long long)draw(&seed) >> draw(&seed) % 32);
    demand(format, bytes, size);
    for (size_t at = 0; at < size; at += CHANGED_STEP)
        for (size_t i = 0; i < sizeof others; i++) {
            const char was = bytes[at];
            bytes[at] = others[i];
            demand(format, bytes, size);
            bytes[at] = was;
        }
}

/* Nothing is carried over a gap between samples. */
static void compare_samples(const char *name, bool branches)
{
    char path[] = "/tmp/spoor-projection-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    struct spoor_reader *reader = open_example(name);
    for (const struct spoor_batch *batch; (batch = next_batch(reader));)
        assert_int_equal(write(file, batch->text, batch->text_size), batch->text_size);
    spoor_reader_close(reader);
    close(file);
    compare_read_references(path, 1, 5);
    if (branches) compare_read_branches(path, 2, 5);
    unlink(path);
}

static void read_samples(void **state)
{
    (void)state;
    compare_samples("search.uop.xz", true);
    compare_samples("search.lackey.xz", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_traces),
        cmocka_unit_test(examples),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(read_in_several_batches),
        cmocka_unit_test(read_published),
        cmocka_unit_test(read_samples),
        cmocka_unit_test(random_lines),
        cmocka_unit_test(read_stats),
        cmocka_unit_test(read_tarmac_stats),
        cmocka_unit_test(changed_lines),
        cmocka_unit_test(read_more_names_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
