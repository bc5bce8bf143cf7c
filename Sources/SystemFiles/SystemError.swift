internal import Glibc

/// A failed system call: the path, the operation and the reason.
package struct SystemError: Error {
    package let code: Int32
    package let message: String
    /// Whether the call was refused because the file belongs to another user than the files of the cache must.
    package let isForeign: Bool

    /// Takes the reason from `errno`.
    ///
    /// Create the error right after the failed call.
    package init(_ what: String, _ path: String) {
        let code = errno
        self.init(code, "\(what): \(String(cString: strerror(code)))", path)
    }

    /// Takes a reason that this program gives.
    package init(_ code: Int32, _ reason: String, _ path: String, isForeign: Bool = false) {
        self.init(code: code, "\(path): \(reason)", isForeign: isForeign)
    }

    package init(code: Int32, _ message: String, isForeign: Bool = false) {
        self.code = code
        self.message = message
        self.isForeign = isForeign
    }
}
