/* SPDX-License-Identifier: MIT */
/* compare LEFT RIGHT: where two traces differ, and the first difference side by side. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

static enum spoor_status next(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error)
{
    struct spoor_reader *reader = context;
    return spoor_reader_next(reader, batch, error);
}

static void print_row(void *context, const struct spoor_diff_row *row)
{
    const char *indent = row->effect ? "    " : "";
    (void)context;
    printf("%s%-*s %c %s%s\n", indent, row->effect ? 32 : 36, row->sides[0], row->mark, indent,
           row->sides[1]);
}

/* Prints each root with the fields that differ, then the first difference and its context. */
static void print_differences(const struct spoor_diff *diff)
{
    struct spoor_difference difference = {.struct_size = sizeof difference};
    struct spoor_difference_field field = {.struct_size = sizeof field};
    for (size_t i = 0; spoor_diff_difference(diff, i, &difference); i++) {
        if (difference.consequence) continue;
        printf("records %" PRIu64 " and %" PRIu64 ": %s\n", difference.record[0],
               difference.record[1], spoor_diff_class_what(difference.kind));
        for (unsigned n = 0; spoor_diff_field(diff, i, n, &field); n++)
            printf("  %s\n", field.words);
    }
    spoor_diff_rows(diff, 0, print_row, NULL);
}

static enum spoor_status compare(struct spoor_reader *const readers[2], struct spoor_error *error)
{
    struct spoor_diff *diff;
    struct spoor_diff_input inputs[2];
    enum spoor_status status = spoor_diff_new(&diff, NULL, error);
    if (status != SPOOR_OK) return status;
    for (unsigned i = 0; i < 2; i++)
        inputs[i] = (struct spoor_diff_input){next, readers[i], spoor_reader_stream(readers[i])};
    status = spoor_diff_run(diff, inputs, error);
    if (status == SPOOR_OK) printf("%s\n", spoor_verdict_name(spoor_diff_verdict(diff)));
    if (status == SPOOR_OK) print_differences(diff);
    spoor_diff_free(diff);
    return status;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct spoor_reader *readers[2] = {NULL, NULL};
    if (count != 3) {
        fprintf(stderr, "usage: compare LEFT RIGHT\n");
        return 2;
    }
    enum spoor_status status = spoor_reader_open(&readers[0], words[1], NULL, &error);
    if (status == SPOOR_OK) status = spoor_reader_open(&readers[1], words[2], NULL, &error);
    if (status == SPOOR_OK) status = compare(readers, &error);
    for (unsigned i = 0; i < 2; i++) spoor_reader_close(readers[i]);
    if (status == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
