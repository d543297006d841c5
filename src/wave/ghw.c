/* SPDX-License-Identifier: MIT */
/*
 * ghw.c: waveforms of GHDL, as its src/grt/grt-waves.adb writes them (versions 0 and 1).
 *
 * Strings, types, then the hierarchy, in which each object has a number for each of its scalars: a
 * vector is an array of scalars, of which other objects may have some.  A snapshot has the value of
 * each scalar; then come the changes, in order of time, in fs.  So it is read on and on, as VCD.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "wave/pending.h"
#include "wave/reader.h"

enum {
    GHW_BUFFER = 256 << 10,
    GHW_MOST = 1 << 24, /* scalars, types, strings, bytes of strings */
    GHW_NESTING = 32,   /* of types */
    GHW_EXPONENT = -15,
};

/* Kinds of types, by their numbers in the file. */
enum {
    GHW_B2 = 22,
    GHW_E8 = 23,
    GHW_I32 = 25,
    GHW_I64 = 26,
    GHW_F64 = 27,
    GHW_P32 = 28,
    GHW_P64 = 29,
    GHW_ARRAY = 31,
    GHW_RECORD = 32,
    GHW_SUBTYPE_SCALAR = 34,
    GHW_SUBTYPE_ARRAY = 35,
    GHW_SUBTYPE_UNBOUNDED_ARRAY = 37,
    GHW_SUBTYPE_RECORD = 38,
    GHW_SUBTYPE_UNBOUNDED_RECORD = 39,
};

/* Of a scalar, an array or a record: subtypes have the kind of what they constrain. */
struct ghw_type {
    uint8_t kind;
    bool bounded;       /* the number of its scalars is known */
    bool down;          /* an array: from `left` downwards */
    uint32_t root;      /* a record: its first field */
    uint32_t element;   /* an array */
    uint32_t count;     /* an array or a record: elements; a scalar: literals */
    uint32_t dimension; /* an array */
    int64_t left;
    uint64_t scalars;
};

struct ghw_field {
    uint32_t name, type;
};

/* Where the numbers of an object's scalars are, for the variables of one handle and width. */
struct ghw_object {
    uint64_t handle;
    uint32_t width, at, count;
};

/* A part of a signal that has the value of a scalar. */
struct ghw_target {
    uint32_t next; /* another one of that scalar; 0: none */
    int signal;
    uint32_t bit;
};

struct ghw {
    struct wave_reader reader;
    uint8_t *buffer;
    size_t at, end;
    uint64_t offset;  /* of the buffer's end */
    bool failed, big; /* bytes were missing; numbers of 32 and 64 bits begin with the highest */
    const char *why;  /* what is damaged */
    enum spoor_status input; /* of the last bytes */
    struct spoor_error error;
    struct text strings;
    uint32_t *string_at;
    size_t string_count, string_capacity;
    struct ghw_type *types;
    size_t type_count, type_capacity;
    uint32_t *ids; /* of the file's types: places + 1 */
    size_t id_count, id_capacity;
    struct ghw_field *fields;
    size_t field_count, field_capacity;
    uint32_t nine; /* the type std_ulogic; 0: there is none */
    uint32_t *numbers;
    size_t number_count, number_capacity;
    struct ghw_object *objects;
    size_t object_count, object_capacity;
    uint32_t *type_of; /* of each scalar, from 1 */
    uint32_t *first;   /* of each scalar: its targets */
    size_t scalar_count;
    struct ghw_target *targets;
    size_t target_count, target_capacity;
    struct wave_pending pending;
    bool has_time, in_cycle, ended;
    int64_t time;
};

/* ---- bytes ---- */

static unsigned ghw_byte(struct ghw *ghw)
{
    if (ghw->at == ghw->end && !ghw->failed) {
        size_t size = 0;
        ghw->at = ghw->end = 0;
        if (ghw->input == SPOOR_OK)
            ghw->input = ghw->reader.input.read(ghw->reader.input.context, ghw->buffer, GHW_BUFFER,
                                                &size, &ghw->error);
        ghw->end = size;
        ghw->offset += size;
        ghw->failed = size == 0;
    }
    return ghw->failed ? 0 : ghw->buffer[ghw->at++];
}

