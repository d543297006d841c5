/* SPDX-License-Identifier: MIT */
/*
 * disasm.c: the rule that an instruction's disassembly is that of its opcode.
 *
 * No disassembler writes as another does, so three parts are compared that all of them print: the
 * registers, the mnemonic, and a number that is alone (the last two: RISC-V).  Each part reports
 * only if the trace agrees elsewhere (trust.h).
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/scan.h"
#include "check/rule.h"
#include "check/trust.h"
#include "isa/opcode.h"
#include "isa/operands.h"
#include "isa/riscv_zc.h"

enum {
    A32_IMPLIED = 1 << 13 | 1 << 14 | 1 << 15,
    LINK_RISCV = 1 << 1,
    SP_RISCV = 1 << 2,
    LINK_A64 = 1 << 30
};
#define SP_A64 (UINT32_C(1) << ISA_STACK_POINTER_A64)

/* A set of the cache is half a cache line.  Random tests of RISC-V have 20,000 instructions. */
enum { SETS = 1 << 12, WAYS = 8 };
struct disassemblies {
    enum isa isa;
    uint64_t asked; /* 1 + the first record of the batch that was asked for it last */
    struct trust registers, mnemonics, numbers;
    /* Parts of the hashes of instructions (RISC-V: at their pcs) that agree, which are odd; of
     * those of Arm that do not, one less; 0: empty. */
    uint32_t right[SETS][WAYS];
    uint8_t victim; /* the way that is replaced next */
};

/* What a disassembly states. */
struct statement_counts {
    struct scan mnemonic;
    uint32_t registers; /* bit i: integer register i */
    unsigned numbers;   /* how many */
    uint64_t number;    /* the last one, */
    uint64_t as_hex;    /* and as if it had 0x before it, as addresses may lack it */
    bool operands;      /* there is more than the mnemonic */
};

/* ---- the text ---- */

static bool disasm_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static struct scan disasm_next_word(struct scan *rest)
{
    while (!scan_done(rest) && !disasm_is_word(*rest->at)) rest->at++;
    struct scan word = {rest->at, rest->at};
    while (!scan_done(rest) && disasm_is_word(*rest->at)) rest->at++;
    word.end = rest->at;
    return word;
}

static void disasm_read_text(struct statement_counts *stated, const char *text, size_t size,
                             enum isa isa)
{
    /* The text without a comment. */
    const char hash = isa == ISA_RISCV ? '#' : ';';
    size_t end = 0;
    while (end < size && text[end] != ';' && text[end] != '<' && text[end] != hash && text[end] &&
           !(text[end] == '/' && end + 1 < size && text[end + 1] == '/'))
        end++;
    struct scan rest = (struct scan){text, text + end};
    int last = -1;
    *stated = (struct statement_counts){.mnemonic = disasm_next_word(&rest)};
    stated->operands = rest.end - rest.at > 1;
    while (!scan_done(&rest)) {
        const struct scan word = disasm_next_word(&rest);
        if (scan_done(&word)) break;
        const bool dash = word.at[-1] == '-'; /* a minus sign, or a range of registers: {r4-r7} */
        /* The number of an integer register; -1: the word names none. */
        struct register_name name;
        register_canonical(word.at, (size_t)(word.end - word.at), isa, &name);
        const int named = isa_register_number(isa, &name);
        const int reg = named < ISA_VECTOR ? named : -1;
        uint64_t number = 0, as_hex = 0;
        struct scan digits = word;
        const bool prefix = SCAN_LITERAL(&digits, "0x");
        struct scan decimal = digits;
        if (isdigit((unsigned char)*word.at) && scan_hex(&digits, &as_hex, NULL, NULL) &&
            scan_done(&digits)) {
            if (prefix || !scan_decimal(&decimal, &number) || !scan_done(&decimal)) number = as_hex;
            stated->numbers++;
            stated->as_hex = as_hex;
            stated->number = dash ? -number : number;
        }
        for (int i = dash && last >= 0 ? last : reg; reg >= 0 && i <= reg; i++)
            stated->registers |= UINT32_C(1) << i;
        last = reg;
    }
}

/* Abbreviations of the assembler, and the instructions that they are. */
static const char *const abbreviations[][2] = {
    {"nop", "addi"},     {"mv", "addi"},    {"not", "xori"},  {"neg", "sub"},   {"negw", "subw"},
    {"sext.w", "addiw"}, {"seqz", "sltiu"}, {"snez", "sltu"}, {"sltz", "slt"},  {"sgtz", "slt"},
    {"beqz", "beq"},     {"bnez", "bne"},   {"blez", "bge"},  {"bgez", "bge"},  {"bltz", "blt"},
    {"bgtz", "blt"},     {"bgt", "blt"},    {"ble", "bge"},   {"bgtu", "bltu"}, {"bleu", "bgeu"},
    {"j", "jal"},        {"li", "addi"},    {"jr", "jalr"},   {"ret", "jalr"},  {"zext.b", "andi"},
};

static bool disasm_is(const struct scan *word, const char *text)
{
    const size_t size = (size_t)(word->end - word->at);
    return size > 0 && *word->at == *text && strlen(text) == size &&
           memcmp(word->at, text, size) == 0;
}

