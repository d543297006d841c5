/* SPDX-License-Identifier: MIT */
/*
 * test_server.c: the target that GDB sees, against the list of instructions of a trace that this
 * test reads by itself: random steps both ways, breakpoints, and watchpoints.
 *
 * SPOOR_POINTS=N takes N steps in each trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "debug/packet.h"
#include "debug/server.h"
#include "views/published.h"

/* ---- packets ---- */

static void frames_are_read_as_they_were_written(void **state)
{
    static const char payload[] = "m}#$*12\003";
    struct packet_parser parser = {0};
    struct text out = {0};
    enum packet_event event = PACKET_NOTHING;
    (void)state;
    packet_frame(&out, payload, sizeof payload - 1);
    for (size_t i = 0; i < out.size; i++) {
        assert_int_equal(event, PACKET_NOTHING);
        event = packet_feed(&parser, (uint8_t)out.bytes[i]);
    }
    assert_int_equal(event, PACKET_WHOLE);
    assert_int_equal(parser.size, sizeof payload - 1);
    assert_memory_equal(parser.payload, payload, parser.size);
    text_free(&out);
}

static enum packet_event feed_all(struct packet_parser *parser, const char *bytes)
{
    enum packet_event event = PACKET_NOTHING;
    for (; *bytes; bytes++) event = packet_feed(parser, (uint8_t)*bytes);
    return event;
}

static void damaged_frames_are_noticed(void **state)
{
    struct packet_parser parser = {0};
    (void)state;
    assert_int_equal(feed_all(&parser, "$g#68"), PACKET_DAMAGED);
    assert_int_equal(feed_all(&parser, "$g#6x"), PACKET_DAMAGED);
    assert_int_equal(feed_all(&parser, "$g$g#67"), PACKET_WHOLE);
    assert_int_equal(feed_all(&parser, "+\003"), PACKET_INTERRUPT);
    assert_int_equal(feed_all(&parser, "-"), PACKET_AGAIN);
    packet_feed(&parser, '$');
    for (size_t i = 0; i < 2 * PACKET_CAPACITY; i++) packet_feed(&parser, 'a');
    assert_int_equal(feed_all(&parser, "#00"), PACKET_DAMAGED); /* too long, whatever its sum */
}

/* ---- a trace as a list ---- */

struct run_list {
    uint64_t *pcs;
    size_t count, capacity;
};

static void add_pc(struct run_list *list, uint64_t pc)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 4096;
        list->pcs = realloc(list->pcs, list->capacity * sizeof *list->pcs);
        assert_non_null(list->pcs);
    }
    list->pcs[list->count++] = pc;
}

static struct run_list read_list(const char *path)
{
    struct run_list list = {0};
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    const struct spoor_reader_options options = {.threads = 1};
    const struct spoor_batch *batch;
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        for (size_t i = 0; i < batch->count; i++) {
            const struct spoor_record *record = &batch->records[i];
            if (record->kind == SPOOR_UOP && spoor_uop_of(batch, i).step <= 1)
                add_pc(&list, record->uop.pc);
            if (record->kind == SPOOR_INSN && record->op != SPOOR_INSN_AGAIN)
                add_pc(&list, record->insn.va);
        }
    spoor_reader_close(reader);
    return list;
}

/* ---- asking the server ---- */

struct target_trace {
    struct spoor_index *index;
    struct spoor_explorer *explorer;
    struct server *server;
    struct run_list list;
    struct text reply;
    unsigned pc_number, pc_bytes;
};

static const char *ask(struct target_trace *trace, const char *packet)
{
    trace->reply.size = 0;
    server_answer(trace->server, packet, strlen(packet), &trace->reply);
    text_put(&trace->reply, "", 1);
    assert_false(trace->reply.failed);
    return trace->reply.bytes;
}

/* The number and width of the pc, from the description that GDB reads. */
static void find_pc(struct target_trace *trace)
{
    const char *xml = ask(trace, "qXfer:features:read:target.xml:0,3000");
    const char *pc = strstr(xml, "<reg name=\"pc\"");
    if (!pc) pc = strstr(xml, "<reg name=\"rip\"");
    assert_non_null(pc);
    assert_int_equal(sscanf(strstr(pc, "bitsize"), "bitsize=\"%u\" regnum=\"%u\"", &trace->pc_bytes,
                            &trace->pc_number),
                     2);
    trace->pc_bytes /= 8;
}

static uint64_t pc_now(struct target_trace *trace)
{
    char packet[16];
    uint8_t bytes[8] = {0};
    uint64_t pc = 0;
    snprintf(packet, sizeof packet, "p%x", trace->pc_number);
    const char *reply = ask(trace, packet);
    assert_int_equal(hex_bytes(reply, strlen(reply), bytes, sizeof bytes), trace->pc_bytes);
    for (unsigned i = 0; i < trace->pc_bytes; i++) pc |= (uint64_t)bytes[i] << 8 * i;
    return pc;
}

static void open_trace(struct target_trace *trace, const char *path)
{
    struct spoor_error error = {0};
    const struct spoor_index_options options = {.struct_size = sizeof options,
                                                .no_index = true,
                                                .needs = SPOOR_INDEX_SEGMENTS,
                                                .segment_bytes = 1}; /* each chunk is a segment */
    *trace = (struct target_trace){.list = read_list(path)};
    assert_int_equal(spoor_index_open(&trace->index, path, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_explorer_open(&trace->explorer, path, trace->index, NULL, &error),
                     SPOOR_OK);
    const struct server_options server = {.explorer = trace->explorer};
    assert_int_equal(server_new(&trace->server, &server, &error), SPOOR_OK);
    find_pc(trace);
}

static void close_trace(struct target_trace *trace)
{
    server_free(trace->server);
    spoor_explorer_close(trace->explorer);
    spoor_index_close(trace->index);
    text_free(&trace->reply);
    free(trace->list.pcs);
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * limit >> 32);
}

