// Instructions that Swift cannot use directly, because only some processors have them (AVX2 on x86-64).
//
// Each function processes whole blocks from the start of its input and returns how much it processed. It may stop
// early, and does nothing if `cv_has_avx2` returns 0. The caller processes the rest without vectors, and only the
// caller rejects invalid input.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The C library declares memmem only if _GNU_SOURCE is defined, and Swift does not define it when it imports C headers.
void *memmem(const void *text, size_t count, const void *pattern, size_t pattern_count);

// Whether the text contains the pattern. Every text contains the empty pattern.
static inline int cv_contains(const void *text, size_t count, const void *pattern, size_t pattern_count) {
    return memmem(text, count, pattern, pattern_count) != NULL;
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

// Whether the processor and the system support AVX2. Call it only once, because it is slow (cpuid exits a virtual
// machine).
static inline int cv_has_avx2(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return 0;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    // The system must save the SSE and AVX registers.
    if ((low & 6) != 6) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

#define CV_AVX2 __attribute__((target("avx2")))

// Decodes 32 base64url characters to 24 bytes at the low end of the result. Returns 0 if a character is not in the
// alphabet.
//
// Source: Muła and Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions". The high half of a character
// determines its class, and the low half determines whether the class contains the character.
CV_AVX2 static inline int cv_decode_block(const uint8_t *text, __m256i *out) {
    const __m256i input = _mm256_loadu_si256((const __m256i *)text);
    // Classes by high half: 1 for `-`, 2 for digits, 4 for A to O and a to o, 8 for P to Z and _, 16 for p to z, and 32
    // for all others.
    const __m256i classes = _mm256_setr_epi8(
        32, 32, 1, 2, 4, 8, 4, 16, 32, 32, 32, 32, 32, 32, 32, 32,
        32, 32, 1, 2, 4, 8, 4, 16, 32, 32, 32, 32, 32, 32, 32, 32);
    // Indexed by the low half: the classes that contain no character with this low half.
    const __m256i missing = _mm256_setr_epi8(
        0x25, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x23, 0x3B, 0x3B, 0x3A, 0x3B, 0x33,
        0x25, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x23, 0x3B, 0x3B, 0x3A, 0x3B, 0x33);
    // Indexed by the high half: the offset from a character to its value. _ uses entry 5 + 8.
    const __m256i offsets = _mm256_setr_epi8(
        0, 0, 17, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, -32, 0, 0,
        0, 0, 17, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, -32, 0, 0);
    const __m256i half = _mm256_set1_epi8(0x0F);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi32(input, 4), half);
    const __m256i low = _mm256_and_si256(input, half);
    if (!_mm256_testz_si256(_mm256_shuffle_epi8(classes, high), _mm256_shuffle_epi8(missing, low))) return 0;
    const __m256i underscore = _mm256_cmpeq_epi8(input, _mm256_set1_epi8('_'));
    const __m256i entry = _mm256_or_si256(high, _mm256_and_si256(underscore, _mm256_set1_epi8(8)));
    const __m256i values = _mm256_add_epi8(input, _mm256_shuffle_epi8(offsets, entry));
    // Combines four 6-bit values into 24 bits, and then orders the three bytes of each group.
    const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i bytes = _mm256_shuffle_epi8(
        groups, _mm256_setr_epi8(
                    2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,
                    2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    *out = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
    return 1;
}

// Decodes base64url and returns the number of decoded characters, a multiple of 32. Writes only within `out`, possibly
// beyond the decoded bytes.
CV_AVX2 static inline size_t cv_decode_base64url(
    const uint8_t *text, size_t count, uint8_t *out, size_t out_count) {
    size_t from = 0, to = 0;
    while (count - from >= 32 && out_count - to >= 32) {
        __m256i bytes;
        if (!cv_decode_block(text + from, &bytes)) break;
        _mm256_storeu_si256((__m256i *)(out + to), bytes);
        from += 32;
        to += 24;
    }
    return from;
}

// Returns the number of characters, a multiple of 32, that decode to the given bytes.
CV_AVX2 static inline size_t cv_match_base64url(
    const uint8_t *text, size_t count, const uint8_t *bytes, size_t byte_count) {
    size_t from = 0, at = 0;
    while (count - from >= 32 && byte_count - at >= 32) {
        __m256i decoded;
        if (!cv_decode_block(text + from, &decoded)) break;
        const __m256i expected = _mm256_loadu_si256((const __m256i *)(bytes + at));
        const unsigned equal = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(decoded, expected));
        if ((equal & 0xFFFFFF) != 0xFFFFFF) break;
        from += 32;
        at += 24;
    }
    return from;
}

// Returns the number of plain bytes at the start, a multiple of 64. A plain byte is ASCII and not a quote, a backslash
// or a control byte.
CV_AVX2 static inline size_t cv_plain_prefix(const uint8_t *bytes, size_t count) {
    const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\'), space = _mm256_set1_epi8(' ');
    size_t at = 0;
    while (count - at >= 64) {
        const __m256i one = _mm256_loadu_si256((const __m256i *)(bytes + at));
        const __m256i two = _mm256_loadu_si256((const __m256i *)(bytes + at + 32));
        // As signed numbers, bytes above 127 are also less than the space character.
        const __m256i special = _mm256_or_si256(
            _mm256_or_si256(
                _mm256_or_si256(_mm256_cmpeq_epi8(one, quote), _mm256_cmpeq_epi8(two, quote)),
                _mm256_or_si256(_mm256_cmpeq_epi8(one, backslash), _mm256_cmpeq_epi8(two, backslash))),
            _mm256_or_si256(_mm256_cmpgt_epi8(space, one), _mm256_cmpgt_epi8(space, two)));
        if (!_mm256_testz_si256(special, special)) break;
        at += 64;
    }
    return at;
}

#else

static inline int cv_has_avx2(void) { return 0; }

static inline size_t cv_decode_base64url(const uint8_t *text, size_t count, uint8_t *out, size_t out_count) {
    (void)text, (void)count, (void)out, (void)out_count;
    return 0;
}

static inline size_t cv_match_base64url(
    const uint8_t *text, size_t count, const uint8_t *bytes, size_t byte_count) {
    (void)text, (void)count, (void)bytes, (void)byte_count;
    return 0;
}

static inline size_t cv_plain_prefix(const uint8_t *bytes, size_t count) {
    (void)bytes, (void)count;
    return 0;
}

#endif
