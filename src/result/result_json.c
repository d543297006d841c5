/* SPDX-License-Identifier: MIT */
/* result_json.c: print the result tree as JSON: two spaces of indent, members in order of
 * adding.  What is not known, a null member of an object, is left out. */
#include "base/json.h"
#include "result/result_printer.h"

static void result_json_put(struct text *out, const struct spoor_result *node, size_t depth)
{
    if (result_is_scalar(node)) {
        switch (node->type) {
        case NODE_NULL: text_puts(out, "null"); break;
        case NODE_BOOL: text_puts(out, node->number ? "true" : "false"); break;
        case NODE_STRING: json_put_string(out, node->string, node->size); break;
        case NODE_HEX:
            text_put(out, "\"", 1);
            result_put_exact(out, node);
            text_put(out, "\"", 1);
            break;
        default: result_put_exact(out, node);
        }
        return;
    }
    bool object = node->type == NODE_OBJECT, any = false;
    text_puts(out, object ? "{" : "[");
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        if (object && member->type == NODE_NULL) continue;
        text_puts(out, any ? ",\n" : "\n");
        any = true;
        printer_put_spaces(out, 2 * (depth + 1));
        if (object) {
            json_put_string(out, member->key ? member->key : "",
                            strlen(member->key ? member->key : ""));
            text_puts(out, ": ");
        }
        result_json_put(out, member, depth + 1);
    }
    if (any) {
        text_puts(out, "\n");
        printer_put_spaces(out, 2 * depth);
    }
    text_puts(out, object ? "}" : "]");
}

char *spoor_result_to_json(const struct spoor_result *root, size_t *size)
{
    struct text out = {0};
    if (!root) return NULL;
    result_json_put(&out, root, 0);
    text_puts(&out, "\n");
    return text_hand_out(&out, size);
}
