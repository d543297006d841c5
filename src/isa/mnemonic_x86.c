/* SPDX-License-Identifier: MIT */
/*
 * mnemonic_x86.c: mnemonics of x86 (Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2, appendix A).
 *
 * All of the one-byte map, the usual part of the map after 0F, and of those after 0F38 and 0F3A the
 * instructions that compilers and C libraries use.  Another opcode is named by its bytes.
 */
#include <stdio.h>
#include <string.h>

#include "isa/mnemonic.h"
#include "isa/x86_code.h"

static const char *const arithmetic[] = {"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"};
static const char *const shifts[] = {"rol", "ror", "rcl", "rcr", "shl", "shr", "shl", "sar"};
static const char *const unary[] = {"test", "test", "not", "neg", "mul", "imul", "div", "idiv"};
static const char *const indirect[] = {"inc", "dec",     "call", "call_far",
                                       "jmp", "jmp_far", "push", NULL};
static const char *const conditions[] = {"o", "no", "b", "nb", "z", "nz", "be", "nbe",
                                         "s", "ns", "p", "np", "l", "nl", "le", "nle"};
static const char *const bit_tests[] = {NULL, NULL, NULL, NULL, "bt", "bts", "btr", "btc"};

/* The one-byte map from 60 on, except for groups. */
static const char *const one_byte[256] = {
    [0x63] = "movsxd", [0x68] = "push",  [0x69] = "imul",  [0x6A] = "push",    [0x6B] = "imul",
    [0x6C] = "ins",    [0x6D] = "ins",   [0x6E] = "outs",  [0x6F] = "outs",    [0x84] = "test",
    [0x85] = "test",   [0x86] = "xchg",  [0x87] = "xchg",  [0x88] = "mov",     [0x89] = "mov",
    [0x8A] = "mov",    [0x8B] = "mov",   [0x8C] = "mov",   [0x8D] = "lea",     [0x8E] = "mov",
    [0x8F] = "pop",    [0x90] = "nop",   [0x91] = "xchg",  [0x92] = "xchg",    [0x93] = "xchg",
    [0x94] = "xchg",   [0x95] = "xchg",  [0x96] = "xchg",  [0x97] = "xchg",    [0x98] = "cwde",
    [0x99] = "cdq",    [0x9B] = "fwait", [0x9C] = "pushf", [0x9D] = "popf",    [0x9E] = "sahf",
    [0x9F] = "lahf",   [0xA0] = "mov",   [0xA1] = "mov",   [0xA2] = "mov",     [0xA3] = "mov",
    [0xA4] = "movs",   [0xA5] = "movs",  [0xA6] = "cmps",  [0xA7] = "cmps",    [0xA8] = "test",
    [0xA9] = "test",   [0xAA] = "stos",  [0xAB] = "stos",  [0xAC] = "lods",    [0xAD] = "lods",
    [0xAE] = "scas",   [0xAF] = "scas",  [0xC2] = "ret",   [0xC3] = "ret",     [0xC6] = "mov",
    [0xC7] = "mov",    [0xC8] = "enter", [0xC9] = "leave", [0xCA] = "ret_far", [0xCB] = "ret_far",
    [0xCC] = "int3",   [0xCD] = "int",   [0xCF] = "iret",  [0xD7] = "xlat",    [0xE0] = "loopne",
    [0xE1] = "loope",  [0xE2] = "loop",  [0xE3] = "jrcxz", [0xE4] = "in",      [0xE5] = "in",
    [0xE6] = "out",    [0xE7] = "out",   [0xE8] = "call",  [0xE9] = "jmp",     [0xEB] = "jmp",
    [0xEC] = "in",     [0xED] = "in",    [0xEE] = "out",   [0xEF] = "out",     [0xF1] = "int1",
    [0xF4] = "hlt",    [0xF5] = "cmc",   [0xF8] = "clc",   [0xF9] = "stc",     [0xFA] = "cli",
    [0xFB] = "sti",    [0xFC] = "cld",   [0xFD] = "std",
};

