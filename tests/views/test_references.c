/* SPDX-License-Identifier: MIT */
/*
 * test_references.c: the memory references of traces, compared with published counts of other
 * programs, and of records built by hand, kind by kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/made_trace.h"
#include "views/published.h"

extern const struct spoor_format format_tarmac;

struct counts {
    uint64_t of[SPOOR_REFERENCE_OPS];
};

static struct counts count_all(struct spoor_reader *reader,
                               const struct spoor_reference_options *options)
{
    struct counts counts = {0};
    struct spoor_error error = {0};
    struct spoor_reference_block block = {.struct_size = sizeof block};
    enum spoor_status status;
    while ((status = spoor_reader_next_references(reader, options, &block, &error)) == SPOOR_OK)
        for (size_t i = 0; i < block.count; i++) counts.of[block.items[i].op]++;
    assert_int_equal(status, SPOOR_END);
    spoor_reader_close(reader);
    return counts;
}

static void demand(struct counts counts, uint64_t fetches, uint64_t reads, uint64_t writes,
                   uint64_t others)
{
    assert_int_equal(counts.of[SPOOR_REFERENCE_FETCH], fetches);
    assert_int_equal(counts.of[SPOOR_REFERENCE_READ], reads);
    assert_int_equal(counts.of[SPOOR_REFERENCE_WRITE], writes);
    assert_int_equal(counts.of[SPOOR_REFERENCE_MISC], others);
    assert_int_equal(counts.of[SPOOR_REFERENCE_COPY_BACK], 0);
    assert_int_equal(counts.of[SPOOR_REFERENCE_INVALIDATE], 0);
}

/* oracles/uop/sfsu-cache.out: 232 reads, 108 writes; facts/uop.md: a macro-op is a record whose Uop
 * is 1, of which the file has 754. */
static void micro_ops_of_gcc(void **state)
{
    (void)state;
    struct spoor_reader *reader = open_published("traces/uop/gcc-1K.trace");
    if (!reader) skip();
    demand(count_all(reader, NULL), 754, 232, 108, 0);
}

/* facts/byu.md: the records by type. */
static void bus_of_a_pentium(void **state)
{
    (void)state;
    static const char name[] = "traces/byu/pentium2-w2k.tr.xz";
    const struct spoor_reference_options all = {.bus = SPOOR_BUS_ALL},
                                         data = {.bus = SPOOR_BUS_DATA},
                                         memory = {.bus = SPOOR_BUS_MEMORY};
    struct spoor_reader *reader = open_published(name);
    if (!reader) skip();
    demand(count_all(reader, &all), 134719, 54866 + 5657 + 4, 26928 + 4, 2271);
    demand(count_all(open_published(name), &data), 0, 54866 + 5657, 26928, 0);
    demand(count_all(open_published(name), &memory), 134719, 54866 + 5657, 26928, 0);
}

/* oracles/sim/dinero-small5M.txt: its totals by label. */
static void memory_of_sqlite(void **state)
{
    (void)state;
    struct spoor_reader *reader = open_published("traces/memory/small5M.din.zst");
    if (!reader) skip();
    demand(count_all(reader, NULL), 3557035, 1001464, 441501, 0);
    demand(count_all(open_published("traces/memory/small5M.xdin.zst"), NULL), 3557035, 1001464,
           441501, 0);
}

/* One run written in several formats has the same references: the producer of the examples does not
 * use views. */
static void one_run_in_several_formats(void **state)
{
    (void)state;
    const struct counts din = count_all(open_example("sort.din.xz"), NULL);
    static const char *const others[] = {"sort.lackey.xz", "sort.uop.xz", "sort.matcher.xz",
                                         "sort.tarmac.xz"};
    assert_true(din.of[SPOOR_REFERENCE_FETCH] > 0 && din.of[SPOOR_REFERENCE_WRITE] > 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct counts other = count_all(open_example(others[i]), NULL);
        if (memcmp(&din, &other, sizeof din) != 0) print_error("%s\n", others[i]);
        assert_memory_equal(&din, &other, sizeof din);
    }
}

