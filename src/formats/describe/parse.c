/* SPDX-License-Identifier: MIT */
/* parse.c: reads a description, and checks that matching by it is linear in the line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/scan.h"
#include "formats/describe/describe.h"
#include "formats/describe/registry.h"
#include "model/error.h"
#include "model/record.h"

struct describe_block {
    struct describe_block *next;
    size_t used, size; /* bytes */
    _Alignas(16) char bytes[];
};

struct parser {
    struct description *description;
    const char *path;
    struct spoor_error *error;
    unsigned line;
    const char *line_begin; /* of the line that is read */
    bool failed;
};

/* The begin of what is read; its end is that of the line, or of a group. */
struct cursor {
    const char *at, *end;
};

static void *describe_alloc(struct parser *parser, size_t size)
{
    enum { BLOCK = 16 << 10, ALIGNMENT = 16 };
    struct describe_block *block = parser->description->blocks;
    const size_t needed = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!block || block->size - block->used < needed) {
        const size_t room = needed > BLOCK ? needed : BLOCK;
        block = calloc(1, sizeof *block + room);
        if (!block) {
            if (!parser->failed) error_no_memory(parser->error);
            parser->failed = true;
            return NULL;
        }
        block->size = room;
        block->next = parser->description->blocks;
        parser->description->blocks = block;
    }
    void *memory = block->bytes + block->used;
    block->used += needed;
    return memory;
}

/* Says what was expected at a place of the line; false. */
static bool __attribute__((format(printf, 3, 4)))
parser_fail(struct parser *parser, const char *at, const char *format, ...)
{
    char words[256];
    va_list arguments;
    if (parser->failed) return false;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    spoor_error_set(parser->error, SPOOR_EINPUT, "%s:%u:%zu: expected %s", parser->path,
                    parser->line, at ? (size_t)(at - parser->line_begin) + 1 : 1, words);
    parser->failed = true;
    return false;
}

static const char *parser_text(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *parser_text(struct parser *parser, const char *format, ...)
{
    char words[200];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const size_t kept = size < 0                      ? 0
                        : (size_t)size < sizeof words ? (size_t)size
                                                      : sizeof words - 1;
    char *text = describe_alloc(parser, kept + 1);
    if (text) memcpy(text, words, kept);
    return text;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static void cursor_skip(struct cursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at)) cursor->at++;
}

/* The bytes up to the next blank, or to one of `stops`. */
static struct spoor_slice cursor_word(struct cursor *cursor, const char *stops)
{
    const char *begin = cursor->at;
    while (cursor->at < cursor->end && !is_blank(*cursor->at) &&
           !memchr(stops, *cursor->at, strlen(stops))) /* a NUL is none of them */
        cursor->at++;
    return (struct spoor_slice){begin, (size_t)(cursor->at - begin)};
}

static int slice_kind(struct spoor_slice word)
{
    char name[16] = "";
    if (word.size == 0 || word.size >= sizeof name) return DESCRIBE_ANY;
    memcpy(name, word.bytes, word.size);
    const int kind = kind_find(name);
    return kind < 0 ? DESCRIBE_ANY : kind;
}

/* ---- fields ---- */

/* "pc", "event.value": false if it is no field. */
static bool describe_find_name(struct spoor_slice text, struct describe_name *name)
{
    const char *dot = memchr(text.bytes, '.', text.size);
    name->kind = DESCRIBE_ANY;
    if (dot) {
        name->kind = slice_kind((struct spoor_slice){text.bytes, (size_t)(dot - text.bytes)});
        if (name->kind == DESCRIBE_ANY) return false;
        text = (struct spoor_slice){dot + 1, text.size - (size_t)(dot + 1 - text.bytes)};
    }
    name->field = slice_is(text, "mask") ? DESCRIBE_MASK : spoor_field_find(text.bytes, text.size);
    if (name->field < 0 || (name->field >= SPOOR_FIELDS && name->field != DESCRIBE_MASK))
        return false;
    return name->kind == DESCRIBE_ANY || name->field == DESCRIBE_MASK ||
           (spoor_kind_fields((enum spoor_kind)name->kind) >> name->field & 1);
}

/* The type of a field that states none. */
static char describe_type_of(int field)
{
    switch (field) {
    case DESCRIBE_MASK:
    case SPOOR_FIELD_EXTRA: return 'x';
    case SPOOR_FIELD_REG: return 'r';
    case SPOOR_FIELD_DISASM:
    case SPOOR_FIELD_ATTRIBUTES:
    case SPOOR_FIELD_TEXT: return 't';
    case SPOOR_FIELD_FLAGS:
    case SPOOR_FIELD_BRANCH:
    case SPOOR_FIELD_LDST: return 's';
    case SPOOR_FIELD_NUMBER:
    case SPOOR_FIELD_VALUE1: return 'd';
    default: break;
    }
    switch (spoor_field_type((enum spoor_field)field)) {
    case SPOOR_VALUE_HEX: return 'x';
    case SPOOR_VALUE_UNSIGNED:
    case SPOOR_VALUE_SIGNED: return 'd';
    default: return 'w';
    }
}

static const char *describe_type_name(char type)
{
    switch (type) {
    case 'x': return "hexadecimal digits";
    case 'u': return "hexadecimal digits, X or ?";
    case 'd': return "decimal digits";
    case 'b': return "binary digits";
    case 'o': return "octal digits";
    case 'f': return "digits, a point and digits";
    case 'h': return "bytes of two hexadecimal digits";
    case 'r': return "a register";
    case 's': return "text without blanks";
    case 'W': return "one of its words";
    default: return "a word";
    }
}

static const struct describe_words *describe_find_words(const struct description *description,
                                                        struct spoor_slice name)
{
    for (size_t i = 0; i < description->words_count; i++)
        if (description->words[i].name.size == name.size &&
            memcmp(description->words[i].name.bytes, name.bytes, name.size) == 0)
            return &description->words[i];
    return NULL;
}

static int describe_find_part(const struct description *description, struct spoor_slice name)
{
    for (size_t i = 0; i < description->part_count; i++)
        if (description->parts[i].name.size == name.size &&
            memcmp(description->parts[i].name.bytes, name.bytes, name.size) == 0)
            return (int)i;
    return -1;
}

