/* SPDX-License-Identifier: MIT */
/* layout.c: prints templates.  One pass: what an alternative lacks is found while it is printed,
 * and what gives way is cut when its line ends. */
#include "cli/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/layout_shape.h"
#include "cli/narrow.h"
#include "cli/shade.h"

enum { LAYOUT_KNOWN = 4 };

/* What a key with a point was found to be in an object. */
struct layout_known {
    const struct spoor_result *object;
    const char *key;
    const struct spoor_result *found;
};

struct layout_run {
    const struct layout *layout;
    struct layout_run *outer;                   /* of the object around; NULL: none */
    const struct spoor_result *object, *before; /* before: the row before it; NULL */
    const char *path;                           /* of the object, as texts.def has it */
    size_t number, left;                        /* of the row, from 0, and how many follow */
    int *widths;                                /* of columns */
    bool measures;                              /* they are found, nothing is printed */
    unsigned open;                              /* how many '<' */
    struct text *text;
    size_t line;            /* where it begins in the text */
    size_t gives, gives_to; /* the part of the line that gives way; 0: none */
    enum shade shade;       /* that was begun */
    bool inside, lacks;     /* an alternative; a member of it is not known */
    /* Of an object around rows, which all ask for the same. */
    struct layout_known known[LAYOUT_KNOWN];
    unsigned known_next;
};

/* How a value is printed: what stands after ':' or '>'. */
struct layout_form {
    int width, decimals; /* decimals -1: none are stated */
    int *column;         /* its width; NULL: it is stated */
    bool left, zeros, grouped, always, sign, bare, plural, upper, folders, named, tabs, significant,
        short_hex;
};

/* What texts.def says of the objects, or rows, at a path of a report. */
static const struct layout_text {
    const char *report, *path, *heading, *line;
} layout_texts[] = {
#define TEXT(report, path, heading, line) {#report, path, heading, line},
#include "cli/texts.def"
#undef TEXT
};

static int layout_digits(const char **at)
{
    int number = 0;
    while (**at >= '0' && **at <= '9') number = 10 * number + (*(*at)++ - '0');
    return number;
}

static struct layout_form layout_form(const struct layout_run *run, const char **at)
{
    struct layout_form form = {.decimals = -1, .left = **at == '-'};
    *at += form.left;
    form.zeros = **at == '0';
    form.width = layout_digits(at);
    if (**at == '*') {
        ++*at;
        form.column = &run->widths[layout_digits(at)];
        if (*form.column < form.width) *form.column = form.width;
        if (!run->measures) form.width = *form.column;
    }
    if (**at == '.') ++*at, form.decimals = layout_digits(at);
    for (;; ++*at) switch (**at) {
        case ',': form.grouped = true; break;
        case '\'': form.always = true; break;
        case '+': form.sign = true; break;
        case 'x': form.bare = true; break;
        case 's': form.plural = true; break;
        case 'U': form.upper = true; break;
        case 'f': form.folders = true; break;
        case 'c': form.named = true; break;
        case 't': form.tabs = true; break;
        case 'g': form.significant = true; break;
        case 'z': form.short_hex = true; break;
        default: return form;
        }
}

/* Aligns the text from byte `begin` on. */
static void layout_align(struct text *text, size_t begin, const struct layout_form *form)
{
    const size_t used = narrow_width(text, begin);
    if (form->column && !form->zeros && *form->column < (int)used) *form->column = (int)used;
    const size_t space =
        form->width > 0 && used < (size_t)form->width ? (size_t)form->width - used : 0;
    if (!space || !text_reserve(text, space)) return;
    char *at = text->bytes + (form->left ? text->size : begin);
    if (!form->left) memmove(at + space, at, text->size - begin);
    memset(at, ' ', space);
    text->size += space;
}

/* The part that gives way is cut by what the line is too wide, the rest of it after that part. */
static void layout_cut(struct layout_run *run)
{
    struct text *text = run->text, rest = {0};
    if (!run->gives_to || !run->layout->columns) return;
    text_put(&rest, text->bytes + run->gives_to, text->size - run->gives_to);
    text->size = run->gives_to;
    narrow_name(text, run->line, run->gives, narrow_width(&rest, 0), run->layout->columns);
    text_append(text, &rest);
    text_free(&rest);
    run->gives_to = 0;
}

/* The size of a key. */
static size_t layout_key_size(const char *key)
{
    size_t size = 0;
    while ((key[size] >= 'a' && key[size] <= 'z') || key[size] == '_' || key[size] == '.') size++;
    return size;
}

