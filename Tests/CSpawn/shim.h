#pragma once
#include <spawn.h>

/* glibc declares it for _GNU_SOURCE only, and Swift's Glibc is built without. Naming each descriptor instead takes as many
   actions as there may be descriptors. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

static inline int feedsync_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
