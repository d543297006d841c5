/* SPDX-License-Identifier: MIT */
/* critical.c: critical path and slack; see critical.h. */
#include "simulate/pipeline/critical.h"

#include <stdlib.h>

/* Kinds of edges. */
enum edge {
    EDGE_FETCH,   /* in-order fetch, width, taken branches, full queues */
    EDGE_MISS,    /* an instruction miss */
    EDGE_BRANCH,  /* from a mispredicted branch's result to the next fetch */
    EDGE_SQUASH,  /* fetched again */
    EDGE_ROB,     /* a commit freed an entry of the reorder buffer */
    EDGE_RENAME,  /* from fetch to the earliest issue */
    EDGE_ISSUE,   /* ready, but delayed by the width, units or the address of an older store */
    EDGE_EXECUTE, /* the operation's own latency */
    EDGE_LOAD,    /* the latency of a load */
    EDGE_COMMIT,  /* in-order commit, width */
    EDGES
};
static const char *const edge_names[EDGES] = {
    "fetch", "instruction_miss", "branch", "squash", "rob", "rename",
    "issue", "execute",          "load",   "commit"};

/* A node: its cycle, and the lengths on its path by kind of edge. */
struct node {
    uint64_t cycle;
    uint64_t path[EDGES];
};
/* The nodes of one operation, and its slack. */
struct known {
    struct node fetch, result, commit;
    uint64_t slack; /* the minimum over its consumers so far; UINT64_MAX: none yet */
    bool wrong;
};

enum { SLACKS = 7 }; /* classes of slack: 0, 1, 2-3, 4-7, 8-15, 16-31, 32 and more */
struct critical {
    struct known *known; /* indexed by ordinal */
    uint64_t mask, rob, issue_delay;
    uint64_t count;
    uint64_t squashed; /* 1 + the youngest ordinal that was squashed and has not retired since */
    uint64_t slacks[SLACKS];
};

/* The number of operations that are known: a power of two above those in flight. */
static uint64_t capacity_of(const struct spoor_pipeline_config *config)
{
    uint64_t size = 2;
    while (size <= config->rob) size *= 2;
    return size;
}

uint64_t critical_memory(const struct spoor_pipeline_config *config)
{
    return capacity_of(config) * sizeof(struct known);
}

struct critical *critical_new(const struct spoor_pipeline_config *config)
{
    struct critical *critical = calloc(1, sizeof *critical);
    if (!critical) return NULL;
    const uint64_t size = capacity_of(config);
    critical->mask = size - 1;
    critical->rob = config->rob;
    critical->issue_delay = config->issue_delay;
    critical->known = calloc(size, sizeof *critical->known);
    if (critical->known) return critical;
    critical_free(critical);
    return NULL;
}

static struct known *known_of(const struct critical *critical, uint64_t ordinal)
{
    return &critical->known[ordinal & critical->mask];
}

/* Returns the node in `cycle` that an edge reaches from another node. */
static struct node reach(const struct node *from, enum edge edge, uint64_t cycle)
{
    struct node node = from ? *from : (struct node){0};
    if (cycle > node.cycle) node.path[edge] += cycle - node.cycle;
    node.cycle = cycle;
    return node;
}

static struct node fetch_node(const struct critical *critical,
                              const struct spoor_pipeline_event *event)
{
    const uint64_t ordinal = event->ordinal, cycle = event->fetch;
    if (ordinal == 0) return reach(NULL, EDGE_FETCH, cycle);
    const struct known *before = known_of(critical, ordinal - 1);
    if (before->wrong && before->result.cycle <= cycle)
        return reach(&before->result, EDGE_BRANCH, cycle);
    if (ordinal >= critical->rob) {
        const struct node *capacity = &known_of(critical, ordinal - critical->rob)->commit;
        if (capacity->cycle == cycle && before->fetch.cycle < cycle)
            return reach(capacity, EDGE_ROB, cycle);
    }
    if (event->why & SPOOR_WHY_FETCH_MISS) return reach(&before->fetch, EDGE_MISS, cycle);
    const bool again = critical->squashed > ordinal && before->fetch.cycle < cycle;
    return reach(&before->fetch, again ? EDGE_SQUASH : EDGE_FETCH, cycle);
}

