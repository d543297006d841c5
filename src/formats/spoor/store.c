/* SPDX-License-Identifier: MIT */
/* store.c: the dictionaries of a file while it is read. */
#include "formats/spoor/store.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/large.h"
#include "base/read_at.h"
#include "formats/spoor/block.h"
#include "formats/spoor/dictionary.h"
#include "formats/spoor/footer.h"
#include "formats/spoor/templates.h"
#include "model/layout.h"

enum {
    KEPT = 12 /* segments after its last one for which a dictionary is kept: more than are in
               * flight, decoded by up to 4 threads */
};

struct bytes {
    const char *at;
    size_t size;
};

/* The parts of a block of type DICT. */
struct page {
    struct dictionary_mark first, count;
    char *payload; /* owned; NULL: it is unpacked, or damaged */
    size_t size;
    /* unpacked: */
    struct spoor_record *templates; /* NULL: it is not */
    struct bytes *strings, *names, *spellings;
    struct text string_bytes, name_bytes, spelling_bytes;
};

struct file_dictionary {
    uint32_t number;
    struct page *pages; /* by their first template */
    size_t count, capacity;
    struct text forms; /* of micro-ops, of */
    size_t forms_of;   /* its first pages */
    uint64_t last;     /* number of the segment that used it last */
    uint64_t upto;     /* all its pages before this offset of the file were passed */
};

struct store {
    pthread_mutex_t lock;
    struct file_dictionary *dictionaries;
    size_t count, capacity;
    uint64_t first, last; /* records that are needed */
    uint64_t segments;    /* passed */
    uint32_t current;     /* number of the dictionary of the last one */
    uint64_t passed;      /* offset in the file up to which all blocks were passed */
    struct footer footer; /* of the file that is entered, once it was sought */
    bool sought;
    struct sections sections;
    struct segment_decoder *unused;
    struct spoor_names *words;
    uint64_t next;       /* the ordinal of the next record, if */
    bool in_order;       /* it is known: everything since the last segment was passed, and whole */
    bool starved;        /* memory ran out while blocks were passed */
    uint64_t breaks[16]; /* offsets of the first segments, and of the end, that do not follow */
    size_t break_count;
    char *description, *early; /* `early`: before the end made more known; may be NULL */
    bool described;            /* the description is complete */
};

static void store_free_dictionary(struct file_dictionary *dictionary)
{
    for (size_t i = 0; i < dictionary->count; i++) {
        struct page *page = &dictionary->pages[i];
        free(page->payload);
        free(page->templates);
        free(page->strings);
        free(page->names);
        free(page->spellings);
        text_free(&page->string_bytes);
        text_free(&page->name_bytes);
        text_free(&page->spelling_bytes);
    }
    free(dictionary->pages);
    text_free(&dictionary->forms);
}

