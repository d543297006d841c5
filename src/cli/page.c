/* SPDX-License-Identifier: MIT */
/* page.c: the verb `page`: page tables, a TLB and page replacement on the addresses of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "cli/page_show.h"
#include "cli/preset.h"
#include "cli/references.h"
#include "cli/selecting.h"
#include "cli/simpoints.h"
#include "cli/sweep_axes.h"

struct page_settings {
    struct settings common;
    struct reference_settings references;
    const char *levels, *writes;
    uint64_t bits, tlb, tlb_recent, frames, interval, age, limit;
    int preset, show;
    const char *replace;
    struct list sweep;
};

static const char shows[] = "usual|result|summary|bitmasks|offset|vpn2pfn|va2pa|access|counts";

#define AT(field) offsetof(struct page_settings, field)
static const struct option options[] = {
    {0, "levels", "BITS,BITS...", OPTION_TEXT, AT(levels),
     "bits of each level's index, from the top; the remaining bits are the offset (default: 10,10)",
     NULL, OPTION_DOUBLE_DASH},
    {0, "address-bits", "N", OPTION_NUMBER, AT(bits), "bits of an address (default: 32)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "tlb", "N", OPTION_NUMBER, AT(tlb), "a TLB of N entries (default: none)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "tlb-recent", "N", OPTION_NUMBER, AT(tlb_recent),
     "replace TLB entries only among the N pages accessed last (a course: 10; default: all)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "frames", "N", OPTION_NUMBER, AT(frames), "frames of memory (default: unlimited)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "replace", "POLICY", OPTION_TEXT, AT(replace),
     "replacement policy: a name that --list policies prints (default: lru)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "sweep", "KEY=VALUES", OPTION_LIST, AT(sweep),
     "run all of 16,32 or 16..1024 (doubled) or 1..9+1, of frames, tlb, tlb-recent, interval, age, "
     "address-bits or replace, in one pass (repeated: all combinations)",
     NULL, OPTION_DOUBLE_DASH},
    {0, "interval", "N", OPTION_NUMBER, AT(interval),
     "nfu: accesses between two ticks of ageing (default: 10)", NULL, OPTION_DOUBLE_DASH},
    {0, "age", "N", OPTION_NUMBER, AT(age), "wsclock: accesses until a page is old (default: 10)",
     NULL, OPTION_DOUBLE_DASH},
    {0, "writes", "FILE", OPTION_INPUT, AT(writes),
     "FILE with a character 0 or 1 per access: 1 writes (default: as the trace states)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "preset", "NAME", OPTION_CHOICE, AT(preset),
     "conventions of sdsu: --tlb-recent 10 and --show summary; of penn, "
     "sfsu, textbook, dinero: no change",
     PRESET_CHOICES, OPTION_DOUBLE_DASH},
    {0, "show", "WHAT", OPTION_CHOICE, AT(show),
     "the result, or the lines of the course: summary, or one per access (usual: the result; with "
     "--preset sdsu the summary)",
     shows, OPTION_DOUBLE_DASH},
    {'n', "limit", "N", OPTION_NUMBER, AT(limit), "simulate the first N references only", NULL,
     OPTION_DOUBLE_DASH},
    REFERENCE_OPTIONS(struct page_settings, references),
    SELECTION_OPTIONS,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* ---- options ---- */

static bool parse_levels(const char *words, struct spoor_paging_options *paging)
{
    struct scan scan = {words, words + strlen(words)};
    uint64_t bits;
    do {
        if (paging->levels == SPOOR_PAGE_LEVELS || !scan_number(&scan, &bits) || bits > 63)
            return false;
        paging->level_bits[paging->levels++] = (unsigned)bits;
    } while (scan_char(&scan, ',') || scan_char(&scan, ':'));
    return scan_done(&scan);
}

static bool fits(uint64_t number, const char *name)
{
    if (number <= UINT32_MAX / 2) return true;
    complain("--%s: found %llu, expected at most %u", name, (unsigned long long)number,
             UINT32_MAX / 2);
    return false;
}

/* The course of sdsu replaces the oldest entry among the ten pages accessed last. */
static uint64_t tlb_recent_of(const struct page_settings *settings)
{
    enum { SDSU_RECENT = 10 };
    if (settings->tlb_recent || settings->preset != PRESET_SDSU) return settings->tlb_recent;
    return SDSU_RECENT;
}

static enum page_show_what show_of(const struct page_settings *settings)
{
    const bool data = settings->common.json || settings->common.csv;
    if (settings->show != SHOW_USUAL) return (enum page_show_what)settings->show;
    return settings->preset == PRESET_SDSU && !data ? SHOW_SUMMARY : SHOW_RESULT;
}

