/* SPDX-License-Identifier: MIT */
/* layout.c: prints templates.  One pass: what an alternative lacks is found while it is printed,
 * and what gives way is cut when its line ends. */
#include "cli/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/narrow.h"
#include "cli/shade.h"

struct layout_run {
    const struct layout *layout;
    const struct spoor_result *object;
    struct text *text;
    size_t line;            /* where it begins in the text */
    size_t gives, gives_to; /* the part of the line that gives way; 0: none */
    enum shade shade;       /* that was begun */
    bool inside, lacks;     /* an alternative; a member of it is not known */
};

/* How a value is printed: what stands after ':' or '>'. */
struct layout_form {
    int width, decimals; /* decimals -1: none are stated */
    bool left, zeros, grouped, always, sign, bare, plural, upper;
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
    const bool by_number = *(*at + form.zeros) == '*';
    *at += by_number ? form.zeros + 1 : 0;
    form.width = layout_digits(at);
    if (by_number) form.width = run->layout->widths[form.width];
    if (**at == '.') ++*at, form.decimals = layout_digits(at);
    for (;; ++*at) switch (**at) {
        case ',': form.grouped = true; break;
        case '\'': form.always = true; break;
        case '+': form.sign = true; break;
        case 'x': form.bare = true; break;
        case 's': form.plural = true; break;
        case 'U': form.upper = true; break;
        default: return form;
        }
}

