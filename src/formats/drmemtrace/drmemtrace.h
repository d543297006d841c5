/* SPDX-License-Identifier: MIT */
/*
 * formats/drmemtrace/drmemtrace.h: an entry of a drmemtrace file, for reading and writing.
 *
 * A file is a sequence of entries of 12 bytes without a header outside them: a type, a size and a
 * value, little-endian.  Entries that describe an instruction (the bytes of its code, the target of
 * its branch) precede it.  They and the instruction are one record of the file, a group.
 */
#ifndef SPOOR_FORMATS_DRMEMTRACE_DRMEMTRACE_H
#define SPOOR_FORMATS_DRMEMTRACE_DRMEMTRACE_H

#include "base/hash_map.h"
#include "formats/format.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "entries of the format are loaded and stored as they lie"
#endif

enum {
    DRM_ENTRY = 12,         /* bytes */
    DRM_PARTS = 10,         /* maximum entries of a group before its instruction */
    DRM_CODE = 8,           /* bytes of code in one entry */
    DRM_CODE_MAX = 80,      /* bytes of code of a group */
    DRM_TYPES = 51,         /* known types are below */
    DRM_MARKERS = 47,       /* known markers are below */
    DRM_PRODUCER = 100,     /* markers from here on are the producers' own */
    DRM_VERSION_NEWEST = 7, /* of the versions that this reader knows */
};

enum drm_type {
    DRM_READ,
    DRM_WRITE,
    DRM_PREFETCH,          /* to an unspecified level */
    DRM_PREFETCH_CODE = 9, /* of instructions */
    DRM_INSN = 10,         /* not a branch */
    DRM_JUMP,
    DRM_INDIRECT_JUMP,
    DRM_CONDITIONAL, /* it is not stated whether it was taken */
    DRM_CALL,
    DRM_INDIRECT_CALL,
    DRM_RETURN,
    DRM_BUNDLE, /* only in files that are not finished */
    DRM_FLUSH_INSN,
    DRM_FLUSH_INSN_END,
    DRM_FLUSH_DATA,
    DRM_FLUSH_DATA_END,
    DRM_THREAD,
    DRM_THREAD_EXIT,
    DRM_PID,
    DRM_HEADER,
    DRM_FOOTER,
    DRM_HARDWARE_PREFETCH, /* only simulators make them */
    DRM_MARKER,
    DRM_NOT_FETCHED,   /* a further iteration of an instruction */
    DRM_MAYBE_FETCHED, /* only in files that are not finished */
    DRM_SYSENTER,
    DRM_PREFETCH_FIRST = 32, /* to 46: by level and use */
    DRM_PREFETCH_CODE_FIRST = 42,
    DRM_PREFETCH_LAST = 46,
    DRM_ENCODING = 47,
    DRM_TAKEN,
    DRM_NOT_TAKEN,
};

enum drm_marker {
    DRM_KERNEL_EVENT,
    DRM_KERNEL_TRANSFER,
    DRM_TIMESTAMP,
    DRM_CPU,
    DRM_FUNCTION_ID,
    DRM_FUNCTION_RETURN_ADDRESS,
    DRM_FUNCTION_ARGUMENT,
    DRM_FUNCTION_VALUE,
    DRM_FILE_TYPE = 9,
    DRM_LINE_SIZE,
    DRM_VERSION = 12,
    DRM_RSEQ_ABORT,
    DRM_WINDOW,
    DRM_PHYSICAL,
    DRM_PHYSICAL_UNKNOWN,
    DRM_PHYSICAL_PAGE,
    DRM_PAGE_SIZE,
    DRM_CHUNK_INSTRUCTIONS = 20,
    DRM_CHUNK_FOOTER,
    DRM_RECORD_ORDINAL,
    DRM_SYSTEM_CALL = 25,
    DRM_MAYBE_BLOCKING,
    DRM_SYSTEM_CALL_BEGIN,
    DRM_SYSTEM_CALL_END,
    DRM_BRANCH_TARGET,
    DRM_CORE_WAIT = 32,
    DRM_CORE_IDLE,
    DRM_SWITCH_BEGIN,
    DRM_SWITCH_END,
};

/* Bits of the file type. */
enum {
    DRM_FILE_AARCH64 = 0x8,
    DRM_FILE_ARM = 0x10,
    DRM_FILE_X86_32 = 0x20,
    DRM_FILE_X86_64 = 0x40,
    DRM_FILE_ARCHITECTURES = 0x78,
    DRM_FILE_ENCODINGS = 0x200,
    DRM_FILE_REGISTERS = 0x20000, /* registers and dependences instead of code */
};

