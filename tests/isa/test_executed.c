/* SPDX-License-Identifier: MIT */
/*
 * test_executed.c: each row of the tables of encodings, compared with what its instructions do when
 * QEMU executes them (run_opcodes.c).
 *
 * A register that changes must be one that the row writes, and a register on which anything depends
 * one that it reads.  What a row says must be seen in some execution, too.  Loads, stores and
 * branches likewise.  Rows that a program cannot execute are counted.
 *
 * usage: test_executed COMPILER SOURCE FOLDER scalars|vectors; SPOOR_OPCODES: opcodes of each row
 * (2); SPOOR_WRONG_ROWS: rows are made wrong, too, and those printed of which it is not noticed
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/encoding.h"
#include "isa/operands.h"
#include "isa/run_opcodes.h"
#include "isa/wrong_rows.h"

_Static_assert((int)ISA_REGISTERS <= (int)REGISTERS, "requests and answers have all registers");

/* ---- tables ---- */

struct machine {
    const char *name, *compile, *run;
    enum isa isa;
};
static const struct machine a64 = {"a64", "--target=aarch64-linux-gnu",
                                   "qemu-aarch64 -cpu max,sve=off,sme=off", ISA_AARCH64},
                            arm = {"arm",
                                   "--target=arm-linux-gnueabi -march=armv7-a -marm "
                                   "-mfloat-abi=soft",
                                   "qemu-arm -cpu max", ISA_AARCH32},
                            riscv = {"riscv",
                                     "--target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d "
                                     "-mno-relax",
                                     "qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,zba=true,"
                                     "zbb=true,zbc=true,zbs=true,zbkb=true,zbkc=true,zbkx=true,"
                                     "zknd=true,zkne=true,zknh=true,zksed=true,zksh=true,Zfh=true,"
                                     "Zfhmin=true",
                                     ISA_RISCV};

struct table {
    const struct encoding_table *table;
    const struct machine *machine;
    uint8_t size;
    bool thumb;
    uint32_t mask, match;          /* bits that no row states */
    unsigned executed;             /* rows that QEMU 7.2 executes; later ones execute more */
    const struct isa_vtype *vtype; /* with which vectors are executed; else NULL */
};
/* Elements of 32 bits in groups of one register. */
static const struct isa_vtype words = {.known = true, .sew = 2, .lmul = 0};
enum { VTYPE_OF_WORDS = 2 << 3 };
static struct table tables[] = {
    {&encodings_a64, &a64, 4, false, 0, 0, 160, NULL},
    {&encodings_a32, &arm, 4, false, 0xF0000000, 0xE0000000, 100, NULL},
    {&encodings_a32_always, &arm, 4, false, 0, 0, 55, NULL},
    {&encodings_t32, &arm, 4, true, 0, 0, 145, NULL},
    {&encodings_t32_narrow, &arm, 2, true, 0xFFFF0000, 0, 60, NULL},
    {&encodings_riscv, &riscv, 4, false, 0, 0, 160, NULL},
    {&encodings_riscv_float, &riscv, 4, false, 0, 0, 88, NULL},
    {&encodings_riscv_narrow, &riscv, 2, false, 0xFFFF0000, 0, 38, NULL},
    {&encodings_riscv_vector, &riscv, 4, false, 0, 0, 1, &words},
    {&encodings_riscv_access, &riscv, 4, false, 0, 0, 1, &words},
};