static uint64_t ghw_place(const struct ghw *ghw)
{
    return ghw->offset - (ghw->end - ghw->at);
}

static uint64_t ghw_word(struct ghw *ghw, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)ghw_byte(ghw) << 8 * (ghw->big ? bytes - 1 - i : i);
    return value;
}

static uint64_t ghw_number(struct ghw *ghw)
{
    uint64_t value = 0;
    unsigned byte = 0x80;
    for (unsigned shift = 0; shift < 64 && (byte & 0x80); shift += 7) {
        byte = ghw_byte(ghw);
        value |= (uint64_t)(byte & 0x7F) << shift;
    }
    return value;
}

static int64_t ghw_signed(struct ghw *ghw)
{
    uint64_t value = 0;
    unsigned byte = 0x80, shift = 0;
    for (; shift < 64 && (byte & 0x80); shift += 7) {
        byte = ghw_byte(ghw);
        value |= (uint64_t)(byte & 0x7F) << shift;
    }
    if (shift < 64 && (byte & 0x40)) value |= UINT64_MAX << shift;
    return (int64_t)value;
}

static bool ghw_wrong(struct ghw *ghw, const char *why)
{
    if (!ghw->why) ghw->why = why;
    return false;
}

static bool ghw_is(struct ghw *ghw, const char *four)
{
    bool good = true;
    for (unsigned i = 0; i < 4; i++) good &= ghw_byte(ghw) == (unsigned char)four[i];
    return good && !ghw->failed;
}

/* A section's name and its four zeros. */
static bool ghw_begins(struct ghw *ghw, const char *four)
{
    return (ghw_is(ghw, four) && ghw_word(ghw, 4) == 0 && !ghw->failed) ||
           ghw_wrong(ghw, "a section that is not the one expected there");
}

/* A count of what is to come. */
static bool ghw_count(struct ghw *ghw, size_t *count)
{
    *count = ghw_word(ghw, 4);
    return (*count < GHW_MOST && !ghw->failed) || ghw_wrong(ghw, "a count that is too great");
}

/* ---- strings and types ---- */

static bool ghw_read_strings(struct ghw *ghw)
{
    size_t count, ignored;
    struct text one = {0};
    if (!ghw_begins(ghw, "STR") || !ghw_count(ghw, &count) || !ghw_count(ghw, &ignored))
        return false;
    text_put(&ghw->strings, "", 1); /* number 0: no name */
    for (size_t i = 0; i <= count && !ghw->failed; i++) {
        if (!array_reserve(&ghw->string_at, &ghw->string_capacity, i + 1)) return false;
        ghw->string_at[i] = i ? (uint32_t)ghw->strings.size : 0;
        ghw->string_count = i + 1;
        if (!i) continue;
        /* up to a byte that begins the number of bytes that the next one has in common */
        unsigned byte;
        while ((byte = ghw_byte(ghw)) > 31 && (byte < 128 || byte > 159) && !ghw->failed) {
            const char letter = (char)byte;
            text_put(&one, &letter, 1);
        }
        text_put(&ghw->strings, one.size ? one.bytes : "", one.size);
        text_put(&ghw->strings, "", 1);
        size_t same = byte & 31;
        for (unsigned shift = 5; byte > 127 && shift < 32; shift += 5) {
            byte = ghw_byte(ghw);
            same |= (size_t)(byte & 31) << shift;
        }
        if (same > one.size || ghw->strings.size > GHW_MOST) ghw_wrong(ghw, "a damaged string");
        if (ghw->why || one.failed || ghw->strings.failed) break;
        one.size = same;
    }
    const bool memory = !one.failed && !ghw->strings.failed;
    text_free(&one);
    return memory && !ghw->why && (ghw_is(ghw, "EOS") || ghw_wrong(ghw, "strings without end"));
}

static const char *ghw_string(const struct ghw *ghw, uint64_t number)
{
    return ghw->strings.bytes + (number < ghw->string_count ? ghw->string_at[number] : 0);
}

/* Reads which type, of those before; its place in `types` + 1, 0: there is none. */
static uint32_t ghw_read_type(struct ghw *ghw)
{
    const uint64_t number = ghw_number(ghw);
    if (number > 0 && number <= ghw->id_count) return ghw->ids[number - 1];
    return ghw_wrong(ghw, "a type that is not there"), 0;
}

