/* SPDX-License-Identifier: MIT */
/* mapping.c: reads the lines of a mapping. */
#include "wave/mapping.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "model/error.h"

static const char *const names[WAVE_FIELDS] = {
    [WAVE_WHEN] = "when",
    [WAVE_ORDER] = "order",
    [WAVE_CPU] = "cpu",
    [WAVE_ID] = "id",
    [WAVE_PC] = "pc",
    [WAVE_INSN] = "insn",
    [WAVE_MODE] = "mode",
    [WAVE_TRAP] = "trap",
    [WAVE_INTR] = "intr",
    [WAVE_RS1] = "rs1",
    [WAVE_RS1_VALUE] = "rs1.value",
    [WAVE_RS2] = "rs2",
    [WAVE_RS2_VALUE] = "rs2.value",
    [WAVE_RD] = "rd",
    [WAVE_RD_VALUE] = "rd.value",
    [WAVE_RD_WHEN] = "rd.when",
    [WAVE_RD_WAITS] = "rd.waits",
    [WAVE_LATE_WHEN] = "late.when",
    [WAVE_LATE_RD] = "late.rd",
    [WAVE_LATE_RD_VALUE] = "late.rd.value",
    [WAVE_FRD] = "frd",
    [WAVE_FRD_VALUE] = "frd.value",
    [WAVE_FRD_WHEN] = "frd.when",
    [WAVE_X_WRITE_MASK] = "x.write.mask",
    [WAVE_X_WRITE_VALUES] = "x.write.values",
    [WAVE_F_WRITE_MASK] = "f.write.mask",
    [WAVE_F_WRITE_VALUES] = "f.write.values",
    [WAVE_V_WRITE_MASK] = "v.write.mask",
    [WAVE_V_WRITE_VALUES] = "v.write.values",
    [WAVE_CSR_WRITE_MASK] = "csr.write.mask",
    [WAVE_CSR_WRITE_VALUES] = "csr.write.values",
    [WAVE_MEM_ADDR] = "mem.addr",
    [WAVE_MEM_READ_MASK] = "mem.read.mask",
    [WAVE_MEM_READ_DATA] = "mem.read.data",
    [WAVE_MEM_WRITE_MASK] = "mem.write.mask",
    [WAVE_MEM_WRITE_DATA] = "mem.write.data",
};

enum { NESTING = 32, MOST_PORTS = 64, MOST_NODES = 4096 };

struct mapping_reader {
    struct wave_mapping *mapping;
    const char *path;
    struct spoor_error *error;
    unsigned line;
    const char *begin, *at, *end; /* the line, and what is left of it */
    bool optional, wide, failed;
    unsigned depth;
};

static bool __attribute__((format(printf, 3, 4)))
mapping_fail(struct mapping_reader *reader, const char *at, const char *format, ...)
{
    char words[256];
    va_list arguments;
    if (reader->failed) return false;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    spoor_error_set(reader->error, SPOOR_EINPUT, "%s:%u:%zu: expected %s", reader->path,
                    reader->line, (size_t)(at - reader->begin) + 1, words);
    reader->failed = true;
    return false;
}

static bool mapping_no_memory(struct mapping_reader *reader)
{
    if (!reader->failed) error_no_memory(reader->error);
    reader->failed = true;
    return false;
}

static bool is_mapping_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool wave_is_mapping_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

static void mapping_skip(struct mapping_reader *reader)
{
    while (reader->at < reader->end && is_mapping_blank(*reader->at)) reader->at++;
}

static struct spoor_slice mapping_word(struct mapping_reader *reader)
{
    const char *begin = reader->at;
    while (reader->at < reader->end && wave_is_mapping_letter(*reader->at)) reader->at++;
    return (struct spoor_slice){begin, (size_t)(reader->at - begin)};
}

static bool mapping_is(struct spoor_slice slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.bytes, text, slice.size) == 0;
}

