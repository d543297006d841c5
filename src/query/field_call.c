/* SPDX-License-Identifier: MIT */
/* field_call.c: the fields of a record that are computed by functions. */
#include <string.h>

#include "model/bus.h"
#include "query/field_source.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers of up to 128 bits are returned as little-endian bytes of the record"
#endif

static struct spoor_value field_hex(uint64_t number, uint32_t unknown)
{
    return (struct spoor_value){.type = SPOOR_VALUE_HEX, .unknown = unknown, .number = number};
}

static struct spoor_value field_unsigned_number(uint64_t number)
{
    return (struct spoor_value){.type = SPOOR_VALUE_UNSIGNED, .number = number};
}

static struct spoor_value field_signed_number(int64_t number)
{
    return (struct spoor_value){.type = SPOOR_VALUE_SIGNED, .signed_number = number};
}

static struct spoor_value field_bytes(const void *bytes, size_t size, uint32_t unknown)
{
    return (struct spoor_value){
        .type = SPOOR_VALUE_BYTES, .unknown = unknown, .text = {bytes, size}};
}

static bool field_spill(const struct spoor_batch *batch, size_t index, enum spoor_spill_what what,
                        struct spoor_ref *ref)
{
    return (batch->records[index].has & SPOOR_IS_SPILLED) &&
           spoor_batch_find_spill(batch, index, what, ref);
}

/* ---- all kinds ---- */

/* The course's classes, the first that applies: see facts on the mix of micro-ops. */
const char *uop_op_word(unsigned op)
{
    if (op & SPOOR_UOP_LOAD) return "load";
    if (op & SPOOR_UOP_STORE) return "store";
    if (!(op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN))) return "other";
    if (op & SPOOR_UOP_READS_FLAGS) return "conditional";
    return op & SPOOR_UOP_WRITES_FLAGS ? "other" : "unconditional";
}

struct spoor_value op_word(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    return field_string(record->kind == SPOOR_UOP ? uop_op_word(record->op)
                                                  : spoor_op_name(record));
}

/* The word for the security of an address.  `unmarked`: the record has the address, so with nothing
 * appended it is Secure, if the trace states securities at all. */
static struct spoor_value field_security_named(const struct spoor_batch *batch, uint8_t security,
                                               bool unmarked)
{
    static const char *const words[] = {"", "s", "ns", "realm", "root"};
    const bool states = batch->stream && batch->stream->states_security;
    if (security == SPOOR_SEC_NONE && unmarked && states) return field_string("s");
    return field_string(security <= SPOOR_SEC_ROOT ? words[security] : "");
}

struct spoor_value security_word(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const bool physical = (record->has & SPOOR_HAS_PA) || record->kind == SPOOR_WALK;
    uint8_t security = SPOOR_SEC_NONE; /* of the physical address as it is printed */
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: security = record->insn.security; break;
    case SPOOR_FLOW: security = record->flow.security; break;
    case SPOOR_MEM: security = record->mem.security; break;
    case SPOOR_CACHEOP: security = record->cacheop.security; break;
    case SPOOR_CACHE: security = record->cache.security; break;
    case SPOOR_WALK: security = record->walk.security; break;
    case SPOOR_TLB: security = record->tlb.security; break;
    case SPOOR_EVENT: security = record->event.security; break;
    case SPOOR_BUS:
        if (!record->bus.given)
            security = record->bus.attr & SPOOR_BUS_SECURE ? SPOOR_SEC_S : SPOOR_SEC_NS;
        break;
    default: break;
    }
    return field_security_named(batch, security, physical);
}

struct spoor_value flow_target_security(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    return field_security_named(batch, record->flow.target_security, record->has & SPOOR_HAS_PA2);
}

struct spoor_value tlb_regime_security(const struct spoor_batch *batch, size_t index)
{
    return field_security_named(batch, batch->records[index].tlb.va_security, true);
}

struct spoor_value spilled_bytes(const struct spoor_batch *batch, size_t index)
{
    struct spoor_ref ref;
    if (field_spill(batch, index, SPOOR_SPILL_FIELD, &ref) ||
        field_spill(batch, index, SPOOR_SPILL_PA2, &ref))
        return field_bytes(spoor_batch_bytes(batch, ref), ref.size, 0);
    return field_absent();
}