static bool ghw_read_range(struct ghw *ghw, int64_t *left, uint32_t *count, bool *down)
{
    const unsigned byte = ghw_byte(ghw), kind = byte & 0x7F;
    int64_t right;
    *down = byte & 0x80;
    if (kind == GHW_B2 || kind == GHW_E8) {
        *left = ghw_byte(ghw);
        right = ghw_byte(ghw);
    } else if (kind == GHW_F64) {
        *left = 0;
        right = 0;
        ghw_word(ghw, 8);
        ghw_word(ghw, 8);
    } else if (kind >= GHW_I32 && kind <= GHW_P64) {
        *left = ghw_signed(ghw);
        right = ghw_signed(ghw);
    } else {
        return ghw_wrong(ghw, "a range of no kind");
    }
    int64_t span;
    if (__builtin_sub_overflow(*down ? *left : right, *down ? right : *left, &span))
        span = INT64_MAX;
    *count = span < 0 ? 0 : span < GHW_MOST ? (uint32_t)span + 1 : GHW_MOST;
    return !ghw->failed;
}

/* Adds a type; its place + 1, 0: memory ran out, or it has too many scalars. */
static uint32_t ghw_add_type(struct ghw *ghw, struct ghw_type type)
{
    if (type.scalars >= GHW_MOST || ghw->type_count >= GHW_MOST)
        return ghw_wrong(ghw, "a type of too many scalars"), 0;
    if (!array_reserve(&ghw->types, &ghw->type_capacity, ghw->type_count + 1)) return 0;
    ghw->types[ghw->type_count++] = type;
    return (uint32_t)ghw->type_count;
}

static bool ghw_add_field(struct ghw *ghw, uint32_t name, uint32_t type)
{
    if (ghw->field_count >= GHW_MOST) return ghw_wrong(ghw, "too many fields");
    if (!array_reserve(&ghw->fields, &ghw->field_capacity, ghw->field_count + 1)) return false;
    ghw->fields[ghw->field_count++] = (struct ghw_field){name, type};
    return true;
}

/* Adds an array or a record, of which the parts are known. */
static uint32_t ghw_add_composite(struct ghw *ghw, struct ghw_type type)
{
    type.scalars = 0;
    type.bounded = true;
    if (type.kind == GHW_ARRAY) {
        const struct ghw_type *element = &ghw->types[type.element - 1];
        type.bounded = element->bounded;
        type.scalars = (uint64_t)type.count * element->scalars;
    }
    for (uint32_t i = 0; type.kind == GHW_RECORD && i < type.count; i++) {
        const struct ghw_type *one = &ghw->types[ghw->fields[type.root + i].type - 1];
        type.bounded &= one->bounded;
        type.scalars += one->scalars;
    }
    return ghw_add_type(ghw, type);
}

/* Reads the bounds of what is not bounded in a type: the place of the bounded one + 1, 0: damage.
 */
static uint32_t ghw_read_bounds(struct ghw *ghw, uint32_t number, unsigned depth)
{
    enum { FIELDS = 256 };
    struct ghw_type type = ghw->types[number - 1];
    if (depth == GHW_NESTING) return ghw_wrong(ghw, "types in types in types"), 0;
    if (type.bounded) return number;
    if (type.kind == GHW_ARRAY) {
        uint64_t count = 1;
        for (uint32_t i = 0; i < type.dimension; i++) {
            uint32_t one = 0;
            int64_t left = 0;
            bool down = false;
            if (!ghw_read_range(ghw, &left, &one, &down)) return 0;
            if (i == 0) type.left = left, type.down = down;
            count *= one;
            if (count >= GHW_MOST) return ghw_wrong(ghw, "an array of too many elements"), 0;
        }
        type.count = (uint32_t)count;
        type.element = ghw_read_bounds(ghw, type.element, depth + 1);
        return type.element ? ghw_add_composite(ghw, type) : 0;
    }
    uint32_t types[FIELDS];
    const uint32_t fields = type.root;
    if (type.count > FIELDS) return ghw_wrong(ghw, "a record of too many fields"), 0;
    for (uint32_t i = 0; i < type.count; i++)
        if (!(types[i] = ghw_read_bounds(ghw, ghw->fields[fields + i].type, depth + 1))) return 0;
    type.root = (uint32_t)ghw->field_count;
    for (uint32_t i = 0; i < type.count; i++)
        if (!ghw_add_field(ghw, ghw->fields[fields + i].name, types[i])) return 0;
    return ghw_add_composite(ghw, type);
}

