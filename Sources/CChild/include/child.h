#pragma once
#include <sys/types.h>

struct feedsync_limits {
    unsigned long memory;
    unsigned long file_size;
    /* Of processor time, and as long by the clock. */
    unsigned int seconds;
};

/* Returns whether this system lets a process give up sockets for good. */
int feedsync_can_confine(void);

/* Starts a program in a directory and a session of its own, with limits, without sockets, and with no way to more rights.
   It has none of our open files but the one for its messages, and may open what we may. It ends when the thread that
   started it does. Returns its number, or -1. */
pid_t feedsync_start_confined(
    const char *program, char *const arguments[], char *const environment[], int directory, int messages,
    const struct feedsync_limits *limits);

/* Waits for a child and leaves it to be reaped. Returns 1 once it has ended, and 0 if the time is up; a negative time is no
   limit. */
int feedsync_await(pid_t child, int milliseconds);
