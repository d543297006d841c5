/* SPDX-License-Identifier: MIT */
/* list.c: the list of formats, and format detection. */
#include <stdio.h>
#include <string.h>

#include "formats/describe/registry.h"
#include "formats/format.h"
#include "isa/register.h"
#include "model/error.h"

#define FORMAT(name) extern const struct spoor_format format_##name;
#define WRITER FORMAT
#include "formats/formats.def"
#include "model/options.h"
#undef FORMAT

static const struct spoor_format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "formats/formats.def"
#undef FORMAT
    NULL,
};

enum {
    SURE_ENOUGH = 50, /* below, a probe is a guess */
    SIGNED = 100,     /* the file begins with a signature */
};

enum { BUILTIN = sizeof formats / sizeof *formats - 1 };

size_t spoor_format_count(void)
{
    return BUILTIN + described_count();
}

const struct spoor_format *spoor_format_at(size_t index)
{
    return index < BUILTIN ? formats[index] : described_at(index - BUILTIN);
}

const struct spoor_format *format_builtin(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->name, name) == 0) return formats[i];
    return NULL;
}

const struct spoor_format *spoor_format_find(const char *name)
{
    const struct spoor_format *format = format_builtin(name);
    return format ? format : described_find(name);
}

const struct spoor_format *spoor_format_none(void)
{
    static const struct spoor_format none = {
        .name = "none", .title = "records that come from no trace", .time_unit = ""};
    return &none;
}

const char *spoor_format_name(const struct spoor_format *format)
{
    return format->name;
}
const char *spoor_format_title(const struct spoor_format *format)
{
    return format->title;
}
const char *spoor_format_suffixes(const struct spoor_format *format)
{
    return format->suffixes;
}
const char *spoor_format_document(const struct spoor_format *format)
{
    return format->document;
}
bool spoor_format_reads(const struct spoor_format *format)
{
    return format->decode || format->text;
}
bool spoor_format_writes(const struct spoor_format *format)
{
    return format->write != NULL;
}
size_t spoor_format_record_size(const struct spoor_format *format)
{
    return format->record_size;
}

bool spoor_batch_is_header(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    /* also of one that a container holds, whose stream has no offsets */
    return index == 0 && batch->first == 0 && record->kind == SPOOR_NOTE &&
           record->op == SPOOR_NOTE_HEADER && batch->stream->format->record_size > 0;
}

bool spoor_format_is_table(const struct spoor_format *format)
{
    return format->table;
}

bool spoor_format_has_console(const struct spoor_format *format)
{
    return format->console;
}

bool spoor_format_is_ordered(const struct spoor_format *format)
{
    return !format->unordered;
}

bool spoor_format_is_container(const struct spoor_format *format)
{
    return format->container != NULL;
}

const struct spoor_format *format_container_of(const struct spoor_head *head)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->container && formats[i]->probe(formats[i], head) > 0) return formats[i];
    return NULL;
}

spoor_field_set spoor_format_fields(const struct spoor_format *format, enum spoor_kind kind)
{
    return (unsigned)kind < SPOOR_KINDS ? format->fields[kind] : 0;
}

bool spoor_format_produces(const struct spoor_format *format, enum spoor_kind kind)
{
    if (!spoor_format_reads(format) || (unsigned)kind >= SPOOR_KINDS) return false;
    if (kind == SPOOR_NOTE) return true;
    return format->produces ? format->produces >> kind & 1 : format->fields[kind] != 0;
}

void spoor_stream_set_format(struct spoor_stream *stream, const struct spoor_format *format)
{
    stream->format = format;
    stream->record_size = (uint32_t)format->record_size;
    stream->length = format->length;
    stream->header_size = (uint32_t)format->header_size;
    stream->special = format->special;
    stream->cpu_is_of_insn = format->cpu_is_of_insn;
    stream->kinds = 0;
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++)
        if (spoor_format_produces(format, (enum spoor_kind)kind))
            stream->kinds |= UINT32_C(1) << kind;
}

const char *format_dialect(const struct spoor_format *format, size_t index)
{
    const char *const *name = format->dialects;
    while (name && *name && index > 0) {
        name++;
        index--;
    }
    return name ? *name : NULL;
}

const char *spelling_dialect(const struct spoor_stream *stream, spoor_name spelling)
{
    size_t size;
    if (!stream->format->dialect || spelling == SPOOR_NO_NAME) return NULL;
    const char *bytes = spoor_names_text(stream->spellings, spelling, &size);
    return stream->format->dialect(bytes, size);
}