/* A type of the file; its place + 1, 0: damage. */
static uint32_t ghw_read_one_type(struct ghw *ghw)
{
    struct ghw_type type = {.kind = (uint8_t)ghw_byte(ghw), .bounded = true, .scalars = 1};
    uint32_t base;
    ghw_number(ghw); /* its name */
    switch (type.kind) {
    case GHW_B2:
    case GHW_E8:
        type.count = (uint32_t)ghw_number(ghw);
        for (uint32_t i = 0; i < type.count && !ghw->failed; i++) ghw_number(ghw);
        break;
    case GHW_I32:
    case GHW_I64:
    case GHW_F64: break;
    case GHW_P32:
    case GHW_P64:
        for (uint64_t i = ghw_number(ghw); i > 0 && !ghw->failed; i--) {
            ghw_number(ghw);
            ghw_signed(ghw);
        }
        break;
    case GHW_ARRAY:
        type.element = ghw_read_type(ghw);
        type.dimension = (uint32_t)ghw_number(ghw);
        if (!type.dimension) return ghw_wrong(ghw, "an array of no dimension"), 0;
        for (uint32_t i = 0; i < type.dimension && !ghw->failed; i++) ghw_number(ghw);
        type.bounded = false;
        type.scalars = 0;
        return type.element && !ghw->failed ? ghw_add_type(ghw, type) : 0;
    case GHW_RECORD:
        type.root = (uint32_t)ghw->field_count;
        type.count = (uint32_t)ghw_number(ghw);
        for (uint32_t i = 0; i < type.count; i++) {
            const uint32_t name = (uint32_t)ghw_number(ghw);
            base = ghw_read_type(ghw);
            if (!base || ghw->failed || !ghw_add_field(ghw, name, base)) return 0;
        }
        return ghw_add_composite(ghw, type);
    case GHW_SUBTYPE_SCALAR:
    case GHW_SUBTYPE_ARRAY:
    case GHW_SUBTYPE_UNBOUNDED_ARRAY:
    case GHW_SUBTYPE_RECORD:
    case GHW_SUBTYPE_UNBOUNDED_RECORD:
        base = ghw_read_type(ghw);
        if (base && type.kind == GHW_SUBTYPE_SCALAR) {
            bool down;
            uint32_t count;
            if (!ghw_read_range(ghw, &type.left, &count, &down)) return 0;
        }
        return base && (type.kind == GHW_SUBTYPE_ARRAY || type.kind == GHW_SUBTYPE_RECORD)
                   ? ghw_read_bounds(ghw, base, 0)
                   : base;
    default: return ghw_wrong(ghw, "a type of no kind"), 0;
    }
    return ghw->failed ? 0 : ghw_add_type(ghw, type);
}

static bool ghw_read_types(struct ghw *ghw)
{
    enum { BOOLEAN = 1, BIT = 2, STD_ULOGIC = 3 };
    size_t count;
    if (!ghw_begins(ghw, "TYP") || !ghw_count(ghw, &count)) return false;
    while (ghw->id_count < count) {
        const uint32_t type = ghw_read_one_type(ghw);
        if (!type || !array_reserve(&ghw->ids, &ghw->id_capacity, ghw->id_count + 1)) return false;
        ghw->ids[ghw->id_count++] = type;
    }
    if (ghw_byte(ghw) != 0) return ghw_wrong(ghw, "types without end");
    if (!ghw_begins(ghw, "WKT")) return false;
    for (unsigned which; (which = ghw_byte(ghw)) != 0 && !ghw->failed;) {
        const uint32_t type = ghw_read_type(ghw);
        if (!type) return false;
        if (which == STD_ULOGIC) ghw->nine = type;
    }
    return !ghw->failed;
}

/* ---- the hierarchy ---- */

