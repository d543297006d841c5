/* SPDX-License-Identifier: MIT */
/*
 * resolve.c: prints libspoor's results for addresses, for tests to compare.  `resolve IMAGE` reads
 * hexadecimal addresses and prints a line for each, of fields separated by tabs: symbol, function,
 * offset, code, subprogram, file, line, then function, file and line of each inlined call.
 * `resolve IMAGE THREADS` queries from several threads at once and prints the results of the first.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "spoor/image.h"

enum { THREADS_MAXIMUM = 16 };

struct question {
    struct spoor_images *images;
    const uint64_t *addresses;
    size_t count;
    struct spoor_place *places;
};

static void *ask(void *context)
{
    struct question *question = context;
    for (size_t i = 0; i < question->count; i++)
        spoor_images_resolve(question->images, question->addresses[i], &question->places[i]);
    return NULL;
}

static const char *word(const char *text)
{
    return text ? text : "-";
}

static void print(const struct spoor_place *place)
{
    printf("%s\t%s\t%" PRIx64 "\t%d\t%s\t%s\t%u", word(place->symbol), word(place->function),
           place->offset, (int)place->code, word(place->subprogram), word(place->file),
           place->line);
    for (size_t i = 0; i < place->inlined_count; i++)
        printf("\t%s\t%s\t%u", word(place->inlined[i].function), word(place->inlined[i].file),
               place->inlined[i].line);
    putchar('\n');
}

static uint64_t *read_addresses(size_t *count)
{
    size_t capacity = 0;
    uint64_t *addresses = NULL;
    char line[64];
    for (*count = 0; fgets(line, sizeof line, stdin); (*count)++) {
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            addresses = realloc(addresses, capacity * sizeof *addresses);
            if (!addresses) abort();
        }
        addresses[*count] = strtoull(line, NULL, 16);
    }
    return addresses;
}

/* Compares the results of two threads: equal strings must be one string. */
static int differ(const struct question *a, const struct question *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct spoor_place *left = &a->places[i], *right = &b->places[i];
        if (left->function != right->function || left->source != right->source ||
            left->offset != right->offset || left->inlined_count != right->inlined_count)
            return 1;
    }
    return 0;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct question questions[THREADS_MAXIMUM];
    pthread_t threads[THREADS_MAXIMUM];
    struct spoor_images *images;
    if (count < 2 || spoor_images_new(&images, &error) != SPOOR_OK ||
        spoor_images_add(images, words[1], &error) != SPOOR_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    size_t asked = 0;
    uint64_t *addresses = read_addresses(&asked);
    const int several = count > 2 ? atoi(words[2]) : 1;
    if (several < 1 || several > THREADS_MAXIMUM) return 2;
    for (int i = 0; i < several; i++) {
        questions[i] = (struct question){images, addresses, asked,
                                         calloc(asked + 1, sizeof(struct spoor_place))};
        if (pthread_create(&threads[i], NULL, ask, &questions[i]) != 0) return 2;
    }
    int code = 0;
    for (int i = 0; i < several; i++) {
        pthread_join(threads[i], NULL);
        code |= differ(&questions[0], &questions[i]);
    }
    for (size_t i = 0; i < asked; i++) print(&questions[0].places[i]);
    for (int i = 0; i < several; i++) free(questions[i].places);
    free(addresses);
    spoor_images_close(images);
    return code;
}
