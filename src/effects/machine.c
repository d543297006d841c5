/* SPDX-License-Identifier: MIT */
/* machine.c: maps the streams' names of registers and processors to ids. */
#include "effects/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/scan.h"
#include "model/cpu_name.h"
#include "model/names.h"
#include "spoor/format.h"

enum { NAMES = 1 << 16 };

bool machine_start(struct machine *machine)
{
    *machine = (struct machine){.registers = spoor_names_new(), .cpus = spoor_names_new()};
    machine->by_name = calloc(NAMES, sizeof *machine->by_name);
    machine->cpu_by_name = calloc(NAMES, sizeof *machine->cpu_by_name);
    if (machine->registers && machine->cpus && machine->by_name && machine->cpu_by_name)
        return true;
    machine_free(machine);
    return false;
}

void machine_free(struct machine *machine)
{
    spoor_names_free(machine->registers);
    spoor_names_free(machine->cpus);
    free(machine->by_name);
    free(machine->cpu_by_name);
    *machine = (struct machine){0};
}

bool machine_counts_bus(const struct spoor_stream *stream)
{
    return !spoor_format_produces(stream->format, SPOOR_MEM) &&
           !spoor_format_produces(stream->format, SPOOR_UOP);
}

void machine_enter(struct machine *machine, const struct spoor_stream *stream)
{
    if (machine->stream) { /* before the first one they are new: most pages are never touched */
        memset(machine->by_name, 0, NAMES * sizeof *machine->by_name);
        memset(machine->cpu_by_name, 0, NAMES * sizeof *machine->cpu_by_name);
    }
    machine->stream = stream;
    machine->stream_names = names_serial(stream->names);
    machine->bus = machine_counts_bus(stream);
}

bool machine_follow(struct machine *machine, const struct spoor_stream *stream)
{
    if (machine->stream == stream && machine->stream_names == names_serial(stream->names))
        return false;
    machine_enter(machine, stream);
    return true;
}

void machine_see(struct machine *machine, const struct spoor_batch *batch)
{
    if (machine->isa_known) return;
    machine->isa = isa_of(batch);
    machine->isa_known = machine->isa != ISA_UNKNOWN;
    /* a batch of titles and comments shows nothing, and where batches end is no part of a trace */
    for (size_t i = 0; i < batch->count && !machine->isa_known; i++)
        machine->isa_known =
            batch->records[i].kind != SPOOR_NOTE && batch->records[i].kind != SPOOR_EVENT;
}

/* ---- processors ---- */

unsigned machine_cpu_count(const struct machine *machine)
{
    const size_t named = spoor_names_count(machine->cpus) - 1;
    return named ? (unsigned)named : 1;
}

unsigned machine_cpu(struct machine *machine, const struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_CPU)) return machine->cpu;
    uint16_t *known = &machine->cpu_by_name[record->cpu];
    if (!*known) {
        size_t size;
        const char *text = spoor_names_text(machine->stream->names, record->cpu, &size);
        if (spoor_names_count(machine->cpus) <= MACHINE_CPUS) {
            *known = spoor_names_intern(machine->cpus, text, size);
        } else {
            *known = MACHINE_CPUS;
        }
        /* a damaged record names none */
        if (*known == SPOOR_NO_NAME || *known > MACHINE_CPUS) *known = MACHINE_CPUS;
    }
    return machine->cpu = *known - 1u;
}

bool machine_out_of_memory(const struct machine *machine)
{
    return names_out_of_memory(machine->cpus) || names_out_of_memory(machine->registers);
}

const char *machine_cpu_name(const struct machine *machine, unsigned cpu)
{
    return spoor_names_text(machine->cpus, (spoor_name)(cpu + 1), NULL);
}

bool machine_cpu_is(const struct machine *machine, unsigned cpu, const char *wanted)
{
    return !wanted || cpu_is_named(machine_cpu_name(machine, cpu), wanted);
}

enum machine_m_mode machine_m_mode(const char *mode)
{
    if (strncmp(mode, "handler", 7) == 0 || strncmp(mode, "hndl", 4) == 0) return MACHINE_HANDLER;
    if (strncmp(mode, "thread", 6) == 0 || strncmp(mode, "thrd", 4) == 0) return MACHINE_THREAD;
    return MACHINE_NOT_M;
}

/* ---- registers ---- */

struct canonical {
    char text[MAX_REGISTER_NAME];
    uint16_t low, bits, widened;
    bool zero;
};

