/* SPDX-License-Identifier: MIT */
/* moment.c: finds the record of a time, a line or an execution of a pc. */
#include <inttypes.h>
#include <string.h>

#include "base/scan.h"
#include "explore/internal.h"
#include "spoor/format.h"

bool spoor_moment_parse(const char *text, struct spoor_moment *query)
{
    static const struct {
        const char *prefix;
        enum spoor_moment_kind kind;
    } kinds[] = {{"record:", SPOOR_MOMENT_RECORD},
                 {"line:", SPOOR_MOMENT_LINE},
                 {"pc:", SPOOR_MOMENT_PC},
                 {"time:", SPOOR_MOMENT_TIME},
                 {"", SPOOR_MOMENT_TIME}};
    struct scan scan = {text, text + strlen(text)};
    size_t i = 0;
    *query = (struct spoor_moment){.kind = SPOOR_MOMENT_END, .visit = 1};
    if (strcmp(text, "end") == 0) return true;
    while (!scan_word(&scan, kinds[i].prefix, strlen(kinds[i].prefix))) i++;
    query->kind = kinds[i].kind;
    if (!(query->kind == SPOOR_MOMENT_PC ? scan_address : scan_number)(&scan, &query->number))
        return false;
    /* "#2" is the second execution, "#-1" the last one; without it, the first */
    if (query->kind == SPOOR_MOMENT_PC && scan_char(&scan, '#')) {
        uint64_t number;
        const bool backward = scan_char(&scan, '-');
        if (!scan_number(&scan, &number) || number == 0 || number > INT64_MAX) return false;
        query->visit = backward ? -(int64_t)number : (int64_t)number;
    }
    return scan_done(&scan);
}

/* ---- by time and line ---- */

struct seek {
    uint64_t number; /* the number that is searched */
    bool by_line;
    uint64_t found;
};

static bool moment_seek(void *context, const struct explorer_visit *visited)
{
    struct seek *seek = context;
    const uint64_t number = seek->by_line ? spoor_batch_line(visited->batch, visited->index)
                                          : visited->batch->records[visited->index].time;
    if (number > seek->number) return false;
    seek->found = visited->record + 1;
    return true;
}

/* ---- by executions of a pc ---- */

struct visits {
    uint64_t pc;
    int64_t left; /* executions left up to the searched one; 0: count them all */
    uint64_t found;
    uint64_t count;
    unsigned cpu;
};

static bool moment_count_visit(void *context, const struct explorer_visit *visited)
{
    struct visits *visits = context;
    const struct call_place *place = visited->place;
    if (!place->known || place->record != visited->record || place->pc != visits->pc) return true;
    visits->count++;
    visits->found = visited->record;
    visits->cpu = visited->cpu;
    return visits->left == 0 || --visits->left > 0;
}

/* Finds the next instruction of the same processor, where the effects of this one end. */
struct successor {
    uint64_t found;
    unsigned cpu;
};

static bool moment_find_successor(void *context, const struct explorer_visit *visited)
{
    struct successor *successor = context;
    if (visited->cpu == successor->cpu && visited->place->record == visited->record) {
        successor->found = visited->record;
        return false;
    }
    return true;
}

static enum spoor_status moment_visit_pc(struct explorer *explorer, struct visits *visits,
                                         struct spoor_error *error)
{
    const struct index *index = explorer->index;
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < index->count && status == SPOOR_OK; i++)
        if (index_touches(index, i, SET_EXECUTED, visits->pc, visits->pc))
            status = explorer_visit_segment(explorer, i, 0, UINT64_MAX, moment_count_visit, visits,
                                            error);
    return status;
}

