#include <lzma.h>

/* A macro with a cast in it, which Swift does not import. */
static const uint32_t feedsync_lzma_concatenated = LZMA_CONCATENATED;