static struct canonical machine_canonical(enum isa isa, const char *text, size_t size)
{
    struct register_name name;
    struct canonical canonical = {0};
    register_canonical(text, size, isa, &name);
    canonical.widened = name.widened;
    canonical.zero = name.zero;
    memcpy(canonical.text, name.text, sizeof canonical.text);
    if (isa != ISA_AARCH32) return canonical;
    if (ascii_begins(name.text, "sp_") || ascii_begins(name.text, "lr_")) /* as r13_svc, r14_svc */
        snprintf(canonical.text, sizeof canonical.text, "%s%.30s",
                 name.text[0] == 's' ? "r13" : "r14", name.text + 2);
    /* A register of the floating-point unit is a part of a q register. */
    static const struct {
        char letter;
        unsigned count, width;
    } kinds[] = {{'s', 32, 32}, {'d', 32, 64}, {'q', 16, 128}};
    uint64_t number;
    const bool numbered = name.text[0] && scan_all_decimal(name.text + 1, &number);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && numbered; i++) {
        if (name.text[0] != kinds[i].letter || number >= kinds[i].count) continue;
        const unsigned per = 128 / kinds[i].width;
        snprintf(canonical.text, sizeof canonical.text, "q%u", (unsigned)number / per);
        canonical.low = (uint16_t)(number % per * kinds[i].width);
        canonical.bits = (uint16_t)kinds[i].width;
    }
    return canonical;
}

static uint8_t machine_role(enum isa isa, const char *text)
{
    switch (isa) {
    case ISA_RISCV:
        return strcmp(text, "x2") == 0   ? ROLE_STACK_POINTER
               : strcmp(text, "x1") == 0 ? ROLE_LINK
                                         : ROLE_NONE;
    case ISA_MIPS:
        return strcmp(text, "r29") == 0   ? ROLE_STACK_POINTER
               : strcmp(text, "r31") == 0 ? ROLE_LINK
                                          : ROLE_NONE;
    case ISA_LOONGARCH:
        return strcmp(text, "r3") == 0   ? ROLE_STACK_POINTER
               : strcmp(text, "r1") == 0 ? ROLE_LINK
                                         : ROLE_NONE;
    case ISA_AARCH64:
    case ISA_AARCH32:
    case ISA_UNKNOWN:
        if (strcmp(text, "sp") == 0 || ascii_begins(text, "sp_el") || strcmp(text, "r13") == 0 ||
            ascii_begins(text, "r13_") || strcmp(text, "rsp") == 0)
            return ROLE_STACK_POINTER;
        if (ascii_begins(text, "msp") || ascii_begins(text, "psp"))
            return ascii_begins(text + 3, "lim") ? ROLE_NONE
                   : text[0] == 'm'              ? ROLE_MAIN_STACK
                                                 : ROLE_PROCESS_STACK;
        if (strcmp(text, "x30") == 0 || strcmp(text, "r14") == 0 || ascii_begins(text, "r14_"))
            return ROLE_LINK;
        return ascii_begins(text, "elr_el") ? ROLE_EXCEPTION_LINK : ROLE_NONE;
    }
    return ROLE_NONE;
}

bool machine_register_points(const char *text, size_t size)
{
    static const enum isa sets[] = {ISA_UNKNOWN, ISA_RISCV, ISA_AARCH64,
                                    ISA_AARCH32, ISA_MIPS,  ISA_LOONGARCH};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (machine_role(sets[i], machine_canonical(sets[i], text, size).text) != ROLE_NONE)
            return true;
    return false;
}

/* True if no instruction writes a part of the register, as of those of vectors and numbers with a
 * point. */
static bool machine_is_whole(const struct canonical *canonical)
{
    const char *text = canonical->text;
    const bool of_file = text[0] && strchr("bdfhpqsvz", text[0]) && ascii_is_digit(text[1]);
    return !of_file && !canonical->low && !canonical->bits && !strstr(text, "mm");
}