/* Maps after 0F, by prefix: none, 66, F3, F2.  One name stands for all that follow it. */
struct row {
    uint8_t opcode;
    const char *names[X86_PREFIXES];
};
static const struct row rows_0f[] = {
    {0x05, {"syscall"}},
    {0x07, {"sysret"}},
    {0x09, {"wbinvd"}},
    {0x0B, {"ud2"}},
    {0x0D, {"prefetchw"}},
    {0x10, {"movups", "movupd", "movss", "movsd"}},
    {0x11, {"movups", "movupd", "movss", "movsd"}},
    {0x12, {"movlps", "movlpd", "movsldup", "movddup"}},
    {0x13, {"movlps", "movlpd"}},
    {0x14, {"unpcklps", "unpcklpd"}},
    {0x15, {"unpckhps", "unpckhpd"}},
    {0x16, {"movhps", "movhpd", "movshdup"}},
    {0x17, {"movhps", "movhpd"}},
    {0x19, {"nop"}},
    {0x1A, {"nop"}},
    {0x1B, {"nop"}},
    {0x1E, {"nop"}},
    {0x1F, {"nop"}},
    {0x20, {"mov"}},
    {0x22, {"mov"}},
    {0x28, {"movaps", "movapd"}},
    {0x29, {"movaps", "movapd"}},
    {0x2A, {"cvtpi2ps", "cvtpi2pd", "cvtsi2ss", "cvtsi2sd"}},
    {0x2B, {"movntps", "movntpd"}},
    {0x2C, {"cvttps2pi", "cvttpd2pi", "cvttss2si", "cvttsd2si"}},
    {0x2D, {"cvtps2pi", "cvtpd2pi", "cvtss2si", "cvtsd2si"}},
    {0x2E, {"ucomiss", "ucomisd"}},
    {0x2F, {"comiss", "comisd"}},
    {0x30, {"wrmsr"}},
    {0x31, {"rdtsc"}},
    {0x32, {"rdmsr"}},
    {0x34, {"sysenter"}},
    {0x35, {"sysexit"}},
    {0x50, {"movmskps", "movmskpd"}},
    {0x51, {"sqrtps", "sqrtpd", "sqrtss", "sqrtsd"}},
    {0x54, {"andps", "andpd"}},
    {0x55, {"andnps", "andnpd"}},
    {0x56, {"orps", "orpd"}},
    {0x57, {"xorps", "xorpd"}},
    {0x58, {"addps", "addpd", "addss", "addsd"}},
    {0x59, {"mulps", "mulpd", "mulss", "mulsd"}},
    {0x5A, {"cvtps2pd", "cvtpd2ps", "cvtss2sd", "cvtsd2ss"}},
    {0x5B, {"cvtdq2ps", "cvtps2dq", "cvttps2dq"}},
    {0x5C, {"subps", "subpd", "subss", "subsd"}},
    {0x5D, {"minps", "minpd", "minss", "minsd"}},
    {0x5E, {"divps", "divpd", "divss", "divsd"}},
    {0x5F, {"maxps", "maxpd", "maxss", "maxsd"}},
    {0x60, {"punpcklbw"}},
    {0x61, {"punpcklwd"}},
    {0x62, {"punpckldq"}},
    {0x63, {"packsswb"}},
    {0x64, {"pcmpgtb"}},
    {0x65, {"pcmpgtw"}},
    {0x66, {"pcmpgtd"}},
    {0x67, {"packuswb"}},
    {0x68, {"punpckhbw"}},
    {0x69, {"punpckhwd"}},
    {0x6A, {"punpckhdq"}},
    {0x6B, {"packssdw"}},
    {0x6C, {"punpcklqdq"}},
    {0x6D, {"punpckhqdq"}},
    {0x6E, {"movd"}},
    {0x6F, {"movq", "movdqa", "movdqu", "movdqu"}},
    {0x70, {"pshufw", "pshufd", "pshufhw", "pshuflw"}},
    {0x74, {"pcmpeqb"}},
    {0x75, {"pcmpeqw"}},
    {0x76, {"pcmpeqd"}},
    {0x77, {"emms"}},
    {0x7E, {"movd", "movd", "movq"}},
    {0x7F, {"movq", "movdqa", "movdqu", "movdqu"}},
    {0xA2, {"cpuid"}},
    {0xA3, {"bt"}},
    {0xA4, {"shld"}},
    {0xA5, {"shld"}},
    {0xAB, {"bts"}},
    {0xAC, {"shrd"}},
    {0xAD, {"shrd"}},
    {0xAF, {"imul"}},
    {0xB0, {"cmpxchg"}},
    {0xB1, {"cmpxchg"}},
    {0xB3, {"btr"}},
    {0xB6, {"movzx"}},
    {0xB7, {"movzx"}},
    {0xB8, {"jmpe", "jmpe", "popcnt", "jmpe"}},
    {0xBB, {"btc"}},
    {0xBC, {"bsf", "bsf", "tzcnt", "bsf"}},
    {0xBD, {"bsr", "bsr", "lzcnt", "bsr"}},
    {0xBE, {"movsx"}},
    {0xBF, {"movsx"}},
    {0xC0, {"xadd"}},
    {0xC1, {"xadd"}},
    {0xC2, {"cmpps", "cmppd", "cmpss", "cmpsd"}},
    {0xC3, {"movnti"}},
    {0xC4, {"pinsrw"}},
    {0xC5, {"pextrw"}},
    {0xC6, {"shufps", "shufpd"}},
    {0xD1, {"psrlw"}},
    {0xD2, {"psrld"}},
    {0xD3, {"psrlq"}},
    {0xD4, {"paddq"}},
    {0xD5, {"pmullw"}},
    {0xD6, {NULL, "movq", "movq2dq", "movdq2q"}},
    {0xD7, {"pmovmskb"}},
    {0xD8, {"psubusb"}},
    {0xDA, {"pminub"}},
    {0xDB, {"pand"}},
    {0xDC, {"paddusb"}},
    {0xDE, {"pmaxub"}},
    {0xDF, {"pandn"}},
    {0xE4, {"pmulhuw"}},
    {0xE6, {NULL, "cvttpd2dq", "cvtdq2pd", "cvtpd2dq"}},
    {0xE7, {"movntq", "movntdq"}},
    {0xEB, {"por"}},
    {0xEF, {"pxor"}},
    {0xF0, {NULL, NULL, NULL, "lddqu"}},
    {0xF1, {"psllw"}},
    {0xF2, {"pslld"}},
    {0xF3, {"psllq"}},
    {0xF4, {"pmuludq"}},
    {0xF8, {"psubb"}},
    {0xF9, {"psubw"}},
    {0xFA, {"psubd"}},
    {0xFB, {"psubq"}},
    {0xFC, {"paddb"}},
    {0xFD, {"paddw"}},
    {0xFE, {"paddd"}},
};
static const struct row rows_0f38[] = {
    {0x00, {"pshufb"}},
    {0x17, {"ptest"}},
    {0x18, {"broadcastss"}},
    {0x1C, {"pabsb"}},
    {0x29, {"pcmpeqq"}},
    {0x37, {"pcmpgtq"}},
    {0x39, {"pminsd"}},
    {0x3A, {"pminuw"}},
    {0x3B, {"pminud"}},
    {0x40, {"pmulld"}},
    {0x58, {"pbroadcastd"}},
    {0x59, {"pbroadcastq"}},
    {0x78, {"pbroadcastb"}},
    {0x79, {"pbroadcastw"}},
    {0x7A, {"pbroadcastb"}},
    {0xF0, {"movbe", "movbe", "movbe", "crc32"}},
    {0xF1, {"movbe", "movbe", "movbe", "crc32"}},
    {0xF2, {"andn"}},
    {0xF5, {"bzhi", NULL, "pext", "pdep"}},
    {0xF6, {NULL, "adcx", "adox", "mulx"}},
    {0xF7, {"bextr", "shlx", "sarx", "shrx"}},
};
static const struct row rows_0f3a[] = {
    {0x0F, {"palignr"}},
    {0x14, {"pextrb"}},
    {0x16, {"pextrd"}},
    {0x18, {"insertf128"}},
    {0x19, {"extractf128"}},
    {0x20, {"pinsrb"}},
    {0x22, {"pinsrd"}},
    {0x25, {"pternlogd"}},
    {0x38, {"inserti128"}},
    {0x39, {"extracti128"}},
    {0x3E, {"pcmpub"}},
    {0x3F, {"pcmpb"}},
    {0x44, {"pclmulqdq"}},
    {0x46, {"perm2i128"}},
    {0x61, {"pcmpestri"}},
    {0x63, {"pcmpistri"}},
    {0xF0, {NULL, NULL, NULL, "rorx"}},
};

