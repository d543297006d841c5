/* SPDX-License-Identifier: MIT */
/*
 * sort.c: quicksort of 128 numbers; prints whether they are sorted, a checksum, and every 16th.
 */
#include "say.h"

enum { COUNT = 128 };

static uint32_t numbers[COUNT];

static void fill(void)
{
    uint64_t state = 2011;
    for (int i = 0; i < COUNT; i++) numbers[i] = next_number(&state) % 10000;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Hoare's partition: returns the last index of the lower part. */
static int partition(int first, int last)
{
    uint32_t pivot = numbers[first + (last - first) / 2];
    int i = first - 1, j = last + 1;
    for (;;) {
        do i++;
        while (numbers[i] < pivot);
        do j--;
        while (numbers[j] > pivot);
        if (i >= j) return j;
        swap(&numbers[i], &numbers[j]);
    }
}

static void sort(int first, int last)
{
    if (first >= last) return;
    int middle = partition(first, last);
    sort(first, middle);
    sort(middle + 1, last);
}

int main(void)
{
    fill();
    sort(0, COUNT - 1);
    uint64_t checksum = 0;
    int sorted = 1;
    for (int i = 0; i < COUNT; i++) {
        checksum = checksum * 31 + numbers[i];
        if (i && numbers[i - 1] > numbers[i]) sorted = 0;
    }
    say_text(sorted ? "sorted, checksum " : "NOT SORTED, checksum ");
    say_number(checksum);
    for (int i = 0; i < COUNT; i += 16) {
        say_text(i ? " " : "\n");
        say_number(numbers[i]);
    }
    say_text("\n");
    return 0;
}