void store_free(struct store *store)
{
    if (!store) return;
    for (size_t i = 0; i < store->count; i++) store_free_dictionary(&store->dictionaries[i]);
    free(store->dictionaries);
    sections_free(&store->sections);
    footer_free(&store->footer);
    for (struct segment_decoder *segment = store->unused, *next; segment; segment = next) {
        next = segment->next;
        sections_free(&segment->sections);
        free(segment->ids);
        free(segment->locals);
        if (segment->is_large)
            large_free(segment, sizeof *segment);
        else
            free(segment);
    }
    spoor_names_free(store->words);
    free(store->description);
    free(store->early);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

struct store *store_new(const char *description, size_t size, bool late)
{
    struct store *store = calloc(1, sizeof *store);
    if (!store) return NULL;
    pthread_mutex_init(&store->lock, NULL);
    store->words = spoor_names_new();
    store->description = strndup(size ? description : "", size);
    store->described = late;
    store->last = UINT64_MAX;
    if (store->words && store->description) return store;
    store_free(store);
    return NULL;
}

const char *store_description(const struct store *store)
{
    return store->description;
}

void store_limit(struct store *store, uint64_t first, uint64_t last)
{
    store->first = first;
    store->last = last;
}

void store_limits(const struct store *store, uint64_t *first, uint64_t *last)
{
    *first = store->first;
    *last = store->last;
}

const char *store_word(struct store *store, const char *bytes, size_t size)
{
    pthread_mutex_lock(&store->lock);
    const char *word =
        spoor_names_text(store->words, spoor_names_intern(store->words, bytes, size), NULL);
    pthread_mutex_unlock(&store->lock);
    return word;
}

struct segment_decoder *store_lend(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    struct segment_decoder *segment = store->unused;
    if (segment) store->unused = segment->next;
    const bool few = store->last - store->first < SEGMENT_RECORDS;
    pthread_mutex_unlock(&store->lock);
    if (segment) return segment;
    /* where few records are needed, the first writes to its memory cost as much as decoding them */
    segment = few ? large_alloc(sizeof *segment) : calloc(1, sizeof *segment);
    if (segment) segment->is_large = few;
    return segment;
}

void store_give_back(struct store *store, struct segment_decoder *segment)
{
    pthread_mutex_lock(&store->lock);
    segment->next = store->unused;
    store->unused = segment;
    pthread_mutex_unlock(&store->lock);
}

/* ---- passing pages ---- */

static struct file_dictionary *store_find_dictionary(const struct store *store, uint32_t number)
{
    for (size_t i = store->count; i-- > 0;)
        if (store->dictionaries[i].number == number) return &store->dictionaries[i];
    return NULL;
}

/* Keep a page; a page that is known stays. */
static void store_add_page(struct store *store, const char *payload, size_t size, bool intact)
{
    if (size < DICTIONARY_HEAD_SIZE || !intact) return;
    const uint32_t number = block_u32(payload);
    struct file_dictionary *dictionary = store_find_dictionary(store, number);
    if (!dictionary) {
        size_t kept = 0; /* the dictionaries that a segment to come may use */
        for (size_t i = 0; i < store->count; i++) {
            struct file_dictionary *other = &store->dictionaries[i];
            if (i + 1 < store->count && other->last + KEPT < store->segments)
                store_free_dictionary(other);
            else
                store->dictionaries[kept++] = *other;
        }
        store->count = kept;
        if (!array_reserve(&store->dictionaries, &store->capacity, store->count + 1)) {
            store->starved = true;
            return;
        }
        dictionary = &store->dictionaries[store->count++];
        *dictionary = (struct file_dictionary){.number = number, .last = store->segments};
    }
    const char *at = payload + 4;
    const struct dictionary_mark first = {block_u32(at), block_u32(at + 8), block_u32(at + 16),
                                          block_u32(at + 24), block_u32(at + 32)};
    struct page page = {.first = first, .size = size};
    page.count = (struct dictionary_mark){block_u32(at + 4), block_u32(at + 12), block_u32(at + 20),
                                          block_u32(at + 28), block_u32(at + 36)};
    for (size_t i = dictionary->count; i-- > 0;) {
        const struct page *other = &dictionary->pages[i];
        const struct dictionary_mark *begin = &other->first, *count = &other->count;
        if (first.templates >= begin->templates + count->templates &&
            first.strings >= begin->strings + count->strings &&
            first.names >= begin->names + count->names &&
            first.spellings >= begin->spellings + count->spellings &&
            first.forms >= begin->forms + count->forms)
            break; /* it begins where the other ends, or after */
        if (memcmp(begin, &first, sizeof first) == 0) return;
    }
    page.payload = array_reserve(&dictionary->pages, &dictionary->capacity, dictionary->count + 1)
                       ? malloc(size)
                       : NULL;
    store->starved |= !page.payload;
    if (!page.payload) return;
    memcpy(page.payload, payload, size);
    dictionary->pages[dictionary->count++] = page;
}

static void store_pass_block(struct store *store, const struct block *block, const char *payload,
                             bool intact)
{
    if (block->type == BLOCK_SEGMENT) {
        struct segment_head head;
        store->segments++;
        const bool whole = segment_parse_head(payload, (size_t)block->size, &head);
        struct file_dictionary *dictionary =
            whole ? store_find_dictionary(store, head.dictionary) : NULL;
        if (dictionary) dictionary->last = store->segments;
        store->current = dictionary ? head.dictionary : UINT32_MAX;
    } else if (block->type == BLOCK_DICTIONARY) {
        store_add_page(store, payload, (size_t)block->size, intact);
    } else if (block->type == BLOCK_LATE && intact && !store->described) {
        /* the end of a file that is read as a stream completes the description */
        struct text all = {0};
        text_puts(&all, store->description);
        text_put(&all, payload, (size_t)block->size);
        text_put(&all, "", 1);
        store->starved |= all.failed;
        if (all.failed) {
            text_free(&all);
            return;
        }
        store->early = store->description;
        store->description = all.bytes;
        store->described = true;
    }
}

bool store_breaks(struct store *store, uint64_t offset)
{
    pthread_mutex_lock(&store->lock);
    bool found = false;
    for (size_t i = 0; i < store->break_count; i++) found |= store->breaks[i] == offset;
    pthread_mutex_unlock(&store->lock);
    return found;
}

void store_starve(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    store->starved = true;
    pthread_mutex_unlock(&store->lock);
}

bool store_is_starved(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    const bool starved = store->starved;
    pthread_mutex_unlock(&store->lock);
    return starved;
}

void store_pass(struct store *store, const char *bytes, size_t size, uint64_t offset)
{
    enum { CAPACITY = sizeof store->breaks / sizeof *store->breaks, RECORDS_AT = 8 };
    size_t at = block_is_readable(bytes, size) ? BLOCK_SIGNATURE_SIZE : 0;
    struct block_part part;
    pthread_mutex_lock(&store->lock);
    if (at) {
        store->in_order = true;
        store->next = 0;
    }
    for (; block_next(bytes, size, at, &part); at += part.size) {
        /* Where everything since the last segment is known and whole, the ordinal of a segment is
         * that of the record after the last one, and the end states their number: else something
         * is missing. */
        struct segment_head head = {0};
        const bool is_segment = part.block.type == BLOCK_SEGMENT;
        const bool is_end = part.block.type == BLOCK_TAIL && part.block.size >= RECORDS_AT + 8;
        const bool whole =
            part.intact &&
            (!is_segment || segment_parse_head(part.payload, (size_t)part.block.size, &head));
        if (whole && is_end) head.record = block_u64(part.payload + RECORDS_AT);
        if (whole && (is_segment || is_end) && store->in_order && head.record != store->next &&
            store->break_count < CAPACITY)
            store->breaks[store->break_count++] = offset + part.at;
        if (whole && is_segment) store->next = head.record + head.records;
        store->in_order = whole && (store->in_order || is_segment);
        if (part.payload) store_pass_block(store, &part.block, part.payload, part.intact);
    }
    if (offset <= store->passed && offset + size > store->passed) store->passed = offset + size;
    struct file_dictionary *dictionary = store_find_dictionary(store, store->current);
    const bool begins = dictionary && dictionary->count == 1;
    if (dictionary && (begins || dictionary->upto >= offset) && dictionary->upto < offset + size)
        dictionary->upto = offset + size;
    pthread_mutex_unlock(&store->lock);
}

/* Pass the blocks of a dictionary that lie at an offset of the file. */
static void store_enter_pages(struct store *store, int file, uint64_t offset, size_t size)
{
    struct block_part part;
    char *bytes = malloc(size + 1);
    store->starved |= !bytes;
    if (bytes && read_at(file, offset, bytes, size) == size)
        for (size_t at = 0; block_next(bytes, size, at, &part); at += part.size)
            if (part.block.type == BLOCK_DICTIONARY)
                store_pass_block(store, &part.block, part.payload, part.intact);
    free(bytes);
}

void store_enter(struct store *store, int file, uint64_t offset)
{
    pthread_mutex_lock(&store->lock);
    store->in_order = false;
    if (!store->sought) footer_read(&store->footer, file);
    store->sought = true;
    const struct footer_segment *target = footer_at(&store->footer, offset);
    if (target) { /* the table knows the pages of the dictionary */
        const struct file_dictionary *known = store_find_dictionary(store, target->dictionary);
        const uint64_t upto = known ? known->upto : 0;
        const struct footer_segment *segment = store->footer.segments;
        for (; segment < target; segment++)
            if (segment->dictionary == target->dictionary && segment->pages &&
                segment->offset >= upto)
                store_enter_pages(store, file, segment->offset, segment->pages);
        struct file_dictionary *dictionary = store_find_dictionary(store, target->dictionary);
        if (dictionary && dictionary->upto < offset) dictionary->upto = offset;
    } else {
        /* block by block, of which segments need not be read */
        if (store->passed == 0) store->passed = BLOCK_SIGNATURE_SIZE;
        while (store->passed < offset) {
            char head[BLOCK_HEAD_SIZE];
            struct block block;
            if (read_at(file, store->passed, head, sizeof head) != sizeof head ||
                !block_parse(head, &block)) {
                store->passed++;
                continue;
            }
            const uint64_t size = BLOCK_HEAD_SIZE + block.size;
            if (block.type == BLOCK_DICTIONARY)
                store_enter_pages(store, file, store->passed, (size_t)size);
            store->passed += size;
        }
    }
    pthread_mutex_unlock(&store->lock);
}

/* ---- unpacking pages ---- */

/* The strings of a column of bytes and their sizes.  Takes the column into `kept`. */
static struct bytes *store_unpack_strings(struct sections *sections, unsigned sizes, unsigned bytes,
                                          size_t count, struct text *kept)
{
    struct unpacker from = section_read(sections, sizes);
    *kept = sections->bytes[bytes];
    sections->bytes[bytes] = (struct text){0};
    if (count > kept->size) return NULL; /* none is empty */
    struct bytes *strings = malloc((count ? count : 1) * sizeof *strings);
    size_t at = 0;
    for (size_t i = 0; strings && i < count; i++) {
        const uint64_t size = unpack(&from);
        if (from.failed || size > kept->size - at) {
            free(strings);
            return NULL;
        }
        strings[i] = (struct bytes){kept->bytes + at, (size_t)size};
        at += (size_t)size;
    }
    return strings;
}

/* The forms of micro-ops up to those of a page; those that are lost are marked. */
static struct uop_source store_forms_of(struct store *store, struct file_dictionary *dictionary,
                                        const struct page *page)
{
    const unsigned section = DICTIONARY_UOPS + UOP_FORMS;
    const size_t number = (size_t)(page - dictionary->pages);
    struct text *forms = &dictionary->forms;
    for (; dictionary->forms_of <= number; dictionary->forms_of++) {
        const struct page *next = &dictionary->pages[dictionary->forms_of];
        const size_t first = (size_t)next->first.forms * UOP_FORM_SIZE;
        const size_t size = (size_t)next->count.forms * UOP_FORM_SIZE;
        const struct text *bytes = &store->sections.bytes[section];
        if (size == 0 || first + size > DICTIONARY_FORM_BYTES || first < forms->size) continue;
        char *at = text_reserve(forms, first + size - forms->size);
        if (!at) break;
        memset(at, UOP_LOST, first + size - forms->size);
        if (next->payload &&
            sections_get_some(&store->sections, UINT64_C(1) << section,
                              next->payload + DICTIONARY_HEAD_SIZE,
                              next->size - DICTIONARY_HEAD_SIZE) &&
            bytes->size == size)
            memcpy(forms->bytes + first, bytes->bytes, size);
        forms->size = first + size;
    }
    const size_t count = forms->size / UOP_FORM_SIZE;
    const size_t end = (size_t)page->first.forms + page->count.forms;
    return (struct uop_source){forms->bytes, page->first.forms, end < count ? end : count};
}

/* Unpacks the page, once; false if it is damaged. */
static bool store_unpack_page(struct store *store, struct file_dictionary *dictionary,
                              struct page *page)
{
    if (!page->payload) return page->templates;
    struct sections *sections = &store->sections;
    const size_t count = page->count.templates;
    const struct uop_source forms = store_forms_of(store, dictionary, page);
    bool whole = sections_get(sections, page->payload + DICTIONARY_HEAD_SIZE,
                              page->size - DICTIONARY_HEAD_SIZE) &&
                 sections->bytes[DICTIONARY_KINDS].size == count;
    if (whole) {
        page->templates = calloc(count + 1, sizeof *page->templates);
        page->strings = store_unpack_strings(sections, DICTIONARY_STRING_SIZES, DICTIONARY_STRINGS,
                                             page->count.strings, &page->string_bytes);
        page->names = store_unpack_strings(sections, DICTIONARY_NAME_SIZES, DICTIONARY_NAMES,
                                           page->count.names, &page->name_bytes);
        page->spellings =
            store_unpack_strings(sections, DICTIONARY_SPELLING_SIZES, DICTIONARY_SPELLINGS,
                                 page->count.spellings, &page->spelling_bytes);
        struct template_columns columns = {.kinds = sections->bytes[DICTIONARY_KINDS]};
        memcpy(columns.planes, &sections->bytes[DICTIONARY_PLANES], sizeof columns.planes);
        memcpy(columns.uops, &sections->bytes[DICTIONARY_UOPS], sizeof columns.uops);
        whole = page->templates && page->strings && page->names && page->spellings &&
                templates_unpack(page->templates, count, &forms, &columns);
    }
    free(page->payload);
    page->payload = NULL;
    if (!whole) {
        free(page->templates);
        page->templates = NULL;
    }
    return whole;
}

/* ---- loading the templates of a segment ---- */

/* The offset of a mark's number in struct dictionary_mark. */
enum mark { MARK_TEMPLATES, MARK_STRINGS, MARK_NAMES, MARK_SPELLINGS, MARKS };

static uint32_t store_mark(const struct dictionary_mark *mark, enum mark which)
{
    const uint32_t numbers[] = {mark->templates, mark->strings, mark->names, mark->spellings};
    return numbers[which];
}

/* The tables from which the templates of a segment are made. */
struct template_load {
    struct store *store;
    struct file_dictionary *dictionary;
    struct segment_decoder *segment;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct page *found[MARKS]; /* the last page that had an id of the sort; NULL: none yet */
    bool failed;
};

/* The unpacked page of the segment's dictionary that has an id, and the place of the id in it; NULL
 * if there is none.  Ids that come after one another are mostly of one page. */
static struct page *store_page_of(struct template_load *load, enum mark which, uint32_t id,
                                  uint32_t *at)
{
    struct file_dictionary *dictionary = load->dictionary;
    struct page *page = load->found[which];
    if (page) *at = id - store_mark(&page->first, which); /* too large for a lower id */
    if (page && *at < store_mark(&page->count, which)) return page;
    size_t low = 0, high = dictionary->count; /* the last page that begins at the id or before */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (store_mark(&dictionary->pages[middle].first, which) <= id)
            low = middle + 1;
        else
            high = middle;
    }
    /* of pages that begin at one id, all but the last have none of it */
    if (low == 0) return NULL;
    page = &dictionary->pages[low - 1];
    *at = id - store_mark(&page->first, which);
    if (*at >= store_mark(&page->count, which) || !store_unpack_page(load->store, dictionary, page))
        return NULL;
    load->found[which] = page;
    return page;
}

