/* SPDX-License-Identifier: MIT */
/* name_result.c: adds function, offset and line after every pc of a result tree. */
#include <string.h>

#include "image/images.h"
#include "result/result_node.h"

/* Moves the last member, which was just added, to the place after `after`. */
static void move_last(struct spoor_result *object, struct spoor_result *after)
{
    struct spoor_result *last = object->last, *before = after;
    if (!last || last == after || after->next == last) return;
    while (before->next != last) before = before->next;
    before->next = NULL;
    object->last = before;
    last->next = after->next;
    after->next = last;
}

static bool name_result_has_key(const struct spoor_result *node, const char *key)
{
    return node->key && strcmp(node->key, key) == 0;
}

void spoor_images_name_result(struct spoor_images *images, struct spoor_result *result,
                              const char *within)
{
    if (!result || result_is_scalar(result)) return;
    if (within && name_result_has_key(result, within)) within = NULL;
    for (struct spoor_result *member = result->first, *next; member; member = next) {
        next = member->next;
        if (!within && member->type == NODE_HEX && name_result_has_key(member, "pc")) {
            struct spoor_place place = {0};
            spoor_images_resolve(images, member->number, &place);
            spoor_result_text(result, "source", place.source);
            move_last(result, member);
            spoor_result_hex_if(result, "offset", place.function, place.offset);
            move_last(result, member);
            spoor_result_text(result, "function", place.function);
            move_last(result, member);
        } else
            spoor_images_name_result(images, member, within);
    }
}
