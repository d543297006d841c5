/* SPDX-License-Identifier: MIT */
/*
 * test_slice.c: slices, against a straight pass over the whole trace that remembers for each write
 * where it came from.
 *
 * SPOOR_POINTS=N asks for N values of each trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "explore/slice.h"
#include "views/published.h"

/* ---- the straight pass ---- */

/*
 * The last writer of each byte, and the sources of each byte that is written.  A place is a record
 * and a byte of what it writes; of a register without parts, there is only byte 0.
 */
enum { BYTES = 256, PARTS = 16, MEMORY = 1 << 20, REGISTERS = 4096 };
struct flows {
    struct machine *machine;
    struct group group;           /* one processor */
    uint64_t (*registers)[PARTS]; /* indexed by name and byte: place of the last write, plus 1 */
    struct cell_of_memory {
        uint64_t address, writer; /* both plus 1 */
    } * memory;
    struct edge {
        uint64_t to, from; /* places: a byte, and one of its sources */
        spoor_name name;   /* the register written; 0: memory */
    } * edges;
    size_t count, edge_capacity;
};

static struct cell_of_memory *memory_of(struct flows *flow, uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 40) % MEMORY;
    while (flow->memory[at].address && flow->memory[at].address != address + 1)
        at = (at + 1) % MEMORY;
    return &flow->memory[at];
}

static void put_edge(struct flows *flow, const struct edge *edge)
{
    if (flow->count == flow->edge_capacity) {
        flow->edge_capacity = flow->edge_capacity ? 2 * flow->edge_capacity : 4096;
        flow->edges = realloc(flow->edges, flow->edge_capacity * sizeof *flow->edges);
        assert_non_null(flow->edges);
    }
    flow->edges[flow->count++] = *edge;
}

struct byte_written {
    struct flows *flow;
    struct edge edge;
};

static void add_source(void *context, const struct flow_source *source)
{
    struct byte_written *byte = context;
    struct flows *flow = byte->flow;
    for (unsigned i = 0; source->access && i < source->size; i++) {
        const struct cell_of_memory *cell = memory_of(flow, source->access->va + source->low + i);
        byte->edge.from = cell->writer - 1;
        if (cell->writer) put_edge(flow, &byte->edge);
    }
    if (source->access) return;
    const bool parts = machine_parted_bytes(flow->machine, source->name);
    const unsigned low = parts ? source->low : 0, size = !parts         ? 1
                                                         : source->size ? source->size
                                                                        : PARTS;
    for (unsigned i = low; i < low + size; i++) {
        const uint64_t writer = flow->registers[source->name][i];
        byte->edge.from = writer - 1;
        if (writer) put_edge(flow, &byte->edge);
    }
}

static unsigned written_bytes(const struct group_effect *effect)
{
    if (!effect->is_memory) return effect->size ? effect->size : 1;
    return effect->access.does & ACCESS_WRITES ? effect->access.size : 0;
}

static void put_sources(struct flows *flow, const struct group_effect *effect)
{
    const unsigned low = effect->is_memory ? 0 : effect->low;
    const bool whole = !effect->is_memory && !effect->size;
    for (unsigned i = 0; i < written_bytes(effect); i++) {
        struct byte_written byte = {flow,
                                    {.to = effect->touch.record * BYTES + i, .name = effect->name}};
        group_sources(&flow->group, effect, low + i, whole ? 0 : 1, add_source, &byte);
    }
}

static void put_writes(struct flows *flow, const struct group_effect *effect)
{
    for (unsigned i = 0; i < written_bytes(effect); i++) {
        const uint64_t place = effect->touch.record * BYTES + i + 1;
        if (!effect->is_memory) {
            flow->registers[effect->name][effect->low + i] = place;
            continue;
        }
        struct cell_of_memory *cell = memory_of(flow, effect->access.va + i);
        cell->address = effect->access.va + i + 1;
        cell->writer = place;
    }
}

/* Registers that the trace never states: what the opcode says is an effect of the instruction. */
static void put_unstated(struct flows *flow)
{
    struct group *group = &flow->group;
    const struct operand_list *operands = &group->operands;
    for (unsigned i = 0; i < operands->write_count && group->count < GROUP_EFFECTS; i++) {
        const struct operand *write = &operands->writes[i];
        if (write->name < flow->machine->stated) continue;
        const unsigned bytes = machine_parted_bytes(flow->machine, write->name);
        group->effects[group->count++] =
            (struct group_effect){.touch = {.record = group->place.record, .place = group->place},
                                  .name = write->name,
                                  .low = bytes ? (uint8_t)(write->first + write->part.low) : 0,
                                  .size = bytes ? write->part.size : 0};
    }
}

