/* SPDX-License-Identifier: MIT */
/*
 * critical.c: the critical path of an out-of-order machine, and the slack of its operations.
 *
 * The model is that of Fields, Rubin and Bodik, "Focusing Processor Policies via Critical-Path
 * Prediction", ISCA 2001.  Each operation has three nodes: fetch, execution and commit.  Each node
 * has the edge that arrived last.  The path from the last commit back along these edges is the
 * critical path.  Here each node stores the sum of its path by kind of edge.  One pass over the
 * operations in flight therefore suffices, and the parts add up to all cycles.
 *
 * The (local) slack of an operation is the number of cycles by which its result could be later
 * without delaying any consumer that was in flight with it; without a consumer, the number of
 * cycles until its commit (Fields, Bodik and Hill, "Slack: Maximizing Performance under
 * Technological Constraints", ISCA 2002).
 */

#include "simulate/pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

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
struct operation_nodes {
    struct node fetch, result, commit;
    uint64_t slack; /* the minimum over its consumers so far; UINT64_MAX: none yet */
    bool wrong;
};

enum { SLACKS = 7 }; /* classes of slack: 0, 1, 2-3, 4-7, 8-15, 16-31, 32 and more */
struct critical {
    struct operation_nodes *known; /* indexed by ordinal */
    uint64_t mask, rob, issue_delay;
    uint64_t count;
    uint64_t squashed; /* 1 + the youngest ordinal that was squashed and has not retired since */
    uint64_t slacks[SLACKS];
};

/* The number of operations that are known: a power of two above those in flight. */
static uint64_t critical_capacity(const struct spoor_pipeline_config *config)
{
    uint64_t size = 2;
    while (size <= config->rob) size *= 2;
    return size;
}

uint64_t critical_memory(const struct spoor_pipeline_config *config)
{
    return critical_capacity(config) * sizeof(struct operation_nodes);
}

struct critical *critical_new(const struct spoor_pipeline_config *config)
{
    struct critical *critical = calloc(1, sizeof *critical);
    if (!critical) return NULL;
    const uint64_t size = critical_capacity(config);
    critical->mask = size - 1;
    critical->rob = config->rob;
    critical->issue_delay = config->issue_delay;
    critical->known = calloc(size, sizeof *critical->known);
    if (critical->known) return critical;
    critical_free(critical);
    return NULL;
}

static struct operation_nodes *critical_nodes(const struct critical *critical, uint64_t ordinal)
{
    return &critical->known[ordinal & critical->mask];
}

/* Returns the node in `cycle` that an edge reaches from another node. */
static struct node node_reach(const struct node *from, enum edge edge, uint64_t cycle)
{
    struct node node = from ? *from : (struct node){0};
    if (cycle > node.cycle) node.path[edge] += cycle - node.cycle;
    node.cycle = cycle;
    return node;
}

static struct node critical_fetch_node(const struct critical *critical,
                                       const struct spoor_pipeline_event *event)
{
    const uint64_t ordinal = event->ordinal, cycle = event->fetch;
    if (ordinal == 0) return node_reach(NULL, EDGE_FETCH, cycle);
    const struct operation_nodes *before = critical_nodes(critical, ordinal - 1);
    if (before->wrong && before->result.cycle <= cycle)
        return node_reach(&before->result, EDGE_BRANCH, cycle);
    if (ordinal >= critical->rob) {
        const struct node *capacity = &critical_nodes(critical, ordinal - critical->rob)->commit;
        if (capacity->cycle == cycle && before->fetch.cycle < cycle)
            return node_reach(capacity, EDGE_ROB, cycle);
    }
    if (event->why & SPOOR_WHY_FETCH_MISS) return node_reach(&before->fetch, EDGE_MISS, cycle);
    const bool again = critical->squashed > ordinal && before->fetch.cycle < cycle;
    return node_reach(&before->fetch, again ? EDGE_SQUASH : EDGE_FETCH, cycle);
}

/* Adds the result of `producer` (1 + ordinal), for which `node` may have waited. */
static void critical_arrive(struct critical *critical, struct node *node, uint64_t producer,
                            uint64_t issue)
{
    if (!producer) return;
    struct operation_nodes *known = critical_nodes(critical, producer - 1);
    if (known->result.cycle > node->cycle) *node = known->result;
    const uint64_t slack = issue > known->result.cycle ? issue - known->result.cycle : 0;
    if (known->slack > slack) known->slack = slack;
}

static unsigned critical_slack_class(const struct operation_nodes *known)
{
    const uint64_t slack =
        known->slack != UINT64_MAX ? known->slack : known->commit.cycle - known->result.cycle;
    const unsigned class = slack ? 64 - (unsigned)__builtin_clzll(slack) : 0;
    return class < SLACKS - 1 ? class : SLACKS - 1;
}

void critical_event(struct critical *critical, const struct spoor_pipeline_event *event)
{
    if (event->why & SPOOR_WHY_SQUASHED) {
        if (critical->squashed <= event->ordinal) critical->squashed = event->ordinal + 1;
        return;
    }
    struct operation_nodes next = {.slack = UINT64_MAX,
                                   .wrong = event->why & SPOOR_WHY_MISPREDICTED};
    next.fetch = critical_fetch_node(critical, event);
    struct node node =
        node_reach(&next.fetch, EDGE_RENAME, next.fetch.cycle + critical->issue_delay);
    for (int i = 0; i < 3; i++) critical_arrive(critical, &node, event->producer[i], event->issue);
    critical_arrive(critical, &node, event->store, event->issue);
    node = node_reach(&node, EDGE_ISSUE, event->issue);
    const bool loads = event->operation->is & SPOOR_UOP_LOAD;
    next.result = node_reach(&node, loads ? EDGE_LOAD : EDGE_EXECUTE, event->complete);
    if (event->ordinal == 0 || next.result.cycle == event->retire)
        next.commit = node_reach(&next.result, EDGE_COMMIT, event->retire);
    else
        next.commit = node_reach(&critical_nodes(critical, event->ordinal - 1)->commit, EDGE_COMMIT,
                                 event->retire);
    struct operation_nodes *known = critical_nodes(critical, event->ordinal);
    if (event->ordinal > critical->mask) critical->slacks[critical_slack_class(known)]++;
    *known = next;
    critical->count = event->ordinal + 1;
}

void critical_report(const struct critical *critical, struct spoor_result *result)
{
    struct spoor_result *path = spoor_result_object(result, "critical_path");
    const struct node none = {0};
    const struct node *last =
        critical->count ? &critical_nodes(critical, critical->count - 1)->commit : &none;
    for (int i = 0; i < EDGES; i++) spoor_result_unsigned(path, edge_names[i], last->path[i]);
    static const char *const classes[SLACKS] = {"0",    "1",     "2-3",       "4-7",
                                                "8-15", "16-31", "32 or more"};
    uint64_t slacks[SLACKS];
    memcpy(slacks, critical->slacks, sizeof slacks);
    const uint64_t size = critical->mask + 1;
    for (uint64_t i = critical->count > size ? critical->count - size : 0; i < critical->count; i++)
        slacks[critical_slack_class(critical_nodes(critical, i))]++;
    struct spoor_result *rows = spoor_result_array(result, "slack");
    for (int i = 0; i < SLACKS; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "cycles", classes[i]);
        spoor_result_unsigned(row, "micro_ops", slacks[i]);
        spoor_result_real(row, "micro_op_ratio",
                          critical->count ? (double)slacks[i] / (double)critical->count : 0, 4);
    }
}

void critical_free(struct critical *critical)
{
    if (!critical) return;
    free(critical->known);
    free(critical);
}
