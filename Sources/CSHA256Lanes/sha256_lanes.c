#include "sha256_lanes.h"

#if defined(__x86_64__)
#include <cpuid.h>

static const uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define LANES 16
#define NAME compress16
#define TARGET "avx512f,avx512bw,avx512vl"
#define INTERLEAVED(a, b, from)                                                                                 \
    __builtin_shufflevector(a, b, (from), (from) + 16, (from) + 1, (from) + 17, (from) + 2, (from) + 18,        \
        (from) + 3, (from) + 19, (from) + 4, (from) + 20, (from) + 5, (from) + 21, (from) + 6, (from) + 22,     \
        (from) + 7, (from) + 23)
#include "compress.h"
#undef INTERLEAVED
#undef LANES
#undef NAME
#undef TARGET

#define LANES 8
#define NAME compress8
#define TARGET "avx2"
#define INTERLEAVED(a, b, from)                                                                                 \
    __builtin_shufflevector(a, b, (from), (from) + 8, (from) + 1, (from) + 9, (from) + 2, (from) + 10,          \
        (from) + 3, (from) + 11)
#include "compress.h"
#undef INTERLEAVED
#undef LANES
#undef NAME
#undef TARGET

#include "compress2.h"

static int hasInstructionsForSHA256(void)
{
    unsigned int a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) && __builtin_cpu_supports("sse4.1");
}

int feedsync_sha256_can_do(int lanes)
{
    switch (lanes) {
    case 1: return 1;
    case 2: return hasInstructionsForSHA256();
    // These also ask whether the system saves the wide registers.
    case 8: return !!__builtin_cpu_supports("avx2");
    case 16:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512vl");
    default: return 0;
    }
}

void feedsync_sha256_compress(int lanes, uint32_t (*states)[8], const uint8_t *const *messages, size_t blocks)
{
    if (lanes == 16) compress16(states, messages, blocks);
    if (lanes == 8) compress8(states, messages, blocks);
    if (lanes == 2) compress2(states, messages, blocks);
}

#else

// Elsewhere processors have instructions for SHA-256, and libcrypto uses them.
int feedsync_sha256_can_do(int lanes) { return lanes == 1; }

void feedsync_sha256_compress(int lanes, uint32_t (*states)[8], const uint8_t *const *messages, size_t blocks)
{
    (void)lanes, (void)states, (void)messages, (void)blocks;
}

#endif
