import FeedCore

/// A mistake in how the program was called. Both texts can be shown as they are: text from outside is escaped in them, and
/// they hold no password.
struct UsageError: Error, Hashable, Sendable {
    let message: String
    let hint: String?
    /// `usage`, or `configuration` where not the command line but the environment or the config file is to blame.
    let exitCode: ExitCode

    init(_ message: String, hint: String? = nil, exitCode: ExitCode = .usage) {
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }
}

extension ExitCode {
    static func of(_ error: any Error) -> ExitCode {
        switch error {
        case let error as UsageError: error.exitCode
        case let error as FeedError: of(error)
        default: .failure
        }
    }
}
