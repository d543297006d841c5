/* SPDX-License-Identifier: MIT */
/* page.c: results as one HTML page. */
#include "html/page.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the policy ---- */

/* A page asks for nothing, and runs the scripts that are named by their SHA-256 (FIPS 180-4; CSP
 * Level 3, 2.3.1).  Text of a trace that would reach the page as markup has no hash, and does not
 * run. */

enum { BLOCK = 64, WORDS = 8, ROUNDS = 64, PAGE_DIGEST = 32 };

static uint32_t sha_rotate(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

/* The first 32 bits of the fractions of the roots of the first primes: square roots for the state,
 * cube roots for the rounds. */
static const uint32_t initial[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void sha_add_block(uint32_t state[WORDS], const unsigned char block[BLOCK])
{
    uint32_t w[ROUNDS], v[WORDS];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < ROUNDS; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (sha_rotate(w[i - 15], 7) ^ sha_rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (sha_rotate(w[i - 2], 17) ^ sha_rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t one = v[7] +
                             (sha_rotate(v[4], 6) ^ sha_rotate(v[4], 11) ^ sha_rotate(v[4], 25)) +
                             ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
        const uint32_t two = (sha_rotate(v[0], 2) ^ sha_rotate(v[0], 13) ^ sha_rotate(v[0], 22)) +
                             ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, sizeof v - sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < WORDS; i++) state[i] += v[i];
}

static void page_digest(const char *bytes, size_t size, unsigned char digest[PAGE_DIGEST])
{
    uint32_t state[WORDS];
    unsigned char last[2 * BLOCK] = {0};
    const size_t whole = size / BLOCK * BLOCK, rest = size - whole;
    const size_t end = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    memcpy(state, initial, sizeof state);
    for (size_t at = 0; at < whole; at += BLOCK)
        sha_add_block(state, (const unsigned char *)bytes + at);
    memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        last[end - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += BLOCK) sha_add_block(state, last + at);
    for (unsigned i = 0; i < PAGE_DIGEST; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - i % 4 * 8));
}

const char page_colors[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--quiet:#57606a;--line:#d8dee4;"
    "--card:#f6f8fa;--link:#0b62a8}"
    "@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--quiet:#a3acb5;"
    "--line:#31373e;--card:#1c2024;--link:#5aaef2}}";

static const char style[] =
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:1180px;padding:16px;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,'Segoe UI','DejaVu Sans',Arial,sans-serif}"
    "h1{font-size:26px;margin:8px 0}h2{font-size:21px;margin:36px 0 4px;"
    "border-bottom:1px solid var(--line);padding-bottom:4px}h3{font-size:16px;margin:18px 0 6px}"
    "p{margin:6px 0}.quiet{color:var(--quiet)}a{color:var(--link)}"
    "nav a{margin-right:14px;white-space:nowrap}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));"
    "gap:16px;align-items:start;margin:12px 0}"
    ".plots svg{width:100%;height:auto;border:1px solid var(--line);border-radius:6px}"
    ".sp [data-y]:hover{opacity:.75}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:14px;margin:8px 0}"
    "caption{text-align:left;font-weight:600;padding:6px 0}"
    "th,td{padding:3px 10px;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}th[scope=row]+td{overflow-wrap:anywhere}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "th button{all:unset;cursor:pointer;font-weight:600}"
    "th button:focus-visible{outline:2px solid var(--link)}"
    "th[aria-sort=ascending] button::after{content:' \\25B2'}"
    "th[aria-sort=descending] button::after{content:' \\25BC'}"
    "details{border:1px solid var(--line);border-radius:6px;padding:6px 12px;margin:8px 0}"
    "summary{cursor:pointer}code,.sides td{font-family:ui-monospace,Menlo,Consolas,monospace;"
    "font-size:13px}.sides{width:100%;table-layout:fixed}.sides td:first-child{width:90px}"
    "mark{background:#ffd8a8;color:#1f2328;font-weight:600}"
    "iframe{width:100%;border:1px solid var(--line);border-radius:6px;background:#fff}"
    /* on paper nothing scrolls, and no heading is alone at the foot of a page */
    "@media print{body{max-width:none;padding:0;font-size:12px}nav,#tip{display:none}"
    ".wide{overflow:visible}table{font-size:10px;width:100%}th,td{padding:2px 5px;"
    "overflow-wrap:anywhere}td.n,th.n{white-space:normal}"
    "h1,h2,h3,caption,summary,h2+p,h3+p{break-after:avoid}"
    "tr,svg,iframe,figure{break-inside:avoid}thead{display:table-header-group}"
    ".plots{display:block}.plots svg{width:49%;margin:0 0 6px}}"
    "#tip{position:fixed;pointer-events:none;background:var(--fg);color:var(--bg);padding:3px 8px;"
    "border-radius:4px;font-size:13px;max-width:320px;z-index:9}";

/* Sorting: numbers by value, else by text.  The pointer: the mark below it, or the nearest point of
 * the plot within 24 pixels. */
static const char script[] =
    "(function(){'use strict';"
    "addEventListener('beforeprint',function(){"
    "document.querySelectorAll('details').forEach(function(d){d.open=true})});"
    "function key(r,i){var c=r.cells[i];var v=c.getAttribute('data-v');"
    "return v===null?c.textContent:+v}"
    "document.querySelectorAll('th button').forEach(function(b){"
    "b.addEventListener('click',function(){var th=b.parentNode,t=th.closest('table'),"
    "i=th.cellIndex,d=th.getAttribute('aria-sort')==='descending'?1:-1,"
    "body=t.tBodies[0],rows=[].slice.call(body.rows);"
    "t.querySelectorAll('th').forEach(function(o){o.removeAttribute('aria-sort')});"
    "th.setAttribute('aria-sort',d>0?'ascending':'descending');"
    "rows.sort(function(a,b){var x=key(a,i),y=key(b,i);return x<y?-d:x>y?d:0});"
    "rows.forEach(function(r){body.appendChild(r)})})});"
    "var tip=document.createElement('div');tip.id='tip';tip.hidden=true;"
    "tip.setAttribute('role','status');document.body.appendChild(tip);"
    "function nearest(svg,e){var best=null,far=24;"
    "svg.querySelectorAll('circle[data-y]').forEach(function(c){var r=c.getBoundingClientRect(),"
    "d=Math.hypot(r.x+r.width/2-e.clientX,r.y+r.height/2-e.clientY);"
    "if(d<far){far=d;best=c}});return best}"
    "document.querySelectorAll('svg.sp').forEach(function(svg){"
    "svg.querySelectorAll('[data-y]').forEach(function(m){var t=m.querySelector('title');"
    "if(t){m.setAttribute('data-tip',t.textContent);t.remove()}});"
    "svg.addEventListener('pointermove',function(e){"
    "var m=e.target.closest('[data-tip]')||nearest(svg,e);tip.hidden=!m;if(!m)return;"
    "tip.textContent=m.getAttribute('data-tip');"
    "tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+'px';"
    "tip.style.top=Math.max(4,e.clientY-34)+'px'});"
    "svg.addEventListener('pointerleave',function(){tip.hidden=true})})})();";

void page_begin(struct text *out, const char *title)
{
    page_begin_styled(out, title, "", NULL);
}

void page_begin_styled(struct text *out, const char *title, const char *rules, const char *more)
{
    const char *const scripts[] = {script, more, NULL};
    text_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    /* Lets the page run these scripts alone. */
    text_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
                   "script-src");
    for (size_t i = 0; scripts[i]; i++) {
        unsigned char digest[PAGE_DIGEST];
        page_digest(scripts[i], strlen(scripts[i]), digest);
        text_puts(out, " 'sha256-");
        static const char digits[] = /* RFC 4648 */
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (size_t at = 0; at < sizeof digest; at += 3) {
            const size_t left = sizeof digest - at;
            const uint32_t group = (uint32_t)digest[at] << 16 |
                                   (left > 1 ? (uint32_t)digest[at + 1] << 8 : 0) |
                                   (left > 2 ? digest[at + 2] : 0u);
            const char letters[] = {digits[group >> 18], digits[group >> 12 & 63],
                                    left > 1 ? digits[group >> 6 & 63] : '=',
                                    left > 2 ? digits[group & 63] : '='};
            text_put(out, letters, sizeof letters);
        }
        text_puts(out, "'");
    }
    text_puts(out, "\">\n");
    text_puts(out, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
    text_puts_xml(out, title);
    text_printf(out, "</title>\n<style>%s%s%s%s</style>\n</head>\n<body>\n<main>\n<h1>",
                page_colors, style, spoor_plot_style(), rules);
    text_puts_xml(out, title);
    text_puts(out, "</h1>\n");
}

void page_end(struct text *out)
{
    text_printf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", script);
}

void page_put_contents(struct text *out, const struct page_section *sections, size_t count)
{
    text_puts(out, "<nav aria-label=\"Contents\">");
    for (size_t i = 0; i < count; i++) {
        text_puts(out, "<a href=\"#");
        text_puts_xml(out, sections[i].id);
        text_puts(out, "\">");
        text_puts_xml(out, sections[i].title);
        text_puts(out, "</a>\n");
    }
    text_puts(out, "</nav>\n");
}

void page_begin_section(struct text *out, const struct page_section *section, const char *about)
{
    text_puts(out, "<section id=\"");
    text_puts_xml(out, section->id);
    text_puts(out, "\">\n<h2>");
    text_puts_xml(out, section->title);
    text_puts(out, "</h2>\n");
    if (!about) return;
    text_puts(out, "<p class=\"quiet\">");
    text_puts_xml(out, about);
    text_puts(out, "</p>\n");
}

void page_end_section(struct text *out)
{
    text_puts(out, "</section>\n");
}

void page_put_heading(struct text *out, const char *words)
{
    text_puts(out, "<h3>");
    text_puts_xml(out, words);
    text_puts(out, "</h3>\n");
}

void page_put_note(struct text *out, const char *words)
{
    text_puts(out, "<p>");
    text_puts_xml(out, words);
    text_puts(out, "</p>\n");
}

static void html_page_put_words(struct text *out, const char *key)
{
    for (; *key; key++) {
        const char letter[2] = {*key == '_' ? ' ' : *key, '\0'};
        text_puts_xml(out, letter);
    }
}

/* ---- values ---- */

static bool html_page_is_number(const struct spoor_result *value)
{
    switch (spoor_result_type_of(value)) {
    case SPOOR_RESULT_UNSIGNED:
    case SPOOR_RESULT_SIGNED:
    case SPOOR_RESULT_HEX:
    case SPOOR_RESULT_SIZE:
    case SPOOR_RESULT_REAL: return true;
    default: return false;
    }
}

static bool html_page_is_scalar(const struct spoor_result *value)
{
    const enum spoor_result_type type = spoor_result_type_of(value);
    return type != SPOOR_RESULT_OBJECT && type != SPOOR_RESULT_ARRAY;
}

void page_put_scalar(struct text *out, const struct spoor_result *value)
{
    if (spoor_result_type_of(value) == SPOOR_RESULT_BOOL) {
        text_puts(out, spoor_result_whole(value) ? "yes" : "no");
        return;
    }
    char *plain = spoor_result_to_plain(value);
    out->failed |= !plain;
    if (plain) text_puts_xml(out, plain);
    free(plain);
}

static void html_page_put_value(struct text *out, const struct spoor_result *value)
{
    if (html_page_is_scalar(value)) {
        page_put_scalar(out, value);
        return;
    }
    const char *comma = "";
    for (const struct spoor_result *member = spoor_result_first(value); member;
         member = spoor_result_next(member), comma = ", ") {
        text_puts(out, comma);
        if (html_page_is_scalar(member)) page_put_scalar(out, member);
    }
}

/* ---- tables ---- */

/* Rows of the scalars of an object and of objects in it, whose keys come first: "code max". */
static void html_page_put_facts(struct text *out, const struct spoor_result *object,
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
            if (depth < DEEPEST) html_page_put_facts(out, member, name, depth + 1);
            continue;
        }
        text_puts(out, "<tr><th scope=\"row\">");
        html_page_put_words(out, name);
        text_puts(out, "</th><td>");
        html_page_put_value(out, member);
        text_puts(out, "</td></tr>\n");
    }
}