static unsigned cursor_number(struct cursor *cursor)
{
    unsigned number = 0;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
        if (number < 10000) number = 10 * number + (unsigned)(*cursor->at - '0');
    return number;
}

/* Reads [ '"' PREFIX '"' ] [ "=" ] [ "0" ] [ WIDTH ] TYPE [ "<" ] [ "~" BITS ]. */
static bool describe_read_type(struct parser *parser, struct describe_slot *slot,
                               struct spoor_slice spec)
{
    const struct description *description = parser->description;
    struct cursor cursor = {spec.bytes, spec.bytes + spec.size};
    if (cursor.at < cursor.end && *cursor.at == '"') {
        const char *begin = ++cursor.at;
        while (cursor.at < cursor.end && *cursor.at != '"') cursor.at++;
        slot->prefix = (struct spoor_slice){begin, (size_t)(cursor.at - begin)};
        if (cursor.at < cursor.end) cursor.at++;
    }
    if (cursor.at < cursor.end && *cursor.at == '=') slot->exact = true, cursor.at++;
    if (cursor.at < cursor.end && *cursor.at == '0') slot->zero = true, cursor.at++;
    slot->width = cursor_number(&cursor);
    const char *begin = cursor.at;
    while (cursor.at < cursor.end && is_word(*cursor.at)) cursor.at++;
    const struct spoor_slice type = {begin, (size_t)(cursor.at - begin)};
    slot->words = describe_find_words(description, type);
    const int part = describe_find_part(description, type);
    if (slice_is(type, "mnemonic") || slice_is(type, "operands") || slice_is(type, "unit")) {
        slot->type = slice_is(type, "mnemonic") ? 'M' : slice_is(type, "operands") ? 'O' : 'U';
        slot->words = NULL;
    } else if (type.size == 1 && strchr("xdbofwsrhtTu", *type.bytes)) {
        slot->type = *type.bytes;
        slot->words = NULL;
    } else if (slot->words) {
        slot->type = 'W';
    } else if (part >= 0) {
        slot->type = 'P';
        slot->part = (unsigned)part;
    } else {
        return parser_fail(parser, begin,
                           "a type (x d b o f w s r h t T u, mnemonic, operands, unit), words or a "
                           "part, not '%.*s'",
                           (int)type.size, type.bytes);
    }
    if (cursor.at < cursor.end && *cursor.at == '<') {
        if (!strchr("hx", slot->type)) return parser_fail(parser, cursor.at, "h or x before <");
        slot->lowest_first = true;
        cursor.at++;
    }
    if (cursor.at < cursor.end && *cursor.at == '~') {
        cursor.at++;
        slot->sign_bits = cursor_number(&cursor);
        if (slot->sign_bits < 1 || slot->sign_bits > 64)
            return parser_fail(parser, cursor.at, "1 to 64 bits after ~");
    }
    if (slot->exact && slot->width == 0) return parser_fail(parser, begin, "a width after =");
    return cursor.at == cursor.end || parser_fail(parser, cursor.at, "} after the type");
}

/* Reads the inside of "{NAME,NAME:TYPE}". */
static const struct describe_slot *describe_read_field(struct parser *parser, struct cursor inside)
{
    struct description *description = parser->description;
    struct describe_slot *slot = describe_alloc(parser, sizeof *slot);
    if (!slot) return NULL;
    const char *place = inside.at;
    const char *colon = memchr(inside.at, ':', (size_t)(inside.end - inside.at));
    const char *names_end = colon ? colon : inside.end;
    while (inside.at < names_end) {
        const char *comma = memchr(inside.at, ',', (size_t)(names_end - inside.at));
        const char *end = comma ? comma : names_end;
        const struct spoor_slice name = {inside.at, (size_t)(end - inside.at)};
        if (slot->name_count == DESCRIBE_NAMES)
            return parser_fail(parser, inside.at, "at most %d fields", DESCRIBE_NAMES), NULL;
        if (!describe_find_name(name, &slot->names[slot->name_count++]))
            return parser_fail(parser, inside.at, "a field of 'spoor formats', not '%.*s'",
                               (int)name.size, name.bytes),
                   NULL;
        inside.at = comma ? comma + 1 : end;
    }
    if (colon) {
        if (!describe_read_type(parser, slot,
                                (struct spoor_slice){colon + 1, (size_t)(inside.end - colon - 1)}))
            return NULL;
    } else if (slot->name_count) {
        slot->type = describe_type_of(slot->names[0].field);
    } else {
        return parser_fail(parser, place, "a field, or : and a type"), NULL;
    }
    if (description->slot_count == DESCRIBE_FIELDS)
        return parser_fail(parser, place, "at most %d fields", DESCRIBE_FIELDS), NULL;
    slot->id = description->slot_count++;
    slot->expected = slot->type == 'P'  ? "what the part describes"
                     : slot->name_count ? parser_text(parser, "%.*s (%s)", (int)(names_end - place),
                                                      place, describe_type_name(slot->type))
                                        : describe_type_name(slot->type);
    description->slots[slot->id] = slot;
    return slot;
}

/* ---- templates ---- */

/* A growing sequence of elements, whose text gathers adjacent literal bytes. */
struct draft {
    struct describe_element *elements;
    size_t count, capacity;
    char *text; /* literal bytes of the whole line, one after the other */
};

static struct describe_element *draft_add(struct parser *parser, struct draft *draft,
                                          enum describe_what what)
{
    if (!array_reserve(&draft->elements, &draft->capacity, draft->count + 1)) {
        if (!parser->failed) error_no_memory(parser->error);
        parser->failed = true;
        return NULL;
    }
    struct describe_element *element = &draft->elements[draft->count++];
    *element = (struct describe_element){.what = what};
    return element;
}

static bool draft_add_blanks(struct parser *parser, struct draft *draft, char mark)
{
    struct describe_element *blanks = draft_add(parser, draft, ELEMENT_BLANKS);
    if (!blanks) return false;
    blanks->mark = mark;
    blanks->search = parser->description->search_count++;
    return true;
}

