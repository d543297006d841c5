/* SPDX-License-Identifier: MIT */
/* page_show.h: output of the verb `page`: a result, or the lines of the courses. */
#ifndef SPOOR_CLI_PAGE_SHOW_H
#define SPOOR_CLI_PAGE_SHOW_H

#include "base/text.h"
#include "cli/cli.h"
#include "spoor/paging.h"

/* In the order of --show. */
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

void page_show_start(struct page_show *show, enum page_show_what what,
                     const struct spoor_paging_options *options, const struct spoor_paging *paging);
/* Prints the lines before the first access. */
void page_show_begin(struct page_show *show);
void page_show_access(struct page_show *show, const struct spoor_page_access *access);
/* Prints the rest; `whole`: also the summary, if that was asked for.  Returns the exit code of
 * writing. */
int page_show_end(struct page_show *show, bool whole);

#endif
