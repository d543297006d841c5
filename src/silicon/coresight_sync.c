/* SPDX-License-Identifier: MIT */
/*
 * coresight_sync.c: takes the bytes of a source out of frames (Arm IHI 0029, formatter), and finds
 * the packets of a synchronisation (Arm IHI 0064).
 */
#include "silicon/coresight_sync.h"

#include <string.h>

enum { BLOCK = 4 << 10 /* bytes that are read at once */ };

enum scan_state {
    SCAN_ASYNC,    /* 11 zeros, 0x80 */
    SCAN_INFO,     /* header of a trace info packet */
    SCAN_CONTROL,  /* its control byte, which says what sections follow */
    SCAN_SECTIONS, /* one of them */
    SCAN_ADDRESS,  /* header of an address with a context */
};
enum { TRACE_INFO = 0x01, ADDRESS_CONTEXT_64 = 0x85, ASYNC_END = 0x80, CONTINUES = 0x80 };
/* Sections of trace info; of others, or of a further control byte, nothing is known. */
enum { SECTION_INFO = 1, SECTION_SPECULATION = 4, SECTION_CYCLES = 8 };
enum { SECTIONS = SECTION_INFO | SECTION_SPECULATION | SECTION_CYCLES };
enum { INFO_CYCLES = 1 /* cycle counting: no state of the decoder */ };

void coresight_scan_begin(struct coresight_scan *scan)
{
    scan->offset = 0;
    scan->id = scan->source = -1;
    scan->several = false;
    scan->zero_count = 0;
    scan->state = SCAN_ASYNC;
}

/* A byte in a section of trace info; false: the point is none. */
static bool scan_section(struct coresight_scan *scan, uint8_t byte)
{
    const unsigned lowest = scan->sections & (0U - scan->sections);
    if (lowest == SECTION_INFO && byte > INFO_CYCLES) return false;
    if (lowest == SECTION_SPECULATION && byte != 0) return false;
    if (!(byte & CONTINUES)) scan->sections = (uint8_t)(scan->sections & ~lowest);
    if (!scan->sections) scan->state = SCAN_ADDRESS;
    return true;
}

/* A byte of the source; true: it ends what is looked for. */
static bool scan_byte(struct coresight_scan *scan, const struct coresight_sync *at, uint8_t byte)
{
    if (byte == 0) scan->zeros[scan->zero_count++ % SYNC_ZEROS] = *at;
    const unsigned zeros = scan->zero_count;
    if (byte != 0) scan->zero_count = 0;
    if (byte == ASYNC_END && zeros >= SYNC_ZEROS) {
        scan->found = scan->zeros[zeros % SYNC_ZEROS];
        scan->state = SCAN_INFO;
        return false;
    }
    bool good = false;
    switch ((enum scan_state)scan->state) {
    case SCAN_ASYNC: return false;
    case SCAN_INFO:
        good = byte == TRACE_INFO;
        scan->state = SCAN_CONTROL;
        break;
    case SCAN_CONTROL:
        good = !(byte & ~SECTIONS);
        scan->sections = byte;
        scan->state = byte ? SCAN_SECTIONS : SCAN_ADDRESS;
        break;
    case SCAN_SECTIONS: good = scan_section(scan, byte); break;
    case SCAN_ADDRESS: scan->state = SCAN_ASYNC; return byte == ADDRESS_CONTEXT_64;
    }
    if (!good) scan->state = SCAN_ASYNC;
    return false;
}

/* A byte of a frame; true: it ends what is looked for. */
static bool scan_data(struct coresight_scan *scan, uint64_t offset, int frame_id, uint8_t byte)
{
    if (scan->id < 0 || !scan->decoded[scan->id]) return false;
    if (scan->source < 0) scan->source = scan->id;
    scan->several |= scan->source != scan->id;
    if (scan->several || frame_id < 0) return false;
    const struct coresight_sync at = {.offset = offset,
                                      .frame = offset & ~(uint64_t)(SYNC_FRAME - 1),
                                      .frame_id = (uint8_t)frame_id};
    return scan_byte(scan, &at, byte);
}

/* True of a frame in which nothing ends that is looked for; 11 zeros may begin in its last bytes:
 * *zeros of them.  11 zeros within it include its 5th to 11th byte.  A trace id, and an even byte,
 * may be no zero by their lowest bit, which lies in the last byte: these count as zeros here. */
static bool scan_passes(const struct coresight_scan *scan, const uint8_t *frame, unsigned *zeros)
{
    static const uint8_t even[8] = {1, 0, 1, 0, 1, 0, 1, 0}; /* a trace id has this bit */
    static const uint8_t middle[2][8] = {{0, 0, 0, 0, 255, 255, 255, 255}, {255, 255, 255}};
    uint64_t ids, first, second, low, high;
    unsigned leading = 0;
    if (scan->state != SCAN_ASYNC || scan->id < 0 || scan->id != scan->source) return false;
    memcpy(&ids, even, sizeof ids);
    memcpy(&first, frame, sizeof first);
    memcpy(&second, frame + sizeof first, sizeof second);
    memcpy(&low, middle[0], sizeof low);
    memcpy(&high, middle[1], sizeof high);
    if ((first | second) & ids || !((first & low) | (second & high))) return false;
    if (scan->zero_count) /* which may go on in the first bytes, up to the 11th */
        while (!frame[leading]) leading++;
    for (*zeros = 0; !frame[SYNC_FRAME - 2 - *zeros];) ++*zeros;
    return scan->zero_count + leading < SYNC_ZEROS;
}

static bool scan_frame(struct coresight_scan *scan, const uint8_t *frame)
{
    enum { LAST = SYNC_FRAME - 1 /* the lowest bits of the others with an even number */ };
    const int frame_id = scan->id;
    bool found = false;
    unsigned zeros;
    if (scan_passes(scan, frame, &zeros)) {
        scan->zero_count = 0;
        for (unsigned i = LAST - zeros; zeros && i < LAST; i++)
            scan_data(scan, scan->offset + i, frame_id,
                      (uint8_t)(frame[i] | (i % 2 ? 0 : frame[LAST] >> i / 2 & 1)));
        scan->offset += SYNC_FRAME;
        return false;
    }
    for (unsigned i = 0; i < LAST; i += 2) {
        const unsigned bit = frame[LAST] >> i / 2 & 1;
        const bool is_id = frame[i] & 1, later = is_id && bit && i + 1 < LAST;
        if (is_id && !later) scan->id = frame[i] >> 1;
        if (!is_id) found |= scan_data(scan, scan->offset + i, frame_id, (uint8_t)(frame[i] | bit));
        if (i + 1 < LAST) found |= scan_data(scan, scan->offset + i + 1, frame_id, frame[i + 1]);
        if (later) scan->id = frame[i] >> 1;
    }
    scan->offset += SYNC_FRAME;
    return found;
}

bool coresight_scan_next(struct coresight_scan *scan, uint64_t from, struct coresight_sync *sync)
{
    uint8_t block[BLOCK];
    size_t size;
    do {
        size = scan->read(scan->context, scan->offset, block, BLOCK) / SYNC_FRAME * SYNC_FRAME;
        for (size_t i = 0; i < size && !scan->several; i += SYNC_FRAME) {
            if (!scan_frame(scan, block + i) || scan->found.frame < from) continue;
            *sync = scan->found;
            return true;
        }
    } while (size == BLOCK && !scan->several);
    return false;
}