static bool layout_is_true(const struct spoor_result *value)
{
    const char *string = spoor_result_string(value, NULL);
    return string ? *string : spoor_result_number(value) != 0 || spoor_result_count(value);
}

/* The member whose key begins a template, up to the sign after it; "a.b": of an object, or of the
 * first row where it is known and not 0, else of one where it is known. */
static const struct spoor_result *layout_find_in(const struct spoor_result *object, const char *key)
{
    for (const struct spoor_result *member = spoor_result_first(object); member;
         member = spoor_result_next(member)) {
        const char *own = spoor_result_key(member), *at = key;
        if (!own) return NULL;
        while (*own && *own == *at) own++, at++;
        if (*own || (*at >= 'a' && *at <= 'z') || *at == '_') continue;
        if (*at != '.') return member;
        if (spoor_result_type_of(member) != SPOOR_RESULT_ARRAY)
            return layout_find_in(member, at + 1);
        const struct spoor_result *found = NULL, *row = spoor_result_first(member);
        for (; row && !layout_is_true(found); row = spoor_result_next(row)) {
            const struct spoor_result *of_row = layout_find_in(row, at + 1);
            if (spoor_result_type_of(of_row) != SPOOR_RESULT_NULL) found = of_row;
        }
        return found;
    }
    return NULL;
}

/* The same of an object around the row.  A key with a point may be searched in all of its rows, by
 * each of these. */
static const struct spoor_result *layout_find_around(struct layout_run *of, const char *key)
{
    if (!memchr(key, '.', layout_key_size(key))) return layout_find_in(of->object, key);
    for (size_t i = 0; i < LAYOUT_KNOWN; i++)
        if (of->known[i].key == key && of->known[i].object == of->object) return of->known[i].found;
    const struct spoor_result *found = layout_find_in(of->object, key);
    of->known[of->known_next++ % LAYOUT_KNOWN] = (struct layout_known){of->object, key, found};
    return found;
}

static const struct spoor_result *layout_find(const struct layout_run *run, const char *key)
{
    if (*key == '.') return run->object;
    const struct spoor_result *found = layout_find_in(run->object, key);
    for (struct layout_run *of = run->outer; of && !found; of = of->outer)
        found = layout_find_around(of, key);
    return found ? found : layout_find_in(run->layout->around, key);
}

/* A sum of members, numbers, and counts of rows: "key#"; "#", "##": of the row, and of those that
 * follow. */
static int64_t layout_sum(const struct layout_run *run, const char *at)
{
    int64_t sum = 0;
    for (int sign = 1;; sign = *at++ == '+' ? 1 : -1) {
        const struct spoor_result *value = layout_find(run, at);
        const size_t size = layout_key_size(at);
        int64_t term;
        if (*at >= '0' && *at <= '9') {
            term = layout_digits(&at);
        } else if (size == 0) {
            term = (int64_t)(at[1] == '#' ? run->left : run->number);
            at += strspn(at, "#");
        } else {
            term = at[size] == '#'
                       ? (int64_t)spoor_result_count(value)
                       : spoor_result_integer(value) + (int64_t)spoor_result_whole(value);
            at += size + (at[size] == '#');
        }
        sum += sign * term;
        if (*at != '+' && *at != '-') return sum;
    }
}

/* The number of a member or, where there is a digit, that number itself. */
static double layout_number(const struct layout_run *run, const char *key)
{
    if (*key >= '0' && *key <= '9') return strtod(key, NULL);
    return spoor_result_number(layout_find(run, key));
}

static double layout_percent(const struct layout_run *run, const struct spoor_result *value,
                             const char *whole)
{
    const double all = layout_number(run, whole);
    return all > 0 ? 100 * spoor_result_number(value) / all : 0;
}

/* ---- values ---- */

/* A whole number that is not an address: a count, or "s" for its noun. */
static void layout_put_count(struct text *text, bool negative, uint64_t whole,
                             const struct layout_form *form)
{
    const char *sign = negative ? "-" : form->sign ? "+" : "";
    if (form->plural)
        text_puts(text, whole == 1 ? "" : "s");
    else if (form->always)
        text_put_grouped(text, whole);
    else if (form->grouped)
        text_printf(text, "%s%s", sign, COUNT(whole));
    else
        text_printf(text, "%s%" PRIu64, sign, whole);
}

