/* SPDX-License-Identifier: MIT */
/*
 * contexts.c: keeping the tree of contexts and, of each stack of calls, which contexts are open.
 *
 * What ran between two events of a processor belongs to the innermost open context.  A jump into
 * another function opens a context inside the call that jumps; it ends with that call, or when the
 * function that jumped is gone back to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/profile.h"

enum { TRAMPOLINE = 4 /* instructions, at most, of a stub that only jumps on */ };

/* An open context; `jumped`: by a jump inside the call below it. */
struct open_context {
    uint32_t node;
    bool jumped, named;
};
struct context_thread {
    struct open_context *open;
    size_t count, capacity;
};
struct context_cpu {
    struct context_thread *threads;
    size_t thread_count;
    uint32_t thread;                       /* that runs */
    uint32_t root;                         /* + 1; 0: none yet */
    uint64_t instructions, accesses, time; /* at the last event */
    bool entered;                          /* the last event entered a function */
};

void contexts_free(struct contexts *contexts)
{
    for (size_t i = 0; i < contexts->cpu_count; i++) {
        for (size_t j = 0; j < contexts->cpus[i].thread_count; j++)
            free(contexts->cpus[i].threads[j].open);
        free(contexts->cpus[i].threads);
    }
    free(contexts->cpus);
    hash_map_free(&contexts->map);
    free(contexts->nodes);
    *contexts = (struct contexts){.limit = contexts->limit};
}

/* ---- nodes ---- */

struct context_slot {
    uint64_t hash;
    uint32_t node; /* + 1 */
};

/* The key that distinguishes the contexts of one parent. */
struct context_key {
    uint64_t function, site;
    unsigned kind;
};

/* Finds the context, and the hash of its key. */
static uint32_t contexts_find_child(const struct contexts *contexts, uint32_t parent,
                                    const struct context_key *key, uint64_t *hash)
{
    *hash = hash_mix(hash_mix(parent, key->function), key->kind);
    if (key->site) *hash = hash_mix(*hash, key->site);
    const struct context_slot *slot = hash_map_find(&contexts->map, *hash, sizeof *slot);
    uint32_t number = slot ? slot->node - 1 : NO_CONTEXT;
    for (; number != NO_CONTEXT; number = contexts->nodes[number].same_hash) {
        const struct context *node = &contexts->nodes[number];
        if (node->parent == parent && node->function == key->function && node->kind == key->kind &&
            node->site == key->site)
            break;
    }
    return number;
}

static uint32_t contexts_child(struct contexts *contexts, uint32_t parent,
                               const struct context_key *key)
{
    uint64_t hash;
    uint32_t found = contexts_find_child(contexts, parent, key, &hash);
    if (found != NO_CONTEXT) return found;
    const bool deep = parent != NO_CONTEXT && contexts->nodes[parent].depth == CONTEXTS_DEEPEST;
    if ((contexts->count >= contexts->limit || deep) && key->kind != CONTEXT_CPU) {
        /* at the limit: the nearest caller of this function, or the function without callers */
        contexts->lost++;
        for (; parent != NO_CONTEXT; parent = contexts->nodes[parent].parent) {
            const struct context *node = &contexts->nodes[parent];
            if (node->function == key->function && node->kind == key->kind) return parent;
            if (node->kind == CONTEXT_CPU) break;
        }
        static const struct context_key others = {CONTEXTS_OTHERS, 0, CONTEXT_CALL};
        if (contexts->count >= contexts->limit + contexts->limit / 4) key = &others;
        found = contexts_find_child(contexts, parent, key, &hash);
        if (found != NO_CONTEXT) return found;
    }
    bool added;
    struct context_slot *slot = hash_map_add(&contexts->map, hash, sizeof *slot, &added);
    if (!slot || !array_reserve(&contexts->nodes, &contexts->capacity, contexts->count + 1)) {
        contexts->failed = true;
        return parent == NO_CONTEXT ? 0 : parent;
    }
    const uint32_t number = (uint32_t)contexts->count++;
    struct context *node = &contexts->nodes[number];
    *node = (struct context){.function = key->function,
                             .site = key->site,
                             .parent = parent,
                             .first_child = NO_CONTEXT,
                             .next_sibling = NO_CONTEXT,
                             .same_hash = slot->node - 1,
                             .kind = (uint8_t)key->kind};
    if (parent != NO_CONTEXT) {
        node->depth = (uint16_t)(contexts->nodes[parent].depth + 1);
        node->next_sibling = contexts->nodes[parent].first_child;
        contexts->nodes[parent].first_child = number;
    }
    slot->node = number + 1;
    return number;
}

/* ---- what is open ---- */

static struct context_thread *contexts_thread(struct contexts *contexts, struct context_cpu *cpu,
                                              uint32_t thread)
{
    if (!array_reserve_zeroed(&cpu->threads, &cpu->thread_count, thread + (size_t)1)) {
        contexts->failed = true;
        return NULL;
    }
    return &cpu->threads[thread];
}

static uint32_t contexts_node(const struct context_cpu *cpu, const struct context_thread *thread)
{
    return thread->count ? thread->open[thread->count - 1].node : cpu->root - 1;
}