static void check_place(struct target_trace *trace, size_t at, const char *reply)
{
    assert_int_equal(strncmp(reply, "T05thread:1;", 12), 0);
    assert_int_equal(pc_now(trace), trace->list.pcs[at]);
}

/* A breakpoint at a pc of the list: where running ends is where the list has it next. */
static size_t run_to(struct target_trace *trace, size_t at, bool forward)
{
    char packet[40];
    const uint64_t pc = trace->list.pcs[random_below((uint32_t)trace->list.count)];
    size_t next = at;
    snprintf(packet, sizeof packet, "Z0,%llx,4", (unsigned long long)pc);
    assert_string_equal(ask(trace, packet), "OK");
    if (forward) do
            next++;
        while (next < trace->list.count && trace->list.pcs[next] != pc);
    else
        while (next > 0 && trace->list.pcs[--next] != pc) {
        }
    const char *reply = ask(trace, forward ? "vCont;c" : "bc");
    if (next == trace->list.count) {
        assert_non_null(strstr(reply, "replaylog:end"));
        ask(trace, "bs");
        next--;
    } else if (trace->list.pcs[next] != pc) {
        assert_non_null(strstr(reply, "replaylog:begin"));
    }
    assert_int_equal(pc_now(trace), trace->list.pcs[next]);
    packet[0] = 'z';
    assert_string_equal(ask(trace, packet), "OK");
    return next;
}

static void walk(const char *path, uint64_t steps)
{
    struct target_trace trace;
    size_t at = 0;
    if (getenv("SPOOR_POINTS")) steps = strtoull(getenv("SPOOR_POINTS"), NULL, 10);
    open_trace(&trace, path);
    assert_int_equal(pc_now(&trace), trace.list.pcs[0]);
    assert_non_null(strstr(ask(&trace, "bs"), "replaylog:begin"));
    for (uint64_t i = 0; i < steps; i++) {
        const uint32_t what = random_below(16);
        if (what == 0) {
            at = run_to(&trace, at, random_below(2));
        } else if (what <= 8 && at + 1 < trace.list.count) {
            at++;
            check_place(&trace, at, ask(&trace, "vCont;s:1"));
        } else if (at > 0) {
            at--;
            check_place(&trace, at, ask(&trace, "bs"));
        }
    }
    close_trace(&trace);
}

static void steps_both_ways_follow_the_trace(void **state)
{
    static const char *const examples[] = {"sort.tarmac.xz", "sort-aarch64.tarmac.xz",
                                           "sort-arm.tarmac.xz", "search-x86_64.uop.xz"};
    static const char *const published[] = {
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
        "traces/tarmac/v7m/labels-v7m.tarmac",
        "traces/tarmac/calltest32.tarmac",
        "traces/wild/five-stage.spike.log.xz",
    };
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", examples[i]);
        walk(path, 100);
    }
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (find_published(path, published[i])) walk(path, 100);
}

/* ---- what is known and what is not ---- */

static void unknown_memory_and_writes_are_errors(void **state)
{
    struct target_trace trace;
    (void)state;
    open_trace(&trace, SOURCE_ROOT "/examples/sort-aarch64.tarmac.xz");
    assert_string_equal(ask(&trace, "m7fff00000000,4"), "E0e");
    assert_string_equal(ask(&trace, "m401170,4"), "fd7bbda9"); /* the first opcode: a9bd7bfd */
    assert_string_equal(ask(&trace, "M401170,4:00000000"), "E01");
    assert_string_equal(ask(&trace, "P0=0000000000000000"), "E01");
    assert_string_equal(ask(&trace, "p1f"), "f051400000000000"); /* sp, from the first records */
    assert_string_equal(ask(&trace, "vMustReplyEmpty"), "");
    close_trace(&trace);
}

static void watchpoints_find_writes_both_ways(void **state)
{
    struct target_trace trace;
    const char *reply;
    (void)state;
    open_trace(&trace, SOURCE_ROOT "/examples/sort.tarmac.xz"); /* RISC-V: stops after the write */
    assert_string_equal(ask(&trace, "Z2,14248,8"), "OK"); /* sd x1,40(x2), the 7th instruction */
    reply = ask(&trace, "vCont;c");
    assert_non_null(strstr(reply, "watch:14248;"));
    assert_int_equal(pc_now(&trace), trace.list.pcs[7]);
    assert_string_equal(ask(&trace, "m14248,8"), "4813010000000000");
    reply = ask(&trace, "bc");
    assert_non_null(strstr(reply, "watch:14248;"));
    assert_int_equal(pc_now(&trace), trace.list.pcs[6]); /* before the write */
    assert_non_null(strstr(ask(&trace, "bc"), "replaylog:begin"));
    close_trace(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_read_as_they_were_written),
        cmocka_unit_test(damaged_frames_are_noticed),
        cmocka_unit_test(steps_both_ways_follow_the_trace),
        cmocka_unit_test(unknown_memory_and_writes_are_errors),
        cmocka_unit_test(watchpoints_find_writes_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
