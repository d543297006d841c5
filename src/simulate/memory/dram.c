/* SPDX-License-Identifier: MIT */
/* dram.c: the times of banks and buses of DRAM. */
#include "simulate/memory/dram.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };
#define NO_ROW UINT64_MAX

struct dram_device {
    const char *name;
    uint32_t tck, bits, transfers;                              /* ps; of a channel; in a clock */
    uint32_t groups, banks, row;                                /* banks of a group; row: bytes */
    uint32_t cl, cwl, rcd, rp, ras, ccd_s, ccd_l, wtr, rtp, wr; /* clocks */
    uint32_t refi, rfc;                                         /* ns */
};
static const struct dram_device devices[] = {
#define DRAM(...) {__VA_ARGS__},
#include "simulate/memory/dram.def"
#undef DRAM
};
enum { DEVICES = sizeof devices / sizeof *devices };

/* Times are in picoseconds. */

/* An access of a bank, and the bank after it. */
struct dram_visit {
    uint64_t asked;     /* when it was asked for */
    uint64_t start;     /* of its first command */
    uint64_t row;       /* the open one */
    uint64_t activate;  /* the next may be activated, */
    uint64_t column;    /* a column of the open row read or written, */
    uint64_t precharge; /* the open row closed, from these moments on */
    uint64_t refresh;   /* number of the last refresh that the bank has seen */
    bool opened;        /* its row was not open, */
    bool closed;        /* nor was another one */
};
/* The last accesses, by their starts.  Requests are not made in the order of time: the data of a
 * load that walks page tables are asked for before earlier requests of other loads and cores. */
enum { VISITS = 8 };
struct dram_bank {
    struct dram_visit visits[VISITS];
    uint32_t count;
};
static const struct dram_visit unvisited = {.row = NO_ROW};
/* A transfer of a block: the moment of its command of a column, and the first of its data. */
struct dram_transfer {
    uint64_t column, begin;
    uint32_t group; /* of banks, by rank */
    bool write;
};
enum { RECENT = 64 };
struct dram_channel {
    /* The last transfers, some of which are yet to come: what is asked for later may be served
     * before them. */
    struct dram_transfer recent[RECENT];
    uint32_t made;           /* transfers so far, modulo 2 to the 32 */
    struct dram_bank *banks; /* by rank, bank group and bank */
    uint64_t *queue;         /* addresses of writes that wait, the oldest first */
    uint32_t queued;
};
struct dram {
    struct dram_setup setup;
    const struct dram_device *device;
    uint64_t burst; /* ps of a block on the bus */
    struct dram_channel *channels;
};

/* ---- addresses ---- */

struct dram_place {
    uint32_t channel, group, bank, rank; /* group and bank: numbers in the channel */
    uint64_t row;
};

/* Takes the lowest number below `count`, a power of two, from an address. */
static uint32_t dram_take(uint64_t *address, uint32_t count)
{
    const uint32_t found = (uint32_t)*address & (count - 1);
    *address >>= __builtin_ctz(count);
    return found;
}

static struct dram_place dram_place_of(const struct dram *dram, uint64_t address)
{
    const struct dram_device *device = dram->device;
    struct dram_place place;
    address /= BLOCK;
    place.channel = dram_take(&address, dram->setup.channels);
    const uint32_t group = dram_take(&address, device->groups);
    const uint32_t bank = dram_take(&address, device->banks);
    dram_take(&address, device->row / BLOCK);
    place.rank = dram_take(&address, dram->setup.ranks);
    place.row = address; /* of any size: what differs in it is no hit */
    place.group = place.rank * device->groups + group;
    place.bank = place.group * device->banks + bank;
    return place;
}

/* ---- one access ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool dram_is_near(uint64_t one, uint64_t other, uint64_t distance)
{
    return one < other + distance && other < one + distance;
}

/* The first moment from `column` on at which the channel and the group of banks can take the
 * command of a column whose data begin `latency` later, and the bus its data. */
