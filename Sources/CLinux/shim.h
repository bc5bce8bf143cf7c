#pragma once
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* renameat2 with RENAME_EXCHANGE: glibc declares it for _GNU_SOURCE only, and Swift's Glibc is built without. */
static inline int feedsync_exchange(const char *first, const char *second) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 2);
}