static void layout_put_value(struct text *text, const struct spoor_result *value, double number,
                             const struct layout_form *form)
{
    const int64_t integer = spoor_result_integer(value);
    const char *string = spoor_result_string(value, NULL);
    const size_t begin = text->size;
    if (string) {
        if (form->named && *string >= '0' && *string <= '9') text_puts(text, "cpu ");
        string = form->folders ? path_name(string) : string;
        for (const char *tab; form->tabs && (tab = strchr(string, '\t')); string = tab + 1) {
            text_put(text, string, (size_t)(tab - string));
            text_puts(text, "\\t");
        }
        if (form->short_hex) { /* "0x", and digits from the first that is not 0 */
            const char *digit = string + strspn(string, "0x");
            text_puts(text, "0x");
            string = *digit ? digit : "0";
        }
        text_puts(text, string);
        for (size_t i = begin; form->upper && i < text->size; i++)
            text->bytes[i] = (char)toupper((unsigned char)text->bytes[i]);
    } else if (form->significant) {
        text_put_significant(text, number, form->decimals);
    } else if (form->decimals >= 0) {
        text_printf(text, form->sign ? "%+.*f" : "%.*f", form->decimals, number);
    } else if (spoor_result_type_of(value) == SPOOR_RESULT_HEX) {
        char digits[24];
        const uint64_t whole = spoor_result_whole(value);
        const char *end = put_hex(digits, whole, form->zeros ? (unsigned)form->width : 1);
        text_puts(text, form->bare ? "" : "0x");
        text_put(text, digits, (size_t)(end - digits));
        if (form->zeros && form->column && *form->column < (int)(end - digits))
            *form->column = (int)(end - digits);
    } else {
        layout_put_count(
            text, integer < 0,
            integer < 0 ? (uint64_t)-integer : (uint64_t)integer + spoor_result_whole(value), form);
    }
}

/* Two blanks and a place, as much of it as fits: without the folder of the source, without the
 * source, or, if it `wraps`, on a line of its own. */
static void layout_put_fitting(const struct layout_run *run, uint64_t pc, bool wraps)
{
    struct text *text = run->text, place = {0};
    const size_t before = text->size;
    text_puts(&place, "  ");
    if (!image_set_put(run->layout->located, pc, &place)) place.size = 0;
    text_put(&place, "", 1);
    text->failed |= place.failed;
    if (place.failed || place.size == 1) {
        text_free(&place);
        return;
    }
    const unsigned columns = run->layout->columns;
    const char *source = strchr(place.bytes + 2, ' '),
               *slash = source ? strrchr(source, '/') : NULL;
    text_puts(text, place.bytes);
    if (slash && columns && narrow_width(text, run->line) > columns) {
        text->size = before;
        text_put(text, place.bytes, (size_t)(source - place.bytes) + 1);
        text_puts(text, slash + 1);
    }
    if (source && columns && narrow_width(text, run->line) > columns)
        text->size = before + (size_t)(source - place.bytes);
    if (columns && narrow_width(text, run->line) > columns) {
        text->size = before;
        if (wraps) {
            text_puts(text, "\n     ");
            const size_t own = text->size - strlen("     ");
            text_puts(text, place.bytes);
            narrow_name(text, own, own, 0, columns);
        }
    }
    text_free(&place);
}

/* What stands after an address: see layout.h. */
static void layout_put_place(struct layout_run *run, const struct spoor_result *value,
                             const char *how)
{
    const struct image_set *located = run->layout->located;
    const uint64_t pc = spoor_result_whole(value);
    struct spoor_place place = {.function = NULL};
    struct text *text = run->text;
    const size_t before = text->size;
    if (run->measures && how[strspn(how, "@")] != '}') return;
    if (*how == '&') {
        const char *source = spoor_result_string(value, NULL);
        layout_cut(run);
        if (!source && located && located->images &&
            spoor_images_resolve(located->images, pc, &place))
            source = place.source;
        if (source) {
            /* Two blanks and a source without its folders, where the line has columns for it. */
            enum { COLUMNS = 80, GAP = 2 };
            const size_t columns = screen_columns() ? screen_columns() : COLUMNS;
            source = path_name(source);
            if (narrow_width(run->text, run->line) + GAP + strlen(source) <= columns)
                text_printf(run->text, "  %s", source);
        }
    } else if (how[1] == '@') {
        text_puts(text, "  ");
        run->lacks |= !image_set_put(located, pc, text);
        if (run->lacks) text->size = before;
    } else if (how[1] != '}') {
        layout_put_fitting(run, pc, how[1] == '&');
    } else if (!located->images || !spoor_images_function(located->images, pc, &place) ||
               !place.function) {
        text_printf(text, "0x%" PRIx64, pc);
    } else {
        text_puts(text, place.function);
        if (place.offset) text_printf(text, "+0x%" PRIx64, place.offset);
    }
}

