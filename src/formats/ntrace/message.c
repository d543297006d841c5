/* SPDX-License-Identifier: MIT */
/* message.c: one message of N-Trace, as bytes and as fields. */
#include "base/scan.h"
#include "formats/ntrace/ntrace.h"

enum { MDO = 6, MSEO = 2, MSEO_MASK = 3, FIELD_END = 1, MESSAGE_END = 3, MOST_BITS = 66 };

static const struct {
    const char *name;
    uint8_t bits; /* 0: it is of a variable size */
} ntrace_fields[NTRACE_FIELDS] = {
    [NTRACE_SRC] = {"SRC", 0},         [NTRACE_SYNC_REASON] = {"SYNC", 4},
    [NTRACE_BTYPE] = {"BTYPE", 2},     [NTRACE_ETYPE] = {"ETYPE", 4},
    [NTRACE_RCODE] = {"RCODE", 4},     [NTRACE_EVCODE] = {"EVCODE", 4},
    [NTRACE_CDF] = {"CDF", 2},         [NTRACE_PROCESS] = {"PROCESS", 0},
    [NTRACE_ECODE] = {"ECODE", 0},     [NTRACE_RDATA] = {"RDATA", 0},
    [NTRACE_HREPEAT] = {"HREPEAT", 0}, [NTRACE_BCNT] = {"BCNT", 0},
    [NTRACE_ICNT] = {"ICNT", 0},       [NTRACE_UADDR] = {"UADDR", 0},
    [NTRACE_FADDR] = {"FADDR", 0},     [NTRACE_HIST] = {"HIST", 0},
    [NTRACE_TSTAMP] = {"TSTAMP", 0},
};

enum { MOST_FIELDS = 6 };
static const struct ntrace_layout {
    uint8_t tcode;
    const char *name;
    uint8_t fields[MOST_FIELDS]; /* 0 after the last */
} ntrace_layouts[] = {
    {NTRACE_OWNERSHIP, "Ownership", {NTRACE_PROCESS}},
    {NTRACE_DIRECT, "DirectBranch", {NTRACE_ICNT}},
    {NTRACE_INDIRECT, "IndirectBranch", {NTRACE_BTYPE, NTRACE_ICNT, NTRACE_UADDR}},
    {NTRACE_ERROR, "Error", {NTRACE_ETYPE, NTRACE_ECODE}},
    {NTRACE_SYNC, "ProgTraceSync", {NTRACE_SYNC_REASON, NTRACE_ICNT, NTRACE_FADDR}},
    {NTRACE_DIRECT_SYNC, "DirectBranchSync", {NTRACE_SYNC_REASON, NTRACE_ICNT, NTRACE_FADDR}},
    {NTRACE_INDIRECT_SYNC,
     "IndirectBranchSync",
     {NTRACE_SYNC_REASON, NTRACE_BTYPE, NTRACE_ICNT, NTRACE_FADDR}},
    {NTRACE_FULL, "ResourceFull", {NTRACE_RCODE, NTRACE_RDATA, NTRACE_HREPEAT}},
    {NTRACE_INDIRECT_HISTORY,
     "IndirectBranchHist",
     {NTRACE_BTYPE, NTRACE_ICNT, NTRACE_UADDR, NTRACE_HIST}},
    {NTRACE_INDIRECT_HISTORY_SYNC,
     "IndirectBranchHistSync",
     {NTRACE_SYNC_REASON, NTRACE_BTYPE, NTRACE_ICNT, NTRACE_FADDR, NTRACE_HIST}},
    {NTRACE_REPEAT, "RepeatBranch", {NTRACE_BCNT}},
    {NTRACE_CORRELATION,
     "ProgTraceCorrelation",
     {NTRACE_EVCODE, NTRACE_CDF, NTRACE_ICNT, NTRACE_HIST}},
};

static const struct ntrace_layout *ntrace_layout_of(unsigned tcode)
{
    for (size_t i = 0; i < sizeof ntrace_layouts / sizeof *ntrace_layouts; i++)
        if (ntrace_layouts[i].tcode == tcode) return &ntrace_layouts[i];
    return NULL;
}

