/* SPDX-License-Identifier: MIT */
/* forever.c: says that it runs, and goes on. */
#include <unistd.h>

int main(void)
{
    volatile long count = 0;
    if (write(STDOUT_FILENO, "on\n", 3) != 3) return 1;
    for (;;) count++;
}