/* A member, and what is made of it. */
static void layout_put_member(struct layout_run *run, const char *key)
{
    const struct spoor_result *value = layout_find(run, key);
    const char *op = key + layout_key_size(key);
    struct text *text = run->text;
    const size_t begin = text->size;
    const char *at = op + strcspn(op, ":}");
    at += *at == ':';
    const struct layout_form form = layout_form(run, &at);
    const bool known = spoor_result_type_of(value) != SPOOR_RESULT_NULL;
    double number = spoor_result_number(value);
    if (!known && *op != '#') {
        run->lacks |= *op != '&';
        text_puts(text, *op == '&' ? "" : "-");
    } else if (strchr("+-#", *op)) {
        const int64_t sum = layout_sum(run, key);
        layout_put_count(text, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), &form);
    } else if (*op == '@' || *op == '&') {
        layout_put_place(run, value, op);
    } else if (*op == '%') {
        layout_put_value(text, NULL, layout_percent(run, value, op + 1), &form);
        text_puts(text, "%");
    } else if (*op == '/') {
        double whole = layout_number(run, op + 1);
        unsigned cells = (unsigned)form.width;
        const struct chart chart = chart_start(false);
        chart_bar(&chart, text, number, whole, cells);
    } else if (*op == '>') {
        at = op + 1;
        const int deepest = layout_form(run, &at).width;
        text_printf(text, "%*s", 2 * (number < deepest ? (int)number : deepest), "");
        if (number > deepest) text_printf(text, "[%.0f] ", number);
    } else {
        layout_put_value(text, value, number, &form);
    }
    layout_align(text, begin, &form);
}

/* ---- templates ---- */

/* True if the row's member is that of the row before. */
static bool layout_is_repeated(const struct layout_run *run, const char *key)
{
    const struct spoor_result *now = layout_find_in(run->object, key),
                              *before = layout_find_in(run->before, key);
    const char *one = spoor_result_string(now, NULL), *other = spoor_result_string(before, NULL);
    return one && other ? strcmp(one, other) == 0
                        : !one == !other && run->before &&
                              spoor_result_number(now) == spoor_result_number(before);
}

/* {?key}, {!key}, {?key=word}, {?key>1}, {^key} or {/key}. */
static bool layout_test(const struct layout_run *run, char sign, const char *test)
{
    size_t size = 0;
    bool sums = false;
    for (; test[size] != '=' && test[size] != '>' && test[size] != '}'; size++)
        sums |= test[size] == '#' || test[size] == '+' || test[size] == '-';
    const struct spoor_result *value = layout_find(run, test);
    const char *string = spoor_result_string(value, NULL), *word = test + size + 1;
    if (sign == '^') return spoor_result_type_of(value) != SPOOR_RESULT_NULL;
    if (sign == '/') return !layout_is_repeated(run, test);
    if (sign == '!') return !layout_test(run, '?', test);
    if (test[size] == '>') return layout_sum(run, test) > layout_sum(run, word);
    if (test[size] == '=')
        return string && strncmp(string, word, strlen(string)) == 0 && word[strlen(string)] == '}';
    return sums ? layout_sum(run, test) != 0 : layout_is_true(value);
}

static void layout_shade(struct layout_run *run, const char *name)
{
    static const char *const names[] = {[SHADE_ERROR] = "error",
                                        [SHADE_WARNING] = "warning",
                                        [SHADE_GOOD] = "good",
                                        [SHADE_CHANGED] = "changed",
                                        [SHADE_QUIET] = "quiet"};
    const size_t size = strcspn(name, "%}");
    if (!size) {
        shade_end(run->text, run->shade);
        return;
    }
    run->shade = SHADE_NONE;
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
            run->shade = (enum shade)i;
    if (name[size] == '%') { /* the hot are red, the warm yellow */
        const double hot = 10, warm = 5;
        const double percent = layout_percent(run, layout_find(run, name), name + size + 1);
        run->shade = percent >= hot ? SHADE_ERROR : percent >= warm ? SHADE_WARNING : SHADE_NONE;
    }
    if (run->layout->plain) run->shade = SHADE_NONE;
    shade_begin(run->text, run->shade);
}