static struct machine_register machine_look_up(struct machine *machine, spoor_name name,
                                               spoor_name note)
{
    size_t size, note_size;
    char text[2 * MAX_REGISTER_NAME];
    const struct spoor_names *names = machine->stream->names;
    const char *printed = spoor_names_text(names, name, &size);
    const char *noted = spoor_names_text(names, note, &note_size);
    const struct canonical canonical = machine_canonical(machine->isa, printed, size);
    /* r13 whose note names the stack: "R r13 20000fe0 (MSP)" of Cortex-M0 RTL */
    uint8_t role = machine_role(machine->isa, canonical.text);
    if (role == ROLE_STACK_POINTER && note_size == 5 && ascii_compare_some(noted, "(MSP)", 5) == 0)
        role = ROLE_MAIN_STACK;
    if (role == ROLE_STACK_POINTER && note_size == 5 && ascii_compare_some(noted, "(PSP)", 5) == 0)
        role = ROLE_PROCESS_STACK;
    /* The note may name a bank: "(USR)". */
    static const char *const banks[] = {"usr", "fiq", "irq", "svc", "abt", "und", "mon", "hyp"};
    bool banked = false;
    for (size_t i = 0; note_size == 5 && noted[0] == '(' && i < sizeof banks / sizeof *banks; i++)
        banked |= ascii_compare_some(noted + 1, banks[i], 3) == 0;
    int length = snprintf(text, sizeof text, "%s", canonical.text);
    if (banked)
        length = snprintf(text, sizeof text, "%s_%c%c%c", canonical.text, noted[1] | 0x20,
                          noted[2] | 0x20, noted[3] | 0x20);
    return (struct machine_register){
        .name = spoor_names_intern(machine->registers, text, (size_t)length),
        .low = canonical.low,
        .widened = canonical.widened,
        .known = true,
        .zero = canonical.zero,
        .vector = machine->isa == ISA_RISCV && canonical.text[0] == 'v' &&
                  canonical.text[1] >= '0' && canonical.text[1] <= '9',
        .whole = machine_is_whole(&canonical),
        .role = role,
    };
}

enum { MAX_PARTED = 64 }; /* bytes of a register whose bytes are followed one by one */

struct machine_register machine_register(struct machine *machine, const struct spoor_record *record)
{
    const struct spoor_reg *reg = &record->reg;
    if (reg->note) return machine_look_up(machine, reg->name, reg->note);
    struct machine_register *known = &machine->by_name[reg->name];
    if (!known->known) *known = machine_look_up(machine, reg->name, SPOOR_NO_NAME);
    if (known->vector && !machine->vector_bytes && reg->bits / 8 <= MAX_PARTED)
        machine->vector_bytes = reg->bits / 8U;
    return *known;
}

static spoor_name machine_find_name(const struct spoor_names *names, const char *text)
{
    const size_t count = spoor_names_count(names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(spoor_names_text(names, (spoor_name)i, NULL), text) == 0) return (spoor_name)i;
    return SPOOR_NO_NAME;
}

/* Finds a lane: the element of a vector, v8.s[1] or q4.s[1], or a word of a double, d18[1]. */
static bool machine_find_lane(const struct machine *machine, const char *text,
                              struct machine_part *part)
{
    static const struct {
        const char *text;
        uint16_t bits;
    } sizes[] = {{".b", 8}, {".h", 16}, {".s", 32}, {".d", 64}, {"", 32}};
    char reg[MAX_REGISTER_NAME], index[8];
    const char *open = strchr(text, '[');
    const size_t size = open ? (size_t)(open - text) : 0, left = open ? strlen(open) : 0;
    uint64_t number;
    if (!size || size >= sizeof reg || left < 3 || left > sizeof index || open[left - 1] != ']')
        return false;
    snprintf(index, sizeof index, "%.*s", (int)(left - 2), open + 1);
    if (!scan_all_decimal(index, &number)) return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t suffix = strlen(sizes[i].text);
        if (size <= suffix || strncmp(open - suffix, sizes[i].text, suffix) != 0) continue;
        snprintf(reg, sizeof reg, "%.*s", (int)(size - suffix), text);
        const bool word = !suffix && machine->isa == ISA_AARCH32 && (reg[0] | 0x20) == 'd';
        if (!suffix && !word) return false;
        *part = machine_find_register(machine, reg);
        /* Of RISC-V a register has as many bytes as can be, until a record states them. */
        const char *name = spoor_names_text(machine->registers, part->name, NULL);
        const bool unknown = machine->isa == ISA_RISCV && !machine->vector_bytes &&
                             name[0] == 'v' && name[1] >= '0' && name[1] <= '9';
        const unsigned bytes = unknown ? MAX_PARTED : machine_parted_bytes(machine, part->name);
        const uint64_t within = word ? 64 : 8 * bytes;
        if (!part->name || number >= within / sizes[i].bits) return false;
        part->low = (uint16_t)(part->low + number * sizes[i].bits);
        part->bits = sizes[i].bits;
        return true;
    }
    return false;
}

