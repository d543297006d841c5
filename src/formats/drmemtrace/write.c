/* SPDX-License-Identifier: MIT */
/*
 * write.c: writes records of drmemtrace as its entries.
 *
 * An instruction is written when the next record shows that its group is complete.  Its spelling
 * holds the order of the entries, its fields their content.
 */
#include <stdlib.h>

#include "formats/drmemtrace/drmemtrace.h"

/* Writes the open group. */
static void drm_flush(struct drm_writer *writer, struct text *out)
{
    const struct drm_group *group = &writer->group;
    char *at = writer->open ? text_reserve(out, DRM_GROUP_MAX) : NULL;
    unsigned used = 0;
    writer->open = false;
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

/* A record that this format has read. */
static bool drm_put_own(struct drm_writer *writer, const struct spoor_batch *batch, size_t index,
                        struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    struct drm_group *group = &writer->group;
    if (record->kind == SPOOR_FLOW) {
        if (writer->verbatim) return true;
        if (!writer->open || group->pc != record->flow.va) return false;
        group->has_target = record->has & SPOOR_HAS_DATA;
        group->target = record->flow.target;
        return true;
    }
    drm_flush(writer, out);
    struct drm_spelling spelling = {.type = UINT8_MAX};
    size_t size;
    const void *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (size == sizeof spelling) memcpy(&spelling, bytes, sizeof spelling);
    if (spelling.parts > DRM_PARTS) spelling.parts = 0;
    const bool typed = spelling.type < DRM_TYPES;
    struct spoor_ref line, code;
    unsigned type;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
        writer->verbatim = (record->has & SPOOR_IS_VERBATIM) &&
                           spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &line);
        if (writer->verbatim) {
            text_put(out, spoor_batch_bytes(batch, line), line.size);
            return true;
        }
        *group = (struct drm_group){
            .pc = record->insn.va,
            .type = typed ? spelling.type : DRM_INSN,
            .size = record->insn.opcode_size,
            .parts = spelling.parts,
        };
        memcpy(group->part, spelling.part, spelling.parts);
        if (!spelling.parts) return writer->open = true;
        /* the bytes of the code, from what is spilled or the number */
        if ((record->has & SPOOR_IS_SPILLED) &&
            spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &code) &&
            code.size <= DRM_CODE_MAX) {
            memcpy(group->code, spoor_batch_bytes(batch, code), code.size);
            group->code_size = (uint8_t)code.size;
        } else if ((record->has & SPOOR_HAS_DATA) && record->insn.opcode_size <= DRM_CODE) {
            const unsigned last = record->insn.opcode_size - 1U;
            const bool x86 = record->insn.iset == DRM_ISET_X86;
            for (unsigned i = 0; i <= last && last < DRM_CODE; i++)
                group->code[i] = (uint8_t)(record->insn.opcode >> 8 * (x86 ? last - i : i));
            group->code_size = record->insn.opcode_size;
        }
        return writer->open = true;
    case SPOOR_MEM:
        type = record->op == SPOOR_MEM_READ ? DRM_READ : DRM_WRITE;
        if (record->op == SPOOR_MEM_PREFETCH) type = typed ? spelling.type : DRM_PREFETCH;
        if (record->op == SPOOR_MEM_PREFETCH_CODE) type = typed ? spelling.type : DRM_PREFETCH_CODE;
        drm_put_entry(out, type, record->mem.size, record->mem.va);
        return true;
    case SPOOR_EVENT:
        if (record->has & SPOOR_HAS_INDEX)
            drm_put_entry(out, DRM_MARKER, record->event.number & UINT16_MAX, record->event.value);
        else if (typed)
            drm_put_entry(out, spelling.type, spelling.size, record->event.value);
        return record->has & SPOOR_HAS_INDEX || typed;
    case SPOOR_CACHEOP:
        if (typed) drm_put_entry(out, spelling.type, spelling.size, record->cacheop.va);
        return typed;
    case SPOOR_NOTE:
        text_put(out, spoor_batch_bytes(batch, record->note.text), record->note.text.size);
        return true;
    default: return false;
    }
}

void drm_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct drm_writer));
    struct drm_writer *writer = encoder->tables;
    if (!writer) out->failed = true;
    const bool own = batch->stream->format->resolve == drm_resolve;
    for (size_t i = from; writer && i < to; i++) {
        const bool done = own ? drm_put_own(writer, batch, i, out)
                              : drm_other_put(&writer->other, batch, i, to, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}

void drm_end(struct encoder *encoder, struct text *out)
{
    struct drm_writer *writer = encoder->tables;
    if (!writer) return;
    drm_flush(writer, out);
    drm_other_end(writer->other, out);
    free(writer);
    encoder->tables = NULL;
}
