/* SPDX-License-Identifier: MIT */
/*
 * test_plugin.c: the plugin in a simulated QEMU: this program exports QEMU's functions, in the form
 * of API version 1 or of version 4, loads the plugin and runs a block of two instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <unistd.h>

#include "record/executed.h"
#include "record/stream.h"

struct qemu_plugin_insn {
    uint64_t pc;
    size_t size;
    const char *bytes;
    void (*execute)(unsigned cpu, void *data);
    void (*access)(unsigned cpu, uint32_t info, uint64_t address, void *data);
    void *data;
};
struct qemu_plugin_tb {
    struct qemu_plugin_insn insns[2];
};

static struct {
    void (*translated)(uint64_t id, struct qemu_plugin_tb *);
    void (*exited)(uint64_t id, void *data);
} qemu;

#define QEMU(type) __attribute__((visibility("default"))) type

/* ---- functions that QEMU exports ---- */

QEMU(void) qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void *callback);
QEMU(void) qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void *callback)
{
    (void)id;
    memcpy(&qemu.translated, &callback, sizeof callback);
}
QEMU(void) qemu_plugin_register_atexit_cb(uint64_t id, void *callback, void *data);
QEMU(void) qemu_plugin_register_atexit_cb(uint64_t id, void *callback, void *data)
{
    (void)id, (void)data;
    memcpy(&qemu.exited, &callback, sizeof callback);
}
QEMU(void) qemu_plugin_register_vcpu_exit_cb(uint64_t id, void *callback);
QEMU(void) qemu_plugin_register_vcpu_exit_cb(uint64_t id, void *callback)
{
    (void)id, (void)callback;
}
QEMU(void) qemu_plugin_register_vcpu_syscall_cb(uint64_t id, void *callback);
QEMU(void) qemu_plugin_register_vcpu_syscall_cb(uint64_t id, void *callback)
{
    (void)id, (void)callback;
}
QEMU(size_t) qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
QEMU(size_t) qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
    return sizeof tb->insns / sizeof *tb->insns;
}
QEMU(struct qemu_plugin_insn *) qemu_plugin_tb_get_insn(struct qemu_plugin_tb *tb, size_t index);
QEMU(struct qemu_plugin_insn *) qemu_plugin_tb_get_insn(struct qemu_plugin_tb *tb, size_t index)
{
    return &tb->insns[index];
}
QEMU(uint64_t) qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
QEMU(uint64_t) qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
    return insn->pc;
}
QEMU(size_t) qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
QEMU(size_t) qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
    return insn->size;
}
QEMU(void)
qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void *callback, int flags,
                                       void *data);
QEMU(void)
qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void *callback, int flags,
                                       void *data)
{
    (void)flags;
    memcpy(&insn->execute, &callback, sizeof callback);
    insn->data = data;
}
QEMU(void)
qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, void *callback, int flags, int rw,
                                 void *data);
QEMU(void)
qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, void *callback, int flags, int rw,
                                 void *data)
{
    (void)flags, (void)rw, (void)data;
    memcpy(&insn->access, &callback, sizeof callback);
}
/* Our own accesses: bit 8 a store, low bits log2 of the size. */
QEMU(unsigned) qemu_plugin_mem_size_shift(uint32_t info);
QEMU(unsigned) qemu_plugin_mem_size_shift(uint32_t info)
{
    return info & 7;
}
QEMU(bool) qemu_plugin_mem_is_store(uint32_t info);
QEMU(bool) qemu_plugin_mem_is_store(uint32_t info)
{
    return info >> 8 & 1;
}
#if API == 1
QEMU(int) qemu_plugin_n_vcpus(void);
QEMU(int) qemu_plugin_n_vcpus(void)
{
    return -1;
}
QEMU(const void *) qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
QEMU(const void *) qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
    return insn->bytes;
}
#else
QEMU(bool) qemu_plugin_read_memory_vaddr(void);
QEMU(bool) qemu_plugin_read_memory_vaddr(void)
{
    return false;
}
QEMU(size_t)
qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *buffer, size_t capacity);
QEMU(size_t)
qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *buffer, size_t capacity)
{
    const size_t size = insn->size < capacity ? insn->size : capacity;
    memcpy(buffer, insn->bytes, size);
    return size;
}
#endif

