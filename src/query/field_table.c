/* SPDX-License-Identifier: MIT */
/*
 * field_table.c: the fields of each kind of record and their positions.
 *
 * Each list is read twice: as a table of sources and as a set of fields.
 */
#include <stddef.h>

#include "model/flag_letters.h"
#include "query/field_source.h"

#define MEMBER(member) \
    .at = offsetof(struct spoor_record, member), .size = sizeof(((struct spoor_record *)0)->member)
#define HEX(member) .type = SOURCE_HEX, MEMBER(member)
#define LOW_BYTE(member) .type = SOURCE_HEX, .at = offsetof(struct spoor_record, member), .size = 1
#define UNSIGNED(member) .type = SOURCE_UNSIGNED, MEMBER(member)
#define SIGNED(member) .type = SOURCE_SIGNED, MEMBER(member)
#define NAME(member) .type = SOURCE_NAME, MEMBER(member)
#define TEXT(member) .type = SOURCE_TEXT, MEMBER(member)
#define LETTER(member) .type = SOURCE_LETTER, MEMBER(member)
#define FLAG(member, bits) .type = SOURCE_FLAG, MEMBER(member), .mask = (bits)
#define CALL(function) .type = SOURCE_CALL, .get = (function)
#define WORD(function) .type = SOURCE_WORD, .get = (function)
#define PICK(bits, four) .type = SOURCE_PICK, MEMBER(op), .mask = (bits), .letters = (four)
#define PLAIN(how, member) .plain = SOURCE_##how, MEMBER(member)
#define MAY(bits) .may = (bits)
#define NEEDS(bit) .needs = SPOOR_HAS_##bit

#define EVERY_KIND(X) EVERY_KIND_ON(X, NAME(cpu), NEEDS(CPU))
#define EVERY_KIND_ON(X, ...)            \
    X(TIME, UNSIGNED(time), NEEDS(TIME)) \
    X(CPU, __VA_ARGS__)                  \
    X(EXTRA, CALL(spilled_bytes), MAY(SPOOR_IS_SPILLED))

#define NOTE_FIELDS(X)                          \
    EVERY_KIND(X)                               \
    X(OP, WORD(op_word), .quiet = QUIET_ALWAYS) \
    X(TEXT, TEXT(note.text))

#define UOP_FIELDS(X)                                                          \
    EVERY_KIND(X)                                                              \
    X(OP, WORD(op_word), .quiet = QUIET_ALWAYS)                                \
    X(PC, HEX(uop.pc))                                                         \
    X(TARGET, HEX(uop.target), .quiet = QUIET_ZERO)                            \
    X(UOP, CALL(uop_step), PLAIN(UNSIGNED, uop.step))                          \
    X(SRC1, CALL(uop_src1), PLAIN(SIGNED, uop.src1), .quiet = QUIET_MINUS_ONE) \
    X(SRC2, CALL(uop_src2), PLAIN(SIGNED, uop.src2), .quiet = QUIET_MINUS_ONE) \
    X(DEST, CALL(uop_dest), PLAIN(SIGNED, uop.dest), .quiet = QUIET_MINUS_ONE) \
    X(FLAGS, PICK(UOP_FLAGS_BITS, UOP_FLAGS_LETTERS), .quiet = QUIET_DASH)     \
    X(BRANCH, PICK(UOP_BRANCH_BITS, UOP_BRANCH_LETTERS), .quiet = QUIET_DASH)  \
    X(LDST, PICK(UOP_LDST_BITS, UOP_LDST_LETTERS), .quiet = QUIET_DASH)        \
    X(IMMEDIATE, SIGNED(uop.immediate), .quiet = QUIET_ZERO)                   \
    X(FALL, CALL(uop_fall), PLAIN(AFTER_PC, uop.fall))                         \
    X(MACRO, NAME(uop.macro))                                                  \
    X(MICRO, NAME(uop.micro))                                                  \
    X(ADDRESS, HEX(uop.address), .quiet = QUIET_ZERO)

#define INSN_FIELDS(X)                                                 \
    EVERY_KIND(X)                                                      \
    X(OP, WORD(op_word))                                               \
    X(PC, HEX(insn.va), NEEDS(VA))                                     \
    X(PC_PA, HEX(insn.pa), NEEDS(PA))                                  \
    X(SECURITY, CALL(security_word), NEEDS(PA))                        \
    X(INDEX, UNSIGNED(insn.index), NEEDS(INDEX))                       \
    X(OPCODE, HEX(insn.opcode), NEEDS(DATA))                           \
    X(OPCODE_SIZE, UNSIGNED(insn.opcode_size), .zero_is_absent = true) \
    X(ISET, LETTER(insn.iset))                                         \
    X(MODE, NAME(insn.mode), NEEDS(EXTRA))                             \
    X(DISASM, TEXT(insn.disasm))                                       \
    X(TEXT, CALL(symbol_text), MAY(SPOOR_IS_SPILLED))

