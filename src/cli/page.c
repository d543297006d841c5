/* SPDX-License-Identifier: MIT */
/* page.c: the verb `page`: page tables, a TLB and page replacement on the addresses of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/preset.h"
#include "cli/references.h"
#include "cli/selection.h"
#include "cli/simpoints.h"
#include "cli/sweep_axes.h"
#include "spoor/paging.h"

/* ---- page show ---- */

/* In the order of --print. */
enum page_show_what {
    SHOW_USUAL, /* the preset's choice; resolved before printing */
    SHOW_RESULT,
    SHOW_SUMMARY,
    SHOW_BITMASKS,
    SHOW_OFFSET,
    SHOW_VPN2PFN,
    SHOW_VA2PA,
    SHOW_ACCESS,
    SHOW_COUNTS,
};

struct page_show {
    enum page_show_what what;
    bool demand; /* a policy was given: the course's report on replacement */
    bool bits;   /* the policy has age bits */
    size_t levels;
    const struct spoor_paging *paging;
    struct text out;
    int code; /* exit code of writing so far */
};

enum { MAX_OUT = 1 << 16 };

typedef unsigned long long ull;

static void page_show_flush(struct page_show *show)
{
    if (show->out.size || show->out.failed) show->code = worse(show->code, show_text(&show->out));
    show->out.size = 0;
}

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
    OPT(0, "levels", TEXT, "BITS,BITS...", AT(levels),
        "bits of each level's index, from the top; the remaining bits are the offset (default: "
        "10,10)"),
    OPT(0, "address-bits", NUMBER, "N", AT(bits),
        "bits of an address (default: 32, and more where addresses have them)"),
    OPT(0, "tlb", NUMBER, "N", AT(tlb), "a TLB of N entries (default: none)"),
    OPT(0, "frames", NUMBER, "N", AT(frames), "frames of memory (default: unlimited)"),
    OPT(0, "replace", TEXT, "POLICY", AT(replace),
        "replacement policy: a name that --list policies prints (default: lru)"),
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep),
        "keys: frames, tlb, tlb-recent, ageing, age, address-bits, replace, levels"),
    OPT('n', "limit", NUMBER, "N", AT(limit), "references"),
    OPT_CHOICE(0, "preset", "NAME", AT(preset),
               "sdsu (of 2023): --tlb-recent 10 and --print summary; sdsu-2024: --print summary; "
               "the others change nothing",
               PRESET_CHOICES),
    OPT_CHOICE(0, "print", "WHAT", AT(show),
               "the result, or what SDSU's program prints: its summary, or a line per access "
               "(default: the result; with --preset sdsu or sdsu-2024 the summary)",
               shows),
    OPT(0, "tlb-recent", NUMBER, "N", AT(tlb_recent),
        "replace TLB entries only among the N pages accessed last (SDSU: 10; default: all)"),
    OPT(0, "ageing", NUMBER, "N", AT(interval),
        "nfu: accesses between two ticks of ageing (default: 10)"),
    OPT(0, "age", NUMBER, "N", AT(age), "wsclock: accesses until a page is old (default: 10)"),
    OPT(0, "writes", INPUT, "FILE", AT(writes),
        "FILE with a character 0 or 1 per access: 1 writes (default: as the trace states)"),
    REFERENCE_OPTIONS(struct page_settings, references),
    SELECTION_OPTIONS,
    WARMUP_OPTION,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* ---- options ---- */