static bool mapping_take(struct mapping_reader *reader, const char *text)
{
    const size_t size = strlen(text);
    mapping_skip(reader);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, text, size) != 0)
        return false;
    const bool is_word = wave_is_mapping_letter(*text);
    if (is_word && reader->at + size < reader->end && wave_is_mapping_letter(reader->at[size]))
        return false;
    reader->at += size;
    return true;
}

static const char *mapping_skip_blanks(const char *at, const char *end)
{
    while (at < end && is_mapping_blank(*at)) at++;
    return at;
}

static const char *mapping_skip_word(const char *at, const char *end)
{
    while (at < end && wave_is_mapping_letter(*at)) at++;
    return at;
}

/* "stage NAME when ...", "stall NAME when ...". */
static bool mapping_is_stage(const char *at, const char *end)
{
    const char *word = mapping_skip_word(at, end);
    const struct spoor_slice first = {at, (size_t)(word - at)};
    if (!mapping_is(first, "stage") && !mapping_is(first, "stall")) return false;
    at = mapping_skip_blanks(word, end);
    if (at == word) return false;
    word = mapping_skip_word(at, end);
    if (word == at) return false;
    at = mapping_skip_blanks(word, end);
    if (at == word) return false;
    if (at < end && *at == '?') at++;
    word = mapping_skip_word(at, end);
    return mapping_is((struct spoor_slice){at, (size_t)(word - at)}, "when");
}

bool wave_mapping_has_line(struct spoor_slice line)
{
    const char *at = line.bytes, *end = at + line.size;
    if (mapping_is_stage(at, end)) return true;
    if (at < end && *at == '[') return memchr(at, ']', line.size) && !memchr(at, ':', line.size);
    at = mapping_skip_word(at, end);
    if (at == line.bytes) return false;
    at = mapping_skip_blanks(at, end);
    if (at < end && *at == '?') at++;
    return at < end && *at == '=';
}

/* ---- expressions ---- */

static int mapping_add_node(struct mapping_reader *reader, struct wave_node node)
{
    struct wave_mapping *mapping = reader->mapping;
    if (mapping->node_count == MOST_NODES)
        return mapping_fail(reader, reader->at, "a smaller mapping"), WAVE_ABSENT;
    if (!array_reserve(&mapping->nodes, &mapping->node_capacity, mapping->node_count + 1))
        return mapping_no_memory(reader), WAVE_ABSENT;
    node.line = reader->line;
    mapping->nodes[mapping->node_count] = node;
    return (int)mapping->node_count++;
}

static bool mapping_number(struct mapping_reader *reader, uint64_t *value)
{
    const char *begin = reader->at;
    const bool hex =
        reader->end - begin > 2 && begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    const unsigned base = hex ? 16 : 10;
    const char *digits = begin + (hex ? 2 : 0);
    *value = 0;
    for (reader->at = digits; reader->at < reader->end; reader->at++) {
        const char c = *reader->at;
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                      : 99;
        if (digit >= base) break;
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return mapping_fail(reader, begin, "a number of at most 64 bits");
    }
    return reader->at > digits || mapping_fail(reader, begin, "digits");
}

/* Takes "[0]" before a further part of a path, or "[NAME]" or "{NAME}", an index: false: there is
 * none. */
static bool mapping_take_element(struct mapping_reader *reader)
{
    const char *at = reader->at;
    if (at == reader->end || (*at != '[' && *at != '{')) return false;
    const bool bare = *at++ == '{'; /* the number alone stands in the name */
    const bool is_index = at < reader->end && wave_is_mapping_letter(*at) && !ascii_is_digit(*at);
    while (at < reader->end && (is_index ? wave_is_mapping_letter(*at) : ascii_is_digit(*at))) at++;
    if (at == reader->end || *at++ != (bare ? '}' : ']') || (bare && !is_index)) return false;
    if (!is_index && (at == reader->end || (*at != '.' && *at != '['))) return false;
    reader->at = at;
    if (at < reader->end && (bare || *at == '.')) mapping_word(reader);
    return true;
}

static bool mapping_is_same(struct spoor_slice left, struct spoor_slice right)
{
    return left.size == right.size && memcmp(left.bytes, right.bytes, left.size) == 0;
}

