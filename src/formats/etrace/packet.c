/* SPDX-License-Identifier: MIT */
/* packet.c: one packet of E-Trace, as bytes and as fields. */
#include "base/scan.h"
#include "formats/etrace/etrace.h"

enum {
    TYPE = 2, /* of a packet of instructions, in its first byte */
    TYPE_SHIFT = 5,
    MOST_BYTES = 31,
    MOST_BITS = 192, /* of a payload */
    PRIVILEGE = 2,   /* bits: the parameters of the reference flow */
    CONTEXT = 32,
    ECAUSE = 5,
    IOPTIONS = 5,
    DOPTIONS = 4,
};

const char *const etrace_dialects[] = {"rv32", "rv64", "rv32-lsb0", "rv64-lsb0", NULL};

struct etrace_sizes etrace_sizes_of(const struct spoor_decode_options *options)
{
    const char *dialect = options ? options->dialect : NULL;
    struct etrace_sizes sizes = {32, 1};
    if (!dialect) return sizes;
    if (strncmp(dialect, "rv64", 4) == 0) sizes.address_bits = 64;
    if (strlen(dialect) > 4) sizes.lowest = 0;
    return sizes;
}

const char *etrace_name(unsigned kind)
{
    static const char *const names[ETRACE_KINDS] = {
        [ETRACE_BRANCH] = "branch", [ETRACE_ADDRESS] = "address", [ETRACE_START] = "start",
        [ETRACE_TRAP] = "trap",     [ETRACE_CONTEXT] = "context", [ETRACE_SUPPORT] = "support"};
    return kind < ETRACE_KINDS ? names[kind] : NULL;
}

static unsigned branch_map_bits(uint64_t branches)
{
    unsigned bits = 1;
    while (bits < branches) bits = 2 * bits + 1;
    return branches ? bits : 31;
}

/* The bits of a field in this packet, of which those before are known; 0: it has none. */
static unsigned etrace_bits(const struct etrace_packet *packet, enum etrace_field field,
                            const struct etrace_sizes *sizes)
{
    const unsigned kind = packet->kind, code = sizes->address_bits - sizes->lowest;
    const bool start = kind == ETRACE_START, trap = kind == ETRACE_TRAP;
    const bool sync = start || trap, branch = kind == ETRACE_BRANCH;
    const bool delta = kind == ETRACE_ADDRESS || (branch && packet->value[ETRACE_F_branches] != 0);
    const bool support = kind == ETRACE_SUPPORT;
    switch (field) {
    case ETRACE_F_branches: return branch ? 5 : 0;
    case ETRACE_F_branch_map: return branch ? branch_map_bits(packet->value[ETRACE_F_branches]) : 0;
    case ETRACE_F_branch: return sync;
    case ETRACE_F_privilege: return sync || kind == ETRACE_CONTEXT ? PRIVILEGE : 0;
    case ETRACE_F_context: return sync || kind == ETRACE_CONTEXT ? CONTEXT : 0;
    case ETRACE_F_ecause: return trap ? ECAUSE : 0;
    case ETRACE_F_interrupt:
    case ETRACE_F_thaddr: return trap;
    case ETRACE_F_address: return sync || delta ? code : 0;
    case ETRACE_F_tval: return trap && !packet->value[ETRACE_F_interrupt] ? sizes->address_bits : 0;
    case ETRACE_F_notify:
    case ETRACE_F_updiscon:
    case ETRACE_F_irreport: return delta;
    case ETRACE_F_ienable:
    case ETRACE_F_encoder_mode:
    case ETRACE_F_denable:
    case ETRACE_F_dloss: return support;
    case ETRACE_F_qual_status: return support ? 2 : 0;
    case ETRACE_F_ioptions: return support ? IOPTIONS : 0;
    case ETRACE_F_doptions: return support ? DOPTIONS : 0;
    default: return 0;
    }
}

/* ---- bytes ---- */

struct etrace_bits {
    const uint8_t *bytes;
    size_t size, at; /* bits */
};

