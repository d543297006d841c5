/* SPDX-License-Identifier: MIT */
/* layout_shape.c: trees, grids of values and dumps of memory. */
#include "cli/layout_shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/narrow.h"
#include "cli/shade.h"

/* ---- trees ---- */

struct layout_tree {
    const struct layout_shape *shape;
    struct text *text;
    struct layout_branch {
        const struct spoor_result *row;
        size_t next, next_end; /* in `nodes`: those below it */
        bool drawn;
    } * nodes;
    size_t *below, deepest; /* deepest: levels that are indented; 0: all */
    int width;
    bool lines[256]; /* which levels continue on the left */
};

static uint64_t layout_whole(const struct spoor_result *row, const char *key)
{
    return spoor_result_whole(spoor_result_member(row, key));
}

static const char *layout_string(const struct spoor_result *row, const char *key)
{
    return spoor_result_string(spoor_result_member(row, key), NULL);
}

static void layout_draw_node(struct layout_tree *tree, size_t number, size_t level)
{
    enum { DEEPEST = 200 };
    struct text *text = tree->text;
    struct layout_branch *node = &tree->nodes[number];
    const size_t shown = tree->deepest && level > tree->deepest ? tree->deepest : level;
    for (size_t i = 0; i + 1 < shown; i++) text_puts(text, tree->lines[i] ? "│  " : "   ");
    if (level) text_puts(text, tree->lines[level - 1] ? "├─ " : "└─ ");
    if (shown < level) text_printf(text, "[%zu] ", level);
    const bool again =
        node->drawn && spoor_result_count(spoor_result_member(node->row, "from")) > 0;
    tree->shape->put(tree->shape->context, node->row, again, tree->width - 3 * (int)shown, text);
    const bool ends = node->drawn || level == DEEPEST;
    node->drawn = true;
    for (size_t i = node->next; i < node->next_end && !ends; i++) {
        tree->lines[level] = i + 1 < node->next_end;
        layout_draw_node(tree, tree->below[i], level + 1);
    }
}

static void layout_put_tree(struct layout_tree *tree, const struct spoor_result *rows)
{
    enum { WIDEST = 60, INSTRUCTION = 50, NARROWEST = 20 }; /* widths of nodes */
    const bool forward = layout_whole(tree->shape->around, "forward");
    const int columns = (int)tree->shape->columns;
    const int widest = columns && columns < WIDEST + INSTRUCTION ? columns - INSTRUCTION : WIDEST;
    size_t count = 0, edges = 0;
    tree->width = NARROWEST;
    tree->deepest = columns ? 1 + (size_t)columns / 16 : 0;
    for (const struct spoor_result *row = spoor_result_first(rows); row;
         row = spoor_result_next(row), count++) {
        const char *what = layout_string(row, "what"), *value = layout_string(row, "value");
        struct layout_branch *node = &tree->nodes[count];
        const struct spoor_result *from = spoor_result_first(spoor_result_member(row, "from"));
        const int size = (int)(strlen(what ? what : "") + 3 + (value ? strlen(value) : 1) +
                               3 * layout_whole(row, "depth"));
        if (size > tree->width && size <= widest) tree->width = size;
        node->row = row;
        node->next = edges;
        for (; from; from = spoor_result_next(from), edges++)
            if (forward)
                tree->nodes[spoor_result_whole(from)].next_end++; /* counted first */
            else
                tree->below[edges] = (size_t)spoor_result_whole(from);
        if (!forward) node->next_end = edges;
    }
    for (size_t i = 0, at = 0; forward && i < count; i++) {
        tree->nodes[i].next = at;
        at += tree->nodes[i].next_end;
        tree->nodes[i].next_end = tree->nodes[i].next;
    }
    for (size_t i = 0; forward && i < count; i++) {
        const struct spoor_result *from =
            spoor_result_first(spoor_result_member(tree->nodes[i].row, "from"));
        for (; from; from = spoor_result_next(from))
            tree->below[tree->nodes[spoor_result_whole(from)].next_end++] = i;
    }
    for (size_t i = 0; i < count; i++)
        if (layout_whole(tree->nodes[i].row, "depth") == 0) layout_draw_node(tree, i, 0);
}

/* ---- grids ---- */

static bool layout_lists(const struct spoor_result *list, const char *word)
{
    for (const struct spoor_result *item = spoor_result_first(list); item;
         item = spoor_result_next(item))
        if (strcmp(spoor_result_string(item, NULL), word) == 0) return true;
    return false;
}

/* Values in as many columns as fit; a wider one has its own line, as with `before` each. */
static void layout_put_grid(const struct layout_shape *shape, const struct spoor_result *values,
                            struct text *text)
{
    enum { WIDTH = 100, NARROW = 18, NARROWEST_NAME = 2 };
    const struct spoor_result *written = spoor_result_member(shape->around, "written"),
                              *before = spoor_result_member(shape->around, "before");
    const size_t line = shape->columns ? shape->columns : WIDTH;
    size_t name = NARROWEST_NAME, column = 0;
    const struct spoor_result *item = spoor_result_first(values);
    for (; item; item = spoor_result_next(item)) {
        const char *value = spoor_result_string(item, NULL);
        const size_t size = strlen(spoor_result_key(item));
        if (size > name && (before || !value || strlen(value) <= NARROW)) name = size;
    }
    const size_t width = name + NARROW + 5, columns = (line + 1) / width ? (line + 1) / width : 1;
    for (item = spoor_result_first(values); item; item = spoor_result_next(item)) {
        const char *value = spoor_result_string(item, NULL), *key = spoor_result_key(item);
        const bool wide = before || (value && strlen(value) > NARROW),
                   changed = before || layout_lists(written, key);
        if (wide && column) {
            while (text->bytes[text->size - 1] == ' ') text->size--;
            text_puts(text, "\n");
            column = 0;
        }
        if (column == 0) text_puts(text, " ");
        const size_t at = text->size;
        const enum shade shade = changed ? SHADE_CHANGED : SHADE_NONE;
        if (!before) shade_begin(text, shade);
        text_printf(text, "%c%s%-*s ", changed && !before ? '*' : ' ', before ? "" : " ", (int)name,
                    key);
        if (before) {
            const char *old = layout_string(before, key);
            text_printf(text, "%s -> ", old ? old : "-");
            shade_begin(text, shade);
        }
        text_puts(text, value ? value : "-");
        shade_end(text, shade);
        column++;
        if (wide || column == columns || !spoor_result_next(item)) {
            text_puts(text, "\n");
            column = 0;
        } else {
            for (size_t used = narrow_width(text, at); used < width; used++) text_puts(text, " ");
        }
    }
}

