/* SPDX-License-Identifier: MIT */
/*
 * match.c: compares two units, effect by effect.
 *
 * It gets only units whose hashes differ.  Registers are matched by name in any order, accesses in
 * order.  An effect without a match is missing or extra unless a tolerance accepts it.
 */
#include <string.h>

#include "compare/compare.h"
#include "formats/format.h"

enum { MAX_EFFECTS = 256 };

/* The state of one comparison. */
struct match {
    struct spoor_diff *diff;
    const struct cpu_pair *cpu_pair;
    const struct unit *units[2];
    const struct effect *effects[2];
    unsigned counts[2];
    bool done[2][MAX_EFFECTS]; /* the effect needs no more attention */
    struct comparison *result;
    bool is_cut[2]; /* the unit is the last of its side, where the trace may have been cut */
};

static void match_differ(struct match *match, enum spoor_diff_class class, int left, int right)
{
    struct comparison *result = match->result;
    if (result->count < MAX_DIFFERENCES)
        result->items[result->count] = (struct difference){
            .class = (uint8_t) class, .effects = {(int16_t)left, (int16_t)right}};
    result->count++;
}

/* True if a tolerance accepts the difference; counts its use. */
static bool match_accept(struct match *match, enum spoor_tolerance tolerance)
{
    if (!tolerates(match->diff, tolerance)) return false;
    if (match->result->tolerated[tolerance] < UINT8_MAX) match->result->tolerated[tolerance]++;
    return true;
}

/* True if the numbers are equal, or if one is the other's 32 bits sign-extended and that is
 * tolerated. */
static bool match_same_number(struct match *match, uint64_t left, uint64_t right)
{
    if (left == right) return true;
    if ((uint32_t)left != (uint32_t)right) return false;
    uint64_t less = left < right ? left : right, more = left < right ? right : left;
    if (less >> 32 || more != (uint64_t)(int64_t)(int32_t)less) return false;
    return match_accept(match, SPOOR_TOLERATE_SIGN_EXTENSION);
}

/* ---- the instruction ---- */

/* True if the opcodes differ in the bytes that both sides state.  An opcode without a size
 * (execlog) is four bytes of memory. */
static bool match_opcodes_differ(const struct unit *left, const struct unit *right)
{
    if (left->opcode == right->opcode) return false;
    if (!left->opcode_size == !right->opcode_size) return true;
    const struct unit *sized = left->opcode_size ? left : right;
    const struct unit *other = left->opcode_size ? right : left;
    if (unit_opcode_begin(sized) != unit_opcode_begin(other)) return true;
    if (sized->opcode_size != 4) return sized->opcode_size > 4;
    const bool halves = unit_opcode_begin(sized) != (uint16_t)sized->opcode;
    return (halves ? (uint16_t)sized->opcode : sized->opcode >> 16) != other->opcode >> 16;
}

static void match_heads(struct match *match)
{
    const struct unit *left = match->units[0], *right = match->units[1];
    const struct unit_scope *scope = &match->diff->scope;
    unsigned both = left->has & right->has;
    if (left->kind != right->kind) match_differ(match, SPOOR_DIFF_FLOW, -1, -1);
    if ((both & UNIT_HAS_PC) && !match_same_number(match, left->pc, right->pc))
        match_differ(match, SPOOR_DIFF_FLOW, -1, -1);
    if (scope->opcode && (both & UNIT_HAS_OPCODE) && match_opcodes_differ(left, right))
        match_differ(match, SPOOR_DIFF_OPCODE, -1, -1);
    if (scope->iset && (both & UNIT_HAS_EXECUTED) && left->iset && right->iset &&
        left->iset != right->iset)
        match_differ(match, SPOOR_DIFF_MODE, -1, -1);
    if (scope->executed && (both & UNIT_HAS_EXECUTED) && left->executed != right->executed &&
        !match_accept(match, SPOOR_TOLERATE_NOT_TAKEN))
        match_differ(match, SPOOR_DIFF_EXECUTED, -1, -1);
    if (scope->mode && (both & UNIT_HAS_MODE) && left->mode != right->mode &&
        !match_accept(match, SPOOR_TOLERATE_MODE))
        match_differ(match, SPOOR_DIFF_MODE, -1, -1);
    if (scope->physical && (both & UNIT_HAS_PHYSICAL) && left->physical != right->physical &&
        !match_accept(match, SPOOR_TOLERATE_PHYSICAL))
        match_differ(match, SPOOR_DIFF_MEMORY_PHYSICAL, -1, -1);
    if (scope->time && (both & UNIT_HAS_TIME) && left->time != right->time)
        match_differ(match, SPOOR_DIFF_TIME, -1, -1);
}