/* The n-th index, "[NAME]" or "{NAME}", of a path; an empty one: it has fewer. */
static struct spoor_slice mapping_index(struct spoor_slice path, unsigned n)
{
    const char *end = path.bytes + path.size, *at = path.bytes;
    while (at < end) {
        const char opening = *at++;
        if (opening != '[' && opening != '{') continue;
        const char *close = memchr(at, opening == '[' ? ']' : '}', (size_t)(end - at));
        if (!close) break;
        if (!ascii_is_digit(*at) && n-- == 0) return (struct spoor_slice){at, (size_t)(close - at)};
    }
    return (struct spoor_slice){"", 0};
}

/* NAME [ "[" BIT [ ":" LOW ] "]" ] { "," ... }: the number of the first. */
static int mapping_read_reference(struct mapping_reader *reader)
{
    struct wave_mapping *mapping = reader->mapping;
    const size_t first = mapping->reference_count;
    do {
        mapping_skip(reader);
        const char *place = reader->at;
        struct wave_reference reference = {.path = mapping_word(reader),
                                           .optional = reader->optional,
                                           .wide = reader->wide,
                                           .line = reader->line,
                                           .column = (unsigned)(place - reader->begin) + 1};
        while (mapping_take_element(reader)) /* "port[0].valid", "valid[hart][slot]" */
            reference.path.size = (size_t)(reader->at - place);
        if (!reference.path.size)
            return mapping_fail(reader, place, "the name of a signal"), WAVE_ABSENT;
        if (reader->at < reader->end && *reader->at == '[') {
            uint64_t high, low;
            reader->at++;
            if (!mapping_number(reader, &high)) return WAVE_ABSENT;
            low = high;
            if (reader->at < reader->end && *reader->at == ':') {
                reader->at++;
                if (!mapping_number(reader, &low)) return WAVE_ABSENT;
            }
            if (reader->at == reader->end || *reader->at != ']')
                return mapping_fail(reader, reader->at, "] after the bits"), WAVE_ABSENT;
            reader->at++;
            if (high > UINT16_MAX || low > UINT16_MAX)
                return mapping_fail(reader, place, "bits below 65536"), WAVE_ABSENT;
            reference.sliced = true;
            reference.high = (uint32_t)high;
            reference.low = (uint32_t)low;
        }
        if (!array_reserve(&mapping->references, &mapping->reference_capacity,
                           mapping->reference_count + 1))
            return mapping_no_memory(reader), WAVE_ABSENT;
        if (mapping->reference_count > first)
            mapping->references[mapping->reference_count - 1].more = true;
        mapping->references[mapping->reference_count++] = reference;
    } while (mapping_take(reader, ","));
    return (int)first;
}

enum { MAPPING_COMPARISON = 2 /* the level of == and != */ };
static int mapping_read_binary(struct mapping_reader *reader, unsigned level);

static int mapping_read_unary(struct mapping_reader *reader)
{
    mapping_skip(reader);
    const char *place = reader->at;
    if (reader->depth == NESTING)
        return mapping_fail(reader, place, "at most %d levels", NESTING), WAVE_ABSENT;
    int node = WAVE_ABSENT;
    reader->depth++;
    if (mapping_take(reader, "not") || mapping_take(reader, "!")) {
        const int left = mapping_read_binary(reader, MAPPING_COMPARISON); /* as --where has it */
        if (left >= 0)
            node = mapping_add_node(reader, (struct wave_node){.op = WAVE_NOT, .left = left});
    } else if (mapping_take(reader, "(")) {
        node = mapping_read_binary(reader, 0);
        if (node >= 0 && !mapping_take(reader, ")"))
            node = (mapping_fail(reader, reader->at, ")"), WAVE_ABSENT);
    } else if (place < reader->end && *place >= '0' && *place <= '9') {
        uint64_t number;
        if (mapping_number(reader, &number))
            node =
                mapping_add_node(reader, (struct wave_node){.op = WAVE_NUMBER, .number = number});
    } else {
        const int reference = mapping_read_reference(reader);
        if (reference >= 0)
            node = mapping_add_node(
                reader, (struct wave_node){.op = WAVE_SIGNAL, .reference = (unsigned)reference});
    }
    reader->depth--;
    return node;
}

