// Starts feedsync in the portable directory with the libraries and the loader of that directory.
//
// It is linked statically, because the system may have another C library or none. The loader in lib/feedsync has the
// name feedsync, so that ps and pkill show the program by its name.

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { longest = PATH_MAX };

static int fail(const char *what, const char *path) {
    fprintf(stderr, "feedsync: %s: %s: %s\n", path, what, strerror(errno));
    return 71;
}

int main(int count, char *arguments[]) {
    // Without /proc, the path that execve received leads to the directory.
    char self[longest], libraries[longest], path[longest], tables[longest];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length >= 0) {
        self[length] = 0;
    } else {
        const char *given = (const char *)getauxval(AT_EXECFN);
        if (!given || !realpath(given, self)) return fail("cannot be found", given ? given : "the program");
    }
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(self, '/');
        if (!slash) return fail("is not in a directory named bin", arguments[0]);
        *slash = 0;
    }
    int size = snprintf(libraries, sizeof libraries, "%s/lib/feedsync", self);
    if (size < 0 || size > longest - 64) {
        errno = ENAMETOOLONG;
        return fail("cannot be started", self);
    }
    // The loader separates directories by colons.
    if (strpbrk(libraries, ":;$")) {
        errno = EINVAL;
        return fail("the path of the directory contains a colon, a semicolon or a dollar sign", libraries);
    }
    snprintf(path, sizeof path, "%s/feedsync", libraries);
    snprintf(tables, sizeof tables, "%s/gconv", libraries);
    // iconv reads its tables there. Those of the system may belong to another C library.
    if (setenv("GCONV_PATH", tables, 1) != 0) return fail("cannot be set", "GCONV_PATH");

    char program[longest];
    snprintf(program, sizeof program, "%s/program", libraries);
    char **all = calloc((size_t)count + 8, sizeof *all);
    if (!all) return fail("cannot be started", path);
    int next = 0;
    all[next++] = path;
    all[next++] = "--inhibit-cache";
    all[next++] = "--library-path";
    all[next++] = libraries;
    all[next++] = "--argv0";
    all[next++] = count > 0 ? arguments[0] : "feedsync";
    all[next++] = program;
    for (int index = 1; index < count; index++) all[next++] = arguments[index];
    execv(path, all);
    return fail("cannot be started", path);
}