void page_put_facts(struct text *out, const struct spoor_result *object, bool nested)
{
    text_puts(out, "<div class=\"wide\"><table>\n<tbody>\n");
    html_page_put_facts(out, object, "", nested ? 0 : UINT_MAX);
    text_puts(out, "</tbody>\n</table></div>\n");
}

static bool html_page_has_column(const struct spoor_result *array, const char *key)
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

void page_put_table(struct text *out, const char *caption, const struct spoor_result *array,
                    size_t maximum)
{
    enum { COLUMNS = 256 };
    const char *keys[COLUMNS];
    const size_t all = spoor_result_columns(array, keys, COLUMNS);
    size_t rows = 0, columns = 0;
    for (size_t i = 0; i < all; i++) /* without those of which no row has anything */
        if (html_page_has_column(array, keys[i])) keys[columns++] = keys[i];
    if (!columns) return;
    text_puts(out, "<div class=\"wide\"><table>\n<caption>");
    text_puts_xml(out, caption);
    text_puts(out, "</caption>\n");
    text_puts(out, "<thead><tr>");
    for (size_t i = 0; i < columns; i++) {
        const struct spoor_result *cell = spoor_result_member(spoor_result_first(array), keys[i]);
        text_printf(out, "<th scope=\"col\"%s><button>",
                    cell && html_page_is_number(cell) ? " class=\"n\"" : "");
        html_page_put_words(out, keys[i]);
        text_puts(out, "</button></th>");
    }
    text_puts(out, "</tr></thead>\n");
    text_puts(out, "<tbody>\n");
    for (const struct spoor_result *row = spoor_result_first(array); row;
         row = spoor_result_next(row)) {
        if (maximum && rows++ == maximum) break;
        text_puts(out, "<tr>");
        for (size_t i = 0; i < columns; i++) {
            const struct spoor_result *cell = spoor_result_member(row, keys[i]);
            if (!cell || !html_page_is_number(cell)) {
                text_puts(out, "<td>");
                if (cell) html_page_put_value(out, cell);
            } else {
                text_puts(out, "<td class=\"n\" data-v=\"");
                /* A number as the script compares it. */
                const enum spoor_result_type type = spoor_result_type_of(cell);
                if (type == SPOOR_RESULT_REAL || type == SPOOR_RESULT_SIGNED)
                    text_put_exact(out, spoor_result_number(cell));
                else
                    text_printf(out, "%" PRIu64, spoor_result_whole(cell));
                text_puts(out, "\">");
                page_put_scalar(out, cell);
            }
            text_puts(out, "</td>");
        }
        text_puts(out, "</tr>\n");
    }
    text_puts(out, "</tbody>\n</table></div>\n");
    if (maximum && spoor_result_count(array) > maximum)
        text_printf(out, "<p class=\"quiet\">The first %zu of %zu.</p>\n", maximum,
                    spoor_result_count(array));
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
    text_put(out, svg, size);
    free(svg);
    return true;
}