/* The references of a batch are those of its parts, wherever it is divided. */
static void parts_of_a_batch_have_its_references(void **state)
{
    (void)state;
    struct spoor_reader *reader = open_example("sort.uop.xz");
    struct spoor_references whole = {0}, parts = {0};
    const struct spoor_reference_options options = {.pc_by_order = true};
    const struct spoor_batch *batch;
    assert_int_equal(spoor_reader_next(reader, &batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_references_add(&whole, batch, &options, NULL), SPOOR_OK);
    assert_true(whole.count > 100);
    for (size_t step = 1; step <= batch->count; step = step * 3 + 1) {
        parts.count = 0;
        for (size_t from = 0; from < batch->count; from += step) {
            const size_t to = from + step < batch->count ? from + step : batch->count;
            assert_int_equal(spoor_references_add_some(&parts, batch, from, to, &options, NULL),
                             SPOOR_OK);
        }
        assert_int_equal(parts.count, whole.count);
        assert_memory_equal(parts.items, whole.items, whole.count * sizeof *whole.items);
    }
    spoor_references_free(&whole);
    spoor_references_free(&parts);
    spoor_reader_close(reader);
}

static void a_reader_hands_out_one_thing(void **state)
{
    (void)state;
    struct spoor_error error = {0};
    struct spoor_reference_block block = {.struct_size = sizeof block};
    struct spoor_branch_block branches = {.struct_size = sizeof branches};
    const struct spoor_batch *batch;
    struct spoor_reader *reader = open_example("sort.din.xz");
    assert_int_equal(spoor_reader_next_references(reader, NULL, &block, &error), SPOOR_OK);
    assert_int_equal(spoor_reader_next(reader, &batch, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "batches"));
    assert_int_equal(spoor_reader_next_branches(reader, &branches, &error), SPOOR_EUSAGE);
    assert_int_equal(spoor_reader_next_references(reader, NULL, &block, &error), SPOOR_END);
    spoor_reader_close(reader);
}

/* ---- records made by hand ---- */

static const struct spoor_reference_options in_order = {.pc_by_order = true};

static void view(struct spoor_references *references, struct made_trace *made,
                 const struct spoor_reference_options *options)
{
    references->count = 0;
    assert_int_equal(spoor_references_add(references, &made->batch, options, NULL), SPOOR_OK);
    spoor_batch_clear(&made->batch);
}

static void an_atomic_update_reads_and_writes(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, &format_tarmac);
    for (unsigned op = 0; op < SPOOR_MEM_OPS; op++) {
        struct spoor_record *record = made_trace_push(&made, SPOOR_MEM, op, SPOOR_HAS_PA);
        record->mem.pa = 0x1000 + op;
        record->mem.size = 4;
        view(&references, &made, NULL);
        const bool update = (op >= SPOOR_MEM_ADD && op <= SPOOR_MEM_UMIN) || op == SPOOR_MEM_MODIFY;
        const struct spoor_reference_options once = {.update_once = true};
        const bool no_access = op == SPOOR_MEM_TO_COPROCESSOR || op == SPOOR_MEM_FROM_COPROCESSOR ||
                               op == SPOOR_MEM_PREFETCH || op == SPOOR_MEM_PREFETCH_CODE;
        assert_int_equal(references.count, no_access ? 0 : update ? 2 : 1);
        for (size_t i = 0; i < references.count; i++) {
            assert_int_equal(references.items[i].address, 0x1000 + op);
            assert_int_equal(references.items[i].size, 4);
            assert_true(references.items[i].has & SPOOR_REFERENCE_PHYSICAL);
        }
        if (!update) continue;
        assert_int_equal(references.items[0].op, SPOOR_REFERENCE_READ);
        assert_int_equal(references.items[1].op, SPOOR_REFERENCE_WRITE);
        record = made_trace_push(&made, SPOOR_MEM, op, SPOOR_HAS_PA);
        record->mem.pa = 0x1000 + op;
        view(&references, &made, &once);
        assert_int_equal(references.count, 1);
        assert_int_equal(references.items[0].op, SPOOR_REFERENCE_READ);
    }
    spoor_references_free(&references);
    made_trace_end(&made);
}