/* Adds the result of `producer` (1 + ordinal), for which `node` may have waited. */
static void arrive(struct critical *critical, struct node *node, uint64_t producer, uint64_t issue)
{
    if (!producer) return;
    struct known *known = known_of(critical, producer - 1);
    if (known->result.cycle > node->cycle) *node = known->result;
    const uint64_t slack = issue > known->result.cycle ? issue - known->result.cycle : 0;
    if (known->slack > slack) known->slack = slack;
}

static struct node result_node(struct critical *critical, const struct node *fetch,
                               const struct spoor_pipeline_event *event)
{
    struct node node = reach(fetch, EDGE_RENAME, fetch->cycle + critical->issue_delay);
    for (int i = 0; i < 3; i++) arrive(critical, &node, event->producer[i], event->issue);
    arrive(critical, &node, event->store, event->issue);
    node = reach(&node, EDGE_ISSUE, event->issue);
    const bool loads = event->operation->is & SPOOR_UOP_LOAD;
    return reach(&node, loads ? EDGE_LOAD : EDGE_EXECUTE, event->complete);
}

static struct node commit_node(const struct critical *critical, const struct node *result,
                               const struct spoor_pipeline_event *event)
{
    if (event->ordinal == 0 || result->cycle == event->retire)
        return reach(result, EDGE_COMMIT, event->retire);
    return reach(&known_of(critical, event->ordinal - 1)->commit, EDGE_COMMIT, event->retire);
}

static unsigned slack_class(uint64_t slack)
{
    const unsigned class = slack ? 64 - (unsigned)__builtin_clzll(slack) : 0;
    return class < SLACKS - 1 ? class : SLACKS - 1;
}

static uint64_t slack_of(const struct known *known)
{
    return known->slack != UINT64_MAX ? known->slack : known->commit.cycle - known->result.cycle;
}

void critical_event(struct critical *critical, const struct spoor_pipeline_event *event)
{
    if (event->why & SPOOR_WHY_SQUASHED) {
        if (critical->squashed <= event->ordinal) critical->squashed = event->ordinal + 1;
        return;
    }
    struct known next = {.slack = UINT64_MAX, .wrong = event->why & SPOOR_WHY_MISPREDICTED};
    next.fetch = fetch_node(critical, event);
    next.result = result_node(critical, &next.fetch, event);
    next.commit = commit_node(critical, &next.result, event);
    struct known *known = known_of(critical, event->ordinal);
    if (event->ordinal > critical->mask) critical->slacks[slack_class(slack_of(known))]++;
    *known = next;
    critical->count = event->ordinal + 1;
}

/* ---- report ---- */

static void report_slack(const struct critical *critical, struct spoor_result *result)
{
    static const char *const classes[SLACKS] = {"0",    "1",     "2-3",       "4-7",
                                                "8-15", "16-31", "32 or more"};
    uint64_t slacks[SLACKS];
    for (int i = 0; i < SLACKS; i++) slacks[i] = critical->slacks[i];
    const uint64_t size = critical->mask + 1;
    for (uint64_t i = critical->count > size ? critical->count - size : 0; i < critical->count; i++)
        slacks[slack_class(slack_of(known_of(critical, i)))]++;
    struct spoor_result *rows = spoor_result_array(result, "slack");
    for (int i = 0; i < SLACKS; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "cycles", classes[i]);
        spoor_result_unsigned(row, "micro_ops", slacks[i]);
        spoor_result_real(row, "micro_op_ratio",
                          critical->count ? (double)slacks[i] / (double)critical->count : 0, 4);
    }
}

void critical_report(const struct critical *critical, struct spoor_result *result)
{
    struct spoor_result *path = spoor_result_object(result, "critical_path");
    const struct node none = {0};
    const struct node *last =
        critical->count ? &known_of(critical, critical->count - 1)->commit : &none;
    for (int i = 0; i < EDGES; i++) spoor_result_unsigned(path, edge_names[i], last->path[i]);
    report_slack(critical, result);
}

void critical_free(struct critical *critical)
{
    if (!critical) return;
    free(critical->known);
    free(critical);
}