/* The mnemonics whose instruction is known: those above, and those of the base set. */
static const char *disasm_instruction(const struct scan *mnemonic)
{
    static const char *const same[] = {
        "lui",  "auipc", "jal",   "jalr", "beq",  "bne",   "blt",   "bge",  "bltu", "bgeu", "lb",
        "lh",   "lw",    "ld",    "lbu",  "lhu",  "lwu",   "sb",    "sh",   "sw",   "sd",   "addi",
        "slti", "sltiu", "xori",  "ori",  "andi", "slli",  "srli",  "srai", "add",  "sub",  "sll",
        "slt",  "sltu",  "xor",   "srl",  "sra",  "or",    "and",   "mul",  "mulh", "div",  "divu",
        "rem",  "remu",  "addiw", "addw", "subw", "mulhu", "mulhsu"};
    for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++)
        if (disasm_is(mnemonic, abbreviations[i][0])) return abbreviations[i][1];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (disasm_is(mnemonic, same[i])) return same[i];
    return NULL;
}

/* True if the number is one that the opcode has; *asked: it has one. */
static bool disasm_number_fits(const struct spoor_insn *insn, const struct statement_counts *stated,
                               bool *asked)
{
    enum {
        LUI = 0x37,
        AUIPC = 0x17,
        JAL = 0x6F,
        JALR = 0x67,
        BRANCH = 0x63,
        LOAD = 0x03,
        STORE = 0x23,
        OP_IMM = 0x13,
        OP_IMM_32 = 0x1B,
        SHIFTS = 1
    };
    const uint64_t opcode = insn->opcode, number = stated->number;
    const unsigned function = (unsigned)(opcode >> 12) & 7;
    const uint64_t i_type = (uint64_t)((int64_t)(opcode << 32) >> 52);
    const uint64_t s_type = (i_type & ~UINT64_C(31)) | (opcode >> 7 & 31);
    *asked = true;
    switch (opcode & 0x7F) {
    case LUI:
    case AUIPC: return (number & 0xFFFFF) == opcode >> 12;
    case JALR:
    case LOAD: return number == i_type;
    case STORE: return number == s_type;
    case OP_IMM_32:
    case OP_IMM:
        if ((function & 3) == SHIFTS) return number == (i_type & 63);
        return number == i_type || number == (i_type & 0xFFF);
    case JAL:
    case BRANCH: {
        const struct opcode to = opcode_riscv(insn->va, (uint32_t)opcode, insn->opcode_size);
        const uint64_t ahead = to.target - insn->va;
        return number == to.target || number == ahead || number == -ahead ||
               (uint32_t)stated->as_hex == (uint32_t)to.target;
    }
    default: *asked = false; return true;
    }
}

/* ---- the rule ---- */

static void disasm_report(struct context *context, const struct scan *text, const char *what)
{
    const struct spoor_insn *insn = &context->record->insn;
    context_found(context, "'%.*s'", (int)(text->end - text->at), text->at);
    context_expected(context, "the %s of opcode %0*" PRIx64, what, 2 * insn->opcode_size,
                     insn->opcode);
}

/* An instruction that agrees: its set of the cache, and its entry in it. */
struct agreement {
    uint32_t set, entry;
};

/* The mnemonic and the number of a RISC-V instruction of 4 bytes; true: one is reported. */
static bool disasm_check_riscv(struct context *context, const struct statement_counts *stated,
                               const struct isa_operands *operands, const struct scan *text)
{
    struct disassemblies *state = context->state;
    const struct spoor_insn *insn = &context->record->insn;
    bool asked = false;
    if (insn->opcode_size != 4) return false;
    const char *name = disasm_instruction(&stated->mnemonic);
    const struct scan called = {operands->name, operands->name + strlen(operands->name)};
    if (disasm_instruction(&called) &&
        trust_evaluate(&state->mnemonics, name && strcmp(name, operands->name) == 0)) {
        disasm_report(context, text, "mnemonic");
        return true;
    }
    const bool lacks = stated->numbers == 0 && disasm_is(&stated->mnemonic, operands->name);
    if (stated->numbers != 1 && !lacks) return false;
    const bool fits = disasm_number_fits(insn, stated, &asked) && !lacks;
    if (!asked || !trust_evaluate(&state->numbers, fits)) return false;
    disasm_report(context, text, "number");
    return true;
}

