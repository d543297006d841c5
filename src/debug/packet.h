/* SPDX-License-Identifier: MIT */
/*
 * packet.h: the frames of GDB's remote protocol.
 *
 * A packet is `$payload#checksum`; `}` before a byte escapes it.  A byte 0x03 outside a packet
 * interrupts the target.  (Debugging with GDB, appendix "GDB Remote Serial Protocol", "Overview".)
 */
#ifndef SPOOR_DEBUG_PACKET_H
#define SPOOR_DEBUG_PACKET_H

#include "base/text.h"

/* Capacity of a payload in bytes; longer packets are rejected. */
enum { PACKET_CAPACITY = 1 << 14 };

enum packet_event {
    PACKET_NOTHING,   /* the byte is part of a packet, an acknowledgement or noise */
    PACKET_WHOLE,     /* parser->payload holds a packet */
    PACKET_DAMAGED,   /* its checksum is wrong, or it is too long */
    PACKET_AGAIN,     /* GDB requests the last reply again */
    PACKET_INTERRUPT, /* GDB interrupts a running search */
};

/* Initialise it with zeros. */
struct packet_parser {
    uint8_t payload[PACKET_CAPACITY];
    size_t size;
    enum { PACKET_OUTSIDE, PACKET_INSIDE, PACKET_FIRST_DIGIT, PACKET_SECOND_DIGIT } place;
    bool escaped, too_long;
    uint8_t sum, stated;
};

enum packet_event packet_feed(struct packet_parser *parser, uint8_t byte);
/* Appends the payload as a packet. */
void packet_frame(struct text *out, const char *payload, size_t size);

/* ---- hexadecimal bytes ---- */

void hex_put(struct text *out, const void *bytes, size_t size);
/* Decodes pairs of digits, up to the first pair that is invalid; returns the number of bytes. */
size_t hex_bytes(const char *text, size_t size, void *bytes, size_t capacity);

#endif
