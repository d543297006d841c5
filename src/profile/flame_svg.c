/* SPDX-License-Identifier: MIT */
/*
 * flame_svg.c: a flame graph as one SVG file: the outermost functions at the bottom, a frame as
 * wide as what it and all that it called ran.
 *
 * The file needs nothing from elsewhere.  Without scripts it is a still picture with a tooltip for
 * each frame; with them, a click zooms into a frame and a search colours the frames that match.
 * Colours differ in lightness, so that they differ without hues, too.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "profile/profile.h"

enum {
    WIDTH = 1200,
    MARGIN = 10,
    ROW = 17,
    HEAD = 64,
    FOOT = 26,
    NARROWEST = 1,  /* tenths of a pixel: narrower frames are left out */
    FRAMES = 20000, /* that are drawn at most, or wider ones alone */
    CHARACTER = 73, /* tenths of a pixel: the width of a letter */
};

struct flame {
    const struct spoor_profile *profile;
    struct text *out, name;
    struct spoor_profile_totals totals;
    uint64_t all, narrowest;
    size_t frames; /* that are as wide */
    unsigned deepest;
};

/* Blue to yellow by lightness (after cividis), dark enough for black text at the light end only. */
static const char *const colors[] = {"#5b7fb0", "#6d8ab0", "#7f95ae", "#919fa9", "#a3a9a2",
                                     "#b5b398", "#c7be8b", "#d9c97b", "#ead468", "#f7de6a"};

