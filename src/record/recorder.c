/* SPDX-License-Identifier: MIT */
/* record/recorder.c: choose a recorder; functions shared by all recorders; that of memory
 * references. */
#include "record/recorder.h"

const struct recorder_kind *recorder_kind_for(const struct spoor_format *format)
{
    if (!spoor_format_writes(format)) return NULL;
    if (spoor_format_fields(format, SPOOR_INSN) && spoor_format_fields(format, SPOOR_REG))
        return &recorder_registers;
    if (spoor_format_fields(format, SPOOR_UOP) & SPOOR_FIELD_BIT(MICRO)) return &recorder_micro_ops;
    if (spoor_format_fields(format, SPOOR_MEM)) return &recorder_memory;
    return NULL;
}

enum spoor_status recorder_open(struct recorder *recorder, const struct spoor_format *format,
                                const struct machine *machine, struct spoor_error *error)
{
    *recorder = (struct recorder){
        .kind = recorder_kind_for(format),
        .machine = machine,
        .stream = {.path = "-", .format = format, .names = spoor_names_new()},
    };
    recorder->stream.spellings = spoor_names_new();
    recorder->batch.stream = &recorder->stream;
    if (!recorder->kind)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s cannot represent a recording: record uop, tarmac, lackey or "
                               "din and convert it",
                               spoor_format_name(format));
    if (!recorder->stream.names || !recorder->stream.spellings)
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return recorder->kind->open ? recorder->kind->open(recorder, error) : SPOOR_OK;
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->kind && recorder->kind->close) recorder->kind->close(recorder);
    spoor_batch_free(&recorder->batch);
    spoor_names_free(recorder->stream.names);
    spoor_names_free(recorder->stream.spellings);
    *recorder = (struct recorder){0};
}

/* ---- memory references ---- */

static void memory_push(struct spoor_batch *batch, enum spoor_mem_op op, uint64_t address,
                        uint16_t size)
{
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_MEM;
    record->op = (uint8_t)op;
    record->has = SPOOR_HAS_VA;
    record->mem.va = address;
    record->mem.size = size;
}

/* A fetch for each instruction, then its loads and stores; a store to the bytes just loaded is
 * merged with the load into one modification. */
static void memory_consume(struct recorder *recorder, struct executions *executions)
{
    const enum machine_id machine = recorder->machine->id;
    const bool joins = machine == MACHINE_X86_64 || machine == MACHINE_I386;
    struct access *accesses = executions->accesses;
    for (size_t i = 0; i < executions->count; i++) {
        const struct executed_instruction *executed = &executions->executions[i];
        memory_push(&recorder->batch, SPOOR_MEM_FETCH, executed->instruction->pc, executed->size);
        size_t count = joins ? 0 : executed->accesses;
        for (size_t at = 0; joins && at < executed->accesses; at++) {
            /* An x86 instruction makes one access of adjacent ones in one direction. */
            struct access *last = count ? &accesses[count - 1] : NULL;
            if (last && last->store == accesses[at].store && last->size >= 8 &&
                last->address + last->size == accesses[at].address)
                last->size = (uint16_t)(last->size + accesses[at].size);
            else
                accesses[count++] = accesses[at];
        }
        for (size_t at = 0; at < count; at++) {
            const struct access *access = &accesses[at], *next = access + 1;
            const bool modifies = at + 1 < count && !access->store && next->store &&
                                  access->address == next->address && access->size == next->size;
            memory_push(&recorder->batch,
                        modifies        ? SPOOR_MEM_MODIFY
                        : access->store ? SPOOR_MEM_WRITE
                                        : SPOOR_MEM_READ,
                        access->address, access->size);
            at += modifies;
        }
        accesses += executed->accesses;
    }
}

const struct recorder_kind recorder_memory = {.what = "memory references",
                                              .consume = memory_consume};

#if !WITH_CAPSTONE
static enum spoor_status micro_ops_refuse(struct recorder *recorder, struct spoor_error *error)
{
    (void)recorder;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "this spoor was built without capstone, which micro-ops need: apt-get "
                           "install libcapstone-dev and build it again");
}

const struct recorder_kind recorder_micro_ops = {.what = "micro-ops", .open = micro_ops_refuse};
#endif