int spoor_format_probe(const struct spoor_format *format, const struct spoor_head *head)
{
    if (head->size == 0 || !spoor_format_reads(format)) return 0;
    const size_t mark = format->text ? line_mark((const char *)head->bytes, head->size) : 0;
    const struct spoor_head text = {head->bytes + mark, head->size - mark, head->whole};
    return format->probe ? format->probe(format, &text) : probe_lines(format, &text);
}

/* "byu6 (60), byu24 (60)": the formats that score at least `minimum`. */
static void list_candidates(const struct spoor_head *head, int minimum, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    const struct spoor_format *format;
    for (size_t i = 0; (format = spoor_format_at(i)) != NULL && used < capacity; i++) {
        int score = spoor_format_probe(format, head);
        if (score < minimum) continue;
        int more = snprintf(text + used, capacity - used, "%s%s (%d)", used ? ", " : "",
                            format->name, score);
        if (more > 0) used += (size_t)more;
    }
}

void spoor_format_rank(const struct spoor_head *head, struct spoor_ranking *ranking)
{
    struct spoor_ranking made = {0};
    /* The signature of a container is proof: no other format begins with it. */
    const struct spoor_format *container = format_container_of(head);
    if (container && container->probe(container, head) == SIGNED) {
        made.best = (struct spoor_score){container, SIGNED};
        struct_fill(ranking, &made, sizeof made);
        return;
    }
    const struct spoor_format *format;
    for (size_t i = 0; (format = spoor_format_at(i)) != NULL; i++) {
        const struct spoor_score score = {format, spoor_format_probe(format, head)};
        made.out_of_memory |= score.score == PROBE_FAILED;
        if (score.score > made.best.score) {
            made.second = made.best;
            made.best = score;
        } else if (score.score > made.second.score) {
            made.second = score;
        }
    }
    struct_fill(ranking, &made, sizeof made);
}

/* Files that are given for a trace by mistake. */
static const struct {
    size_t at;
    const char *bytes, *what;
} known_files[] = {
    {0, "\177ELF", "this is an ELF image, not a trace: give it with --image beside the trace"},
    {257, "ustar", "this is a tar archive: unpack it"},
    {0, "spoor index ", "this is the index of a trace: name the trace itself"},
};

/* A description of what the bytes are or resemble, or the format that matches most of them, or
 * nothing. */
static void list_put_likeness(const struct spoor_head *head, char *text, size_t size)
{
    static const char lead[] = ": they resemble ";
    text[0] = '\0';
    for (size_t i = 0; i < sizeof known_files / sizeof *known_files; i++) {
        const size_t length = strlen(known_files[i].bytes), at = known_files[i].at;
        if (head->size < at + length || memcmp(head->bytes + at, known_files[i].bytes, length) != 0)
            continue;
        snprintf(text, size, ": %s", known_files[i].what);
        return;
    }
    format_nearest(head, text, size);
    if (text[0]) return;
    for (size_t i = 0; formats[i]; i++) {
        if (!formats[i]->resembles) continue;
        if (!formats[i]->resembles(head, text + sizeof lead - 1, size - (sizeof lead - 1)))
            continue;
        memcpy(text, lead, sizeof lead - 1);
        return;
    }
}

enum spoor_status format_detect(const struct spoor_head *head, const char *path,
                                struct spoor_ranking *ranking, struct spoor_error *error)
{
    spoor_format_rank(head, ranking);
    const int best = ranking->best.score;
    char list[256], likeness[256] = "";
    if (ranking->out_of_memory) return error_no_memory_while(error, path, NULL);
    if (best >= SURE_ENOUGH && best > ranking->second.score) return SPOOR_OK;
    if (best > 0) {
        list_candidates(head, best >= SURE_ENOUGH ? best : 1, list, sizeof list);
        if (best < SURE_ENOUGH) format_nearest(head, likeness, sizeof likeness);
        return spoor_error_set(
            error, SPOOR_EINPUT,
            "%s: the content matches %s, none clearly best%s: name the format with -f", path, list,
            likeness);
    }
    if (head->size == 0)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: empty: found no bytes, expected a trace (or name it with -f)",
                               path);
    list_put_likeness(head, likeness, sizeof likeness);
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: found no format that matches the first %zu bytes%s: "
                           "expected one of `spoor formats`, or name it with -f",
                           path, head->size, likeness);
}

enum format_suits format_suits(const struct spoor_format *format, const struct spoor_batch *batch)
{
    if (format->own_only) return FORMAT_SUITS_NOT;
    if (!format->is_riscv) return FORMAT_SUITS;
    switch (isa_of(batch)) {
    case ISA_UNKNOWN: return FORMAT_SUITS_UNKNOWN;
    case ISA_RISCV: return FORMAT_SUITS;
    default: return FORMAT_SUITS_NOT;
    }
}
