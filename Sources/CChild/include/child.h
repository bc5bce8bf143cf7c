#pragma once
#include <sys/types.h>

struct feedsync_limits {
    unsigned long memory;
    unsigned long file_size;
    unsigned long seconds;
};

/* Starts a program in a folder, with limits and no way to more rights, and with no network where the system lets us take
   that away. It has none of our open files but the one for what it says, and may open what we may. It ends when the thread
   that started it does. Returns its number, or -1. */
pid_t feedsync_start_confined(
    const char *program, char *const arguments[], char *const environment[], int folder, int said,
    const struct feedsync_limits *limits);