static uint64_t dram_find_column(const struct dram *dram, const struct dram_channel *channel,
                                 uint64_t column, uint64_t latency, uint32_t group, bool write)
{
    const struct dram_device *device = dram->device;
    const uint64_t tck = device->tck, burst = dram->burst;
    const uint32_t count = channel->made < RECENT ? channel->made : RECENT;
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < count; i++) {
            const struct dram_transfer *other = &channel->recent[i];
            const uint64_t clocks = other->group == group ? device->ccd_l : device->ccd_s;
            const uint64_t before = column;
            const uint64_t turned = other->begin + burst + device->wtr * tck;
            if (dram_is_near(column, other->column, clocks * tck))
                column = other->column + clocks * tck;
            if (dram_is_near(column + latency, other->begin, burst))
                column = other->begin + burst - latency;
            if (!write && other->write && column >= other->column && column < turned)
                column = turned;
            moved |= column != before;
        }
    }
    return column;
}

/* A visit of a bank between two others. */
struct dram_plan {
    struct dram_visit visit;
    uint64_t column;
};

static struct dram_plan dram_plan_after(const struct dram *dram, const struct dram_channel *channel,
                                        const struct dram_visit *before, uint64_t at,
                                        const struct dram_place *place, bool write)
{
    const struct dram_device *device = dram->device;
    const uint64_t tck = device->tck, interval = UINT64_C(1000) * device->refi;
    const uint64_t latency = (write ? device->cwl : device->cl) * tck;
    struct dram_visit visit = *before;
    visit.asked = at;
    if (at / interval > visit.refresh) { /* it has closed the row */
        visit.refresh = at / interval;
        visit.row = NO_ROW;
        visit.activate =
            later(visit.activate, visit.refresh * interval + UINT64_C(1000) * device->rfc);
    }
    visit.opened = visit.row != place->row;
    visit.closed = visit.row == NO_ROW;
    uint64_t column = later(at, visit.column);
    if (visit.opened) {
        uint64_t activate = later(at, visit.activate);
        if (!visit.closed)
            activate = later(activate, later(at, visit.precharge) + device->rp * tck);
        visit.start = visit.closed ? activate : activate - device->rp * tck;
        visit.row = place->row;
        visit.precharge = activate + device->ras * tck;
        column = activate + device->rcd * tck;
    }
    column = dram_find_column(dram, channel, column, latency, place->group, write);
    if (!visit.opened) visit.start = column;
    const uint64_t end = column + latency + dram->burst;
    visit.column = column + device->ccd_l * tck;
    visit.precharge =
        later(visit.precharge, write ? end + device->wr * tck : column + device->rtp * tck);
    if (dram->setup.closes) {
        visit.row = NO_ROW;
        visit.activate = visit.precharge + device->rp * tck;
    }
    return (struct dram_plan){visit, column};
}

/* True if the bank is ready again for what it does next. */
static bool dram_fits(const struct dram *dram, const struct dram_visit *visit,
                      const struct dram_visit *next)
{
    if (!next->opened) return !visit->opened && visit->column <= next->start;
    return visit->precharge + (next->closed ? dram->device->rp * (uint64_t)dram->device->tck : 0) <=
           next->start;
}

/* Before the visits that were asked for later, if there is time enough, else after them. */
static struct dram_plan dram_visit_bank(const struct dram *dram, const struct dram_channel *channel,
                                        struct dram_bank *bank, uint64_t at,
                                        const struct dram_place *place, bool write)
{
    struct dram_visit *visits = bank->visits;
    uint32_t i = bank->count == VISITS; /* what was before the oldest is forgotten */
    while (i < bank->count && visits[i].asked <= at) i++;
    struct dram_plan plan;
    for (;; i++) {
        plan = dram_plan_after(dram, channel, i ? &visits[i - 1] : &unvisited, at, place, write);
        if (i == bank->count || dram_fits(dram, &plan.visit, &visits[i])) break;
    }
    if (bank->count == VISITS) {
        memmove(visits, visits + 1, (VISITS - 1) * sizeof *visits);
        bank->count--;
        i--;
    }
    memmove(visits + i + 1, visits + i, (bank->count - i) * sizeof *visits);
    visits[i] = plan.visit;
    bank->count++;
    return plan;
}

