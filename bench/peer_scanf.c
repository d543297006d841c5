/* SPDX-License-Identifier: MIT */
/*
 * peer_scanf.c: the reader of a course, for comparison: one fscanf of 14 conversions for each line
 * of a micro-op trace on standard input, and the counts that the published skeleton prints.
 */
#include <stdio.h>

int main(void)
{
    char flags, branch, ldst, macro[12], micro[23];
    int step, src1, src2, dest;
    long long immediate;
    unsigned long long pc, address, fall, target;
    unsigned long long micro_ops = 0, macro_ops = 0;
    while (fscanf(stdin, "%i %llx %d %d %d %c %c %c %lld %llx %llx %llx %11s %22s", &step, &pc,
                  &src1, &src2, &dest, &flags, &branch, &ldst, &immediate, &address, &fall, &target,
                  macro, micro) == 14) {
        micro_ops++;
        macro_ops += step == 1;
    }
    printf("Micro-ops: %llu\nMacro-ops: %llu\n", micro_ops, macro_ops);
    return 0;
}