/* Rows of which a program does not see all that they say, and why. */
enum unseen {
    UNSEEN_READS = 1,
    UNSEEN_WRITES = 2,
    UNSEEN_LOAD = 4,
    UNSEEN_STORE = 8,
    UNSEEN_CONTROL = 16, /* of RISC-V's registers vstart, vl, vxsat, fflags, frm */
    SKIPPED = 32
};
static const struct {
    const struct encoding_table *table;
    uint32_t match;
    unsigned unseen;
} exceptions[] = {
    /* a random number: no two executions are alike */
    {&encodings_a64, 0xD53B2400, SKIPPED},
    /* a compare-and-swap stores if the values are equal */
    {&encodings_a64, 0x08207C00, UNSEEN_READS | UNSEEN_STORE},
    {&encodings_a64, 0x08A07C00, UNSEEN_READS | UNSEEN_STORE},
    /* an exclusive store stores if an exclusive load is before it */
    {&encodings_a64, 0x08000000, UNSEEN_READS | UNSEEN_STORE},
    {&encodings_t32, 0xE8400000, UNSEEN_READS | UNSEEN_STORE},
    {&encodings_t32, 0xE8C00040, UNSEEN_READS | UNSEEN_STORE},
    {&encodings_t32, 0xE8C00070, UNSEEN_READS | UNSEEN_STORE},
    {&encodings_riscv, 0x1800202F, UNSEEN_READS | UNSEEN_STORE},
    {&encodings_riscv, 0x1800302F, UNSEEN_READS | UNSEEN_STORE},
    /* codes of authentication, which the values have not */
    {&encodings_a64, 0xD7000000, UNSEEN_READS},
    {&encodings_a64, 0xD7200000, UNSEEN_READS},
    {&encodings_a64, 0xD50320FF, UNSEEN_WRITES},
    /* what is loaded is among the instructions, which stay */
    {&encodings_a64, 0x18000000, UNSEEN_LOAD},
    {&encodings_a64, 0x1C000000, UNSEEN_LOAD},
    {&encodings_t32, 0xF81F0000, UNSEEN_LOAD},
    {&encodings_t32_narrow, 0x4800, UNSEEN_LOAD},
    /* FPSCR is not among the registers */
    {&encodings_a32, 0x0EE00A10, UNSEEN_READS},
    {&encodings_t32, 0x0EE00A10, UNSEEN_READS},
    {&encodings_a32, 0x0EB40A40, UNSEEN_READS},
    {&encodings_a32, 0x0EB50A40, UNSEEN_READS},
    {&encodings_t32, 0x0EB40A40, UNSEEN_READS},
    {&encodings_t32, 0x0EB50A40, UNSEEN_READS},
    /* sg, which QEMU takes for ldrd in a program */
    {&encodings_t32, 0xE97FE97F, SKIPPED},
    /* hlt, of which QEMU takes one for a call of the host */
    {&encodings_t32_narrow, 0xBA80, SKIPPED},
    /* no vl and no vstart are needed, though LLVM says of all that they are; QEMU 7.2 leaves vstart
     * as it was, also in the next two */
    {&encodings_riscv_vector, 0x42002057, UNSEEN_CONTROL},                /* vmv.x.s */
    {&encodings_riscv_vector, 0x42001057, UNSEEN_CONTROL},                /* vfmv.f.s */
    {&encodings_riscv_vector, 0x42006057, UNSEEN_CONTROL},                /* vmv.s.x */
    {&encodings_riscv_vector, 0x42005057, UNSEEN_CONTROL},                /* vfmv.s.f */
    {&encodings_riscv_vector, 0x38004057, UNSEEN_CONTROL | UNSEEN_READS}, /* vslideup */
    {&encodings_riscv_vector, 0x38003057, UNSEEN_CONTROL | UNSEEN_READS},
    /* by more than there are elements, mostly */
    {&encodings_riscv_vector, 0x3C003057, UNSEEN_READS}, /* vslidedown.vi */
    /* only the least numbers saturate */
    {&encodings_riscv_vector, 0x9C000057, UNSEEN_CONTROL}, /* vsmul */
    {&encodings_riscv_vector, 0x9C004057, UNSEEN_CONTROL},
    /* few sums of products are rounded */
    {&encodings_riscv_vector, 0xF0005057, UNSEEN_CONTROL}, /* vfwmacc.vf and its like */
    {&encodings_riscv_vector, 0xF4005057, UNSEEN_CONTROL},
    {&encodings_riscv_vector, 0xF8005057, UNSEEN_CONTROL},
    {&encodings_riscv_vector, 0xFC005057, UNSEEN_CONTROL},
    /* some of these opcodes are unpredictable */
    {&encodings_t32, 0xF810F000, SKIPPED},
    {&encodings_t32, 0xF830F000, SKIPPED},
};

