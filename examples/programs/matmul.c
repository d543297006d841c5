/* SPDX-License-Identifier: MIT */
/*
 * matmul.c: the product of two 12 x 12 matrices of integers; prints its trace and a checksum.
 */
#include "say.h"

enum { SIZE = 12 };

typedef int64_t matrix[SIZE][SIZE];

static matrix left, right, product;

static void fill(matrix to, uint64_t seed)
{
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++)
            to[row][column] = (int64_t)(next_number(&seed) % 1000) - 500;
}

static void multiply(void)
{
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            int64_t sum = 0;
            for (int i = 0; i < SIZE; i++) sum += left[row][i] * right[i][column];
            product[row][column] = sum;
        }
}

int main(void)
{
    fill(left, 1);
    fill(right, 2);
    multiply();
    uint64_t checksum = 0, trace = 0;
    for (int row = 0; row < SIZE; row++) {
        trace += (uint64_t)product[row][row];
        for (int column = 0; column < SIZE; column++)
            checksum = checksum * 31 + (uint64_t)product[row][column];
    }
    say_text("trace ");
    say_number(trace);
    say_text(", checksum ");
    say_number(checksum);
    say_text("\n");
    return 0;
}