/* The symbol of the main address as printed; of an event, its text if it has one. */
struct spoor_value symbol_text(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_ref ref = {0, 0};
    if (record->kind == SPOOR_EVENT) ref = record->event.text;
    if (!ref.size && !field_spill(batch, index, SPOOR_SPILL_SYMBOL, &ref)) return field_absent();
    return (struct spoor_value){.type = SPOOR_VALUE_TEXT,
                                .text = {spoor_batch_bytes(batch, ref), ref.size}};
}

/* ---- UOP ---- */

/* Called only for spilled records: others have the value in the member. */

struct spoor_value uop_step(const struct spoor_batch *batch, size_t index)
{
    return field_signed_number(spoor_uop_of(batch, index).step);
}
struct spoor_value uop_src1(const struct spoor_batch *batch, size_t index)
{
    return field_signed_number(spoor_uop_of(batch, index).src1);
}
struct spoor_value uop_src2(const struct spoor_batch *batch, size_t index)
{
    return field_signed_number(spoor_uop_of(batch, index).src2);
}
struct spoor_value uop_dest(const struct spoor_batch *batch, size_t index)
{
    return field_signed_number(spoor_uop_of(batch, index).dest);
}
struct spoor_value uop_fall(const struct spoor_batch *batch, size_t index)
{
    return field_hex(spoor_uop_of(batch, index).fall, 0);
}

/* ---- FLOW ---- */

/* True if the branch was taken, if the format states it. */
struct spoor_value flow_branch(const struct spoor_batch *batch, size_t index)
{
    const uint8_t op = batch->records[index].op;
    if (batch->records[index].has & SPOOR_HAS_EXTRA) return field_absent();
    if (!(op & (SPOOR_FLOW_TYPED | SPOOR_FLOW_NOT_TAKEN))) return field_absent();
    return field_string(op & SPOOR_FLOW_NOT_TAKEN ? "N" : "T");
}

/* ---- REG, MEM ---- */

struct spoor_value reg_value(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_reg *reg = &record->reg;
    if (!(record->has & SPOOR_HAS_DATA)) return field_absent();
    if (reg->wide.size)
        return field_bytes(spoor_batch_bytes(batch, reg->wide), reg->wide.size, reg->unknown);
    if (reg->bits <= 64) return field_hex(reg->value[0], reg->unknown);
    return field_bytes(reg->value, sizeof reg->value, reg->unknown);
}

struct spoor_value mem_data(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_mem *mem = &record->mem;
    if (!(record->has & SPOOR_HAS_DATA)) return field_absent();
    uint32_t unknown = 0; /* hex digits */
    for (unsigned byte = 0; mem->unknown >> byte; byte++)
        if (mem->unknown >> byte & 1) unknown |= UINT32_C(3) << (2 * byte);
    if (mem->wide.size)
        return field_bytes(spoor_batch_bytes(batch, mem->wide), mem->wide.size, unknown);
    if (mem->data[1] == 0 && unknown >> 16 == 0) return field_hex(mem->data[0], unknown);
    return field_bytes(mem->data, sizeof mem->data, unknown);
}

struct spoor_value mem_result(const struct spoor_batch *batch, size_t index)
{
    return field_string(batch->records[index].mem.attr & SPOOR_MEM_ABORTED ? "aborted" : "");
}

struct spoor_value mem_type(const struct spoor_batch *batch, size_t index)
{
    struct spoor_ref ref;
    if (!field_spill(batch, index, SPOOR_SPILL_MEMTYPE, &ref)) return field_absent();
    return (struct spoor_value){.type = SPOOR_VALUE_TEXT,
                                .text = {spoor_batch_bytes(batch, ref), ref.size}};
}

struct spoor_value mem_pc(const struct spoor_batch *batch, size_t index)
{
    struct spoor_ref ref;
    struct spoor_origin origin;
    if (!field_spill(batch, index, SPOOR_SPILL_ORIGIN, &ref)) return field_absent();
    memcpy(&origin, spoor_batch_bytes(batch, ref), sizeof origin);
    return field_hex(origin.pc, 0);
}

struct spoor_value mem_index(const struct spoor_batch *batch, size_t index)
{
    struct spoor_ref ref;
    struct spoor_origin origin;
    if (!field_spill(batch, index, SPOOR_SPILL_ORIGIN, &ref)) return field_absent();
    memcpy(&origin, spoor_batch_bytes(batch, ref), sizeof origin);
    if (origin.index == UINT64_MAX) return field_absent(); /* the trace states the pc only */
    return field_unsigned_number(origin.index);
}