/* Both sides have the effect: they may state different times of it. */
static void match_times(struct match *match, int left, int right)
{
    const struct effect *a = &match->effects[0][left], *b = &match->effects[1][right];
    if (match->diff->scope.time && (a->has & b->has & EFFECT_HAS_TIME) && a->time != b->time)
        match_differ(match, SPOOR_DIFF_TIME, left, right);
}

/* True if `side` may lack an effect because its trace ends inside the instruction, and that is
 * accepted. */
static bool match_accept_cut(struct match *match, unsigned side)
{
    return match->is_cut[side] && match_accept(match, SPOOR_TOLERATE_TAIL);
}

static bool match_is_access(const struct effect *effect)
{
    return effect->kind == EFFECT_READ || effect->kind == EFFECT_WRITE ||
           effect->kind == EFFECT_UPDATE;
}

/* True if the format of `side` states one effect of each kind, and the unit has what it can state:
 * of further ones it is silent, which is counted. */
static bool match_accept_further(struct match *match, unsigned side, bool of_memory)
{
    const struct spoor_format *format = match->diff->formats[side];
    bool states = false;
    if (!format || !(of_memory ? format->one_access : format->one_result)) return false;
    for (unsigned i = 0; i < match->counts[side]; i++) {
        const struct effect *effect = &match->effects[side][i];
        const bool is_register = effect->kind == EFFECT_REGISTER;
        if (is_register && !of_memory && !match->done[side][i]) return false; /* it may be wrong */
        states |= of_memory ? match_is_access(effect) : is_register || effect->kind == EFFECT_WRITE;
    }
    if (states && match->result->unstated_further[side] < UINT8_MAX)
        match->result->unstated_further[side]++;
    return states;
}

/* ---- registers ---- */

static void match_values(struct match *match, unsigned left, unsigned right)
{
    const struct effect *a = &match->effects[0][left], *b = &match->effects[1][right];
    if (!(a->has & b->has & EFFECT_HAS_VALUE)) return;
    /* The bits that are compared: those known on both sides. */
    const uint64_t unknown = a->unknown | b->unknown;
    const unsigned low = a->low > b->low ? a->low : b->low;
    uint64_t known = low < 64 ? UINT64_MAX << low : 0, mask = UINT64_MAX;
    for (unsigned digit = 0; unknown && digit < 16; digit++)
        if (unknown >> digit & 1) known &= ~(UINT64_C(15) << (4 * digit));
    uint64_t first = a->value[0] & known, second = b->value[0] & known;
    uint64_t upper = a->size > 64 && b->size > 64 ? a->value[1] ^ b->value[1] : 0;
    if (match_same_number(match, first, second) && !upper) return;
    struct rule *rule;
    if (rule_masks(match->diff, a->name, &mask, &rule) && ((first ^ second) & mask) == 0 &&
        (!upper || mask == 0)) {
        struct comparison *result = match->result;
        if (result->rule_count < MAX_RULE_USES) result->rules[result->rule_count++] = rule;
        return;
    }
    struct difference elements = {.effects = {(int16_t)left, (int16_t)right}};
    vector_find_elements(match->diff, match->cpu_pair, match->units, &elements);
    enum spoor_diff_class class = elements.elements == 1
                                      ? value_class(elements.values[0], elements.values[1])
                                  : elements.elements > 1 ? SPOOR_DIFF_VALUE
                                  : first == second       ? SPOOR_DIFF_VALUE_UPPER
                                  : upper                 ? SPOOR_DIFF_VALUE
                                                          : value_class(first, second);
    match_differ(match, class, (int)left, (int)right);
    if (elements.element && match->result->count <= MAX_DIFFERENCES) {
        elements.class = (uint8_t) class;
        match->result->items[match->result->count - 1] = elements;
    }
}

