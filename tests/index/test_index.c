/* SPDX-License-Identifier: MIT */
/*
 * test_index.c: an index that is damaged, belongs to another trace, is half written or is written
 * by two processes at once is never used; the result is that of a new one.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "explore/activity_section.h"
#include "explore/pc_counts.h"
#include "index/internal.h"
#include "views/published.h"

static char folder[] = "/tmp/spoor-index-XXXXXX";
static char trace[128], sidecar[160];

static void write_trace(unsigned value, unsigned instructions)
{
    FILE *out = fopen(trace, "w");
    assert_non_null(out);
    for (unsigned i = 0; i < instructions; i++) {
        fprintf(out, "%u clk cpu0 IT (%u) %08x:0000%08x d503201f O EL1h_n : NOP\n", i, i,
                0x1000 + 4 * i, 0x21000 + 4 * i);
        fprintf(out, "%u clk cpu0 R X%u %016x\n", i, i % 8, value + i);
        fprintf(out, "%u clk cpu0 MW8 %08x:0000%08x 00000000_%08x\n", i, 0x8000 + 8 * (i % 64),
                0x28000 + 8 * (i % 64), value + i);
    }
    fclose(out);
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(trace, sizeof trace, "%s/t.tarmac", folder);
    snprintf(sidecar, sizeof sidecar, "%s.spoor-index", trace);
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static int end(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The messages of index_open(), one after the other. */
static char messages[1024];
static void tell(void *context, const char *sentence)
{
    (void)context;
    strncat(messages, sentence, sizeof messages - strlen(messages) - 1);
}