static bool make_options(const struct page_settings *settings, struct spoor_paging_options *paging)
{
    *paging = (struct spoor_paging_options){.address_bits = (unsigned)settings->bits,
                                            .frames = settings->frames,
                                            .policy = settings->replace,
                                            .tlb = (uint32_t)settings->tlb,
                                            .tlb_recent = (uint32_t)tlb_recent_of(settings),
                                            .interval = (uint32_t)settings->interval,
                                            .age = (uint32_t)settings->age,
                                            .memory = settings->common.memory};
    if (!fits(settings->tlb, "tlb") || !fits(settings->tlb_recent, "tlb-recent") ||
        !fits(settings->interval, "interval") || !fits(settings->age, "age") ||
        !fits(settings->bits, "address-bits"))
        return false;
    if (parse_levels(settings->levels ? settings->levels : "10,10", paging)) return true;
    complain("--levels %s: expected numbers of bits such as 8,12", settings->levels);
    return false;
}

/* ---- one trace ---- */

struct simulation {
    struct spoor_paging *paging;
    struct page_show show;
    FILE *writes;
    bool hold;
    uint64_t *addresses; /* held for opt, with a bit for writes */
    bool *written;
    size_t count, capacity;
    size_t warm; /* of them, in the warm-up */
    struct spoor_error error;
    int code;
};

/* True if an access writes: by the file of --writes if there is one. */
static bool writes(struct simulation *simulation, const struct spoor_reference *reference)
{
    if (!simulation->writes) return reference->op == SPOOR_REFERENCE_WRITE;
    int c;
    do {
        c = getc(simulation->writes);
    } while (c == '\n' || c == '\r');
    if (c == '0' || c == '1') return c == '1';
    if (simulation->code == EXIT_CLEAN)
        complain("--writes: found %s, expected 0 or 1 for each access",
                 c == EOF ? "the end" : "another character");
    simulation->code = EXIT_UNREADABLE;
    return false;
}

static void step(struct simulation *simulation, uint64_t address, bool write)
{
    struct spoor_page_access access;
    if (simulation->code != EXIT_CLEAN) return;
    if (spoor_paging_access(simulation->paging, address, write, &access, &simulation->error) !=
        SPOOR_OK)
        simulation->code = fail(&simulation->error);
    else
        page_show_access(&simulation->show, &access);
}

static bool hold(struct simulation *simulation, uint64_t address, bool write)
{
    size_t capacity = simulation->capacity;
    if (!array_reserve(&simulation->addresses, &capacity, simulation->count + 1) ||
        !array_reserve(&simulation->written, &simulation->capacity, capacity))
        return false;
    simulation->addresses[simulation->count] = address;
    simulation->written[simulation->count++] = write;
    return true;
}

static bool feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct simulation *simulation = context;
    for (size_t i = 0; i < count && simulation->code == EXIT_CLEAN; i++) {
        const bool write = writes(simulation, &items[i]);
        if (!simulation->hold)
            step(simulation, items[i].address, write);
        else if (!hold(simulation, items[i].address, write))
            return false;
    }
    return true;
}

/* Simulates the held accesses. */
static void release(struct simulation *simulation)
{
    if (spoor_paging_foresee(simulation->paging, simulation->addresses, simulation->count, NULL) !=
            SPOOR_OK ||
        (simulation->count &&
         spoor_paging_foresee(simulation->paging, NULL, 0, NULL) != SPOOR_OK)) {
        complain("out of memory");
        simulation->code = EXIT_UNREADABLE;
    }
    for (size_t i = 0; i < simulation->count; i++) {
        if (i == simulation->warm) spoor_paging_end_warmup(simulation->paging);
        step(simulation, simulation->addresses[i], simulation->written[i]);
    }
}

/* The warm-up ends: now, or with as many held accesses. */
static void forget(void *context)
{
    struct simulation *simulation = context;
    simulation->warm = simulation->count;
    if (!simulation->hold) spoor_paging_end_warmup(simulation->paging);
}

static int simulate(struct simulation *simulation, const struct page_settings *settings,
                    const char *path)
{
    struct reference_sink sink = {.context = simulation, .feed = feed, .forget = forget};
    struct reference_settings chosen = settings->references;
    if (settings->limit) {
        chosen.range.given = true;
        const uint64_t last = chosen.range.first + settings->limit - 1;
        if (!settings->references.range.given || last < chosen.range.last) chosen.range.last = last;
    }
    page_show_begin(&simulation->show);
    int code = references_run(path, &settings->common, &chosen, &sink);
    simulation->show.format = sink.format;
    if (simulation->hold && sink.has_result) release(simulation);
    if (!sink.has_result) simulation->show.out.size = 0;
    simulation->show.broken = simulation->code != EXIT_CLEAN || !sink.has_result;
    return worse(code, simulation->code);
}