struct drm_entry {
    uint16_t type, size;
    uint64_t value;
};

static inline struct drm_entry drm_load(const char *at)
{
    struct drm_entry entry;
    uint32_t head;
    memcpy(&head, at, sizeof head);
    memcpy(&entry.value, at + sizeof head, sizeof entry.value);
    entry.type = (uint16_t)head;
    entry.size = (uint16_t)(head >> 16);
    return entry;
}

static inline char *drm_store(char *at, unsigned type, unsigned size, uint64_t value)
{
    const uint32_t head = type | size << 16;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, &value, sizeof value);
    return at + DRM_ENTRY;
}

/* A number of bytes of code, the first lowest, becomes one with the first highest. */
static inline uint64_t drm_reversed(uint64_t opcode, unsigned size)
{
    return __builtin_bswap64(opcode) >> (size < DRM_CODE ? 8 * (DRM_CODE - size) : 0);
}

/* The role of a type. */
enum drm_class {
    DRM_IS_UNKNOWN,
    DRM_IS_INSN,
    DRM_IS_ACCESS,
    DRM_IS_PREFETCH,
    DRM_IS_FLUSH,
    DRM_IS_MARKER,
    DRM_IS_STATE, /* thread, pid, header, footer, exit of a thread */
    DRM_IS_PART,  /* of the instruction after it */
};
extern const uint8_t drm_classes[DRM_TYPES];

/* DRM_IS_PART also for the marker of a branch's target. */
static inline enum drm_class drm_class_of(const struct drm_entry *entry)
{
    if (entry->type >= DRM_TYPES) return DRM_IS_UNKNOWN;
    if (entry->type == DRM_MARKER && entry->size == DRM_BRANCH_TARGET) return DRM_IS_PART;
    return (enum drm_class)drm_classes[entry->type];
}

/* Names of types other than those of instructions and accesses, NULL: none; and of markers. */
const char *drm_type_name(unsigned type);
extern const char *const drm_marker_names[DRM_MARKERS];
/* The op of FLOW of a type of instruction; 0: not a branch. */
unsigned drm_flow(unsigned type);
/* Control does not continue after the instruction before this marker. */
static inline bool drm_interrupts(unsigned marker)
{
    return marker == DRM_KERNEL_EVENT || marker == DRM_KERNEL_TRANSFER ||
           marker == DRM_RSEQ_ABORT || marker == DRM_SYSTEM_CALL_BEGIN ||
           marker == DRM_SWITCH_BEGIN;
}

/* The size of the group at `at`; 0: it ends after these bytes. */
size_t drm_length(const struct spoor_stream *stream, const char *at, size_t size);
/* The end of the last entry that is no part: a group ends there, whatever is before and after. */
size_t drm_last_known(const char *at, size_t size);
int drm_probe(const struct spoor_format *self, const struct spoor_head *head);
bool drm_resembles(const struct spoor_head *head, char *text, size_t size);

/* What no field has: the type and size of the entry, and the parts before it in their order, each
 * the number of its bytes of code, or DRM_PART_TARGET. */
enum { DRM_PART_TARGET = 0x20 };
struct drm_spelling {
    char unit[SPELLING_UNIT_SIZE];
    uint8_t type, parts;
    uint16_t size; /* of entries whose size is in no field */
    uint8_t part[DRM_PARTS];
};

/* Letters of instruction sets, as in struct spoor_insn. */
enum { DRM_ISET_X86 = 'I', DRM_ISET_A64 = 'O', DRM_ISET_A32 = 'A', DRM_ISET_REGISTERS = 'R' };

extern const struct spoor_format format_drmemtrace;

void drm_resolve(struct carry *carry, struct spoor_batch *batch);
void drm_forget(struct carry *carry);
bool drm_pack_tables(struct carry *carry, struct text *bytes);
enum spoor_status drm_unpack_tables(struct carry *carry, const void *bytes, size_t size);
void drm_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void drm_end(struct encoder *encoder, struct text *out);

/* ---- the state of writing ---- */

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

struct drm_writer {
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

/* Appends an entry. */
void drm_put_entry(struct text *out, unsigned type, unsigned size, uint64_t value);

#endif
