/* SPDX-License-Identifier: MIT */
/* format.c: a format that a description defines: reads and probes its lines. */
#include <stdio.h>
#include <stdlib.h>

#include "base/scan.h"
#include "formats/commit/commit.h"
#include "formats/describe/describe.h"

/* ---- reading ---- */

static void describe_begin(void *state, const struct text_rules *rules,
                           const struct decoder *decoder)
{
    struct describe_reader *reader = state;
    reader->description = reader->match.description = rules->variant;
    reader->decoder = decoder;
}

static void describe_begin_batch(void *state, struct text_reader *text)
{
    struct describe_reader *reader = state;
    const struct spoor_stream *stream = text->batch->stream;
    reader->match.order = stream && !stream->container ? stream->container_state : NULL;
    reader->description = reader->match.description = text->rules->variant;
    reader->decoder = text->decoder;
    reader->batch = text->batch;
}

static void describe_end_batch(void *state)
{
    struct describe_reader *reader = state;
    describe_match_free(&reader->match);
    free(reader->set);
    free(reader->digits);
    text_free(&reader->made);
    reader->set = NULL;
    reader->digits = NULL;
    reader->set_capacity = reader->digits_capacity = 0;
}

/* The spelling of the line, which gives it back; SPOOR_NAMES_FULL: none. */
static spoor_name describe_spelling(struct describe_reader *reader, const struct line *line)
{
    struct spoor_names *spellings = reader->decoder->spellings;
    if (reader->verbatim) return SPOOR_NAMES_FULL;
    const size_t size = (size_t)(line->end - line->begin);
    const struct spoor_slice template = {reader->template + SPELLING_UNIT_SIZE,
                                         reader->size - SPELLING_UNIT_SIZE};
    struct text *made = &reader->made;
    made->size = 0;
    const bool rendered = describe_render(made, reader->description, reader->batch,
                                          reader->decoder->names, reader->first, template);
    reader->batch->out_of_memory |= made->failed;
    if (!rendered || made->size != size || memcmp(made->bytes, line->begin, size) != 0)
        return SPOOR_NAMES_FULL;
    return spoor_names_intern(spellings, reader->template, reader->size);
}

bool describe_is_title(const struct description *description, const struct describe_order *order,
                       const struct line *line)
{
    if (!description->separator) return false;
    struct describe_order *found = describe_read_title(description, line->begin, line->end);
    bool same = found && found->count == (order ? order->count : description->column_count);
    for (size_t i = 0; same && i < found->count; i++)
        same = found->column[i] == (order ? order->column[i] : (int)i);
    free(found);
    return same;
}

/* The order of the columns by the first line that names them. */
static void *describe_share(const struct spoor_format *self, const struct spoor_head *head)
{
    const struct description *description = self->variant;
    const char *at = (const char *)head->bytes, *end = at + head->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        if (line_end > at && line_end[-1] == '\r') line_end--;
        struct describe_order *order = describe_read_title(description, at, line_end);
        if (order) return order;
        at = next;
    }
    return NULL;
}

static void describe_read_line(struct describe_reader *reader, const struct line *line)
{
    struct spoor_batch *batch = reader->batch;
    struct describe_match *match = &reader->match;
    const size_t first = batch->count, spills = batch->spill_count;
    const struct describe_rule *rule = describe_match_line(match, line->begin, line->end);
    if (match->failed) {
        batch->out_of_memory = true;
        match->failed = false;
    }
    if (rule && rule->kind == SPOOR_NOTE) {
        enum spoor_note_op op = SPOOR_NOTE_COMMENT;
        for (size_t i = 0; i < rule->constant_count; i++)
            if (rule->constants[i].name.field == SPOOR_FIELD_OP)
                op = (enum spoor_note_op)describe_op(SPOOR_NOTE, rule->constants[i].value);
        line_note(batch, line, op);
        return;
    }
    const bool damage = reader->description->waveform || reader->description->mapping;
    if (!rule && damage && line->end - line->begin > 2 && memcmp(line->begin, "! ", 2) == 0) {
        text_refuse(reader->learning);
        line_fault(batch, line, reader->description->name, line->begin + 2,
                   "a waveform without damage");
        return;
    }
    if (!rule || !describe_emit(reader, line->begin, line->end)) {
        batch->count = first;
        batch->spill_count = spills;
        text_refuse(reader->learning);
        if (!rule && reader->description->others)
            line_note(batch, line, SPOOR_NOTE_COMMENT);
        else
            line_fault(batch, line, reader->description->name,
                       rule ? reader->wrong : match->furthest,
                       rule ? reader->expected : match->expected);
        return;
    }
    struct spoor_record *head = &batch->records[first];
    head->has |= line->eol;
    head->spelling = describe_spelling(reader, line);
    if (head->spelling != SPOOR_NAMES_FULL) return;
    head->spelling = SPOOR_NO_NAME;
    if (strcmp(reader->template, reader->description->format.time_unit) != 0) {
        /* a line that states its unit has it, too, where its bytes are kept */
        const spoor_name unit =
            spoor_names_intern(reader->decoder->spellings, reader->template, SPELLING_UNIT_SIZE);
        if (unit != SPOOR_NAMES_FULL) head->spelling = unit;
    }
    /* verbatim: the spill of the line comes before others of the line */
    const size_t count = batch->count;
    batch->count = first + 1;
    spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                      spoor_batch_refer(batch, line->begin, (size_t)(line->end - line->begin)));
    batch->count = count;
    if (batch->spill_count > spills + 1) {
        const struct spoor_spill own = batch->spills[batch->spill_count - 1];
        memmove(&batch->spills[spills + 1], &batch->spills[spills],
                (batch->spill_count - 1 - spills) * sizeof own);
        batch->spills[spills] = own;
    }
}

