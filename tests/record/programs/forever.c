/* SPDX-License-Identifier: MIT */
/* forever.c: prints its process id and runs for ever. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    volatile long count = 0;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    for (;;) count++;
}