static void of_two_addresses_the_one_wanted(void **state)
{
    (void)state;
    const struct spoor_reference_options physical = {.physical = true};
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, &format_tarmac);
    for (int turn = 0; turn < 2; turn++) {
        struct spoor_record *record =
            made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_READ, SPOOR_HAS_VA | SPOOR_HAS_PA);
        record->mem.va = 0x5000;
        record->mem.pa = 0x10;
        made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_WRITE, SPOOR_HAS_VA)->mem.va = 0x6000;
        made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_WRITE, 0); /* no address at all */
        record = made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_READ, SPOOR_HAS_VA);
        record->mem.attr = SPOOR_MEM_ABORTED;
        view(&references, &made, turn ? &physical : NULL);
        assert_int_equal(references.count, 2);
        assert_int_equal(references.items[0].address, turn ? 0x10 : 0x5000);
        assert_int_equal(references.items[0].has, turn ? SPOOR_REFERENCE_PHYSICAL : 0);
        assert_int_equal(references.items[1].address, 0x6000);
        assert_int_equal(references.items[1].has, 0);
    }
    spoor_references_free(&references);
    made_trace_end(&made);
}

static struct spoor_record *push_of_cpu(struct made_trace *made, enum spoor_kind kind, unsigned op,
                                        const char *cpu)
{
    struct spoor_record *record = made_trace_push(made, kind, op, SPOOR_HAS_VA | SPOOR_HAS_CPU);
    record->cpu = made_trace_name(made, cpu);
    return record;
}

/* Each cpu has its own last instruction, which is stored from batch to batch, but not across a gap.
 * Without the option it is not stated. */
static void an_access_belongs_to_the_last_instruction(void **state)
{
    (void)state;
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, &format_tarmac);
    push_of_cpu(&made, SPOOR_MEM, SPOOR_MEM_READ, "a"); /* no instruction precedes it */
    push_of_cpu(&made, SPOOR_INSN, SPOOR_INSN_TAKEN, "a")->insn.va = 0x100;
    push_of_cpu(&made, SPOOR_INSN, SPOOR_INSN_TAKEN, "b")->insn.va = 0x200;
    view(&references, &made, &in_order);
    assert_int_equal(references.items[0].has, SPOOR_REFERENCE_HAS_CPU);
    for (int turn = 0; turn < 3; turn++) {
        push_of_cpu(&made, SPOOR_MEM, SPOOR_MEM_READ, "a");
        push_of_cpu(&made, SPOOR_MEM, SPOOR_MEM_WRITE, "b");
        made.batch.gap = turn == 2;
        view(&references, &made, turn == 0 ? NULL : &in_order);
        assert_int_equal(references.count, 2);
        for (size_t i = 0; i < 2; i++) {
            const bool known = references.items[i].has & SPOOR_REFERENCE_HAS_PC;
            assert_int_equal(known, turn == 1);
            if (known) assert_int_equal(references.items[i].pc, i ? 0x200 : 0x100);
        }
    }
    spoor_references_free(&references);
    made_trace_end(&made);
}

static void a_record_may_name_the_instruction_itself(void **state)
{
    (void)state;
    static const struct spoor_origin origin = {.pc = 0x777, .index = 1};
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, &format_tarmac);
    made_trace_push(&made, SPOOR_INSN, SPOOR_INSN_SKIPPED, SPOOR_HAS_VA)->insn.va = 0x100;
    made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_SWP, SPOOR_HAS_VA);
    spoor_batch_spill(&made.batch, SPOOR_SPILL_ORIGIN,
                      spoor_batch_keep(&made.batch, &origin, sizeof origin));
    view(&references, &made, &in_order);
    assert_int_equal(references.count, 3);
    assert_int_equal(references.items[0].op, SPOOR_REFERENCE_FETCH);
    assert_int_equal(references.items[1].pc, 0x777);
    assert_int_equal(references.items[2].pc, 0x777);
    spoor_references_free(&references);
    made_trace_end(&made);
}

