/* SPDX-License-Identifier: MIT */
/*
 * write.c: writes records of drmemtrace as its entries.
 *
 * An instruction is written when the next record shows that its group is complete.  Its spelling
 * holds the order of the entries, its fields their content.
 */
#include <stdlib.h>

#include "formats/drmemtrace/writing.h"

/* Writes the open group. */
static void drm_flush(struct drm_writing *writing, struct text *out)
{
    const struct drm_group *group = &writing->group;
    char *at = writing->open ? text_reserve(out, DRM_GROUP_MAX) : NULL;
    unsigned used = 0;
    writing->open = false;
    if (!at) return;
    for (unsigned i = 0; i < group->parts; i++) {
        uint64_t value = 0;
        unsigned size = group->part[i];
        if (size == DRM_PART_TARGET) {
            if (group->has_target) at = drm_store(at, DRM_MARKER, DRM_BRANCH_TARGET, group->target);
            continue;
        }
        if (size > group->code_size - used) size = group->code_size - used;
        memcpy(&value, group->code + used, size);
        if (size) at = drm_store(at, DRM_ENCODING, size, value);
        used += size;
    }
    text_commit(out, drm_store(at, group->type, group->size, group->pc));
}

/* The bytes of a record's code, from its number or what is spilled. */
static unsigned drm_code_of(const struct spoor_batch *batch, size_t index,
                            uint8_t code[DRM_CODE_MAX])
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    struct spoor_ref ref;
    if ((record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &ref) && ref.size <= DRM_CODE_MAX) {
        memcpy(code, spoor_batch_bytes(batch, ref), ref.size);
        return ref.size;
    }
    if (!(record->has & SPOOR_HAS_DATA) || insn->opcode_size > DRM_CODE) return 0;
    for (unsigned i = 0; i < insn->opcode_size; i++) {
        const unsigned shift = insn->iset == DRM_ISET_X86 ? insn->opcode_size - 1U - i : i;
        code[i] = (uint8_t)(insn->opcode >> 8 * shift);
    }
    return insn->opcode_size;
}

static struct drm_spelling spelling_of(const struct spoor_batch *batch,
                                       const struct spoor_record *record)
{
    struct drm_spelling spelling = {.type = UINT8_MAX};
    size_t size;
    const void *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (size == sizeof spelling) memcpy(&spelling, bytes, sizeof spelling);
    if (spelling.parts > DRM_PARTS) spelling.parts = 0;
    return spelling;
}

static void put_entry(struct text *out, unsigned type, unsigned size, uint64_t value)
{
    char *at = text_reserve(out, DRM_ENTRY);
    if (at) text_commit(out, drm_store(at, type, size, value));
}

static bool put_insn(struct drm_writing *writing, const struct spoor_batch *batch, size_t index,
                     struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const struct drm_spelling spelling = spelling_of(batch, record);
    struct spoor_ref line;
    writing->verbatim = (record->has & SPOOR_IS_VERBATIM) &&
                        spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &line);
    if (writing->verbatim) {
        text_put(out, spoor_batch_bytes(batch, line), line.size);
        return true;
    }
    writing->group = (struct drm_group){
        .pc = record->insn.va,
        .type = spelling.type < DRM_TYPES ? spelling.type : DRM_INSN,
        .size = record->insn.opcode_size,
        .parts = spelling.parts,
    };
    memcpy(writing->group.part, spelling.part, spelling.parts);
    if (spelling.parts)
        writing->group.code_size = (uint8_t)drm_code_of(batch, index, writing->group.code);
    writing->open = true;
    return true;
}

static bool put_flow(struct drm_writing *writing, const struct spoor_record *record)
{
    if (writing->verbatim) return true;
    if (!writing->open || writing->group.pc != record->flow.va) return false;
    writing->group.has_target = record->has & SPOOR_HAS_DATA;
    writing->group.target = record->flow.target;
    return true;
}

static bool put_mem(const struct spoor_batch *batch, const struct spoor_record *record,
                    struct text *out)
{
    unsigned type = record->op == SPOOR_MEM_READ ? DRM_READ : DRM_WRITE;
    if (record->op == SPOOR_MEM_PREFETCH || record->op == SPOOR_MEM_PREFETCH_CODE) {
        const struct drm_spelling spelling = spelling_of(batch, record);
        const unsigned usual = record->op == SPOOR_MEM_PREFETCH ? DRM_PREFETCH : DRM_PREFETCH_CODE;
        type = spelling.type < DRM_TYPES ? spelling.type : usual;
    }
    put_entry(out, type, record->mem.size, record->mem.va);
    return true;
}

/* An entry of which the spelling has the type and the size. */
static bool put_state(const struct spoor_batch *batch, const struct spoor_record *record,
                      uint64_t value, struct text *out)
{
    const struct drm_spelling spelling = spelling_of(batch, record);
    if (spelling.type >= DRM_TYPES) return false;
    put_entry(out, spelling.type, spelling.size, value);
    return true;
}

static bool put_event(const struct spoor_batch *batch, const struct spoor_record *record,
                      struct text *out)
{
    if (!(record->has & SPOOR_HAS_INDEX)) return put_state(batch, record, record->event.value, out);
    put_entry(out, DRM_MARKER, record->event.number & UINT16_MAX, record->event.value);
    return true;
}

/* A record that this format has read. */
static bool put_own(struct drm_writing *writing, const struct spoor_batch *batch, size_t index,
                    struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_FLOW) return put_flow(writing, record);
    drm_flush(writing, out);
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN: return put_insn(writing, batch, index, out);
    case SPOOR_MEM: return put_mem(batch, record, out);
    case SPOOR_EVENT: return put_event(batch, record, out);
    case SPOOR_CACHEOP: return put_state(batch, record, record->cacheop.va, out);
    case SPOOR_NOTE:
        text_put(out, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
        return true;
    default: return false;
    }
}

void drm_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct drm_writing));
    struct drm_writing *writing = encoder->tables;
    if (!writing) out->failed = true;
    const bool own = batch->stream->format->resolve == drm_resolve;
    for (size_t i = from; writing && i < to; i++) {
        const bool done = own ? put_own(writing, batch, i, out)
                              : drm_other_put(&writing->other, batch, i, to, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}

void drm_end(struct encoder *encoder, struct text *out)
{
    struct drm_writing *writing = encoder->tables;
    if (!writing) return;
    drm_flush(writing, out);
    drm_other_end(writing->other, out);
    free(writing);
    encoder->tables = NULL;
}