static void end_group(struct flows *flow)
{
    if (flow->group.place.known) put_unstated(flow);
    for (unsigned i = 0; i < flow->group.count; i++) put_sources(flow, &flow->group.effects[i]);
    for (unsigned i = 0; i < flow->group.count; i++) put_writes(flow, &flow->group.effects[i]);
}

static bool flow_record(void *context, const struct explorer_visit *visited)
{
    struct flows *flow = context;
    if (group_begins(visited)) end_group(flow); /* the first is what no instruction writes */
    group_add(&flow->group, flow->machine, visited);
    return true;
}

/* Finds all places that the bytes of a write depend on, along the edges, backwards because they are
 * in order. */
static void reach(const struct flows *flow, uint64_t record, spoor_name name, bool *reached)
{
    for (size_t i = flow->count; i-- > 0;) {
        const struct edge *edge = &flow->edges[i];
        const bool root = edge->to / BYTES == record && edge->name == name;
        if (root || reached[edge->to]) reached[edge->from] = true;
    }
}

static void check_slice(const struct flows *flow, const struct slice *slice, uint64_t record,
                        spoor_name name, uint64_t records)
{
    bool *reached = calloc((records + 1) * BYTES, sizeof *reached);
    bool *found = calloc(records + 1, sizeof *found);
    assert_non_null(reached);
    assert_non_null(found);
    reach(flow, record, name, reached);
    for (size_t i = 0; i < slice->count; i++)
        if (slice->nodes[i].touch.record != UINT64_MAX && slice->nodes[i].depth)
            found[slice->nodes[i].touch.record] = true;
    for (uint64_t i = 0; i < records; i++) {
        bool expected = false;
        for (unsigned at = 0; at < BYTES; at++) expected |= reached[i * BYTES + at];
        if (found[i] != expected && i != record)
            fail_msg("record %llu: record %llu is %s", (unsigned long long)record,
                     (unsigned long long)i, expected ? "missing" : "no source");
    }
    free(found);
    free(reached);
}

static void slice_trace(const char *path, unsigned values)
{
    struct index *index = NULL;
    struct explorer *explorer = NULL;
    struct spoor_error error = {0};
    struct flows flow = {0};
    const struct index_options options = {.segment_bytes = 1};
    const struct slice_options all = {0};
    uint64_t seed = 12345;
    assert_int_equal(index_build(&index, path, &options, &error), SPOOR_OK);
    assert_int_equal(explorer_open(&explorer, path, index, &error), SPOOR_OK);
    struct machine machine = *explorer_machine(explorer); /* its tables are the explorer's */
    flow.machine = &machine;
    flow.registers = calloc(REGISTERS, sizeof *flow.registers);
    flow.memory = calloc(MEMORY, sizeof *flow.memory);
    assert_int_equal(explorer_visit(explorer, 0, UINT64_MAX, flow_record, &flow, &error), SPOOR_OK);
    end_group(&flow);
    if (getenv("SPOOR_POINTS")) values = (unsigned)strtoul(getenv("SPOOR_POINTS"), NULL, 10);
    for (unsigned i = 0; i < values;) {
        struct slice slice;
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const struct edge *edge = &flow.edges[(seed >> 33) % flow.count];
        if (!edge->name) continue;
        i++;
        const struct subject subject = {.part = {.name = edge->name}};
        const uint64_t record = edge->to / BYTES;
        assert_int_equal(explorer_slice(explorer, &subject, record + 1, &all, &slice, &error),
                         SPOOR_OK);
        assert_true(slice.count > 0);
        if (slice.count < SLICE_NODES - 64 && slice.nodes[0].touch.record == record)
            check_slice(&flow, &slice, record, edge->name, index->records);
        slice_free(&slice);
    }
    free(flow.registers);
    free(flow.memory);
    free(flow.edges);
    explorer_close(explorer);
    index_free(index);
}

static void slices_are_those_of_a_straight_pass(void **state)
{
    static const char *const published[] = {
        "traces/tarmac/fastmodel/quicksort.tarmac",
        "traces/uop/gcc-1K.trace",
    };
    static const char *const recorded[] = {"search-x86_64.uop.xz", "list-aarch64.tarmac.xz"};
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (find_published(path, published[i])) slice_trace(path, 12);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", recorded[i]);
        slice_trace(path, 40);
    }
}