static bool draft_put_byte(struct parser *parser, struct draft *draft, char byte)
{
    struct describe_element *last = draft->count ? &draft->elements[draft->count - 1] : NULL;
    if (!last || last->what != ELEMENT_TEXT) {
        last = draft_add(parser, draft, ELEMENT_TEXT);
        if (!last) return false;
        last->text = (struct spoor_slice){draft->text, 0};
        last->search = parser->description->search_count++;
    }
    *draft->text++ = byte;
    last->text.size++;
    return true;
}

static bool describe_read_elements(struct parser *parser, struct cursor *cursor, bool inside,
                                   unsigned depth, char *text, struct describe_sequence *sequence);

/* Reads what begins with an opening brace. */
static bool describe_read_brace(struct parser *parser, struct cursor *cursor, unsigned depth,
                                struct draft *draft)
{
    const char *place = cursor->at;
    const char mark = cursor->end - place > 1 ? place[1] : '\0';
    if (mark == ' ' && cursor->end - place > 2 && place[2] == '}') {
        cursor->at += 3;
        return draft_add_blanks(parser, draft, '\0');
    }
    if (mark == '?' || mark == '*' || mark == '+') {
        struct describe_sequence body;
        if (depth == DESCRIBE_NESTING)
            return parser_fail(parser, place, "groups at most %d deep", DESCRIBE_NESTING);
        cursor->at += 2;
        if (!describe_read_elements(parser, cursor, true, depth + 1, draft->text, &body))
            return false;
        draft->text += cursor->at - place;
        if (body.count == 0) return parser_fail(parser, place, "something in the group");
        struct describe_element *group = draft_add(parser, draft, ELEMENT_GROUP);
        if (!group) return false;
        group->mark = mark;
        group->body = body;
        return true;
    }
    const char *end = memchr(place, '}', (size_t)(cursor->end - place));
    if (!end) return parser_fail(parser, place, "} after the field");
    const bool peek = mark == '&';
    const struct cursor name = {place + 1 + peek, end};
    cursor->at = end + 1;
    const int part = describe_find_part(parser->description,
                                        (struct spoor_slice){name.at, (size_t)(end - name.at)});
    struct describe_element *element =
        draft_add(parser, draft, part >= 0 ? ELEMENT_PART : ELEMENT_FIELD);
    if (!element) return false;
    element->peek = peek;
    if (part >= 0) {
        element->part = (unsigned)part;
        return true;
    }
    const struct describe_slot *slot = describe_read_field(parser, name);
    draft->elements[draft->count - 1].slot = slot;
    return slot != NULL;
}

/* Reads a template up to the end of the line or, inside a group, to its closing brace. */
static bool describe_read_elements(struct parser *parser, struct cursor *cursor, bool inside,
                                   unsigned depth, char *text, struct describe_sequence *sequence)
{
    struct draft draft = {.text = text};
    bool closed = false, good = true;
    while (good && !closed && cursor->at < cursor->end) {
        const char c = *cursor->at;
        if (c == '}') {
            if (!inside)
                good =
                    parser_fail(parser, cursor->at, "text or {; write \\} for a brace of the log");
            closed = true;
            cursor->at++;
        } else if (c == '\\' && cursor->end - cursor->at > 1) {
            const char escaped = cursor->at[1];
            good = draft_put_byte(parser, &draft,
                                  escaped == 't'   ? '\t'
                                  : escaped == 's' ? ' '
                                                   : escaped);
            cursor->at += 2;
        } else if (c == ' ') {
            while (cursor->at < cursor->end && *cursor->at == ' ') cursor->at++;
            good = draft_add_blanks(parser, &draft, ' ');
        } else if (c == '{') {
            good = describe_read_brace(parser, cursor, depth, &draft);
        } else {
            good = draft_put_byte(parser, &draft, c);
            cursor->at++;
        }
    }
    if (good && inside && !closed)
        good = parser_fail(parser, cursor->at, "} at the end of the group");
    *sequence = (struct describe_sequence){NULL, 0};
    if (good && draft.count) {
        sequence->elements = describe_alloc(parser, draft.count * sizeof *draft.elements);
        good = sequence->elements != NULL;
        if (good) {
            memcpy(sequence->elements, draft.elements, draft.count * sizeof *draft.elements);
            sequence->count = draft.count;
        }
    }
    for (size_t i = 0; good && i < sequence->count; i++) {
        struct describe_element *element = &sequence->elements[i];
        if (element->what == ELEMENT_TEXT)
            element->expected =
                parser_text(parser, "'%.*s'", (int)element->text.size, element->text.bytes);
    }
    free(draft.elements);
    return good && !parser->failed;
}

