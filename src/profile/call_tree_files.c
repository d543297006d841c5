/* SPDX-License-Identifier: MIT */
/* call_tree_files.c: a call tree as JSON, and as trace events for Perfetto. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "profile/call_tree.h"

const char *spoor_call_kind_name(enum spoor_call_kind kind)
{
    static const char *const names[] = {"call", "exception", "jump", "start"};
    return names[kind];
}

/* ---- JSON ---- */

/* First child and next sibling of each call, by number; the last item has the roots as children. */
struct links {
    uint32_t *child, *sibling;
};

/* Appends a key with its text, and a comma. */
static void call_tree_put_member(struct text *out, const char *key, const char *text)
{
    text_printf(out, "\"%s\":", key);
    json_put_string(out, text, strlen(text));
    text_puts(out, ",");
}

const char *spoor_call_end_name(enum spoor_call_end end)
{
    static const char *const names[] = {
        [SPOOR_CALL_OPEN] = "open",
        [SPOOR_CALL_RETURNED] = "returned",
        [SPOOR_CALL_LEFT] = "left",
        [SPOOR_CALL_CUT] = "cut",
    };
    return names[end];
}

/* A call with all that it called. */
static void call_tree_put_tree(const struct spoor_call_tree *tree, const struct links *links,
                               uint32_t root, struct text *out)
{
    uint32_t at = root;
    for (;;) {
        const struct spoor_call *call = &tree->calls[at];
        const char *name = spoor_call_tree_name(tree, call);
        const bool timed = tree->unit[0];
        const bool open = call->end == SPOOR_CALL_OPEN;
        text_puts(out, "{");
        if (call->known) text_printf(out, "\"pc\":\"0x%" PRIx64 "\",", call->function);
        if (name) call_tree_put_member(out, "function", name);
        struct spoor_place place = {.struct_size = sizeof place};
        if (tree->options.images &&
            spoor_images_resolve(tree->options.images, call->function, &place) && place.source)
            call_tree_put_member(out, "source", place.source);
        text_printf(out, "\"kind\":\"%s\"", spoor_call_kind_name(call->kind));
        if (timed) text_printf(out, ",\"enter_time\":%" PRIu64, call->enter_time);
        if (timed && !open) text_printf(out, ",\"leave_time\":%" PRIu64, call->leave_time);
        text_printf(out, ",\"enter_record\":%" PRIu64, call->enter_record);
        if (!open) text_printf(out, ",\"leave_record\":%" PRIu64, call->leave_record);
        text_printf(out, ",\"end\":\"%s\",\"instructions\":%" PRIu64 ",\"children\":[",
                    spoor_call_end_name(call->end), call->instructions);
        if (links->child[at] != SPOOR_NO_CALL) {
            at = links->child[at];
            text_puts(out, "\n");
            continue;
        }
        while (at != root && links->sibling[at] == SPOOR_NO_CALL) {
            text_puts(out, "]}");
            at = tree->calls[at].parent;
        }
        text_puts(out, "]}");
        if (at == root) return;
        at = links->sibling[at];
        text_puts(out, ",\n");
    }
}

char *spoor_call_tree_to_json(const struct spoor_call_tree *tree, size_t *size)
{
    struct text out = {0};
    struct links links = {.child = calloc(tree->count + 1, sizeof *links.child),
                          .sibling = calloc(tree->count + 1, sizeof *links.sibling)};
    const bool linked = links.child && links.sibling;
    bool first = true;
    out.failed = !linked;
    for (size_t i = 0; linked && i <= tree->count; i++) links.child[i] = SPOOR_NO_CALL;
    for (size_t i = tree->count; linked && i-- > 0;) {
        const uint32_t parent = tree->calls[i].parent;
        uint32_t *child = &links.child[parent == SPOOR_NO_CALL ? tree->count : parent];
        links.sibling[i] = *child;
        *child = (uint32_t)i;
    }
    text_puts(&out, "{");
    if (tree->unit[0]) call_tree_put_member(&out, "time_unit", tree->unit);
    text_printf(&out, "\"omitted\":%" PRIu64 ",\"cpus\":[", tree->omitted);
    for (unsigned cpu = 0; linked && cpu < tree->cpu_count && !out.failed; cpu++) {
        const char *name = spoor_call_tree_cpu(tree, cpu);
        size_t n = 0;
        while (n < tree->count && tree->calls[n].cpu != cpu) n++;
        if (n == tree->count) continue; /* it has no calls */
        text_puts(&out, first ? "\n{" : ",\n{");
        first = false;
        if (name[0]) call_tree_put_member(&out, "cpu", name);
        text_puts(&out, "\"calls\":[");
        bool outermost = true;
        for (uint32_t i = links.child[tree->count]; i != SPOOR_NO_CALL; i = links.sibling[i]) {
            if (tree->calls[i].cpu != cpu) continue;
            text_puts(&out, outermost ? "\n" : ",\n");
            call_tree_put_tree(tree, &links, i, &out);
            outermost = false;
        }
        text_puts(&out, "]}");
    }
    text_puts(&out, "]}\n");
    free(links.child);
    free(links.sibling);
    return text_hand_out(&out, size);
}