/* Everything that a forward slice reaches flows, backwards, from its beginning. */
static void forwards_is_the_other_way_round(void **state)
{
    char path[512];
    struct index *index = NULL;
    struct explorer *explorer = NULL;
    struct spoor_error error = {0};
    const struct index_options options = {0};
    const struct slice_options forward = {.forward = true, .depth = 6}, all = {0};
    (void)state;
    if (!find_published(path, "traces/tarmac/fastmodel/quicksort.tarmac")) skip();
    assert_int_equal(index_build(&index, path, &options, &error), SPOOR_OK);
    assert_int_equal(explorer_open(&explorer, path, index, &error), SPOOR_OK);
    const struct subject subject = {.part =
                                        machine_find_register(explorer_machine(explorer), "x19")};
    struct slice slice;
    assert_int_equal(explorer_slice(explorer, &subject, 1000, &forward, &slice, &error), SPOOR_OK);
    assert_true(slice.count > 1);
    const uint64_t root = slice.nodes[0].touch.record;
    for (size_t i = 1; i < slice.count; i += 1 + slice.count / 8) {
        const struct slice_node *node = &slice.nodes[i];
        if (node->is_memory) continue;
        const struct subject reached = {.part = {.name = node->name}};
        struct slice back;
        bool found = false;
        assert_int_equal(
            explorer_slice(explorer, &reached, node->touch.record + 1, &all, &back, &error),
            SPOOR_OK);
        for (size_t j = 0; j < back.count; j++) found |= back.nodes[j].touch.record == root;
        assert_true(found);
        slice_free(&back);
    }
    slice_free(&slice);
    explorer_close(explorer);
    index_free(index);
}

/* Makes a trace in which FMOV d6, x0 writes a register that no record states, then so many
 * segments without a register, then FMOV x6, d6, and MOV x0, #1, which no record states; returns
 * the segments of its index. */
static size_t open_unstated(const char *path, size_t segments, struct index **index,
                            struct explorer **explorer)
{
    enum { LINES_OF_SEGMENT = 1 << 15 }; /* of 44 bytes: more than a segment has */
    const struct index_options options = {0};
    struct spoor_error error = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "1 clk IT (1) 00001000 9e670006 O EL1h_n : FMOV d6,x0\n");
    for (size_t i = 0; i < segments * LINES_OF_SEGMENT; i++)
        fprintf(file, "2 clk IT (2) 00001004 d503201f O EL1h_n : NOP\n");
    fprintf(file, "3 clk IT (3) 00001008 9e6600c6 O EL1h_n : FMOV x6,d6\n"
                  "3 clk R X6 0000000000000077\n"
                  "4 clk IT (4) 0000100c d2800020 O EL1h_n : MOV x0,#1\n");
    assert_int_equal(fclose(file), 0);
    assert_int_equal(index_build(index, path, &options, &error), SPOOR_OK);
    assert_int_equal(explorer_open(explorer, path, *index, &error), SPOOR_OK);
    return (*index)->count;
}

static void a_search_that_ends_early_says_so(void **state)
{
    char path[] = "/tmp/spoor-slice-XXXXXX";
    const int made = mkstemp(path);
    (void)state;
    assert_true(made >= 0);
    close(made);
    for (unsigned far = 0; far < 2; far++) {
        struct index *index = NULL;
        struct explorer *explorer = NULL;
        struct spoor_error error = {0};
        struct slice slice;
        const struct slice_options all = {0};
        const size_t segments = open_unstated(path, far ? 16 : 5, &index, &explorer);
        assert_true(far ? segments > UNSTATED_SEGMENTS
                        : segments > 4 && segments < UNSTATED_SEGMENTS);
        const struct subject subject = {
            .part = machine_find_register(explorer_machine(explorer), "x6")};
        assert_int_equal(explorer_slice(explorer, &subject, UINT64_MAX, &all, &slice, &error),
                         SPOOR_OK);
        assert_int_equal(slice.count, far ? 2 : 3);
        assert_int_equal(slice.nodes[1].touch.record, far ? UINT64_MAX : 0);
        /* all of the trace was searched for x0, which no opcode writes */
        assert_int_equal(slice.nodes[slice.count - 1].stop,
                         far ? SLICE_UNSEARCHED : SLICE_UNSTATED);
        /* that no opcode before writes x0 says nothing of those after */
        if (!far) {
            struct touch touch;
            const struct subject x0 = {.part = {.name = slice.nodes[2].name}};
            const uint64_t last = index->records - 1;
            assert_int_equal(explorer_last_unstated(explorer, &x0, last, &touch, &error),
                             SPOOR_END);
            assert_int_equal(explorer_last_unstated(explorer, &x0, last + 1, &touch, &error),
                             SPOOR_OK);
            assert_int_equal(touch.record, last);
        }
        slice_free(&slice);
        explorer_close(explorer);
        index_free(index);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_those_of_a_straight_pass),
        cmocka_unit_test(forwards_is_the_other_way_round),
        cmocka_unit_test(a_search_that_ends_early_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
