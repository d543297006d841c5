/* SPDX-License-Identifier: MIT */
/* stf_records.c: where the records of STF and its groups end, and what a header states. */
#include "formats/stf/stf.h"

enum {
    MAX_TEXT = 1 << 20,    /* bytes of a comment */
    MAX_GROUP = 4 << 20,   /* bytes of a group or header */
    MAX_RECORDS = 1 << 14, /* of a group or header */
};

/* ---- sizes ---- */

enum { MAX_VECTOR_WORDS = 1024 };

static bool stf_is_register(const uint8_t *at)
{
    enum { REGISTERS = 32, CSRS = 4096 };
    const unsigned number = (unsigned)stf_number(at + 1, 2), kind = at[3] & 15;
    const unsigned operand = at[3] >> STF_OPERAND_SHIFT;
    return kind >= STF_INTEGER && kind <= STF_CSR && operand >= STF_STATE &&
           operand <= STF_DESTINATION && number < (kind == STF_CSR ? CSRS : REGISTERS);
}

static bool stf_is_vector(const uint8_t *at)
{
    return (at[3] & 15) == STF_VECTOR;
}

/* As stf_record_size(), with registers of vectors of so many 64-bit words. */
static enum stf_fit stf_size_with(const uint8_t *at, const uint8_t *end, unsigned words,
                                  size_t *size)
{
    const size_t left = (size_t)(end - at);
    if (left == 0) return STF_TOO_SHORT;
    size_t need;         /* bytes without what a count adds */
    size_t count_at = 0; /* a count, its bytes, the bytes of each, the maximum */
    unsigned count_size = 0, each = 1;
    uint64_t maximum = MAX_TEXT;
    switch (*at) {
    case STF_IDENTIFIER: need = 4; break;
    case STF_VERSION: need = 1 + 2 * 4; break;
    case STF_COMMENT:
    case STF_ISA_EXTENDED: need = 1 + 4, count_at = 1, count_size = 4; break;
    case STF_ISA:
    case STF_ENCODING:
    case STF_READY_REGISTER: need = 1 + 2; break;
    case STF_TRACE_INFO: need = 1 + 4 + 2, count_at = 5, count_size = 2; break;
    case STF_FEATURES:
    case STF_FORCE_PC:
    case STF_PC_TARGET:
    case STF_CONTENT:
    case STF_BUS_CONTENT:
    case STF_EVENT_TARGET: need = 1 + STF_ADDRESS; break;
    case STF_PROCESS: need = 1 + 3 * 4; break;
    case STF_VECTOR_LENGTH: need = 1 + 4; break;
    case STF_PROTOCOL: need = 1 + 1; break;
    case STF_CLOCK: need = 1 + 1 + 2, count_at = 2, count_size = 2; break;
    case STF_END_HEADER: need = 1; break;
    case STF_REGISTER:
        if (left < STF_REGISTER_HEAD) return STF_TOO_SHORT;
        if (!stf_is_register(at)) return STF_IMPOSSIBLE;
        need = STF_REGISTER_HEAD + 8 * (stf_is_vector(at) ? (size_t)words : 1);
        break;
    case STF_PAGE_WALK:
        need = 1 + STF_ADDRESS + 8 + 4 + 1, count_at = 21, count_size = 1, each = 16;
        break;
    case STF_ACCESS:
        need = 1 + STF_ADDRESS + 2 + 2 + 1;
        if (left >= need && (at[need - 1] < 1 || at[need - 1] > 2)) return STF_IMPOSSIBLE;
        break;
    case STF_BUS_ACCESS: need = 1 + STF_ADDRESS + 2 + 1 + 1 + 4 + 1; break;
    case STF_EVENT: {
        enum { NUMBER32 = 4, NUMBER64 = 8 };
        /* The number has 64 bits where a feature of the trace says so, else 32.  Of 64, the bytes
         * after the lowest four are zero but for the highest two bits; of 32, the next byte is a
         * count that is not zero, or the one after it the type of a record. */
        if (left < 1 + NUMBER64) return STF_TOO_SHORT;
        const bool wide = !at[5] && !at[6] && !at[7] && (at[8] & 0x3F) == 0;
        need = 1 + (wide ? NUMBER64 : NUMBER32) + 1;
        count_at = need - 1, count_size = 1, each = 8;
        break;
    }
    case STF_MICRO_OP: need = 1 + 1 + 4; break;
    case STF_OPCODE32: need = 1 + 4; break;
    case STF_OPCODE16: need = 1 + 2; break;
    default: return STF_IMPOSSIBLE;
    }
    if (left < need) return STF_TOO_SHORT;
    if (*at == STF_IDENTIFIER && memcmp(at + 1, "STF", 3) != 0) return STF_IMPOSSIBLE;
    if (count_size) {
        const uint64_t count = stf_number(at + count_at, count_size);
        if (count > maximum) return STF_IMPOSSIBLE;
        need += (size_t)count * each;
        if (left < need) return STF_TOO_SHORT;
    }
    *size = need;
    return STF_FITS;
}