static const char *describe_line(struct text_reader *text, void *state, const char *at)
{
    struct describe_reader *reader = state;
    struct spoor_batch *batch = text->batch;
    struct line line;
    if (!line_next(batch, &at, &line)) return at;
    reader->learning = text->learning;
    const char *word = line.begin;
    while (word < line.end && (*word == ' ' || *word == '\t')) word++;
    if (line_is_piece(batch, &line))
        line_piece(batch, &line);
    else if (word == line.end)
        line_note(batch, &line, SPOOR_NOTE_BLANK);
    else if (describe_is_title(reader->description, reader->match.order, &line))
        line_note(batch, &line, SPOOR_NOTE_HEADER);
    else
        describe_read_line(reader, &line);
    return at;
}

static bool describe_find_middle(struct text_middle *middle, const struct text_rules *rules,
                                 const char *at, const char *end)
{
    const struct description *description = rules->variant;
    const struct spoor_slice close = description->middle.close;
    const char open = description->middle.open;
    const unsigned number = description->middle.number;
    const char *begin = open ? text_column(at, end, open, number) : text_word(at, end, number);
    const char *stop = !begin       ? NULL
                       : close.size ? memmem(begin, (size_t)(end - begin), close.bytes, close.size)
                                    : describe_match_text(description, at, begin, end);
    if (!stop) return false;
    if (description->middle.slot->type == 't')
        while (stop > begin && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
    *middle = (struct text_middle){begin, stop, (uint32_t)(stop - begin)};
    return stop > begin;
}

/* ---- from line to line ---- */

enum { LAST_PC, LAST_OPCODE, LAST_PLAIN, LAST_HAS_CPU }; /* of carry->word */

static void describe_resolve(struct carry *carry, struct spoor_batch *batch)
{
    const struct description *description = batch->stream->format->variant;
    bool inherits = false; /* the processor of the line before */
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (description->carries_time && record->kind != SPOOR_NOTE) {
            carry->has_time |= (record->has & SPOOR_HAS_TIME) != 0;
            if (carry->has_time && !(record->has & SPOOR_HAS_TIME)) {
                record->time = carry->time;
                record->has |= SPOOR_HAS_TIME;
            }
        }
        carry_time(carry, record);
        if (record->kind == SPOOR_NOTE) continue;
        if (!(record->has & SPOOR_CONTINUES)) inherits = description->carries_cpu;
        if (description->again && record->kind == SPOOR_INSN) {
            const bool asks = record->op == SPOOR_INSN_AGAIN;
            /* True if the instruction of a rule with `again?` is the one before, printed again: of
             * a compressed one the 16 bits of the opcode count, and old versions of Spike extend
             * the sign of 32 bits of the address in one of the two lines only. */
            const uint64_t pc = record->insn.va, before = carry->word[LAST_PC];
            const uint64_t mask =
                commit_riscv_size(record->insn.opcode) == 2 ? UINT16_MAX : UINT64_MAX;
            const bool again =
                record->op == SPOOR_INSN_AGAIN && carry->word[LAST_PLAIN] &&
                (!(record->has & SPOOR_HAS_CPU) || carry->cpu == record->cpu) &&
                (before == pc || (pc <= UINT32_MAX && before == (uint64_t)(int64_t)(int32_t)pc)) &&
                ((carry->word[LAST_OPCODE] ^ record->insn.opcode) & mask) == 0;
            if (asks && !again) record->op = SPOOR_INSN_TAKEN;
            inherits |= again;
            carry->word[LAST_PLAIN] = !asks;
            carry->word[LAST_PC] = record->insn.va;
            carry->word[LAST_OPCODE] = record->insn.opcode;
            if (!inherits && !(record->has & SPOOR_HAS_CPU)) carry->word[LAST_HAS_CPU] = false;
        }
        if (record->has & SPOOR_HAS_CPU) {
            carry->cpu = record->cpu;
            carry->word[LAST_HAS_CPU] = true;
        } else if (inherits && carry->word[LAST_HAS_CPU]) {
            record->cpu = carry->cpu;
            record->has |= SPOOR_HAS_CPU;
        }
    }
}

/* ---- the probe ---- */

