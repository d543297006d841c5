/* SPDX-License-Identifier: MIT */
/*
 * match.c: finds the rule that takes a line.
 *
 * Rules and alternatives are tried in their order, and no element gives back what it took.  Parts
 * do not recur and repetitions do not nest (parse.c), the end of a run of digits and the next place
 * of a text are found once for all places before it, and a look ahead ends at its first text or
 * after one round of a repetition: so the time is linear in the length of the line.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/scan.h"
#include "formats/describe/describe.h"

/* What follows an element: elements of this sequence from `at` on, then what follows that. */
struct rest {
    const struct describe_sequence *sequence;
    size_t at;
    const struct rest *after;
};

static const char *match_sequence(struct describe_match *match,
                                  const struct describe_sequence *sequence, const char *at,
                                  const struct rest *after);
static const char *match_part(struct describe_match *match, unsigned part, const char *at,
                              const struct rest *rest);

static const char *match_fail(struct describe_match *match, const char *at, const char *expected)
{
    if (!match->looking && (!match->expected || at > match->furthest)) {
        match->furthest = at;
        match->expected = expected;
    }
    return NULL;
}

static void match_see(struct describe_match *match, const char *end)
{
    if (end > match->seen) match->seen = end;
}

/* The bytes from `at` to `end`, both included, were told apart as `told`. */
static void match_tell(struct describe_match *match, const char *at, const char *end,
                       enum told told)
{
    for (; at <= end && at < match->line + TEXT_LINE; at++)
        match->told[at - match->line] |= (uint8_t)told;
}

static bool match_capture(struct describe_match *match, struct capture capture)
{
    if (match->looking) return true; /* it would be forgotten */
    if (!array_reserve(&match->captures, &match->capacity, match->count + 1)) {
        match->failed = true;
        return false;
    }
    match->captures[match->count++] = capture;
    return true;
}

/* ---- runs and texts ---- */

static bool match_is_of(enum describe_class class, char c)
{
    const unsigned char byte = (unsigned char)c;
    switch (class) {
    case CLASS_HEX: return hex_value[byte] < 16;
    case CLASS_UNKNOWN: return hex_value[byte] < 16 || c == 'X' || c == 'x' || c == '?';
    case CLASS_DECIMAL: return c >= '0' && c <= '9';
    case CLASS_BINARY: return c == '0' || c == '1';
    case CLASS_OCTAL: return c >= '0' && c <= '7';
    case CLASS_WORD:
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    case CLASS_BLANK: return c == ' ' || c == '\t';
    default: return byte > ' ';
    }
}

/* The runs that a field remembers. */
enum { RUN_BLANKS, RUN_FIRST, RUN_FRACTION, RUNS };
static struct describe_span *match_runs(struct describe_match *match,
                                        const struct describe_slot *slot)
{
    return &match->runs[(size_t)RUNS * slot->id];
}

/* The end of the bytes of the class that begin at `at`: found once for all places among them, for
 * each element apart, as one that looks far ahead and one that looks near would undo each other. */
static const char *match_run(struct describe_match *match, enum describe_class class,
                             struct describe_span *run, const char *at)
{
    if (at < run->begin || at >= run->end) {
        const char *end = at;
        while (end < match->end && match_is_of(class, *end)) end++;
        *run = (struct describe_span){at, end};
        match->steps += (size_t)(end - at);
        if (class == CLASS_DECIMAL)
            match_tell(match, at, end, TOLD_DECIMAL);
        else if (class == CLASS_BINARY || class == CLASS_OCTAL)
            match_tell(match, at, end, TOLD_OTHER);
        /* that a text does not begin with a blank is known without the text */
        match_see(match, end + (class != CLASS_BLANK));
    }
    return run->end < match->end ? run->end : match->end;
}

/* True if the text stands at `at`.  Bytes that could have been digits of a number are told apart as
 * far as they were compared. */
static bool match_text_at(struct describe_match *match, struct spoor_slice text, const char *at)
{
    size_t same = 0;
    while (same < text.size && at + same < match->end && at[same] == text.bytes[same]) same++;
    for (size_t i = 0; i <= same && i < text.size; i++)
        if (hex_value[(unsigned char)text.bytes[i]] < 16)
            match_tell(match, at + i, at + i, TOLD_FROM_TEXT);
    match_see(match, at + same + (same < text.size));
    match->steps += same + 1;
    return same == text.size;
}

