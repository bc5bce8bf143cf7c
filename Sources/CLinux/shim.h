#pragma once
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

/* renameat2 with RENAME_EXCHANGE: glibc declares it for _GNU_SOURCE only, and Swift's Glibc is built without. */
static inline int feedsync_exchange(const char *first, const char *second) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 2);
}

/* Likewise. Naming each descriptor instead takes as many actions as there may be descriptors. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

static inline int feedsync_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
