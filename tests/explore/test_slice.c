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

#include <cmocka.h>

#include "explore/slice.h"
#include "views/published.h"

/* ---- the straight pass ---- */

/* The last writer of each location, and the sources of each write, by records. */
struct flows {
    struct machine *machine;
    struct group group;  /* one processor */
    uint64_t *registers; /* indexed by name: record of the last write, plus 1 */
    struct cell_of_memory {
        uint64_t address, writer; /* both plus 1 */
    } * memory;
    size_t capacity;
    struct edge {
        uint64_t to, from; /* a record, and one of its sources */
        spoor_name name;   /* the register written; 0: memory */
    } * edges;
    size_t count, edge_capacity;
};

enum { MEMORY = 1 << 20, REGISTERS = 4096 };

static struct cell_of_memory *memory_of(struct flows *flow, uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 40) % MEMORY;
    while (flow->memory[at].address && flow->memory[at].address != address + 1)
        at = (at + 1) % MEMORY;
    return &flow->memory[at];
}

static void put_edge(struct flows *flow, uint64_t to, uint64_t from, spoor_name name)
{
    if (flow->count == flow->edge_capacity) {
        flow->edge_capacity = flow->edge_capacity ? 2 * flow->edge_capacity : 4096;
        flow->edges = realloc(flow->edges, flow->edge_capacity * sizeof *flow->edges);
        assert_non_null(flow->edges);
    }
    flow->edges[flow->count++] = (struct edge){to, from, name};
}

static void end_group(struct flows *flow)
{
    const struct group *group = &flow->group;
    for (unsigned i = 0; i < group->count; i++) {
        const struct group_effect *effect = &group->effects[i];
        if (effect->is_memory && !(effect->access.does & ACCESS_WRITES)) continue;
        for (unsigned j = 0; group_flows_from_memory(group, effect) && j < group->count; j++) {
            const struct access *access = &group->effects[j].access;
            if (!group->effects[j].is_memory || !(access->does & ACCESS_READS)) continue;
            for (uint32_t at = 0; at < access->size; at++) {
                const struct cell_of_memory *cell = memory_of(flow, access->va + at);
                if (cell->writer)
                    put_edge(flow, effect->touch.record, cell->writer - 1, effect->name);
            }
        }
        for (unsigned j = 0; j < group->operands.count; j++)
            if (group_flows_from(group, effect, j) && flow->registers[group->operands.names[j]])
                put_edge(flow, effect->touch.record, flow->registers[group->operands.names[j]] - 1,
                         effect->name);
    }
    for (unsigned i = 0; i < group->count; i++) {
        const struct group_effect *effect = &group->effects[i];
        const struct access *access = &effect->access;
        if (!effect->is_memory) flow->registers[effect->name] = effect->touch.record + 1;
        if (!effect->is_memory || !(access->does & ACCESS_WRITES)) continue;
        for (uint32_t at = 0; at < access->size; at++) {
            struct cell_of_memory *cell = memory_of(flow, access->va + at);
            cell->address = access->va + at + 1;
            cell->writer = effect->touch.record + 1;
        }
    }
}

static bool flow_record(void *context, const struct visited *visited)
{
    struct flows *flow = context;
    if (group_begins(visited)) end_group(flow); /* the first is what no instruction writes */
    group_add(&flow->group, flow->machine, visited);
    return true;
}

/* Finds all records that a write depends on, along the edges, backwards because they are in order.
 */
static size_t reach(const struct flows *flow, uint64_t record, spoor_name name, bool *reached)
{
    size_t count = 0;
    for (size_t i = flow->count; i-- > 0;) {
        const struct edge *edge = &flow->edges[i];
        const bool root = edge->to == record && edge->name == name;
        if (!root && !reached[edge->to]) continue;
        count += !reached[edge->from];
        reached[edge->from] = true;
    }
    return count;
}

static void check_slice(struct explorer *explorer, const struct flows *flow,
                        const struct slice *slice, const struct slice_node *root, uint64_t records)
{
    bool *reached = calloc(records + 1, sizeof *reached);
    uint64_t sum = 0, expected = 0;
    (void)explorer;
    reach(flow, root->touch.record, root->is_memory ? 0 : root->name, reached);
    for (uint64_t i = 0; i < records; i++) expected += reached[i];
    for (size_t i = 1; i < slice->count; i++) {
        const uint64_t record = slice->nodes[i].touch.record;
        if (record == UINT64_MAX || record == root->touch.record) continue;
        assert_true(reached[record]);
        sum += reached[record];
        reached[record] = false; /* a store with several parts is one record */
    }
    assert_int_equal(sum, expected);
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
        assert_int_equal(explorer_slice(explorer, &subject, edge->to + 1, &all, &slice, &error),
                         SPOOR_OK);
        assert_true(slice.count > 0);
        if (slice.count < SLICE_NODES - 64)
            check_slice(explorer, &flow, &slice, &slice.nodes[0], index->records);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_those_of_a_straight_pass),
        cmocka_unit_test(forwards_is_the_other_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
