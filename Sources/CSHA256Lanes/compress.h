// SHA-256's compression (FIPS 180-4, section 6.2.2) of LANES messages at once: lane n of each vector belongs to message
// n, so that the steps are those of the standard, word for word. Included once for each width, with LANES, NAME, TARGET
// and INTERLEAVED defined: the latter interleaves the halves of two vectors that begin at lane `from`.

#define JOIN(a, b) a##b
#define NAMED(name, lanes) JOIN(name, lanes)
#define VECTOR NAMED(vector, LANES)
#define TRANSPOSE NAMED(transpose, LANES)

typedef uint32_t VECTOR __attribute__((vector_size(4 * LANES)));

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
#define FROM_BIG_ENDIAN(x) ((x) >> 24 | ((x) >> 8 & 0xff00) | ((x) << 8 & 0xff0000) | (x) << 24)

/// Rows become columns: interleaving the upper half of the rows with the lower one, as often as it can be halved.
__attribute__((target(TARGET), always_inline)) static inline void TRANSPOSE(VECTOR rows[LANES])
{
    for (int halves = 1; halves < LANES; halves *= 2) {
        VECTOR next[LANES];
        for (int row = 0; row < LANES / 2; row++) {
            next[2 * row] = INTERLEAVED(rows[row], rows[row + LANES / 2], 0);
            next[2 * row + 1] = INTERLEAVED(rows[row], rows[row + LANES / 2], LANES / 2);
        }
        for (int row = 0; row < LANES; row++) rows[row] = next[row];
    }
}

__attribute__((target(TARGET))) static void NAME(
    uint32_t (*states)[8], const uint8_t *const *messages, size_t blocks)
{
    VECTOR state[8];
    for (int word = 0; word < 8; word++)
        for (int lane = 0; lane < LANES; lane++) state[word][lane] = states[lane][word];

    for (size_t block = 0; block < blocks; block++) {
        // The message schedule, of which only the last sixteen words are ever needed.
        VECTOR w[16];
        for (int part = 0; part < 16; part += LANES) {
            for (int lane = 0; lane < LANES; lane++)
                __builtin_memcpy(&w[part + lane], messages[lane] + 64 * block + 4 * part, sizeof(VECTOR));
            TRANSPOSE(w + part);
        }
        for (int word = 0; word < 16; word++) w[word] = FROM_BIG_ENDIAN(w[word]);
        VECTOR a = state[0], b = state[1], c = state[2], d = state[3];
        VECTOR e = state[4], f = state[5], g = state[6], h = state[7];
#pragma clang loop unroll_count(16)
        for (int step = 0; step < 64; step++) {
            VECTOR *word = &w[step % 16];
            if (step >= 16) {
                VECTOR early = w[(step + 1) % 16], late = w[(step + 14) % 16];
                *word += (ROTATE(early, 7) ^ ROTATE(early, 18) ^ early >> 3) + w[(step + 9) % 16]
                    + (ROTATE(late, 17) ^ ROTATE(late, 19) ^ late >> 10);
            }
            VECTOR first = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g))
                + roundConstants[step] + *word;
            VECTOR second = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
    for (int word = 0; word < 8; word++)
        for (int lane = 0; lane < LANES; lane++) states[lane][word] = state[word][lane];
}

#undef FROM_BIG_ENDIAN
#undef ROTATE
#undef TRANSPOSE
#undef VECTOR
#undef NAMED
#undef JOIN