static enum spoor_status moment_at_pc(struct explorer *explorer, const struct spoor_moment *query,
                                      uint64_t *records, struct spoor_error *error)
{
    struct visits visits = {.pc = query->number, .left = query->visit > 0 ? query->visit : 0};
    enum spoor_status status = moment_visit_pc(explorer, &visits, error);
    if (status < SPOOR_OK) return status;
    if (query->visit < 0 && visits.count >= (uint64_t)-query->visit) {
        if (query->visit < -1) { /* a second pass, up to the searched one */
            visits = (struct visits){.pc = query->number,
                                     .left = (int64_t)visits.count + query->visit + 1};
            status = moment_visit_pc(explorer, &visits, error);
            if (status < SPOOR_OK) return status;
        }
    } else if (visits.left > 0 || visits.count == 0 || query->visit < 0) {
        spoor_error_set(error, SPOOR_EUSAGE,
                        "%s: pc 0x%" PRIx64 " is visited %" PRIu64 " times, found visit %" PRId64,
                        explorer->reader->path, query->number, visits.count, query->visit);
        return SPOOR_END;
    }
    struct successor successor = {explorer->index->records, visits.cpu};
    status = explorer_visit(explorer, visits.found + 1, UINT64_MAX, moment_find_successor,
                            &successor, error);
    *records = successor.found;
    return status;
}

/* ---- in a selection ---- */

static bool moment_note_selected(void *context, const struct explorer_visit *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    uint64_t *records = context;
    if (record->kind != SPOOR_NOTE || record->op != SPOOR_NOTE_LEFT_OUT)
        *records = visited->record + 1;
    return true;
}

/* Moves a moment of an index of selected records back to the last of these before it. */
static enum spoor_status moment_move_back(struct explorer *explorer, uint64_t *records,
                                          struct spoor_error *error)
{
    const uint64_t end = *records;
    enum spoor_status status = SPOOR_OK;
    *records = 0;
    if (end == 0 || explorer->index->count == 0) return SPOOR_OK;
    for (size_t i = index_segment_of(explorer->index, end - 1) + 1;
         i-- > 0 && *records == 0 && status >= SPOOR_OK;)
        status = explorer_visit_segment(explorer, i, 0, end, moment_note_selected, records, error);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

static enum spoor_status moment_find(struct explorer *explorer, const struct spoor_moment *query,
                                     uint64_t *records, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const uint64_t number = query->number;
    const bool by_line = query->kind == SPOOR_MOMENT_LINE;
    size_t i = 0;
    const char *missing = NULL;
    *records = index->records;
    if (index->records == 0) return SPOOR_OK;
    switch (query->kind) {
    case SPOOR_MOMENT_END: return SPOOR_OK;
    case SPOOR_MOMENT_PC: return moment_at_pc(explorer, query, records, error);
    case SPOOR_MOMENT_RECORD:
        missing = "record";
        if (number >= index->records && !index->selection) break;
        if (number < index->records) *records = number + 1;
        return SPOOR_OK;
    case SPOOR_MOMENT_LINE:
        if (spoor_format_record_size(index->format) || number == 0) missing = "line";
        while (i + 1 < index->count && index->segments[i + 1].place.line <= number) i++;
        break;
    case SPOOR_MOMENT_TIME:
        while (i + 1 < index->count && index->segments[i].time_highest <= number) i++;
        break;
    }
    if (missing) {
        spoor_error_set(error, SPOOR_EUSAGE, "%s: has no %s %" PRIu64, explorer->reader->path,
                        missing, number);
        return SPOOR_END;
    }
    struct seek seek = {number, by_line, index->segments[i].place.record};
    const enum spoor_status status =
        explorer_visit_segment(explorer, i, 0, UINT64_MAX, moment_seek, &seek, error);
    if (status < SPOOR_OK) return status;
    *records = seek.found;
    return SPOOR_OK;
}

enum spoor_status explorer_moment(struct explorer *explorer, const struct spoor_moment *query,
                                  uint64_t *records, struct spoor_error *error)
{
    const enum spoor_status status = moment_find(explorer, query, records, error);
    if (status != SPOOR_OK || !explorer->index->selection) return status;
    return moment_move_back(explorer, records, error);
}