/* ---- the test ---- */

static void load_plugin(const struct stream *stream)
{
    struct {
        const char *target_name;
        int min, cur;
        bool system_emulation;
    } info = {"x86_64", API, API, false};
    int (*install)(uint64_t, const void *, int, char **);
    char argument[32], *words[] = {argument};
    void *plugin = dlopen(PLUGIN, RTLD_NOW);
    if (!plugin) fail_msg("%s", dlerror());
    const int *version = dlsym(plugin, "qemu_plugin_version");
    void *symbol = dlsym(plugin, "qemu_plugin_install");
    assert_non_null(version);
    assert_int_equal(*version, API);
    memcpy(&install, &symbol, sizeof symbol);
    snprintf(argument, sizeof argument, "memory=%d", dup(stream->descriptor));
    assert_int_equal(install(1, &info, 1, words), 0);
    assert_int_equal(atomic_load(&stream->events->loaded), API);
}

static void play(struct qemu_plugin_tb *tb, unsigned times)
{
    qemu.translated(1, tb);
    for (unsigned i = 0; i < times; i++) {
        tb->insns[0].execute(0, tb->insns[0].data);
        tb->insns[0].access(0, 3, 0x1000 + i, NULL);
        tb->insns[1].execute(0, tb->insns[1].data);
        tb->insns[1].access(0, 0x102, UINT64_C(0xFFFFFFFFFF600000), NULL);
    }
    qemu.exited(1, NULL);
}

static void check_step(const struct executions *executions, size_t index, bool second)
{
    const struct executed_instruction *executed = &executions->executions[index];
    const struct access *access = &executions->accesses[index];
    assert_int_equal(executed->instruction->pc, second ? 0x400003 : 0x400000);
    assert_int_equal(executed->instruction->size, second ? 2 : 3);
    assert_memory_equal(executed->instruction->bytes, second ? "\x89\x07" : "\x48\x8b\x07",
                        executed->instruction->size);
    assert_int_equal(executed->accesses, 1);
    assert_int_equal(access->store, second);
    assert_int_equal(access->size, second ? 4 : 8);
    if (second) assert_int_equal(access->address, UINT64_C(0xFFFFFFFFFF600000));
}

/* More events than a block holds, fewer than all blocks do: nothing empties them meanwhile. */
static void events_arrive(void **state)
{
    (void)state;
    enum { TIMES = 5000 };
    struct stream stream;
    struct spoor_error error = {0};
    static struct assembler assembler;
    const struct selection all = {0};
    size_t executions = 0;
    struct qemu_plugin_tb tb = {{{.pc = 0x400000, .size = 3, .bytes = "\x48\x8b\x07"},
                                 {.pc = 0x400003, .size = 2, .bytes = "\x89\x07"}}};
    assert_int_equal(stream_open(&stream, &error), SPOOR_OK);
    load_plugin(&stream);
    play(&tb, TIMES);
    assert_true(
        assembler_open(&assembler, MACHINE_X86_64, stream.events->instructions, false, &all));
    struct block *block;
    while ((block = stream_next(&stream, 0)) || (block = stream_left_over(&stream))) {
        uint32_t at = 0;
        bool more;
        do {
            more = assembler_feed(&assembler, block, &at);
            for (size_t i = 0; i < assembler.executions.count; i++, executions++)
                check_step(&assembler.executions, i, executions & 1);
            executed_clear(&assembler.executions);
        } while (more);
        stream_return(&stream, block);
    }
    assembler_end(&assembler);
    assert_int_equal(assembler.executions.count, 1);
    assert_false(assembler.executions.executions[0].has_next);
    assert_int_equal(executions + 1, 2 * TIMES);
    assert_true(stream_ended(&stream));
    assert_false(assembler.damaged);
    assembler_close(&assembler);
    stream_close(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_arrive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
