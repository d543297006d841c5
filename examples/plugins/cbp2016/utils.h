/* SPDX-License-Identifier: MIT */
/* utils.h: what classes of the championship of 2016 need of its kit. */
#ifndef UTILS_H
#define UTILS_H

#include <cassert>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

#define UINT32 unsigned int
#define INT32 int
#define UINT64 unsigned long long
#define COUNTER unsigned long long
#define NOT_TAKEN 0
#define TAKEN 1
#define FAILURE 0
#define SUCCESS 1

/* Classes compute with these numbers. */
typedef enum {
    OPTYPE_OP = 2,
    OPTYPE_RET_UNCOND = 3,
    OPTYPE_JMP_DIRECT_UNCOND = 4,
    OPTYPE_JMP_INDIRECT_UNCOND = 5,
    OPTYPE_CALL_DIRECT_UNCOND = 6,
    OPTYPE_CALL_INDIRECT_UNCOND = 7,
    OPTYPE_RET_COND = 8,
    OPTYPE_JMP_DIRECT_COND = 9,
    OPTYPE_JMP_INDIRECT_COND = 10,
    OPTYPE_CALL_DIRECT_COND = 11,
    OPTYPE_CALL_INDIRECT_COND = 12,
    OPTYPE_ERROR = 13,
    OPTYPE_MAX = 14
} OpType;

static inline UINT32 SatIncrement(UINT32 x, UINT32 max)
{
    return x < max ? x + 1 : x;
}
static inline UINT32 SatDecrement(UINT32 x)
{
    return x > 0 ? x - 1 : x;
}

#endif