const char *ntrace_name(unsigned tcode)
{
    const struct ntrace_layout *layout = ntrace_layout_of(tcode);
    return layout ? layout->name : NULL;
}

/* Fields that only some messages of the kind have: by the value of one before. */
static bool ntrace_is_there(const struct ntrace_message *message, enum ntrace_field field)
{
    if (field == NTRACE_HREPEAT) return message->value[NTRACE_RCODE] == 2;
    return field != NTRACE_HIST || message->tcode != NTRACE_CORRELATION ||
           message->value[NTRACE_CDF] == 1;
}

/* ---- bytes ---- */

struct message_bits {
    const uint8_t *bytes;
    size_t size, at;
    unsigned bit; /* of the byte at `at` */
};

static bool message_take_fixed(struct message_bits *from, unsigned bits, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < bits; i++) {
        if (from->bit == MDO) {
            if (from->bytes[from->at] & MSEO_MASK) return false;
            from->at++;
            from->bit = 0;
        }
        *value |= (uint64_t)(from->bytes[from->at] >> (MSEO + from->bit++) & 1) << i;
    }
    return true;
}

/* False: it is longer than 64 bits, or has none. */
static bool message_take_variable(struct message_bits *from, uint64_t *value, uint8_t *size)
{
    unsigned bits = 0;
    bool fits = true;
    *value = 0;
    if (from->bit == MDO && !(from->bytes[from->at] & MSEO_MASK)) {
        from->at++;
        from->bit = 0;
    }
    for (bool ends = false; !ends; from->at++, from->bit = 0) {
        const uint8_t byte = from->bytes[from->at];
        const uint64_t part = (uint64_t)byte >> (MSEO + from->bit);
        fits &= bits < 64 ? part << bits >> bits == part : part == 0;
        if (bits < 64) *value |= part << bits;
        bits += MDO - from->bit;
        ends = byte & MSEO_MASK;
    }
    *size = bits <= UINT8_MAX ? (uint8_t)bits : UINT8_MAX;
    return fits && bits && bits <= MOST_BITS;
}

/* The bits that a variable field of the value needs, where `room` are left of a byte. */
static unsigned message_bits_of(uint64_t value, unsigned room)
{
    unsigned bits = room ? room : MDO;
    while (bits < 64 && value >> bits) bits += MDO;
    return bits;
}

const char *ntrace_read(struct ntrace_message *message, const uint8_t *bytes, size_t size,
                        unsigned source_bits)
{
    struct message_bits from = {bytes, size, 0, 0};
    uint64_t value;
    *message = (struct ntrace_message){.tcode = bytes[0] >> MSEO};
    from.bit = MDO;
    if (source_bits) {
        if (!message_take_fixed(&from, source_bits, &message->value[NTRACE_SRC]))
            return "a message with a source (SRC)";
        message->has |= 1U << NTRACE_SRC;
        message->bits[NTRACE_SRC] = (uint8_t)source_bits;
    }
    const struct ntrace_layout *layout = ntrace_layout_of(message->tcode);
    if (!layout) return "a message that N-Trace defines";
    for (size_t i = 0; i <= MOST_FIELDS; i++) {
        enum ntrace_field field = i < MOST_FIELDS ? layout->fields[i] : NTRACE_SRC;
        if (!field) field = NTRACE_TSTAMP;
        if (field < NTRACE_VARIABLE) {
            if (!message_take_fixed(&from, ntrace_fields[field].bits, &value))
                return "all fields of the message";
        } else {
            if (!ntrace_is_there(message, field)) continue;
            const unsigned room = MDO - from.bit;
            if (from.at == size && field == NTRACE_TSTAMP) return NULL;
            if (from.at == size) return "all fields of the message";
            if (!message_take_variable(&from, &value, &message->bits[field]))
                return "fields of 1 to 64 bits";
            if (message->bits[field] == message_bits_of(value, room)) message->bits[field] = 0;
        }
        message->value[field] = value;
        message->has |= 1U << field;
        if (field == NTRACE_TSTAMP) break;
    }
    return from.at == size ? NULL : "no field after the timestamp";
}