/* ---- sweeps ---- */

/* Sets the value of an axis; false: an error has been printed. */
static bool set_axis(struct page_settings *settings, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *number;
    } keys[] = {{"frames", &settings->frames},
                {"tlb", &settings->tlb},
                {"tlb-recent", &settings->tlb_recent},
                {"interval", &settings->interval},
                {"age", &settings->age},
                {"address-bits", &settings->bits}};
    if (strcmp(name, "replace") == 0 || strcmp(name, "policy") == 0) {
        settings->replace = value;
        return true;
    }
    if (strcmp(name, "levels") == 0) { /* 10:10, as commas separate values */
        settings->levels = value;
        return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(name, keys[i].name) == 0 && scan_all_number(value, keys[i].number)) return true;
    complain("page --sweep: found '%s=%s', expected a number of frames, tlb, tlb-recent, interval, "
             "age or address-bits, levels such as 10:10, or a policy of replace",
             name, value);
    return false;
}

/* All combinations, fed in one pass. */
struct group {
    struct simulation *items;
    size_t count;
};

static bool feed_group(void *context, const struct spoor_reference *items, size_t count)
{
    struct group *group = context;
    int *code = &group->items[0].code;
    for (size_t i = 0; i < count && *code == EXIT_CLEAN; i++) {
        const bool write = writes(&group->items[0], &items[i]);
        for (size_t at = 0; at < group->count; at++) {
            struct simulation *simulation = &group->items[at];
            if (!simulation->hold)
                step(simulation, items[i].address, write);
            else if (!hold(simulation, items[i].address, write))
                return false;
            if (simulation->code != EXIT_CLEAN) *code = simulation->code;
        }
    }
    return true;
}

static void forget_group(void *context)
{
    const struct group *group = context;
    for (size_t i = 0; i < group->count; i++) forget(&group->items[i]);
}

/* The memories that a simpoint leaves to the next, one for each combination. */
struct memories {
    size_t count;
    struct spoor_paging *items[];
};

static void free_memories(void *state)
{
    struct memories *memories = state;
    for (size_t i = 0; i < memories->count; i++) spoor_paging_free(memories->items[i]);
    free(memories);
}

/* Leaves the memories of some simulations, for the next simpoint.  One of opt needs the
 * future: with it, every simpoint begins with empty memories. */
static void carry_memories(const struct settings *settings, struct simulation *simulations,
                           size_t count)
{
    struct memories *memories =
        settings->carried ? malloc(sizeof *memories + count * sizeof *memories->items) : NULL;
    for (size_t i = 0; i < count && memories; i++) {
        if (!simulations[i].hold) continue;
        free(memories);
        memories = NULL;
    }
    if (!memories) return;
    memories->count = count;
    for (size_t i = 0; i < count; i++) {
        memories->items[i] = simulations[i].paging;
        simulations[i].paging = NULL;
    }
    carry(settings, memories, free_memories);
}

/* Gives simulations the memories of the simpoint before, if there is one. */
static void begin_with_memories(const struct settings *settings, struct simulation *simulations,
                                size_t count)
{
    struct memories *memories = carried_state(settings);
    for (size_t i = 0; memories && i < count; i++) {
        struct spoor_paging *empty = simulations[i].paging;
        simulations[i].paging = memories->items[i];
        simulations[i].show.paging = memories->items[i];
        memories->items[i] = empty;
        spoor_paging_end_warmup(simulations[i].paging);
    }
    if (memories) free_memories(memories);
}

static int make_group(const struct page_settings *settings, const struct sweep *sweep,
                      struct group *group)
{
    const size_t count = sweep_count(sweep);
    group->items = calloc(count, sizeof *group->items);
    if (!group->items) {
        complain("out of memory");
        return EXIT_UNREADABLE;
    }
    for (size_t i = 0; i < count; i++) {
        struct page_settings own = *settings;
        struct spoor_paging_options chosen;
        struct simulation *simulation = &group->items[i];
        for (size_t axis = 0; axis < sweep->axis_count; axis++)
            if (!set_axis(&own, sweep->axes[axis].name, sweep_value(sweep, i, axis)))
                return EXIT_USAGE;
        if (!make_options(&own, &chosen)) return EXIT_USAGE;
        if (spoor_paging_new(&simulation->paging, &chosen, &simulation->error) != SPOOR_OK)
            return fail(&simulation->error);
        page_show_start(&simulation->show, SHOW_RESULT, &chosen, simulation->paging);
        simulation->hold = spoor_paging_needs_future(simulation->paging);
        group->count++;
    }
    return EXIT_CLEAN;
}

