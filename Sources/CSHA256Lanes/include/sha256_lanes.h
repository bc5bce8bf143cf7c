#ifndef FEEDSYNC_SHA256_LANES_H
#define FEEDSYNC_SHA256_LANES_H

#include <stddef.h>
#include <stdint.h>

/// Whether this processor can hash so many messages side by side: 2 with its instructions for SHA-256, 8 or 16 with wide
/// vectors. 1 stands for libcrypto, which any can.
int feedsync_sha256_can_do(int lanes);

/// Runs SHA-256 over `blocks` blocks of 64 bytes of `lanes` messages, 2 or more, each with a state of its own.
void feedsync_sha256_compress(int lanes, uint32_t (*states)[8], const uint8_t *const *messages, size_t blocks);

#endif