#define FLOW_FIELDS(X)                                         \
    EVERY_KIND(X)                                              \
    X(OP, WORD(op_word))                                       \
    X(BRANCH, CALL(flow_branch))                               \
    X(PC, HEX(flow.va), NEEDS(VA))                             \
    X(PC_PA, HEX(flow.pa), NEEDS(PA))                          \
    X(SECURITY, CALL(security_word), NEEDS(PA))                \
    X(INDEX, UNSIGNED(flow.index), NEEDS(INDEX))               \
    X(ISET, LETTER(flow.iset))                                 \
    X(TARGET, HEX(flow.target), NEEDS(DATA))                   \
    X(TARGET_PA, HEX(flow.target_pa), NEEDS(PA2))              \
    X(TARGET_SECURITY, CALL(flow_target_security), NEEDS(PA2)) \
    X(TEXT, CALL(symbol_text), MAY(SPOOR_IS_SPILLED))

#define REG_FIELDS(X)                                   \
    EVERY_KIND(X)                                       \
    X(OP, WORD(op_word), .quiet = QUIET_ZERO)           \
    X(REG, NAME(reg.name))                              \
    X(VALUE, CALL(reg_value), NEEDS(DATA))              \
    X(BITS, UNSIGNED(reg.bits), .zero_is_absent = true) \
    X(BANK, NAME(reg.note))

#define MEM_FIELDS(X)                                   \
    EVERY_KIND(X)                                       \
    X(OP, WORD(op_word))                                \
    X(PC, CALL(mem_pc), MAY(SPOOR_IS_SPILLED))          \
    X(SECURITY, CALL(security_word), NEEDS(PA))         \
    X(INDEX, CALL(mem_index), MAY(SPOOR_IS_SPILLED))    \
    X(ADDRESS, HEX(mem.va), NEEDS(VA))                  \
    X(PA, HEX(mem.pa), NEEDS(PA))                       \
    X(SIZE, UNSIGNED(mem.size), .zero_is_absent = true) \
    X(DATA, CALL(mem_data), NEEDS(DATA))                \
    X(EXCLUSIVE, FLAG(mem.attr, SPOOR_MEM_EXCLUSIVE))   \
    X(TRANSLATED, FLAG(mem.attr, SPOOR_MEM_TRANSLATED)) \
    X(LOCKED, FLAG(mem.attr, SPOOR_MEM_LOCKED))         \
    X(PRIVILEGED, FLAG(mem.attr, SPOOR_MEM_PRIVILEGED)) \
    X(MEMTYPE, CALL(mem_type), MAY(SPOOR_IS_SPILLED))   \
    X(RESULT, CALL(mem_result))

#define BUS_FIELDS(X)                                                               \
    EVERY_KIND_ON(X, CALL(bus_cpu), .quiet = QUIET_GIVEN)                           \
    X(OP, WORD(op_word), .quiet = QUIET_ZERO)                                       \
    X(SECURITY, CALL(security_word), .not_given = true)                             \
    X(PA, HEX(bus.address))                                                         \
    X(SIZE, UNSIGNED(bus.size))                                                     \
    X(DATA, CALL(bus_data), MAY(SPOOR_HAS_DATA | SPOOR_IS_SPILLED))                 \
    X(EXCLUSIVE, FLAG(bus.attr, SPOOR_BUS_EXCLUSIVE))                               \
    X(LOCKED, FLAG(bus.attr, SPOOR_BUS_LOCKED))                                     \
    X(PRIVILEGED, FLAG(bus.attr, SPOOR_BUS_PRIVILEGED))                             \
    X(TYPE, HEX(bus.code), .given = SPOOR_BUS_GIVEN_TYPE | SPOOR_BUS_GIVEN_CONTROL) \
    X(DELTA, UNSIGNED(bus.delta), .given = SPOOR_BUS_GIVEN_DELTA)                   \
    X(ATTR, LOW_BYTE(bus.attr), .given = SPOOR_BUS_GIVEN_ATTRIBUTE)                 \
    X(AGENT, UNSIGNED(bus.agent), .given = SPOOR_BUS_GIVEN_AGENT)                   \
    X(ENABLES, HEX(bus.enables), .given = SPOOR_BUS_GIVEN_ENABLES)                  \
    X(CACHED, CALL(bus_cached), .quiet = QUIET_GIVEN)                               \
    X(MASTER, NAME(bus.master))                                                     \
    X(SIDE, CALL(bus_side), .not_given = true)