static unsigned etrace_bit(const struct etrace_bits *from, size_t at)
{
    if (at >= from->size) at = from->size - 1;
    return from->bytes[at / 8] >> at % 8 & 1;
}

static uint64_t etrace_take(struct etrace_bits *from, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bits; i++) value |= (uint64_t)etrace_bit(from, from->at++) << i;
    return value;
}

/* The bits of a payload, lowest first; how many there are. */
static size_t etrace_spread(const struct etrace_packet *packet, const struct etrace_sizes *sizes,
                            uint8_t bits[MOST_BITS])
{
    const unsigned format = packet->kind >= ETRACE_START ? 3 : packet->kind;
    size_t count = 0;
    for (unsigned i = 0; i < 2; i++) bits[count++] = format >> i & 1;
    for (unsigned i = 0; i < 2 && format == 3; i++) bits[count++] = packet->kind >> i & 1;
    for (enum etrace_field field = 0; field < ETRACE_FIELD_COUNT; field++) {
        const unsigned size = etrace_bits(packet, field, sizes);
        const uint64_t value =
            packet->value[field] >> (field == ETRACE_F_address ? sizes->lowest : 0);
        for (unsigned i = 0; i < size; i++) bits[count++] = value >> i & 1;
    }
    return count;
}

/* As few bytes as say all of them. */
static size_t etrace_fewest(const uint8_t bits[MOST_BITS], size_t count)
{
    size_t bytes = (count + 7) / 8;
    for (; bytes > 1; bytes--)
        for (size_t i = 8 * (bytes - 1); i < count; i++)
            if (bits[i] != bits[8 * (bytes - 1) - 1]) return bytes;
    return bytes;
}

bool etrace_read(struct etrace_packet *packet, const uint8_t *bytes, size_t size,
                 const struct etrace_sizes *sizes)
{
    struct etrace_bits from = {bytes, 8 * size, 0};
    uint8_t bits[MOST_BITS];
    *packet = (struct etrace_packet){.kind = (uint8_t)etrace_take(&from, 2)};
    if (packet->kind == 3) packet->kind = (uint8_t)(ETRACE_START + etrace_take(&from, 2));
    if (!etrace_name(packet->kind)) return false;
    for (enum etrace_field field = 0; field < ETRACE_FIELD_COUNT; field++) {
        const unsigned count = etrace_bits(packet, field, sizes);
        if (!count) continue;
        uint64_t value = etrace_take(&from, count);
        const bool delta = packet->kind == ETRACE_ADDRESS || packet->kind == ETRACE_BRANCH;
        if (field == ETRACE_F_address) {
            if (delta && value >> (count - 1)) value |= count < 64 ? UINT64_MAX << count : 0;
            value <<= sizes->lowest;
        }
        packet->value[field] = value;
        packet->has |= 1U << field;
    }
    for (size_t i = from.at; i < from.size; i++)
        if (etrace_bit(&from, i) != etrace_bit(&from, from.at - 1)) return false;
    const size_t fewest = etrace_fewest(bits, etrace_spread(packet, sizes, bits));
    if (fewest > MOST_BYTES) return false;
    packet->bytes = size == fewest ? 0 : (uint8_t)size;
    return true;
}

void etrace_put(const struct etrace_packet *packet, const struct etrace_sizes *sizes,
                struct text *out)
{
    uint8_t bits[MOST_BITS], bytes[1 + MOST_BYTES] = {0};
    const size_t count = etrace_spread(packet, sizes, bits);
    size_t size = packet->bytes ? packet->bytes : etrace_fewest(bits, count);
    if (size > MOST_BYTES) size = MOST_BYTES;
    bytes[0] = (uint8_t)(size | TYPE << TYPE_SHIFT);
    for (size_t i = 0; i < 8 * size; i++)
        bytes[1 + i / 8] = (uint8_t)(bytes[1 + i / 8] | bits[i < count ? i : count - 1] << i % 8);
    text_put(out, bytes, 1 + size);
}