/* The register in which the host answers a semihosting call (Arm, "Semihosting for AArch32 and
 * AArch64"; RISC-V "Semihosting"), and a system call where only the program of a user is traced;
 * NULL: the unit is no such call. */
static const char *match_host_answer(const struct unit *unit)
{
    static const struct {
        uint32_t opcode;
        const char *answer;
    } calls[] = {
        {0xD45E0000, "x0"},  /* A64 HLT #0xF000 */
        {0xE10F0070, "r0"},  /* A32 HLT #0xF000 */
        {0xEF123456, "r0"},  /* A32 SVC #0x123456 */
        {0xBABC, "r0"},      /* T32 HLT #0x3C */
        {0xDFAB, "r0"},      /* T32 SVC #0xAB */
        {0xBEAB, "r0"},      /* T32 BKPT #0xAB */
        {0x00100073, "x10"}, /* RISC-V EBREAK */
        {0x00000073, "x10"}, /* RISC-V ECALL */
        {0xD4000001, "x0"},  /* A64 SVC #0 */
        {0xEF000000, "r0"},  /* A32 SVC #0 */
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if ((unit->has & UNIT_HAS_OPCODE) && unit->opcode == calls[i].opcode)
            return calls[i].answer;
    return NULL;
}

/* True if the trace states a result without its register (gem5). */
static bool match_is_unnamed(const struct match *match, spoor_name name)
{
    return strcmp(spoor_names_text(match->diff->names, name, NULL), "result") == 0;
}

/* True for a control register or a vector where the other side has stated none at all, so far, and
 * for the flags where its format is not written with any: counts it. */
static bool match_is_unstated(struct match *match, unsigned side, spoor_name name)
{
    const struct spoor_diff *diff = match->diff;
    const unsigned other = 1 - side;
    static const char *const comparisons[] = {"cmp",  "cmn",   "tst",   "ccmp",  "ccmn",
                                              "fcmp", "fcmpe", "fccmp", "fccmpe"};
    enum unit_part part = UNIT_PART_REGISTERS;
    if (!match_is_unnamed(match, name)) {
        part = unit_register_part(diff->isa, spoor_names_text(diff->names, name, NULL));
    } else {
        /* It is the flags if that is all that the instruction writes, by its text. */
        const struct unit *unit = match->units[side];
        char mnemonic[MAX_MNEMONIC];
        mnemonic_of(unit, unit_text(&match->cpu_pair->queues[side], unit), diff->isa, mnemonic);
        for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
            if (strcmp(mnemonic, comparisons[i]) == 0) part = UNIT_PART_FLAGS;
    }
    const uint32_t states = diff->builders[other].states | diff->options.stated[other];
    const bool may_lack =
        part != UNIT_PART_REGISTERS &&
        (part != UNIT_PART_FLAGS || (diff->formats[other] && diff->formats[other]->no_flags));
    if (!may_lack || (states & unit_part_bit(part))) return false;
    uint8_t *count = &match->result->unstated[other][part];
    if (*count < UINT8_MAX) ++*count;
    return true;
}

/* True if a tolerance accepts a write on one side only. */
static bool match_accept_lone_register(struct match *match, unsigned side, unsigned index)
{
    const struct effect *effect = &match->effects[side][index];
    uint64_t mask;
    struct rule *rule;
    if (rule_masks(match->diff, effect->name, &mask, &rule) && mask == 0) {
        struct comparison *result = match->result;
        if (result->rule_count < MAX_RULE_USES) result->rules[result->rule_count++] = rule;
        return true;
    }
    if (match_is_unstated(match, side, effect->name)) return true;
    const unsigned other = 1 - side;
    const struct register_state *state = effect->name < match->cpu_pair->register_capacity
                                             ? &match->cpu_pair->registers[effect->name]
                                             : NULL;
    const bool known = state && (state->known >> other & 1);
    const bool same = known && state->value[other] == effect_value(effect);
    /* The other side's dump of all registers has the value that this side wrote, or cannot tell: it
     * states only what changes. */
    const bool in_dump = match->diff->builders[other].options.dumps &&
                         (!(match->units[other]->has & UNIT_HAS_DUMP) || !known || same);
    if (in_dump || match_accept_cut(match, other)) return true;
    for (unsigned i = 0; i < 2; i++) {
        const char *answer = match_host_answer(match->units[i]);
        const char *name = spoor_names_text(match->diff->names, effect->name, NULL);
        if (answer && (strcmp(name, answer) == 0 || match_is_unnamed(match, effect->name)) &&
            match_accept(match, SPOOR_TOLERATE_HOST_CALLS))
            return true;
    }
    return same && match_accept(match, SPOOR_TOLERATE_UNCHANGED_WRITES);
}

static int match_find_register(const struct match *match, unsigned side, spoor_name name)
{
    for (unsigned i = 0; i < match->counts[side]; i++)
        if (!match->done[side][i] && match->effects[side][i].kind == EFFECT_REGISTER &&
            match->effects[side][i].name == name)
            return (int)i;
    return -1;
}

/* True if one of two registers of the same value is a result without a name, and may be the other:
 * the opcode writes it, or the environment that it calls, or neither side states an opcode, which
 * is counted. */
static bool match_accept_unnamed(struct match *match, spoor_name left, spoor_name right)
{
    const unsigned side = match_is_unnamed(match, left) ? 0 : 1;
    if (!side == match_is_unnamed(match, right)) return false;
    const char *name = spoor_names_text(match->diff->names, side ? left : right, NULL);
    const struct isa_vtype vtype = vector_type(match->diff, match->cpu_pair, 0);
    for (unsigned i = 0; i < 2; i++) {
        const char *answer = match_host_answer(match->units[i]);
        if (answer && strcmp(name, answer) == 0) return true;
        const enum operand_written written =
            operand_written(match->units[i], match->diff->isa, &vtype, name);
        if (written != WRITTEN_UNKNOWN) return written == WRITTEN_BY_OPCODE;
    }
    if (match->result->unnamed_results[side] < UINT8_MAX) match->result->unnamed_results[side]++;
    return true;
}

/* Matches the same value in a register of another name: one difference, not two, and none if one
 * side does not name the register. */
static bool match_renamed(struct match *match, unsigned left)
{
    const struct effect *effect = &match->effects[0][left];
    for (unsigned i = 0; i < match->counts[1]; i++) {
        const struct effect *other = &match->effects[1][i];
        if (match->done[1][i] || other->kind != EFFECT_REGISTER ||
            other->value[0] != effect->value[0] ||
            (effect->size > 64 && other->size > 64 && other->value[1] != effect->value[1]) ||
            match_find_register(match, 0, other->name) >= 0)
            continue;
        match->done[1][i] = true;
        if (!match_accept_unnamed(match, effect->name, other->name))
            match_differ(match, SPOOR_DIFF_REGISTER, (int)left, (int)i);
        return true;
    }
    return false;
}

/* ---- memory ---- */

/* Returns the class of the difference between two accesses; -1: none. */
static int match_access_class(struct match *match, const struct effect *a, const struct effect *b)
{
    const struct unit_scope *scope = &match->diff->scope;
    if (a->kind != b->kind || (a->kind == EFFECT_UPDATE && a->op != b->op))
        return SPOOR_DIFF_MEMORY_KIND;
    if (!match_same_number(match, a->address, b->address)) return SPOOR_DIFF_MEMORY_ADDRESS;
    if (scope->physical_accesses && (a->has & b->has & EFFECT_HAS_PHYSICAL) &&
        a->physical != b->physical && !match_accept(match, SPOOR_TOLERATE_PHYSICAL))
        return SPOOR_DIFF_MEMORY_PHYSICAL;
    if (a->size && b->size && a->size != b->size) return SPOOR_DIFF_MEMORY_SIZE;
    /* The data must agree in every byte that both sides know. */
    if (!(a->has & b->has & EFFECT_HAS_VALUE)) return -1;
    if (a->size > 16 || b->size > 16)
        return a->value[0] == b->value[0] ? -1 : SPOOR_DIFF_MEMORY_DATA;
    for (unsigned half = 0; half < 2; half++) {
        const uint64_t differing = a->value[half] ^ b->value[half];
        const unsigned unknown = (unsigned)((a->unknown | b->unknown) >> (8 * half)) & 0xFF;
        for (unsigned i = 0; differing && i < 8; i++)
            if ((differing >> (8 * i) & 0xFF) && !(unknown >> i & 1)) return SPOOR_DIFF_MEMORY_DATA;
    }
    return -1;
}

/* Returns the index of a side's next access without a match, from `at` on; -1: none. */
static int match_next_access(const struct match *match, unsigned side, unsigned at)
{
    const struct unit_scope *scope = &match->diff->scope;
    for (unsigned i = at; i < match->counts[side]; i++) {
        const struct effect *effect = &match->effects[side][i];
        if (!match->done[side][i] && match_is_access(effect) &&
            (effect->kind == EFFECT_READ ? scope->reads : scope->writes))
            return (int)i;
    }
    return -1;
}

/* Returns a byte as a side's accesses of one kind state it; -1 if none does. */
static int match_byte_at(const struct match *match, unsigned side, unsigned kind, uint64_t address)
{
    int byte = -1;
    for (unsigned i = 0; i < match->counts[side]; i++) {
        const struct effect *effect = &match->effects[side][i];
        uint64_t at = address - effect->address;
        if (match->done[side][i] || effect->kind != kind || at >= effect->size || at >= 16 ||
            (effect->unknown >> at & 1))
            continue;
        byte = (int)(effect->value[at / 8] >> (8 * (at % 8)) & 0xFF);
        if (!(effect->has & EFFECT_HAS_VALUE)) byte = 256;
    }
    return byte;
}

/* True if the other side touches every byte that `side` touches, with the same value. */
static bool match_covers(const struct match *match, unsigned side, unsigned kind)
{
    for (unsigned i = 0; i < match->counts[side]; i++) {
        const struct effect *effect = &match->effects[side][i];
        if (match->done[side][i] || effect->kind != kind) continue;
        for (unsigned at = 0; at < effect->size && at < 16; at++) {
            if (effect->unknown >> at & 1) continue;
            int here = match_byte_at(match, side, kind, effect->address + at);
            int there = match_byte_at(match, 1 - side, kind, effect->address + at);
            if (there < 0 || (here != there && here < 256 && there < 256)) return false;
        }
    }
    return true;
}

static void match_finish_kind(struct match *match, unsigned kind)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < match->counts[side]; i++)
            if (match->effects[side][i].kind == kind) match->done[side][i] = true;
}