static bool describe_read_template(struct parser *parser, const char *at, const char *end,
                                   struct describe_sequence *sequence)
{
    while (at < end && *at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    char *text = describe_alloc(parser, (size_t)(end - at) + 1);
    struct cursor cursor = {at, end};
    return text && describe_read_elements(parser, &cursor, false, 0, text, sequence);
}

/* ---- statements ---- */

/* Reads a spelling, which may be quoted: to = or a blank. */
static struct spoor_slice describe_read_quoted(struct cursor *cursor, const char *stops)
{
    if (cursor->at < cursor->end && *cursor->at == '"') {
        const char *begin = ++cursor->at;
        while (cursor->at < cursor->end && *cursor->at != '"') cursor->at++;
        const struct spoor_slice text = {begin, (size_t)(cursor->at - begin)};
        if (cursor->at < cursor->end) cursor->at++;
        return text;
    }
    return cursor_word(cursor, stops);
}

/* words NAME { SPELLING [ "=" VALUE ] } */
static bool describe_read_words(struct parser *parser, struct cursor cursor)
{
    struct description *description = parser->description;
    cursor_skip(&cursor);
    struct describe_words *words = &description->words[description->words_count];
    words->name = cursor_word(&cursor, "");
    if (!words->name.size) return parser_fail(parser, cursor.at, "the name of the words");
    words->words =
        describe_alloc(parser, (size_t)(cursor.end - cursor.at + 1) / 2 * sizeof *words->words +
                                   sizeof *words->words);
    if (!words->words) return false;
    for (cursor_skip(&cursor); cursor.at < cursor.end; cursor_skip(&cursor)) {
        const char *place = cursor.at;
        const struct spoor_slice spelling = describe_read_quoted(&cursor, "=");
        struct spoor_slice value = spelling;
        if (cursor.at < cursor.end && *cursor.at == '=') {
            cursor.at++;
            value = describe_read_quoted(&cursor, "");
        }
        if (!spelling.size || !value.size) return parser_fail(parser, place, "SPELLING=VALUE");
        words->words[words->count++] = (struct describe_word){spelling, value};
    }
    if (!words->count) return parser_fail(parser, cursor.at, "a word");
    description->words_count++;
    return true;
}

/* Reads [ OP ] { FIELD "=" VALUE } before the colon. */
static bool describe_read_constants(struct parser *parser, struct cursor head,
                                    struct describe_rule *rule)
{
    rule->constants =
        describe_alloc(parser, ((size_t)(head.end - head.at) + 2) / 2 * sizeof *rule->constants);
    if (!rule->constants) return false;
    for (cursor_skip(&head); head.at < head.end; cursor_skip(&head)) {
        struct describe_constant *constant = &rule->constants[rule->constant_count++];
        const char *place = head.at;
        const struct spoor_slice name = cursor_word(&head, "=");
        if (head.at < head.end && *head.at == '=') {
            head.at++;
            constant->value = cursor_word(&head, "");
            if (!describe_find_name(name, &constant->name))
                return parser_fail(parser, place, "a field of 'spoor formats', not '%.*s'",
                                   (int)name.size, name.bytes);
        } else {
            constant->name = (struct describe_name){rule->kind, SPOOR_FIELD_OP};
            constant->value = name;
            rule->again = slice_is(name, "again?");
            if (rule->again) constant->value = (struct spoor_slice){"again", 5};
            parser->description->again |= rule->again;
            rule->operand = rule->kind == SPOOR_REG && slice_is(name, "operand");
            if (rule->operand) constant->value = (struct spoor_slice){"read", 4};
        }
        const int kind = constant->name.kind == DESCRIBE_ANY ? rule->kind : constant->name.kind;
        if (constant->name.field == SPOOR_FIELD_OP &&
            (kind == DESCRIBE_ANY || describe_op(kind, constant->value) < 0))
            return parser_fail(parser, place, "an operation of %s, not '%.*s'",
                               kind == DESCRIBE_ANY ? "a kind"
                                                    : spoor_kind_name((enum spoor_kind)kind),
                               (int)constant->value.size, constant->value.bytes);
    }
    return true;
}

/* The colon that ends the head of a rule: the first one. */
static const char *describe_find_colon(const char *at, const char *end)
{
    return memchr(at, ':', (size_t)(end - at));
}

static bool describe_read_rule(struct parser *parser, const char *at, const char *end)
{
    struct description *description = parser->description;
    const char *colon = describe_find_colon(at, end);
    const bool is_part = is_blank(*at);
    struct cursor head = {at, colon ? colon : end};
    cursor_skip(&head);
    const char *place = head.at;
    struct describe_rule rule = {.kind = DESCRIBE_ANY, .line = parser->line};
    struct describe_part *part = NULL;
    if (is_part) {
        const struct spoor_slice name = cursor_word(&head, ":");
        const int found = describe_find_part(description, name);
        if (found < 0 || !colon) return parser_fail(parser, place, "NAME: and a template");
        part = &description->parts[found];
        cursor_skip(&head);
        place = head.at;
    }
    struct cursor after = head;
    const struct spoor_slice word = cursor_word(&after, ":");
    rule.kind = slice_kind(word);
    if (rule.kind != DESCRIBE_ANY) head = after;
    const bool described =
        rule.kind == SPOOR_INSN || rule.kind == SPOOR_REG || rule.kind == SPOOR_MEM ||
        rule.kind == SPOOR_EVENT || rule.kind == SPOOR_FLOW || rule.kind == SPOOR_UOP ||
        (rule.kind == SPOOR_NOTE && !is_part) || (rule.kind == DESCRIBE_ANY && is_part);
    if (!colon || !described)
        return parser_fail(parser, place,
                           "a kind (insn, reg, mem, event, flow, uop, note) and :, or title, unit, "
                           "isa, words, carry, derive, omits, others, read only, csv, column or "
                           "binary, not '%.*s'",
                           (int)word.size, word.bytes);
    if (!describe_read_constants(parser, head, &rule)) return false;
    rule.table = !is_part && description->separator && rule.kind != SPOOR_NOTE;
    if (!describe_read_template(parser, colon + 1, end, &rule.template)) return false;
    if (part)
        part->rules[part->count++] = rule;
    else
        description->rule[description->rule_count++] = rule;
    return true;
}

static bool describe_read_binary(struct parser *parser, struct cursor cursor)
{
    struct description *description = parser->description;
    cursor_skip(&cursor);
    const char *place = cursor.at;
    description->binary_size = cursor_number(&cursor);
    if (description->binary_size < 1 || description->binary_size > 4096)
        return parser_fail(parser, place, "1 to 4096 bytes");
    cursor_skip(&cursor);
    const struct spoor_slice order = cursor_word(&cursor, "");
    description->big_endian = slice_is(order, "big");
    return !order.size || description->big_endian || slice_is(order, "little") ||
           parser_fail(parser, order.bytes, "little or big");
}

static bool describe_read_statement(struct parser *parser, const char *at, const char *end)
{
    struct description *description = parser->description;
    struct cursor cursor = {at, end};
    if (is_blank(*at)) return describe_read_rule(parser, at, end);
    const struct spoor_slice word = cursor_word(&cursor, ":");
    const bool ends = cursor.at == cursor.end || is_blank(*cursor.at);
    cursor_skip(&cursor);
    const struct spoor_slice rest = {cursor.at, (size_t)(cursor.end - cursor.at)};
    if (!ends || slice_kind(word) != DESCRIBE_ANY) return describe_read_rule(parser, at, end);
    if (slice_is(word, "words")) return true; /* read before: templates name them */
    if (slice_is(word, "title")) {
        snprintf(description->title_line, sizeof description->title_line, "%.*s", (int)rest.size,
                 rest.bytes);
        return true;
    }
    if (slice_is(word, "waveform")) {
        size_t count = 0;
        while (builtin_mappings[count].name) count++;
        const char **dialects = describe_alloc(parser, (count + 1) * sizeof *dialects);
        for (size_t i = 0; dialects && i < count; i++) dialects[i] = builtin_mappings[i].name;
        description->format.dialects = dialects;
        description->waveform = true;
        return dialects != NULL;
    }
    if (slice_is(word, "unit")) {
        if (!rest.size || rest.size >= SPELLING_UNIT_SIZE || memchr(rest.bytes, ' ', rest.size))
            return parser_fail(parser, rest.bytes, "a unit of at most %d letters",
                               SPELLING_UNIT_SIZE - 1);
        memcpy(description->unit, rest.bytes, rest.size);
        return true;
    }
    if (slice_is(word, "isa")) {
        static const struct {
            const char *name;
            enum spoor_isa isa;
        } known[] = {{"riscv", SPOOR_ISA_RISCV},
                     {"riscv32", SPOOR_ISA_RISCV},
                     {"riscv64", SPOOR_ISA_RISCV},
                     {"aarch64", SPOOR_ISA_AARCH64},
                     {"aarch32", SPOOR_ISA_AARCH32},
                     {"arm", SPOOR_ISA_AARCH32},
                     {"x86", SPOOR_ISA_UNKNOWN},
                     {"x86-64", SPOOR_ISA_UNKNOWN},
                     {"mips", SPOOR_ISA_MIPS},
                     {"mips32", SPOOR_ISA_MIPS},
                     {"mips64", SPOOR_ISA_MIPS},
                     {"loongarch", SPOOR_ISA_LOONGARCH},
                     {"loongarch64", SPOOR_ISA_LOONGARCH}};
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (!slice_is(rest, known[i].name)) continue;
            description->format.isa = known[i].isa;
            description->is_riscv = known[i].isa == SPOOR_ISA_RISCV;
            description->is_aarch64 = known[i].isa == SPOOR_ISA_AARCH64;
            return true;
        }
        return parser_fail(parser, rest.bytes, "riscv, aarch64, aarch32, x86, mips or loongarch");
    }
    if (slice_is(word, "carry") || slice_is(word, "derive")) {
        for (; cursor.at < cursor.end; cursor_skip(&cursor)) {
            const struct spoor_slice what = cursor_word(&cursor, "");
            if (slice_is(word, "carry") && slice_is(what, "time"))
                description->carries_time = true;
            else if (slice_is(word, "carry") && slice_is(what, "cpu"))
                description->carries_cpu = true;
            else if (slice_is(word, "derive") && slice_is(what, "access"))
                description->derives_access = true;
            else if (slice_is(word, "derive") && slice_is(what, "cause"))
                description->derives_cause = true;
            else
                return parser_fail(parser, what.bytes, "%s",
                                   slice_is(word, "carry") ? "time or cpu" : "access or cause");
        }
        return true;
    }
    if (slice_is(word, "others")) {
        description->others = slice_is(rest, "comment");
        return description->others || parser_fail(parser, rest.bytes, "comment");
    }
    if (slice_is(word, "omits")) {
        description->format.omits =
            slice_is(rest, "silent") ? FORMAT_OMITS_SILENT : FORMAT_OMITS_NOTHING;
        return slice_is(rest, "silent") || parser_fail(parser, rest.bytes, "silent");
    }
    if (slice_is(word, "read")) {
        description->read_only = slice_is(rest, "only");
        return description->read_only || parser_fail(parser, rest.bytes, "only");
    }
    if (slice_is(word, "csv")) {
        description->separator = rest.size ? *rest.bytes : ',';
        return rest.size <= 1 || parser_fail(parser, rest.bytes, "one character");
    }
    if (slice_is(word, "binary"))
        return describe_read_binary(parser, (struct cursor){rest.bytes, end});
    if (slice_is(word, "column")) {
        const char *colon = describe_find_colon(rest.bytes, end);
        if (!colon) return parser_fail(parser, rest.bytes, "NAME: and a template");
        struct describe_column *column = &description->columns[description->column_count++];
        const char *name_end = colon;
        while (name_end > rest.bytes && is_blank(name_end[-1])) name_end--;
        column->name = (struct spoor_slice){rest.bytes, (size_t)(name_end - rest.bytes)};
        return describe_read_template(parser, colon + 1, end, &column->template);
    }
    return describe_read_rule(parser, at, end);
}

