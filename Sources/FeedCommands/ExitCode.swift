import FeedCore

/// What a run ends with, for scripts to act on.
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

    var meaning: String {
        switch self {
        case .ok: "done; also: offline, and the saved feed is fresh"
        case .failure: "an error with no code of its own"
        case .someImagesFailed: "the feed was saved, but some images could not be had"
        case .usage: "wrong usage"
        case .invalidData: "the feed, or the archive, is invalid"
        case .notFound: "not found: an unknown image, a feed never saved, a missing file"
        case .unreachable: "the feed can't be reached, and no fresh saved copy stands in"
        case .cannotCreate: "an output can't be created"
        case .ioFailure: "reading or writing failed part-way"
        case .locked: "another run holds the lock"
        case .configuration: "the config file or a FEEDSYNC_ variable is wrong"
        }
    }

    /// What it asks of whoever runs the program.
    var advice: String {
        switch self {
        case .ok: "Nothing."
        case .failure: "Read what standard error says."
        case .someImagesFailed:
            "Read which. The next run asks again for what may have passed; what is gone for good is left alone by itself."
        case .usage: "Correct the command line, or the proxy variable that is named; the message has a hint."
        case .invalidData: "Tell whoever makes the feed or the archive. What was saved stands as it was."
        case .notFound: "Check the name, or sync the feed first."
        case .unreachable: "Check the network and the server. It is worth trying again later."
        case .cannotCreate: "Check that the folder is there and may be written to."
        case .ioFailure:
            "Make room on the disk, or look into its health. If a database can't be read, feedsync validate begins a new one."
        case .locked: "Nothing, if the other run is meant to be there; else give --lock-wait."
        case .configuration: "Correct the file at the line named, or the variable."
        }
    }

    static func of(_ error: any Error) -> ExitCode {
        switch error {
        case let error as UsageError: error.exitCode
        case let error as FeedError: of(error)
        default: .failure
        }
    }

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
