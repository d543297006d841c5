/* SPDX-License-Identifier: MIT */
/* flame.c: stacks of functions with what each ran, and speedscope's file of them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "profile/profile.h"

void profile_put_frame(const struct spoor_profile *profile, uint32_t row, struct text *text)
{
    const struct spoor_profile_row *of = &profile->rows[row];
    if (of->name)
        text_puts_visible(text, of->name);
    else
        text_printf(text, "0x%" PRIx64, of->address);
    if (of->exception) text_puts(text, " (exception)");
}

size_t profile_path(const struct spoor_profile *profile, uint32_t node,
                    uint32_t path[CONTEXTS_DEEPEST + 1])
{
    const struct context *nodes = profile->contexts.nodes;
    const size_t count = nodes[node].depth;
    for (size_t i = count; i-- > 0; node = nodes[node].parent) path[i] = node;
    return count;
}

bool profile_is_shown(const struct spoor_profile *profile, size_t node)
{
    return profile->row_of[node] != NO_ROW &&
           profile_amount(profile, &profile->contexts.nodes[node].own) > 0;
}

void profile_put_cpu(const struct spoor_profile *profile, uint32_t first, struct text *text)
{
    const struct context *nodes = profile->contexts.nodes;
    const char *name =
        machine_cpu_name(&profile->machine, (unsigned)nodes[nodes[first].parent].function);
    text_printf(text, "%s%s", name[0] >= '0' && name[0] <= '9' ? "cpu" : "",
                name[0] ? name : "cpu");
}

/* ---- speedscope ---- */

/* Of all stacks: where they would be more, calls beyond a depth become one frame. */
enum { MOST_FRAMES = 4 << 20 };

/* The samples of a processor: a stack for each context, which weighs what it ran itself. */
static void flame_put_samples(const struct spoor_profile *profile, uint32_t cpu, size_t deepest,
                              struct text *out)
{
    const struct context *nodes = profile->contexts.nodes;
    struct text weights = {0};
    uint32_t path[CONTEXTS_DEEPEST + 1] = {0};
    uint64_t all = 0;
    bool any = false;
    text_puts(out, ",\"samples\":[");
    for (size_t i = 0; i < profile->contexts.count; i++) {
        if (!profile_is_shown(profile, i)) continue;
        const size_t count = profile_path(profile, (uint32_t)i, path);
        const uint64_t amount = profile_amount(profile, &nodes[i].own);
        if (nodes[path[0]].parent != cpu) continue;
        text_puts(out, any ? ",\n[" : "\n[");
        /* the numbers of frames; beyond the greatest depth, that of deeper calls */
        enum { NUMBER = 21 /* bytes, at most, with a comma */ };
        char *at = text_reserve(out, count * NUMBER);
        for (size_t depth = 0; at && depth < count && depth <= deepest; depth++) {
            if (depth) at = put_char(at, ',');
            at = put_decimal(at,
                             depth < deepest ? profile->row_of[path[depth]] : profile->row_count);
        }
        if (at) text_commit(out, at);
        text_puts(out, "]");
        text_printf(&weights, "%s%" PRIu64, any ? "," : "", amount);
        all += amount;
        any = true;
    }
    text_puts(out, "],\"weights\":[");
    text_put(out, weights.bytes ? weights.bytes : "", weights.size);
    text_printf(out, "],\"startValue\":0,\"endValue\":%" PRIu64 "}", all);
    out->failed |= weights.failed;
    text_free(&weights);
}

char *spoor_profile_to_speedscope(const struct spoor_profile *profile, const char *title,
                                  size_t *size)
{
    struct text out = {0}, name = {0};
    bool first = true;
    text_puts(&out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                    "\"exporter\":\"spoor\",\"name\":");
    json_put_string(&out, title, strlen(title));
    text_puts(&out, ",\n\"activeProfileIndex\":0,\n");
    /* stacks are written up to a depth, so that there are not too many frames in all */
    size_t at_depth[CONTEXTS_DEEPEST + 2] = {0}; /* stacks */
    size_t deepest = 0, all = 0, stacks = 0;
    for (size_t i = 0; i < profile->contexts.count; i++)
        if (profile_is_shown(profile, i)) {
            at_depth[profile->contexts.nodes[i].depth]++;
            stacks++;
        }
    for (; deepest < CONTEXTS_DEEPEST && (deepest < 1 || all + stacks <= MOST_FRAMES); deepest++) {
        all += stacks;
        stacks -= at_depth[deepest + 1];
    }
    text_puts(&out, "\"shared\":{\"frames\":[");
    for (size_t i = 0; i < profile->row_count; i++) {
        const char *source = profile->rows[i].source;
        const char *colon = source ? strrchr(source, ':') : NULL;
        name.size = 0;
        profile_put_frame(profile, (uint32_t)i, &name);
        text_puts(&out, i ? ",\n{\"name\":" : "\n{\"name\":");
        json_put_string(&out, name.bytes, name.size);
        if (colon) {
            text_puts(&out, ",\"file\":");
            json_put_string(&out, source, (size_t)(colon - source));
            text_printf(&out, ",\"line\":%s", colon + 1);
        }
        text_puts(&out, "}");
    }
    if (deepest < CONTEXTS_DEEPEST) text_puts(&out, ",\n{\"name\":\"" DEEPER_CALLS "\"}");
    text_puts(&out, "]},\n\"profiles\":[");
    for (size_t i = 0; i < profile->contexts.count; i++) {
        const struct context *node = &profile->contexts.nodes[i];
        if (node->kind != CONTEXT_CPU || node->first_child == NO_CONTEXT) continue;
        text_puts(&out, first ? "\n{\"type\":\"sampled\",\"name\":"
                              : ",\n{\"type\":\"sampled\",\"name\":");
        name.size = 0;
        profile_put_cpu(profile, node->first_child, &name);
        json_put_string(&out, name.bytes, name.size);
        text_puts(&out, ",\"unit\":\"none\"");
        flame_put_samples(profile, (uint32_t)i, deepest, &out);
        first = false;
    }
    text_puts(&out, "]}\n");
    out.failed |= name.failed;
    text_free(&name);
    return text_hand_out(&out, size);
}
