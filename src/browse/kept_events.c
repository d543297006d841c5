/* SPDX-License-Identifier: MIT */
/* kept_events.c: the oldest events make way for those of another segment. */
#include "browse/kept_events.h"

#include <stdlib.h>

enum spoor_status kept_events_find(struct kept_events *kept, struct spoor_explorer *explorer,
                                   size_t segment, const struct spoor_call_events **events,
                                   struct spoor_error *error)
{
    size_t at = 0;
    while (at < KEPT_SEGMENTS_MAX &&
           !(kept->items[at].events && kept->items[at].segment == segment))
        at++;
    enum spoor_status status = SPOOR_OK;
    if (at == KEPT_SEGMENTS_MAX) {
        at = kept->next++ % KEPT_SEGMENTS_MAX;
        free(kept->items[at].events);
        kept->items[at].segment = segment;
        status = spoor_explorer_call_events(explorer, segment, &kept->items[at].events, error);
    }
    *events = kept->items[at].events;
    return status;
}

void kept_events_free(struct kept_events *kept)
{
    for (size_t i = 0; i < KEPT_SEGMENTS_MAX; i++) free(kept->items[i].events);
    *kept = (struct kept_events){.next = 0};
}
