/* SPDX-License-Identifier: MIT */
/* bus.c: rules about requests at the processor's pins: the BYU analysers' records and Tarmac's B.
 */
#include <inttypes.h>

#include "check/rule.h"

enum {
    BLOCK = 8,             /* width of the Pentium bus in bytes */
    WRITE_BACK = 3,        /* largest documented attribute */
    LAST_AGENT = 15,       /* P6: one bit of agent type and three bits of agent id */
    NOTHING_ENABLED = 0xFF /* byte enables are low-active */
};
#define SENTINEL UINT32_C(0xFFFFFFFF)

/* True if a logic analyser recorded the fields: its requests have a type or a control byte.  Of
 * other buses these rules are not. */
static bool bus_has_given(const struct context *context, unsigned fields)
{
    const unsigned given = context->record->bus.given;
    return (given & fields) == fields && given & (SPOOR_BUS_GIVEN_TYPE | SPOOR_BUS_GIVEN_CONTROL);
}

static void bus_feed_type(struct context *context)
{
    if (context->record->op != SPOOR_BUS_UNDEFINED) return;
    context_found(context, "%s %02x",
                  bus_has_given(context, SPOOR_BUS_GIVEN_CONTROL) ? "control byte" : "type",
                  context->record->bus.code);
    context_expected(context, "a request that the format's document defines");
}
EXAMINE_BLOCK(bus_feed_type)
const struct rule rule_bus_type = {
    .info = {"bus-type", "the request type or control byte is defined",
             "byu-6byte: Control Field (0 2 4 6 10 11 are invalid); byu-12byte: byutr.h",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_type_block,
};

static void bus_feed_reserved(struct context *context)
{
    uint8_t control = context->record->bus.code;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_CONTROL) || !(control & 15)) return;
    context_found(context, "control byte %02x", control);
    context_expected(context, "%02x: the low four bits are unused", control & 0xF0);
}
EXAMINE_BLOCK(bus_feed_reserved)
const struct rule rule_bus_reserved = {
    .info = {"bus-reserved", "the low four bits of a control byte are zero",
             "byu-6byte: Control Field, only the upper four bits contain useful information",
             SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_reserved_block,
};

static void bus_feed_size(struct context *context)
{
    uint16_t size = context->record->bus.size;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_TYPE)) return;
    if (size <= BLOCK || size == 16 || size == 32) return;
    context_found(context, "size %u", size);
    context_expected(context, "0 to 8, 16 or 32 bytes");
}
EXAMINE_BLOCK(bus_feed_size)
const struct rule rule_bus_size = {
    .info = {"bus-size", "a request transfers at most 8 bytes (v1.0), or 16 or 32 (v1.1)",
             "byu-12byte: v1.1, size field", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_size_block,
};

static bool bus_moves_data(enum spoor_bus_op op)
{
    return op >= SPOOR_BUS_FETCH && op <= SPOOR_BUS_IO_WRITE;
}

/* What a trace states of some requests of an operation, it states of all: one that was converted
 * from a format without sizes of data, or without times, has none. */
struct statement_counts {
    uint32_t ops; /* bit: enum spoor_bus_op, of which a record before this one states it */
};
_Static_assert(SPOOR_BUS_OPS <= 32, "a bit for each operation");

/* True if a record of the operation stated it, this one included if it `states` it. */
static bool bus_was_stated(struct context *context, bool states)
{
    struct statement_counts *stated = context->state;
    const uint32_t op = UINT32_C(1) << context->record->op;
    stated->ops |= states ? op : 0;
    return stated->ops & op;
}

static void bus_feed_size_type(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_TYPE) || !bus_moves_data(record->op)) return;
    if (!bus_was_stated(context, record->bus.size > 0) || record->bus.size) return;
    context_found(context, "%s of 0 bytes", spoor_op_name(record));
    context_expected(context, "a size: the request transfers data");
}
EXAMINE_BLOCK(bus_feed_size_type)
const struct rule rule_bus_size_type = {
    .info = {"bus-size-type", "a fetch, read or write has a size, once one of its kind has",
             "byu-12byte: Size Field (published traces: only deferred replies have 0)",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_size_type_block,
    .state_size = sizeof(struct statement_counts),
};

static void bus_feed_alignment(struct context *context)
{
    const struct spoor_bus *bus = &context->record->bus;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_TYPE) || !bus_moves_data(context->record->op))
        return;
    if (bus->size < BLOCK || bus->address % BLOCK == 0) return;
    context_found(context, "%u bytes at %08" PRIx64, bus->size, bus->address);
    context_expected(context, "an address that is a multiple of %d", BLOCK);
}
EXAMINE_BLOCK(bus_feed_alignment)
const struct rule rule_bus_alignment = {
    .info = {"bus-alignment", "a transfer of 8 bytes or more begins at a multiple of 8",
             "the bus is 8 bytes wide; the published Pentium II trace has 36 others",
             SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_alignment_block,
};

static bool bus_is_sentinel(uint64_t delta)
{
    return delta == SENTINEL || delta == UINT64_MAX;
}

static void bus_feed_delta(struct context *context)
{
    struct statement_counts *deltas = context->state; /* of any operation */
    const uint64_t delta = context->record->bus.delta;
    const bool sentinel = bus_is_sentinel(delta);
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_DELTA)) return;
    deltas->ops |= !sentinel;
    if (delta <= INT32_MAX || (sentinel && !deltas->ops)) return;
    context_found(context, "delta %08" PRIx64, delta);
    context_expected(context, sentinel ? "the sentinel before all deltas only"
                                       : "fewer than 80000000 clock ticks since the last request");
}
EXAMINE_BLOCK(bus_feed_delta)
const struct rule rule_bus_delta = {
    .info = {"bus-delta", "deltas are below 80000000; FFFFFFFF stands before all of them only",
             "byu-12byte: Time Field; published: the first is a sentinel, joined traces have one "
             "at each seam",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_delta_block,
    .state_size = sizeof(struct statement_counts),
};

static void bus_feed_delta_zero(struct context *context)
{
    struct statement_counts *times = context->state; /* of any operation */
    const uint64_t delta = context->record->bus.delta;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_DELTA)) return;
    if (delta == 0 && times->ops) {
        context_found(context, "delta 0");
        context_expected(context, "1 or more: one request at a time is on the bus");
    }
    times->ops |= delta != 0 && !bus_is_sentinel(delta);
}
EXAMINE_BLOCK(bus_feed_delta_zero)
const struct rule rule_bus_delta_zero = {
    .info = {"bus-delta-zero", "two requests do not share a clock tick, once the trace has time",
             "byu-12byte: Time Field (published traces: 7 and more; joined traces tie)",
             SPOOR_SEVERITY_NOTE, false},
    .kinds = KIND(BUS),
    .feed = bus_feed_delta_zero_block,
    .state_size = sizeof(struct statement_counts),
};