static struct index *open_trace(enum index_origin *origin)
{
    struct index *index = NULL;
    struct spoor_error error = {0};
    const struct index_use use = {.options = {.tell = tell}, .beside = true};
    messages[0] = '\0';
    if (index_open(&index, trace, &use, origin, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return index;
}

/* Returns the value of x0 at the end, from the index alone. */
static uint64_t value_of(const struct index *index)
{
    struct registers registers = {0};
    bool damaged;
    assert_true(index_registers(index, index->count, &registers, &damaged));
    const struct machine_part part = machine_find_register(&index->machine, "x0");
    const struct cell *cell = registers_find(&registers, 0, part.name);
    assert_non_null(cell);
    const uint64_t value = cell_number(cell, 0);
    registers_free(&registers);
    return value;
}

static void no_damaged_byte_is_believed(void **state)
{
    struct index *index = NULL;
    struct spoor_error error = {0};
    const struct index_options options = {0};
    (void)state;
    write_trace(100, 24);
    assert_int_equal(index_build(&index, trace, &options, &error), SPOOR_OK);
    for (size_t i = 0; i <= 2 * index->size; i++) {
        const size_t size = i < index->size ? index->size : i - index->size;
        uint8_t *copy = malloc(index->size + 1);
        memcpy(copy, index->content, index->size);
        if (i < index->size) copy[i] ^= (uint8_t)(1U << i % 8);
        struct index *other = index_new();
        const bool whole = i == 2 * index->size;
        assert_int_equal(index_parse(other, copy, size, false, &error), whole);
        index_free(other);
    }
    index_free(index);
}

static void it_is_that_of_the_trace_as_it_is_now(void **state)
{
    enum index_origin origin;
    struct stat before;
    (void)state;
    write_trace(100, 24);
    index_free(open_trace(&origin));
    assert_int_equal(origin, INDEX_MADE);
    struct index *index = open_trace(&origin);
    assert_int_equal(origin, INDEX_FOUND);
    assert_int_equal(value_of(index), 100 + 16);
    index_free(index);
    assert_int_equal(stat(trace, &before), 0);
    write_trace(200, 24); /* the same size and modification time */
    const struct timespec times[] = {before.st_atim, before.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, trace, times, 0), 0);
    index = open_trace(&origin);
    assert_int_equal(origin, INDEX_MADE);
    assert_int_equal(value_of(index), 200 + 16);
    assert_non_null(strstr(messages, "the trace was changed"));
    index_free(index);
    for (unsigned size = 8; size < 48; size += 16) { /* shorter, longer */
        write_trace(300, size);
        index = open_trace(&origin);
        assert_int_equal(origin, INDEX_MADE);
        assert_int_equal(value_of(index), 300 + (size - 1) / 8 * 8);
        index_free(index);
    }
}

static void several_at_once_leave_a_whole_one(void **state)
{
    enum index_origin origin;
    struct spoor_error error = {0};
    const struct index_use use = {0};
    (void)state;
    write_trace(400, 400);
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            for (int turn = 0; turn < 8; turn++) {
                unlink(sidecar);
                index_free(open_trace(&origin));
            }
            _exit(0);
        }
    for (int i = 0, status; i < 4; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct index *index = open_trace(&origin);
    assert_int_equal(value_of(index), 400 + 392);
    index_free(index);
    assert_int_equal(index_verify(trace, &use, &error), SPOOR_OK);
}

static void killed_at_any_time_leaves_none_or_a_whole_one(void **state)
{
    enum index_origin origin;
    (void)state;
    write_trace(500, 2000);
    for (useconds_t wait_for = 0; wait_for < 12000; wait_for += 1000) {
        unlink(sidecar);
        const pid_t child = fork();
        if (child == 0) {
            for (;;) {
                index_free(open_trace(&origin));
                unlink(sidecar);
            }
        }
        usleep(wait_for);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct index *index = open_trace(&origin);
        assert_string_equal(messages, "");
        assert_int_equal(value_of(index), 500 + 1992);
        index_free(index);
    }
}

static void files_beside_the_index_stay(void **state)
{
    char other[200];
    enum index_origin origin;
    (void)state;
    write_trace(550, 24);
    unlink(sidecar);
    snprintf(other, sizeof other, "%s.%ld", sidecar, (long)getpid());
    FILE *file = fopen(other, "w");
    assert_non_null(file);
    assert_true(fputs("mine", file) >= 0);
    fclose(file);
    index_free(open_trace(&origin));
    struct stat status;
    assert_int_equal(stat(other, &status), 0);
    assert_int_equal(status.st_size, 4);
    unlink(other);
}

static void a_full_disk_leaves_no_index_and_a_right_answer(void **state)
{
    (void)state;
    write_trace(600, 400);
    unlink(sidecar);
    const pid_t child = fork();
    if (child == 0) {
        enum index_origin origin;
        const struct rlimit limit = {100, 100};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        struct index *index = open_trace(&origin);
        const bool right = index && value_of(index) == 600 + 392 &&
                           strstr(messages, "cannot be written") && access(sidecar, F_OK) != 0;
        index_free(index);
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void where_the_folder_cannot_be_written_it_is_cached(void **state)
{
    enum index_origin origin;
    (void)state;
    if (geteuid() == 0) skip(); /* the superuser can write everywhere */
    write_trace(700, 24);
    unlink(sidecar);
    chmod(folder, 0500);
    index_free(open_trace(&origin));
    struct index *index = open_trace(&origin);
    chmod(folder, 0700);
    assert_int_equal(value_of(index), 700 + 16);
    index_free(index);
}

/* ---- sections of other folds ---- */

/* Counts records and calls. */
static void *begin_counts(void *context)
{
    uint64_t *counts = calloc(2, sizeof *counts);
    (void)context;
    return counts;
}

static bool add_counts(void *state, struct machine *machine, const struct spoor_batch *batch,
                       const struct digest *digest)
{
    uint64_t *counts = state;
    (void)machine, (void)digest;
    assert_int_equal(batch->first, counts[0]);
    counts[0] += batch->count;
    return true;
}

static void enter_counts(void *state, unsigned cpu, const struct call_frame *frame, size_t depth,
                         const struct call_moment *at)
{
    uint64_t *counts = state;
    (void)cpu, (void)frame, (void)depth, (void)at;
    counts[1]++;
}

static bool end_counts(void *state, const struct calls *calls, struct text *bytes)
{
    const uint64_t *counts = state;
    text_varint(bytes, counts[0]);
    text_varint(bytes, counts[1]);
    text_varint(bytes, calls_stack(calls, 0)->count);
    return true;
}

#define COUNTS(number, of_version)                                                            \
    {                                                                                         \
        .id = (number), .version = (of_version), .name = "counts", .begin = begin_counts,     \
        .add = add_counts, .calls = {.enter = enter_counts}, .end = end_counts, .free = free, \
    }
static const struct index_fold first = COUNTS(1, 1), newer = COUNTS(1, 2), second = COUNTS(2, 1);

static void write_calls(unsigned calls)
{
    FILE *out = fopen(trace, "w");
    assert_non_null(out);
    for (unsigned i = 0; i < calls; i++)
        fprintf(out, "%u clk IT (%u) %08x 94000400 O EL1h_n : BL\n", i, i, 0x1000 * (i + 1));
    fprintf(out, "%u clk IT (%u) %08x d503201f O EL1h_n : NOP\n", calls, calls,
            0x1000 * (calls + 1));
    fclose(out);
}

/* Open with this fold, and look at its section. */
static enum index_origin open_with(const struct index_fold *fold, const struct index_fold *other,
                                   unsigned calls)
{
    enum index_origin origin;
    struct index *index = NULL;
    struct spoor_error error = {0};
    size_t size;
    const struct index_fold *const folds[] = {fold, NULL};
    const struct index_use use = {.options = {.folds = folds, .tell = tell}, .beside = true};
    messages[0] = '\0';
    assert_int_equal(index_open(&index, trace, &use, &origin, &error), SPOOR_OK);
    const uint8_t *bytes = index_section(index, fold->id, fold->version, &size);
    assert_non_null(bytes);
    struct unpacker from = {bytes, bytes + size, false};
    assert_int_equal(unpack(&from), calls + 1);
    assert_int_equal(unpack(&from), calls);
    assert_int_equal(unpack(&from), calls);
    assert_false(from.failed || from.at != from.end);
    assert_true(!other || index_section(index, other->id, other->version, &size));
    assert_string_equal(messages, "");
    index_free(index);
    return origin;
}

static void folds_keep_sections_of_their_own(void **state)
{
    enum index_origin origin;
    struct spoor_error error = {0};
    const struct index_fold *const known[] = {&newer, &second, NULL};
    const struct index_use use = {.options = {.folds = known}};
    (void)state;
    write_calls(20);
    index_free(open_trace(&origin));
    assert_int_equal(open_with(&first, NULL, 20), INDEX_MADE); /* it was missing */
    assert_int_equal(open_with(&first, NULL, 20), INDEX_FOUND);
    assert_int_equal(open_with(&second, &first, 20), INDEX_MADE); /* and keeps the first */
    assert_int_equal(open_with(&first, &second, 20), INDEX_FOUND);
    assert_int_equal(open_with(&newer, &second, 20), INDEX_MADE);
    index_free(open_trace(&origin));
    assert_int_equal(origin, INDEX_FOUND);
    assert_int_equal(index_verify(trace, &use, &error), SPOOR_OK);
    write_calls(30);
    messages[0] = '\0';
    index_free(open_trace(&origin)); /* of another trace: its sections are gone */
    assert_int_equal(origin, INDEX_MADE);
    assert_int_equal(open_with(&second, NULL, 30), INDEX_MADE);
}

/* ---- digests ---- */

static struct index *build_index(const char *path, unsigned threads, bool record_by_record)
{
    struct index *index = NULL;
    struct spoor_error error = {0};
    static const struct index_fold *const folds[] = {&activity_fold, &pc_counts_fold, NULL};
    const struct index_options options = {.threads = threads,
                                          .segment_bytes = 1 << 16,
                                          .record_by_record = record_by_record,
                                          .folds = folds};
    if (index_build(&index, path, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return index;
}

static void compare_digested(const char *path)
{
    struct index *one = build_index(path, 1, true);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct index *other = build_index(path, threads, false);
        if (one->size != other->size || memcmp(one->content, other->content, one->size) != 0)
            fail_msg("%s: an index of digests differs, with %u threads", path, threads);
        index_free(other);
    }
    index_free(one);
}

static void digests_give_the_same_index(void **state)
{
    static const char *const examples[] = {
        "sort.tarmac.xz",     "list-aarch64.tarmac.xz", "list.matcher.xz", "search-x86_64.uop.xz",
        "list-x86_64.uop.xz", "sort-arm.tarmac.xz",     "sort.byu12.xz",   "sort.byu6.xz",
        "sort.din.xz",        "search.lackey.xz"};
    static const char *const published[] = {
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
        "traces/tarmac/fastmodel/quicksort.tarmac",
        "traces/tarmac/v7m/labels-v7m.tarmac",
        "traces/tarmac/calltest32.tarmac",
        "traces/wild/calculator-aarch32-fastmodel.tarmac.xz",
        "traces/wild/five-stage.spike.log.xz",
        "traces/wild/spike-commit-with-core.log",
        "traces/wild/ctb-random.rtl.dump.xz",
        "traces/byu/pentium2-w2k-middle.tr",
    };
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", examples[i]);
        compare_digested(path);
    }
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (find_published(path, published[i])) compare_digested(path);
}

/* More micro-ops than are kept as recent; several at one address, of one instruction or of several
 * sizes; accesses, flags, calls and returns everywhere. */
static void random_micro_ops_give_the_same_index(void **state)
{
    static const char *const macros[] = {"MOV", "CALL_NEAR", "RET_NEAR", "J", "IRET", "ADD"};
    uint64_t seed = 11;
    (void)state;
    for (unsigned turn = 0; turn < 6; turn++) {
        FILE *out = fopen(trace, "w");
        assert_non_null(out);
        const unsigned addresses = 1U << (2 * turn + 2);
        for (unsigned i = 0; i < 20000; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const unsigned some = (unsigned)(seed >> 33), pc = 0x1000 + some % addresses;
            const bool jumps = some >> 12 & 1;
            fprintf(out, "%u %x -1 -1 %d %c %c %c 0 %x %x %x %s X\n", 1 + (some >> 13) % 5 / 4, pc,
                    (int)((some >> 15) % 9) - 1, "-RW-"[some >> 18 & 3],
                    jumps ? "TN"[some >> 20 & 1] : '-', "-LS-"[some >> 21 & 3],
                    some >> 23 & 3 ? 0x8000 + (some & 0xFFFF) : 0,
                    pc + 1 + ((some >> 25) % 16 ? 3 : some % 20),
                    jumps ? 0x1000 + (some >> 7) % addresses : 0, macros[(some >> 9) % 6]);
        }
        fclose(out);
        compare_digested(trace);
    }
}

/* Several processors, named and not; registers by several names and in parts; accesses that wrap
 * and that are larger than a page; calls, exceptions and jumps everywhere. */
static void random_lines_give_the_same_index(void **state)
{
    static const char *const registers[] = {"X0",  "W0", "X30", "SP_EL1", "V1",      "D1",
                                            "r13", "x2", "lr",  "cpsr",   "r0 [7:4]"};
    static const unsigned opcodes[] = {0xd503201f, 0x94000004, 0xd65f03c0, 0xd63f0020,
                                       0x14000004, 0xd69f03e0, 0xd4000001};
    uint64_t seed = 7;
    (void)state;
    for (unsigned turn = 0; turn < 20; turn++) {
        FILE *out = fopen(trace, "w");
        assert_non_null(out);
        uint64_t pc = 0x1000;
        for (unsigned i = 0; i < 3000; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const unsigned some = (unsigned)(seed >> 33);
            char cpu[16] = "";
            if (turn % 4 && i > turn * 16) snprintf(cpu, sizeof cpu, "cpu%u ", some % (turn % 4));
            if (some % 16 == 0) cpu[0] = '\0';
            if (some % 11 == 0) pc = 0x1000 + 4 * (some / 11 % 64);
            switch (some % 7) {
            case 0:
                fprintf(out, "%u clk %sR %s %016llx\n", i, cpu, registers[some / 7 % 11],
                        (unsigned long long)(0x1000 + 4 * (some / 77 % 64)));
                break;
            case 1:
                fprintf(out, "%u clk %sMW8 %016llx:0000%08x 00000000_00000001\n", i, cpu,
                        (unsigned long long)(some % 77 == 1 ? UINT64_MAX - 2 : 0x8ffc + some / 7),
                        some / 7 % 0x100000);
                break;
            case 2: fprintf(out, "%u clk %sMR4 %08x 00000001\n", i, cpu, some); break;
            case 3:
                fprintf(out, "%u clk %sE %08x 00000001 CoreEvent_IRQ\n", i, some % 5 ? cpu : "",
                        some);
                break;
            default:
                fprintf(out, "%u clk %sIT (%u) %016llx %08x O EL1h_n : X\n", i, cpu, i,
                        (unsigned long long)pc, opcodes[some % 5 ? 0 : some / 7 % 7]);
                pc += 4;
            }
        }
        fclose(out);
        compare_digested(trace);
    }
}

/* What does not unpack is damage, also where its checksum is right: not lack of memory, and not
 * what was read before it. */
static void a_state_that_does_not_unpack_is_damage(void **state)
{
    enum index_origin origin;
    bool damaged;
    (void)state;
    write_trace(5, 500);
    struct index *index = open_trace(&origin);
    struct section *section = &index->segments[0].state;
    for (uint64_t size = section->size; size-- > 0;) {
        struct registers registers = {0};
        section->size = size;
        assert_false(index_registers(index, index->count, &registers, &damaged));
        assert_true(damaged);
        registers_free(&registers);
        if (size > 1) continue;
        assert_null(index_calls(index, 0, &damaged));
        assert_true(damaged);
    }
    index_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_damaged_byte_is_believed),
        cmocka_unit_test(it_is_that_of_the_trace_as_it_is_now),
        cmocka_unit_test(several_at_once_leave_a_whole_one),
        cmocka_unit_test(killed_at_any_time_leaves_none_or_a_whole_one),
        cmocka_unit_test(files_beside_the_index_stay),
        cmocka_unit_test(a_full_disk_leaves_no_index_and_a_right_answer),
        cmocka_unit_test(where_the_folder_cannot_be_written_it_is_cached),
        cmocka_unit_test(folds_keep_sections_of_their_own),
        cmocka_unit_test(digests_give_the_same_index),
        cmocka_unit_test(random_lines_give_the_same_index),
        cmocka_unit_test(random_micro_ops_give_the_same_index),
        cmocka_unit_test(a_state_that_does_not_unpack_is_damage),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