/* 6-byte records: a 0 bit in the enables is a requested byte. */
static void lanes_say_where_and_how_much(void **state)
{
    (void)state;
    static const struct {
        uint8_t enables, size;
        uint64_t address;
    } cases[] = {{0x00, 8, 0x1000}, {0xF0, 4, 0x1000}, {0x0F, 4, 0x1004},
                 {0x7F, 1, 0x1007}, {0x5A, 4, 0x1000}, {0xFF, 0, 0x1000}};
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, spoor_format_find("byu6"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_record *record =
            made_trace_push(&made, SPOOR_BUS, SPOOR_BUS_READ, SPOOR_HAS_PA);
        record->bus.address = 0x1000;
        record->bus.given = SPOOR_BUS_GIVEN_CONTROL | SPOOR_BUS_GIVEN_ENABLES;
        record->bus.enables = cases[i].enables;
        record->bus.size = cases[i].size;
    }
    view(&references, &made, NULL);
    for (size_t i = 0; i < references.count; i++) {
        assert_int_equal(references.items[i].size, cases[i].size);
        assert_int_equal(references.items[i].address, cases[i].address);
    }
    assert_int_equal(references.count, sizeof cases / sizeof *cases);
    spoor_references_free(&references);
    made_trace_end(&made);
}

/* Tarmac's own bus records repeat MR and MW, and are only included on request. */
static void bus_records_of_tarmac_are_asked_for(void **state)
{
    (void)state;
    const struct spoor_reference_options asked = {.tarmac_bus = true};
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, &format_tarmac);
    for (int turn = 0; turn < 2; turn++) {
        struct spoor_record *record =
            made_trace_push(&made, SPOOR_BUS, SPOOR_BUS_WRITE, SPOOR_HAS_PA);
        record->bus.address = 0x40;
        record->bus.size = 4;
        view(&references, &made, turn ? &asked : NULL);
        assert_int_equal(references.count, turn);
    }
    assert_int_equal(references.items[0].op, SPOOR_REFERENCE_WRITE);
    spoor_references_free(&references);
    made_trace_end(&made);
}

/* A fall-through that no x86 instruction has states no size; numbers out of the range of the
 * record's fields are spilled. */
static void the_size_of_a_fetch_is_known_or_not(void **state)
{
    (void)state;
    static const struct spoor_uop_full far = {.pc = 0x100, .fall = 0x200000104, .step = 1},
                                       later = {.pc = 0x100, .fall = 0x104, .step = 0x10001};
    struct made_trace made;
    struct spoor_references references = {0};
    made_trace_begin(&made, spoor_format_find("uop"));
    for (int fall = 14; fall <= 16; fall++) {
        struct spoor_record *record = made_trace_push(&made, SPOOR_UOP, SPOOR_UOP_LOAD, 0);
        record->uop = (struct spoor_uop){.pc = 0x100, .address = 8, .fall = fall, .step = 1};
    }
    made_trace_push(&made, SPOOR_UOP, 0, 0)->uop =
        (struct spoor_uop){.pc = 0x100, .fall = 4, .step = 1};
    spoor_batch_spill(&made.batch, SPOOR_SPILL_UOP,
                      spoor_batch_keep(&made.batch, &far, sizeof far));
    made_trace_push(&made, SPOOR_UOP, 0, 0)->uop =
        (struct spoor_uop){.pc = 0x100, .fall = 4, .step = 1};
    spoor_batch_spill(&made.batch, SPOOR_SPILL_UOP,
                      spoor_batch_keep(&made.batch, &later, sizeof later));
    view(&references, &made, NULL);
    static const uint32_t sizes[] = {14, 0, 15, 0, 0, 0, 0};
    assert_int_equal(references.count, sizeof sizes / sizeof *sizes);
    for (size_t i = 0; i < references.count; i++)
        assert_int_equal(references.items[i].size, sizes[i]);
    spoor_references_free(&references);
    made_trace_end(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(micro_ops_of_gcc),
        cmocka_unit_test(bus_of_a_pentium),
        cmocka_unit_test(memory_of_sqlite),
        cmocka_unit_test(one_run_in_several_formats),
        cmocka_unit_test(parts_of_a_batch_have_its_references),
        cmocka_unit_test(a_reader_hands_out_one_thing),
        cmocka_unit_test(an_atomic_update_reads_and_writes),
        cmocka_unit_test(of_two_addresses_the_one_wanted),
        cmocka_unit_test(an_access_belongs_to_the_last_instruction),
        cmocka_unit_test(a_record_may_name_the_instruction_itself),
        cmocka_unit_test(lanes_say_where_and_how_much),
        cmocka_unit_test(bus_records_of_tarmac_are_asked_for),
        cmocka_unit_test(the_size_of_a_fetch_is_known_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
