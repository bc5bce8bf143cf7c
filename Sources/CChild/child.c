#define _GNU_SOURCE
#include "child.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void limit(int resource, unsigned long value) {
    struct rlimit both = {value, value};
    setrlimit(resource, &both);
}

/* Between fork and exec, only calls that are safe there. */
pid_t feedsync_start_confined(
    const char *program, char *const arguments[], char *const environment[], int folder, int said,
    const struct feedsync_limits *limits) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    /* Where neither is allowed, as in many containers, it goes on with the network it would not use. */
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) unshare(CLONE_NEWNET);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_AS, limits->memory);
    limit(RLIMIT_FSIZE, limits->file_size);
    limit(RLIMIT_CPU, limits->seconds);
    limit(RLIMIT_CORE, 0);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || fchdir(folder) != 0) _exit(127);
    if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0) _exit(127);
    syscall(SYS_close_range, 3U, ~0U, 0U);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    execve(program, arguments, environment);
    _exit(127);
}