/* ---- names ---- */

static size_t mnemonic_put(char *text, const char *lead, const char *name, const char *tail)
{
    return (size_t)snprintf(text, MNEMONIC_MAX, "%s%s%s", lead, name, tail);
}

static size_t mnemonic_put_bytes_of(char *text, const struct x86_code *code)
{
    static const char *const maps[] = {"", "0f", "0f38", "0f3a"};
    static const char *const wides[] = {"", "vex.", "evex."};
    return (size_t)snprintf(text, MNEMONIC_MAX, "%s%s%02x", wides[code->wide], maps[code->map],
                            code->opcode);
}

static const char *mnemonic_group_of_one_byte(const struct x86_code *code)
{
    const unsigned opcode = code->opcode, reg = code->modrm >> 3 & 7;
    if (opcode < 0x40) return (opcode & 7) < 6 ? arithmetic[opcode >> 3] : NULL;
    if (opcode >= 0x50 && opcode <= 0x5F) return opcode < 0x58 ? "push" : "pop";
    if (opcode >= 0x80 && opcode <= 0x83) return arithmetic[reg];
    if (opcode == 0xC0 || opcode == 0xC1 || (opcode >= 0xD0 && opcode <= 0xD3)) return shifts[reg];
    if (opcode >= 0xB0 && opcode <= 0xBF) return "mov";
    if (opcode == 0xF6 || opcode == 0xF7) return unary[reg];
    if (opcode == 0xFE || opcode == 0xFF) return indirect[reg];
    if (opcode == 0x90 && code->rep) return "pause";
    if (opcode == 0x98 && code->w) return "cdqe";
    if (opcode == 0x99 && code->w) return "cqo";
    return one_byte[opcode];
}