void page_put_frame(struct text *out, const char *title, const char *svg, size_t size)
{
    enum { USUAL = 420, HIGHEST = 640, BORDER = 6 };
    struct text copy = {0};
    text_put(&copy, svg, size);
    text_put(&copy, "", 1);
    out->failed |= copy.failed;
    const char *stated = copy.failed ? NULL : strstr(copy.bytes, " height=\"");
    unsigned long height = stated ? strtoul(stated + strlen(" height=\""), NULL, 10) : 0;
    if (!height) height = USUAL;
    height = height > HIGHEST ? HIGHEST : height + BORDER;
    text_puts(out, "<iframe title=\"");
    text_puts_xml(out, title);
    text_printf(out,
                "\" height=\"%lu\" srcdoc=\"&lt;body style='margin:0'&gt;&lt;style&gt;"
                "html{color-scheme:light dark}"
                "body{display:flex;flex-direction:column-reverse;height:100vh;overflow:auto}"
                "body&gt;svg{width:100%%;min-width:720px;max-width:1200px;height:auto;"
                "flex:none}"
                "@media (prefers-color-scheme:dark){body{background:#14171a}"
                "svg&gt;rect{fill:#14171a}svg text{fill:#e6e9ec}svg .f text{fill:#111}}"
                "&lt;/style&gt;",
                height);
    if (!copy.failed) text_puts_xml(out, copy.bytes);
    text_puts(out, "\"></iframe>\n");
    text_free(&copy);
}