static void match_split(struct match *match, unsigned kind)
{
    if (!tolerates(match->diff, SPOOR_TOLERATE_SPLIT_MEMORY)) return;
    bool any = false;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < match->counts[side]; i++) {
            const struct effect *effect = &match->effects[side][i];
            if (match->done[side][i] || effect->kind != kind) continue;
            if (effect->size == 0 || effect->size > 16) return;
            any = true;
        }
    if (!any || !match_covers(match, 0, kind) || !match_covers(match, 1, kind)) return;
    match_accept(match, SPOOR_TOLERATE_SPLIT_MEMORY);
    match_finish_kind(match, kind);
}

static void match_accesses(struct match *match)
{
    /* A64 loads of a pair of general or vector registers (LDP, LDNP, LDPSW): a write of 16 bytes,
     * as gem5 prints them, is matched with the loads of the other side. */
    const struct unit *unit = match->units[0];
    bool loads_pair = unit->iset == 'O' && (unit->opcode & 0x3A400000) == 0x28400000 &&
                      tolerates(match->diff, SPOOR_TOLERATE_PAIR_LOADS);
    for (unsigned side = 0; side < 2 && loads_pair; side++) {
        const int wrong = match_next_access(match, side, 0);
        const int right = match_next_access(match, 1 - side, 0);
        if (wrong < 0 || match->effects[side][wrong].kind != EFFECT_WRITE || right < 0 ||
            match->effects[1 - side][right].kind != EFFECT_READ ||
            match->effects[1 - side][right].address != match->effects[side][wrong].address)
            continue;
        match_accept(match, SPOOR_TOLERATE_PAIR_LOADS);
        match_finish_kind(match, EFFECT_READ);
        match_finish_kind(match, EFFECT_WRITE);
        loads_pair = false;
    }
    unsigned counts[2] = {0, 0};
    for (unsigned side = 0; side < 2; side++)
        for (int i = -1; (i = match_next_access(match, side, (unsigned)(i + 1))) >= 0;)
            counts[side]++;
    const bool paired = counts[0] == counts[1];
    if (!paired || tolerates(match->diff, SPOOR_TOLERATE_MEMORY_ORDER) ||
        tolerates(match->diff, SPOOR_TOLERATE_SPLIT_MEMORY)) {
        /* Matches accesses that are equal, in any position. */
        for (int i = -1; (i = match_next_access(match, 0, (unsigned)(i + 1))) >= 0;) {
            for (int j = -1; (j = match_next_access(match, 1, (unsigned)(j + 1))) >= 0;) {
                struct comparison before = *match->result;
                if (match_access_class(match, &match->effects[0][i], &match->effects[1][j]) >= 0) {
                    *match->result = before;
                    continue;
                }
                bool first = j == match_next_access(match, 1, 0);
                match->done[0][i] = match->done[1][j] = true;
                match_times(match, i, j);
                if (paired && !first && !match_accept(match, SPOOR_TOLERATE_MEMORY_ORDER))
                    match_differ(match, SPOOR_DIFF_MEMORY_ORDER, i, j);
                break;
            }
        }
    }
    match_split(match, EFFECT_READ);
    match_split(match, EFFECT_WRITE);
    for (;;) {
        int left = match_next_access(match, 0, 0), right = match_next_access(match, 1, 0);
        if (left < 0 && right < 0) return;
        if (left >= 0) match->done[0][left] = true;
        if (right >= 0) match->done[1][right] = true;
        if (left < 0 || right < 0) {
            const unsigned silent = left < 0 ? 0 : 1;
            if (!match_accept_cut(match, silent) && !match_accept_further(match, silent, true))
                match_differ(match, left < 0 ? SPOOR_DIFF_EXTRA : SPOOR_DIFF_MISSING, left, right);
            continue;
        }
        const int class =
            match_access_class(match, &match->effects[0][left], &match->effects[1][right]);
        if (class >= 0) match_differ(match, (enum spoor_diff_class) class, left, right);
        match_times(match, left, right);
    }
}