static unsigned unseen_of(const struct table *table, const struct encoding *row)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].table == table->table && exceptions[i].match == row->match)
            return exceptions[i].unseen;
    if (strncmp(row->name, "prefetch", 8) == 0) return UNSEEN_READS;
    /* few elements are equal, or carry; few addresses of many elements are all good */
    if (table->vtype && strcmp(row->writes, "k") == 0) return UNSEEN_READS;
    if (table->vtype && (strstr(row->name, "xseg") || strstr(row->name, "xei")))
        return UNSEEN_READS;
    return strcmp(row->name, "strex") == 0 ? UNSEEN_READS | UNSEEN_STORE : 0;
}

/* ---- opcodes ---- */

static uint64_t seed;

static uint32_t random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

/* True if a free field of a register is 15: what Arm does then is mostly unpredictable.  `any`: but
 * in rows that must have 15 somewhere. */
static bool names_pc(const struct table *table, const struct encoding *row, bool any,
                     uint32_t opcode)
{
    static const uint8_t fields[] = {16, 0, 8, 12};
    if (table->machine->isa != ISA_AARCH32) return false;
    if (table->size == 2) return bits_of(opcode, 3, 4) == 15 && row->does & INDIRECT;
    if (strchr(row->writes, 'u') || strchr(row->reads, 'u'))
        if (bits_of(opcode, 12, 4) == 14) return true; /* the first of two */
    for (unsigned i = 0; i < (any || row->does & PC ? 1 : 4); i++)
        if (bits_of(opcode, fields[i], 4) == 15 && bits_of(row->mask, fields[i], 4) != 15)
            return true;
    return false;
}

/* True for unallocated opcodes of half precision at which QEMU 7.2 aborts, and those beside them;
 * and for conversions of vectors that round towards zero. */
static bool ends_qemu(const struct table *table, uint32_t opcode)
{
    return table->machine->isa == ISA_RISCV
               ? table->size == 4 && (opcode & 0xFC03707F) == 0x48031057
               : table->machine->isa == ISA_AARCH64 && (opcode & 0x8F7E0C00) == 0x0E780800;
}

/* An opcode that this row decides. */
static bool random_opcode(const struct table *table, const struct encoding *row, bool any,
                          uint32_t *opcode)
{
    /* rows that A32 and T32 share leave the highest bits free */
    const uint32_t top = table->thumb && table->size == 4 ? 0xE0000000 & ~row->mask : 0;
    for (unsigned i = 0; i < 2000; i++) {
        *opcode = (random_word() & ~row->mask) | row->match;
        *opcode = (*opcode & ~table->mask) | table->match | top;
        if (top && row->mask >> 28 == 0) *opcode &= ~UINT32_C(0x10000000);
        if (!names_pc(table, row, any, *opcode) && !ends_qemu(table, *opcode) &&
            encoding_table_of(table->machine->isa, table->thumb, *opcode, table->size) ==
                table->table &&
            encoding_find(table->table, *opcode) == row)
            return true;
    }
    return false;
}

/* How many free fields of registers have a number of their own, and none that is no register. */
static unsigned spread_of(const struct table *table, const struct encoding *row, uint32_t opcode)
{
    static const struct fields {
        uint8_t low[4], size, none;
    } a64_fields = {{0, 5, 10, 16}, 5, 31}, arm_fields = {{0, 8, 12, 16}, 4, 15},
      narrow_fields = {{0, 3, 6, 8}, 3, 8}, riscv_fields = {{7, 15, 20, 27}, 5, 0},
      compressed_fields = {{2, 7, 7, 7}, 5, 0};
    const bool is_narrow = table->size == 2;
    const struct fields *fields = &a64_fields;
    if (table->machine->isa == ISA_AARCH32) fields = is_narrow ? &narrow_fields : &arm_fields;
    if (table->machine->isa == ISA_RISCV) fields = is_narrow ? &compressed_fields : &riscv_fields;
    uint32_t had = 0;
    unsigned spread = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t number = bits_of(opcode, fields->low[i], fields->size);
        if (bits_of(row->mask, fields->low[i], fields->size) || number == fields->none ||
            had >> number & 1)
            continue;
        had |= UINT32_C(1) << number;
        spread++;
    }
    return spread;
}