static size_t mnemonic_one_byte(char *text, const struct x86_code *code)
{
    const unsigned opcode = code->opcode;
    const bool string = (opcode >= 0xA4 && opcode <= 0xA7) || (opcode >= 0xAA && opcode <= 0xAF) ||
                        (opcode >= 0x6C && opcode <= 0x6F);
    const char *name = mnemonic_group_of_one_byte(code);
    if (opcode >= 0x70 && opcode <= 0x7F)
        return mnemonic_put(text, "j", conditions[opcode & 15], "");
    if (opcode >= 0xD8 && opcode <= 0xDF)
        return (size_t)snprintf(text, MNEMONIC_MAX, "x87_%02x_%u", opcode,
                                code->modrm >= 0xC0 ? code->modrm : code->modrm >> 3 & 7);
    if (!name) return mnemonic_put_bytes_of(text, code);
    const bool compares = opcode == 0xA6 || opcode == 0xA7 || opcode == 0xAE || opcode == 0xAF;
    if (string && code->rep) return mnemonic_put(text, compares ? "repe " : "rep ", name, "");
    if (string && code->repne) return mnemonic_put(text, "repne ", name, "");
    return mnemonic_put(text, code->lock ? "lock " : "", name, "");
}

/* Groups after 0F, whose ModRM byte selects. */
static const char *mnemonic_group_of_0f(const struct x86_code *code)
{
    static const char *const tables[8] = {"sldt", "str", "lldt", "ltr", "verr", "verw"};
    static const char *const prefetches[8] = {
        "prefetchnta", "prefetcht0", "prefetcht1", "prefetcht2", "nop", "nop", "nop", "nop"};
    static const char *const words[8] = {[2] = "psrlw", [4] = "psraw", [6] = "psllw"};
    static const char *const doublewords[8] = {[2] = "psrld", [4] = "psrad", [6] = "pslld"};
    static const char *const quadwords[8] = {
        [2] = "psrlq", [3] = "psrldq", [6] = "psllq", [7] = "pslldq"};
    static const char *const fences[8] = {[5] = "lfence", [6] = "mfence", [7] = "sfence"};
    static const char *const saves[8] = {"fxsave", "fxrstor", "ldmxcsr",  "stmxcsr",
                                         "xsave",  "xrstor",  "xsaveopt", "clflush"};
    static const char *const bases[8] = {"rdfsbase", "rdgsbase", "wrfsbase", "wrgsbase"};
    static const char *const randoms[8] = {[6] = "rdrand", [7] = "rdseed"};
    static const char *const exchanges[8] = {[1] = "cmpxchg8b", [4] = "xsavec"};
    const unsigned reg = code->modrm >> 3 & 7;
    const bool is_register = code->modrm >= 0xC0;
    switch (code->opcode) {
    case 0x00: return tables[reg];
    case 0x01: /* The group of 0F 01, whose whole ModRM byte selects. */
        switch (code->modrm) {
        case 0xCA: return "clac";
        case 0xCB: return "stac";
        case 0xD0: return "xgetbv";
        case 0xD5: return "xend";
        case 0xD6: return "xtest";
        case 0xF8: return "swapgs";
        case 0xF9: return "rdtscp";
        default: return NULL;
        }
    case 0x12: return is_register && code->prefix == X86_PREFIX_NONE ? "movhlps" : NULL;
    case 0x16: return is_register && code->prefix == X86_PREFIX_NONE ? "movlhps" : NULL;
    case 0x18: return prefetches[reg];
    case 0x71: return words[reg];
    case 0x72: return doublewords[reg];
    case 0x73: return quadwords[reg];
    case 0xAE:
        if (!is_register) return saves[reg];
        return code->rep ? bases[reg] : fences[reg];
    case 0xBA: return bit_tests[reg];
    case 0xC7:
        if (is_register) return randoms[reg];
        return reg == 1 && code->w ? "cmpxchg16b" : exchanges[reg];
    default: return NULL;
    }
}