/* The bits of a scalar; 0: it is no number. */
static uint32_t ghw_bits(const struct ghw *ghw, uint32_t type)
{
    const struct ghw_type *one = &ghw->types[type - 1];
    if (type == ghw->nine || one->kind == GHW_B2) return 1;
    if (one->kind == GHW_E8)
        return one->count > 2 ? 32 - (uint32_t)__builtin_clz(one->count - 1) : 1;
    return one->kind == GHW_I32                           ? 32
           : one->kind == GHW_I64 || one->kind == GHW_P64 ? 64
           : one->kind == GHW_P32                         ? 32
                                                          : 0;
}

static bool ghw_is_scalar(const struct ghw_type *type)
{
    return type->kind != GHW_ARRAY && type->kind != GHW_RECORD;
}

/* Reads the number of a scalar. */
static bool ghw_read_scalar(struct ghw *ghw, uint32_t type)
{
    const uint64_t number = ghw_number(ghw);
    if (number == 0 || number > ghw->scalar_count) return ghw_wrong(ghw, "a signal of no number");
    if (ghw->number_count >= GHW_MOST) return ghw_wrong(ghw, "too many signals");
    if (!array_reserve(&ghw->numbers, &ghw->number_capacity, ghw->number_count + 1)) return false;
    ghw->numbers[ghw->number_count++] = (uint32_t)number;
    if (ghw->type_of[number] &&
        ghw->types[ghw->type_of[number] - 1].kind != ghw->types[type - 1].kind)
        return ghw_wrong(ghw, "a signal of two types");
    ghw->type_of[number] = type;
    return true;
}

static bool ghw_add_variable(struct ghw *ghw, const char *name, size_t at, uint32_t width)
{
    const uint64_t handle = ghw->numbers[at];
    wave_variables_add(&ghw->reader.variables, (struct spoor_slice){name, strlen(name)}, width,
                       handle);
    if (!array_reserve(&ghw->objects, &ghw->object_capacity, ghw->object_count + 1)) return false;
    ghw->objects[ghw->object_count++] =
        (struct ghw_object){handle, width, (uint32_t)at, (uint32_t)(ghw->number_count - at)};
    return true;
}

/* Reads the numbers of an object's scalars, and adds the variables that it is. */
static bool ghw_read_object(struct ghw *ghw, uint32_t number, const char *name, unsigned depth)
{
    char longer[512];
    const struct ghw_type type = ghw->types[number - 1];
    const size_t at = ghw->number_count;
    if (depth == GHW_NESTING) return ghw_wrong(ghw, "types in types in types");
    if (ghw_is_scalar(&type)) {
        if (!ghw_read_scalar(ghw, number)) return false;
        const uint32_t bits = ghw_bits(ghw, number);
        return !bits || ghw_add_variable(ghw, name, at, bits);
    }
    if (!type.bounded) return ghw_wrong(ghw, "a signal without bounds");
    if (!type.scalars) return true;
    if (type.kind == GHW_RECORD) {
        wave_variables_enter(&ghw->reader.variables, (struct spoor_slice){name, strlen(name)});
        for (uint32_t i = 0; i < type.count; i++) {
            const struct ghw_field field = ghw->fields[type.root + i];
            if (!ghw_read_object(ghw, field.type, ghw_string(ghw, field.name), depth + 1))
                return false;
        }
        wave_variables_leave(&ghw->reader.variables);
        return true;
    }
    const struct ghw_type *element = &ghw->types[type.element - 1];
    const bool vector = ghw_is_scalar(element) && ghw_bits(ghw, type.element) == 1;
    const int64_t step = type.down ? -1 : 1;
    for (uint32_t i = 0; i < type.count; i++) {
        /* of several dimensions, the elements are numbered in their order */
        const int64_t index = type.dimension > 1 ? i : type.left + step * (int64_t)i;
        snprintf(longer, sizeof longer, "%.400s[%" PRId64 "]", name, index);
        if (vector ? !ghw_read_scalar(ghw, type.element)
                   : !ghw_read_object(ghw, type.element, longer, depth + 1))
            return false;
    }
    if (!vector || !type.count || type.count > WAVE_WIDEST || type.dimension > 1) return true;
    snprintf(longer, sizeof longer, "%.400s[%" PRId64 ":%" PRId64 "]", name, type.left,
             type.left + step * (int64_t)(type.count - 1));
    return ghw_add_variable(ghw, name[0] ? longer : "", at, type.count);
}