/* Aligns the text from byte `begin` on. */
static void layout_align(struct text *text, size_t begin, const struct layout_form *form)
{
    const size_t used = narrow_width(text, begin);
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

/* The member whose key begins a template, up to the sign after it; "a.b": of an object. */
static const struct spoor_result *layout_find(const struct layout_run *run, const char *key)
{
    const struct spoor_result *objects[] = {run->object, run->layout->around};
    for (size_t i = 0; i < 2; i++) {
        const struct spoor_result *member = spoor_result_first(objects[i]);
        for (; member; member = spoor_result_next(member)) {
            const char *own = spoor_result_key(member), *at = key;
            while (*own && *own == *at) own++, at++;
            if (*own || (*at >= 'a' && *at <= 'z') || *at == '_') continue;
            if (*at != '.') return member;
            return layout_find(
                &(struct layout_run){.object = member, .layout = &(struct layout){0}}, at + 1);
        }
    }
    return NULL;
}

/* The size of a key. */
static size_t layout_key_size(const char *key)
{
    size_t size = 0;
    while ((key[size] >= 'a' && key[size] <= 'z') || key[size] == '_' || key[size] == '.') size++;
    return size;
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

static void layout_put_value(struct text *text, const struct spoor_result *value, double number,
                             const struct layout_form *form)
{
    const int64_t integer = spoor_result_integer(value);
    const uint64_t whole =
        integer ? (uint64_t)(integer < 0 ? -integer : integer) : spoor_result_whole(value);
    const char *sign = integer < 0 ? "-" : form->sign ? "+" : "";
    const char *string = spoor_result_string(value, NULL);
    const size_t begin = text->size;
    if (string) {
        text_puts(text, string);
        for (size_t i = begin; form->upper && i < text->size; i++)
            text->bytes[i] = (char)toupper((unsigned char)text->bytes[i]);
    } else if (form->plural)
        text_puts(text, whole == 1 ? "" : "s");
    else if (form->decimals >= 0)
        text_printf(text, form->sign ? "%+.*f" : "%.*f", form->decimals, number);
    else if (form->always)
        text_put_grouped(text, whole);
    else if (form->grouped)
        text_printf(text, "%s%s", sign, COUNT(whole));
    else {
        const bool hex = spoor_result_type_of(value) == SPOOR_RESULT_HEX;
        char digits[24];
        const char *end = hex ? put_hex(digits, whole, form->zeros ? (unsigned)form->width : 1)
                              : put_decimal(digits, whole);
        text_puts(text, hex && !form->bare ? "0x" : sign);
        text_put(text, digits, (size_t)(end - digits));
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

/* A member, and what is made of it; `op` begins what stands after its key. */
static void layout_put_member(struct layout_run *run, const struct spoor_result *value,
                              const char *op)
{
    struct text *text = run->text;
    const size_t begin = text->size;
    const char *at = op + strcspn(op, ":}");
    at += *at == ':';
    const struct layout_form form = layout_form(run, &at);
    const bool known = spoor_result_type_of(value) != SPOOR_RESULT_NULL;
    double number = spoor_result_number(value);
    if (!known) {
        run->lacks |= *op != '&';
        text_puts(text, *op == '&' ? "" : "-");
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
    } else if (*op == '+') {
        const struct spoor_result *other = layout_find(run, op + 1);
        const char *digits = op + 1;
        text_printf(text, "%" PRId64,
                    spoor_result_integer(value) + spoor_result_integer(other) +
                        (int64_t)(spoor_result_whole(value) + spoor_result_whole(other)) +
                        layout_digits(&digits));
    } else {
        layout_put_value(text, value, number, &form);
    }
    layout_align(text, begin, &form);
}

/* ---- templates ---- */

/* {?key}, {!key}, {?key=word}, {?key>1} or {^key}. */
static bool layout_test(const struct layout_run *run, char sign, const char *test)
{
    const size_t size = layout_key_size(test);
    const struct spoor_result *value = layout_find(run, test);
    const char *string = spoor_result_string(value, NULL), *word = test + size + 1;
    if (sign == '^') return spoor_result_type_of(value) != SPOOR_RESULT_NULL;
    if (sign == '!') return !layout_test(run, '?', test);
    if (test[size] == '>') return spoor_result_number(value) > layout_number(run, word);
    if (test[size] == '=')
        return string && strncmp(string, word, strlen(string)) == 0 && word[strlen(string)] == '}';
    return string ? *string : spoor_result_number(value) != 0 || spoor_result_count(value);
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

/* Puts a template up to one of "|]>" that belongs to what is around it; returns where that is. */
static const char *layout_put_template(struct layout_run *run, const char *at)
{
    struct text *text = run->text;
    while (*at && *at != '|' && *at != ']' && *at != '>') {
        const size_t begin = text->size;
        if (run->inside && run->lacks) return layout_skip(at);
        if (*at == '{') {
            const size_t key = layout_key_size(at + 1);
            if (at[1] == '?' || at[1] == '!' || at[1] == '^')
                run->lacks |= !layout_test(run, at[1], at + 2);
            else if (at[1] == '$')
                layout_shade(run, at + 2);
            else
                layout_put_member(run, layout_find(run, at + 1), at + 1 + key);
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
            at = layout_put_template(run, at + 1);
            if (*at++ != '>') return at - 1;
            if (*at == '~') {
                run->gives = begin;
                run->gives_to = text->size;
                at++;
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
            const size_t size = strcspn(at, "{[<|]>\n");
            text_put(text, at, size);
            at += size;
        }
    }
    return at;
}

struct layout layout_of(const struct settings *settings, const struct image_set *located)
{
    return (struct layout){.located = located, .columns = narrow_columns(settings)};
}

void layout_put(const struct layout *layout, const char *template,
                const struct spoor_result *object, struct text *text)
{
    text->failed |= !spoor_result_complete(object);
    struct layout_run run = {.layout = layout, .object = object, .text = text, .line = text->size};
    while (run.line && text->bytes[run.line - 1] != '\n') run.line--;
    layout_put_template(&run, template);
    layout_cut(&run);
}

void layout_put_title(const struct layout *layout, const char *template,
                      const struct spoor_result *object, struct text *text)
{
    const size_t line = text->size;
    layout_put(layout, template, object, text);
    narrow_title(text, line, layout->columns);
    text_puts(text, "\n");
}

void layout_put_rows(const struct layout *layout, const char *heading, const char *template,
                     const struct spoor_result *array, struct text *text)
{
    const struct spoor_result *row = spoor_result_first(array);
    if (row) layout_put(layout, heading, row, text); /* which may name members of `around` */
    for (; row; row = spoor_result_next(row)) layout_put(layout, template, row, text);
}