/* ---- events and other fields ---- */

/* True if two events or fields of one name are the same.  What the addresses and values of events
 * are is up to their format. */
static bool match_same_content(const struct match *match, const struct effect *a,
                               const struct effect *b)
{
    if (a->value[0] != b->value[0]) return false;
    if (a->kind != EFFECT_EVENT || !match->diff->scope.fields) return true;
    const unsigned both = a->has & b->has;
    return !((both & EFFECT_HAS_ADDRESS) && a->address != b->address) &&
           !((both & EFFECT_HAS_PHYSICAL) && a->physical != b->physical);
}

/* Compares the effects of a kind that are known by their name alone, on both sides. */
static void match_rest(struct match *match, enum effect_kind kind)
{
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < match->counts[side]; i++) {
            const struct effect *effect = &match->effects[side][i];
            if (match->done[side][i] || effect->kind != kind) continue;
            if (kind != EFFECT_EVENT && !(match->diff->scope.fields >> effect->name & 1)) continue;
            /* Its namesake on the other side. */
            const unsigned other = 1 - side;
            int pair[2] = {-1, -1};
            for (unsigned j = 0; j < match->counts[other] && pair[other] < 0; j++)
                if (!match->done[other][j] && match->effects[other][j].kind == kind &&
                    match->effects[other][j].name == effect->name)
                    pair[other] = (int)j;
            pair[side] = (int)i;
            match->done[side][i] = true;
            if (pair[other] >= 0) {
                match->done[other][pair[other]] = true;
                match_times(match, pair[0], pair[1]);
                if (match_same_content(match, &match->effects[other][pair[other]], effect))
                    continue;
            } else if (match_accept_cut(match, other)) {
                continue;
            }
            const bool event = kind == EFFECT_EVENT;
            if (event && match_accept(match, SPOOR_TOLERATE_EVENTS)) continue;
            match_differ(match, event ? SPOOR_DIFF_EVENT : SPOOR_DIFF_FIELD, pair[0], pair[1]);
        }
    }
}