static void contexts_spend(struct contexts *contexts, struct context_cpu *cpu, uint32_t node,
                           const struct activity_event *event)
{
    struct amount *own = &contexts->nodes[node].own;
    own->instructions += event->instructions - cpu->instructions;
    own->accesses += event->accesses - cpu->accesses;
    /* a trace may step back in time: that takes none; and who spent that of a gap is unknown */
    const uint64_t time = event->what == ACTIVITY_GAP ? event->last.time : event->at.time;
    if (event->what != ACTIVITY_START && time > cpu->time) own->time += time - cpu->time;
    cpu->instructions = event->instructions;
    cpu->accesses = event->accesses;
    cpu->time = event->at.time;
}

/* ---- events ---- */

static void contexts_open_child(struct contexts *contexts, const struct context_cpu *cpu,
                                struct context_thread *thread, const struct activity_event *event,
                                bool jumped)
{
    const unsigned kind = event->what == ACTIVITY_ENTER && event->kind == CALL_EXCEPTION
                              ? CONTEXT_EXCEPTION
                              : CONTEXT_CALL;
    const bool unseen = !event->function && event->cause && !event->cause->begun;
    const struct context_key key = {unseen ? CONTEXTS_UNSEEN : event->function,
                                    contexts->by_site ? contexts->site : 0, kind};
    const uint32_t node = contexts_child(contexts, contexts_node(cpu, thread), &key);
    contexts->nodes[node].calls++;
    if (thread->count == CONTEXTS_OPEN) { /* the outermost but the first will never be left */
        memmove(thread->open + 1, thread->open + CONTEXTS_OPEN / 2,
                CONTEXTS_OPEN / 2 * sizeof *thread->open);
        thread->count = CONTEXTS_OPEN / 2 + 1;
    }
    if (array_reserve(&thread->open, &thread->capacity, thread->count + 1))
        thread->open[thread->count++] = (struct open_context){node, jumped, event->named};
    else
        contexts->failed = true;
}

static void contexts_close_top(struct contexts *contexts, struct context_thread *thread,
                               bool returned)
{
    contexts->nodes[thread->open[--thread->count].node].returned += returned;
}

void contexts_event(struct contexts *contexts, const struct activity_event *event)
{
    if (!array_reserve_zeroed(&contexts->cpus, &contexts->cpu_count, event->cpu + (size_t)1)) {
        contexts->failed = true;
        return;
    }
    struct context_cpu *cpu = &contexts->cpus[event->cpu];
    if (!cpu->root)
        cpu->root = contexts_child(contexts, NO_CONTEXT,
                                   &(struct context_key){event->cpu, 0, CONTEXT_CPU}) +
                    1;
    struct context_thread *thread =
        contexts->failed ? NULL : contexts_thread(contexts, cpu, cpu->thread);
    if (!thread) return;
    struct open_context *top = thread->count ? &thread->open[thread->count - 1] : NULL;
    if (event->what == ACTIVITY_GO && cpu->entered && event->named && thread->count > 1 &&
        !top->named && !top->jumped && event->instructions - cpu->instructions <= TRAMPOLINE) {
        /* a stub that only jumps on, and has no name, is part of the caller, as callgrind counts
         * it */
        struct context *stub = &contexts->nodes[top->node];
        const uint32_t parent = stub->parent;
        const struct context_key key = {event->function, stub->site, stub->kind};
        stub->calls--;
        top->node = contexts_child(contexts, parent, &key);
        top->named = true;
        contexts->nodes[top->node].calls++;
        contexts_spend(contexts, cpu, parent, event);
        return;
    }
    contexts_spend(contexts, cpu, contexts_node(cpu, thread), event);
    cpu->entered =
        event->what == ACTIVITY_ENTER || (cpu->entered && event->what == ACTIVITY_GO && top &&
                                          contexts->nodes[top->node].function == event->function);
    switch ((enum activity_what)event->what) {
    case ACTIVITY_START:
    case ACTIVITY_ENTER: contexts_open_child(contexts, cpu, thread, event, false); break;
    case ACTIVITY_LEAVE: {
        const bool returned = event->end == CALL_RETURNED;
        const size_t root = event->outermost ? 0 : 1;
        while (thread->count > root && thread->open[thread->count - 1].jumped)
            contexts_close_top(contexts, thread, returned);
        if (thread->count > root) contexts_close_top(contexts, thread, returned);
        break;
    }
    case ACTIVITY_GO: { /* a function is jumped to: one that is open in this call is gone back to */
        size_t i = thread->count;
        while (i > 0 && contexts->nodes[thread->open[i - 1].node].function != event->function &&
               thread->open[i - 1].jumped)
            i--;
        if (i > 0 && contexts->nodes[thread->open[i - 1].node].function == event->function) {
            while (thread->count > i) contexts_close_top(contexts, thread, true);
            break;
        }
        /* outside of all calls, the middle of a function is what called the one that ran */
        if (i == 1 && !event->begins && event->named) thread->count = 0;
        contexts_open_child(contexts, cpu, thread, event, thread->count > 0);
        break;
    }
    case ACTIVITY_SWITCH:
        cpu->thread = event->thread;
        thread = contexts_thread(contexts, cpu, cpu->thread);
        if (thread && thread->count == 0) contexts_open_child(contexts, cpu, thread, event, false);
        break;
    case ACTIVITY_GAP:
        for (size_t i = 0; i < cpu->thread_count; i++) cpu->threads[i].count = 0;
        break;
    default: break;
    }
}

uint32_t contexts_now(const struct contexts *contexts, unsigned cpu)
{
    if (cpu >= contexts->cpu_count || !contexts->cpus[cpu].thread_count) return NO_CONTEXT;
    const struct context_cpu *of = &contexts->cpus[cpu];
    return contexts_node(of, &of->threads[of->thread]);
}
