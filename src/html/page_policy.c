/* SPDX-License-Identifier: MIT */
/*
 * page_policy.c: the Content-Security-Policy of a page: it asks for nothing, and runs the scripts
 * that are named by their SHA-256 (FIPS 180-4; CSP Level 3, 2.3.1).  Text of a trace that would
 * reach the page as markup has no hash, and does not run.
 */
#include "html/page_policy.h"

enum { BLOCK = 64, WORDS = 8, ROUNDS = 64 };

static uint32_t rotate(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

/* The first 32 bits of the fractions of the roots of the first primes: square roots for the state,
 * cube roots for the rounds. */
static const uint32_t initial[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void add_block(uint32_t state[WORDS], const unsigned char block[BLOCK])
{
    uint32_t w[ROUNDS], v[WORDS];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < ROUNDS; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t one = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                             ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
        const uint32_t two = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                             ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, sizeof v - sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < WORDS; i++) state[i] += v[i];
}

static void page_digest(const char *bytes, size_t size, unsigned char digest[PAGE_DIGEST])
{
    uint32_t state[WORDS];
    unsigned char last[2 * BLOCK] = {0};
    const size_t whole = size / BLOCK * BLOCK, rest = size - whole;
    const size_t end = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    memcpy(state, initial, sizeof state);
    for (size_t at = 0; at < whole; at += BLOCK)
        add_block(state, (const unsigned char *)bytes + at);
    memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        last[end - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += BLOCK) add_block(state, last + at);
    for (unsigned i = 0; i < PAGE_DIGEST; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - i % 4 * 8));
}

/* RFC 4648. */
static void put_base64(struct text *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3) {
        const size_t left = size - at;
        const uint32_t group = (uint32_t)bytes[at] << 16 |
                               (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                               (left > 2 ? bytes[at + 2] : 0u);
        const char letters[] = {digits[group >> 18], digits[group >> 12 & 63],
                                left > 1 ? digits[group >> 6 & 63] : '=',
                                left > 2 ? digits[group & 63] : '='};
        text_put(out, letters, sizeof letters);
    }
}

void page_put_policy(struct text *out, const char *const *scripts)
{
    text_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
                   "script-src");
    for (; *scripts; scripts++) {
        unsigned char digest[PAGE_DIGEST];
        page_digest(*scripts, strlen(*scripts), digest);
        text_puts(out, " 'sha256-");
        put_base64(out, digest, sizeof digest);
        text_puts(out, "'");
    }
    text_puts(out, "\">\n");
}