struct machine_part machine_find_register(const struct machine *machine, const char *text)
{
    struct machine_part lane;
    if (machine_find_lane(machine, text, &lane)) return lane;
    const struct canonical canonical = machine_canonical(machine->isa, text, strlen(text));
    /* The width of a part whose name states it: w0, s3, d3. */
    static const struct {
        char letter;
        uint16_t bits;
    } parts[] = {{'w', 32}, {'b', 8}, {'h', 16}, {'s', 32}, {'d', 64}, {'q', 128}};
    const bool states = machine->isa == ISA_AARCH64 && text[0] && ascii_is_digit(text[1]);
    uint16_t bits = canonical.bits;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && states && !bits; i++)
        if ((text[0] | 0x20) == parts[i].letter) bits = parts[i].bits;
    struct machine_part part = {machine_find_name(machine->registers, canonical.text),
                                canonical.low, bits};
    if (!part.name) /* an older name of the flags */
        part.name = strcmp(canonical.text, "flags") == 0
                        ? machine_find_name(machine->registers, "cpsr")
                        : 0;
    return part;
}

spoor_name machine_uop_register(struct machine *machine, int number)
{
    enum { KNOWN = sizeof machine->uop_names / sizeof *machine->uop_names };
    char text[16];
    if (number < 0) return SPOOR_NO_NAME;
    if (number < KNOWN && machine->uop_names[number]) return machine->uop_names[number];
    const int size = snprintf(text, sizeof text, "r%d", number);
    const spoor_name name = spoor_names_intern(machine->registers, text, (size_t)size);
    if (number < KNOWN) machine->uop_names[number] = name;
    return name;
}

spoor_name machine_uop_flags(struct machine *machine)
{
    if (!machine->uop_flags)
        machine->uop_flags = spoor_names_intern(machine->registers, "flags", 5);
    return machine->uop_flags;
}

const char *machine_register_name(const struct machine *machine, spoor_name name,
                                  char capacity[MACHINE_NAME_SIZE])
{
    static const char *const usual[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                        "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                        "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                        "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    const char *text = spoor_names_text(machine->registers, name, NULL);
    uint64_t number;
    if (machine->isa != ISA_RISCV || text[0] != 'x' || !scan_all_decimal(text + 1, &number) ||
        number > 31)
        return text;
    snprintf(capacity, MACHINE_NAME_SIZE, "%s", usual[number]);
    return capacity;
}

unsigned machine_parted_bytes(const struct machine *machine, spoor_name name)
{
    const char *text = spoor_names_text(machine->registers, name, NULL);
    const char letters[] = {
        [ISA_RISCV] = 'v', [ISA_AARCH64] = 'v', [ISA_AARCH32] = 'q', [ISA_LOONGARCH] = 0};
    uint64_t number;
    if (!letters[machine->isa] || text[0] != letters[machine->isa] ||
        !scan_all_decimal(text + 1, &number))
        return 0;
    return machine->isa == ISA_RISCV ? machine->vector_bytes : 16;
}

const char *machine_part_name(const struct machine *machine, const struct machine_part *part,
                              char capacity[MACHINE_NAME_SIZE])
{
    const unsigned whole = machine_parted_bytes(machine, part->name);
    const unsigned low = part->low / 8u, size = part->bits / 8u;
    if (!whole || !size || (low == 0 && size >= whole))
        return machine_register_name(machine, part->name, capacity);
    const char *text = spoor_names_text(machine->registers, part->name, NULL);
    const unsigned number = (unsigned)strtoul(text + 1, NULL, 10);
    static const char letters[] = "bhsd";
    unsigned log = 0;
    while (1u << log < size) log++;
    if (1u << log != size || low % size)
        snprintf(capacity, MACHINE_NAME_SIZE, "%s.b[%u]+%u", text, low, size);
    else if (machine->isa == ISA_AARCH64 && low == 0)
        snprintf(capacity, MACHINE_NAME_SIZE, "%c%u", letters[log], number);
    else if (machine->isa == ISA_AARCH32 && size == 8)
        snprintf(capacity, MACHINE_NAME_SIZE, "d%u", 2 * number + low / 8);
    else if (machine->isa == ISA_AARCH32 && size == 4 && number < 8)
        snprintf(capacity, MACHINE_NAME_SIZE, "s%u", 4 * number + low / 4);
    else if (machine->isa == ISA_AARCH32 && size == 4)
        snprintf(capacity, MACHINE_NAME_SIZE, "d%u[%u]", 2 * number + low / 8, low / 4 % 2);
    else
        snprintf(capacity, MACHINE_NAME_SIZE, "%s.%c[%u]", text, letters[log], low / size);
    return capacity;
}