#define CACHEOP_FIELDS(X)                       \
    EVERY_KIND(X)                               \
    X(SECURITY, CALL(security_word), NEEDS(PA)) \
    X(ADDRESS, HEX(cacheop.va), NEEDS(VA))      \
    X(PA, HEX(cacheop.pa), NEEDS(PA))           \
    X(DATA, CALL(cacheop_data))                 \
    X(SIDE, NAME(cacheop.side))                 \
    X(OPERATION, NAME(cacheop.operation))       \
    X(SCOPE, NAME(cacheop.scope))               \
    X(REGION, NAME(cacheop.region))             \
    X(MEMTYPE, NAME(cacheop.memory_type))

#define CACHE_FIELDS(X)                         \
    EVERY_KIND(X)                               \
    X(OP, WORD(op_word))                        \
    X(SECURITY, CALL(security_word), NEEDS(PA)) \
    X(PA, HEX(cache.pa), NEEDS(PA))             \
    X(UNIT, NAME(cache.unit))                   \
    X(LINE_ID, HEX(cache.line))

#define WALK_FIELDS(X)                       \
    EVERY_KIND(X)                            \
    X(OP, WORD(op_word))                     \
    X(SECURITY, CALL(security_word))         \
    X(PA, HEX(walk.pa))                      \
    X(DATA, HEX(walk.entry), NEEDS(DATA))    \
    X(SIDE, NAME(walk.side))                 \
    X(TABLE_FORMAT, NAME(walk.table_format)) \
    X(STAGE, UNSIGNED(walk.stage))           \
    X(LEVEL, UNSIGNED(walk.level))           \
    X(RESULT, CALL(walk_result))             \
    X(ATTRIBUTES, TEXT(walk.attributes))

#define TLB_FIELDS(X)                             \
    EVERY_KIND(X)                                 \
    X(OP, WORD(op_word))                          \
    X(SECURITY, CALL(security_word), NEEDS(PA))   \
    X(REGIME_SECURITY, CALL(tlb_regime_security)) \
    X(ADDRESS, HEX(tlb.va))                       \
    X(PA, HEX(tlb.pa), NEEDS(PA))                 \
    X(REGION, NAME(tlb.region))                   \
    X(MEMTYPE, NAME(tlb.memory_type))             \
    X(UNIT, NAME(tlb.unit))                       \
    X(ATTRIBUTES, TEXT(tlb.attributes))           \
    X(REGIME, NAME(tlb.regime))                   \
    X(VMID, CALL(tlb_vmid))                       \
    X(ASID, CALL(tlb_asid))

#define EVENT_FIELDS(X)                         \
    EVERY_KIND(X)                               \
    X(OP, WORD(op_word))                        \
    X(SECURITY, CALL(security_word), NEEDS(PA)) \
    X(MODE, NAME(event.mode))                   \
    X(PA, HEX(event.value_pa), NEEDS(PA))       \
    X(VALUE, HEX(event.value), NEEDS(VA))       \
    X(NUMBER, HEX(event.number), NEEDS(INDEX))  \
    X(EVENT, NAME(event.name))                  \
    X(VALUE1, HEX(event.value1), NEEDS(EXTRA))  \
    X(TEXT, CALL(symbol_text), PLAIN(TEXT, event.text))

#define KINDS(X) \
    X(NOTE) X(UOP) X(INSN) X(FLOW) X(REG) X(MEM) X(BUS) X(CACHEOP) X(CACHE) X(WALK) X(TLB) X(EVENT)

#define SOURCE(id, ...) [SPOOR_FIELD_##id] = {__VA_ARGS__},
#define SOURCES(kind) [SPOOR_##kind] = {kind##_FIELDS(SOURCE)},
static const struct field_source sources[SPOOR_KINDS][SPOOR_FIELDS] = {KINDS(SOURCES)};

#define BIT(id, ...) SPOOR_FIELD_BIT(id) |
#define BITS(kind) [SPOOR_##kind] = kind##_FIELDS(BIT) 0,
static const spoor_field_set kind_fields[SPOOR_KINDS] = {KINDS(BITS)};

const struct field_source *field_source(unsigned kind, enum spoor_field field)
{
    static const struct field_source none = {.type = SOURCE_NONE};
    return kind < SPOOR_KINDS && field < SPOOR_FIELDS ? &sources[kind][field] : &none;
}

spoor_field_set spoor_kind_fields(enum spoor_kind kind)
{
    return (unsigned)kind < SPOOR_KINDS ? kind_fields[kind] : 0;
}