static int mapping_read_binary(struct mapping_reader *reader, unsigned level)
{
    static const struct {
        const char *text[2];
        enum wave_op op;
    } levels[][2] = {
        {{{"or", "||"}, WAVE_OR}, {{"or", "|"}, WAVE_OR}},
        {{{"and", "&&"}, WAVE_AND}, {{"and", "&"}, WAVE_AND}},
        {{{"==", "=="}, WAVE_EQUAL}, {{"!=", "!="}, WAVE_UNEQUAL}},
    };
    if (level == sizeof levels / sizeof *levels) return mapping_read_unary(reader);
    int left = mapping_read_binary(reader, level + 1);
    while (left >= 0) {
        unsigned found = 0;
        for (; found < 2; found++)
            if (mapping_take(reader, levels[level][found].text[0]) ||
                mapping_take(reader, levels[level][found].text[1]))
                break;
        if (found == 2) break;
        const int right = mapping_read_binary(reader, level + 1);
        left = right < 0
                   ? WAVE_ABSENT
                   : mapping_add_node(reader, (struct wave_node){.op = levels[level][found].op,
                                                                 .left = left,
                                                                 .right = right});
    }
    return left;
}

/* ---- lines ---- */

static struct wave_port *mapping_add_port(struct mapping_reader *reader, struct spoor_slice name)
{
    struct wave_mapping *mapping = reader->mapping;
    if (mapping->port_count == MOST_PORTS)
        return mapping_fail(reader, reader->begin, "at most %d ports", MOST_PORTS), NULL;
    if (!array_reserve(&mapping->ports, &mapping->port_capacity, mapping->port_count + 1))
        return mapping_no_memory(reader), NULL;
    struct wave_port *port = &mapping->ports[mapping->port_count++];
    port->name = name;
    port->line = reader->line;
    for (unsigned i = 0; i < WAVE_FIELDS; i++) port->fields[i] = WAVE_ABSENT;
    return port;
}

/* stage NAME when EXPRESSION id EXPRESSION; stall NAME when EXPRESSION. */
static bool mapping_read_stage(struct mapping_reader *reader)
{
    struct wave_mapping *mapping = reader->mapping;
    const char *place = reader->at;
    const bool is_stage = mapping_is(mapping_word(reader), "stage");
    mapping_skip(reader);
    const struct spoor_slice name = mapping_word(reader);
    if (memchr(name.bytes, '.', name.size) || memchr(name.bytes, '$', name.size))
        return mapping_fail(reader, name.bytes, "a name of letters, digits and _");
    if (!is_stage && mapping_is(name, "base"))
        return mapping_fail(reader, name.bytes,
                            "another name: base is the cycles in which an instruction retires");
    reader->optional = mapping_take(reader, "?");
    (void)mapping_take(reader, "when");
    const int when = mapping_read_binary(reader, 0);
    if (when < 0) return false;
    if ((is_stage ? mapping->stage_count : mapping->stall_count) == WAVE_STAGES)
        return mapping_fail(reader, place, "at most %d lines %s", WAVE_STAGES,
                            is_stage ? "stage" : "stall");
    if (!is_stage) {
        if (!array_reserve(&mapping->stalls, &mapping->stall_capacity, mapping->stall_count + 1))
            return mapping_no_memory(reader);
        mapping->stalls[mapping->stall_count++] = (struct wave_stall){name, when};
        return true;
    }
    if (!mapping_take(reader, "id"))
        return mapping_fail(reader, reader->at, "id EXPRESSION, which tells instructions apart");
    const int id = mapping_read_binary(reader, 0);
    if (id < 0) return false;
    if (!array_reserve(&mapping->stages, &mapping->stage_capacity, mapping->stage_count + 1))
        return mapping_no_memory(reader);
    unsigned rank = (unsigned)mapping->stage_count, same = 0;
    while (same < rank && !mapping_is_same(mapping->stages[same].name, name)) same++;
    if (same < rank && mapping->stages[rank - 1].rank != same)
        return mapping_fail(reader, place, "the lines of one stage one after the other");
    mapping->stages[mapping->stage_count++] = (struct wave_stage){name, when, id, same};
    return true;
}

