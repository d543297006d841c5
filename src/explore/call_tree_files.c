/* SPDX-License-Identifier: MIT */
/* call_tree_files.c: a call tree as JSON, and as trace events for Perfetto. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "explore/call_tree.h"

static void call_tree_put_string(struct text *out, const char *text)
{
    json_put_string(out, text, strlen(text));
}

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

static bool call_tree_link_calls(const struct spoor_call_tree *tree, struct links *links)
{
    links->child = calloc(tree->count + 1, sizeof *links->child);
    links->sibling = calloc(tree->count + 1, sizeof *links->sibling);
    if (!links->child || !links->sibling) return false;
    for (size_t i = 0; i <= tree->count; i++) links->child[i] = SPOOR_NO_CALL;
    for (size_t i = tree->count; i-- > 0;) {
        const uint32_t parent = tree->calls[i].parent;
        uint32_t *first = &links->child[parent == SPOOR_NO_CALL ? tree->count : parent];
        links->sibling[i] = *first;
        *first = (uint32_t)i;
    }
    return true;
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
        if (name) {
            text_puts(out, "\"function\":");
            call_tree_put_string(out, name);
            text_puts(out, ",");
        }
        struct spoor_place place;
        if (tree->options.images &&
            spoor_images_resolve(tree->options.images, call->function, &place) && place.source) {
            text_puts(out, "\"source\":");
            call_tree_put_string(out, place.source);
            text_puts(out, ",");
        }
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

static bool call_tree_has_calls(const struct spoor_call_tree *tree, unsigned cpu)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->calls[i].cpu == cpu) return true;
    return false;
}

static void call_tree_put_cpu(const struct spoor_call_tree *tree, const struct links *links,
                              unsigned cpu, struct text *out)
{
    bool first = true;
    const char *name = spoor_call_tree_cpu(tree, cpu);
    text_puts(out, "{");
    if (name[0]) {
        text_puts(out, "\"cpu\":");
        call_tree_put_string(out, name);
        text_puts(out, ",");
    }
    text_puts(out, "\"calls\":[");
    for (uint32_t i = links->child[tree->count]; i != SPOOR_NO_CALL; i = links->sibling[i]) {
        if (tree->calls[i].cpu != cpu) continue;
        text_puts(out, first ? "\n" : ",\n");
        call_tree_put_tree(tree, links, i, out);
        first = false;
    }
    text_puts(out, "]}");
}

char *spoor_call_tree_to_json(const struct spoor_call_tree *tree, size_t *size)
{
    struct text out = {0};
    struct links links = {0};
    bool first = true;
    out.failed = !call_tree_link_calls(tree, &links);
    text_puts(&out, "{");
    if (tree->unit[0]) {
        text_puts(&out, "\"time_unit\":");
        call_tree_put_string(&out, tree->unit);
        text_puts(&out, ",");
    }
    text_printf(&out, "\"omitted\":%" PRIu64 ",\"cpus\":[", tree->omitted);
    for (unsigned cpu = 0; cpu < tree->cpu_count && !out.failed; cpu++) {
        if (!call_tree_has_calls(tree, cpu)) continue;
        text_puts(&out, first ? "\n" : ",\n");
        call_tree_put_cpu(tree, &links, cpu, &out);
        first = false;
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

/* The trace's times, unless they run backwards somewhere. */
static void call_tree_choose_clock(struct timeline *timeline)
{
    const struct spoor_call_tree *tree = timeline->tree;
    const char *unit = tree->unit;
    timeline->timed = unit[0];
    for (size_t i = 0; i < tree->count && timeline->timed; i++) {
        const struct spoor_call *call = &tree->calls[i];
        const struct spoor_call *parent =
            call->parent == SPOOR_NO_CALL ? NULL : &tree->calls[call->parent];
        timeline->timed = call->leave_time >= call->enter_time &&
                          (!parent || (call->enter_time >= parent->enter_time &&
                                       call->leave_time <= parent->leave_time));
    }
    timeline->per_microsecond = !timeline->timed          ? 1
                                : strcmp(unit, "ps") == 0 ? 1e6
                                : strcmp(unit, "ns") == 0 ? 1e3
                                                          : 1;
}

static void call_tree_put_slice(const struct timeline *timeline, const struct spoor_call *call,
                                unsigned track)
{
    struct text *out = timeline->out;
    const uint64_t from = timeline->timed ? call->enter_time : call->enter_record;
    const uint64_t to = timeline->timed ? call->leave_time : call->leave_record;
    text_printf(out, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":", spoor_call_kind_name(call->kind));
    const char *name = spoor_call_tree_name(timeline->tree, call);
    if (name || !call->known)
        call_tree_put_string(out, name ? name : "(handler)");
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

static unsigned call_tree_track(const struct spoor_call *call)
{
    return call->thread % (TRACKS - 1);
}

static void call_tree_put_tracks(const struct timeline *timeline)
{
    const struct spoor_call_tree *tree = timeline->tree;
    for (unsigned cpu = 0; cpu < tree->cpu_count; cpu++) {
        bool seen[TRACKS] = {false};
        for (size_t i = 0; i < tree->count; i++) {
            const struct spoor_call *call = &tree->calls[i];
            if (call->cpu != cpu) continue;
            seen[call_tree_track(call)] = true;
            seen[TRACKS - 1] |= call->kind == SPOOR_CALL_EXCEPTION;
        }
        for (unsigned i = 0; i < TRACKS; i++)
            if (seen[i]) {
                const char *what = i == TRACKS - 1 ? " exceptions" : "";
                const char *name = spoor_call_tree_cpu(timeline->tree, cpu);
                struct text text = {0};
                text_printf(&text, "%s%s%s", name[0] >= '0' && name[0] <= '9' ? "cpu" : "",
                            name[0] ? name : "cpu", what);
                if (i && !*what) text_printf(&text, " thread %u", i);
                text_printf(timeline->out,
                            ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%u,"
                            "\"args\":{\"name\":",
                            cpu * TRACKS + i + 1);
                json_put_string(timeline->out, text.bytes ? text.bytes : "", text.size);
                timeline->out->failed |= text.failed;
                text_puts(timeline->out, "}}");
                text_free(&text);
            }
    }
}

char *spoor_call_tree_to_perfetto(const struct spoor_call_tree *tree, const char *title,
                                  size_t *size)
{
    struct text out = {0};
    struct timeline timeline = {.tree = tree, .out = &out};
    call_tree_choose_clock(&timeline);
    text_printf(&out,
                "{\"otherData\":{\"producer\":\"spoor\",\"clock\":\"%s\",\"omitted_calls\":%" PRIu64
                "},\n\"traceEvents\":[\n"
                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":",
                timeline.timed ? tree->unit : "record", tree->omitted);
    call_tree_put_string(&out, title);
    text_puts(&out, "}}");
    call_tree_put_tracks(&timeline);
    for (size_t i = 0; i < tree->count; i++) {
        const struct spoor_call *call = &tree->calls[i];
        call_tree_put_slice(&timeline, call, call_tree_track(call));
        if (call->kind == SPOOR_CALL_EXCEPTION) call_tree_put_slice(&timeline, call, TRACKS - 1);
    }
    text_puts(&out, "\n]}\n");
    return text_hand_out(&out, size);
}
