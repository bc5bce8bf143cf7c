import Glibc

/// A system call that failed while a test was being set up.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package static func last(_ call: String) -> SystemFailure { code(errno, call) }

    package static func code(_ code: Int32, _ call: String) -> SystemFailure {
        SystemFailure("\(call): \(String(cString: strerror(code)))")
    }
}
