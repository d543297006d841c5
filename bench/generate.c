/* SPDX-License-Identifier: MIT */
/* generate.c: `generate KIND AMOUNT` writes a trace for measurements to standard output. */
#include "generate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void drain(struct text *out, size_t maximum)
{
    if (out->size < maximum) return;
    if (out->failed || fwrite(out->bytes, 1, out->size, stdout) != out->size) {
        fprintf(stderr, "generate: %s\n", out->failed ? "no memory" : strerror(errno));
        exit(1);
    }
    out->size = 0;
}

static int usage(void)
{
    fputs("usage: generate uop-padded|uop-dense|byu12 RECORDS\n"
          "       generate tarmac|vcd BYTES\n",
          stderr);
    return 2;
}

int main(int count, char **words)
{
    char *end = NULL;
    uint64_t amount = count == 3 ? strtoull(words[2], &end, 10) : 0;
    if (!amount || *end) return usage();
    if (strcmp(words[1], "uop-padded") == 0)
        generate_uop(amount, 1);
    else if (strcmp(words[1], "uop-dense") == 0)
        generate_uop(amount, 0);
    else if (strcmp(words[1], "byu12") == 0)
        generate_byu12(amount);
    else if (strcmp(words[1], "tarmac") == 0)
        generate_tarmac(amount);
    else if (strcmp(words[1], "vcd") == 0)
        generate_vcd(amount);
    else
        return usage();
    return fclose(stdout) == 0 ? 0 : 1;
}
