/* SPDX-License-Identifier: MIT */
/*
 * reference_line_project.c: lines that are one memory reference, straight into references.
 *
 * A line that is written as such lines mostly are is read here, in one pass without loops; any
 * other is left to reference_line_decode(), whose record becomes the reference.
 */
#include "base/cpu.h"
#include "base/simd_scan.h"
#include "formats/din/reference_line.h"
#include "views/access.h"

enum {
    SHORTEST_LINE = 3, /* bytes, without its line end */
    SIZE_DIGITS = 4,   /* so many fit in 16 bits, hexadecimal or decimal */
    FEW = 4,           /* where the fast way takes fewer lines at once, */
    MANY = 64,         /* so many are scanned before it is tried again */
};

struct access {
    uint64_t address;
    uint32_t size; /* bytes, 0: not stated */
    uint8_t op;    /* enum spoor_mem_op */
};

/* A size of a few digits: behind them, or `at` where there are none or too many. */
static inline const char *scan_size(const char *at, unsigned base, uint32_t *size)
{
    const char *begin = at;
    uint32_t sum = 0;
    unsigned digit;
    while ((digit = hex_value[(unsigned char)*at]) < base && at - begin <= SIZE_DIGITS) {
        sum = sum * base + digit;
        at++;
    }
    *size = sum;
    return at - begin > SIZE_DIGITS ? begin : at;
}

/* A line of single blanks (lackey's columns have one more): where the next begins; NULL where it is
 * another. */
static inline const char *scan_common(const struct reference_syntax *syntax, const char *at,
                                      struct access *access)
{
    at += *at == ' ';
    const uint8_t op = syntax->ops[(unsigned char)*at];
    if (op == 0 || at[1] != ' ') return NULL;
    at += 2;
    at += *at == ' ';
    const unsigned digits = simd_scan_hex(at, &access->address);
    if (digits == 0) return NULL;
    at += digits;
    access->op = (uint8_t)(op - 1);
    access->size = 0;
    if (syntax->size != SIZE_NONE) {
        if (*at != syntax->separator) return NULL;
        const char *size = at + 1;
        at = scan_size(size, syntax->size == SIZE_HEX ? 16 : 10, &access->size);
        if (at == size) return NULL;
    }
    return *at == '\n' ? at + 1 : NULL;
}

/* A fetch, by which the pc of what comes behind it is known. */
static inline void lead(struct projecting *projecting, uint64_t pc)
{
    struct reference_view *view = projecting->view;
    if (!projecting->by_order) return;
    if (!view->led) view->unled = (size_t)(projecting->at - view->items);
    view->led = true;
    view->lead = pc;
}

static inline void put(struct projecting *projecting, const struct access *access)
{
    const uint8_t op = access_references[access->op];
    const bool fetch = op == SPOOR_REFERENCE_FETCH, updates = op == READ_AND_WRITE;
    const bool both = updates && !projecting->update_once;
    if (fetch) lead(projecting, access->address);
    const bool known = fetch || projecting->view->led;
    struct spoor_reference *at = projecting->at;
    *at = (struct spoor_reference){
        .address = access->address,
        .pc = fetch ? access->address : projecting->view->lead,
        .size = access->size,
        .op = updates ? SPOOR_REFERENCE_READ : op,
        .has = known ? SPOOR_REFERENCE_HAS_PC : 0,
    };
    if (both) {
        at[1] = at[0];
        at[1].op = SPOOR_REFERENCE_WRITE;
    }
    projecting->at = at + 1 + both;
}

/* Any line, by way of its record, which is number `index` of the batch. */
static const char *put_any(struct projecting *projecting, struct reference_reading *reading,
                           const char *at, size_t index)
{
    struct spoor_batch *batch = reading->batch;
    const size_t faults = batch->fault_count;
    at = reference_line_decode(reading, at);
    const struct spoor_record *record = batch->records;
    if (batch->count > 0 && record->kind == SPOOR_MEM)
        put(projecting, &(struct access){record->mem.va, record->mem.size, record->op});
    projection_move_faults(batch, faults, index);
    return at;
}

static inline const char *put_line(struct projecting *projecting, struct reference_reading *reading,
                                   const char *at, size_t index, bool piece)
{
    struct access access;
    const char *next = piece ? NULL : scan_common(reading->syntax, at, &access);
    if (!next) return put_any(projecting, reading, at, index);
    put(projecting, &access);
    return next;
}

static reference_fast_lines *usable(const struct reference_syntax *syntax)
{
#if CPU_MAY_HAVE_AVX2
    if (syntax->fast && cpu_has_avx2()) return syntax->fast;
#endif
    (void)syntax;
    return NULL;
}

void reference_lines_project(const struct decoder *decoder, const struct projection *projection,
                             struct spoor_batch *batch, const struct reference_syntax *syntax)
{
    struct reference_reading reading = reference_reading(decoder, batch, syntax);
    const size_t each = syntax->labels[SPOOR_MEM_MODIFY] ? 2 : 1;
    struct projecting projecting = {
        .view = projection_reserve_references(batch, each * (batch->text_size / SHORTEST_LINE + 1)),
        .by_order = projection->options.pc_by_order,
        .update_once = projection->options.update_once};
    if (!projecting.view) return;
    projecting.at = projecting.view->items;
    const char *at = batch->text, *end = at + batch->text_size;
    reference_fast_lines *fast = usable(syntax);
    size_t lines = 0, scanned = 0, wanted = 1; /* lines to scan until the fast way is tried again */
    while (at < end) {
        if (fast && scanned >= wanted) {
            const size_t taken = fast(&projecting, &at, end);
            wanted = taken < FEW ? MANY : 1;
            lines += taken;
            scanned = 0;
            if (at == end) break;
        }
        const bool piece = lines == 0 && batch->continues;
        at = put_line(&projecting, &reading, at, lines++, piece);
        scanned++;
    }
    projecting.view->count = (size_t)(projecting.at - projecting.view->items);
    if (projecting.by_order && !projecting.view->led)
        projecting.view->unled = projecting.view->count;
    batch->count = lines;
}