/* The next place of the text at `at` or after it, or the end. */
static const char *match_find(struct describe_match *match, const struct describe_element *element,
                              const char *at)
{
    struct describe_span *search = &match->searches[element->search];
    const struct spoor_slice text = element->text;
    if (!search->begin || at < search->begin || at > search->end) {
        const char *found = at;
        while (found < match->end && ((size_t)(match->end - found) < text.size ||
                                      memcmp(found, text.bytes, text.size) != 0))
            found++;
        *search = (struct describe_span){at, found};
        match->steps += (size_t)(found - at);
        if (hex_value[(unsigned char)*text.bytes] < 16)
            match_tell(match, at, found, TOLD_FROM_TEXT);
        match_see(match, found + text.size);
    }
    return search->end;
}

/* ---- what follows a text ---- */

/* The element that comes next in the template; NULL: it ends. */
static const struct describe_element *match_next(const struct rest *rest)
{
    while (rest && rest->at == rest->sequence->count) rest = rest->after;
    return rest ? &rest->sequence->elements[rest->at] : NULL;
}

static const char *match_element(struct describe_match *match,
                                 const struct describe_element *element, const char *at,
                                 const struct rest *rest);

/* True if what follows a text can begin at `at`. */
static bool match_stops(struct describe_match *match, const struct rest *rest, const char *at)
{
    struct rest next;
    while (rest) {
        if (rest->at == rest->sequence->count) {
            rest = rest->after;
            continue;
        }
        const struct describe_element *element = &rest->sequence->elements[rest->at];
        next = (struct rest){rest->sequence, rest->at + 1, rest->after};
        if (element->what == ELEMENT_TEXT) return match_text_at(match, element->text, at);
        if (element->what == ELEMENT_BLANKS) {
            if (at < match->end && match_is_of(CLASS_BLANK, *at))
                return match_stops(
                    match, &next,
                    match_run(match, CLASS_BLANK, &match->searches[element->search], at));
            if (element->mark) return false;
        } else {
            const size_t count = match->count;
            match->looking++;
            const char *end = element->what == ELEMENT_GROUP
                                  ? match_sequence(match, &element->body, at, &next)
                                  : match_element(match, element, at, &next);
            match->looking--;
            match->count = count;
            if (match->enough || (end && end > at)) {
                match->enough = false;
                return true;
            }
            if (element->what != ELEMENT_GROUP || element->mark == '+') return false;
        }
        return match_stops(match, &next, at);
    }
    return at == match->end;
}

/* ---- fields ---- */

/* The end of bytes of two digits, with blanks between; at most 64 of them. */
static const char *match_bytes_end(const char *at, const char *end)
{
    enum { MOST = 3 * 64 };
    const char *last = at;
    if (end - at > MOST) end = at + MOST;
    while (end - at >= 2 && hex_value[(unsigned char)at[0]] < 16 &&
           hex_value[(unsigned char)at[1]] < 16 &&
           (end - at == 2 || (!match_is_of(CLASS_WORD, at[2]) && at[2] != '.'))) {
        last = at += 2;
        if (at < end && *at == ' ') at++;
    }
    return last;
}

/* The longest of the words that stands at `at` and that no letter or digit continues; NULL. */
static const char *match_word(struct describe_match *match, const struct describe_words *words,
                              const char *at)
{
    size_t longest = 0;
    for (size_t i = 0; i < words->count; i++) {
        const struct spoor_slice word = words->words[i].spelling;
        if (!match_text_at(match, word, at)) continue;
        const char *end = at + word.size;
        match_tell(match, end, end, TOLD_FROM_TEXT);
        match_see(match, end + 1);
        const bool continues = end < match->end && *end != '_' && match_is_of(CLASS_WORD, *end) &&
                               end[-1] != '_' && match_is_of(CLASS_WORD, end[-1]);
        if (!continues && word.size > longest) longest = word.size;
    }
    return longest ? at + longest : NULL;
}

/* True if what follows a text, unless the template ends, begins with a blank. */
static bool match_is_after_blank(const struct rest *rest)
{
    struct rest next;
    for (; rest; rest = &next) {
        while (rest && rest->at == rest->sequence->count) rest = rest->after;
        if (!rest) return true;
        const struct describe_element *element = &rest->sequence->elements[rest->at];
        if (element->what == ELEMENT_BLANKS) return element->mark;
        if (element->what != ELEMENT_GROUP || element->body.elements->what != ELEMENT_BLANKS ||
            !element->body.elements->mark)
            return false;
        if (element->mark == '+') return true;
        next = (struct rest){rest->sequence, rest->at + 1, rest->after};
    }
    return true;
}