/* Most opcodes name registers that are apart: then each of them is seen. */
static bool spread_opcode(const struct table *table, const struct encoding *row, bool any,
                          unsigned tries, uint32_t *opcode)
{
    unsigned best = 0;
    if (!random_opcode(table, row, any, opcode)) return false;
    best = spread_of(table, row, *opcode);
    for (unsigned i = 0; i < tries; i++) {
        uint32_t other;
        if (!random_opcode(table, row, any, &other)) break;
        const unsigned spread = spread_of(table, row, other);
        if (spread > best) *opcode = other;
        best = spread > best ? spread : best;
    }
    return true;
}

/* ---- executing ---- */

static const char *compiler, *source, *folder;

/* Runs a command of the shell; false if it fails. */
static bool run(const char *format, ...)
{
    char command[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    return system(command) == 0;
}

enum { MAX_REQUESTS = 1 << 16 };
static struct trial {
    unsigned row;
    struct request request;
    struct answer answer;
} trials[MAX_REQUESTS];

static void execute(const struct machine *machine, struct trial *from, size_t count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/opcodes-%s.in", folder, machine->name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++) fwrite(&from[i].request, sizeof from[i].request, 1, file);
    assert_int_equal(fclose(file), 0);
    assert_true(run("%s '%s/opcodes-%s' <'%s' >'%s/opcodes-%s.out'", machine->run, folder,
                    machine->name, path, folder, machine->name));
    snprintf(path, sizeof path, "%s/opcodes-%s.out", folder, machine->name);
    file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(fread(&from[i].answer, sizeof from[i].answer, 1, file), 1);
    fclose(file);
}

static struct isa_operands operands_of(const struct table *table, uint32_t opcode,
                                       struct isa_parts *parts)
{
    struct isa_operands operands;
    assert_true(isa_parts_of(&operands, parts, table->vtype, table->machine->isa, table->thumb,
                             opcode, table->size));
    return operands;
}

/* ---- comparing ---- */

struct row_seen {
    unsigned tried, executed;
    unsigned spread; /* of the opcodes whose registers are counted */
    /* opcodes that are said to do it, and those that were seen to; by place in the operands */
    unsigned said_reads[MAX_ISA_OPERANDS], reads[MAX_ISA_OPERANDS];
    unsigned said_writes[MAX_ISA_OPERANDS], writes[MAX_ISA_OPERANDS];
    bool said_load, load, said_store, store, said_branch, branch;
    bool complete; /* all that was said was seen */
};
enum { MAX_ROWS = 512 };
static struct row_seen seen[MAX_ROWS];
static unsigned failures;
static bool failed[MAX_ROWS];

static bool quiet; /* more opcodes may show it */

static void fail_row(const struct table *table, const struct encoding *row, uint32_t opcode,
                     const char *what, unsigned which)
{
    failures++;
    failed[row - table->table->rows] = true;
    if (quiet) return;
    print_error("row %08x/%08x %s%s%s: opcode %08x %s %u\n", row->mask, row->match, row->name,
                *row->reads ? " reads " : "", row->reads, opcode, what, which);
}

/* True if a register keeps what the instruction does not write of it: flags, bits that are only
 * set, parts of registers.  This is no source that a row states. */
static bool keeps_rest(const struct isa_operands *operands, const struct isa_parts *parts,
                       unsigned reg)
{
    for (unsigned i = 0; i < operands->write_count; i++)
        if (operands->writes[i] == reg)
            return reg >= ISA_FLAGS || parts->writes[i].size || parts->writes[i].kept;
    return false;
}

/* True for vtype of a move of whole registers, which alone says what vstart counts. */
static bool counts_elements(const struct encoding *row, unsigned reg)
{
    return reg == ISA_VTYPE && strncmp(row->name, "vmv", 3) == 0 && strstr(row->name, "r.v");
}

static bool is_read_twice(const struct isa_operands *operands, unsigned operand)
{
    unsigned times = 0;
    for (unsigned i = 0; i < operands->read_count; i++)
        times += operands->reads[i] == operands->reads[operand];
    return times > 1;
}

static void compare_trial(const struct table *table, const struct trial *trial)
{
    const uint32_t opcode = trial->request.opcode;
    const struct answer *answer = &trial->answer;
    const struct encoding *row = &table->table->rows[trial->row];
    struct row_seen *of = &seen[trial->row];
    struct isa_parts parts;
    const struct isa_operands operands = operands_of(table, opcode, &parts);
    bool writes[REGISTERS] = {false};
    of->tried++;
    if (answer->executed == 0) return;
    of->executed++;
    /* where registers are equal, or are none, another operand may be the one that is seen */
    const unsigned spread = spread_of(table, row, opcode);
    const bool apart = spread >= of->spread;
    if (spread > of->spread) {
        memset(of->said_reads, 0, sizeof of->said_reads);
        memset(of->reads, 0, sizeof of->reads);
        memset(of->said_writes, 0, sizeof of->said_writes);
        memset(of->writes, 0, sizeof of->writes);
        of->spread = spread;
    }
    const bool control = !(unseen_of(table, row) & UNSEEN_CONTROL);
    for (unsigned i = 0; apart && i < operands.read_count; i++) {
        if (is_read_twice(&operands, i)) continue;
        if (!control && operands.reads[i] >= ISA_RISCV_CSR) continue;
        of->said_reads[i]++;
        of->reads[i] += answer->reads[operands.reads[i]];
    }
    for (unsigned i = 0; i < operands.write_count; i++) {
        writes[operands.writes[i]] = true;
        if (!apart || (!control && operands.writes[i] >= ISA_RISCV_CSR)) continue;
        of->said_writes[i]++;
        of->writes[i] += answer->writes[operands.writes[i]];
    }
    for (unsigned reg = 0; reg < REGISTERS; reg++) {
        if (answer->writes[reg] && !writes[reg])
            fail_row(table, row, opcode, "writes register", reg);
        const bool reads =
            keeps_rest(&operands, &parts, reg) ? answer->uses[reg] : answer->reads[reg];
        if (reads && !trial->request.reads[reg] && !counts_elements(row, reg))
            fail_row(table, row, opcode, "reads register", reg);
    }
    if (answer->loads && !operands.load) fail_row(table, row, opcode, "loads", 0);
    if (answer->stores && !operands.store && !operands.load)
        fail_row(table, row, opcode, "stores", 0);
    if (answer->jumps && !operands.branch) fail_row(table, row, opcode, "jumps", 0);
    of->said_load |= operands.load;
    of->load |= answer->loads;
    of->said_store |= operands.store;
    of->store |= answer->stores;
    of->said_branch |= operands.branch;
    of->branch |= answer->jumps;
}

/* Finds what was said and never seen; true if there is none.  Operands of fewer than `few` opcodes
 * do not count: letters of a row may depend on a bit. */
static bool judge_row(const struct table *table, unsigned number, unsigned few)
{
    const struct encoding *row = &table->table->rows[number];
    const struct row_seen *of = &seen[number];
    const unsigned unseen = unseen_of(table, row), before = failures;
    for (unsigned i = 0; i < MAX_ISA_OPERANDS; i++) {
        if (of->said_reads[i] >= few && !of->reads[i] && !(unseen & UNSEEN_READS))
            fail_row(table, row, 0, "is never seen to read its operand", i);
        if (of->said_writes[i] >= few && !of->writes[i] && !(unseen & UNSEEN_WRITES))
            fail_row(table, row, 0, "is never seen to write its operand", i);
    }
    if (of->said_load && !of->load && !(unseen & UNSEEN_LOAD))
        fail_row(table, row, 0, "is never seen to load", 0);
    if (of->said_store && !of->store && !(unseen & UNSEEN_STORE))
        fail_row(table, row, 0, "is never seen to store", 0);
    if (of->said_branch && !of->branch) fail_row(table, row, 0, "is never seen to jump", 0);
    return failures == before;
}

/* Adds trials of a row. */
static size_t add_trials(const struct table *table, unsigned row, unsigned wanted, bool any,
                         size_t count)
{
    for (unsigned i = 0; i < wanted && count < MAX_REQUESTS; i++) {
        struct trial *trial = &trials[count];
        uint32_t opcode;
        struct isa_parts parts;
        /* one of four as it comes: registers may be equal */
        if (!spread_opcode(table, &table->table->rows[row], any, i % 4 == 3 ? 0 : 8, &opcode))
            break;
        *trial = (struct trial){.row = row,
                                .request = {.opcode = opcode,
                                            .size = table->size,
                                            .thumb = table->thumb,
                                            .states = 8,
                                            .vector = table->vtype != NULL,
                                            .vtype = VTYPE_OF_WORDS}};
        const struct isa_operands operands = operands_of(table, opcode, &parts);
        for (unsigned k = 0; k < operands.read_count; k++)
            trial->request.reads[operands.reads[k]] = 1;
        count++;
    }
    return count;
}

static unsigned opcodes_of_row(void)
{
    const char *const given = getenv("SPOOR_OPCODES");
    return given ? (unsigned)atoi(given) : 2;
}

static unsigned count_rows(const struct table *table)
{
    unsigned rows = 0;
    while (table->table->rows[rows].mask) rows++;
    assert_true(rows <= MAX_ROWS);
    return rows;
}

enum { FEW = 16 };

/* Executes opcodes of rows, of some only or of all (NULL), and finds those that fail. */
static void execute_table(const struct table *table, unsigned rows, const bool *only, bool silent)
{
    const unsigned wanted = opcodes_of_row();
    memset(seen, 0, sizeof seen);
    memset(failed, 0, sizeof failed);
    seed = 88172645463325252;
    failures = 0;
    quiet = silent;
    /* most opcodes of some rows are not allowed, and some effects are rare: more opcodes of these
     */
    for (unsigned round = 0; round < 6; round++) {
        size_t count = 0;
        for (unsigned i = 0; i < rows; i++) {
            const struct encoding *row = &table->table->rows[i];
            if (round > 3 && (seen[i].executed == 0 || seen[i].executed >= 2 * FEW)) continue;
            if (row->name && (!only || only[i]) && !(row->does & (EXCEPTION | GUARDS)) &&
                !seen[i].complete && !(unseen_of(table, row) & SKIPPED))
                count = add_trials(table, i,
                                   round > 3 ? 400
                                   : round   ? wanted / 2 << 2 * round
                                             : wanted,
                                   !table->thumb && round > 1 && !seen[i].executed, count);
        }
        execute(table->machine, trials, count);
        for (size_t i = 0; i < count; i++) compare_trial(table, &trials[i]);
        for (unsigned i = 0; i < rows; i++) {
            const unsigned before = failures;
            const bool was = failed[i];
            quiet = true;
            seen[i].complete = seen[i].executed >= wanted && judge_row(table, i, 1);
            quiet = silent;
            failures = before;
            failed[i] = was;
        }
    }
    for (unsigned i = 0; i < rows; i++)
        if (seen[i].executed) judge_row(table, i, FEW);
}

static void prepare_machine(const struct table *table)
{
    if (!run("command -v %s >/dev/null && command -v %.12s >/dev/null", compiler,
             table->machine->run)) {
        print_message("skipped: needs clang, lld and qemu-user\n");
        skip();
    }
    assert_true(run("%s %s -O1 -ffreestanding -fno-stack-protector -fno-pic -nostdlib -static "
                    "-fuse-ld=lld -Wl,--image-base=0x11000000 '%s' -o '%s/opcodes-%s'",
                    compiler, table->machine->compile, source, folder, table->machine->name));
}

/* ---- wrong rows ---- */

/* Makes all rows wrong in one way at a time.  Rows are independent: each must fail. */
static void make_rows_wrong(const struct table *table, unsigned rows)
{
    static struct encoding right[MAX_ROWS];
    static bool executed[MAX_ROWS];
    unsigned made = 0, noticed = 0;
    memcpy(right, table->table->rows, rows * sizeof *right);
    for (unsigned i = 0; i < rows; i++) executed[i] = seen[i].executed > 0;
    for (unsigned wrong = 0; wrong < WRONGS; wrong++) {
        static bool is_wrong[MAX_ROWS];
        for (unsigned i = 0; i < rows; i++) {
            struct encoding row = right[i];
            is_wrong[i] = executed[i] && wrong_rows_make(&row, wrong);
            if (is_wrong[i]) assert_true(wrong_rows_put(table->table, i, &row));
        }
        execute_table(table, rows, is_wrong, true);
        for (unsigned i = 0; i < rows; i++) {
            const struct encoding *row = &table->table->rows[i];
            if (!is_wrong[i]) continue;
            made++;
            noticed += failed[i];
            if (!failed[i])
                print_message("not noticed: %08x/%08x %s reads '%s' ('%s'), writes '%s' ('%s'), "
                              "does %" PRIx64 " (%" PRIx64 ")\n",
                              row->mask, row->match, row->name, row->reads, right[i].reads,
                              row->writes, right[i].writes, row->does, right[i].does);
        }
        for (unsigned i = 0; i < rows; i++)
            if (is_wrong[i]) wrong_rows_put(table->table, i, &right[i]);
    }
    print_message("%u of %u wrong rows noticed\n", noticed, made);
}

static void check_table(void **state)
{
    const struct table *table = *state;
    const unsigned rows = count_rows(table);
    unsigned executed = 0;
    prepare_machine(table);
    execute_table(table, rows, NULL, false);
    for (unsigned i = 0; i < rows; i++) {
        executed += seen[i].executed > 0;
        if (seen[i].tried && !seen[i].executed && getenv("SPOOR_OPCODES"))
            print_message("not executed: %08x/%08x %s\n", table->table->rows[i].mask,
                          table->table->rows[i].match, table->table->rows[i].name);
    }
    print_message("%u of %u rows executed\n", executed, rows);
    assert_int_equal(failures, 0);
    assert_true(executed >= table->executed);
    if (getenv("SPOOR_WRONG_ROWS")) make_rows_wrong(table, rows);
}

int main(int argc, char **argv)
{
    enum { TABLES = sizeof tables / sizeof *tables };
    static const char *const names[TABLES] = {"A64",
                                              "A32",
                                              "A32, always",
                                              "T32",
                                              "T32, 16 bits",
                                              "RISC-V",
                                              "RISC-V, floating-point",
                                              "RISC-V, 16 bits",
                                              "RISC-V, vectors",
                                              "RISC-V, accesses of vectors"};
    struct CMUnitTest tests[TABLES];
    size_t count = 0;
    if (argc != 5) return 2;
    const bool vectors = strcmp(argv[4], "vectors") == 0;
    compiler = argv[1];
    source = argv[2];
    folder = argv[3];
    for (unsigned i = 0; i < TABLES; i++)
        if ((tables[i].vtype != NULL) == vectors)
            tests[count++] = (struct CMUnitTest){names[i], check_table, NULL, NULL, &tables[i]};
    return _cmocka_run_group_tests("executed", tests, count, NULL, NULL);
}
