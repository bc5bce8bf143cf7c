#define _GNU_SOURCE
#include "child.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FEEDSYNC_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FEEDSYNC_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), REFUSE

/* Gives up every way to a socket: making one, having io_uring make one, and taking one from another process. Returns 0 if
   the kernel keeps this process, and all that it runs, to that. */
static int forbid_sockets(void) {
#ifdef FEEDSYNC_ARCHITECTURE
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FEEDSYNC_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__
        /* The calls of x32 have numbers of their own. */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        REFUSE,
#endif
        REFUSE_CALL(SYS_socket),
        REFUSE_CALL(SYS_socketpair),
        REFUSE_CALL(SYS_connect),
        REFUSE_CALL(SYS_io_uring_setup),
        REFUSE_CALL(SYS_ptrace),
        REFUSE_CALL(SYS_process_vm_readv),
        REFUSE_CALL(SYS_process_vm_writev),
        REFUSE_CALL(SYS_pidfd_getfd),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
    return -1;
#endif
}

int feedsync_can_confine(void) {
    pid_t child = fork();
    if (child == 0) _exit(forbid_sockets() == 0 ? 0 : 1);
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return child > 0 && status == 0;
}

static void limit(int resource, unsigned long value) {
    struct rlimit both = {value, value};
    setrlimit(resource, &both);
}

/* Between fork and exec, only calls that are safe there. */
pid_t feedsync_start_confined(
    const char *program, char *const arguments[], char *const environment[], int directory, int messages,
    const struct feedsync_limits *limits) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    /* Away from our terminal, and in a group that can be ended as one. */
    setsid();
    limit(RLIMIT_AS, limits->memory);
    limit(RLIMIT_FSIZE, limits->file_size);
    limit(RLIMIT_CPU, limits->seconds);
    limit(RLIMIT_CORE, 0);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || fchdir(directory) != 0) _exit(127);
    if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(messages, 2) < 0) _exit(127);
    syscall(SYS_close_range, 3U, ~0U, 0U);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    /* Where the kernel is too old to tell the parent when the time is up. */
    alarm(limits->seconds + 1);
    if (forbid_sockets() != 0) _exit(127);
    execve(program, arguments, environment);
    _exit(127);
}

int feedsync_await(pid_t child, int milliseconds) {
    int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    if (descriptor >= 0) {
        struct pollfd ended = {descriptor, POLLIN, 0};
        int count;
        do count = poll(&ended, 1, milliseconds);
        while (count < 0 && errno == EINTR);
        close(descriptor);
        return count != 0;
    }
    siginfo_t information;
    while (waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
    return 1;
}