static void free_group(struct group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        free(group->items[i].addresses);
        free(group->items[i].written);
        spoor_paging_free(group->items[i].paging);
    }
    free(group->items);
}

static int show_group(const struct settings *common, const struct sweep *sweep,
                      const struct group *group, struct spoor_result *result, bool *shown,
                      struct spoor_result *all)
{
    struct spoor_result *rows = spoor_result_array(result, "sweep");
    for (size_t i = 0; i < group->count; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        sweep_put(sweep, i, common->json ? spoor_result_object(row, "swept") : row);
        spoor_paging_report(group->items[i].paging, row);
    }
    if (all) return EXIT_CLEAN;
    int code = show_apart(shown);
    code = worse(code, show_result(result, result_form_of(common)));
    spoor_result_free(result);
    return code;
}

static int run_group(const struct page_settings *settings, const struct sweep *sweep,
                     struct group *group, const char *path, bool *shown, struct spoor_result *all)
{
    struct reference_sink sink = {.context = group, .feed = feed_group, .forget = forget_group};
    int code = references_run(path, &settings->common, &settings->references, &sink);
    if (!sink.has_result) return code;
    for (size_t i = 0; i < group->count; i++) {
        if (group->items[i].hold) release(&group->items[i]);
        code = worse(code, group->items[i].code);
    }
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    spoor_result_text(result, "trace", path);
    spoor_result_text(result, "format", sink.format);
    return worse(code, show_group(&settings->common, sweep, group, result, shown, all));
}

static int sweep_path(const struct page_settings *settings, const char *path, bool *shown,
                      struct spoor_result *all)
{
    enum { MAX_PAGE_SWEEP = 256 };
    struct sweep sweep;
    struct group group = {0};
    int code = EXIT_USAGE;
    if (sweep_parse(&sweep, &settings->common, &settings->sweep, MAX_PAGE_SWEEP))
        code = make_group(settings, &sweep, &group);
    if (code == EXIT_CLEAN) {
        begin_with_memories(&settings->common, group.items, group.count);
        code = run_group(settings, &sweep, &group, path, shown, all);
        carry_memories(&settings->common, group.items, group.count);
    }
    free_group(&group);
    sweep_free(&sweep);
    return code;
}

static int simulate_path(const void *context, const char *path, bool *shown,
                         struct spoor_result *all)
{
    const struct page_settings *settings = context;
    struct spoor_paging_options chosen;
    struct simulation simulation = {0};
    if (settings->sweep.count) return sweep_path(settings, path, shown, all);
    if (!make_options(settings, &chosen)) return EXIT_USAGE;
    if (settings->writes && !(simulation.writes = fopen(settings->writes, "r"))) {
        complain("%s: %s", settings->writes, strerror(errno));
        return EXIT_UNREADABLE;
    }
    int code = EXIT_CLEAN;
    if (spoor_paging_new(&simulation.paging, &chosen, &simulation.error) != SPOOR_OK) {
        code = fail(&simulation.error);
    } else {
        simulation.hold = spoor_paging_needs_future(simulation.paging);
        page_show_start(&simulation.show, show_of(settings), &chosen, simulation.paging);
        begin_with_memories(&settings->common, &simulation, 1);
        code = simulate(&simulation, settings, path);
        if (!simulation.show.broken && !all && show_of(settings) == SHOW_RESULT)
            code = worse(code, show_apart(shown));
        code = worse(code, page_show_end(&simulation.show, path, &settings->common, all));
        carry_memories(&settings->common, &simulation, 1);
    }
    if (simulation.writes) fclose(simulation.writes);
    free(simulation.addresses);
    free(simulation.written);
    spoor_paging_free(simulation.paging);
    return code;
}

static int run(void *chosen)
{
    struct page_settings *settings = chosen;
    if (settings->sweep.count && (settings->writes || settings->limit)) {
        complain("page: --writes and --limit cannot be combined with --sweep");
        return EXIT_USAGE;
    }
    return simpoints_run(&settings->common, simulate_path, settings);
}

const struct verb verb_page = {
    .name = "page",
    .brief = "simulate page tables, a TLB and page replacement",
    .operands = "[TRACE...]",
    .about = "Cuts the address of every reference into an index for each level of a page table and "
             "an offset, and counts TLB hits, page hits and misses; with --frames a policy "
             "selects the page to replace.  --show prints the output of operating-systems "
             "courses.  Replacement with opt holds the addresses of the whole trace in memory.",
    .options = options,
    .settings_size = sizeof(struct page_settings),
    .results = true,
    .many = true,
    .run = run,
};
