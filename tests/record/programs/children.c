/* SPDX-License-Identifier: MIT */
/* children.c: a forked child computes and is not recorded; the parent closes every descriptor. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    if (fork() == 0) {
        volatile int sum = 0;
        for (int i = 0; i < 1000; i++) sum += i & 1;
        _exit(3);
    }
    wait(&status);
    printf("child %d\n", WEXITSTATUS(status));
    for (int descriptor = 3; descriptor < 256; descriptor++) close(descriptor);
    puts("parent");
    return 7;
}
