/* SPDX-License-Identifier: MIT */
/* words.h: the distinct texts of a column, numbered in the order of their first use. */
#ifndef SPOOR_COLUMNS_WORDS_H
#define SPOOR_COLUMNS_WORDS_H

#include "base/text.h"
#include "spoor/batch.h"

#define NO_WORD UINT32_MAX

enum { RECENT_WORDS = 512 };

struct words {
    struct text bytes; /* all texts, one after another */
    uint32_t *ends;    /* of each text in `bytes` */
    size_t count, end_capacity;
    uint32_t *slots; /* 2^bits; number + 1 of a text, 0: empty */
    unsigned bits;
    uint32_t *by_name; /* number + 1 of the text of a name */
    size_t name_capacity;
    const struct spoor_names *names; /* that by_name refers to */
    bool failed;                     /* memory ran out */
    /* Numbers of texts that were added lately, by their size, beginning and end. */
    uint32_t recent[RECENT_WORDS];
};

/* The number of a text; NO_WORD if memory runs out. */
uint32_t words_add(struct words *words, const char *bytes, size_t size);
/* The number of a name's text. */
uint32_t words_file_name(struct words *words, const struct spoor_names *names, spoor_name name);
static inline uint32_t words_add_name(struct words *words, const struct spoor_names *names,
                                      spoor_name name)
{
    const bool filed = names == words->names && name < words->name_capacity && words->by_name[name];
    return filed ? words->by_name[name] - 1 : words_file_name(words, names, name);
}
/* Removes all texts and keeps the memory. */
void words_clear(struct words *words);
void words_free(struct words *words);

static inline struct spoor_slice words_text(const struct words *words, size_t number)
{
    const uint32_t from = number ? words->ends[number - 1] : 0;
    return (struct spoor_slice){words->bytes.bytes + from, words->ends[number] - from};
}

#endif
