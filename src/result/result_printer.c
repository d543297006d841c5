/* SPDX-License-Identifier: MIT */
/* result_printer.c: what the printers of text share: cells, labels, and wrapped lines. */
#include "result/result_printer.h"

static size_t printer_width_of(const char *bytes, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++) width += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    return width;
}

/* Numbers that are places in a trace, not counts: they are typed into options as they are. */
static bool printer_is_place(const char *key)
{
    static const char *const keys[] = {
        "record", "line",  "trace_offset", "time",    "from",    "to", "first",
        "last",   "begin", "end",          "minimum", "maximum", "at"};
    for (size_t i = 0; key && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

static void printer_put_value(const struct printer *printer, struct text *out,
                              const struct spoor_result *node)
{
    switch (node->type) {
    case NODE_UNSIGNED:
        if (printer->style.grouped && !printer_is_place(node->key))
            text_put_grouped(out, node->number);
        else
            result_put_plain(out, node);
        break;
    case NODE_NULL: text_puts(out, "-"); break;
    case NODE_BOOL: text_puts(out, node->number ? "yes" : "no"); break;
    case NODE_STRING: /* without characters that could move the cursor of a terminal */
        for (size_t i = 0; i < node->size; i++) {
            const unsigned char c = (unsigned char)node->string[i];
            if (c < ' ' || c == 0x7F)
                text_printf(out, "\\x%02x", c);
            else
                text_put(out, node->string + i, 1);
        }
        break;
    default: result_put_plain(out, node);
    }
}

size_t printer_format_cell(struct printer *printer, const struct spoor_result *cell)
{
    struct text *text = &printer->cell;
    text->size = 0;
    if (!cell) {
        text_puts(text, "-");
    } else if (result_is_scalar(cell)) {
        printer_put_value(printer, text, cell);
    } else {
        for (const struct spoor_result *member = cell->first; member; member = member->next) {
            printer_put_value(printer, text, member);
            if (member->next) text_puts(text, " ");
        }
    }
    return printer_width_of(text->bytes ? text->bytes : "", text->size);
}

bool result_is_number(const struct spoor_result *node)
{
    return node->type >= NODE_UNSIGNED && node->type <= NODE_REAL;
}

void printer_put_spaces(struct text *out, size_t count)
{
    char *at = text_reserve(out, count);
    if (!at) return;
    memset(at, ' ', count);
    text_commit(out, at + count);
}

void printer_put_cell(struct printer *printer)
{
    text_put(printer->out, printer->cell.bytes, printer->cell.size);
}

void printer_put_words(struct text *out, const char *key)
{
    const size_t share = result_share_size(key), size = share ? share : strlen(key);
    for (size_t i = 0; i < size; i++) text_put(out, key[i] == '_' ? " " : key + i, 1);
    if (share) text_puts(out, " %");
}

size_t printer_words_width(const char *key)
{
    const size_t share = result_share_size(key);
    return share ? share + 2 : strlen(key);
}

void printer_put_label(struct printer *printer, const char *key)
{
    text_puts(printer->out, printer->on);
    printer_put_words(printer->out, key);
    text_puts(printer->out, printer->off);
}

void printer_put_wrapped(struct printer *printer, size_t column, size_t width)
{
    const char *at = printer->cell.bytes, *const end = at + printer->cell.size;
    size_t used = column;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const size_t size = (size_t)((space ? space : end) - at),
                     cells = printer_width_of(at, size);
        if (used > column && used + 1 + cells > width) {
            text_puts(printer->out, "\n");
            printer_put_spaces(printer->out, column);
            used = column;
        } else if (used > column) {
            text_puts(printer->out, " ");
            used++;
        }
        text_put(printer->out, at, size);
        used += cells;
        at += size + (space ? 1 : 0);
    }
}
