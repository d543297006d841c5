/* SPDX-License-Identifier: MIT */
/* explore TRACE ADDRESS+BYTES RECORD: what was in memory after a record, and who wrote it. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

enum { MAXIMUM = 64 };

/* Prints the bytes at a moment; ".." is one that the trace does not state. */
static enum spoor_status print_bytes(struct spoor_explorer *explorer, const char *text,
                                     uint64_t moment, struct spoor_error *error)
{
    struct spoor_range range;
    struct spoor_byte bytes[MAXIMUM];
    if (!spoor_range_parse(text, &range) || range.size > MAXIMUM) {
        snprintf(error->text, sizeof error->text, "found '%s', expected ADDRESS+BYTES", text);
        return SPOOR_EUSAGE;
    }
    const enum spoor_status status = spoor_explorer_memory(explorer, &range, moment, bytes, error);
    if (status != SPOOR_OK) return status;
    printf("bytes  ");
    for (uint64_t i = 0; i < range.size; i++)
        if (bytes[i].known == SPOOR_BYTE_UNKNOWN)
            printf(" ..");
        else
            printf(" %02x", bytes[i].value);
    printf("\n");
    return SPOOR_OK;
}

/* Prints the last record that wrote any of the bytes before a moment. */
static enum spoor_status print_writer(struct spoor_explorer *explorer, const char *text,
                                      uint64_t moment, struct spoor_error *error)
{
    struct spoor_subject subject;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    char words[128] = "";
    enum spoor_status status = spoor_explorer_subject(explorer, text, 0, moment, &subject, error);
    if (status == SPOOR_OK)
        status = spoor_explorer_last_write(explorer, &subject, moment, &touch, error);
    if (status == SPOOR_END) printf("writer  none\n");
    if (status != SPOOR_OK) return status == SPOOR_END ? SPOOR_OK : status;
    printf("writer  record %" PRIu64 ", value %s", touch.record, touch.value ? touch.value : "?");
    if (touch.has_instruction) {
        printf(", pc %" PRIx64, touch.pc);
        status = spoor_explorer_text(explorer, touch.instruction, words, sizeof words, error);
    }
    printf("  %s\n", words);
    return status;
}

static enum spoor_status answer(char **words, struct spoor_error *error)
{
    struct spoor_index *index = NULL;
    struct spoor_explorer *explorer = NULL;
    const struct spoor_index_options options = {.struct_size = sizeof options, .no_index = true};
    char at[64];
    uint64_t moment;
    snprintf(at, sizeof at, "record:%s", words[2]);
    enum spoor_status status = spoor_index_open(&index, words[0], &options, error);
    if (status == SPOOR_OK) status = spoor_explorer_open(&explorer, words[0], index, NULL, error);
    if (status == SPOOR_OK) status = spoor_explorer_moment(explorer, at, &moment, error);
    if (status == SPOOR_OK) status = print_bytes(explorer, words[1], moment, error);
    if (status == SPOOR_OK) status = print_writer(explorer, words[1], moment, error);
    spoor_explorer_close(explorer);
    spoor_index_close(index);
    return status;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    if (count != 4) {
        fprintf(stderr, "usage: explore TRACE ADDRESS+BYTES RECORD\n");
        return 2;
    }
    if (answer(words + 1, &error) == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