/* ---- dumps ---- */

enum { DUMP_BYTES = 16 };

/* The bytes of a range: two digits each, or "??". */
struct layout_dump {
    uint64_t address, size;
    const char *bytes, *before; /* before: NULL: they are not compared */
    bool physical;
    unsigned digits, line; /* line: bytes of one */
};

static void layout_put_bytes(const struct layout_dump *dump, uint64_t line, const char *bytes,
                             struct text *text)
{
    char letters[DUMP_BYTES + 1];
    text_printf(text, "  %s%0*" PRIx64 " ", dump->physical ? "pa:" : "", (int)dump->digits, line);
    for (unsigned i = 0; i < dump->line; i++) {
        const uint64_t at = line + i - dump->address;
        const bool inside = line + i >= dump->address && at < dump->size;
        const char *digits = inside ? bytes + 2 * at : "??";
        const bool known = inside && *digits != '?';
        text_printf(text, " %.2s", known ? digits : inside ? ".." : "  ");
        const char pair[] = {known ? digits[0] : '0', known ? digits[1] : '0', '\0'};
        const int value = (int)strtol(pair, NULL, 16);
        letters[i] = !known ? ' ' : value >= 0x20 && value < 0x7F ? (char)value : '.';
    }
    letters[dump->line] = '\0';
    text_printf(text, "  %s", letters);
    while (text->size && text->bytes[text->size - 1] == ' ') text->size--;
    text_puts(text, "\n");
}

/* Lines of memory, as wide as the screen has room for. */
static void layout_put_dump(const struct layout_shape *shape, const struct spoor_result *row,
                            struct text *text)
{
    enum { DIGITS = 16, FEWEST = 8, GAPS = 5, OF_BYTE = 4, PHYSICAL = 3 };
    size_t size = 0;
    struct layout_dump dump = {
        .address = layout_whole(row, "address"),
        .bytes = spoor_result_string(spoor_result_member(row, "bytes"), &size),
        .before = layout_string(row, "before"),
        .physical = layout_whole(row, "physical"),
        .digits = DIGITS,
        .line = DUMP_BYTES,
    };
    const unsigned columns = shape->columns, mark = dump.physical ? PHYSICAL : 0;
    dump.size = size / 2;
    if (!dump.size) return;
    if (columns && columns < mark + DIGITS + GAPS + OF_BYTE * DUMP_BYTES) {
        dump.digits = hex_digits(dump.address + (dump.size - 1));
        if (dump.digits < FEWEST) dump.digits = FEWEST;
        if (columns < mark + dump.digits + GAPS + OF_BYTE * DUMP_BYTES) dump.line = DUMP_BYTES / 2;
    }
    const uint64_t first = dump.address & ~(uint64_t)(dump.line - 1);
    const uint64_t lines = (dump.address - first + dump.size - 1) / dump.line + 1;
    for (uint64_t i = 0; i < lines; i++) { /* the last line may be the last one of all memory */
        const uint64_t line = first + dump.line * i;
        const uint64_t from = i ? line - dump.address : 0;
        const uint64_t rest = dump.size - from, bytes = line + dump.line - dump.address - from;
        const size_t digits = 2 * (size_t)(rest < bytes ? rest : bytes);
        if (dump.before && memcmp(dump.bytes + 2 * from, dump.before + 2 * from, digits) == 0)
            continue;
        if (dump.before) {
            text_puts(text, "-");
            layout_put_bytes(&dump, line, dump.before, text);
            text_puts(text, "+");
        }
        layout_put_bytes(&dump, line, dump.bytes, text);
    }
}

void layout_put_shape(const struct layout_shape *shape, const struct spoor_result *value,
                      struct text *text)
{
    if (*shape->name == 'g') {
        layout_put_grid(shape, value, text);
    } else if (*shape->name == 'd') {
        for (const struct spoor_result *row = spoor_result_first(value); row;
             row = spoor_result_next(row))
            layout_put_dump(shape, row, text);
    } else {
        size_t edges = 0;
        for (const struct spoor_result *row = spoor_result_first(value); row;
             row = spoor_result_next(row))
            edges += spoor_result_count(spoor_result_member(row, "from"));
        struct layout_tree tree = {.shape = shape,
                                   .text = text,
                                   .nodes =
                                       calloc(spoor_result_count(value) + 1, sizeof *tree.nodes),
                                   .below = calloc(edges + 1, sizeof *tree.below)};
        if (tree.nodes && tree.below)
            layout_put_tree(&tree, value);
        else
            text->failed = true;
        free(tree.nodes);
        free(tree.below);
    }
}
