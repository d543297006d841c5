/* SPDX-License-Identifier: MIT */
/*
 * encode.c: the fuzz target of the encoders of packets (FUZZ_ENCODE).  After ten bytes of options
 * and one of how many bytes are code, from address 0 on, the rest chooses a way through that code:
 * where branches and jumps go, traps, gaps.  Whatever it is, the packets lead along the same
 * instructions, and none is lost.
 */
#include <string.h>

#include "formats/format.h"
#include "fuzz/fuzz.h"
#include "isa/riscv_jump.h"
#include "spoor/annotate.h"
#include "spoor/spoor.h"
#include "support/trace.h"

enum { OPTIONS = 10, MOST = 1 << 12, MOST_FOUND = 1 << 13 };

struct run {
    const uint8_t *code;
    size_t size;
    struct spoor_program_insn insn;
    struct spoor_record records[2 * MOST]; /* of the run */
    size_t record_count;
    size_t ended;                           /* of the records: a part of the run was ended there */
    uint64_t want[MOST], found[MOST_FOUND]; /* addresses */
    size_t want_count, found_count;
    bool out_of_memory;
};

/* The instruction at an address; false: there is none. */
static bool code_at(const struct run *run, uint64_t pc, struct spoor_program_insn *insn)
{
    const size_t left = pc < run->size ? run->size - (size_t)pc : 0;
    const struct spoor_code_bytes bytes = {pc, run->code + run->size - left, left < 8 ? left : 8,
                                           SPOOR_CODE_RISCV};
    return left && spoor_code_decode(&bytes, insn) && insn->size;
}

static const struct spoor_program_insn *find(void *context, uint64_t pc)
{
    struct run *run = context;
    return code_at(run, pc, &run->insn) ? &run->insn : NULL;
}

static void add_insn(void *context, uint64_t pc)
{
    struct run *run = context;
    DEMAND(run->found_count < MOST_FOUND, "more instructions than ran");
    run->found[run->found_count++] = pc;
}

static void add_flow(void *context, uint64_t pc, unsigned type, bool taken, const uint64_t *target)
{
    (void)context, (void)pc, (void)type, (void)taken, (void)target;
}

static void add_event(void *context, const struct spoor_record *event, const char *name,
                      const char *text)
{
    const struct run *run = context;
    (void)name;
    DEMAND(event->op != SPOOR_EVENT_LOST, "lost at %zu: %s", run->found_count, text);
}

/* ---- the run ---- */

static void run_add_insn(struct run *run, uint64_t pc, const struct spoor_program_insn *insn,
                         bool after_gap)
{
    run->records[run->record_count++] = (struct spoor_record){
        .kind = SPOOR_INSN,
        .op = SPOOR_INSN_TAKEN,
        .time = run->record_count,
        .has = (uint16_t)(SPOOR_HAS_VA | SPOOR_HAS_DATA | SPOOR_HAS_TIME |
                          (after_gap ? SPOOR_AFTER_GAP : 0)),
        .insn = {.va = pc, .opcode = insn->opcode, .opcode_size = insn->size}};
    run->want[run->want_count++] = pc;
}

/* Traps of which the trace knows the return address, so that the way to them is known. */
static void run_add_trap(struct run *run, uint64_t epc, unsigned cause)
{
    run->records[run->record_count++] =
        (struct spoor_record){.kind = SPOOR_EVENT,
                              .op = SPOOR_EVENT_EXCEPTION,
                              .has = SPOOR_HAS_VA | SPOOR_HAS_INDEX,
                              .event = {.value = epc, .number = cause}};
}

/* Ends a part of the run: of a last branch nothing says whether it was taken, but a trap after it.
 */
static void run_end_part(struct run *run)
{
    struct spoor_program_insn insn;
    if (run->record_count == run->ended) return;
    run->ended = run->record_count;
    if (run->record_count && run->records[run->record_count - 1].kind == SPOOR_EVENT) return;
    if (run->want_count && code_at(run, run->want[run->want_count - 1], &insn) && insn.branches &&
        (insn.branch_type & SPOOR_BRANCH_CONDITIONAL))
        run->want_count--;
}

/* True of an instruction that traps, so that another one after it than the next says so. */
static bool insn_calls(const struct spoor_program_insn *insn)
{
    return insn->opcode == 0x73 || insn->opcode == 0x100073 || insn->opcode == 0x9002;
}