static bool page_fits(uint64_t number, const char *name)
{
    if (number <= UINT32_MAX / 2) return true;
    return complain("--%s: found %llu, expected at most %u", name, (unsigned long long)number,
                    UINT32_MAX / 2);
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

static void page_step(struct simulation *simulation, uint64_t address, bool write)
{
    struct spoor_page_access access;
    if (simulation->code != EXIT_CLEAN) return;
    const enum spoor_status status =
        spoor_paging_access(simulation->paging, address, write, &access, &simulation->error);
    if (status != SPOOR_OK) {
        simulation->code = fail(&simulation->error);
        if (status == SPOOR_EINPUT)
            complain("--address-bits states more, as 48 with --levels 9,9,9,9 (pages of 4K)");
        return;
    }
    struct page_show *show = &simulation->show;
    const uint64_t offset = address & (spoor_paging_page_size(show->paging) - 1);
    struct text *out = &show->out;
    switch (show->what) {
    case SHOW_OFFSET: text_printf(out, "%08llX\n", (ull)offset); break;
    case SHOW_VPN2PFN:
        for (size_t i = 0; i < show->levels; i++)
            text_printf(out, "%llX ", (ull)spoor_paging_index(show->paging, address, i));
        text_printf(out, "-> %llX\n", (ull)access.frame);
        break;
    case SHOW_VA2PA:
        text_printf(out, "%08llX -> %08llX\n", (ull)address, (ull)access.physical);
        break;
    case SHOW_ACCESS: {
        /* with replacement: pages and frames; without: addresses and the TLB */
        const char *table = access.page_hit ? "pagetable hit" : "pagetable miss";
        if (show->demand)
            text_printf(out, "%08llX -> %08llX, %s", (ull)access.page, (ull)access.frame, table);
        else if (access.tlb_hit)
            text_printf(out, "%08llX -> %08llX, tlb hit", (ull)address, (ull)access.physical);
        else
            text_printf(out, "%08llX -> %08llX, tlb miss, %s", (ull)address, (ull)access.physical,
                        table);
        if (access.replaced && show->bits)
            text_printf(out, ", %08llX page (with bitstring %04X) was replaced",
                        (ull)access.replaced_page, access.bits);
        else if (access.replaced)
            text_printf(out, ", %08llX page was replaced", (ull)access.replaced_page);
        text_puts(out, "\n");
        break;
    }
    case SHOW_COUNTS:
        text_printf(out, "0x%08llX -> page ", (ull)address);
        for (size_t i = 0; i < show->levels; i++)
            text_printf(out, "0x%llX ", (ull)spoor_paging_index(show->paging, address, i));
        text_printf(out, "accessed %llu times\n", (ull)access.count);
        break;
    default: return;
    }
    if (show->out.size > MAX_OUT) page_show_flush(show);
}

/* ---- sweeps ---- */

/* Sets the value of an axis; false: an error has been printed. */
static bool page_set_axis(struct page_settings *settings, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *number;
    } keys[] = {{"frames", &settings->frames},
                {"tlb", &settings->tlb},
                {"tlb-recent", &settings->tlb_recent},
                {"ageing", &settings->interval},
                {"interval", &settings->interval}, /* its old name */
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
    return complain(
        "page --sweep: found '%s=%s', expected a number of frames, tlb, tlb-recent, ageing, "
        "age or address-bits, levels such as 10:10, or a policy of replace",
        name, value);
}

/* One simulation, or all combinations of a sweep, fed in one pass. */
struct page_study {
    const struct page_settings *settings;
    const struct sweep *sweep; /* NULL: none */
};
struct group {
    struct simulation *items;
    size_t count;
    bool failed; /* an access could not be simulated: there is no result */
};

static bool page_feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct group *group = context;
    struct simulation *const first = &group->items[0];
    int *code = &first->code;
    if (group->count == 1 && !first->hold && !first->writes) { /* the usual case, in a short loop */
        for (size_t i = 0; i < count; i++)
            page_step(first, items[i].address, items[i].op == SPOOR_REFERENCE_WRITE);
        return true;
    }
    for (size_t i = 0; i < count && *code == EXIT_CLEAN; i++) {
        bool write = items[i].op == SPOOR_REFERENCE_WRITE;
        if (first->writes) { /* what --writes says of the access */
            int c;
            do {
                c = getc(first->writes);
            } while (c == '\n' || c == '\r');
            write = c == '1';
            if (c != '0' && c != '1')
                *code = complain_for(EXIT_UNREADABLE,
                                     "--writes: found %s, expected 0 or 1 for each access",
                                     c == EOF ? "the end" : "another character");
        }
        for (size_t at = 0; at < group->count && *code == EXIT_CLEAN; at++) {
            struct simulation *simulation = &group->items[at];
            if (!simulation->hold)
                page_step(simulation, items[i].address, write);
            else {
                size_t capacity = simulation->capacity;
                if (!array_reserve(&simulation->addresses, &capacity, simulation->count + 1) ||
                    !array_reserve(&simulation->written, &simulation->capacity, capacity))
                    return false;
                simulation->addresses[simulation->count] = items[i].address;
                simulation->written[simulation->count++] = write;
            }
            if (simulation->code != EXIT_CLEAN) *code = simulation->code;
        }
    }
    return true;
}

