/* SPDX-License-Identifier: MIT */
/* page.c: the page of web/ with data inside: a part of a trace (serve/export.c), or a document of
 * sections, tables and plots, which web/src/document.ts shows. */
#include "html/page.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

const char page_colors[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--quiet:#57606a;--line:#d8dee4;"
    "--card:#f6f8fa;--link:#0b62a8}"
    "@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--quiet:#a3acb5;"
    "--line:#31373e;--card:#1c2024;--link:#5aaef2}}";

/* ---- the file ---- */

static const struct page_file *page_find(const struct page_file *files, const char *name)
{
    while (files->name && strcmp(files->name, name) != 0) files++;
    return files->name ? files : NULL;
}

const char page_is_missing[] =
    "this program was built without the page, which esbuild makes (docs/install.md)";

bool page_is_built(const struct page_file *files)
{
    return page_find(files, "page.css") && page_find(files, "page.js");
}

/* JSON within a page, of which no "</" or "<!" ends the script: "<" is in strings only. */
static void page_put_json(struct text *out, const struct text *data)
{
    for (size_t i = 0; i < data->size;) {
        const char *next = memchr(data->bytes + i, '<', data->size - i);
        const size_t end = next ? (size_t)(next - data->bytes) : data->size;
        text_put(out, data->bytes + i, end - i);
        if (next) text_puts(out, "\\u003c");
        i = end + (next != NULL);
    }
    out->failed |= data->failed;
}

/* Puts the page up to a tag, and passes over the tag. */
static void page_put_up_to(struct text *out, const char **at, const char *end, const char *tag)
{
    const char *found = memmem(*at, (size_t)(end - *at), tag, strlen(tag));
    if (!found) return;
    text_put(out, *at, (size_t)(found - *at));
    *at = found + strlen(tag);
}

/* The page runs its script alone, by its SHA-256 (CSP Level 3, 2.3.1), and asks for nothing: text
 * of a trace that would reach the page as markup does not run. */
void page_make(struct text *out, const struct page_file *files, const char *title,
               const struct text *data)
{
    const struct page_file *page = page_find(files, ""), *style = page_find(files, "page.css"),
                           *script = page_find(files, "page.js");
    const char *at = (const char *)page->bytes, *const end = at + page->size;
    page_put_up_to(out, &at, end, "<title>spoor</title>");
    text_puts(out, "<title>");
    text_puts_xml(out, title);
    text_printf(out,
                "</title>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                "'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
                "'none'; script-src 'sha256-%s'\">",
                script->digest);
    page_put_up_to(out, &at, end, "<link rel=\"stylesheet\" href=\"colors.css\">");
    text_puts(out, "<style>\n");
    text_puts(out, page_colors);
    text_puts(out, spoor_plot_style());
    page_put_up_to(out, &at, end, "<link rel=\"stylesheet\" href=\"page.css\">");
    text_put(out, (const char *)style->bytes, style->size);
    text_puts(out, "</style>\n");
    page_put_up_to(out, &at, end, "<script src=\"page.js\" type=\"module\"></script>");
    text_puts(out, "<noscript>This page needs scripts.</noscript>\n"
                   "<script id=\"recorded\" type=\"application/json\">");
    page_put_json(out, data);
    text_puts(out, "</script>\n<script type=\"module\">");
    text_put(out, (const char *)script->bytes, script->size);
    text_puts(out, "</script>");
    text_put(out, at, (size_t)(end - at));
}

/* ---- a document ---- */

void page_begin(struct text *out, const char *title)
{
    text_puts(out, "{\"document\":{");
    json_text(out, "title", title);
    json_begin(out, "parts", '[');
}

void page_end(struct text *out, const struct page_file *files, const char *title)
{
    struct text data = *out;
    *out = (struct text){0};
    text_puts(&data, "]}}");
    page_make(out, files, title, &data);
    text_free(&data);
}

void page_begin_section(struct text *out, const struct page_section *section, const char *about)
{
    json_begin(out, NULL, '{');
    json_text(out, "section", section->id);
    json_text(out, "title", section->title);
    if (about) json_text(out, "about", about);
    json_begin(out, "parts", '[');
}

void page_begin_fold(struct text *out, const char *summary)
{
    json_begin(out, NULL, '{');
    json_text(out, "fold", summary);
    json_begin(out, "parts", '[');
}

void page_end_parts(struct text *out)
{
    text_puts(out, "]}");
}

static void page_put_words(struct text *out, const char *kind, const char *words)
{
    json_begin(out, NULL, '{');
    json_text(out, kind, words);
    json_end(out, '}');
}

void page_put_heading(struct text *out, const char *words)
{
    page_put_words(out, "heading", words);
}

void page_put_note(struct text *out, const char *words)
{
    page_put_words(out, "note", words);
}

void page_put_warning(struct text *out, const char *words)
{
    page_put_words(out, "warning", words);
}

void page_put_result(struct text *out, const char *kind, const struct spoor_result *result)
{
    char *json = spoor_result_to_json(result, NULL);
    out->failed |= !json;
    json_begin(out, NULL, '{');
    json_raw(out, kind, json ? json : "{}");
    json_end(out, '}');
    free(json);
}

/* ---- tables ---- */

static bool page_is_scalar(const struct spoor_result *value)
{
    const enum spoor_result_type type = spoor_result_type_of(value);
    return type != SPOOR_RESULT_OBJECT && type != SPOOR_RESULT_ARRAY;
}

/* A number, text or boolean as people read it; of a list, its scalars. */
static void page_put_value(struct text *out, const char *key, const struct spoor_result *value)
{
    struct text words = {0};
    const bool scalar = page_is_scalar(value);
    const struct spoor_result *at = scalar ? value : spoor_result_first(value);
    for (; at; at = scalar ? NULL : spoor_result_next(at)) {
        if (!page_is_scalar(at)) continue;
        const bool yes_or_no = spoor_result_type_of(at) == SPOOR_RESULT_BOOL;
        char *plain = yes_or_no ? NULL : spoor_result_to_plain(at);
        out->failed |= !plain && !yes_or_no;
        if (words.size) text_puts(&words, ", ");
        text_puts(&words, plain ? plain : spoor_result_whole(at) ? "yes" : "no");
        free(plain);
    }
    out->failed |= words.failed;
    json_bytes(out, key, words.bytes ? words.bytes : "", words.failed ? 0 : words.size);
    text_free(&words);
}

/* [name, value] of the scalars of an object and of objects in it, whose keys come first: "code
 * max". */
static void page_put_members(struct text *out, const struct spoor_result *object,
                             const char *before, unsigned depth)
{
    enum { DEEPEST = 2 };
    char name[96];
    for (const struct spoor_result *member = spoor_result_first(object); member;
         member = spoor_result_next(member)) {
        const enum spoor_result_type type = spoor_result_type_of(member);
        const char *key = spoor_result_key(member);
        if (!key || type == SPOOR_RESULT_NULL || type == SPOOR_RESULT_ARRAY) continue;
        snprintf(name, sizeof name, "%s%s%s", before, *before ? " " : "", key);
        if (type == SPOOR_RESULT_OBJECT) {
            if (depth < DEEPEST) page_put_members(out, member, name, depth + 1);
            continue;
        }
        json_begin(out, NULL, '[');
        json_text(out, NULL, name);
        page_put_value(out, NULL, member);
        json_end(out, ']');
    }
}

void page_put_facts(struct text *out, const struct spoor_result *object, bool nested)
{
    json_begin(out, NULL, '{');
    json_begin(out, "facts", '[');
    page_put_members(out, object, "", nested ? 0 : UINT_MAX);
    text_puts(out, "]}");
}

static bool page_has_column(const struct spoor_result *array, const char *key)
{
    for (const struct spoor_result *row = spoor_result_first(array); row;
         row = spoor_result_next(row)) {
        const struct spoor_result *cell = spoor_result_member(row, key);
        if (!cell) continue;
        const char *words = spoor_result_string(cell, NULL);
        const bool null = spoor_result_type_of(cell) == SPOOR_RESULT_NULL;
        if (words ? *words : !null) return true;
    }
    return false;
}

/* A text; a number is [value, text], by the first of which the table sorts. */
static void page_put_cell(struct text *out, const struct spoor_result *cell)
{
    if (!cell) {
        json_text(out, NULL, "");
        return;
    }
    switch (spoor_result_type_of(cell)) {
    case SPOOR_RESULT_UNSIGNED:
    case SPOOR_RESULT_SIGNED:
    case SPOOR_RESULT_HEX:
    case SPOOR_RESULT_SIZE:
    case SPOOR_RESULT_REAL:
        json_begin(out, NULL, '[');
        text_put_exact(out, spoor_result_number(cell));
        page_put_value(out, NULL, cell);
        json_end(out, ']');
        break;
    default: page_put_value(out, NULL, cell);
    }
}

void page_put_table(struct text *out, const char *caption, const struct spoor_result *array,
                    size_t maximum)
{
    enum { COLUMNS = 256 };
    const char *keys[COLUMNS];
    const size_t all = spoor_result_columns(array, keys, COLUMNS);
    size_t rows = 0, columns = 0;
    for (size_t i = 0; i < all; i++) /* without those of which no row has anything */
        if (page_has_column(array, keys[i])) keys[columns++] = keys[i];
    if (!columns) return;
    json_begin(out, NULL, '{');
    json_text(out, "table", caption);
    json_begin(out, "columns", '[');
    for (size_t i = 0; i < columns; i++) json_text(out, NULL, keys[i]);
    json_end(out, ']');
    json_begin(out, "rows", '[');
    for (const struct spoor_result *row = spoor_result_first(array); row;
         row = spoor_result_next(row)) {
        if (maximum && rows++ == maximum) break;
        json_begin(out, NULL, '[');
        for (size_t i = 0; i < columns; i++) page_put_cell(out, spoor_result_member(row, keys[i]));
        json_end(out, ']');
    }
    json_end(out, ']');
    json_number(out, "count", spoor_result_count(array));
    json_end(out, '}');
}

/* ---- pictures ---- */

bool page_put_plots(struct text *out, const struct spoor_result *results,
                    const struct spoor_plot_options *options)
{
    struct spoor_plot_options inlined = *options;
    struct spoor_error error;
    char *svg;
    size_t size;
    inlined.inlined = true;
    const enum spoor_status status = spoor_plot_svg(results, &inlined, &svg, &size, &error);
    out->failed |= status == SPOOR_ENOMEM;
    if (status != SPOOR_OK) return false;
    json_begin(out, NULL, '{');
    json_bytes(out, "plots", svg, size);
    json_end(out, '}');
    free(svg);
    return true;
}