/* The value of a scalar of a type. */
static uint64_t ghw_read_value(struct ghw *ghw, uint32_t type, uint64_t *unknown)
{
    /* U X 0 1 Z W L H - */
    static const uint8_t nine[9] = {2, 2, 0, 1, 2, 2, 0, 1, 2};
    *unknown = 0;
    switch (ghw->types[type - 1].kind) {
    case GHW_B2: return ghw_byte(ghw) & 1;
    case GHW_E8: {
        const unsigned byte = ghw_byte(ghw);
        if (type != ghw->nine) return byte;
        *unknown = byte >= sizeof nine || nine[byte] == 2;
        return !*unknown && nine[byte];
    }
    case GHW_I32:
    case GHW_P32:
    case GHW_I64:
    case GHW_P64: return (uint64_t)ghw_signed(ghw);
    default: return ghw_word(ghw, 8);
    }
}

static bool ghw_read_hierarchy(struct ghw *ghw)
{
    enum {
        END,
        BLOCK = 3,
        GENERATE_IF,
        GENERATE_FOR,
        INSTANCE,
        PACKAGE,
        PROCESS = 13,
        END_SCOPE = 15
    };
    enum { SIGNAL = 16, PORT_LAST = 21 };
    struct wave_variables *variables = &ghw->reader.variables;
    size_t scopes, signals, depth = 0;
    if (!ghw_begins(ghw, "HIE") || !ghw_count(ghw, &scopes) || !ghw_count(ghw, &signals) ||
        !ghw_count(ghw, &ghw->scalar_count))
        return false;
    ghw->type_of = calloc(ghw->scalar_count + 1, sizeof *ghw->type_of);
    for (unsigned kind; ghw->type_of && (kind = ghw_byte(ghw)) != END && !ghw->failed;) {
        char name[512];
        if (kind == END_SCOPE) {
            if (!depth--) return ghw_wrong(ghw, "the end of no scope");
            wave_variables_leave(variables);
            continue;
        }
        snprintf(name, sizeof name, "%.400s", ghw_string(ghw, ghw_number(ghw)));
        if (kind == PROCESS) continue;
        if (kind >= SIGNAL && kind <= PORT_LAST) {
            const uint32_t type = ghw_read_type(ghw);
            if (!type || !ghw_read_object(ghw, type, name, 0)) return false;
            continue;
        }
        if (kind < BLOCK || kind > PACKAGE) return ghw_wrong(ghw, "a scope of no kind");
        if (kind == GENERATE_FOR) {
            uint64_t unknown;
            const uint32_t type = ghw_read_type(ghw);
            if (!type || !ghw_is_scalar(&ghw->types[type - 1]))
                return ghw_wrong(ghw, "a generate statement of no number");
            const size_t size = strlen(name);
            snprintf(name + size, sizeof name - size, "(%" PRId64 ")",
                     (int64_t)ghw_read_value(ghw, type, &unknown));
        }
        if (++depth > WAVE_DEEPEST) return ghw_wrong(ghw, "too many scopes in scopes");
        wave_variables_enter(variables, (struct spoor_slice){name, strlen(name)});
    }
    return ghw->type_of && (ghw_is(ghw, "EOH") || ghw_wrong(ghw, "a hierarchy without end"));
}

/* ---- changes ---- */

static void ghw_set(struct ghw *ghw, uint64_t number, uint64_t bits, uint64_t unknown)
{
    const struct wave_signal *signals = ghw->reader.sampler.signals;
    for (uint32_t i = ghw->first[number]; i; i = ghw->targets[i - 1].next) {
        const struct ghw_target *target = &ghw->targets[i - 1];
        const struct wave_signal *signal = &signals[target->signal];
        uint64_t *word = ghw->pending.next + signal->at + target->bit / 64;
        if (ghw_bits(ghw, ghw->type_of[number]) == 1) {
            const unsigned shift = target->bit % 64;
            word[0] = (word[0] & ~(UINT64_C(1) << shift)) | bits << shift;
            word[signal->words] = (word[signal->words] & ~(UINT64_C(1) << shift)) | unknown
                                                                                        << shift;
        } else {
            word[0] = bits & UINT64_MAX >> (64 - signal->width);
            word[signal->words] = 0;
        }
        wave_pending_mark(&ghw->pending, target->signal);
    }
}

