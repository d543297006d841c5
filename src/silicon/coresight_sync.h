/* SPDX-License-Identifier: MIT */
/*
 * silicon/coresight_sync.h: where the decoding of a buffer of frames may begin anew.
 *
 * ETMv4 synchronises by A-Sync, trace info, and an address with its context: after these, nothing
 * that was traced before is needed.  Only such points are found at which no speculation, no
 * conditional instruction and no transaction is open (Arm IHI 0064, 6.4.3), in a buffer of which
 * one decoded source has all bytes so far.
 */
#ifndef SPOOR_SILICON_CORESIGHT_SYNC_H
#define SPOOR_SILICON_CORESIGHT_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYNC_FRAME = 16, SYNC_IDS = 128, SYNC_ZEROS = 11 };

struct coresight_sync {
    uint64_t offset;  /* of the A-Sync, in frames */
    uint64_t frame;   /* of the frame that it begins in */
    uint8_t frame_id; /* trace id at the begin of that frame */
};

struct coresight_scan {
    /* Bytes of the buffer from an offset on; fewer: it ends. */
    size_t (*read)(void *context, uint64_t offset, void *to, size_t size);
    void *context;
    bool decoded[SYNC_IDS];                  /* trace ids with a decoder */
    uint64_t offset;                         /* of the next frame */
    int id;                                  /* of the next byte; -1: none is known */
    int source;                              /* whose bytes are read; -1: none had any */
    bool several;                            /* so had another: there are no more points */
    struct coresight_sync zeros[SYNC_ZEROS]; /* the last ones that follow each other */
    unsigned zero_count;
    struct coresight_sync found;
    unsigned state; /* enum scan_state */
    uint8_t sections;
};

void coresight_scan_begin(struct coresight_scan *scan);
/* The next point that is at least at `from`; false: there is none. */
bool coresight_scan_next(struct coresight_scan *scan, uint64_t from, struct coresight_sync *sync);

#endif
