/* SPDX-License-Identifier: MIT */
/* result_node.h: the structure of the result tree, for its printers. */
#ifndef SPOOR_RESULT_RESULT_NODE_H
#define SPOOR_RESULT_RESULT_NODE_H

#include "base/text.h"
#include "spoor/result.h"

enum node_type {
    NODE_OBJECT,
    NODE_ARRAY,
    NODE_UNSIGNED,
    NODE_SIGNED,
    NODE_HEX,
    NODE_SIZE,
    NODE_REAL,
    NODE_BOOL,
    NODE_STRING,
    NODE_NULL,
};

/* A node is as long as its type needs: reports have millions of numbers.  The key and the string,
 * each with a NUL, follow it. */
struct spoor_result {
    enum node_type type : 8;
    bool hides_empty : 1;              /* OBJECT, ARRAY: text does not mention it if it is empty */
    bool hidden : 1;                   /* text does not mention it */
    int decimals;                      /* REAL */
    char *key;                         /* in an object; else NULL */
    struct spoor_result *next, *first; /* the next member; OBJECT, ARRAY: the members, else NULL */
    union {
        uint64_t number; /* UNSIGNED, HEX, SIZE, BOOL */
        int64_t signed_number;
        double real;
        char *string;              /* NUL-terminated after its size */
        struct spoor_result *last; /* OBJECT, ARRAY */
    };
    size_t size; /* STRING: bytes; OBJECT, ARRAY: members; other types end before it */

    /* of objects and arrays */
    struct spoor_result *root;
    bool failed;         /* of the root: a node could not be added */
    const char *columns; /* ARRAY: keys of its rows, separated by commas, for one without rows; a
                          * static string, or NULL */
    const char *around;  /* ARRAY of an extract without rows: the column before these, or NULL */
};

static inline bool result_is_scalar(const struct spoor_result *node)
{
    return node->type > NODE_ARRAY;
}

/* A number or the text of a string; nothing for other types.  Plain: as people read it, with the
 * node's decimals and unit; exact: as programs read it, no digit lost. */
void result_put_plain(struct text *out, const struct spoor_result *node);
void result_put_exact(struct text *out, const struct spoor_result *node);

/* The size of a share's key without its ending "_ratio"; 0: it is no share's. */
size_t result_share_size(const char *key);

/* Text does not mention an object or array if it is empty; JSON has it. */
void result_hide_empty(struct spoor_result *value);

#endif
