/* SPDX-License-Identifier: MIT */
/* segment.c: the numbers at the beginning of a segment. */
#include "formats/spoor/segment.h"

#include "formats/spoor/block.h"

bool segment_parse_head(const char *payload, size_t size, struct segment_head *head)
{
    if (size < SEGMENT_HEAD_SIZE) return false;
    *head = (struct segment_head){
        .record = block_u64(payload),
        .place = block_u64(payload + 8),
        .time = block_u64(payload + 16),
        .records = block_u32(payload + 24),
        .templates = block_u32(payload + 28),
        .dictionary = block_u32(payload + 32),
        .defined = block_u32(payload + 36),
        .flags = block_u32(payload + 40),
    };
    return head->records <= SEGMENT_RECORDS && head->templates <= head->records;
}

void segment_put_head(struct text *payload, const struct segment_head *head)
{
    char bytes[SEGMENT_HEAD_SIZE] = {0}, *at = bytes;
    at = block_put_number(at, head->record, 8);
    at = block_put_number(at, head->place, 8);
    at = block_put_number(at, head->time, 8);
    at = block_put_number(at, head->records, 4);
    at = block_put_number(at, head->templates, 4);
    at = block_put_number(at, head->dictionary, 4);
    at = block_put_number(at, head->defined, 4);
    block_put_number(at, head->flags, 4);
    text_put(payload, bytes, sizeof bytes);
}
