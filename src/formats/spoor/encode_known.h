/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/encode_known.h: templates of records that are as one before, by the ids of their
 * stream: found without their names, strings and hashes.
 */
#ifndef SPOOR_FORMATS_SPOOR_ENCODE_KNOWN_H
#define SPOOR_FORMATS_SPOOR_ENCODE_KNOWN_H

#include "formats/spoor/encode.h"

/* Keeps a record, whose template has this id. */
void encode_learn(struct segment_encoder *encoder, uint32_t id, const struct spoor_record *record,
                  const struct lanes *lanes);

/* Where the record of a template is kept, or of another whose id has the same low bits. */
static inline size_t known_place(uint32_t id)
{
    return id % (1 << KNOWN_BITS);
}

/* True if the template has the string that the record refers to. */
static inline bool known_has_string(const struct segment_encoder *encoder, uint32_t id,
                                    const struct spoor_batch *batch,
                                    const struct spoor_record *record, unsigned word)
{
    const struct dictionary *dictionary = &encoder->dictionary;
    const struct spoor_ref ref = record_ref(record, word);
    size_t size;
    const char *bytes =
        dictionary_string_bytes(dictionary, record_ref(&dictionary->templates[id], word).at, &size);
    return size == ref.size && memcmp(bytes, spoor_batch_bytes(batch, ref), size) == 0;
}

/* True if the template with this id is known, and is that of the record. */
static inline bool is_known_id(const struct segment_encoder *encoder, uint32_t id,
                               const struct spoor_batch *batch, const struct spoor_record *record)
{
    const struct known_record *known = &encoder->known[known_place(id)];
    const word_pair *mask = encoder->masks[known->varies];
    word_pair difference = {known->generation ^ encoder->generation, 0};
    for (unsigned i = 0; i < WORD_PAIRS; i++) {
        word_pair words, same;
        memcpy(&words, (const char *)record + i * sizeof words, sizeof words);
        memcpy(&same, (const char *)known + i * sizeof same, sizeof same);
        difference |= (words ^ same) & mask[i];
    }
    if (difference[0] | difference[1] | (known->high ^ id >> KNOWN_BITS)) return false;
    const unsigned string = encoder->lanes.items[known->lanes].string;
    return !string || known_has_string(encoder, id, batch, record, string);
}

/* The same for template `local` of the segment. */
static inline bool is_known(const struct segment_encoder *encoder, uint32_t local,
                            const struct spoor_batch *batch, const struct spoor_record *record)
{
    return local < encoder->head.templates &&
           is_known_id(encoder, encoder->ids[local], batch, record);
}

#endif
