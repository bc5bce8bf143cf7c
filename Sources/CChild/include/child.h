#pragma once
#include <sys/types.h>

struct feedsync_limits {
    unsigned long memory;
    unsigned long file_size;
    unsigned long seconds;
};

/* Starts a program that has nothing to lose: no network, no way to more rights, none of our files but those it is told
   of, and its limits. It ends when the thread that started it does. Returns its number, or -1. */
pid_t feedsync_start_confined(
    const char *program, char *const arguments[], char *const environment[], int folder, int said,
    const struct feedsync_limits *limits);
