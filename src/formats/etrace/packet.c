/* SPDX-License-Identifier: MIT */
/* packet.c: one packet of E-Trace, as bytes and as fields. */
#include "base/scan.h"
#include "formats/etrace/etrace.h"

enum {
    TYPE = 2, /* of a packet of instructions, in its first byte */
    TYPE_SHIFT = 5,
    MOST_BYTES = 31,
    MOST_BITS = 320, /* of a payload */
    IOPTIONS = 5,    /* bits */
    DOPTIONS = 4,
};

/* ---- parameters ---- */

const struct etrace_limits etrace_limits[ETRACE_PARAMETERS] = {
    [ETRACE_P_iaddress_width] = {"iaddress_width", 64, 8},
    [ETRACE_P_iaddress_lsb] = {"iaddress_lsb", 2, 0},
    [ETRACE_P_privilege_width] = {"privilege_width", 4, 1},
    [ETRACE_P_time_width] = {"time_width", 64, 0},
    [ETRACE_P_context_width] = {"context_width", 64, 0},
    [ETRACE_P_ecause_width] = {"ecause_width", 16, 1},
    [ETRACE_P_return_stack_size] = {"return_stack_size", 10, 0},
    [ETRACE_P_call_counter_size] = {"call_counter_size", 10, 0},
    [ETRACE_P_bpred_size] = {"bpred_size", 16, 0},
    [ETRACE_P_cache_size] = {"cache_size", 16, 0},
    [ETRACE_P_f0s_width] = {"f0s_width", 4, 0},
    [ETRACE_P_sijump] = {"sijump", 1, 0},
};

/* Of the reference flow. */
const struct etrace_sizes etrace_default_sizes = {.of = {
                                                      [ETRACE_P_iaddress_width] = 32,
                                                      [ETRACE_P_iaddress_lsb] = 1,
                                                      [ETRACE_P_privilege_width] = 2,
                                                      [ETRACE_P_context_width] = 32,
                                                      [ETRACE_P_ecause_width] = 5,
                                                  }};

const char *const etrace_dialects[] = {"rv32", "rv64", "rv32-lsb0", "rv64-lsb0", NULL};

static bool scan_name(struct scan *scan, const char *name)
{
    const size_t size = strlen(name);
    if ((size_t)(scan->end - scan->at) <= size || memcmp(scan->at, name, size) != 0 ||
        scan->at[size] != '=')
        return false;
    scan->at += size + 1;
    return true;
}

/* Reads "NAME=N" of a parameter; false: it is none, or out of range. */
static bool scan_parameter(struct scan *scan, struct etrace_sizes *sizes)
{
    uint64_t value;
    for (size_t i = 0; i < ETRACE_PARAMETERS; i++) {
        if (!scan_name(scan, etrace_limits[i].name)) continue;
        if (!scan_decimal(scan, &value) || value > etrace_limits[i].most ||
            value < etrace_limits[i].least)
            return false;
        sizes->of[i] = (uint8_t)value;
        return true;
    }
    return false;
}

/* One line "KEY_p=N" of a parameters file, which has others, too. */
static bool etrace_read_line(struct etrace_sizes *sizes, const char *at, size_t size, bool *known)
{
    char text[64];
    size_t used = 0;
    for (size_t i = 0; i < size && at[i] != '#' && used < sizeof text - 1; i++) {
        if (at[i] == ' ' || at[i] == '\t' || at[i] == '\r') continue;
        if (at[i] == '_' && i + 2 < size && at[i + 1] == 'p' &&
            (at[i + 2] == '=' || at[i + 2] == ' '))
            i++;
        else
            text[used++] = at[i];
    }
    text[used] = 0;
    struct scan scan = {text, text + used};
    if (used && SCAN_LITERAL(&scan, "notime=1")) sizes->of[ETRACE_P_time_width] = 0;
    if (used && SCAN_LITERAL(&scan, "nocontext=1")) sizes->of[ETRACE_P_context_width] = 0;
    for (size_t i = 0; i < ETRACE_PARAMETERS; i++) {
        const size_t length = strlen(etrace_limits[i].name);
        if (used <= length || memcmp(text, etrace_limits[i].name, length) != 0 ||
            text[length] != '=')
            continue;
        *known = true;
        return scan_parameter(&scan, sizes);
    }
    return true;
}

static bool etrace_read_file(struct etrace_sizes *sizes, const char *text)
{
    bool known = false;
    for (unsigned pass = 0; pass < 2; pass++) /* the widths before what makes them 0 */
        for (const char *at = text; *at; at += *at == '\n') {
            const size_t size = strcspn(at, "\n");
            if (!etrace_read_line(sizes, at, size, &known)) return false;
            at += size;
        }
    return known;
}

void etrace_complete_sizes(struct etrace_sizes *sizes)
{
    if (sizes->of[ETRACE_P_cache_size] && sizes->of[ETRACE_P_bpred_size] &&
        !sizes->of[ETRACE_P_f0s_width])
        sizes->of[ETRACE_P_f0s_width] = 1;
}