/* What trains has ended: now, or with as many held accesses. */
static void page_forget(void *context)
{
    const struct group *group = context;
    for (size_t i = 0; i < group->count; i++) {
        struct simulation *simulation = &group->items[i];
        simulation->warm = simulation->count;
        if (!simulation->hold) spoor_paging_end_warmup(simulation->paging);
    }
}

static int page_make_group(const struct page_study *run, struct group *group)
{
    const size_t count = run->sweep ? sweep_count(run->sweep) : 1;
    const struct page_settings *settings = run->settings;
    group->items = calloc(count, sizeof *group->items);
    if (!group->items) return complain_for(EXIT_UNREADABLE, "out of memory");
    const bool data = settings->common.json || settings->common.csv;
    const bool sdsu = settings->preset == PRESET_SDSU || settings->preset == PRESET_SDSU_2024;
    const enum page_show_what what = run->sweep ? SHOW_RESULT
                                     : settings->show != SHOW_USUAL
                                         ? (enum page_show_what)settings->show
                                     : sdsu && !data ? SHOW_SUMMARY
                                                     : SHOW_RESULT;
    for (size_t i = 0; i < count; i++) {
        struct page_settings own = *settings;
        for (size_t axis = 0; run->sweep && axis < run->sweep->axis_count; axis++)
            if (!page_set_axis(&own, run->sweep->axes[axis].name, sweep_value(run->sweep, i, axis)))
                return EXIT_USAGE;
        struct simulation *simulation = &group->items[i];
        enum { SDSU_RECENT = 10 };
        /* The course of sdsu of 2023 replaces the oldest entry among the ten pages accessed last.
         */
        const bool ten_last = own.preset == PRESET_SDSU && !own.tlb_recent;
        struct spoor_paging_options chosen = {.address_bits = (unsigned)own.bits,
                                              .frames = own.frames,
                                              .policy = own.replace,
                                              .tlb = (uint32_t)own.tlb,
                                              .tlb_recent =
                                                  ten_last ? SDSU_RECENT : (uint32_t)own.tlb_recent,
                                              .interval = (uint32_t)own.interval,
                                              .age = (uint32_t)own.age,
                                              .memory = own.common.memory};
        if (!page_fits(own.tlb, "tlb") || !page_fits(own.tlb_recent, "tlb-recent") ||
            !page_fits(own.interval, "ageing") || !page_fits(own.age, "age") ||
            !page_fits(own.bits, "address-bits"))
            return EXIT_USAGE;
        const char *words = own.levels ? own.levels : "10,10";
        struct scan scan = {words, words + strlen(words)};
        bool good;
        do {
            uint64_t bits;
            good = chosen.levels < SPOOR_PAGE_LEVELS && scan_number(&scan, &bits) && bits <= 63;
            if (good) chosen.level_bits[chosen.levels++] = (unsigned)bits;
        } while (good && (scan_char(&scan, ',') || scan_char(&scan, ':')));
        if (!good || !scan_done(&scan))
            return complain_for(EXIT_USAGE, "--levels %s: expected numbers of bits such as 8,12",
                                own.levels);
        /* lines with the index of each level: their number is known before the first address */
        const bool has_levels =
            what == SHOW_BITMASKS || what == SHOW_VPN2PFN || what == SHOW_COUNTS;
        if (has_levels && !chosen.address_bits) chosen.address_bits = 32;
        if (spoor_paging_new(&simulation->paging, &chosen, &simulation->error) != SPOOR_OK)
            return fail(&simulation->error);
        simulation->show =
            (struct page_show){.what = what, .levels = chosen.levels, .paging = simulation->paging};
        const char *policy = spoor_paging_policy(simulation->paging)->name;
        simulation->show.demand = chosen.frames || strcmp(policy, "lru") != 0;
        simulation->show.bits = strcmp(policy, "nfu") == 0;
        simulation->hold = spoor_paging_needs_future(simulation->paging);
        group->count++;
    }
    if (!settings->writes) return EXIT_CLEAN;
    group->items[0].writes = fopen(settings->writes, "re");
    if (group->items[0].writes) return EXIT_CLEAN;
    return complain_for(EXIT_UNREADABLE, "%s: %s", settings->writes, strerror(errno));
}