static void run_make(struct run *run, const uint8_t *choices, size_t size)
{
    struct spoor_program_insn insn;
    uint64_t pc = 0;
    struct riscv_constant loaded = {.known = false};
    bool gap = false;
    for (size_t at = 0; at < size && run->want_count < MOST;) {
        if (!code_at(run, pc, &insn)) { /* from an address where there is some */
            if (!gap) run_end_part(run);
            gap = true;
            loaded.known = false;
            pc = run->size ? (uint64_t)choices[at++] * 2 % run->size : 0;
            if (!run->size) return;
            continue;
        }
        run_add_insn(run, pc, &insn, gap);
        gap = false;
        uint64_t next = pc + insn.size;
        const struct riscv_constant constant = loaded;
        loaded = riscv_constant_of(pc, insn.opcode, insn.size);
        if (insn.branches) {
            const uint8_t choice = choices[at++];
            const bool indirect = insn.branch_type & SPOOR_BRANCH_INDIRECT;
            const bool taken = !(insn.branch_type & SPOOR_BRANCH_CONDITIONAL) || choice & 1;
            const struct riscv_jump jump = riscv_jump_of(insn.opcode, insn.size);
            if (indirect && jump.indirect && jump.base == 0)
                next = riscv_jump_target(&jump, 0);
            else if (indirect && constant.known && jump.indirect && constant.reg == jump.base)
                next = riscv_jump_target(&jump, constant.value);
            else if (indirect)
                next = (uint64_t)choice * 2;
            else if (taken)
                next = insn.target;
            if (at < size && choice > 0xF0 && !insn_calls(&insn)) { /* a trap, at the next one */
                const bool itself = next == pc;
                if (!itself && code_at(run, next, &insn)) {
                    run_add_trap(run, next, choice & 15);
                    next = (uint64_t)choices[at++] * 2;
                    loaded.known = false;
                    if (!code_at(run, next, &insn)) return;
                }
            }
        } else if (insn_calls(&insn) && !code_at(run, next, &insn)) {
            return;
        } else {
            at += run->want_count % 16 == 0;
        }
        pc = next;
    }
}

static void run_follow(struct run *run, const struct spoor_format *format, const char *dialect,
                       const struct text *stream)
{
    const struct packet_sink sink = {.context = run,
                                     .code = find,
                                     .insn = add_insn,
                                     .flow = add_flow,
                                     .event = add_event,
                                     .out_of_memory = &run->out_of_memory};
    const struct spoor_decode_options options = {.dialect = dialect};
    struct trace trace;
    trace_decode_with(&trace, format, stream->bytes, stream->size, &options);
    void *way = format->packets->open();
    DEMAND(way, "memory");
    for (size_t i = 0; i < trace.batch.count; i++)
        while (format->packets->follow(way, &trace.batch, i, &sink)) continue;
    format->packets->close(way);
    trace_free(&trace);
}

static void encode(struct run *run, const struct spoor_format *format, const char *keys,
                   const char *dialect)
{
    static const struct spoor_format source = {.name = "run", .time_unit = ""};
    struct spoor_names *names = spoor_names_new();
    const struct spoor_stream stream = {.format = &source, .names = names};
    const struct spoor_batch batch = {
        .stream = &stream, .records = run->records, .count = run->record_count};
    struct encoder encoder = {.format = format, .options = {.encoder = keys}};
    struct text out = {0};
    DEMAND(names && format->configure(&encoder, NULL) == SPOOR_OK, "%s", keys);
    format->write(&encoder, &batch, 0, batch.count, &out);
    format->end(&encoder, &out);
    DEMAND(!out.failed, "memory");
    run_follow(run, format, dialect, &out);
    text_free(&out);
    spoor_names_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const bool nexus = strcmp(FUZZ_ENCODE, "n-trace") == 0;
    char keys[300], dialect[200];
    if (size < OPTIONS + 2) return 0;
    const uint8_t *o = bytes;
    const size_t code = (size - OPTIONS - 1) * bytes[OPTIONS] / 255;
    static struct run all; /* of which little is used: not cleared as a whole */
    struct run *run = &all;
    run->record_count = run->ended = run->want_count = run->found_count = 0;
    run->code = bytes + OPTIONS + 1;
    run->size = (code < 512 ? code : 512) & ~(size_t)1;
    run_make(run, run->code + code, size - OPTIONS - 1 - code);
    run_end_part(run);
    snprintf(dialect, sizeof dialect,
             "iaddress_width=%d,iaddress_lsb=%d,return_stack_size=%d,bpred_size=%d,cache_size=%d,"
             "sijump=%d,time_width=%d",
             o[0] & 1 ? 64 : 32, o[0] >> 1 & 1, o[1] % 4, o[2] % 5, o[3] % 5, o[4] & 1,
             o[5] & 1 ? 20 : 0);
    if (nexus)
        snprintf(keys, sizeof keys,
                 "history=%d,repeats=%d,returns=%d,sijump=%d,sync=%d,time=%d,source=%d", o[0] & 1,
                 o[1] & 1, o[2] % 33, o[3] & 1, o[4], o[5] & 1, o[6] % 13);
    else
        snprintf(keys, sizeof keys, "%s,full=%d,resync=%d", dialect, o[6] & 1, o[7]);
    if (nexus) snprintf(dialect, sizeof dialect, "src%d", o[6] % 13);
    encode(run, spoor_format_find(FUZZ_ENCODE), keys, nexus && o[6] % 13 == 0 ? NULL : dialect);
    for (size_t i = 0; i < run->want_count && i < run->found_count; i++)
        DEMAND(run->want[i] == run->found[i], "instruction %zu: %llx, not %llx", i,
               (unsigned long long)run->found[i], (unsigned long long)run->want[i]);
    DEMAND(run->want_count == run->found_count, "%zu instructions, not %zu", run->found_count,
           run->want_count);
    return 0;
}
