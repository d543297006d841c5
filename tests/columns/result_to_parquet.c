/* SPDX-License-Identifier: MIT */
/*
 * result_to_parquet.c: writes a table whose cells have all types, or, with the word `pairs`, a
 * result without a table, to standard output as Parquet, through the public interface alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spoor/result.h"

static struct spoor_result *make_table(void)
{
    struct spoor_result *rows = spoor_result_new_array();
    for (unsigned i = 0; i < 3; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "count", UINT64_MAX - i);
        spoor_result_hex(row, "address", UINT64_C(0x8000000000000000) + i);
        spoor_result_signed(row, "offset", -(int64_t)i);
        spoor_result_real(row, "share", i / 3.0, 3);
        spoor_result_bool(row, "taken", i == 1);
        spoor_result_bytes(row, "name", "a\nb", i);
        if (i == 2) spoor_result_unsigned(row, "late", 7);
        if (i == 0)
            spoor_result_text(row, "mixed", "none");
        else
            spoor_result_unsigned(row, "mixed", i);
        spoor_result_null(row, "nothing");
    }
    return rows;
}

static struct spoor_result *make_pairs(void)
{
    struct spoor_result *root = spoor_result_new_object();
    spoor_result_unsigned(root, "records", 12);
    spoor_result_hex(spoor_result_object(root, "addresses"), "min", 0x1000);
    return root;
}

int main(int count, char **words)
{
    struct spoor_result *result =
        count > 1 && strcmp(words[1], "pairs") == 0 ? make_pairs() : make_table();
    size_t size = 0;
    char *bytes = spoor_result_to_parquet(result, &size);
    const int code = bytes && fwrite(bytes, size, 1, stdout) == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
    free(bytes);
    spoor_result_free(result);
    return code;
}
