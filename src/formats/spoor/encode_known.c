/* SPDX-License-Identifier: MIT */
/* encode_known.c: learning the records of templates. */
#include "formats/spoor/encode_known.h"

void encode_learn(struct segment_encoder *encoder, uint32_t id, const struct spoor_record *record,
                  const struct lanes *lanes)
{
    struct known_record *known = &encoder->known[known_place(id)];
    /* whether there is a text is part of the template, though the text is not */
    if (lanes->text && (record->kind == SPOOR_REG || record->kind == SPOOR_MEM)) return;
    const size_t number = lanes_number(&encoder->lanes, lanes);
    if (number == LANES_LISTED) return;
    unsigned varies = 1;
    for (unsigned i = 0; i < lanes->count; i++) varies |= 1U << lanes->items[i].word;
    if (lanes->text) varies |= 1U << lanes->text;
    if (lanes->string) varies |= 1U << lanes->string;
    memcpy(known, record, sizeof *known);
    known->generation = encoder->generation;
    known->varies = (uint8_t)varies;
    known->reg = (uint8_t)(encoder->dictionary.templates[id].reg.name % REGISTER_NAMES);
    known->lanes = (uint8_t)number;
    known->high = (uint8_t)(id >> KNOWN_BITS);
}