/* Whether the elements stand at `at`: told without a match where they are texts, blanks, words and
 * hexadecimal numbers, as the effects of most logs are.  That takes a tenth of the time. */
enum stands { STANDS_NOT, STANDS_PERHAPS, STANDS };

static enum stands match_stands(struct describe_match *match,
                                const struct describe_sequence *sequence, const char *at)
{
    const char *const first = at, *const end = match->end;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct describe_element *element = &sequence->elements[i];
        const struct describe_slot *slot = element->slot;
        const char *begin = at;
        if (element->peek) return STANDS_PERHAPS;
        if (element->what == ELEMENT_TEXT) {
            if (!match_text_at(match, element->text, at)) return STANDS_NOT;
            at += element->text.size;
        } else if (element->what == ELEMENT_BLANKS) {
            while (at < end && match_is_of(CLASS_BLANK, *at)) at++;
            if (at == begin && element->mark) return STANDS_NOT;
        } else if (element->what == ELEMENT_PART) {
            const struct describe_part *part = &match->description->parts[element->part];
            enum stands best = STANDS_NOT;
            for (size_t k = 0; k < part->count && best != STANDS; k++) {
                const enum stands one = match_stands(match, &part->rules[k].template, at);
                if (one > best) best = one;
            }
            return best == STANDS && i + 1 < sequence->count ? STANDS_PERHAPS : best;
        } else if (element->what == ELEMENT_FIELD && slot->type == 'w' && !slot->width) {
            while (at < end && match_is_of(CLASS_WORD, *at)) at++;
            if (at == begin) return STANDS_NOT;
        } else if (element->what == ELEMENT_FIELD && slot->type == 'x' && !slot->exact &&
                   (slot->zero || !slot->width)) {
            while (at < end && match_is_of(CLASS_HEX, *at)) at++;
            if (at == begin) return STANDS_NOT;
        } else {
            return STANDS_PERHAPS;
        }
        match->steps += (size_t)(at - begin);
    }
    return at > first ? STANDS : STANDS_PERHAPS;
}

/* The first place at which what follows can begin, or the end. */
static const char *match_stop(struct describe_match *match, const char *at, const struct rest *rest)
{
    const bool blank = match_is_after_blank(rest);
    const struct describe_element *next = match_next(rest);
    /* the last group: nothing else can follow */
    const struct describe_sequence *last = blank && next->what == ELEMENT_GROUP &&
                                                   rest->at + 1 == rest->sequence->count &&
                                                   !rest->after
                                               ? &next->body
                                               : NULL;
    while (at < match->end) {
        const char *begin = at++;
        if (!blank) {
            if (match_stops(match, rest, begin)) return begin;
            continue;
        }
        if (*begin != ' ' && *begin != '\t') continue;
        /* of several blanks the first decides */
        while (at < match->end && match_is_of(CLASS_BLANK, *at)) at++;
        const enum stands stands = last ? match_stands(match, last, begin) : STANDS_PERHAPS;
        if (last) match_see(match, match->end);
        if (stands == STANDS || (stands == STANDS_PERHAPS && match_stops(match, rest, begin)))
            return begin;
    }
    return match->end;
}

/* The end of a text: where what follows can begin. */
static const char *match_text_end(struct describe_match *match, const struct describe_slot *slot,
                                  const char *at, const struct rest *rest)
{
    const char *end = at;
    const struct describe_element *next = match_next(rest);
    if (!next)
        end = match->end;
    else if (next->what == ELEMENT_TEXT)
        end = match_find(match, next, at);
    else
        end = match_stop(match, end, rest);
    if (slot->type == 't')
        while (end > at && match_is_of(CLASS_BLANK, end[-1])) end--;
    return end;
}