static void page_free(void *simulator)
{
    struct group *group = simulator;
    for (size_t i = 0; i < group->count; i++) {
        if (group->items[i].writes) fclose(group->items[i].writes);
        text_free(&group->items[i].show.out);
        free(group->items[i].addresses);
        free(group->items[i].written);
        spoor_paging_free(group->items[i].paging);
    }
    free(group->items);
    free(group);
}

/* A policy that needs the future begins each interval with empty memory. */
static int page_make(const void *context, void *before, void **simulator)
{
    struct group *group = *simulator = before;
    bool holds = false;
    for (size_t i = 0; group && i < group->count; i++) holds |= group->items[i].hold;
    if (group && !holds) return EXIT_CLEAN;
    if (group) page_free(group);
    group = *simulator = calloc(1, sizeof *group);
    if (!group) return complain_for(EXIT_UNREADABLE, "out of memory");
    const int code = page_make_group(context, group);
    if (code != EXIT_CLEAN) page_free(group);
    return code;
}

static int page_interval(const void *context, struct trace_input *trace_input, void *simulator,
                         struct spoor_result *result)
{
    const struct page_study *run = context;
    const struct page_settings *settings = run->settings;
    struct reference_settings chosen = settings->references;
    if (settings->limit) { /* the first of --references */
        const uint64_t last = chosen.range.first + settings->limit - 1;
        if (!chosen.range.given || last < chosen.range.last) chosen.range.last = last;
        chosen.range.given = true;
    }
    struct group *group = simulator;
    struct reference_sink sink = {.context = group, .feed = page_feed, .forget = page_forget};
    struct page_show *show = &group->items[0].show;
    if (show->what == SHOW_BITMASKS || show->what == SHOW_COUNTS) {
        text_puts(&show->out, "Bitmasks\n");
        for (size_t i = 0; i < show->levels; i++)
            text_printf(&show->out, "level %zu mask %08llX\n", i,
                        (ull)spoor_paging_mask(show->paging, i));
    }
    int code = references_run(trace_input, &chosen, &sink);
    if (code == EXIT_USAGE) return code;
    if (code == EXIT_NOTHING) group->items[0].show.out.size = 0;
    int failed = EXIT_CLEAN;
    for (size_t i = 0; i < group->count; i++) {
        if (group->items[i].hold) {
            struct simulation *simulation = &group->items[i];
            if (spoor_paging_foresee(simulation->paging, simulation->addresses, simulation->count,
                                     NULL) != SPOOR_OK ||
                (simulation->count &&
                 spoor_paging_foresee(simulation->paging, NULL, 0, NULL) != SPOOR_OK)) {
                complain("out of memory");
                simulation->code = EXIT_UNREADABLE;
            }
            for (size_t j = 0; j < simulation->count; j++) {
                if (j == simulation->warm) spoor_paging_end_warmup(simulation->paging);
                page_step(simulation, simulation->addresses[j], simulation->written[j]);
            }
            if (simulation->warm == simulation->count) spoor_paging_end_warmup(simulation->paging);
        }
        failed = worse(failed, group->items[i].code);
    }
    group->failed = failed != EXIT_CLEAN;
    if (group->failed) return worse(code, failed);
    put_trace(result, trace_input);
    struct spoor_result *rows = run->sweep ? spoor_result_array(result, "sweep") : NULL;
    for (size_t i = 0; i < group->count; i++) {
        struct spoor_result *row = run->sweep ? spoor_result_object(rows, NULL) : result;
        if (run->sweep)
            sweep_put(run->sweep, i,
                      settings->common.json ? spoor_result_object(row, "swept") : row);
        spoor_paging_report(group->items[i].paging, row);
    }
    return code;
}