/* ---- BUS ---- */

/* The processor that the record names, or that its agent id is. */
struct spoor_value bus_cpu(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (!(record->has & SPOOR_HAS_CPU))
        return (record->bus.given & SPOOR_BUS_GIVEN_AGENT)
                   ? field_string(bus_agent_name(record->bus.agent))
                   : field_absent();
    return field_name_of(batch, record->cpu);
}

struct spoor_value bus_data(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    struct spoor_ref ref;
    if (field_spill(batch, index, SPOOR_SPILL_DATA, &ref))
        return field_bytes(spoor_batch_bytes(batch, ref), ref.size, 0);
    if (!(record->has & SPOOR_HAS_DATA)) return field_absent();
    if (record->bus.data[1] == 0) return field_hex(record->bus.data[0], 0);
    return field_bytes(record->bus.data, sizeof record->bus.data, 0);
}

struct spoor_value bus_side(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_bus *bus = &batch->records[index].bus;
    if (bus->given) return field_absent();
    return field_string(bus->attr & SPOOR_BUS_OPCODE_FETCH ? "I" : "D");
}

/* "I<wrcbs> O<wrcbs>" for all values of enum spoor_bus_cacheability: the inner one varies fastest.
 */
/* clang-format off */
#define INNER(outer, letters) "I" letters " O" outer,
#define INNERS(outer, wr)                                                                       \
    INNER(outer, wr "___") INNER(outer, wr "__S") INNER(outer, wr "_B_") INNER(outer, wr "_BS") \
    INNER(outer, wr "C__") INNER(outer, wr "C_S") INNER(outer, wr "CB_") INNER(outer, wr "CBS")
#define OUTER(letters) \
    INNERS(letters, "__") INNERS(letters, "_R") INNERS(letters, "W_") INNERS(letters, "WR")
#define OUTERS(wr)                                                      \
    OUTER(wr "___") OUTER(wr "__S") OUTER(wr "_B_") OUTER(wr "_BS")     \
    OUTER(wr "C__") OUTER(wr "C_S") OUTER(wr "CB_") OUTER(wr "CBS")
static const char cacheabilities[1 << 10][sizeof "Iwrcbs Owrcbs"] = {
    OUTERS("__") OUTERS("_R") OUTERS("W_") OUTERS("WR")
};
/* clang-format on */

struct spoor_value bus_cached(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_bus *bus = &batch->records[index].bus;
    if (bus->given) return field_string(bus_cacheability_word(bus_cacheability(bus)));
    return field_string(cacheabilities[bus->cacheability & ((1 << 10) - 1)]);
}

/* ---- CACHEOP, WALK, TLB ---- */

struct spoor_value cacheop_data(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    bool raw = (record->has & (SPOOR_HAS_DATA | SPOOR_HAS_VA)) == SPOOR_HAS_DATA;
    return raw ? field_hex(record->cacheop.va, 0) : field_absent();
}

struct spoor_value walk_result(const struct spoor_batch *batch, size_t index)
{
    static const char *const words[SPOOR_WALK_RESULTS] = {
        [SPOOR_WALK_ABORTED] = "aborted",     [SPOOR_WALK_FAULT] = "fault",
        [SPOOR_WALK_RESERVED] = "reserved",   [SPOOR_WALK_TABLE] = "table",
        [SPOOR_WALK_BLOCK] = "block",         [SPOOR_WALK_SUPERSECTION] = "supersection",
        [SPOOR_WALK_SECTION] = "section",     [SPOOR_WALK_PAGETABLE] = "pagetable",
        [SPOOR_WALK_LARGEPAGE] = "largepage", [SPOOR_WALK_SMALLPAGE] = "smallpage",
    };
    uint8_t result = batch->records[index].walk.result;
    return field_string(result < SPOOR_WALK_RESULTS ? words[result] : "");
}

struct spoor_value tlb_vmid(const struct spoor_batch *batch, size_t index)
{
    uint32_t vmid = batch->records[index].tlb.vmid;
    return vmid == SPOOR_NO_VMID ? field_absent() : field_unsigned_number(vmid);
}

struct spoor_value tlb_asid(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_tlb *tlb = &batch->records[index].tlb;
    return tlb->non_global ? field_unsigned_number(tlb->asid) : field_absent();
}
