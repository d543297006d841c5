/* SPDX-License-Identifier: MIT */
/* flame.c: stacks of functions with what each ran: folded lines, and speedscope's file. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "explore/profile.h"

void profile_put_frame(const struct spoor_profile *profile, uint32_t row, struct text *text)
{
    const struct spoor_profile_row *of = &profile->rows[row];
    if (of->name)
        text_puts(text, of->name);
    else
        text_printf(text, "0x%" PRIx64, of->address);
    if (of->exception) text_puts(text, " (exception)");
}

/* The contexts from the outermost function to this one; gives how many. */
static size_t path_of(const struct spoor_profile *profile, uint32_t node,
                      uint32_t path[CONTEXTS_DEEPEST + 1])
{
    const struct context *nodes = profile->contexts.nodes;
    const size_t count = nodes[node].depth;
    for (size_t i = count; i-- > 0; node = nodes[node].parent) path[i] = node;
    return count;
}

static bool is_shown(const struct spoor_profile *profile, size_t node)
{
    return profile->row_of[node] != NO_ROW &&
           profile_amount(profile, &profile->contexts.nodes[node].own) > 0;
}

static size_t cpu_count(const struct spoor_profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->contexts.count; i++)
        count += profile->contexts.nodes[i].kind == CONTEXT_CPU;
    return count;
}

/* "cpu0": the processor that a context is of. */
static void put_cpu(const struct spoor_profile *profile, uint32_t first, struct text *text)
{
    const struct context *nodes = profile->contexts.nodes;
    const char *name =
        machine_cpu_name(&profile->machine, (unsigned)nodes[nodes[first].parent].function);
    text_printf(text, "%s%s", name[0] >= '0' && name[0] <= '9' ? "cpu" : "",
                name[0] ? name : "cpu");
}

/* ---- folded ---- */

struct fold {
    size_t at; /* of the stack in the text */
    uint64_t amount;
};

static void put_stack(const struct spoor_profile *profile, uint32_t node, bool with_cpu,
                      struct text *text)
{
    uint32_t path[CONTEXTS_DEEPEST + 1] = {0};
    const size_t count = path_of(profile, node, path);
    if (with_cpu) put_cpu(profile, path[0], text);
    for (size_t i = 0; i < count; i++) {
        if (i || with_cpu) text_puts(text, ";");
        const size_t before = text->size;
        profile_put_frame(profile, profile->row_of[path[i]], text);
        for (size_t j = before; j < text->size; j++)
            if (text->bytes[j] == ';' || text->bytes[j] == '\n') text->bytes[j] = ':';
    }
    text_put(text, "", 1);
}

static int compare_folds(const void *left, const void *right, void *context)
{
    const struct fold *a = left, *b = right;
    const struct text *text = context;
    return strcmp(text->bytes + a->at, text->bytes + b->at);
}

static char *handed_out(struct text *text, size_t *size)
{
    text_put(text, "", 1);
    if (text->failed) {
        text_free(text);
        return NULL;
    }
    *size = text->size - 1;
    return text->bytes;
}

char *spoor_profile_to_folded(const struct spoor_profile *profile, size_t *size)
{
    struct text stacks = {0}, out = {0};
    struct fold *folds = malloc((profile->contexts.count + 1) * sizeof *folds);
    const bool with_cpu = cpu_count(profile) > 1;
    size_t count = 0;
    if (!folds) return NULL;
    for (size_t i = 0; i < profile->contexts.count; i++) {
        if (!is_shown(profile, i)) continue;
        folds[count++] =
            (struct fold){stacks.size, profile_amount(profile, &profile->contexts.nodes[i].own)};
        put_stack(profile, (uint32_t)i, with_cpu, &stacks);
    }
    if (!stacks.failed) qsort_r(folds, count, sizeof *folds, compare_folds, &stacks);
    for (size_t i = 0; i < count && !stacks.failed; i++) {
        uint64_t amount = folds[i].amount; /* functions of one name are one */
        while (i + 1 < count && compare_folds(&folds[i], &folds[i + 1], &stacks) == 0)
            amount += folds[++i].amount;
        text_puts(&out, stacks.bytes + folds[i].at);
        text_printf(&out, " %" PRIu64 "\n", amount);
    }
    out.failed |= stacks.failed;
    text_free(&stacks);
    free(folds);
    return handed_out(&out, size);
}

/* ---- speedscope ---- */

static void put_json_text(struct text *out, const char *text)
{
    json_put_string(out, text, strlen(text));
}

static void put_frames(const struct spoor_profile *profile, struct text *out)
{
    struct text name = {0};
    text_puts(out, "\"shared\":{\"frames\":[");
    for (size_t i = 0; i < profile->row_count; i++) {
        const char *source = profile->rows[i].source;
        const char *colon = source ? strrchr(source, ':') : NULL;
        name.size = 0;
        profile_put_frame(profile, (uint32_t)i, &name);
        text_puts(out, i ? ",\n{\"name\":" : "\n{\"name\":");
        json_put_string(out, name.bytes, name.size);
        if (colon) {
            text_puts(out, ",\"file\":");
            json_put_string(out, source, (size_t)(colon - source));
            text_printf(out, ",\"line\":%s", colon + 1);
        }
        text_puts(out, "}");
    }
    text_puts(out, "]},\n");
    out->failed |= name.failed;
    text_free(&name);
}

/* The samples of a processor: a stack for each context, which weighs what it ran itself. */
static void put_samples(const struct spoor_profile *profile, uint32_t cpu, struct text *out)
{
    const struct context *nodes = profile->contexts.nodes;
    struct text weights = {0};
    uint32_t path[CONTEXTS_DEEPEST + 1] = {0};
    uint64_t all = 0;
    text_puts(out, ",\"samples\":[");
    for (size_t i = 0; i < profile->contexts.count; i++) {
        if (!is_shown(profile, i)) continue;
        const size_t count = path_of(profile, (uint32_t)i, path);
        const uint64_t amount = profile_amount(profile, &nodes[i].own);
        if (nodes[path[0]].parent != cpu) continue;
        text_puts(out, all ? ",\n[" : "\n[");
        for (size_t j = 0; j < count; j++)
            text_printf(out, "%s%" PRIu32, j ? "," : "", profile->row_of[path[j]]);
        text_puts(out, "]");
        text_printf(&weights, "%s%" PRIu64, all ? "," : "", amount);
        all += amount;
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
    put_json_text(&out, title);
    text_puts(&out, ",\n\"activeProfileIndex\":0,\n");
    put_frames(profile, &out);
    text_puts(&out, "\"profiles\":[");
    for (size_t i = 0; i < profile->contexts.count; i++) {
        const struct context *node = &profile->contexts.nodes[i];
        if (node->kind != CONTEXT_CPU || node->first_child == NO_CONTEXT) continue;
        text_puts(&out, first ? "\n{\"type\":\"sampled\",\"name\":"
                              : ",\n{\"type\":\"sampled\",\"name\":");
        name.size = 0;
        put_cpu(profile, node->first_child, &name);
        json_put_string(&out, name.bytes, name.size);
        text_puts(&out, ",\"unit\":\"none\"");
        put_samples(profile, (uint32_t)i, &out);
        first = false;
    }
    text_puts(&out, "]}\n");
    out.failed |= name.failed;
    text_free(&name);
    return handed_out(&out, size);
}
