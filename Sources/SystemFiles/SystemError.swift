internal import Glibc

/// A failed system call: the file, what could not be done to it, and why.
package struct SystemError: Error {
    package let code: Int32
    package let message: String
    /// Whether the file belongs to another user than the files of the cache have to.
    package let isForeign: Bool

    /// Takes the reason from `errno`: make it right after the call that failed.
    package init(_ what: String, _ path: String) {
        let code = errno
        self.init(code, "\(what): \(String(cString: strerror(code)))", path)
    }

    /// A reason of our own.
    package init(_ code: Int32, _ reason: String, _ path: String, isForeign: Bool = false) {
        self.init(code: code, "\(path): \(reason)", isForeign: isForeign)
    }

    package init(code: Int32, _ message: String, isForeign: Bool = false) {
        self.code = code
        self.message = message
        self.isForeign = isForeign
    }
}