static bool ghw_read_change(struct ghw *ghw, uint64_t number)
{
    if (!ghw->type_of[number]) return ghw_wrong(ghw, "a value of no signal");
    uint64_t unknown;
    const uint64_t bits = ghw_read_value(ghw, ghw->type_of[number], &unknown);
    if (!ghw->failed) ghw_set(ghw, number, bits, unknown);
    return !ghw->failed;
}

/* The changes that follow are of that time. */
static bool ghw_begin_time(struct ghw *ghw, int64_t time)
{
    if (time < 0 || (ghw->has_time && time < ghw->time))
        return ghw_wrong(ghw, "a time before the one before");
    if (ghw->has_time && time != ghw->time)
        wave_pending_end_time(&ghw->pending, &ghw->reader.sampler);
    ghw->has_time = true;
    ghw->time = time;
    ghw->pending.time = (uint64_t)time;
    return !ghw->failed;
}

/* The changes of one moment, then how long it is to the next; in_cycle becomes false after the last
 * of a section. */
static bool ghw_read_moment(struct ghw *ghw)
{
    uint64_t number = 0;
    for (uint64_t step; (step = ghw_number(ghw)) != 0;) {
        if (step > ghw->scalar_count - number) return ghw_wrong(ghw, "a signal of no number");
        number += step;
        if (!ghw_read_change(ghw, number)) return false;
    }
    const int64_t step = ghw_signed(ghw);
    if (ghw->failed) return false;
    if (step >= 0 && step <= INT64_MAX - ghw->time) return ghw_begin_time(ghw, ghw->time + step);
    ghw->in_cycle = false;
    return step == -1 ? ghw_is(ghw, "ECY") || ghw_wrong(ghw, "changes without end")
                      : ghw_wrong(ghw, "a step of time of no size");
}

/* A section after the hierarchy; false: it is the last one, or damaged. */
static bool ghw_read_section(struct ghw *ghw)
{
    char name[4];
    for (unsigned i = 0; i < sizeof name; i++) name[i] = (char)ghw_byte(ghw);
    if (ghw->failed) return ghw_wrong(ghw, "the end of the file, and no directory");
    if (memcmp(name, "DIR", sizeof name) == 0) {
        ghw->ended = true;
        return false;
    }
    if (memcmp(name, "CYC", sizeof name) == 0) {
        ghw->in_cycle = true;
        return ghw_begin_time(ghw, (int64_t)ghw_word(ghw, 8));
    }
    if (memcmp(name, "SNP", sizeof name) != 0) return ghw_wrong(ghw, "a section of no kind");
    if (ghw_word(ghw, 4) != 0 || !ghw_begin_time(ghw, (int64_t)ghw_word(ghw, 8)))
        return ghw_wrong(ghw, "a damaged snapshot");
    for (size_t i = 1; i <= ghw->scalar_count && ghw->type_of[i]; i++)
        if (!ghw_read_change(ghw, i)) return false;
    return ghw_is(ghw, "ESN") || ghw_wrong(ghw, "a damaged snapshot");
}

static enum spoor_status ghw_step(struct wave_reader *reader, struct spoor_error *error)
{
    struct ghw *ghw = (struct ghw *)reader;
    while (reader->sampler.out.size < WAVE_OUT) {
        const bool good = ghw->in_cycle ? ghw_read_moment(ghw) : ghw_read_section(ghw);
        if (reader->sampler.failed)
            return error_no_memory_while(error, reader->input.path, "reading");
        if (reader->sampler.history && reader->sampler.history->full) return SPOOR_OK;
        if (good) continue;
        if (ghw->has_time) wave_pending_end_time(&ghw->pending, &reader->sampler);
        if (ghw->input < SPOOR_OK) {
            *error = ghw->error;
            return ghw->input;
        }
        if (!ghw->ended)
            wave_damage(reader, "offset %" PRIu64 ": %s: nothing after it is read", ghw_place(ghw),
                        ghw->why ? ghw->why : "the end of the file in the middle of changes");
        return SPOOR_END;
    }
    return SPOOR_OK;
}