void units_compare(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                   const struct unit *left, const struct unit *right, struct comparison *result)
{
    *result = (struct comparison){0};
    struct match match = {
        .diff = diff, .cpu_pair = cpu_pair, .units = {left, right}, .result = result};
    for (unsigned side = 0; side < 2; side++) {
        match.effects[side] = unit_effects(&cpu_pair->queues[side], match.units[side]);
        match.counts[side] = match.units[side]->effect_count;
        if (match.counts[side] > MAX_EFFECTS) match.counts[side] = MAX_EFFECTS;
        const struct unit_queue *queue = &cpu_pair->queues[side];
        match.is_cut[side] = diff->ended[side] && unit_count(queue) == 1 &&
                             match.units[side] == unit_at(queue, queue->head);
    }
    match_heads(&match);
    if (left->kind == UNIT_PREAMBLE && right->kind == UNIT_PREAMBLE &&
        tolerates(diff, SPOOR_TOLERATE_INITIAL_STATE)) {
        match_accept(&match, SPOOR_TOLERATE_INITIAL_STATE);
        return;
    }
    if (diff->scope.registers) {
        for (unsigned i = 0; i < match.counts[0]; i++) {
            if (match.effects[0][i].kind != EFFECT_REGISTER) continue;
            int found = match_find_register(&match, 1, match.effects[0][i].name);
            if (found < 0) continue;
            match.done[0][i] = match.done[1][found] = true;
            match_values(&match, i, (unsigned)found);
            match_times(&match, (int)i, found);
        }
        for (unsigned i = 0; i < match.counts[0]; i++) {
            if (match.done[0][i] || match.effects[0][i].kind != EFFECT_REGISTER) continue;
            match.done[0][i] = true;
            if (!match_accept_lone_register(&match, 0, i) && !match_renamed(&match, i) &&
                !match_accept_further(&match, 1, false))
                match_differ(&match, SPOOR_DIFF_MISSING, (int)i, -1);
        }
        for (unsigned i = 0; i < match.counts[1]; i++) {
            if (match.done[1][i] || match.effects[1][i].kind != EFFECT_REGISTER) continue;
            match.done[1][i] = true;
            if (!match_accept_lone_register(&match, 1, i) &&
                !match_accept_further(&match, 0, false))
                match_differ(&match, SPOOR_DIFF_EXTRA, -1, (int)i);
        }
    }
    match_accesses(&match);
    if (diff->scope.events) match_rest(&match, EFFECT_EVENT);
    match_rest(&match, EFFECT_FIELD);
    if (left->effect_count > MAX_EFFECTS && result->count == 0 && left->whole != right->whole)
        match_differ(&match, SPOOR_DIFF_VALUE, -1,
                     -1); /* last: the differences above are more specific */
    /* Orders the classes of one pair by importance: the first difference names the pair. */
    for (unsigned i = 1; i < result->count && i < MAX_DIFFERENCES; i++) {
        uint8_t class = result->items[i].class;
        if (class != SPOOR_DIFF_FLOW && class != SPOOR_DIFF_OPCODE) continue;
        struct difference swapped = result->items[0];
        result->items[0] = result->items[i];
        result->items[i] = swapped;
    }
}