static const char *mnemonic_find_row(const struct row *rows, size_t count,
                                     const struct x86_code *code)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].opcode != code->opcode) continue;
        const char *const *names = rows[i].names;
        return names[code->prefix] ? names[code->prefix] : names[0];
    }
    return NULL;
}

#define FIND(rows, code) mnemonic_find_row(rows, sizeof(rows) / sizeof *(rows), code)

static const char *mnemonic_of_map(const struct x86_code *code)
{
    if (code->map == X86_MAP_0F38) return FIND(rows_0f38, code);
    if (code->map == X86_MAP_0F3A) return FIND(rows_0f3a, code);
    const char *name = mnemonic_group_of_0f(code);
    return name ? name : FIND(rows_0f, code);
}

/* EVEX states the size of an element. */
static const char *mnemonic_element_of(const struct x86_code *code)
{
    if (code->wide != X86_WIDE_EVEX || code->map != X86_MAP_0F) return "";
    if (code->opcode == 0xDB || code->opcode == 0xDF || code->opcode == 0xEB ||
        code->opcode == 0xEF)
        return code->w ? "q" : "d";
    if (code->opcode != 0x6F && code->opcode != 0x7F) return "";
    if (code->prefix == X86_PREFIX_F2) return code->w ? "16" : "8";
    return code->w ? "64" : "32";
}

static size_t mnemonic_of_0f(char *text, const struct x86_code *code)
{
    const unsigned opcode = code->opcode, row = opcode & 0xF0;
    if (code->map == X86_MAP_0F && !code->wide) {
        if (row == 0x80) return mnemonic_put(text, "j", conditions[opcode & 15], "");
        if (row == 0x90) return mnemonic_put(text, "set", conditions[opcode & 15], "");
        if (row == 0x40) return mnemonic_put(text, "cmov", conditions[opcode & 15], "");
        if (opcode >= 0xC8 && opcode <= 0xCF) return mnemonic_put(text, "", "bswap", "");
        if (opcode == 0x1E && code->rep && code->modrm == 0xFA)
            return mnemonic_put(text, "", "endbr64", "");
    }
    if (code->map == X86_MAP_0F && code->wide && opcode == 0x77)
        return mnemonic_put(text, "", "vzeroupper", "");
    const char *name = mnemonic_of_map(code);
    if (!name) return mnemonic_put_bytes_of(text, code);
    enum { SCALAR_FROM = 0xF0 }; /* after 0F38: VEX without vectors */
    const bool vector = code->wide && !(code->map == X86_MAP_0F38 && opcode >= SCALAR_FROM) &&
                        !(code->map == X86_MAP_0F3A && opcode >= SCALAR_FROM);
    const bool wide_move = code->w && strcmp(name, "movd") == 0;
    return mnemonic_put(text,
                        vector       ? "v"
                        : code->lock ? "lock "
                                     : "",
                        wide_move ? "movq" : name, mnemonic_element_of(code));
}

size_t mnemonic_x86(char text[MNEMONIC_MAX], const uint8_t *bytes, size_t size)
{
    struct x86_code code = {.at = bytes, .end = bytes + size};
    if (size == 0) return 0;
    x86_read(&code);
    return code.map == X86_MAP_ONE_BYTE ? mnemonic_one_byte(text, &code)
                                        : mnemonic_of_0f(text, &code);
}