struct message_put {
    struct text *out;
    unsigned bit; /* used of the last byte: of none, MDO */
};

static void message_put_bits(struct message_put *to, uint64_t value, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++) {
        if (to->bit == MDO) {
            text_put(to->out, "", 1);
            to->bit = 0;
        }
        if (to->out->failed) return;
        const uint64_t bit = i < 64 ? value >> i & 1 : 0;
        char *byte = &to->out->bytes[to->out->size - 1];
        *byte = (char)((uint8_t)*byte | bit << (MSEO + to->bit));
        to->bit++;
    }
}

void ntrace_put(const struct ntrace_message *message, struct text *out)
{
    struct message_put to = {out, MDO};
    const struct ntrace_layout *layout = ntrace_layout_of(message->tcode);
    if (!layout) return;
    message_put_bits(&to, message->tcode, MDO);
    message_put_bits(&to, message->value[NTRACE_SRC], message->bits[NTRACE_SRC]);
    for (size_t i = 0; i <= MOST_FIELDS; i++) {
        enum ntrace_field field = i < MOST_FIELDS ? layout->fields[i] : NTRACE_SRC;
        if (!field) field = NTRACE_TSTAMP;
        if (ntrace_has(message, field)) {
            const uint64_t value = message->value[field];
            if (field < NTRACE_VARIABLE) {
                message_put_bits(&to, value, ntrace_fields[field].bits);
            } else {
                const unsigned bits = message->bits[field] ? message->bits[field]
                                                           : message_bits_of(value, MDO - to.bit);
                message_put_bits(&to, value, bits);
                if (out->failed) return;
                out->bytes[out->size - 1] = (char)(out->bytes[out->size - 1] | FIELD_END);
                to.bit = MDO;
            }
        }
        if (field == NTRACE_TSTAMP) break;
    }
    if (!out->failed) out->bytes[out->size - 1] = (char)(out->bytes[out->size - 1] | MESSAGE_END);
}

/* ---- text ---- */

void ntrace_put_fields(const struct ntrace_message *message, struct text *out)
{
    const char *before = "";
    for (enum ntrace_field field = 0; field < NTRACE_FIELDS; field++) {
        if (!ntrace_has(message, field)) continue;
        text_printf(out, "%s%s", before, ntrace_fields[field].name);
        if (message->bits[field]) text_printf(out, "[%u]", (unsigned)message->bits[field]);
        text_printf(out, "=0x%llx", (unsigned long long)message->value[field]);
        before = " ";
    }
}

bool ntrace_read_fields(struct ntrace_message *message, const char *text, size_t size)
{
    struct scan scan = {text, text + size};
    *message = (struct ntrace_message){.tcode = message->tcode};
    while (!scan_done(&scan)) {
        enum ntrace_field field = 0;
        uint64_t value;
        scan_char(&scan, ' ');
        for (size_t length; field < NTRACE_FIELDS; field++) {
            length = strlen(ntrace_fields[field].name);
            if ((size_t)(scan.end - scan.at) <= length ||
                memcmp(scan.at, ntrace_fields[field].name, length) != 0 ||
                (scan.at[length] != '=' && scan.at[length] != '['))
                continue;
            scan.at += length;
            break;
        }
        if (field == NTRACE_FIELDS) return false;
        if (scan_char(&scan, '[')) {
            if (!scan_decimal(&scan, &value) || value > MOST_BITS || !scan_char(&scan, ']'))
                return false;
            message->bits[field] = (uint8_t)value;
        }
        if (!scan_char(&scan, '=') || !scan_char(&scan, '0') || !scan_char(&scan, 'x') ||
            !scan_hex(&scan, &value, NULL, NULL))
            return false;
        message->value[field] = value;
        message->has |= 1U << field;
    }
    return true;
}