/* ---- checks ---- */

/* Parts do not contain themselves, repetitions do not nest, and a text in one is followed by the
 * text at which it ends: then a place of a line is tried at most once by each alternative. */
static bool describe_check(struct parser *parser, const struct describe_sequence *sequence,
                           unsigned depth, bool repeats)
{
    struct description *description = parser->description;
    if (depth > 2 * DESCRIBE_NESTING)
        return parser_fail(parser, NULL, "parts that do not contain themselves");
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        const struct describe_element *next = i + 1 < sequence->count ? element + 1 : NULL;
        const bool is_text = element->what == ELEMENT_FIELD &&
                             (element->slot->type == 't' || element->slot->type == 'T');
        if (element->what == ELEMENT_GROUP) {
            if (repeats && element->mark != '?')
                return parser_fail(parser, NULL, "no repetition inside another one");
            if (!describe_check(parser, &element->body, depth + 1, repeats || element->mark != '?'))
                return false;
        }
        const bool takes_part = element->what == ELEMENT_FIELD && element->slot->type == 'P';
        if (element->what == ELEMENT_PART || takes_part) {
            const struct describe_part *part =
                &description->parts[takes_part ? element->slot->part : element->part];
            for (size_t k = 0; k < part->count; k++)
                if (!describe_check(parser, &part->rules[k].template, depth + 1, repeats))
                    return false;
        }
        if (is_text && repeats && !(next && next->what == ELEMENT_TEXT))
            return parser_fail(parser, NULL,
                               "text after a {:t} that is repeated, at which it ends");
    }
    return true;
}

static void describe_add_field(struct description *description, int kind, int field)
{
    if (kind == DESCRIBE_ANY || field >= SPOOR_FIELDS) return;
    const spoor_field_set bit = (spoor_field_set)1 << field;
    if (spoor_kind_fields((enum spoor_kind)kind) & bit) description->format.fields[kind] |= bit;
}

