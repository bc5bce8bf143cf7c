/// What was wrong with how the program was called. Both texts are ready to be shown: anything from outside in them is
/// escaped, and holds no password.
struct UsageError: Error, Hashable, Sendable {
    let message: String
    let hint: String?
    /// `usage`, or `configuration` where not the command line but the environment is to blame.
    let exitCode: ExitCode

    init(_ message: String, hint: String? = nil, exitCode: ExitCode = .usage) {
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }
}

/// Why a text is no value of an option: what is expected instead, with an example.
struct InvalidValue: Error, Hashable, Sendable {
    let expected: String
}