static const char *match_number_end(struct describe_match *match, const struct describe_slot *slot,
                                    const char *at)
{
    const bool decimal = slot->type == 'd' || slot->type == 'f';
    const enum describe_class class = decimal             ? CLASS_DECIMAL
                                      : slot->type == 'x' ? CLASS_HEX
                                      : slot->type == 'u' ? CLASS_UNKNOWN
                                      : slot->type == 'b' ? CLASS_BINARY
                                                          : CLASS_OCTAL;
    const char *digits = at;
    if (slot->type == 'd' && digits < match->end && *digits == '-') digits++;
    struct describe_span *runs = match_runs(match, slot);
    const char *end = match_run(match, class, &runs[RUN_FIRST], digits);
    if (end == digits) return NULL;
    if (slot->type == 'f') {
        if (end == match->end || *end != '.') return NULL;
        const char *fraction = end + 1;
        end = match_run(match, CLASS_DECIMAL, &runs[RUN_FRACTION], fraction);
        return end > fraction && end - fraction <= 9 ? end : NULL;
    }
    if (!slot->exact) return end;
    return (size_t)(end - digits) >= slot->width ? digits + slot->width : NULL;
}

static const char *match_field(struct describe_match *match, const struct describe_slot *slot,
                               bool peek, const char *at, const struct rest *rest)
{
    const char *begin = at, *end = NULL, *seen = match->seen;
    const struct describe_element *next;
    struct describe_span *runs = match_runs(match, slot);
    /* a column that is aligned to the right */
    if (slot->width && !slot->exact && !slot->zero)
        begin = match_run(match, CLASS_BLANK, &runs[RUN_BLANKS], at);
    switch (slot->type) {
    case 'W': end = match_word(match, slot->words, begin); break;
    case 't':
    case 'T':
        if (match->looking) {
            match->enough = true;
            return NULL;
        }
        seen = match->seen;
        end = match_text_end(match, slot, begin, rest);
        match->loose += (size_t)(end - begin);
        break;
    case 'P': {
        const size_t count = match->count;
        end = match_part(match, slot->part, begin, rest);
        match->count = count;
        if (!end) return NULL; /* the part says what it expected */
        break;
    }
    case 's':
        end = match_run(match, CLASS_SOLID, &runs[RUN_FIRST], begin);
        next = match_next(rest);
        if (next && next->what == ELEMENT_TEXT && end > begin) {
            const char *found = match_find(match, next, begin + 1);
            if (found < end) end = found;
        }
        match->loose += (size_t)(end - begin);
        break;
    case 'r': {
        const bool apart = match->end - begin > 1 && begin[1] == ' '; /* "x 5 " */
        match_tell(match, begin, begin + (apart ? 3 : 1), TOLD_FROM_TEXT);
        match_see(match, begin + (apart ? 4 : 2));
        if (apart && match->end - begin > 3 && (begin[0] | 0x20) >= 'a' &&
            (begin[0] | 0x20) <= 'z' && begin[2] >= '0' && begin[2] <= '9' && begin[3] == ' ')
            end = begin + 3;
        else
            end = match_run(match, CLASS_WORD, &runs[RUN_FIRST], begin);
        break;
    }
    case 'w':
    case 'U': end = match_run(match, CLASS_WORD, &runs[RUN_FIRST], begin); break;
    case 'M': /* of the disassembly, which may come later: the rest of the cell or line */
    case 'O':
        if (match->looking) {
            match->enough = true;
            return NULL;
        }
        end = match->end;
        match_see(match, end);
        break;
    case 'h':
        end = match_bytes_end(begin, match->end);
        match->steps += (size_t)(end - begin);
        match_tell(match, begin, end + 2, TOLD_OTHER);
        match_see(match, end + 3);
        break;
    default: end = match_number_end(match, slot, begin); break;
    }
    const bool may_be_empty = slot->type == 'M' || slot->type == 'O' || slot->type == 't' ||
                              slot->type == 'T' || slot->type == 'P';
    if (!end || (end == begin && !may_be_empty)) return match_fail(match, begin, slot->expected);
    if (!slot->name_count && !strchr("MOU", slot->type)) {
        match->loose += (size_t)(end - begin);
        if (!match->all_fields) return end;
    }
    const struct capture capture = {.what = CAPTURE_FIELD,
                                    .peeked = peek,
                                    .begin = begin,
                                    .end = end,
                                    .seen = seen,
                                    .slot = slot};
    if (!match_capture(match, capture)) return NULL;
    return peek ? at : end;
}

/* ---- elements ---- */

