/* SPDX-License-Identifier: MIT */
/* bus.c: names of what a bus transaction states. */
#include "model/bus.h"

const char *bus_agent_name(uint8_t agent)
{
#define TEN(tens)                                                                             \
    tens "0", tens "1", tens "2", tens "3", tens "4", tens "5", tens "6", tens "7", tens "8", \
        tens "9"
#define HUNDRED(hundreds)                                                                          \
    TEN(hundreds "0"), TEN(hundreds "1"), TEN(hundreds "2"), TEN(hundreds "3"), TEN(hundreds "4"), \
        TEN(hundreds "5"), TEN(hundreds "6"), TEN(hundreds "7"), TEN(hundreds "8"),                \
        TEN(hundreds "9")
    static const char names[][4] = {TEN(""),  TEN("1"), TEN("2"),     TEN("3"),
                                    TEN("4"), TEN("5"), TEN("6"),     TEN("7"),
                                    TEN("8"), TEN("9"), HUNDRED("1"), HUNDRED("2")};
    return names[agent];
#undef TEN
#undef HUNDRED
}

const uint8_t bus_cacheability_of_control[16] = {
    BUS_CACHEABILITIES,   BUS_CACHEABILITIES,     BUS_CACHEABILITIES, BUS_CACHEABILITIES,
    BUS_CACHEABILITIES,   BUS_CACHEABILITIES,     BUS_CACHEABILITIES, BUS_CACHEABILITIES,
    [8] = BUS_CACHEABLE,  [9] = BUS_UNCACHEABLE,  BUS_CACHEABILITIES, BUS_CACHEABILITIES,
    [12] = BUS_CACHEABLE, [13] = BUS_UNCACHEABLE, BUS_CACHEABILITIES, BUS_CACHEABILITIES,
};

const char *bus_cacheability_word(enum bus_cacheability cacheability)
{
    static const char *const words[] = {
        [BUS_UNCACHEABLE] = "uncacheable",     [BUS_WRITE_THROUGH] = "write through",
        [BUS_WRITE_PROTECT] = "write protect", [BUS_WRITE_BACK] = "write back",
        [BUS_CACHEABLE] = "cacheable",         [BUS_CACHEABILITIES] = "",
    };
    return words[cacheability];
}
