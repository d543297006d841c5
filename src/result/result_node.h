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

struct spoor_result {
    enum node_type type;
    int decimals;                      /* REAL */
    char *key;                         /* in an object; else NULL */
    struct spoor_result *root, *next;  /* next: the next member */
    struct spoor_result *first, *last; /* OBJECT, ARRAY: members */
    bool failed;                       /* of the root: a node could not be added */
    bool hides_empty;                  /* OBJECT, ARRAY: text does not mention it if it is empty */
    bool hidden;                       /* text does not mention it */
    const char *columns; /* ARRAY: keys of its rows, separated by commas, for one without rows; a
                          * static string, or NULL */
    const char *around;  /* ARRAY of an extract without rows: the column before these, or NULL */
    size_t size;         /* STRING: bytes; OBJECT, ARRAY: members */
    union {
        uint64_t number; /* UNSIGNED, HEX, SIZE, BOOL */
        int64_t signed_number;
        double real;
        char *string; /* NUL-terminated after its size */
    };
    char bytes[]; /* the key and the string, each with a NUL */
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

/* Returns the text as a string that the caller frees; NULL if memory runs out. */
char *result_hand_out(struct text *out, size_t *size);

#endif