static void bus_feed_attribute(struct context *context)
{
    unsigned attribute = context->record->bus.attr & 0xFFu;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_ATTRIBUTE) || attribute <= WRITE_BACK) return;
    context_found(context, "attribute %02x", attribute);
    context_expected(context, "00 to %02x: only two bits are documented", WRITE_BACK);
}
EXAMINE_BLOCK(bus_feed_attribute)
const struct rule rule_bus_attribute = {
    .info = {"bus-attribute", "the attribute byte uses only its two documented bits",
             "byu-12byte: Attribute Field; the published Pentium II trace has 15 others",
             SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_attribute_block,
};

static void bus_feed_agent(struct context *context)
{
    uint8_t agent = context->record->bus.agent;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_AGENT) || agent <= LAST_AGENT) return;
    context_found(context, "agent %u", agent);
    context_expected(context, "0 to %d", LAST_AGENT);
}
EXAMINE_BLOCK(bus_feed_agent)
const struct rule rule_bus_agent = {
    .info = {"bus-agent", "the processor or agent id is 0 to 15",
             "byu-12byte: Processor Field; the P6 bus has an agent type and a three-bit id",
             SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_agent_block,
};

static void bus_feed_lane_address(struct context *context)
{
    uint64_t address = context->record->bus.address;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_ENABLES) || address % BLOCK == 0) return;
    context_found(context, "address %08" PRIx64, address);
    context_expected(context,
                     "an address whose low three bits are 0: the byte enables replace them");
}
EXAMINE_BLOCK(bus_feed_lane_address)
const struct rule rule_bus_lane_address = {
    .info = {"bus-lane-address", "an address with byte enables is a multiple of 8",
             "byu-6byte: Byte Enable Field", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_lane_address_block,
};

static void bus_feed_enables(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (!bus_has_given(context, SPOOR_BUS_GIVEN_ENABLES) || !bus_moves_data(record->op)) return;
    uint8_t enables = record->bus.enables;
    const bool states = bus_was_stated(context, enables != NOTHING_ENABLED);
    if (enables == NOTHING_ENABLED) {
        if (!states) return;
    } else {
        const unsigned lanes = ~(unsigned)enables & 0xFFu;
        const unsigned run = lanes / (lanes & -lanes); /* shifted down to lane 0 */
        if ((run & (run + 1)) == 0) return;
    }
    context_found(context, "byte enables %02x", enables);
    context_expected(context, "one run of 0 bits, which are the requested bytes");
}
EXAMINE_BLOCK(bus_feed_enables)
const struct rule rule_bus_enables = {
    .info = {"bus-enables",
             "a fetch, read or write requests one or more contiguous bytes, "
             "once one of its kind does",
             "byu-6byte: Byte Enable Field", SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(BUS),
    .feed = bus_feed_enables_block,
    .state_size = sizeof(struct statement_counts),
};