/* Accesses a bank from a moment on; returns the moment of the last data. */
static uint64_t dram_serve(const struct dram *dram, struct dram_channel *channel, uint64_t at,
                           uint64_t address, bool write, struct dram_counts *counts)
{
    const struct dram_device *device = dram->device;
    const struct dram_place place = dram_place_of(dram, address);
    const uint64_t latency = (write ? device->cwl : device->cl) * (uint64_t)device->tck;
    const struct dram_plan plan =
        dram_visit_bank(dram, channel, &channel->banks[place.bank], at, &place, write);
    channel->recent[channel->made++ % RECENT] =
        (struct dram_transfer){.column = plan.column,
                               .begin = plan.column + latency,
                               .group = place.group,
                               .write = write};
    ++*(!plan.visit.opened  ? &counts->row_hits
        : plan.visit.closed ? &counts->row_misses
                            : &counts->row_conflicts);
    ++*(write ? &counts->writes : &counts->reads);
    return plan.column + latency + dram->burst;
}

static uint64_t dram_time_of(const struct dram *dram, uint64_t cycle)
{
    return cycle * UINT64_C(1000000) / dram->setup.megahertz;
}

uint64_t dram_access(const struct dram *dram, uint64_t at, uint64_t address, bool write,
                     struct dram_counts *counts)
{
    struct dram_channel *channel = &dram->channels[dram_place_of(dram, address).channel];
    const uint64_t time = dram_time_of(dram, at);
    if (!write) {
        const uint64_t end = dram_serve(dram, channel, time, address, false, counts);
        /* the first cycle that begins with or after the last data */
        const uint64_t done = (end * dram->setup.megahertz + UINT64_C(999999)) / UINT64_C(1000000);
        counts->read_cycles += done - at;
        return done;
    }
    if (dram->setup.queue == 0) {
        dram_serve(dram, channel, time, address, true, counts);
        return at;
    }
    channel->queue[channel->queued++] = address;
    const uint32_t size = dram->setup.queue, low = size * 6 / 8;
    if (channel->queued < size - size / 8) return at;
    const uint32_t drained = channel->queued - low;
    for (uint32_t i = 0; i < drained; i++)
        dram_serve(dram, channel, time, channel->queue[i], true, counts);
    for (uint32_t i = 0; i < low; i++) channel->queue[i] = channel->queue[i + drained];
    channel->queued = low;
    return at;
}

/* ---- construction ---- */

static void dram_restart_channel(const struct dram *dram, struct dram_channel *channel)
{
    const size_t banks = (size_t)dram->setup.ranks * dram->device->groups * dram->device->banks;
    channel->made = 0;
    for (size_t bank = 0; bank < banks; bank++) channel->banks[bank].count = 0;
}

void dram_restart(struct dram *dram)
{
    for (size_t i = 0; i < dram->setup.channels; i++)
        dram_restart_channel(dram, &dram->channels[i]);
}

struct dram *dram_new(const struct dram_setup *setup)
{
    struct dram *dram = calloc(1, sizeof *dram);
    if (!dram) return NULL;
    const struct dram_device *device = &devices[setup->device];
    const size_t banks = (size_t)setup->ranks * device->groups * device->banks;
    dram->setup = *setup;
    dram->device = device;
    const uint32_t transfers = BLOCK * 8 / device->bits;
    dram->burst = (uint64_t)device->tck * transfers / device->transfers;
    dram->channels = calloc(setup->channels, sizeof *dram->channels);
    bool good = dram->channels;
    for (size_t i = 0; good && i < setup->channels; i++) {
        struct dram_channel *channel = &dram->channels[i];
        channel->banks = calloc(banks, sizeof *channel->banks);
        channel->queue = calloc(setup->queue + (size_t)1, sizeof *channel->queue);
        good = channel->banks && channel->queue;
        if (good) dram_restart_channel(dram, channel);
    }
    if (good) return dram;
    dram_free(dram);
    return NULL;
}

void dram_free(struct dram *dram)
{
    if (!dram) return;
    for (size_t i = 0; dram->channels && i < dram->setup.channels; i++) {
        free(dram->channels[i].banks);
        free(dram->channels[i].queue);
    }
    free(dram->channels);
    free(dram);
}