static void flame_put_tenths(struct text *out, uint64_t tenths)
{
    text_printf(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

static uint64_t flame_scaled(const struct flame *flame, uint64_t amount)
{
    const double span = (WIDTH - 2 * MARGIN) * 10.0;
    return flame->all ? (uint64_t)((double)amount / (double)flame->all * span + 0.5) : 0;
}

static void flame_draw(struct flame *flame, uint64_t start, uint64_t amount, unsigned depth,
                       uint32_t node)
{
    const struct context *of = &flame->profile->contexts.nodes[node];
    flame->name.size = 0;
    if (of->kind == CONTEXT_CPU) {
        const char *name = machine_cpu_name(&flame->profile->machine, (unsigned)of->function);
        text_printf(&flame->name, "%s%s", name[0] >= '0' && name[0] <= '9' ? "cpu" : "",
                    name[0] ? name : "all");
    } else if (flame->profile->row_of[node] != NO_ROW) {
        profile_put_frame(flame->profile, flame->profile->row_of[node], &flame->name);
    }
    if (!flame->name.size) return;
    struct text *out = flame->out;
    const uint64_t x = flame_scaled(flame, start), width = flame_scaled(flame, start + amount) - x;
    const unsigned y = HEAD + (flame->deepest - depth) * ROW;
    const size_t color =
        hash_of_bytes(flame->name.bytes, flame->name.size) % (sizeof colors / sizeof *colors);
    const size_t letters = (size_t)(width > 60 ? (width - 60) / CHARACTER : 0); /* that fit */
    text_printf(out, "<g class=\"f\" data-s=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\"><title>", start,
                amount);
    text_put_xml(out, flame->name.bytes, flame->name.size);
    text_printf(out, " (%" PRIu64 " %s, ", amount, flame->totals.unit);
    text_put_fixed(out, flame->all ? 100.0 * (double)amount / (double)flame->all : 0.0, 2);
    text_puts(out, "%)</title><rect x=\"");
    flame_put_tenths(out, x + MARGIN * 10);
    text_printf(out, "\" y=\"%u\" width=\"", y);
    flame_put_tenths(out, width);
    text_printf(out, "\" height=\"%u\" fill=\"%s\"/><text x=\"", ROW - 1, colors[color]);
    flame_put_tenths(out, x + MARGIN * 10 + 30);
    text_printf(out, "\" y=\"%u\">", y + ROW - 5);
    if (letters >= flame->name.size) {
        text_put_xml(out, flame->name.bytes, flame->name.size);
    } else if (letters > 3) {
        text_put_xml(out, flame->name.bytes, letters - 2);
        text_puts(out, "..");
    }
    text_puts(out, "</text></g>\n");
}

/* Counts, or draws, the frames of all processors, each before those that it called. */
static void flame_each(struct flame *flame, bool draws)
{
    const struct context *nodes = flame->profile->contexts.nodes;
    const uint64_t *totals = flame->profile->totals;
    uint64_t starts[CONTEXTS_DEEPEST + 2] = {0}; /* by depth: where the next frame begins */
    for (uint32_t root = 0; root < flame->profile->contexts.count; root++) {
        if (nodes[root].kind != CONTEXT_CPU) continue;
        for (uint32_t at = root;;) {
            const unsigned depth = nodes[at].depth;
            const bool wide = flame_scaled(flame, totals[at]) >= flame->narrowest;
            const uint64_t here = starts[depth];
            if (wide && draws) flame_draw(flame, here, totals[at], depth, at);
            if (wide && !draws) {
                flame->frames++;
                if (depth > flame->deepest) flame->deepest = depth;
            }
            starts[depth] += totals[at];
            if (wide && nodes[at].first_child != NO_CONTEXT) {
                starts[depth + 1] = here;
                at = nodes[at].first_child;
                continue;
            }
            while (at != root && nodes[at].next_sibling == NO_CONTEXT) at = nodes[at].parent;
            if (at == root) break;
            at = nodes[at].next_sibling;
        }
    }
}

static const char style[] =
    "<style>text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#111}"
    "#t{font-size:16px;font-weight:600}.f rect{stroke:#fff;stroke-width:.5}"
    ".f:hover rect{stroke:#000;stroke-width:1.5}.f{cursor:pointer}"
    ".m rect{fill:#b40060}.m text{fill:#fff}.b{cursor:pointer;text-decoration:underline}"
    "</style>\n";

/* Zoom and search: frames say where they begin and how wide they are, in the unit. */
static const char script[] =
    "<script><![CDATA[\n"
    "(function(){var F=[].slice.call(document.querySelectorAll('.f')),W=1180,"
    "d=document.getElementById('d'),r=document.getElementById('r');\n"
    "function n(g,k){return +g.getAttribute('data-'+k)}\n"
    "function name(g){return g.querySelector('title').textContent}\n"
    "function fit(g,w){var t=g.querySelector('text'),s=name(g).replace(/ \\([^()]*\\)$/,''),"
    "c=Math.floor((w-6)/7.3);t.textContent=s.length<=c?s:c>3?s.slice(0,c-2)+'..':''}\n"
    "function zoom(a,w,y){F.forEach(function(g){var s=n(g,'s'),x=n(g,'w'),"
    "q=g.querySelector('rect'),h=+q.getAttribute('y'),"
    "on=s<a+w&&s+x>a&&(h<=y?s>=a&&s+x<=a+w:s<=a&&s+x>=a+w);\n"
    "g.style.display=on?'':'none';if(!on)return;var l=Math.max(s,a),e=Math.min(s+x,a+w),"
    "p=10+(l-a)/w*W,v=(e-l)/w*W;q.setAttribute('x',p);q.setAttribute('width',v);"
    "g.querySelector('text').setAttribute('x',p+3);fit(g,v)});"
    "r.style.display=w<all?'':'none'}\n"
    "var all=0;F.forEach(function(g){all=Math.max(all,n(g,'s')+n(g,'w'))});\n"
    "F.forEach(function(g){g.addEventListener('mouseover',function(){d.textContent=name(g)});"
    "g.addEventListener('mouseout',function(){d.textContent=''});"
    "g.addEventListener('click',function(){zoom(n(g,'s'),n(g,'w'),"
    "+g.querySelector('rect').getAttribute('y'))})});\n"
    "r.addEventListener('click',function(){zoom(0,all,1e9)});\n"
    "document.getElementById('q').addEventListener('click',function(){"
    "var e=prompt('Functions that contain:','');if(e===null)return;\n"
    "F.forEach(function(g){g.classList.toggle('m',e!==''&&name(g).indexOf(e)>=0)})});\n"
    "})();\n]]></script>\n";

char *spoor_profile_to_svg(const struct spoor_profile *profile, const char *title, size_t *size)
{
    struct text out = {0};
    struct flame flame = {.profile = profile, .out = &out, .totals = spoor_profile_totals(profile)};
    for (size_t i = 0; i < profile->contexts.count; i++)
        if (profile->contexts.nodes[i].kind == CONTEXT_CPU) flame.all += profile->totals[i];
    flame.narrowest = NARROWEST;
    flame_each(&flame, false);
    while (flame.frames > FRAMES) {
        flame.narrowest *= 2;
        flame.frames = flame.deepest = 0;
        flame_each(&flame, false);
    }
    const unsigned height = HEAD + (flame.deepest + 1) * ROW + FOOT;
    text_printf(&out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
                "height=\"%u\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                WIDTH, height, WIDTH, height);
    text_puts(flame.out, style);
    text_printf(flame.out, "<text id=\"t\" x=\"%d\" y=\"26\">", MARGIN);
    text_put_xml(flame.out, title, strlen(title));
    text_printf(flame.out,
                "</text>\n<text x=\"%d\" y=\"46\">%" PRIu64 " %s, %" PRIu64 " calls</text>\n",
                MARGIN, flame.totals.amount, flame.totals.unit, flame.totals.calls);
    if (flame.narrowest > NARROWEST) {
        text_printf(flame.out, "<text x=\"%d\" y=\"46\" text-anchor=\"end\">frames below ",
                    WIDTH - MARGIN);
        flame_put_tenths(flame.out, flame.narrowest);
        text_puts(flame.out, " pixels are left out</text>\n");
    }
    text_printf(flame.out,
                "<text id=\"r\" class=\"b\" x=\"%d\" y=\"26\" text-anchor=\"end\" "
                "style=\"display:none\">show all</text>\n"
                "<text id=\"q\" class=\"b\" x=\"%d\" y=\"26\" text-anchor=\"end\">search</text>\n"
                "<text id=\"d\" x=\"%d\" y=\"%u\"></text>\n",
                WIDTH - 80, WIDTH - MARGIN, MARGIN, height - 8);
    flame_each(&flame, true);
    text_puts(&out, script);
    text_puts(&out, "</svg>\n");
    out.failed |= flame.name.failed;
    text_free(&flame.name);
    return text_hand_out(&out, size);
}
