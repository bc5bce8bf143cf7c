import FeedCore

/// The exit code of a run, for scripts.
///
/// The help topic explains what to do for each code.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case ok = 0
    case failure = 1
    case incomplete = 23
    case usage = 64
    case invalidData = 65
    case notFound = 66
    case unreachable = 69
    case cannotCreate = 73
    case ioFailure = 74
    case locked = 75
    case configuration = 78

    static func of(_ error: FeedError) -> ExitCode {
        error.isMisuse ? .usage : of(error.kind)
    }

    private static func of(_ kind: FeedError.Kind) -> ExitCode {
        switch kind {
        case .connectivity: .unreachable
        case .invalidData: .invalidData
        case .notFound: .notFound
        case .storage(.cannotCreate): .cannotCreate
        case .storage(.failed), .storage(.limited), .storage(.unreadable), .storage(.newerVersion), .storage(.busy):
            .ioFailure
        case .storage(.locked): .locked
        case .cancelled: .failure
        }
    }
}

/// A mistake in the command line, the environment or the config file.
///
/// Both texts are safe to print: text from outside is escaped, and passwords are removed.
struct UsageError: Error, Hashable, Sendable {
    let message: String
    let hint: String?
    /// `usage` for the command line, `configuration` for the environment and the config file.
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
