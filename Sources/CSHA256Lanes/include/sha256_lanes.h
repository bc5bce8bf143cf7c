#ifndef FEEDSYNC_SHA256_LANES_H
#define FEEDSYNC_SHA256_LANES_H

#include <stddef.h>
#include <stdint.h>

/// How many messages this processor had best hash side by side: 16 or 8, or 1 where it has instructions for SHA-256, or
/// none for vectors that are wide enough. With 1, the functions below are of no use.
int feedsync_sha256_lanes(void);

/// Runs SHA-256 over `blocks` blocks of 64 bytes of `lanes` (8 or 16) messages, each with a state of its own.
void feedsync_sha256_compress(int lanes, uint32_t (*states)[8], const uint8_t *const *messages, size_t blocks);

#endif