static bool mapping_read_line(struct mapping_reader *reader)
{
    struct wave_mapping *mapping = reader->mapping;
    if (mapping_is_stage(reader->at, reader->end)) return mapping_read_stage(reader);
    if (*reader->at == '[') {
        reader->at++;
        const struct spoor_slice name = mapping_word(reader);
        if (!name.size || reader->at == reader->end || *reader->at != ']')
            return mapping_fail(reader, reader->at, "[PORT]");
        reader->at++;
        mapping_skip(reader);
        return mapping_add_port(reader, name) != NULL;
    }
    const char *place = reader->at;
    const struct spoor_slice word = mapping_word(reader);
    mapping_skip(reader);
    reader->optional = *reader->at == '?';
    reader->at += reader->optional + 1;
    if (mapping_is(word, "clock") || mapping_is(word, "ports")) {
        const bool is_clock = mapping_is(word, "clock");
        int *to = is_clock ? &mapping->clock : &mapping->packed;
        if (*to != WAVE_ABSENT)
            return mapping_fail(reader, place, "one %s", is_clock ? "clock" : "ports");
        *to = mapping_read_reference(reader);
        for (unsigned i = 0; !is_clock && *to >= 0 && i < WAVE_INDICES; i++) {
            mapping->indices[i] = mapping_index(mapping->references[*to].path, i);
            mapping->index_count += mapping->indices[i].size > 0;
        }
        mapping->falling |= is_clock && mapping_take(reader, "falling");
        return *to >= 0;
    }
    if (mapping_is(word, "scope")) {
        mapping_skip(reader);
        mapping->scope = mapping_word(reader);
        return mapping->scope.size > 0 || mapping_fail(reader, reader->at, "the path of a scope");
    }
    unsigned field = 0;
    while (field < WAVE_FIELDS && !mapping_is(word, names[field])) field++;
    if (field == WAVE_FIELDS)
        return mapping_fail(reader, place,
                            "clock, scope, ports, stage, stall, or a field of an instruction "
                            "(docs/formats/waveform.md), not '%.*s'",
                            (int)word.size, word.bytes);
    struct wave_port *port = mapping->port_count
                                 ? &mapping->ports[mapping->port_count - 1]
                                 : mapping_add_port(reader, (struct spoor_slice){"", 0});
    if (!port) return false;
    if (port->fields[field] != WAVE_ABSENT)
        return mapping_fail(reader, place, "one %s a port", names[field]);
    if (field == WAVE_WHEN && reader->optional)
        return mapping_fail(reader, place,
                            "when = EXPRESSION: nothing retires without its signals");
    reader->wide = field >= WAVE_X_WRITE_MASK && field <= WAVE_CSR_WRITE_VALUES;
    const int node = mapping_read_binary(reader, 0);
    port->fields[field] = node;
    if (reader->wide && node >= 0) {
        const struct wave_node *one = &mapping->nodes[node];
        if (one->op != WAVE_SIGNAL || mapping->references[one->reference].sliced)
            return mapping_fail(reader, place, "a whole signal for %s", names[field]);
    }
    reader->wide = false;
    return node >= 0;
}

