/* SPDX-License-Identifier: MIT */
/* pair.c: two traces: the other one follows, and differences are found and shown. */
#include <inttypes.h>
#include <string.h>

#include "browse/internal.h"

static unsigned pair_side(const struct view *view)
{
    return view != view->browser->views;
}

bool pair_is_aligned(struct browser *browser)
{
    return browser->aligned && browser->views[0].explorer && browser->views[1].explorer;
}

bool pair_adopt(struct browser *browser)
{
    bool news;
    size_t count, roots = 0;
    const char *error;
    struct spoor_explorer *const explorers[2] = {browser->views[0].explorer,
                                                 browser->views[1].explorer};
    if (!browser->alignment || browser->aligned || !explorers[0] || !explorers[1]) return false;
    const bool there = alignment_is_there(browser->alignment, &news, &error);
    if (error && news) {
        struct spoor_error failure = {0};
        heed(browser, spoor_error_set(&failure, SPOOR_EINPUT, "%s", error), &failure);
        say_error(browser, "the traces are not compared: %s", error);
    }
    if (!there) return news;
    alignment_number(browser->alignment, explorers);
    browser->aligned = true;
    const struct alignment_difference *differences =
        alignment_differences(browser->alignment, &count);
    for (size_t i = 0; i < count; i++) roots += differences[i].root;
    uint64_t first[2];
    const uint64_t unlisted = alignment_unlisted(browser->alignment, first);
    if (unlisted)
        say(browser,
            "%" PRIu64 " differences, of which the first %zu, %zu of them roots, are listed: ]d "
            "goes to the next",
            count + unlisted, count, roots);
    else
        say(browser, "%zu difference%s, %zu of them roots: ]d goes to the next", count,
            count == 1 ? "" : "s", roots);
    return true;
}

void pair_follow(struct browser *browser)
{
    struct view *view = view_of(browser), *other = &browser->views[!browser->view];
    if (!pair_is_aligned(browser)) return;
    const struct here *here = view_here(view);
    const unsigned side = pair_side(view);
    if (!here->known) return;
    const uint64_t ordinal =
        alignment_ordinal(browser->alignment, side, view->explorer, here->record);
    view_go_record(other, alignment_other(browser->alignment, side, ordinal, other->explorer),
                   false);
}

enum style pair_style(struct view *view, const struct spoor_listing_row *row)
{
    struct browser *browser = view->browser;
    const unsigned side = pair_side(view);
    if (!pair_is_aligned(browser) || row->record == SPOOR_ROW_UNKNOWN) return STYLE_PLAIN;
    const uint64_t ordinal =
        alignment_ordinal(browser->alignment, side, view->explorer, row->record);
    const struct alignment_difference *difference = alignment_at(browser->alignment, side, ordinal);
    return !difference ? STYLE_PLAIN : difference->root ? STYLE_ROOT : STYLE_DIFFERENT;
}

void pair_seek_difference(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    const int value = call->command->value;
    const bool forwards = value > 0, roots = value == 2 || value == -2;
    const unsigned side = pair_side(view);
    size_t count;
    if (browser->view_count < 2) {
        say_error(browser, "there is one trace: spoor browse TRACE TRACE2 compares two");
        return;
    }
    if (!need_index(browser)) return;
    pair_wait(browser);
    if (!pair_is_aligned(browser)) return;
    const struct here *here = view_here(view);
    const struct alignment_difference *list = alignment_differences(browser->alignment, &count);
    const struct alignment_difference *found = NULL;
    size_t number = 0;
    for (size_t i = 0; i < count && !(found && forwards); i++) {
        const uint64_t record = list[i].record[side];
        if ((roots && !list[i].root) || (forwards ? record <= here->last : record >= here->record))
            continue;
        found = &list[i];
        number = i;
    }
    uint64_t first[2];
    if (!found && forwards && alignment_unlisted(browser->alignment, first)) {
        say_error(browser, "no later %s is listed: those that are not begin at record %" PRIu64,
                  roots ? "root" : "difference", first[side]);
        return;
    }
    if (!found) {
        say_error(browser, "there is no %s %s", forwards ? "later" : "earlier",
                  roots ? "root" : "difference");
        return;
    }
    if (!view_go_record(view, found->record[side], true)) return;
    say(browser, "%s %zu of %zu: %s%s", found->root ? "root" : "consequence", number + 1, count,
        found->gap ? "gap, " : "", found->words);
}

void pair_wait(struct browser *browser)
{
    bool news;
    const char *error = NULL;
    if (!browser->alignment) return;
    for (size_t i = 0; i < browser->view_count; i++) wait_for_index(&browser->views[i]);
    work_begin(browser, "comparing");
    while (!alignment_is_there(browser->alignment, &news, &error) && !error) {
        const struct spoor_index *index = browser->views[0].index;
        if (!work_goes_on(browser, alignment_progress(browser->alignment),
                          index ? spoor_index_records(index) : 0))
            return;
        pause_briefly();
    }
    if (error) {
        struct spoor_error failure = {0};
        heed(browser, spoor_error_set(&failure, SPOOR_EINPUT, "%s", error), &failure);
        say_error(browser, "the traces are not compared: %s", error);
    }
    pair_adopt(browser);
}

void other_trace(struct browser *browser, const struct command_call *call)
{
    (void)call;
    if (browser->split)
        browser->view = (browser->view + 1) % browser->split;
    else if (browser->view_count < 2)
        say_error(browser, "there is one trace: spoor browse TRACE TRACE2 compares two");
    else
        browser->view = !browser->view;
}