/* Adds the fields that a template states to the format's, of records of the kinds in `kinds`. */
static void describe_add_fields(struct description *description,
                                const struct describe_sequence *sequence, uint32_t kinds)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        if (element->what == ELEMENT_GROUP) describe_add_fields(description, &element->body, kinds);
        if (element->what == ELEMENT_FIELD) {
            for (unsigned k = 0; k < element->slot->name_count; k++) {
                const struct describe_name name = element->slot->names[k];
                describe_add_field(description, name.kind, name.field);
                if (name.kind != DESCRIBE_ANY) continue;
                describe_add_field(description, describe_owner(name.field), name.field);
                for (int kind = 0; kind < SPOOR_KINDS; kind++)
                    if (kinds >> kind & 1) describe_add_field(description, kind, name.field);
            }
        }
        if (element->what != ELEMENT_PART) continue;
        const struct describe_part *part = &description->parts[element->part];
        for (size_t k = 0; k < part->count; k++) {
            const struct describe_rule *rule = &part->rules[k];
            const uint32_t own = rule->kind == DESCRIBE_ANY ? 0 : UINT32_C(1) << rule->kind;
            for (size_t c = 0; c < rule->constant_count; c++)
                describe_add_field(description,
                                   rule->constants[c].name.kind == DESCRIBE_ANY
                                       ? rule->kind
                                       : rule->constants[c].name.kind,
                                   rule->constants[c].name.field);
            describe_add_fields(description, &rule->template, kinds | own);
        }
    }
}

/* What follows from the fields that lines state. */
static void describe_add_implied(struct description *description)
{
    spoor_field_set *fields = description->format.fields;
    const spoor_field_set op = SPOOR_FIELD_BIT(OP), cpu = SPOOR_FIELD_BIT(CPU);
    bool names_cpu = false;
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        if (fields[kind] && kind != SPOOR_UOP) fields[kind] |= op;
        names_cpu |= (fields[kind] & cpu) != 0;
    }
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (fields[kind] && names_cpu) fields[kind] |= cpu;
    if (fields[SPOOR_INSN] & SPOOR_FIELD_BIT(OPCODE))
        fields[SPOOR_INSN] |= SPOOR_FIELD_BIT(OPCODE_SIZE);
    if (fields[SPOOR_REG] & SPOOR_FIELD_BIT(VALUE)) fields[SPOOR_REG] |= SPOOR_FIELD_BIT(BITS);
    if (fields[SPOOR_MEM] & (SPOOR_FIELD_BIT(DATA) | SPOOR_FIELD_BIT(ADDRESS)))
        fields[SPOOR_MEM] |= SPOOR_FIELD_BIT(SIZE);
    if (description->is_aarch64 && fields[SPOOR_INSN]) fields[SPOOR_INSN] |= SPOOR_FIELD_BIT(ISET);
}

/* The bytes after which a text ends the line: "x}) {disasm:T}" has ") ". */
static bool describe_find_mark(const struct describe_sequence *sequence, char *last, char mark[2])
{
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        if (element->what == ELEMENT_TEXT) {
            *last = element->text.bytes[element->text.size - 1];
        } else if (element->what == ELEMENT_GROUP) {
            char inner = *last;
            if (describe_find_mark(&element->body, &inner, mark)) return true;
        } else if (element->what == ELEMENT_FIELD) {
            const bool ends = i + 1 == sequence->count &&
                              (element->slot->type == 't' || element->slot->type == 'T');
            if (ends && element->slot->name_count && *last && i > 0 &&
                element[-1].what == ELEMENT_BLANKS) {
                mark[0] = *last;
                mark[1] = ' ';
                return true;
            }
            *last = '\0';
        }
    }
    return false;
}

static size_t describe_literal_size(const struct describe_sequence *sequence)
{
    size_t size = 0;
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->elements[i].what == ELEMENT_TEXT) size += sequence->elements[i].text.size;
    return size;
}

/* True if the elements before `end` are as many words in every line. */
static bool describe_has_words(const struct describe_sequence *template, size_t end)
{
    for (size_t i = 0; i < end; i++) {
        const struct describe_element *element = &template->elements[i];
        if (element->what == ELEMENT_GROUP || element->what == ELEMENT_PART ||
            (element->what == ELEMENT_BLANKS && !element->mark))
            return false;
    }
    return true;
}

/* Finds a disassembly that a text follows, or the last group: lines are told apart without it. */
static void describe_choose_middle(struct description *description,
                                   const struct describe_sequence *template)
{
    const struct describe_element *elements = template->elements;
    for (size_t i = 1; i + 1 < template->count && !description->middle.slot; i++) {
        const struct describe_element *before = &elements[i - 1], *after = &elements[i + 1];
        const struct describe_slot *slot = elements[i].slot;
        if (elements[i].what != ELEMENT_FIELD || (slot->type != 't' && slot->type != 'T') ||
            slot->name_count != 1 || slot->names[0].field != SPOOR_FIELD_DISASM ||
            (after->what != ELEMENT_TEXT &&
             (after->what != ELEMENT_GROUP || i + 2 != template->count ||
              !describe_has_words(template, i))) ||
            (before->what != ELEMENT_TEXT && before->what != ELEMENT_BLANKS))
            continue;
        const bool quoted = before->what == ELEMENT_TEXT;
        const char open = quoted ? before->text.bytes[before->text.size - 1] : '\0';
        unsigned number = 0;
        for (size_t k = 0; k < i; k++) {
            const struct spoor_slice text = elements[k].text;
            number += !quoted && k > 0 && elements[k].what == ELEMENT_BLANKS;
            for (size_t n = 0; quoted && elements[k].what == ELEMENT_TEXT && n < text.size; n++)
                number += text.bytes[n] == open;
        }
        description->middle.slot = slot;
        description->middle.open = open;
        description->middle.number = number;
        description->middle.close = after->text;
        description->middle.sequence = template;
        description->middle.after = i + 1;
    }
}

