// SHA-256's compression of two messages at once by the processor's own instructions. Each of these waits for the one
// before it longer than it takes: in between there is room for a second message. Included once, behind the round
// constants.

#include <immintrin.h>

#define TARGET2 __attribute__((target("sha,sse4.1")))
#define INLINE2 TARGET2 __attribute__((always_inline)) static inline

/// A state as the instructions want it: the words A, B, E and F from the highest to the lowest, and C, D, G and H.
struct halves {
    __m128i abef, cdgh;
};

INLINE2 struct halves halvesOf(const uint32_t state[8])
{
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    return (struct halves){ _mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0) };
}

INLINE2 void storeHalves(struct halves halves, uint32_t state[8])
{
    __m128i feba = _mm_shuffle_epi32(halves.abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(halves.cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

TARGET2 static void compress2(uint32_t (*states)[8], const uint8_t *const *messages, size_t blocks)
{
    const __m128i fromBigEndian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    struct halves state[2] = { halvesOf(states[0]), halvesOf(states[1]) };

    for (size_t block = 0; block < blocks; block++) {
        struct halves next[2] = { state[0], state[1] };
        // The last sixteen words of the message schedule, by fours.
        __m128i w[2][4];
        for (int lane = 0; lane < 2; lane++)
            for (int part = 0; part < 4; part++) {
                const uint8_t *bytes = messages[lane] + 64 * block + 16 * part;
                w[lane][part] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bytes), fromBigEndian);
            }
#pragma clang loop unroll(full)
        for (int four = 0; four < 16; four++) {
            __m128i constants = _mm_loadu_si128((const __m128i *)(roundConstants + 4 * four));
            for (int lane = 0; lane < 2; lane++) {
                __m128i *words = &w[lane][four % 4];
                if (four >= 4) {
                    __m128i late = w[lane][(four + 3) % 4];
                    __m128i middle = _mm_alignr_epi8(late, w[lane][(four + 2) % 4], 4);
                    __m128i early = _mm_sha256msg1_epu32(*words, w[lane][(four + 1) % 4]);
                    *words = _mm_sha256msg2_epu32(_mm_add_epi32(early, middle), late);
                }
                __m128i sum = _mm_add_epi32(*words, constants);
                next[lane].cdgh = _mm_sha256rnds2_epu32(next[lane].cdgh, next[lane].abef, sum);
                next[lane].abef = _mm_sha256rnds2_epu32(next[lane].abef, next[lane].cdgh, _mm_shuffle_epi32(sum, 0x0e));
            }
        }
        for (int lane = 0; lane < 2; lane++) {
            state[lane].abef = _mm_add_epi32(state[lane].abef, next[lane].abef);
            state[lane].cdgh = _mm_add_epi32(state[lane].cdgh, next[lane].cdgh);
        }
    }
    for (int lane = 0; lane < 2; lane++) storeHalves(state[lane], states[lane]);
}

#undef INLINE2
#undef TARGET2