bool etrace_read_dialect(struct etrace_sizes *sizes, const char *dialect)
{
    *sizes = etrace_default_sizes;
    if (strchr(dialect, '\n')) {
        const bool good = etrace_read_file(sizes, dialect);
        etrace_complete_sizes(sizes);
        return good;
    }
    struct scan scan = {dialect, dialect + strlen(dialect)};
    const bool wide = SCAN_LITERAL(&scan, "rv64");
    if (wide || SCAN_LITERAL(&scan, "rv32")) {
        if (wide) sizes->of[ETRACE_P_iaddress_width] = 64;
        if (SCAN_LITERAL(&scan, "-lsb0")) sizes->of[ETRACE_P_iaddress_lsb] = 0;
        if (scan_done(&scan)) return true;
        if (!scan_char(&scan, ':')) return false;
    }
    do {
        if (!scan_parameter(&scan, sizes)) return false;
    } while (scan_char(&scan, ','));
    etrace_complete_sizes(sizes);
    return scan_done(&scan);
}

/* The bits of the depth of the stack of returns. */
static unsigned etrace_irdepth_bits(const struct etrace_sizes *sizes)
{
    const unsigned stack = sizes->of[ETRACE_P_return_stack_size];
    return stack + (stack > 0) + sizes->of[ETRACE_P_call_counter_size];
}

const char *etrace_name(unsigned kind)
{
    static const char *const names[ETRACE_KINDS] = {
        [ETRACE_COUNT] = "count",     [ETRACE_BRANCH] = "branch", [ETRACE_ADDRESS] = "address",
        [ETRACE_START] = "start",     [ETRACE_TRAP] = "trap",     [ETRACE_CONTEXT] = "context",
        [ETRACE_SUPPORT] = "support", [ETRACE_INDEX] = "index"};
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
    const unsigned kind = packet->kind;
    const unsigned code = etrace_address_bits(sizes) - sizes->of[ETRACE_P_iaddress_lsb];
    const bool start = kind == ETRACE_START, trap = kind == ETRACE_TRAP;
    const bool sync = start || trap, stated = sync || kind == ETRACE_CONTEXT;
    const bool branch = kind == ETRACE_BRANCH, index = kind == ETRACE_INDEX;
    const bool count = kind == ETRACE_COUNT;
    const bool delta = kind == ETRACE_ADDRESS ||
                       (branch && packet->value[ETRACE_F_branches] != 0) ||
                       (count && packet->value[ETRACE_F_branch_fmt] >= 2);
    const bool support = kind == ETRACE_SUPPORT;
    switch (field) {
    case ETRACE_F_branch_count: return count ? 32 : 0;
    case ETRACE_F_branch_fmt: return count ? 2 : 0;
    case ETRACE_F_index: return index ? sizes->of[ETRACE_P_cache_size] : 0;
    case ETRACE_F_branches: return branch || index ? 5 : 0;
    case ETRACE_F_branch_map:
        if (index && !packet->value[ETRACE_F_branches]) return 0;
        return branch || index ? branch_map_bits(packet->value[ETRACE_F_branches]) : 0;
    case ETRACE_F_branch: return sync;
    case ETRACE_F_privilege: return stated ? sizes->of[ETRACE_P_privilege_width] : 0;
    case ETRACE_F_time: return stated ? sizes->of[ETRACE_P_time_width] : 0;
    case ETRACE_F_context: return stated ? sizes->of[ETRACE_P_context_width] : 0;
    case ETRACE_F_ecause: return trap ? sizes->of[ETRACE_P_ecause_width] : 0;
    case ETRACE_F_interrupt:
    case ETRACE_F_thaddr: return trap;
    case ETRACE_F_address: return sync || delta ? code : 0;
    case ETRACE_F_tval:
        return trap && !packet->value[ETRACE_F_interrupt] ? etrace_address_bits(sizes) : 0;
    case ETRACE_F_notify:
    case ETRACE_F_updiscon: return delta;
    case ETRACE_F_irreport: return delta || index;
    case ETRACE_F_irdepth: return delta || index ? etrace_irdepth_bits(sizes) : 0;
    case ETRACE_F_ienable:
    case ETRACE_F_encoder_mode:
    case ETRACE_F_denable:
    case ETRACE_F_dloss: return support;
    case ETRACE_F_qual_status: return support ? 2 : 0;
    case ETRACE_F_ioptions: return support ? IOPTIONS + sizes->of[ETRACE_P_sijump] : 0;
    case ETRACE_F_doptions: return support ? DOPTIONS : 0;
    default: return 0;
    }
}