/* ---- the whole ---- */

static void ghw_close(struct wave_reader *reader)
{
    struct ghw *ghw = (struct ghw *)reader;
    text_free(&ghw->strings);
    wave_pending_free(&ghw->pending);
    free(ghw->buffer);
    free(ghw->string_at);
    free(ghw->types);
    free(ghw->ids);
    free(ghw->fields);
    free(ghw->numbers);
    free(ghw->objects);
    free(ghw->type_of);
    free(ghw->first);
    free(ghw->targets);
    free(ghw);
}

static bool ghw_read_header(struct ghw *ghw)
{
    enum { SIZE = 16, LITTLE = 1, BIG = 2 };
    char magic[9];
    for (unsigned i = 0; i < sizeof magic; i++) magic[i] = (char)ghw_byte(ghw);
    const unsigned size = ghw_byte(ghw), major = ghw_byte(ghw), minor = ghw_byte(ghw),
                   order = ghw_byte(ghw), word = ghw_byte(ghw), place = ghw_byte(ghw),
                   zero = ghw_byte(ghw);
    ghw->big = order == BIG;
    return (memcmp(magic, "GHDLwave\n", sizeof magic) == 0 && size == SIZE && major == 0 &&
            minor <= 1 && (order == LITTLE || order == BIG) && word == 4 && place == 1 &&
            zero == 0) ||
           ghw_wrong(ghw, "not the header of versions 0 and 1");
}

static struct wave_reader *ghw_open(const struct wave_input *input, struct spoor_error *error)
{
    struct ghw *ghw = calloc(1, sizeof *ghw);
    if (ghw) ghw->buffer = malloc(GHW_BUFFER);
    if (!ghw || !ghw->buffer) {
        free(ghw);
        error_no_memory_while(error, input->path, "reading");
        return NULL;
    }
    ghw->reader.input = *input;
    ghw->reader.exponent = GHW_EXPONENT;
    if (ghw_read_header(ghw) && ghw_read_strings(ghw) && ghw_read_types(ghw) &&
        ghw_read_hierarchy(ghw) && !ghw->reader.variables.failed)
        return &ghw->reader;
    if (ghw->input < SPOOR_OK)
        *error = ghw->error;
    else if (ghw->why || ghw->failed)
        spoor_error_set(error, SPOOR_EINPUT, "%s: offset %" PRIu64 ": found %s", input->path,
                        ghw_place(ghw), ghw->why ? ghw->why : "the end of the file in its header");
    else
        error_no_memory_while(error, input->path, "reading");
    wave_variables_free(&ghw->reader.variables);
    ghw_close(&ghw->reader);
    return NULL;
}

/* Finds where the values of scalars go. */
static enum spoor_status ghw_begin(struct wave_reader *reader, struct spoor_error *error)
{
    struct ghw *ghw = (struct ghw *)reader;
    const struct wave_sampler *sampler = &reader->sampler;
    ghw->first = calloc(ghw->scalar_count + 1, sizeof *ghw->first);
    bool good = ghw->first && wave_pending_begin(&ghw->pending, sampler);
    for (size_t k = 0; good && k < sampler->signal_count; k++) {
        const struct wave_signal *signal = &sampler->signals[k];
        const struct ghw_object *object = ghw->objects;
        while (object->handle != signal->handle || object->width != signal->width) object++;
        for (uint32_t i = 0; good && i < object->count; i++) {
            const uint32_t number = ghw->numbers[object->at + i];
            good = array_reserve(&ghw->targets, &ghw->target_capacity, ghw->target_count + 1);
            if (!good) break;
            ghw->targets[ghw->target_count++] = (struct ghw_target){
                ghw->first[number], (int)k, object->count > 1 ? object->width - 1 - i : 0};
            ghw->first[number] = (uint32_t)ghw->target_count;
        }
    }
    return good ? SPOOR_OK : error_no_memory_while(error, reader->input.path, "reading");
}

const struct wave_reader_kind wave_ghw = {ghw_open, ghw_begin, ghw_step, ghw_close};