static spoor_name store_load_name(struct template_load *load, spoor_name id, bool spelling)
{
    struct decode_ids *map = spelling ? &load->segment->spellings : &load->segment->names;
    uint32_t at;
    if (id == SPOOR_NO_NAME || id == SPOOR_NAMES_FULL) return id;
    if (map->ids[id]) return map->ids[id];
    const struct page *page = store_page_of(load, spelling ? MARK_SPELLINGS : MARK_NAMES, id, &at);
    if (!page) {
        load->failed = true;
        return id;
    }
    const struct bytes *text = spelling ? &page->spellings[at] : &page->names[at];
    struct spoor_names *table = spelling ? load->decoder->spellings : load->decoder->names;
    const spoor_name own = spoor_names_intern(table, text->at, text->size);
    if (own != SPOOR_NAMES_FULL) map->ids[id] = own;
    return own;
}

const char *store_load(struct segment_decoder *segment)
{
    struct store *store = segment->store;
    pthread_mutex_lock(&store->lock);
    struct template_load load = {.store = store,
                                 .dictionary =
                                     store_find_dictionary(store, segment->head.dictionary),
                                 .segment = segment,
                                 .decoder = segment->decoder,
                                 .batch = segment->batch};
    /* the maps of ids are for a decoder and a dictionary; without an owner they are zero */
    const struct spoor_names *names = segment->decoder->names;
    const uint32_t number = segment->head.dictionary;
    if (segment->owner && (segment->owner != names || segment->dictionary != number)) {
        memset(&segment->names, 0, sizeof segment->names);
        memset(&segment->spellings, 0, sizeof segment->spellings);
    }
    segment->owner = names;
    segment->dictionary = number;
    store->sections.context = segment->sections.context;
    load.failed = !load.dictionary;
    for (size_t i = 0; i < segment->local_count && !load.failed; i++) {
        struct lanes lanes;
        uint32_t at;
        const struct page *page = store_page_of(&load, MARK_TEMPLATES, segment->ids[i], &at);
        if (!page) {
            load.failed = true;
            break;
        }
        struct spoor_record *record = &segment->locals[i].record;
        *record = page->templates[at];
        lanes_of(record, &lanes);
        const size_t listed = lanes_number(&segment->lanes, &lanes);
        load.failed |= listed == LANES_LISTED;
        segment->locals[i].facts = (struct local_facts){
            .lanes = (uint8_t)listed,
            .reg = record->kind == SPOOR_REG ? (uint8_t)(record->reg.name % REGISTER_NAMES) : 0,
            .leads = lanes.leads};
        if (lanes.text) record_set_word(record, lanes.text, 0);
        if (lanes.string) {
            const uint32_t string = record_ref(record, lanes.string).at;
            struct spoor_ref ref = {0, 0};
            page = string ? store_page_of(&load, MARK_STRINGS, string, &at) : NULL;
            if (page)
                ref = spoor_batch_keep(load.batch, page->strings[at].at, page->strings[at].size);
            load.failed |= string && !page;
            record_set_ref(record, lanes.string, ref);
        }
        record->spelling = store_load_name(&load, record->spelling, true);
        record->cpu = store_load_name(&load, record->cpu, false);
        for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++) {
            spoor_name *name = layout_name(record, *offset);
            *name = store_load_name(&load, *name, false);
        }
    }
    segment->sections.context = store->sections.context;
    store->sections.context = NULL;
    pthread_mutex_unlock(&store->lock);
    return load.failed ? "the dictionary of a segment" : NULL;
}
