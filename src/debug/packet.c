/* SPDX-License-Identifier: MIT */
/* packet.c: parses and writes the frames of GDB's remote protocol. */
#include "debug/packet.h"

#include "base/scan.h"

enum { INTERRUPT_BYTE = 0x03, ESCAPE_MASK = 0x20 };

enum packet_event packet_feed(struct packet_parser *parser, uint8_t byte)
{
    if (byte == '$' && (parser->place == PACKET_OUTSIDE || parser->place == PACKET_INSIDE)) {
        parser->size = 0; /* the previous one may have been cut short */
        parser->sum = 0;
        parser->escaped = parser->too_long = false;
        parser->place = PACKET_INSIDE;
        return PACKET_NOTHING;
    }
    switch (parser->place) {
    case PACKET_OUTSIDE:
        if (byte == '-') return PACKET_AGAIN;
        return byte == INTERRUPT_BYTE ? PACKET_INTERRUPT : PACKET_NOTHING;
    case PACKET_INSIDE:
        if (byte == '#') {
            parser->place = PACKET_FIRST_DIGIT;
        } else {
            parser->sum = (uint8_t)(parser->sum + byte);
            const bool escapes = !parser->escaped && byte == '}';
            if (parser->escaped) byte ^= ESCAPE_MASK;
            parser->escaped = escapes;
            if (escapes) return PACKET_NOTHING;
            if (parser->size == PACKET_CAPACITY - 1)
                parser->too_long = true;
            else
                parser->payload[parser->size++] = byte;
        }
        return PACKET_NOTHING;
    case PACKET_FIRST_DIGIT:
    case PACKET_SECOND_DIGIT: break;
    }
    const uint8_t digit = hex_value[byte];
    if (digit > 15) {
        parser->place = PACKET_OUTSIDE;
        return PACKET_DAMAGED;
    }
    if (parser->place == PACKET_FIRST_DIGIT) {
        parser->stated = (uint8_t)(digit << 4);
        parser->place = PACKET_SECOND_DIGIT;
        return PACKET_NOTHING;
    }
    parser->stated |= digit;
    parser->place = PACKET_OUTSIDE;
    parser->payload[parser->size] = '\0';
    return parser->too_long || parser->stated != parser->sum ? PACKET_DAMAGED : PACKET_WHOLE;
}

void packet_frame(struct text *out, const char *payload, size_t size)
{
    uint8_t sum = 0;
    char *at = text_reserve(out, 2 * size + 4);
    if (!at) return;
    *at++ = '$';
    for (size_t i = 0; i < size; i++) {
        char byte = payload[i];
        if (byte == '$' || byte == '#' || byte == '}' || byte == '*') {
            *at++ = '}';
            sum = (uint8_t)(sum + '}');
            byte ^= ESCAPE_MASK;
        }
        *at++ = byte;
        sum = (uint8_t)(sum + (uint8_t)byte);
    }
    *at++ = '#';
    text_commit(out, put_hex(at, sum, 2));
}

void hex_put(struct text *out, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    char *at = text_reserve(out, 2 * size);
    if (!at) return;
    for (size_t i = 0; i < size; i++) at = put_hex(at, byte[i], 2);
    text_commit(out, at);
}

size_t hex_bytes(const char *text, size_t size, void *bytes, size_t capacity)
{
    uint8_t *byte = bytes;
    size_t count = 0;
    for (; count < capacity && 2 * count + 1 < size; count++) {
        const uint8_t high = hex_value[(uint8_t)text[2 * count]],
                      low = hex_value[(uint8_t)text[2 * count + 1]];
        if (high > 15 || low > 15) break;
        byte[count] = (uint8_t)(high << 4 | low);
    }
    return count;
}