static const char *match_part(struct describe_match *match, unsigned number, const char *at,
                              const struct rest *rest)
{
    const struct describe_part *part = &match->description->parts[number];
    for (size_t i = 0; i < part->count; i++) {
        const struct describe_rule *rule = &part->rules[i];
        const size_t count = match->count, literal = match->literal, loose = match->loose;
        if ((rule->kind != DESCRIBE_ANY || rule->constant_count) &&
            !match_capture(match, (struct capture){.what = CAPTURE_RULE, .rule = rule}))
            return NULL;
        const char *end = match_sequence(match, &rule->template, at, rest);
        if (end || match->enough || match->failed) return end;
        match->count = count;
        match->literal = literal;
        match->loose = loose;
    }
    return NULL;
}

static const char *match_group(struct describe_match *match, const struct describe_element *group,
                               const char *at, const struct rest *rest)
{
    bool once = false;
    for (;;) {
        const size_t count = match->count, literal = match->literal, loose = match->loose;
        if (group->mark != '?' && !match_capture(match, (struct capture){.what = CAPTURE_REPEAT}))
            return NULL;
        const char *end = match_sequence(match, &group->body, at, rest);
        if (match->enough || match->failed) return NULL;
        if (!end || end == at) { /* what takes nothing ends it, too */
            match->count = count;
            match->literal = literal;
            match->loose = loose;
            break;
        }
        at = end;
        once = true;
        if (group->mark == '?') break;
        if (match->looking) { /* one round shows that what follows can begin */
            match->enough = true;
            return NULL;
        }
    }
    return group->mark == '+' && !once ? NULL : at;
}

static const char *match_element(struct describe_match *match,
                                 const struct describe_element *element, const char *at,
                                 const struct rest *rest)
{
    const char *end;
    match->steps++;
    switch (element->what) {
    case ELEMENT_TEXT:
        if (!match_text_at(match, element->text, at))
            return match_fail(match, at, element->expected);
        match->literal += element->text.size;
        return at + element->text.size;
    case ELEMENT_BLANKS:
        end = match_run(match, CLASS_BLANK, &match->searches[element->search], at);
        return end == at && element->mark ? match_fail(match, at, "a blank") : end;
    case ELEMENT_GROUP: return match_group(match, element, at, rest);
    case ELEMENT_PART:
        end = match_part(match, element->part, at, rest);
        return end && element->peek ? at : end;
    default: return match_field(match, element->slot, element->peek, at, rest);
    }
}

static const char *match_sequence(struct describe_match *match,
                                  const struct describe_sequence *sequence, const char *at,
                                  const struct rest *after)
{
    for (size_t i = 0; i < sequence->count && at; i++) {
        const struct rest rest = {sequence, i + 1, after};
        at = match_element(match, &sequence->elements[i], at, &rest);
    }
    return at;
}

/* ---- lines ---- */

static size_t match_span_count(const struct description *description);

const char *describe_match_text(const struct description *description, const char *line,
                                const char *begin, const char *end)
{
    enum { SPANS = 256 };
    struct describe_span spans[SPANS];
    const size_t count = match_span_count(description);
    struct describe_match match = {
        .description = description, .line = line, .begin = begin, .end = end, .seen = begin};
    const struct rest rest = {description->middle.sequence, description->middle.after, NULL};
    match.searches = count <= SPANS ? spans : malloc(count * sizeof *spans);
    if (!match.searches) return NULL;
    memset(match.searches, 0, count * sizeof *spans);
    match.runs = match.searches + description->search_count;
    const char *stop = match_text_end(&match, description->middle.slot, begin, &rest);
    if (count > SPANS) free(match.searches);
    return stop;
}

/* The spans that a match remembers, those of fields after those of texts and blanks. */
static size_t match_span_count(const struct description *description)
{
    return description->search_count + (size_t)RUNS * description->slot_count;
}

static void match_begin(struct describe_match *match, const char *begin, const char *end)
{
    match->begin = begin;
    match->end = end;
    memset(match->searches, 0, match_span_count(match->description) * sizeof *match->searches);
}

