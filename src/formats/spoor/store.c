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
    struct segment_decoding *unused;
    struct spoor_names *words;
    uint64_t next;       /* the ordinal of the next record, if */
    bool in_order;       /* it is known: everything since the last segment was passed, and whole */
    bool starved;        /* memory ran out while blocks were passed */
    uint64_t breaks[16]; /* offsets of the first segments, and of the end, that do not follow */
    size_t break_count;
    char *description, *early; /* `early`: before the end made more known; may be NULL */
    bool described;            /* the description is complete */
};

static void free_page(struct page *page)
{
    free(page->payload);
    free(page->templates);
    free(page->strings);
    free(page->names);
    free(page->spellings);
    text_free(&page->string_bytes);
    text_free(&page->name_bytes);
    text_free(&page->spelling_bytes);
}

static void free_dictionary(struct file_dictionary *dictionary)
{
    for (size_t i = 0; i < dictionary->count; i++) free_page(&dictionary->pages[i]);
    free(dictionary->pages);
    text_free(&dictionary->forms);
}

void store_free(struct store *store)
{
    if (!store) return;
    for (size_t i = 0; i < store->count; i++) free_dictionary(&store->dictionaries[i]);
    free(store->dictionaries);
    sections_free(&store->sections);
    footer_free(&store->footer);
    for (struct segment_decoding *decoding = store->unused, *next; decoding; decoding = next) {
        next = decoding->next;
        sections_free(&decoding->sections);
        free(decoding->ids);
        free(decoding->locals);
        if (decoding->is_large)
            large_free(decoding, sizeof *decoding);
        else
            free(decoding);
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

/* Where few records are needed, the first writes to its memory cost as much as decoding them. */
static struct segment_decoding *new_decoding(bool few)
{
    struct segment_decoding *decoding =
        few ? large_alloc(sizeof *decoding) : calloc(1, sizeof *decoding);
    if (decoding) decoding->is_large = few;
    return decoding;
}

static bool needs_few(const struct store *store)
{
    return store->last - store->first < SEGMENT_RECORDS;
}

struct segment_decoding *store_lend(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    struct segment_decoding *decoding = store->unused;
    if (decoding) store->unused = decoding->next;
    const bool few = needs_few(store);
    pthread_mutex_unlock(&store->lock);
    return decoding ? decoding : new_decoding(few);
}

void store_give_back(struct store *store, struct segment_decoding *decoding)
{
    pthread_mutex_lock(&store->lock);
    decoding->next = store->unused;
    store->unused = decoding;
    pthread_mutex_unlock(&store->lock);
}

/* ---- passing pages ---- */

static struct file_dictionary *find_dictionary(const struct store *store, uint32_t number)
{
    for (size_t i = store->count; i-- > 0;)
        if (store->dictionaries[i].number == number) return &store->dictionaries[i];
    return NULL;
}

/* Forget the dictionaries that no segment to come uses. */
static void forget_old(struct store *store)
{
    size_t kept = 0;
    for (size_t i = 0; i < store->count; i++) {
        struct file_dictionary *dictionary = &store->dictionaries[i];
        if (i + 1 < store->count && dictionary->last + KEPT < store->segments)
            free_dictionary(dictionary);
        else
            store->dictionaries[kept++] = *dictionary;
    }
    store->count = kept;
}

static struct file_dictionary *add_dictionary(struct store *store, uint32_t number)
{
    struct file_dictionary *found = find_dictionary(store, number);
    if (found) return found;
    forget_old(store);
    if (!array_reserve(&store->dictionaries, &store->capacity, store->count + 1)) return NULL;
    store->dictionaries[store->count] =
        (struct file_dictionary){.number = number, .last = store->segments};
    return &store->dictionaries[store->count++];
}

static void parse_marks(const char *payload, struct page *page)
{
    const char *at = payload + 4;
    page->first = (struct dictionary_mark){block_u32(at), block_u32(at + 8), block_u32(at + 16),
                                           block_u32(at + 24), block_u32(at + 32)};
    page->count =
        (struct dictionary_mark){block_u32(at + 4), block_u32(at + 12), block_u32(at + 20),
                                 block_u32(at + 28), block_u32(at + 36)};
}

/* True if a page begins where the other ends, or after. */
static bool follows(const struct page *page, const struct page *other)
{
    return page->first.templates >= other->first.templates + other->count.templates &&
           page->first.strings >= other->first.strings + other->count.strings &&
           page->first.names >= other->first.names + other->count.names &&
           page->first.spellings >= other->first.spellings + other->count.spellings &&
           page->first.forms >= other->first.forms + other->count.forms;
}

/* Keep a page; a page that is known stays. */
static void add_page(struct store *store, const char *payload, size_t size, bool intact)
{
    struct page page = {.size = size};
    if (size < DICTIONARY_HEAD_SIZE || !intact) return;
    struct file_dictionary *dictionary = add_dictionary(store, block_u32(payload));
    store->starved |= !dictionary;
    if (!dictionary) return;
    parse_marks(payload, &page);
    for (size_t i = dictionary->count; i-- > 0 && !follows(&page, &dictionary->pages[i]);)
        if (memcmp(&dictionary->pages[i].first, &page.first, sizeof page.first) == 0) return;
    page.payload = array_reserve(&dictionary->pages, &dictionary->capacity, dictionary->count + 1)
                       ? malloc(size)
                       : NULL;
    store->starved |= !page.payload;
    if (!page.payload) return;
    memcpy(page.payload, payload, size);
    dictionary->pages[dictionary->count++] = page;
}

/* The end of a file that is read as a stream completes the description. */
static void complete(struct store *store, const char *lines, size_t size)
{
    struct text all = {0};
    text_puts(&all, store->description);
    text_put(&all, lines, size);
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

static void pass_block(struct store *store, const struct block *block, const char *payload,
                       bool intact)
{
    if (block->type == BLOCK_SEGMENT) {
        struct segment_head head;
        store->segments++;
        const bool whole = segment_parse_head(payload, (size_t)block->size, &head);
        struct file_dictionary *dictionary = whole ? find_dictionary(store, head.dictionary) : NULL;
        if (dictionary) dictionary->last = store->segments;
        store->current = dictionary ? head.dictionary : UINT32_MAX;
    } else if (block->type == BLOCK_DICTIONARY) {
        add_page(store, payload, (size_t)block->size, intact);
    } else if (block->type == BLOCK_LATE && intact && !store->described) {
        complete(store, payload, (size_t)block->size);
    }
}

/* Where everything since the last segment is known and whole, the ordinal of a segment is that of
 * the record after the last one, and the end states their number: else something is missing. */
static void note_order(struct store *store, const struct block_part *part, uint64_t offset)
{
    enum { CAPACITY = sizeof store->breaks / sizeof *store->breaks, RECORDS_AT = 8 };
    struct segment_head head = {0};
    const bool is_segment = part->block.type == BLOCK_SEGMENT;
    const bool is_end = part->block.type == BLOCK_TAIL && part->block.size >= RECORDS_AT + 8;
    const bool whole =
        part->intact &&
        (!is_segment || segment_parse_head(part->payload, (size_t)part->block.size, &head));
    if (whole && is_end) head.record = block_u64(part->payload + RECORDS_AT);
    if (whole && (is_segment || is_end) && store->in_order && head.record != store->next &&
        store->break_count < CAPACITY)
        store->breaks[store->break_count++] = offset + part->at;
    if (whole && is_segment) store->next = head.record + head.records;
    store->in_order = whole && (store->in_order || is_segment);
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
    size_t at = block_is_readable(bytes, size) ? BLOCK_SIGNATURE_SIZE : 0;
    struct block_part part;
    pthread_mutex_lock(&store->lock);
    if (at) {
        store->in_order = true;
        store->next = 0;
    }
    for (; block_next(bytes, size, at, &part); at += part.size) {
        note_order(store, &part, offset);
        if (part.payload) pass_block(store, &part.block, part.payload, part.intact);
    }
    if (offset <= store->passed && offset + size > store->passed) store->passed = offset + size;
    struct file_dictionary *dictionary = find_dictionary(store, store->current);
    const bool begins = dictionary && dictionary->count == 1;
    if (dictionary && (begins || dictionary->upto >= offset) && dictionary->upto < offset + size)
        dictionary->upto = offset + size;
    pthread_mutex_unlock(&store->lock);
}

/* Pass the blocks of a dictionary that lie at an offset of the file. */
static void enter_pages(struct store *store, int file, uint64_t offset, size_t size)
{
    struct block_part part;
    char *bytes = malloc(size + 1);
    store->starved |= !bytes;
    if (bytes && read_at(file, offset, bytes, size) == size)
        for (size_t at = 0; block_next(bytes, size, at, &part); at += part.size)
            if (part.block.type == BLOCK_DICTIONARY)
                pass_block(store, &part.block, part.payload, part.intact);
    free(bytes);
}

/* Pass one block of a file, of which segments need not be read; the offset of the next. */
static uint64_t enter_block(struct store *store, int file, uint64_t offset)
{
    char head[BLOCK_HEAD_SIZE];
    struct block block;
    if (read_at(file, offset, head, sizeof head) != sizeof head || !block_parse(head, &block))
        return offset + 1;
    if (block.type == BLOCK_DICTIONARY)
        enter_pages(store, file, offset, BLOCK_HEAD_SIZE + (size_t)block.size);
    return offset + sizeof head + block.size;
}

/* Pass the pages of the dictionary of the segment at `offset`; false if the file has no table. */
static bool enter_by_table(struct store *store, int file, uint64_t offset)
{
    if (!store->sought) footer_read(&store->footer, file);
    store->sought = true;
    const struct footer_segment *target = footer_at(&store->footer, offset);
    if (!target) return false;
    const struct file_dictionary *known = find_dictionary(store, target->dictionary);
    const uint64_t upto = known ? known->upto : 0;
    const struct footer_segment *segment = store->footer.segments;
    for (; segment < target; segment++)
        if (segment->dictionary == target->dictionary && segment->pages && segment->offset >= upto)
            enter_pages(store, file, segment->offset, segment->pages);
    struct file_dictionary *dictionary = find_dictionary(store, target->dictionary);
    if (dictionary && dictionary->upto < offset) dictionary->upto = offset;
    return true;
}

void store_enter(struct store *store, int file, uint64_t offset)
{
    pthread_mutex_lock(&store->lock);
    store->in_order = false;
    if (!enter_by_table(store, file, offset)) {
        if (store->passed == 0) store->passed = BLOCK_SIGNATURE_SIZE;
        while (store->passed < offset) store->passed = enter_block(store, file, store->passed);
    }
    pthread_mutex_unlock(&store->lock);
}

/* ---- unpacking pages ---- */

/* The strings of a column of bytes and their sizes.  Takes the column into `kept`. */
static struct bytes *unpack_strings(struct sections *sections, unsigned sizes, unsigned bytes,
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

/* Appends the forms of a page; those that are lost are marked.  False if memory runs out. */
static bool add_forms(struct store *store, struct text *forms, const struct page *page)
{
    const size_t first = (size_t)page->first.forms * UOP_FORM_SIZE;
    const size_t size = (size_t)page->count.forms * UOP_FORM_SIZE;
    const unsigned section = DICTIONARY_UOPS + UOP_FORMS;
    const struct text *bytes = &store->sections.bytes[section];
    if (size == 0 || first + size > DICTIONARY_FORM_BYTES || first < forms->size) return true;
    char *at = text_reserve(forms, first + size - forms->size);
    if (!at) return false;
    memset(at, UOP_LOST, first + size - forms->size);
    if (page->payload &&
        sections_get_one(&store->sections, section, page->payload + DICTIONARY_HEAD_SIZE,
                         page->size - DICTIONARY_HEAD_SIZE) &&
        bytes->size == size)
        memcpy(forms->bytes + first, bytes->bytes, size);
    forms->size = first + size;
    return true;
}

/* The forms of micro-ops up to those of a page. */
static struct uop_source forms_of(struct store *store, struct file_dictionary *dictionary,
                                  const struct page *page)
{
    bool whole = true;
    const size_t number = (size_t)(page - dictionary->pages);
    for (; dictionary->forms_of <= number && whole; dictionary->forms_of++)
        whole = add_forms(store, &dictionary->forms, &dictionary->pages[dictionary->forms_of]);
    const size_t count = dictionary->forms.size / UOP_FORM_SIZE;
    const size_t end = (size_t)page->first.forms + page->count.forms;
    return (struct uop_source){dictionary->forms.bytes, page->first.forms,
                               end < count ? end : count};
}

static bool unpack_whole(struct store *store, const struct uop_source *forms, struct page *page)
{
    struct sections *sections = &store->sections;
    const size_t count = page->count.templates;
    if (!sections_get(sections, page->payload + DICTIONARY_HEAD_SIZE,
                      page->size - DICTIONARY_HEAD_SIZE) ||
        sections->bytes[DICTIONARY_KINDS].size != count)
        return false;
    page->templates = calloc(count + 1, sizeof *page->templates);
    page->strings = unpack_strings(sections, DICTIONARY_STRING_SIZES, DICTIONARY_STRINGS,
                                   page->count.strings, &page->string_bytes);
    page->names = unpack_strings(sections, DICTIONARY_NAME_SIZES, DICTIONARY_NAMES,
                                 page->count.names, &page->name_bytes);
    page->spellings = unpack_strings(sections, DICTIONARY_SPELLING_SIZES, DICTIONARY_SPELLINGS,
                                     page->count.spellings, &page->spelling_bytes);
    struct template_columns columns = {.kinds = sections->bytes[DICTIONARY_KINDS]};
    memcpy(columns.planes, &sections->bytes[DICTIONARY_PLANES], sizeof columns.planes);
    memcpy(columns.uops, &sections->bytes[DICTIONARY_UOPS], sizeof columns.uops);
    return page->templates && page->strings && page->names && page->spellings &&
           templates_unpack(page->templates, count, forms, &columns);
}

/* Unpacks the page, once; false if it is damaged. */
static bool unpack_page(struct store *store, struct file_dictionary *dictionary, struct page *page)
{
    if (!page->payload) return page->templates;
    const struct uop_source forms = forms_of(store, dictionary, page);
    const bool whole = unpack_whole(store, &forms, page);
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

static uint32_t mark_of(const struct dictionary_mark *mark, enum mark which)
{
    const uint32_t numbers[] = {mark->templates, mark->strings, mark->names, mark->spellings};
    return numbers[which];
}

/* The unpacked page that has an id, and the place of the id in it; NULL if there is none. */
static struct page *find_page(struct store *store, struct file_dictionary *dictionary,
                              enum mark which, uint32_t id, uint32_t *at)
{
    size_t low = 0, high = dictionary->count; /* the last page that begins at the id or before */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mark_of(&dictionary->pages[middle].first, which) <= id)
            low = middle + 1;
        else
            high = middle;
    }
    /* of pages that begin at one id, all but the last have none of it */
    if (low == 0) return NULL;
    struct page *page = &dictionary->pages[low - 1];
    *at = id - mark_of(&page->first, which);
    return *at < mark_of(&page->count, which) && unpack_page(store, dictionary, page) ? page : NULL;
}

/* The tables from which the templates of a segment are made. */
struct loading {
    struct store *store;
    struct file_dictionary *dictionary;
    struct segment_decoding *decoding;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct page *found[MARKS]; /* the last page that had an id of the sort; NULL: none yet */
    bool failed;
};

/* The same for the dictionary of the segment.  Ids that come after one another are mostly of one
 * page. */
static struct page *page_of(struct loading *loading, enum mark which, uint32_t id, uint32_t *at)
{
    struct page *page = loading->found[which];
    if (page) *at = id - mark_of(&page->first, which); /* too large for a lower id */
    if (!page || *at >= mark_of(&page->count, which))
        page = find_page(loading->store, loading->dictionary, which, id, at);
    if (page) loading->found[which] = page;
    return page;
}

static spoor_name load_name(struct loading *loading, spoor_name id, bool spelling)
{
    struct decode_ids *map = spelling ? &loading->decoding->spellings : &loading->decoding->names;
    uint32_t at;
    if (id == SPOOR_NO_NAME || id == SPOOR_NAMES_FULL) return id;
    if (map->ids[id]) return map->ids[id];
    const struct page *page = page_of(loading, spelling ? MARK_SPELLINGS : MARK_NAMES, id, &at);
    if (!page) {
        loading->failed = true;
        return id;
    }
    const struct bytes *text = spelling ? &page->spellings[at] : &page->names[at];
    struct spoor_names *table = spelling ? loading->decoder->spellings : loading->decoder->names;
    const spoor_name own = spoor_names_intern(table, text->at, text->size);
    if (own != SPOOR_NAMES_FULL) map->ids[id] = own;
    return own;
}

static void load_string(struct loading *loading, struct spoor_record *record, unsigned word)
{
    const uint32_t id = record_ref(record, word).at;
    uint32_t at;
    struct spoor_ref ref = {0, 0};
    const struct page *page = id ? page_of(loading, MARK_STRINGS, id, &at) : NULL;
    if (page)
        ref = spoor_batch_keep(loading->batch, page->strings[at].at, page->strings[at].size);
    else if (id)
        loading->failed = true;
    record_set_ref(record, word, ref);
}

/* What a record of the template needs besides its words. */
static void find_facts(struct loading *loading, union local_template *local,
                       const struct lanes *lanes)
{
    const struct spoor_record *record = &local->record;
    struct local_facts facts = {0};
    const size_t number = lanes_number(&loading->decoding->lanes, lanes);
    loading->failed |= number == LANES_LISTED;
    facts.lanes = (uint8_t)number;
    facts.reg = record->kind == SPOOR_REG ? (uint8_t)(record->reg.name % REGISTER_NAMES) : 0;
    facts.leads = lanes->leads;
    local->facts = facts;
}

static void load_template(struct loading *loading, union local_template *local, uint32_t id)
{
    struct lanes lanes;
    uint32_t at;
    const struct page *page = page_of(loading, MARK_TEMPLATES, id, &at);
    if (!page) {
        loading->failed = true;
        return;
    }
    struct spoor_record *record = &local->record;
    *record = page->templates[at];
    lanes_of(record, &lanes);
    find_facts(loading, local, &lanes);
    if (lanes.text) record_set_word(record, lanes.text, 0);
    if (lanes.string) load_string(loading, record, lanes.string);
    record->spelling = load_name(loading, record->spelling, true);
    record->cpu = load_name(loading, record->cpu, false);
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++) {
        spoor_name *name = layout_name(record, *offset);
        *name = load_name(loading, *name, false);
    }
}

/* The maps of ids are for a decoder and a dictionary. */
static void set_maps(struct segment_decoding *decoding)
{
    const struct spoor_names *names = decoding->decoder->names;
    const uint32_t number = decoding->head.dictionary;
    if (decoding->owner == names && decoding->dictionary == number) return;
    if (decoding->owner) { /* else they are zero */
        memset(&decoding->names, 0, sizeof decoding->names);
        memset(&decoding->spellings, 0, sizeof decoding->spellings);
    }
    decoding->owner = names;
    decoding->dictionary = number;
}

const char *store_load(struct segment_decoding *decoding)
{
    struct store *store = decoding->store;
    pthread_mutex_lock(&store->lock);
    struct loading loading = {.store = store,
                              .dictionary = find_dictionary(store, decoding->head.dictionary),
                              .decoding = decoding,
                              .decoder = decoding->decoder,
                              .batch = decoding->batch};
    set_maps(decoding);
    store->sections.context = decoding->sections.context;
    loading.failed = !loading.dictionary;
    for (size_t i = 0; i < decoding->local_count && !loading.failed; i++)
        load_template(&loading, &decoding->locals[i], decoding->ids[i]);
    decoding->sections.context = store->sections.context;
    store->sections.context = NULL;
    pthread_mutex_unlock(&store->lock);
    return loading.failed ? "the dictionary of a segment" : NULL;
}
