/* SPDX-License-Identifier: MIT */
/* formats/drmemtrace/writing.h: the state of writing drmemtrace. */
#ifndef SPOOR_FORMATS_DRMEMTRACE_WRITING_H
#define SPOOR_FORMATS_DRMEMTRACE_WRITING_H

#include "formats/drmemtrace/drmemtrace.h"

enum { DRM_GROUP_MAX = (DRM_PARTS + 1) * DRM_ENTRY };

/* An instruction with the entries before it. */
struct drm_group {
    uint64_t pc, target;
    uint16_t size;
    uint8_t type, parts, code_size;
    bool has_target;
    uint8_t part[DRM_PARTS];
    uint8_t code[DRM_CODE_MAX];
};

struct drm_other;

struct drm_writing {
    struct drm_other *other; /* of records of other formats; NULL: there were none */
    struct drm_group group;
    bool open;     /* the group waits for records that continue it */
    bool verbatim; /* the last instruction was written as it was read */
};

/* Writes record `index` of another format, of those before `to`; false: no entry can state it. */
bool drm_other_put(struct drm_other **other, const struct spoor_batch *batch, size_t index,
                   size_t to, struct text *out);
/* Writes what waits and the end of the file, and releases the state; NULL: nothing. */
void drm_other_end(struct drm_other *other, struct text *out);

#endif
