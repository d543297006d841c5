/* SPDX-License-Identifier: MIT */
/* forever.c: says which process it is, and goes on. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    volatile long count = 0;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    for (;;) count++;
}
