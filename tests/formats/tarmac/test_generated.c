/* SPDX-License-Identifier: MIT */
/*
 * test_generated.c: generated records of every kind, as another format might produce them, are
 * written and read back: the fields must be the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/lines.h"

enum { ROUNDS = 20000 };

/* Represents any other format. */
static const struct spoor_format other = {.name = "other", .time_unit = "ns"};

struct maker {
    struct spoor_stream stream;
    struct spoor_batch batch;
    struct spoor_record *record;
    uint64_t state;
    bool matcher; /* only what Trace Matcher can express */
};

/* splitmix64: repeatable. */
static uint64_t next(struct maker *maker)
{
    uint64_t z = maker->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(struct maker *maker, unsigned limit)
{
    return (unsigned)(next(maker) % limit);
}

/* Numbers of all lengths. */
static uint64_t number(struct maker *maker, unsigned bits)
{
    return next(maker) >> (64 - bits) >> below(maker, bits);
}

static spoor_name name(struct maker *maker, const char *text)
{
    return spoor_names_intern(maker->stream.names, text, strlen(text));
}

static spoor_name any_name(struct maker *maker)
{
    static const char *const names[] = {"X0", "r13_mon", "cpu.cpu0.l1dcache", "z31", "64K", "m"};
    return name(maker, names[below(maker, 6)]);
}

static struct spoor_ref keep(struct maker *maker, const char *text)
{
    return spoor_batch_keep(&maker->batch, text, strlen(text));
}

/* `size` random bytes in the arena. */
static struct spoor_ref keep_bytes(struct maker *maker, size_t size)
{
    uint8_t bytes[256];
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next(maker);
    return spoor_batch_keep(&maker->batch, bytes, size);
}

/* Sets the bit half of the time. */
static bool maybe(struct maker *maker, uint16_t bit)
{
    bool set = below(maker, 2);
    if (set) maker->record->has |= bit;
    return set;
}

static uint8_t physical(struct maker *maker, uint16_t bit, uint64_t *pa)
{
    if (maker->matcher || !maybe(maker, bit)) return SPOOR_SEC_NONE;
    *pa = number(maker, 48);
    return (uint8_t)below(maker, SPOOR_SEC_ROOT + 1);
}

static void make_insn(struct maker *maker)
{
    struct spoor_insn *insn = &maker->record->insn;
    static const char isets[] = {'A', 'T', 'X', 'O', 0};
    maker->record->op = (uint8_t)below(maker, 2);
    maker->record->has |= SPOOR_HAS_VA;
    insn->va = number(maker, 64);
    insn->security = physical(maker, SPOOR_HAS_PA, &insn->pa);
    if (maybe(maker, SPOOR_HAS_INDEX)) insn->index = number(maker, 64);
    insn->opcode_size = (uint8_t)(2 << below(maker, 3));
    if (maybe(maker, SPOOR_HAS_DATA)) insn->opcode = number(maker, 8u * insn->opcode_size);
    insn->iset = (uint8_t)isets[below(maker, 5)];
    if (maybe(maker, SPOOR_HAS_EXTRA)) insn->mode = name(maker, "EL1h_ns");
    if (below(maker, 2)) insn->disasm = keep(maker, "LDR x0,[x0,#0] : _ ; a");
}

static void make_flow(struct maker *maker)
{
    struct spoor_flow *flow = &maker->record->flow;
    maker->record->op = (uint8_t)below(maker, 3);
    maker->record->has |= SPOOR_HAS_VA;
    flow->va = number(maker, 64);
    flow->target = number(maker, 64);
    maker->record->has |= SPOOR_HAS_DATA;
    flow->security = physical(maker, SPOOR_HAS_PA, &flow->pa);
    flow->target_security = physical(maker, SPOOR_HAS_PA2, &flow->target_pa);
    if (maybe(maker, SPOOR_HAS_INDEX)) flow->index = number(maker, 64);
    flow->iset = below(maker, 2) ? 'O' : 0;
}

static void make_reg(struct maker *maker)
{
    struct spoor_reg *reg = &maker->record->reg;
    reg->name = any_name(maker);
    reg->bits = (uint16_t)(8 * (1 + below(maker, 64)));
    if (!maker->matcher && below(maker, 4) == 0) reg->note = name(maker, "(USR)");
    if (!maybe(maker, SPOOR_HAS_DATA)) return;
    if (reg->bits > 128)
        reg->wide = keep_bytes(maker, reg->bits / 8u);
    else
        reg->value[0] = number(maker, reg->bits < 64 ? reg->bits : 64);
    if (reg->bits <= 128 && reg->bits > 64) reg->value[1] = number(maker, reg->bits - 64u);
}

static void make_mem_data(struct maker *maker)
{
    struct spoor_mem *mem = &maker->record->mem;
    mem->size = (uint16_t)(1 << below(maker, 7));
    if (!maybe(maker, SPOOR_HAS_DATA)) return;
    if (mem->size > 16)
        mem->wide = keep_bytes(maker, mem->size);
    else
        mem->data[0] = number(maker, mem->size < 8 ? 8u * mem->size : 64);
    if (mem->size == 16) mem->data[1] = number(maker, 64);
}

static void make_mem(struct maker *maker)
{
    struct spoor_mem *mem = &maker->record->mem;
    bool atomic = !maker->matcher && below(maker, 3) == 0;
    make_mem_data(maker);
    if (atomic) {
        maker->record->op = (uint8_t)(SPOOR_MEM_ADD + below(maker, 10));
        maker->record->has |= SPOOR_HAS_PA;
        mem->pa = number(maker, 64);
        mem->security = (uint8_t)below(maker, SPOOR_SEC_ROOT + 1);
        if (maybe(maker, SPOOR_HAS_VA)) mem->va = number(maker, 64);
        return;
    }
    maker->record->op = (uint8_t)below(maker, 2);
    maker->record->has |= SPOOR_HAS_VA;
    mem->va = number(maker, 64);
    mem->security = physical(maker, SPOOR_HAS_PA, &mem->pa);
    mem->attr = (uint8_t)below(maker, 8);
    if (maker->matcher) mem->attr = below(maker, 2) ? SPOOR_MEM_PRIVILEGED : SPOOR_MEM_TRANSLATED;
}

static void make_bus(struct maker *maker)
{
    struct spoor_bus *bus = &maker->record->bus;
    maker->record->op = below(maker, 2) ? SPOOR_BUS_READ : SPOOR_BUS_WRITE;
    maker->record->has |= SPOOR_HAS_PA;
    bus->address = number(maker, 64);
    bus->attr = (uint16_t)(below(maker, 32) << 9);
    if (maker->record->op == SPOOR_BUS_READ && bus->attr & SPOOR_BUS_OPCODE_FETCH)
        maker->record->op = SPOOR_BUS_FETCH;
    bus->cacheability = (uint16_t)below(maker, 1024);
    if (below(maker, 2)) bus->master = any_name(maker);
    bus->size = (uint16_t)(1 << below(maker, 6));
    if (!maybe(maker, SPOOR_HAS_DATA)) return;
    if (bus->size > 16)
        spoor_batch_spill(&maker->batch, SPOOR_SPILL_DATA, keep_bytes(maker, bus->size));
    else
        bus->data[0] = number(maker, bus->size < 8 ? 8u * bus->size : 64);
    if (bus->size == 16) bus->data[1] = number(maker, 64);
}

static void make_cacheop(struct maker *maker)
{
    struct spoor_cacheop *op = &maker->record->cacheop;
    op->side = name(maker, "Data cache");
    op->operation = name(maker, "Clean and Invalidate");
    op->va = number(maker, 64);
    if (below(maker, 2)) {
        op->scope = name(maker, "All to PoU");
        maker->record->has |= SPOOR_HAS_DATA;
        return;
    }
    op->scope = name(maker, "MVA_POC");
    maker->record->has |= SPOOR_HAS_VA;
    op->security = physical(maker, SPOOR_HAS_PA, &op->pa);
    op->region = name(maker, "4K");
    if (below(maker, 2)) op->memory_type = name(maker, "Normal Shareable");
}

static void make_cache(struct maker *maker)
{
    struct spoor_cacheline *cache = &maker->record->cache;
    maker->record->op = (uint8_t)below(maker, SPOOR_CACHE_OPS);
    maker->record->has |= SPOOR_HAS_PA;
    cache->unit = any_name(maker);
    cache->line = number(maker, 64);
    cache->pa = number(maker, 64);
    cache->security = (uint8_t)below(maker, SPOOR_SEC_ROOT + 1);
}

static void make_walk(struct maker *maker)
{
    struct spoor_walk *walk = &maker->record->walk;
    maker->record->op = (uint8_t)below(maker, 2);
    maker->record->has |= SPOOR_HAS_PA;
    walk->side = name(maker, "ITLB");
    walk->table_format = name(maker, "LPAE");
    walk->stage = (uint8_t)below(maker, 256);
    walk->level = (uint8_t)below(maker, 256);
    walk->pa = number(maker, 64);
    walk->result = (uint8_t)below(maker, SPOOR_WALK_RESULTS);
    if (maybe(maker, SPOOR_HAS_DATA)) walk->entry = number(maker, 64);
    if (maybe(maker, SPOOR_HAS_EXTRA)) walk->attributes = keep(maker, "AP=3 ADDR=0x15220000");
}

static void make_tlb(struct maker *maker)
{
    struct spoor_tlb *tlb = &maker->record->tlb;
    maker->record->op = (uint8_t)below(maker, 4);
    maker->record->has |= SPOOR_HAS_VA;
    tlb->unit = any_name(maker);
    tlb->region = name(maker, "64K");
    tlb->va = number(maker, 64);
    tlb->va_security = (uint8_t)(below(maker, 2) ? SPOOR_SEC_NS : SPOOR_SEC_NONE);
    if (below(maker, 2)) tlb->regime = name(maker, "EL1_n");
    tlb->vmid = below(maker, 2) ? (uint32_t)number(maker, 31) : SPOOR_NO_VMID;
    tlb->non_global = (uint8_t)below(maker, 2);
    if (tlb->non_global) tlb->asid = (uint16_t)next(maker);
    if (maker->record->op == SPOOR_TLB_EVICT || maker->record->op == SPOOR_WALKCACHE_EVICT) return;
    maker->record->has |= SPOOR_HAS_PA;
    tlb->pa = number(maker, 64);
    tlb->security = tlb->va_security;
    if (below(maker, 2)) tlb->memory_type = name(maker, "Normal Shareable Inner=WriteBack");
    if (maybe(maker, SPOOR_HAS_EXTRA)) tlb->attributes = keep(maker, "xn=0 ContiguousHint =0");
}

static void make_event(struct maker *maker)
{
    struct spoor_event *event = &maker->record->event;
    maker->record->op = (uint8_t)below(maker, 4);
    if (maker->record->op == SPOOR_EVENT_SIGNAL || maker->record->op == SPOOR_EVENT_CADI) {
        event->text = keep(maker, "SIGNAL=poreset STATE=N");
        return;
    }
    event->name = name(maker, "CoreEvent_Reset");
    if (maker->record->op == SPOOR_EVENT_DEBUG) {
        if (maybe(maker, SPOOR_HAS_VA)) event->value = number(maker, 64);
        return;
    }
    maker->record->has |= SPOOR_HAS_VA | SPOOR_HAS_INDEX;
    event->value = number(maker, 64);
    event->security = physical(maker, SPOOR_HAS_PA, &event->value_pa);
    event->number = (uint32_t)number(maker, 32);
    if (below(maker, 2)) event->mode = name(maker, "EL3h");
    if (maybe(maker, SPOOR_HAS_EXTRA)) event->value1 = number(maker, 64);
}

typedef void make(struct maker *maker);
static make *const makers[SPOOR_KINDS] = {
    [SPOOR_INSN] = make_insn,   [SPOOR_FLOW] = make_flow, [SPOOR_REG] = make_reg,
    [SPOOR_MEM] = make_mem,     [SPOOR_BUS] = make_bus,   [SPOOR_CACHEOP] = make_cacheop,
    [SPOOR_CACHE] = make_cache, [SPOOR_WALK] = make_walk, [SPOOR_TLB] = make_tlb,
    [SPOOR_EVENT] = make_event,
};

static void make_record(struct maker *maker, const struct spoor_format *format)
{
    enum spoor_kind kind;
    do kind = (enum spoor_kind)below(maker, SPOOR_KINDS);
    while (kind == SPOOR_NOTE || !spoor_format_fields(format, kind));
    maker->record = spoor_batch_push(&maker->batch);
    maker->record->kind = (uint8_t)kind;
    if (maybe(maker, SPOOR_HAS_TIME)) maker->record->time = number(maker, 64);
    bool has_cpu = !maker->matcher || kind == SPOOR_INSN;
    /* without a time, only the unit of a time could distinguish a cpu from a line */
    if (has_cpu && maker->record->has & SPOOR_HAS_TIME && maybe(maker, SPOOR_HAS_CPU))
        maker->record->cpu = name(maker, maker->matcher ? "17" : "cluster0.cpu1");
    makers[kind](maker);
}

static void check_round(struct maker *maker, const struct spoor_format *format)
{
    struct trace again;
    struct text line = {0}, before = {0}, after = {0};
    struct encoder encoder = {.format = format};
    format->write(&encoder, &maker->batch, 0, 1, &line);
    assert_int_equal(encoder.written, 1);
    trace_decode(&again, format, line.bytes, line.size);
    describe(&maker->batch, 0, &before);
    describe(&again.batch, 0, &after);
    assert_string_equal(before.bytes, after.bytes);
    assert_int_equal(trace_verbatim(&again), 0);
    if (maker->record->has & SPOOR_HAS_TIME)
        assert_string_equal(spoor_record_unit(&again.batch, &again.batch.records[0]), "ns");
    assert_true(comes_back(format, line.bytes, line.size));
    trace_free(&again);
    text_free(&line);
    text_free(&before);
    text_free(&after);
}

static void check_format(const struct spoor_format *format)
{
    struct maker maker = {.state = 1, .matcher = format == &format_matcher};
    maker.stream = (struct spoor_stream){
        .format = &other, .names = spoor_names_new(), .spellings = spoor_names_new()};
    for (int round = 0; round < ROUNDS; round++) {
        spoor_batch_clear(&maker.batch);
        maker.batch.stream = &maker.stream;
        make_record(&maker, format);
        check_round(&maker, format);
    }
    spoor_batch_free(&maker.batch);
    spoor_names_free(maker.stream.names);
    spoor_names_free(maker.stream.spellings);
}

static void tarmac_says_what_it_is_given(void **state)
{
    (void)state;
    check_format(&format_tarmac);
}

static void matcher_says_what_it_is_given(void **state)
{
    (void)state;
    check_format(&format_matcher);
}

/* What a format cannot express is skipped and counted, and leaves no partial line. */
static void what_cannot_be_said_is_counted(void **state)
{
    (void)state;
    static const char text[] = "1 clk FD (1) 0 4 A\n1 clk MU4_ADD 0 00000001\n1 clk E Run\n";
    struct trace trace;
    struct text out = {0};
    struct encoder encoder = {.format = &format_matcher};
    trace_decode(&trace, &format_tarmac, text, strlen(text));
    format_matcher.write(&encoder, &trace.batch, 0, 3, &out);
    assert_int_equal(encoder.skipped, 3);
    assert_int_equal(encoder.written, 0);
    assert_int_equal(out.size, 0);
    text_free(&out);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tarmac_says_what_it_is_given),
        cmocka_unit_test(matcher_says_what_it_is_given),
        cmocka_unit_test(what_cannot_be_said_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