/* Examines an instruction that is not known to agree. */
static void disasm_examine(struct context *context, struct agreement agreement)
{
    struct disassemblies *state = context->state;
    const struct spoor_insn *insn = &context->record->insn;
    struct isa_operands operands;
    struct statement_counts stated;
    /* The entry as it is or less one; else one to be replaced. */
    uint32_t *set = state->right[agreement.set], *right = NULL;
    for (unsigned way = 0; way < WAYS && !right; way++)
        if ((set[way] | 1) == agreement.entry) right = &set[way];
    if (!right) right = &set[state->victim++ % WAYS];
    const char *bytes = spoor_batch_bytes(context->batch, insn->disasm);
    const struct scan text = {bytes, bytes + insn->disasm.size};
    if (*right == agreement.entry - 1) {
        if (trust_evaluate(&state->registers, false)) disasm_report(context, &text, "registers");
        return;
    }
    const enum isa isa = isa_of_instruction(state->isa, insn->iset);
    *right = agreement.entry; /* until it is found to disagree */
    const bool is_zc = insn->disasm.size > 3 && memcmp(bytes, "cm.", 3) == 0;
    const bool shared = isa == ISA_RISCV && riscv_zc_shares(insn->opcode, insn->opcode_size);
    if (shared && is_zc) return; /* its list of registers is not read */
    /* of RV32, whose opcodes of RV64 are c.addiw's */
    if (insn->disasm.size > 5 && memcmp(bytes, "c.jal ", 6) == 0) return;
    if (!isa_operands_of(&operands, isa, insn->iset == 'T',
                         insn->opcode | (shared ? RISCV_FSDSP : 0), insn->opcode_size))
        return;
    disasm_read_text(&stated, bytes, insn->disasm.size, isa);
    if (!stated.operands) return;
    if (isa == ISA_RISCV && disasm_check_riscv(context, &stated, &operands, &text)) {
        *right = 0;
        return;
    }
    uint32_t registers = 0;
    for (unsigned i = 0; i < operands.read_count; i++)
        if (operands.reads[i] < ISA_VECTOR) registers |= UINT32_C(1) << operands.reads[i];
    for (unsigned i = 0; i < operands.write_count; i++)
        if (operands.writes[i] < ISA_VECTOR) registers |= UINT32_C(1) << operands.writes[i];
    /* Registers that a mnemonic may imply, as c.sdsp ra, 0x8 does. */
    uint32_t implied = (insn->opcode_size == 2 ? SP_RISCV : 0) | (operands.branch ? LINK_RISCV : 0);
    if (isa == ISA_AARCH32) implied = A32_IMPLIED;
    if (isa == ISA_AARCH64) implied = LINK_A64 | SP_A64;
    const bool agree = ((stated.registers ^ registers) & ~implied) == 0;
    if (!agree) *right = isa == ISA_RISCV ? 0 : agreement.entry - 1;
    if (trust_evaluate(&state->registers, agree)) disasm_report(context, &text, "registers");
}

/* The sets of the cache are fetched before the first is compared. */
static void disasm_feed_block(struct context *context)
{
    struct disassemblies *state = context->state;
    const struct spoor_record *records = context->batch->records + context->first;
    const uint64_t *hashes = context_disasm_hashes(context);
    struct agreement agreements[BLOCK_RECORDS];
    if (state->isa == ISA_UNKNOWN && state->asked != context->batch->first + 1) {
        state->isa = isa_of(context->batch);
        state->asked = context->batch->first + 1;
    }
    for (size_t word = 0; word < BLOCK_WORDS; word++)
        for (uint64_t bits = context->examined[word]; bits; bits &= bits - 1) {
            const size_t at = word * 64 + (size_t)__builtin_ctzll(bits);
            const struct spoor_insn *insn = &records[at].insn;
            uint64_t text = hashes[at];
            /* registers, all that is checked of Arm, do not depend on the pc */
            const uint64_t pc = state->isa == ISA_RISCV ? insn->va : insn->iset;
            const uint64_t hash = hash_mix(text ^ pc * UINT64_C(0x9E3779B97F4A7C15),
                                           insn->opcode ^ (uint64_t)insn->opcode_size << 56);
            agreements[at] = (struct agreement){(uint32_t)(hash >> 52), (uint32_t)hash | 1};
            __builtin_prefetch(state->right[agreements[at].set]);
        }
    for (size_t word = 0; word < BLOCK_WORDS; word++)
        for (uint64_t bits = context->examined[word]; bits; bits &= bits - 1) {
            const size_t at = word * 64 + (size_t)__builtin_ctzll(bits);
            /* 0: the instruction is known to agree; 1: it is known not to; else it is not known. */
            const uint32_t *set = state->right[agreements[at].set];
            uint32_t known = UINT32_MAX;
            for (unsigned way = 0; way < WAYS; way++) {
                const uint32_t difference = set[way] ^ agreements[at].entry;
                known = difference < known ? difference : known;
            }
            if (!records[at].insn.disasm.size || !records[at].insn.opcode_size) continue;
            const bool trusted = trust_is_enough(&state->registers);
            if (known == 0 || (known == 1 && !trusted)) {
                state->registers.right += !known;
                state->registers.wrong += known;
                continue;
            }
            context->record = &records[at];
            context->index = context->first + at;
            disasm_examine(context, agreements[at]);
        }
}
const struct rule rule_insn_disasm = {
    .info = {"insn-disasm",
             "the disassembly has the registers of its opcode (RISC-V: also the mnemonic and a "
             "number)",
             "the instruction set's manual; only if the trace agrees elsewhere",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN),
    .has = SPOOR_HAS_DATA,
    .feed = disasm_feed_block,
    .state_size = sizeof(struct disassemblies),
};