/* 100 x the lines that a rule takes, of all but blank ones and notes.  Two columns of numbers are
 * no signature: without text of its own, a description is at most plausible. */
static int describe_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { TRIED = 1 << 16, LINES = 256, LEAST = 50, PLAUSIBLE = 60, NEARLY = 70, LONE = 85 };
    enum { TITLED = 97, MAPPED = 99 };
    enum { BUILTIN = 91, USERS = 96 }; /* below and above the 95 of other formats */
    const struct description *description = self->variant;
    struct describe_match match = {.description = description};
    struct describe_order *order = description->separator ? describe_share(self, head) : NULL;
    match.order = order;
    const char *at = (const char *)head->bytes,
               *end = at + (head->size < TRIED ? head->size : TRIED);
    if (description->waveform || description->mapping) {
        struct scan title = {at, end};
        const size_t name = strlen(description->name);
        if (SCAN_LITERAL(&title, "# waveform by ") &&
            (description->waveform ||
             (scan_word(&title, description->name, name) && scan_char(&title, ':'))))
            return description->mapping ? MAPPED : TITLED;
        if (description->mapping) return 0; /* its lines are those of all mappings */
    }
    size_t taken = 0, missed = 0, literal = 0, loose = 0;
    for (size_t line = 0; line < LINES && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && (!head->whole || end < (const char *)head->bytes + head->size)) break;
        const char *line_end = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        if (line_end > at && line_end[-1] == '\r') line_end--;
        const char *word = at;
        while (word < line_end && (*word == ' ' || *word == '\t')) word++;
        const struct line whole = {at, line_end, 0};
        if (describe_is_title(description, order, &whole)) {
            taken += 9;
        } else if (word < line_end) {
            const struct describe_rule *rule = describe_match_line(&match, at, line_end);
            if (rule && rule->kind != SPOOR_NOTE) {
                taken++;
                literal += match.literal;
                loose += match.loose;
            } else if (!rule && ++missed > LINES / 10) {
                break; /* too many, even if all later lines are taken */
            }
        }
        at = next;
        if (match.failed) break;
    }
    describe_match_free(&match);
    free(order);
    if (match.failed) return PROBE_FAILED;
    if (taken == 0) return 0;
    const int share = (int)(100 * taken / (taken + missed));
    if (share <= LEAST) return 0;
    /* of waveforms, the title is the signature: a line may be two words */
    if (!description->has_signature || description->waveform || loose > 2 * literal + 8 * taken)
        return share == 100 ? PLAUSIBLE : 0;
    if (share < 100) return share >= 90 ? NEARLY : 0;
    if (taken == 1) return description->builtin ? NEARLY : LONE;
    /* of two that take all lines, the one that has more of their text */
    const size_t own = literal / taken;
    return (description->builtin ? BUILTIN : USERS) + (own >= 6) + (own >= 12) + (own >= 24);
}

/* ---- the format ---- */

void describe_set_functions(struct description *description)
{
    struct spoor_format *format = &description->format;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < description->text.size; i++)
        hash = (hash ^ (unsigned char)description->text.bytes[i]) * UINT64_C(0x100000001b3);
    snprintf(description->identity, sizeof description->identity, "%s@%016llx", description->name,
             (unsigned long long)hash);
    const bool timed =
        ((format->fields[SPOOR_INSN] | format->fields[SPOOR_REG] | format->fields[SPOOR_MEM] |
          format->fields[SPOOR_EVENT] | format->fields[SPOOR_FLOW] | format->fields[SPOOR_UOP]) &
         SPOOR_FIELD_BIT(TIME)) != 0;
    bool seconds = false;
    for (unsigned i = 0; i < description->slot_count; i++)
        seconds |= description->slots[i]->type == 'f';
    format->name = description->name;
    format->title =
        description->title_line[0] ? description->title_line : "log that a description defines";
    format->suffixes = "";
    format->document = "its description";
    format->time_unit = description->unit[0] ? description->unit : timed && seconds ? "ns" : "";
    format->variant = description;
    format->multi_record = true;
    format->is_riscv = description->is_riscv;
    format->probe = describe_probe;
    format->resolve = describe_resolve;
    format->resolves_little = !description->again;
    format->write = describe_write;
    format->end = describe_end;
    if (description->binary_size) {
        describe_set_binary(description);
        return;
    }
    if (description->middle.slot)
        memset(description->rules.mark, 0, sizeof description->rules.mark);
    description->rules = (struct text_rules){
        .variant = description,
        .line = describe_line,
        .state_size = sizeof(struct describe_reader) +
                      (description->settles.any ? sizeof(struct describe_opcodes) : 0),
        .begin = describe_begin,
        .begin_batch = describe_begin_batch,
        .end_batch = describe_end_batch,
        .mark = {description->rules.mark[0], description->rules.mark[1]},
        .find_middle = description->middle.slot ? describe_find_middle : NULL,
        .settle = description->settles.any ? describe_settle : NULL,
    };
    format->text = &description->rules;
    if (description->separator) format->share = describe_share;
}
