/* SPDX-License-Identifier: MIT */
/* busy.c: sorting, recursion and printing; exits with 2 more than its number of arguments. */
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int count, char **words)
{
    int numbers[100];
    char line[64];
    (void)words;
    for (int i = 0; i < 100; i++) numbers[i] = (i * 7919) % 101;
    qsort(numbers, 100, sizeof *numbers, compare);
    snprintf(line, sizeof line, "%d %.3f %d\n", numbers[50], numbers[3] / 7.0, fibonacci(12));
    fputs(line, stdout);
    return count + 2;
}