enum stf_fit stf_record_size(const uint8_t *at, const uint8_t *end, unsigned known, size_t *size)
{
    enum { RUN = 12 /* records: their number of possible beginnings is 29 of 256 each */ };
    if (known || end - at < STF_REGISTER_HEAD || *at != STF_REGISTER || !stf_is_vector(at))
        return stf_size_with(at, end, known, size);
    if (!stf_is_register(at)) return STF_IMPOSSIBLE;
    for (unsigned words = 1; words <= MAX_VECTOR_WORDS; words *= 2) {
        const uint8_t *next = at;
        enum stf_fit fit = STF_FITS;
        size_t passed;
        unsigned run = 0;
        while (run < RUN && (fit = stf_size_with(next, end, words, &passed)) == STF_FITS) {
            next += passed;
            run++;
        }
        if (run == 0) return STF_TOO_SHORT;
        if (fit == STF_IMPOSSIBLE) continue;
        *size = STF_REGISTER_HEAD + 8 * (size_t)words;
        return STF_FITS;
    }
    return STF_IMPOSSIBLE;
}

enum stf_fit stf_group_size(const uint8_t *at, const uint8_t *end, unsigned words, size_t *size)
{
    const uint8_t *begin = at;
    const bool header = at < end && *at == STF_IDENTIFIER;
    for (unsigned records = 0; records < MAX_RECORDS && at - begin < MAX_GROUP; records++) {
        size_t passed;
        const enum stf_fit fit = stf_record_size(at, end, words, &passed);
        if (fit != STF_FITS) return fit;
        const uint8_t type = *at;
        at += passed;
        if (header ? type == STF_END_HEADER : type == STF_OPCODE32 || type == STF_OPCODE16) {
            *size = (size_t)(at - begin);
            return STF_FITS;
        }
        if (header ? type >= STF_PC_TARGET : type == STF_IDENTIFIER || type == STF_END_HEADER)
            return STF_IMPOSSIBLE;
    }
    return STF_IMPOSSIBLE;
}

/* ---- what a header states ---- */

const uint8_t *stf_find(const uint8_t *at, const uint8_t *end, unsigned words, enum stf_type type)
{
    const uint8_t *found = NULL;
    size_t size;
    for (; at < end && stf_record_size(at, end, words, &size) == STF_FITS; at += size)
        if (*at == type) found = at;
    return found;
}

bool stf_find_place(const uint8_t *at, const uint8_t *end, unsigned words, struct stf_place *place)
{
    const uint8_t *found = stf_find(at, end, words, STF_FORCE_PC);
    if (found) *place = (struct stf_place){stf_number(found + 1, STF_ADDRESS), true};
    return found != NULL;
}

struct stf_header stf_read_header(const uint8_t *at, const uint8_t *end)
{
    enum { WORD = 64, MAX_BITS = MAX_VECTOR_WORDS * WORD };
    struct stf_header header = {0};
    size_t size;
    for (; at < end && stf_record_size(at, end, 0, &size) == STF_FITS; at += size) {
        if (*at == STF_END_HEADER) break;
        if (*at == STF_PROTOCOL) header.protocol = at[1] ? at[1] : UINT8_MAX;
        if (*at == STF_CLOCK) header.clock = at[1], header.clocks++;
        if (*at == STF_ENCODING) header.encoding = (unsigned)stf_number(at + 1, 2);
        if (*at != STF_VECTOR_LENGTH) continue;
        const uint64_t bits = stf_number(at + 1, 4);
        header.words = bits <= MAX_BITS ? (unsigned)(bits + WORD - 1) / WORD : 0;
    }
    return header;
}

struct stf_header stf_header_of(const struct spoor_stream *stream)
{
    const bool has = stream->container_state && !stream->container;
    return has ? *(const struct stf_header *)stream->container_state : (struct stf_header){0};
}
