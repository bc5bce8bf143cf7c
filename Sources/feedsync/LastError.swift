import Glibc

/// Why the last system call failed.
var lastError: String { String(cString: strerror(errno)) }
