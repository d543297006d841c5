/* SPDX-License-Identifier: MIT */
/* page_show.c: the lines that operating-systems courses print. */
#include "cli/page_show.h"

#include <string.h>

enum { MAX_OUT = 1 << 16 };

typedef unsigned long long ull;

void page_show_start(struct page_show *show, enum page_show_what what,
                     const struct spoor_paging_options *options, const struct spoor_paging *paging)
{
    *show = (struct page_show){.what = what, .levels = options->levels, .paging = paging};
    const char *policy = spoor_paging_policy(paging)->name;
    show->demand = options->frames || strcmp(policy, "lru") != 0;
    show->bits = strcmp(policy, "nfu") == 0;
}

void page_show_begin(struct page_show *show)
{
    if (show->what != SHOW_BITMASKS && show->what != SHOW_COUNTS) return;
    text_puts(&show->out, "Bitmasks\n");
    for (size_t i = 0; i < show->levels; i++)
        text_printf(&show->out, "level %zu mask %08llX\n", i,
                    (ull)spoor_paging_mask(show->paging, i));
}

/* With replacement: pages and frames; without: addresses and the TLB. */
static void page_show_put_access(struct page_show *show, const struct spoor_page_access *access)
{
    struct text *out = &show->out;
    const char *table = access->page_hit ? "pagetable hit" : "pagetable miss";
    if (show->demand)
        text_printf(out, "%08llX -> %08llX, %s", (ull)access->page, (ull)access->frame, table);
    else if (access->tlb_hit)
        text_printf(out, "%08llX -> %08llX, tlb hit", (ull)access->address, (ull)access->physical);
    else
        text_printf(out, "%08llX -> %08llX, tlb miss, %s", (ull)access->address,
                    (ull)access->physical, table);
    if (access->replaced && show->bits)
        text_printf(out, ", %08llX page (with bitstring %04X) was replaced",
                    (ull)access->replaced_page, access->bits);
    else if (access->replaced)
        text_printf(out, ", %08llX page was replaced", (ull)access->replaced_page);
    text_puts(out, "\n");
}

static void page_show_flush(struct page_show *show)
{
    if (show->out.size || show->out.failed) show->code = worse(show->code, show_text(&show->out));
    show->out.size = 0;
}

void page_show_access(struct page_show *show, const struct spoor_page_access *access)
{
    const uint64_t offset = access->address & (spoor_paging_page_size(show->paging) - 1);
    switch (show->what) {
    case SHOW_OFFSET: text_printf(&show->out, "%08llX\n", (ull)offset); break;
    case SHOW_VPN2PFN:
        for (size_t i = 0; i < show->levels; i++)
            text_printf(&show->out, "%llX ",
                        (ull)spoor_paging_index(show->paging, access->address, i));
        text_printf(&show->out, "-> %llX\n", (ull)access->frame);
        break;
    case SHOW_VA2PA:
        text_printf(&show->out, "%08llX -> %08llX\n", (ull)access->address, (ull)access->physical);
        break;
    case SHOW_ACCESS: page_show_put_access(show, access); break;
    case SHOW_COUNTS:
        text_printf(&show->out, "0x%08llX -> page ", (ull)access->address);
        for (size_t i = 0; i < show->levels; i++)
            text_printf(&show->out, "0x%llX ",
                        (ull)spoor_paging_index(show->paging, access->address, i));
        text_printf(&show->out, "accessed %llu times\n", (ull)access->count);
        break;
    default: return;
    }
    if (show->out.size > MAX_OUT) page_show_flush(show);
}

/* ---- at the end ---- */

static double page_show_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

int page_show_end(struct page_show *show, bool whole)
{
    if (show->what == SHOW_SUMMARY && whole) {
        const struct spoor_paging_counts counts = spoor_paging_count(show->paging);
        const uint64_t hits = counts.tlb_hits + counts.page_hits;
        struct text *out = &show->out;
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
                    page_show_percent(hits, counts.accesses),
                    page_show_percent(counts.misses, counts.accesses), (ull)counts.frames);
        if (!show->demand)
            text_printf(out, "Number of page table entries: %llu\n", (ull)counts.table_entries);
    }
    page_show_flush(show);
    text_free(&show->out);
    return show->code;
}
