import FeedCore

/// The exit code of a run, for scripts to act on. The help topic says what each of them asks for.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case ok = 0
    case failure = 1
    case someImagesFailed = 23
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