/* Finds which of the array's indices each name has in brackets, and which names are indices. */
static bool mapping_check_indices(struct mapping_reader *reader)
{
    struct wave_mapping *mapping = reader->mapping;
    for (size_t i = 0; i < mapping->reference_count; i++) {
        struct wave_reference *one = &mapping->references[i];
        struct spoor_slice name;
        while ((name = mapping_index(one->path, one->index_count)).size) {
            unsigned which = 0;
            while (which < mapping->index_count && !mapping_is_same(mapping->indices[which], name))
                which++;
            if (which == mapping->index_count || one->index_count == WAVE_INDICES) {
                reader->line = one->line;
                reader->begin = reader->at = "";
                return mapping_fail(reader, reader->at, "ports = NAME[%.*s] beside [%.*s]",
                                    (int)name.size, name.bytes, (int)name.size, name.bytes);
            }
            one->indices[one->index_count++] = (uint8_t)which;
        }
        for (unsigned k = 0; k < mapping->index_count; k++)
            if (!one->sliced && !one->more && mapping_is_same(one->path, mapping->indices[k]))
                one->index = k + 1;
    }
    for (size_t i = 0; i < mapping->node_count; i++)
        if (mapping->nodes[i].op == WAVE_SIGNAL &&
            mapping->references[mapping->nodes[i].reference].index)
            mapping->nodes[i].op = WAVE_INDEX;
    return true;
}

static bool mapping_check(struct mapping_reader *reader)
{
    static const struct {
        enum wave_field field, needs;
    } pairs[] = {
        {WAVE_RD, WAVE_RD_VALUE},
        {WAVE_FRD, WAVE_FRD_VALUE},
        {WAVE_RD_VALUE, WAVE_RD},
        {WAVE_FRD_VALUE, WAVE_FRD},
        {WAVE_RS1_VALUE, WAVE_RS1},
        {WAVE_RS2_VALUE, WAVE_RS2},
        {WAVE_RD_WHEN, WAVE_RD},
        {WAVE_RD_WAITS, WAVE_RD},
        {WAVE_RD_WAITS, WAVE_LATE_WHEN},
        {WAVE_LATE_WHEN, WAVE_LATE_RD},
        {WAVE_LATE_WHEN, WAVE_RD_WAITS},
        {WAVE_LATE_RD, WAVE_LATE_RD_VALUE},
        {WAVE_LATE_RD_VALUE, WAVE_LATE_WHEN},
        {WAVE_FRD_WHEN, WAVE_FRD},
        {WAVE_X_WRITE_MASK, WAVE_X_WRITE_VALUES},
        {WAVE_X_WRITE_VALUES, WAVE_X_WRITE_MASK},
        {WAVE_F_WRITE_MASK, WAVE_F_WRITE_VALUES},
        {WAVE_F_WRITE_VALUES, WAVE_F_WRITE_MASK},
        {WAVE_V_WRITE_MASK, WAVE_V_WRITE_VALUES},
        {WAVE_V_WRITE_VALUES, WAVE_V_WRITE_MASK},
        {WAVE_CSR_WRITE_MASK, WAVE_CSR_WRITE_VALUES},
        {WAVE_CSR_WRITE_VALUES, WAVE_CSR_WRITE_MASK},
        {WAVE_MEM_READ_MASK, WAVE_MEM_ADDR},
        {WAVE_MEM_WRITE_MASK, WAVE_MEM_ADDR},
        {WAVE_MEM_READ_DATA, WAVE_MEM_READ_MASK},
        {WAVE_MEM_WRITE_DATA, WAVE_MEM_WRITE_MASK},
    };
    const struct wave_mapping *mapping = reader->mapping;
    reader->begin = reader->at = "";
    if (mapping->clock == WAVE_ABSENT) return mapping_fail(reader, reader->at, "clock = SIGNAL");
    if (!mapping->port_count) return mapping_fail(reader, reader->at, "when = EXPRESSION");
    if (mapping->packed != WAVE_ABSENT && (mapping->port_count > 1 || mapping->stage_count)) {
        reader->line = mapping->references[mapping->packed].line;
        return mapping_fail(reader, reader->at, "%s",
                            mapping->port_count > 1 ? "either ports = SIGNAL or [PORT]"
                                                    : "[PORT], not ports = SIGNAL, beside stages");
    }
    if (mapping->stall_count && !mapping->stage_count) {
        reader->line = mapping->nodes[mapping->stalls[0].when].line;
        return mapping_fail(reader, reader->at, "stage NAME when ... id ... beside stall");
    }
    for (size_t i = 0; i < mapping->port_count; i++) {
        const int *fields = mapping->ports[i].fields;
        reader->line = mapping->ports[i].line;
        for (unsigned k = 0; k < WAVE_FIELDS; k++) /* the port's last line */
            if (fields[k] != WAVE_ABSENT && mapping->nodes[fields[k]].line > reader->line)
                reader->line = mapping->nodes[fields[k]].line;
        for (unsigned k = WAVE_WHEN; k <= WAVE_PC; k++)
            if ((k == WAVE_WHEN || k == WAVE_PC) && fields[k] == WAVE_ABSENT)
                return mapping_fail(reader, reader->at, "%s = ... in each port", names[k]);
        for (unsigned k = 0; k < WAVE_FIELDS; k++) {
            if (fields[k] == WAVE_ABSENT) continue;
            reader->line = mapping->nodes[fields[k]].line;
            if (k == WAVE_CPU && mapping->stage_count)
                return mapping_fail(reader, reader->at,
                                    "no cpu beside stages: whose the instructions in them are is "
                                    "not known before they retire");
            if (k == WAVE_ID && !mapping->stage_count)
                return mapping_fail(reader, reader->at, "stage NAME when ... id ... beside id");
            if (k >= WAVE_RS1 && k <= WAVE_CSR_WRITE_VALUES && !mapping->riscv)
                return mapping_fail(reader, reader->at, "isa riscv beside %s", names[k]);
            for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++)
                if (pairs[n].field == k && fields[pairs[n].needs] == WAVE_ABSENT)
                    return mapping_fail(reader, reader->at, "%s beside %s", names[pairs[n].needs],
                                        names[k]);
        }
    }
    return true;
}

