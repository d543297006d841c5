/* SPDX-License-Identifier: MIT */
/*
 * list.c: a linked list: 48 nodes are inserted in order, the odd ones removed, the rest reversed.
 */
#include "say.h"

#include <stddef.h>

enum { COUNT = 48 };

struct node {
    struct node *next;
    uint64_t value;
};

static struct node nodes[COUNT];

static struct node *insert(struct node *list, struct node *node)
{
    struct node **link = &list;
    while (*link && (*link)->value < node->value) link = &(*link)->next;
    node->next = *link;
    *link = node;
    return list;
}

static struct node *remove_odd(struct node *list)
{
    for (struct node **link = &list; *link;) {
        if ((*link)->value % 2)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    return list;
}

static struct node *reverse(struct node *list)
{
    struct node *reversed = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = reversed;
        reversed = list;
        list = next;
    }
    return reversed;
}

int main(void)
{
    struct node *list = NULL;
    uint64_t state = 7;
    for (int i = 0; i < COUNT; i++) {
        nodes[i].value = next_number(&state) % 1000;
        list = insert(list, &nodes[i]);
    }
    list = reverse(remove_odd(list));
    for (const struct node *node = list; node; node = node->next) {
        say_number(node->value);
        say_text(node->next ? " " : "\n");
    }
    return 0;
}