/* What rules state of accesses and registers, one way or the other. */
struct stated {
    bool op[2], size[2], operand[2]; /* by whether a rule or part states it */
    bool mixed;                      /* a rule of another kind has fields of an access */
    bool registers;                  /* or of a register */
};

static bool stated_has_field(const struct describe_rule *rule,
                             const struct describe_sequence *sequence, int field)
{
    for (size_t i = 0; i < rule->constant_count && sequence == &rule->template; i++)
        if (rule->constants[i].name.field == field) return true;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        if (element->what == ELEMENT_GROUP && stated_has_field(rule, &element->body, field))
            return true;
        for (unsigned k = 0; element->what == ELEMENT_FIELD && k < element->slot->name_count; k++)
            if (element->slot->names[k].field == field) return true;
    }
    return false;
}

static void stated_add_others(struct stated *stated, const struct describe_sequence *sequence,
                              int kind)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        if (element->what == ELEMENT_GROUP) stated_add_others(stated, &element->body, kind);
        for (unsigned k = 0; element->what == ELEMENT_FIELD && k < element->slot->name_count; k++) {
            const struct describe_name name = element->slot->names[k];
            /* a field that the rule's own kind has opens no other record */
            const bool own = name.kind == DESCRIBE_ANY && kind != DESCRIBE_ANY &&
                             name.field < SPOOR_FIELDS &&
                             (spoor_kind_fields((enum spoor_kind)kind) >> name.field & 1);
            const int owner = own                         ? kind
                              : name.kind == DESCRIBE_ANY ? describe_owner(name.field)
                                                          : name.kind;
            stated->mixed |=
                (owner == SPOOR_MEM && kind != SPOOR_MEM) || name.field == DESCRIBE_MASK;
            stated->registers |= owner == SPOOR_REG && kind != SPOOR_REG;
        }
    }
}

static void stated_add_rule(struct stated *stated, const struct describe_rule *rule)
{
    stated_add_others(stated, &rule->template, rule->kind);
    if (rule->kind == SPOOR_MEM) {
        stated->op[stated_has_field(rule, &rule->template, SPOOR_FIELD_OP)] = true;
        stated->size[stated_has_field(rule, &rule->template, SPOOR_FIELD_SIZE)] = true;
    }
    if (rule->kind == SPOOR_REG) stated->operand[rule->operand] = true;
}

/* With `derive access`: where the rules agree in what they leave to the opcode, it is set when
 * lines are decoded, and the opcode is a number of their layouts like any other. */
static void describe_find_settles(struct description *description)
{
    struct stated stated = {.mixed = false};
    for (size_t i = 0; i < description->rule_count; i++)
        stated_add_rule(&stated, &description->rule[i]);
    for (size_t i = 0; i < description->part_count; i++)
        for (size_t k = 0; k < description->parts[i].count; k++)
            stated_add_rule(&stated, &description->parts[i].rules[k]);
    for (size_t i = 0; i < description->column_count; i++)
        stated_add_others(&stated, &description->columns[i].template, SPOOR_INSN);
    const bool agree = !stated.mixed && !(stated.op[0] && stated.op[1]) &&
                       !(stated.size[0] && stated.size[1]) &&
                       !(stated.operand[1] && (stated.operand[0] || stated.registers));
    if (!description->derives_access || !description->is_riscv || !agree) return;
    description->settles =
        (struct describe_settles){true, stated.op[0], stated.size[0], stated.operand[1]};
}

static bool describe_finish(struct parser *parser)
{
    struct description *description = parser->description;
    if (description->rule_count == 0)
        return parser_fail(parser, NULL, "a rule: a kind, : and a template");
    for (size_t i = 0; i < description->rule_count; i++) {
        const struct describe_rule *rule = &description->rule[i];
        parser->line = rule->line;
        parser->line_begin = NULL;
        if (!describe_check(parser, &rule->template, 0, false)) return false;
        if (rule->kind == SPOOR_NOTE) continue;
        uint32_t kinds = UINT32_C(1) << rule->kind;
        for (size_t c = 0; c < rule->constant_count; c++) {
            const struct describe_name name = rule->constants[c].name;
            if (name.kind != DESCRIBE_ANY) kinds |= UINT32_C(1) << name.kind;
            describe_add_field(description, name.kind == DESCRIBE_ANY ? rule->kind : name.kind,
                               name.field);
        }
        describe_add_field(description, rule->kind, SPOOR_FIELD_OP);
        describe_add_fields(description, &rule->template, kinds);
        for (size_t c = 0; rule->table && c < description->column_count; c++) {
            if (!describe_check(parser, &description->columns[c].template, 0, false)) return false;
            describe_add_fields(description, &description->columns[c].template, kinds);
        }
        char last = '\0';
        if (!description->rules.mark[0])
            describe_find_mark(&rule->template, &last, description->rules.mark);
        if (!rule->table) describe_choose_middle(description, &rule->template);
        description->has_signature |= describe_literal_size(&rule->template) >= 3;
    }
    description->has_signature |= description->separator != '\0';
    describe_find_settles(description);
    describe_add_implied(description);
    if (description->separator) {
        if (!description->column_count) return parser_fail(parser, NULL, "a column");
        size_t size = 0;
        for (size_t i = 0; i < description->column_count; i++)
            size += description->columns[i].name.size + 1;
        char *title = describe_alloc(parser, size);
        if (!title) return false;
        description->title = (struct spoor_slice){title, size - 1};
        for (size_t i = 0; i < description->column_count; i++) {
            const struct spoor_slice name = description->columns[i].name;
            memcpy(title, name.bytes, name.size);
            title += name.size;
            if (i + 1 < description->column_count) *title++ = description->separator;
        }
        description->table_expected = parser_text(parser, "%zu columns", description->column_count);
    }
    if (description->binary_size) {
        const struct describe_sequence *template = &description->rule[0].template;
        uint32_t size = 0;
        for (size_t i = 0; i < template->count; i++) {
            const struct describe_element *element = &template->elements[i];
            if (element->what == ELEMENT_BLANKS) continue;
            if (element->what != ELEMENT_FIELD || element->slot->width < 1 ||
                element->slot->width > 8 || strchr("tTsrwhfP", element->slot->type))
                return parser_fail(parser, NULL, "fields of 1 to 8 bytes: {pc:8x}");
            size += element->slot->width;
        }
        if (size != description->binary_size || description->rule_count != 1)
            return parser_fail(parser, NULL, "one rule of %u bytes, not %u",
                               (unsigned)description->binary_size, (unsigned)size);
    }
    return true;
}

