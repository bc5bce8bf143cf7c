/// What was wrong with how the program was called. Both texts are ready to be shown: anything from outside in them is
/// escaped, and holds no password.
package struct UsageError: Error, Hashable, Sendable {
    package let message: String
    package let hint: String?
    /// `usage`, or `configuration` where not the command line but the environment is to blame.
    package let exitCode: ExitCode

    package init(_ message: String, hint: String? = nil, exitCode: ExitCode = .usage) {
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }
}

/// Why a text is no value of an option: what is expected instead, with an example.
package struct InvalidValue: Error, Hashable, Sendable {
    package let expected: String
}