/* The end of an alternative. */
static const char *layout_skip(const char *at)
{
    for (at += strcspn(at, "[|]"); *at == '['; at += strcspn(at, "[|]")) {
        do at = layout_skip(at + 1);
        while (*at == '|');
        at++;
    }
    return at;
}

enum { PART_INDENT = 2, PARAGRAPH = 80 /* columns of one, where there is no screen */ };

static void layout_put_part(struct layout_run *run, const char *key);

/* Puts a template up to one of "|]>" that belongs to what is around it; returns where that is. */
static const char *layout_put_template(struct layout_run *run, const char *at)
{
    struct text *text = run->text;
    while (*at && *at != '|' && *at != ']' && (*at != '>' || !run->open)) {
        const size_t begin = text->size;
        if (run->inside && run->lacks) return layout_skip(at);
        if (*at == '{') {
            if (strchr("?!^/", at[1]))
                run->lacks |= !layout_test(run, at[1], at + 2);
            else if (at[1] == '$')
                layout_shade(run, at + 2);
            else if (at[1] == '=')
                text_puts(text, spoor_result_key(run->object));
            else if (at[1] == '*')
                layout_put_part(run, at + 2);
            else
                layout_put_member(run, at + 1);
            at = strchr(at, '}') + 1;
        } else if (*at == '[') {
            const struct layout_run before = *run;
            do {
                *run = before;
                text->size = begin;
                run->inside = true;
                run->lacks = false;
                at = layout_put_template(run, at + 1);
            } while (run->lacks && *at == '|');
            if (run->lacks) {
                *run = before;
                text->size = begin;
            }
            run->inside = before.inside;
            run->lacks = before.lacks;
            while (*at == '|') at = layout_skip(at + 1);
            at++;
        } else if (*at == '<') {
            run->open++;
            at = layout_put_template(run, at + 1);
            run->open--;
            if (*at++ != '>') return at - 1;
            if (*at == '~') {
                run->gives = begin;
                run->gives_to = text->size;
                at++;
            } else if (*at == '^' || *at == '=') {
                const char *at_end;
                const bool parts = *at++ == '^';
                const unsigned columns = run->layout->columns;
                const int indent = parts ? PART_INDENT : layout_digits(&at);
                narrow_wrap(text, run->line, begin, columns || parts ? columns : PARAGRAPH,
                            (unsigned)indent, parts);
                while (run->line < text->size &&
                       (at_end = memchr(text->bytes + run->line, '\n', text->size - run->line)))
                    run->line = (size_t)(at_end + 1 - text->bytes);
            } else {
                const struct layout_form form = layout_form(run, &at);
                layout_align(text, begin, &form);
            }
        } else if (*at == '\n') {
            layout_cut(run);
            text_puts(text, "\n");
            run->line = text->size;
            at++;
        } else {
            const size_t size = 1 + strcspn(at + 1, "{[<|]>\n"); /* it may begin with '>' */
            text_put(text, at, size);
            at += size;
        }
    }
    return at;
}

/* ---- parts of a report ---- */

static const struct layout_text *layout_text_at(const struct layout *layout, const char *path)
{
    for (size_t i = layout->first; i < sizeof layout_texts / sizeof *layout_texts; i++)
        if (strcmp(layout_texts[i].report, layout->report) == 0 &&
            strcmp(layout_texts[i].path, path) == 0)
            return &layout_texts[i];
    return NULL;
}

static void layout_put_line(struct layout_run *run, const char *template)
{
    layout_put_template(run, template);
    layout_cut(run);
}

/* The objects of an array, or the members of an object, after their heading. */
static void layout_put_items(struct layout_run *run, const struct layout_text *of,
                             const struct spoor_result *first, size_t count)
{
    const size_t begin = run->text->size, line = run->line;
    const char *column = of->line;
    while ((column = strchr(column, '*')) && !isdigit((unsigned char)column[1])) column++;
    for (int pass = !column; pass < 2; pass++) {
        run->measures = pass == 0;
        run->object = first;
        run->before = NULL;
        run->left = count;
        layout_put_line(run, of->heading);
        for (run->number = 0; run->number < count; run->number++) {
            run->left--;
            layout_put_line(run, of->line);
            run->before = run->object;
            run->object = spoor_result_next(run->object);
            if (run->measures) run->text->size = begin, run->line = line;
        }
    }
}

