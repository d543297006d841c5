/* SPDX-License-Identifier: MIT */
/* entry.c: the types and markers of drmemtrace, groups of entries, and detection. */
#include <stdio.h>

#include "formats/drmemtrace/drmemtrace.h"

/* By type, ten in a row. */
#define U DRM_IS_UNKNOWN
#define I DRM_IS_INSN
#define A DRM_IS_ACCESS
#define P DRM_IS_PREFETCH
#define F DRM_IS_FLUSH
#define M DRM_IS_MARKER
#define S DRM_IS_STATE
#define E DRM_IS_PART
/* clang-format off */
const uint8_t drm_classes[DRM_TYPES] = {
    A, A, P, P, P, P, P, P, P, P,
    I, I, I, I, I, I, I, U, F, F,
    F, F, S, S, S, S, S, U, M, I,
    U, I, P, P, P, P, P, P, P, P,
    P, P, P, P, P, P, P, E, I, I,
    U,
};
/* clang-format on */
#undef U
#undef I
#undef A
#undef P
#undef F
#undef M
#undef S
#undef E

const char *drm_type_name(unsigned type)
{
    switch (type) {
    case DRM_THREAD: return "thread";
    case DRM_THREAD_EXIT: return "thread_exit";
    case DRM_PID: return "pid";
    case DRM_HEADER: return "header";
    case DRM_FOOTER: return "footer";
    default: return NULL;
    }
}

const char *const drm_marker_names[DRM_MARKERS] = {
    "kernel_event",
    "kernel_transfer",
    "timestamp",
    "cpu",
    "function",
    "function_return_address",
    "function_argument",
    "function_value",
    "split_value",
    "file_type",
    "cache_line_size",
    "instruction_count",
    "version",
    "rseq_abort",
    "window",
    "physical_address",
    "physical_address_unknown",
    "physical_page",
    "page_size",
    "system_call_index",
    "chunk_instruction_count",
    "chunk_footer",
    "record_ordinal",
    "filter_end",
    "rseq_entry",
    "system_call",
    "maybe_blocking",
    "system_call_begin",
    "system_call_end",
    "branch_target",
    "system_call_failed",
    "direct_thread_switch",
    "core_wait",
    "core_idle",
    "context_switch_begin",
    "context_switch_end",
    "vector_length",
    "unscheduled",
    "schedule",
    "timeout",
    "signal",
    "uncompleted_instruction",
    "raw_42",
    "hardware_event",
    "hardware_event_return",
    "raw_kernel_event",
    "skipped_references",
};

unsigned drm_flow(unsigned type)
{
    switch (type) {
    case DRM_JUMP: return SPOOR_FLOW_TYPED;
    case DRM_INDIRECT_JUMP: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_INDIRECT;
    case DRM_CONDITIONAL:
    case DRM_TAKEN: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL;
    case DRM_NOT_TAKEN: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CONDITIONAL | SPOOR_FLOW_NOT_TAKEN;
    case DRM_CALL: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL;
    case DRM_INDIRECT_CALL: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_CALL | SPOOR_FLOW_IS_INDIRECT;
    case DRM_RETURN: return SPOOR_FLOW_TYPED | SPOOR_FLOW_IS_RETURN | SPOOR_FLOW_IS_INDIRECT;
    default: return 0;
    }
}

/* Parts without an instruction after them are a group of their own. */
size_t drm_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    (void)stream;
    size_t length = 0;
    for (unsigned part = 0; size - length >= DRM_ENTRY; part++) {
        const struct drm_entry entry = drm_load(at + length);
        const enum drm_class class = drm_class_of(&entry);
        if (class != DRM_IS_PART)
            return length && class != DRM_IS_INSN ? length : length + DRM_ENTRY;
        if (part == DRM_PARTS) return length;
        length += DRM_ENTRY;
    }
    return 0;
}

size_t drm_last_known(const char *at, size_t size)
{
    size_t end = size / DRM_ENTRY * DRM_ENTRY;
    for (; end > 0; end -= DRM_ENTRY) {
        const struct drm_entry entry = drm_load(at + end - DRM_ENTRY);
        if (drm_class_of(&entry) != DRM_IS_PART) break;
    }
    return end;
}

/* ---- detection ---- */

/* Versions of the header entry that exist, and some that may come. */
enum { VERSIONS = 99 };

int drm_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { SURE = 98, LIKELY = 80, CHECKED = 64 };
    const char *at = (const char *)head->bytes;
    const size_t count = head->size / DRM_ENTRY;
    (void)self;
    if (count < 2) return 0;
    const struct drm_entry first = drm_load(at);
    if (first.type != DRM_HEADER || first.size != 0 || first.value == 0 || first.value > VERSIONS)
        return 0;
    const size_t checked = count < CHECKED ? count : CHECKED;
    size_t implausible = 0;
    for (size_t i = 1; i < checked; i++) {
        const struct drm_entry entry = drm_load(at + i * DRM_ENTRY);
        implausible += entry.type == DRM_MARKER
                           ? entry.size >= DRM_MARKERS && entry.size < DRM_PRODUCER
                           : entry.type >= DRM_TYPES || drm_classes[entry.type] == DRM_IS_UNKNOWN;
    }
    if (implausible * 5 > checked) return 0;
    const struct drm_entry second = drm_load(at + DRM_ENTRY);
    const bool usual =
        second.type == DRM_THREAD || (second.type == DRM_MARKER && second.size == DRM_VERSION);
    return usual ? SURE : LIKELY;
}

/* Entries of a tracer of 32-bit programs have 8 bytes. */
bool drm_resembles(const struct spoor_head *head, char *text, size_t size)
{
    enum { SHORT_ENTRY = 8 };
    uint32_t words[2 * 2];
    /* the first chunk of snappy's framing format, in which older tracers wrote */
    static const char snappy[] = "\xff\x06\0\0sNaPpY";
    if (head->size >= sizeof snappy - 1 && memcmp(head->bytes, snappy, sizeof snappy - 1) == 0) {
        snprintf(text, size,
                 "a file compressed with snappy, which spoor does not read: decompress it");
        return true;
    }
    if (head->size < sizeof words) return false;
    memcpy(words, head->bytes, sizeof words);
    const unsigned second = words[SHORT_ENTRY / sizeof *words] & 0xFFFF;
    if (words[0] != DRM_HEADER || words[1] == 0 || words[1] > VERSIONS ||
        (second != DRM_THREAD && second != DRM_MARKER))
        return false;
    snprintf(text, size, "a drmemtrace file of a 32-bit tracer, whose entries have 8 bytes");
    return true;
}