struct wave_mapping *wave_mapping_parse(const char *path, const char *name, struct spoor_slice text,
                                        bool riscv, struct spoor_error *error)
{
    struct wave_mapping *mapping = calloc(1, sizeof *mapping);
    const size_t name_size = strlen(name) + 1;
    char *copy = mapping ? malloc(name_size + text.size + 1) : NULL;
    if (!copy) {
        free(mapping);
        error_no_memory(error);
        return NULL;
    }
    memcpy(copy, name, name_size);
    if (text.size) memcpy(copy + name_size, text.bytes, text.size);
    copy[name_size + text.size] = '\0'; /* ends the last line */
    mapping->text = copy;
    mapping->name = copy;
    mapping->riscv = riscv;
    mapping->clock = mapping->packed = WAVE_ABSENT;
    struct mapping_reader reader = {.mapping = mapping, .path = path, .error = error};
    const char *at = copy + name_size, *end = at + text.size;
    bool good = true;
    while (good && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader.begin = at;
        reader.end = newline ? newline : end;
        at = newline ? newline + 1 : end;
        reader.line++;
        const char *comment = memchr(reader.begin, '#', (size_t)(reader.end - reader.begin));
        if (comment) reader.end = comment;
        while (reader.end > reader.begin && is_mapping_blank(reader.end[-1])) reader.end--;
        reader.at = reader.begin;
        mapping_skip(&reader);
        if (!wave_mapping_has_line(
                (struct spoor_slice){reader.at, (size_t)(reader.end - reader.at)}))
            continue;
        good = mapping_read_line(&reader);
        mapping_skip(&reader);
        if (good && reader.at < reader.end)
            good = mapping_fail(&reader, reader.at, "the end of the line, not '%.*s'",
                                (int)(reader.end - reader.at), reader.at);
    }
    if (good && mapping_check_indices(&reader) && mapping_check(&reader)) return mapping;
    wave_mapping_free(mapping);
    return NULL;
}

void wave_mapping_free(struct wave_mapping *mapping)
{
    if (!mapping) return;
    free(mapping->references);
    free(mapping->nodes);
    free(mapping->ports);
    free(mapping->stages);
    free(mapping->stalls);
    free(mapping->text);
    free(mapping);
}