/* ---- the whole ---- */

/* The next line without its comment and line end; false: there is none. */
static bool parser_next_line(struct parser *parser, struct cursor *file, struct cursor *line)
{
    while (file->at < file->end) {
        const char *newline = memchr(file->at, '\n', (size_t)(file->end - file->at));
        line->at = file->at;
        line->end = newline ? newline : file->end;
        file->at = newline ? newline + 1 : file->end;
        parser->line++;
        parser->line_begin = line->at;
        if (line->end > line->at && line->end[-1] == '\r') line->end--;
        struct cursor content = *line;
        cursor_skip(&content);
        if (content.at < content.end && *content.at != '#') return true;
    }
    return false;
}

/* Counts rules and alternatives, and reads words and the names of parts, which templates use before
 * they are defined. */
static bool describe_read_names(struct parser *parser, struct cursor file)
{
    struct description *description = parser->description;
    struct cursor line;
    size_t lines = 0;
    for (const char *at = file.at; at < file.end; at++) lines += *at == '\n';
    lines++;
    description->words = describe_alloc(parser, lines * sizeof *description->words);
    description->parts = describe_alloc(parser, lines * sizeof *description->parts);
    description->rule = describe_alloc(parser, lines * sizeof *description->rule);
    description->columns = describe_alloc(parser, lines * sizeof *description->columns);
    description->slots = describe_alloc(parser, DESCRIBE_FIELDS * sizeof *description->slots);
    if (parser->failed) return false;
    while (parser_next_line(parser, &file, &line)) {
        struct cursor cursor = line;
        const bool is_part = is_blank(*line.at);
        cursor_skip(&cursor);
        const struct spoor_slice word = cursor_word(&cursor, ":");
        if (!is_part && slice_is(word, "words") && !describe_read_words(parser, cursor))
            return false;
        if (!is_part) continue;
        int part = describe_find_part(description, word);
        if (part < 0) {
            part = (int)description->part_count++;
            description->parts[part].name = word;
        }
        description->parts[part].capacity++;
    }
    for (size_t i = 0; i < description->part_count; i++) {
        struct describe_part *part = &description->parts[i];
        part->rules = describe_alloc(parser, part->capacity * sizeof *part->rules);
    }
    return !parser->failed;
}

void describe_free(struct description *description)
{
    if (!description) return;
    for (struct describe_block *block = description->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    wave_mapping_free(description->mapping);
    free(description);
}

/* ---- mappings of waveforms ---- */

static struct spoor_slice parser_content(struct cursor line)
{
    cursor_skip(&line);
    return (struct spoor_slice){line.at, (size_t)(line.end - line.at)};
}

static bool describe_is_mapping(struct parser *parser, struct cursor file)
{
    struct cursor line;
    while (parser_next_line(parser, &file, &line))
        if (wave_mapping_has_line(parser_content(line))) return true;
    return false;
}

/* The rules of a mapping are those of the lines that are made of waveforms. */
static struct cursor describe_mapping_rules(void)
{
    const struct builtin_description *rules = builtin_descriptions;
    while (strcmp(rules->name, "waveform") != 0) rules++;
    return (struct cursor){rules->text, rules->text + strlen(rules->text)};
}

/* Reads what a mapping file states beside the mapping. */
static bool describe_read_mapping(struct parser *parser, struct cursor file, const char *name)
{
    struct description *description = parser->description;
    struct cursor line;
    description->waveform = false;
    description->format.dialects = NULL;
    parser->line = 0;
    while (parser_next_line(parser, &file, &line)) {
        const struct spoor_slice content = parser_content(line);
        if (wave_mapping_has_line(content)) continue;
        struct cursor cursor = line;
        const struct spoor_slice word = cursor_word(&cursor, ":");
        if (!slice_is(word, "title") && !slice_is(word, "isa"))
            return parser_fail(
                parser, content.bytes,
                "title, isa, or a line of a mapping: clock = SIGNAL, FIELD = SIGNAL");
        if (!describe_read_statement(parser, line.at, line.end)) return false;
    }
    if (parser->failed) return false;
    description->mapping = wave_mapping_parse(parser->path, name, description->text,
                                              description->is_riscv, parser->error);
    parser->failed = !description->mapping;
    return !parser->failed;
}

struct description *describe_parse(const char *path, const char *name, struct spoor_slice text,
                                   struct spoor_error *error)
{
    struct description *description = calloc(1, sizeof *description);
    struct parser parser = {.description = description, .path = path, .error = error};
    if (!description) {
        error_no_memory(error);
        return NULL;
    }
    const size_t size = strlen(name);
    bool good = size > 0 && size < sizeof description->name;
    for (const char *at = name; *at; at++) good = good && is_word(*at);
    if (!good || text.size > DESCRIBE_FILE) {
        spoor_error_set(error, SPOOR_EINPUT, "%s: expected %s", path,
                        good ? "a description of at most 24 KiB"
                             : "a name of letters, digits, _ and -, and .spoor-format after it");
        describe_free(description);
        return NULL;
    }
    memcpy(description->name, name, size);
    char *copy = describe_alloc(&parser, text.size + 1);
    if (copy && text.size) memcpy(copy, text.bytes, text.size);
    description->text = (struct spoor_slice){copy, text.size};
    const struct cursor file = {copy, copy ? copy + text.size : NULL};
    const bool maps = copy && describe_is_mapping(&parser, file);
    struct cursor rules = maps ? describe_mapping_rules() : file, line;
    parser.line = 0;
    good = copy && describe_read_names(&parser, rules);
    parser.line = 0;
    while (good && parser_next_line(&parser, &rules, &line))
        good = describe_read_statement(&parser, line.at, line.end);
    if (good && maps) good = describe_read_mapping(&parser, file, name);
    if (!good || parser.failed || !describe_finish(&parser)) {
        describe_free(description);
        return NULL;
    }
    describe_set_functions(description);
    return description;
}