unsigned etrace_bit_before(const struct etrace_packet *packet, enum etrace_field field)
{
    const uint64_t branches = packet->value[ETRACE_F_branches];
    if (field == ETRACE_F_notify) return (unsigned)(packet->value[ETRACE_F_address] >> 63);
    if (field == ETRACE_F_updiscon) return packet->value[ETRACE_F_notify] & 1;
    if (packet->kind != ETRACE_INDEX) return packet->value[ETRACE_F_updiscon] & 1;
    if (!branches) return 0;
    return packet->value[ETRACE_F_branch_map] >> (branch_map_bits(branches) - 1) & 1;
}

/* The kind of a packet of format 0, where its bits do not say it. */
static unsigned etrace_only_extension(const struct etrace_sizes *sizes)
{
    return sizes->of[ETRACE_P_cache_size] ? ETRACE_INDEX : ETRACE_COUNT;
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
    const bool extension = packet->kind == ETRACE_INDEX || packet->kind == ETRACE_COUNT;
    const unsigned format = extension ? 0 : packet->kind >= ETRACE_START ? 3 : packet->kind;
    const unsigned subformat = extension ? packet->kind == ETRACE_INDEX : packet->kind;
    const unsigned more = extension ? sizes->of[ETRACE_P_f0s_width] : format == 3 ? 2 : 0;
    size_t count = 0;
    for (unsigned i = 0; i < 2; i++) bits[count++] = format >> i & 1;
    for (unsigned i = 0; i < more; i++) bits[count++] = subformat >> i & 1;
    for (enum etrace_field field = 0; field < ETRACE_FIELD_COUNT; field++) {
        const unsigned size = etrace_bits(packet, field, sizes);
        const uint64_t value = packet->value[field] >>
                               (field == ETRACE_F_address ? sizes->of[ETRACE_P_iaddress_lsb] : 0);
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
    if (packet->kind == 3) {
        packet->kind = (uint8_t)(ETRACE_START + etrace_take(&from, 2));
    } else if (packet->kind == 0) {
        const unsigned width = sizes->of[ETRACE_P_f0s_width];
        const uint64_t subformat = etrace_take(&from, width);
        if (!sizes->of[ETRACE_P_cache_size] && !sizes->of[ETRACE_P_bpred_size]) return false;
        if (subformat > 1) return false;
        packet->kind = (uint8_t)(!width      ? etrace_only_extension(sizes)
                                 : subformat ? ETRACE_INDEX
                                             : ETRACE_COUNT);
        if (!sizes->of[packet->kind == ETRACE_INDEX ? ETRACE_P_cache_size : ETRACE_P_bpred_size])
            return false;
    }
    for (enum etrace_field field = 0; field < ETRACE_FIELD_COUNT; field++) {
        const unsigned count = etrace_bits(packet, field, sizes);
        if (!count) continue;
        uint64_t value = etrace_take(&from, count);
        const bool delta = packet->kind < ETRACE_START;
        if (field == ETRACE_F_address) {
            if (delta && value >> (count - 1)) value |= count < 64 ? UINT64_MAX << count : 0;
            value <<= sizes->of[ETRACE_P_iaddress_lsb];
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
    [ETRACE_F_branch_count] = "branch_count",
    [ETRACE_F_branch_fmt] = "branch_fmt",
    [ETRACE_F_index] = "index",
    [ETRACE_F_branches] = "branches",
    [ETRACE_F_branch_map] = "branch_map",
    [ETRACE_F_branch] = "branch",
    [ETRACE_F_privilege] = "privilege",
    [ETRACE_F_time] = "time",
    [ETRACE_F_context] = "context",
    [ETRACE_F_ecause] = "ecause",
    [ETRACE_F_interrupt] = "interrupt",
    [ETRACE_F_thaddr] = "thaddr",
    [ETRACE_F_address] = "address",
    [ETRACE_F_tval] = "tval",
    [ETRACE_F_notify] = "notify",
    [ETRACE_F_updiscon] = "updiscon",
    [ETRACE_F_irreport] = "irreport",
    [ETRACE_F_irdepth] = "irdepth",
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
    for (size_t i = 0; i < ETRACE_PARAMETERS; i++) {
        if (i != ETRACE_P_iaddress_width && sizes->of[i] == etrace_default_sizes.of[i]) continue;
        text_printf(out, "%s%s=%u", before, etrace_limits[i].name, (unsigned)sizes->of[i]);
        before = " ";
    }
    if (packet->bytes) text_printf(out, " bytes=%u", (unsigned)packet->bytes);
}

bool etrace_read_fields(struct etrace_packet *packet, struct etrace_sizes *sizes, const char *text,
                        size_t size)
{
    struct scan scan = {text, text + size};
    *packet = (struct etrace_packet){.kind = packet->kind};
    *sizes = etrace_default_sizes;
    while (!scan_done(&scan)) {
        uint64_t value;
        enum etrace_field field = 0;
        scan_char(&scan, ' ');
        if (scan_parameter(&scan, sizes)) continue;
        if (scan_name(&scan, "bytes")) {
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
