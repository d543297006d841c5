/* SPDX-License-Identifier: MIT */
/*
 * say.c: printing, based on write() alone.
 */
#include "say.h"

#include <stddef.h>

long write(int file, const void *bytes, size_t size);

void say_text(const char *text)
{
    size_t size = 0;
    while (text[size]) size++;
    write(1, text, size);
}

void say_number(uint64_t number)
{
    char digits[21];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    say_text(first);
}
