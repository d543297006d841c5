/* SPDX-License-Identifier: MIT */
/* patterns.c: prints a trace of Pin (pinatrace) for tests of plug-ins: reads and writes of eight
 * instructions: strides, patterns of strides, dense regions, lists, a set that is used again and
 * again; in an order that changes.  Peers were run on the same trace. */
#include <inttypes.h>
#include <stdio.h>

static uint64_t seed = 1;
static uint64_t draw(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

int main(void)
{
    static const int complex[] = {1, 3, 1, 5, -2, 4};
    uint64_t at[8] = {0};
    for (int i = 0; i < 8; i++) at[i] = UINT64_C(0x10000000) * (uint64_t)(i + 1);
    for (unsigned step = 0; step < 12000; step++) {
        const unsigned phase = step / 2000 % 3;
        const unsigned count = 8 + (unsigned)draw(16), who = (unsigned)draw(8);
        const uint64_t pc = 0x400000 + who * 0x24;
        if (draw(400) == 0) at[who] = UINT64_C(0x10000000) * (who + 1) + draw(1 << 14) * 4096;
        for (unsigned i = 0; i < count; i++) {
            switch (who) {
            case 0: at[0] += 64; break;
            case 1: at[1] += phase == 1 ? 3 * 64 : 2 * 64; break;
            case 2: at[2] -= 64 * (1 + phase); break;
            case 3: at[3] += (uint64_t)(int64_t)(complex[i % 6] * 64); break;
            case 4:
                at[4] = 0x50000000 + (at[4] >> 12) % 1024 * 4096 + draw(64) * 64;
                if (i == 0) at[4] += 4096;
                break;
            case 5: at[5] = 0x60000000 + draw(1 << 20) * 64; break;
            case 6:
                at[6] = 0x70000000 + (at[6] - 0x70000000 + 64) % (phase == 2 ? 1 << 20 : 1 << 18);
                break;
            default: at[7] += 8; break;
            }
            printf("0x%" PRIx64 ": %c 0x%" PRIx64 "\n", pc + (who == 4 ? i % 4 * 8 : 0),
                   draw(10) ? 'R' : 'W', at[who]);
        }
    }
}