/* ---- Perfetto ---- */

enum { TRACKS = 128 /* of a processor: threads, then its exceptions */ };

struct timeline {
    const struct spoor_call_tree *tree;
    struct text *out;
    bool timed;             /* times are those of the trace; else records */
    double per_microsecond; /* units of time */
};

static void call_tree_put_slice(const struct timeline *timeline, const struct spoor_call *call,
                                unsigned track)
{
    struct text *out = timeline->out;
    const uint64_t from = timeline->timed ? call->enter_time : call->enter_record;
    const uint64_t to = timeline->timed ? call->leave_time : call->leave_record;
    text_printf(out, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":", spoor_call_kind_name(call->kind));
    const char *name = spoor_call_tree_name(timeline->tree, call);
    if (!name && !call->known) name = "(handler)";
    if (name)
        json_put_string(out, name, strlen(name));
    else
        text_printf(out, "\"0x%" PRIx64 "\"", call->function);
    text_puts(out, ",\"ts\":");
    text_put_fixed(out, (double)from / timeline->per_microsecond, 6);
    text_puts(out, ",\"dur\":");
    text_put_fixed(out, (double)(to > from ? to - from : 0) / timeline->per_microsecond, 6);
    text_printf(out, ",\"pid\":1,\"tid\":%u,\"args\":{", call->cpu * TRACKS + track + 1);
    if (call->known) text_printf(out, "\"address\":\"0x%" PRIx64 "\",", call->function);
    text_printf(out, "\"record\":%" PRIu64 ",\"instructions\":%" PRIu64 "}}", call->enter_record,
                call->instructions);
}

char *spoor_call_tree_to_perfetto(const struct spoor_call_tree *tree, const char *title,
                                  size_t *size)
{
    struct text out = {0};
    struct timeline timeline = {.tree = tree, .out = &out, .timed = tree->unit[0]};
    /* the trace's times, unless they run backwards somewhere */
    for (size_t i = 0; i < tree->count && timeline.timed; i++) {
        const struct spoor_call *call = &tree->calls[i];
        const struct spoor_call *parent =
            call->parent == SPOOR_NO_CALL ? NULL : &tree->calls[call->parent];
        timeline.timed = call->leave_time >= call->enter_time &&
                         (!parent || (call->enter_time >= parent->enter_time &&
                                      call->leave_time <= parent->leave_time));
    }
    timeline.per_microsecond = !timeline.timed                 ? 1
                               : strcmp(tree->unit, "ps") == 0 ? 1e6
                               : strcmp(tree->unit, "ns") == 0 ? 1e3
                                                               : 1;
    text_printf(&out,
                "{\"otherData\":{\"producer\":\"spoor\",\"clock\":\"%s\",\"omitted_calls\":%" PRIu64
                "},\n\"traceEvents\":[\n"
                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":",
                timeline.timed ? tree->unit : "record", tree->omitted);
    json_put_string(&out, title, strlen(title));
    text_puts(&out, "}}");
    for (unsigned cpu = 0; cpu < tree->cpu_count; cpu++) {
        bool seen[TRACKS] = {false};
        for (size_t i = 0; i < tree->count; i++) {
            const struct spoor_call *call = &tree->calls[i];
            if (call->cpu != cpu) continue;
            seen[call->thread % (TRACKS - 1)] = true;
            seen[TRACKS - 1] |= call->kind == SPOOR_CALL_EXCEPTION;
        }
        for (unsigned i = 0; i < TRACKS; i++) {
            const char *name = spoor_call_tree_cpu(tree, cpu);
            struct text text = {0};
            if (!seen[i]) continue;
            text_printf(&text, "%s%s%s", name[0] >= '0' && name[0] <= '9' ? "cpu" : "",
                        name[0] ? name : "cpu", i == TRACKS - 1 ? " exceptions" : "");
            if (i && i < TRACKS - 1) text_printf(&text, " thread %u", i);
            text_printf(&out,
                        ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%u,"
                        "\"args\":{\"name\":",
                        cpu * TRACKS + i + 1);
            json_put_string(&out, text.bytes ? text.bytes : "", text.size);
            out.failed |= text.failed;
            text_puts(&out, "}}");
            text_free(&text);
        }
    }
    for (size_t i = 0; i < tree->count; i++) {
        const struct spoor_call *call = &tree->calls[i];
        call_tree_put_slice(&timeline, call, call->thread % (TRACKS - 1));
        if (call->kind == SPOOR_CALL_EXCEPTION) call_tree_put_slice(&timeline, call, TRACKS - 1);
    }
    text_puts(&out, "\n]}\n");
    return text_hand_out(&out, size);
}