/* ---- text ---- */

static const char *const field_names[ETRACE_FIELD_COUNT] = {
    [ETRACE_F_branches] = "branches",
    [ETRACE_F_branch_map] = "branch_map",
    [ETRACE_F_branch] = "branch",
    [ETRACE_F_privilege] = "privilege",
    [ETRACE_F_context] = "context",
    [ETRACE_F_ecause] = "ecause",
    [ETRACE_F_interrupt] = "interrupt",
    [ETRACE_F_thaddr] = "thaddr",
    [ETRACE_F_address] = "address",
    [ETRACE_F_tval] = "tval",
    [ETRACE_F_notify] = "notify",
    [ETRACE_F_updiscon] = "updiscon",
    [ETRACE_F_irreport] = "irreport",
    [ETRACE_F_ienable] = "ienable",
    [ETRACE_F_encoder_mode] = "encoder_mode",
    [ETRACE_F_qual_status] = "qual_status",
    [ETRACE_F_ioptions] = "ioptions",
    [ETRACE_F_denable] = "denable",
    [ETRACE_F_dloss] = "dloss",
    [ETRACE_F_doptions] = "doptions",
};

void etrace_put_fields(const struct etrace_packet *packet, const struct etrace_sizes *sizes,
                       struct text *out)
{
    const char *before = "";
    for (enum etrace_field field = 0; field < ETRACE_FIELD_COUNT; field++) {
        if (!(packet->has >> field & 1)) continue;
        const uint64_t value = packet->value[field];
        const bool negative =
            field == ETRACE_F_address && packet->kind < ETRACE_START && value >> 63;
        text_printf(out, "%s%s=%s0x%llx", before, field_names[field], negative ? "-" : "",
                    (unsigned long long)(negative ? 0 - value : value));
        before = " ";
    }
    text_printf(out, "%siaddress_width=%u", before, sizes->address_bits);
    if (sizes->lowest != 1) text_printf(out, " iaddress_lsb=%u", sizes->lowest);
    if (packet->bytes) text_printf(out, " bytes=%u", (unsigned)packet->bytes);
}

static bool scan_name(struct scan *scan, const char *name)
{
    const size_t size = strlen(name);
    if ((size_t)(scan->end - scan->at) <= size || memcmp(scan->at, name, size) != 0 ||
        scan->at[size] != '=')
        return false;
    scan->at += size + 1;
    return true;
}

bool etrace_read_fields(struct etrace_packet *packet, struct etrace_sizes *sizes, const char *text,
                        size_t size)
{
    struct scan scan = {text, text + size};
    *packet = (struct etrace_packet){.kind = packet->kind};
    *sizes = (struct etrace_sizes){32, 1};
    while (!scan_done(&scan)) {
        uint64_t value;
        enum etrace_field field = 0;
        scan_char(&scan, ' ');
        if (scan_name(&scan, "iaddress_width")) {
            if (!scan_decimal(&scan, &value) || (value != 32 && value != 64)) return false;
            sizes->address_bits = (unsigned)value;
        } else if (scan_name(&scan, "iaddress_lsb")) {
            if (!scan_decimal(&scan, &value) || value > 1) return false;
            sizes->lowest = (unsigned)value;
        } else if (scan_name(&scan, "bytes")) {
            if (!scan_decimal(&scan, &value) || value > MOST_BYTES) return false;
            packet->bytes = (uint8_t)value;
        } else {
            while (field < ETRACE_FIELD_COUNT && !scan_name(&scan, field_names[field])) field++;
            if (field == ETRACE_FIELD_COUNT) return false;
            const bool negative = scan_char(&scan, '-');
            if (!scan_char(&scan, '0') || !scan_char(&scan, 'x') ||
                !scan_hex(&scan, &value, NULL, NULL))
                return false;
            packet->value[field] = negative ? 0 - value : value;
            packet->has |= 1U << field;
        }
    }
    return true;
}