/* Shows the result, or the rest of the lines of a course. */
static int page_show_whole(const void *context, void *simulator, const struct spoor_result *result,
                           bool *shown)
{
    const struct page_study *run = context;
    const struct group *group = simulator;
    const struct settings *common = &run->settings->common;
    struct page_show *show = &group->items[0].show;
    const bool lines = show->what != SHOW_RESULT;
    int code = lines || group->failed ? EXIT_CLEAN : show_apart(shown);
    if (show->what == SHOW_SUMMARY && !group->failed) {
        const struct spoor_paging_counts counts = spoor_paging_count(show->paging);
        const uint64_t hits = counts.tlb_hits + counts.page_hits;
        struct text *out = &show->out;
        const double all = counts.accesses ? (double)counts.accesses : 1;
        text_printf(out, "Page size: %llu bytes\nAddresses processed: %llu\n",
                    (ull)spoor_paging_page_size(show->paging), (ull)counts.accesses);
        if (show->demand)
            text_printf(out, "Page hits: %llu, Misses: %llu, Page Replacements: %llu\nPage hit",
                        (ull)hits, (ull)counts.misses, (ull)counts.replacements);
        else
            text_printf(out,
                        "Cache hits: %llu, Page hits: %llu, Total hits: %llu, Misses: %llu\n"
                        "Total hit",
                        (ull)counts.tlb_hits, (ull)counts.page_hits, (ull)hits, (ull)counts.misses);
        text_printf(out, " percentage: %.2f%%, miss percentage: %.2f%%\nFrames allocated: %llu\n",
                    100.0 * (double)hits / all, 100.0 * (double)counts.misses / all,
                    (ull)counts.frames);
        if (!show->demand)
            text_printf(out, "Number of page table entries: %llu\n", (ull)counts.table_entries);
    }
    page_show_flush(show);
    text_free(&show->out);
    code = worse(code, show->code);
    if (group->failed || (lines && !common->json)) return code;
    return worse(code, show_result(result, result_form_of(common)));
}

static const struct interval_simulator page_simulator = {
    .make = page_make, .run = page_interval, .free = page_free, .show = page_show_whole};

static int page_run(void *chosen)
{
    enum { MAX_PAGE_SWEEP = 16384 };
    const struct page_settings *settings = chosen;
    struct page_study run = {.settings = settings};
    if (!settings->sweep.count)
        return simpoints_run(&settings->common, NULL, &page_simulator, &run);
    struct sweep sweep;
    int code = EXIT_USAGE;
    if (settings->writes || settings->limit) {
        complain("page: --writes and --limit cannot be combined with --sweep");
        return code;
    }
    if (sweep_parse(&sweep, &settings->common, &settings->sweep, MAX_PAGE_SWEEP)) {
        for (size_t i = 0; i < sweep.axis_count && !settings->common.quiet; i++)
            if (strcmp(sweep.axes[i].name, "interval") == 0)
                complain("page --sweep: interval is called ageing now; a later version does not "
                         "know the old name");
        run.sweep = &sweep;
        code = simpoints_run(&settings->common, NULL, &page_simulator, &run);
    }
    sweep_free(&sweep);
    return code;
}

const struct verb verb_page = {
    .name = "page",
    .brief = "simulate page tables, a TLB and page replacement",
    .operands = "[TRACE...]",
    .about = "Cuts the address of every reference into an index for each level of a page table and "
             "an offset, and counts TLB hits, page hits and misses; with --frames a policy "
             "selects the page to replace.  --print prints the output of operating-systems "
             "courses.  Replacement with opt holds the addresses of the whole trace in memory.",
    .options = options,
    .settings_size = sizeof(struct page_settings),
    .results = true,
    .many = true,
    .run = page_run,
};
