#pragma once
#include <linux/capability.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

/* renameat2 with RENAME_NOREPLACE. glibc declares it for _GNU_SOURCE only, and Swift's Glibc is built without. */
static inline int feedsync_rename_without_replacing(int from, const char *name, int to, const char *new_name) {
    return (int)syscall(SYS_renameat2, from, name, to, new_name, 1);
}

/* syncfs: writes everything of the file system that holds an open file to disk. */
static inline int feedsync_sync_file_system(int file) { return (int)syscall(SYS_syncfs, file); }

/* The memory of a thread else grows by a few pages at a time, with a system call for each step. What isn't used of a
   larger one takes no room. Swift's Glibc is built without <malloc.h>. */
static inline void feedsync_take_memory_in_large_steps(void) { mallopt(M_TOP_PAD, 4 << 20); }

/* Gives up the right to be more than nice, for this thread and those that it makes. Without it there is nothing to give
   up, which is as good. */
static inline void feedsync_stay_nice(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0) return;
    sets[CAP_TO_INDEX(CAP_SYS_NICE)].effective &= ~CAP_TO_MASK(CAP_SYS_NICE);
    syscall(SYS_capset, &header, sets);
}