/* The rows of a tree. */
struct layout_node {
    const struct layout *layout;
    const char *path;
};

static void layout_put_node(const void *context, const struct spoor_result *row, bool again,
                            int width, struct text *text)
{
    const struct layout_node *node = context;
    struct layout layout = *node->layout;
    char path[128];
    snprintf(path, sizeof path, "%s%s", node->path, again ? " again" : "");
    layout.widths[0] = width;
    layout_put(&layout, path, row, text);
}

/* {*key}, {*key variant}, {*key:shape}: what texts.def says of the rows, or the object. */
static void layout_put_part(struct layout_run *run, const char *key)
{
    const struct spoor_result *value = layout_find(run, key);
    const size_t size = strcspn(key, ":}");
    const bool is_array = spoor_result_type_of(value) == SPOOR_RESULT_ARRAY;
    size_t count = spoor_result_count(value);
    struct text *text = run->text;
    int widths[LAYOUT_WIDTHS];
    char path[128];
    run->lacks |= !count;
    if (run->lacks || run->measures) return;
    snprintf(path, sizeof path, "%s%s%.*s", run->path, *run->path ? "." : "", (int)size, key);
    if (key[size] == ':' && isdigit((unsigned char)key[size + 1])) {
        const size_t most = strtoul(key + size + 1, NULL, 10);
        count = count < most ? count : most;
    } else if (key[size] == ':') {
        const struct layout_node node = {run->layout, path};
        const struct layout_shape shape = {.name = key + size + 1,
                                           .columns = run->layout->columns,
                                           .around = run->object,
                                           .put = layout_put_node,
                                           .context = &node};
        layout_put_shape(&shape, value, text);
        run->line = text->size;
        return;
    }
    memcpy(widths, run->layout->widths, sizeof widths);
    struct layout_run inner = {.layout = run->layout,
                               .outer = run,
                               .path = path,
                               .widths = widths,
                               .text = text,
                               .line = run->line};
    const struct layout_text *of = layout_text_at(run->layout, path);
    if (is_array) {
        layout_put_items(&inner, of, spoor_result_first(value), count);
    } else if (of) {
        inner.object = value;
        layout_put_line(&inner, of->line);
    } else {
        strcat(path, ".*");
        layout_put_items(&inner, layout_text_at(run->layout, path), spoor_result_first(value),
                         count);
    }
    run->line = inner.line;
}

struct layout layout_of(const struct settings *settings, const struct image_set *located)
{
    struct layout layout = {.report = settings->verb->name,
                            .settings = settings,
                            .located = located,
                            .columns = narrow_columns(settings)};
    while (layout.first + 1 < sizeof layout_texts / sizeof *layout_texts &&
           strcmp(layout_texts[layout.first].report, layout.report) != 0)
        layout.first++;
    return layout;
}

/* Puts a template for an object, on from the line that the text ends with. */
static void layout_put_object(const struct layout *layout, const char *path, const char *template,
                              const struct spoor_result *object, struct text *text)
{
    int widths[LAYOUT_WIDTHS];
    memcpy(widths, layout->widths, sizeof widths);
    struct layout_run run = {.layout = layout,
                             .object = object,
                             .path = *path == ' ' ? "" : path, /* a part of the whole */
                             .widths = widths,
                             .text = text,
                             .line = text->size};
    text->failed |= !spoor_result_complete(object);
    while (run.line && text->bytes[run.line - 1] != '\n') run.line--;
    layout_put_line(&run, template);
}

void layout_put(const struct layout *layout, const char *path, const struct spoor_result *object,
                struct text *text)
{
    layout_put_object(layout, path, layout_text_at(layout, path)->line, object, text);
}

void layout_put_heading(const struct layout *layout, const char *path,
                        const struct spoor_result *object, struct text *text)
{
    layout_put_object(layout, path, layout_text_at(layout, path)->heading, object, text);
}

int layout_show(const struct layout *layout, struct spoor_result *result, bool *shown,
                struct spoor_result *all)
{
    const struct settings *settings = layout->settings;
    struct text text = {0};
    int code = EXIT_CLEAN;
    if (!prints_data(settings)) {
        layout_put(layout, "", result, &text);
        code = show_apart(shown);
        code = worse(code, show_text(&text));
        text_free(&text);
    }
    bool alone = false; /* data has no empty line before it */
    return worse(code, show_one(settings, result, prints_data(settings) ? &alone : NULL, all));
}
