#pragma once
/* Swift's Glibc is built without it. */
#include <sys/epoll.h>