struct describe_order *describe_read_title(const struct description *description, const char *begin,
                                           const char *end)
{
    size_t count = 1, found = 0;
    for (const char *at = begin; at < end; at++) count += *at == description->separator;
    struct describe_order *order = malloc(sizeof *order + count * sizeof *order->column);
    if (!order) return NULL;
    order->count = count;
    const char *at = begin;
    for (size_t i = 0; i < count; i++) {
        const char *stop = memchr(at, description->separator, (size_t)(end - at));
        const char *cell_end = stop ? stop : end;
        const char *next = stop ? stop + 1 : end;
        while (at < cell_end && match_is_of(CLASS_BLANK, *at)) at++;
        while (cell_end > at && match_is_of(CLASS_BLANK, cell_end[-1])) cell_end--;
        order->column[i] = -1;
        for (size_t k = 0; k < description->column_count; k++) {
            const struct spoor_slice name = description->columns[k].name;
            bool known = false;
            for (size_t before = 0; before < i; before++) known |= order->column[before] == (int)k;
            if (!known && name.size == (size_t)(cell_end - at) &&
                memcmp(name.bytes, at, name.size) == 0) {
                order->column[i] = (int)k;
                found++;
                break;
            }
        }
        at = next;
    }
    if (found == description->column_count) return order;
    free(order);
    return NULL;
}

/* A row of a table: each cell is matched whole; an empty one states nothing. */
static bool match_row(struct describe_match *match, const struct describe_rule *rule,
                      const char *at, const char *end)
{
    const struct description *description = match->description;
    static const struct describe_sequence kept = {NULL, 0};
    const size_t count = match->order ? match->order->count : description->column_count;
    for (size_t i = 0; i < count; i++) {
        const int column = match->order ? match->order->column[i] : (int)i;
        const struct describe_sequence *template =
            column < 0 ? &kept : &description->columns[column].template;
        const bool quoted = at < end && *at == '"';
        const char *cell = at + quoted;
        const char *stop =
            memchr(cell, quoted ? '"' : description->separator, (size_t)(end - cell));
        if (!stop) stop = end;
        match_begin(match, cell, stop);
        if (cell < stop && template->count) {
            const char *taken = match_sequence(match, template, cell, NULL);
            if (taken != stop) {
                if (taken) match_fail(match, taken, "the end of the column");
                return false;
            }
        }
        at = stop + (quoted && stop < end);
        const bool last = i + 1 == count;
        match_see(match, at + 1);
        if (last ? at != end : at == end || *at != description->separator) {
            match_fail(match, at, description->table_expected);
            return false;
        }
        at++;
    }
    return rule != NULL;
}

static bool match_rule(struct describe_match *match, const struct describe_rule *rule,
                       const char *begin, const char *end)
{
    match->count = 0;
    match->literal = match->loose = 0;
    match->enough = false;
    if (!match_capture(match, (struct capture){.what = CAPTURE_RULE, .rule = rule})) return false;
    if (rule->table) return match_row(match, rule, begin, end);
    const struct describe_element *first = rule->template.elements;
    const bool own_blanks =
        rule->template.count &&
        ((first->what == ELEMENT_BLANKS && first->mark) ||
         (first->what == ELEMENT_TEXT && match_is_of(CLASS_BLANK, *first->text.bytes)) ||
         (first->what == ELEMENT_FIELD && first->slot->width && !first->slot->zero));
    struct describe_span blanks = {NULL, NULL};
    const char *at = own_blanks ? begin : match_run(match, CLASS_BLANK, &blanks, begin);
    at = match_sequence(match, &rule->template, at, NULL);
    if (!at || match->failed) return false;
    if (match_run(match, CLASS_BLANK, &blanks, at) != end) {
        match_fail(match, at, "the end of the line");
        return false;
    }
    return true;
}

const struct describe_rule *describe_match_line(struct describe_match *match, const char *begin,
                                                const char *end)
{
    const struct description *description = match->description;
    if (!match->searches) {
        match->searches = calloc(match_span_count(description) + 1, sizeof *match->searches);
        if (!match->searches) {
            match->failed = true;
            return NULL;
        }
        match->runs = match->searches + description->search_count;
    }
    match->line = match->seen = begin;
    match->furthest = begin;
    match->expected = NULL;
    const size_t size = (size_t)(end - begin) + 1; /* the byte after the line may be told apart */
    memset(match->told, 0, size < sizeof match->told ? size : sizeof match->told);
    for (size_t i = 0; i < description->rule_count && !match->failed; i++) {
        const struct describe_rule *rule = &description->rule[i];
        if (rule->table || i == 0 || description->rule[i - 1].table) match_begin(match, begin, end);
        if (match_rule(match, rule, begin, end)) return rule;
    }
    return NULL;
}

void describe_match_free(struct describe_match *match)
{
    free(match->captures);
    free(match->searches);
    match->captures = NULL;
    match->searches = match->runs = NULL;
    match->capacity = 0;
}
