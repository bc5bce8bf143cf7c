/// The failure of a use case, in the words of the domain.
///
/// Adapters translate the errors of their libraries into it, so that the code above them is free of curl, SQLite and
/// errno codes.
package struct FeedError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The server is out of reach or cannot serve now. A later attempt may succeed.
        case connectivity
        /// The response has the wrong status, shape or bytes.
        case invalidData
        case notFound
        case storage(StorageFault)
        case cancelled
    }

    /// The fault of the cache or an output.
    ///
    /// Each fault asks for another action of the user.
    package enum StorageFault: Hashable, Sendable {
        case cannotCreate
        /// Reading or writing failed part-way: a full disk, an I/O error.
        case failed
        /// The system limits the size of files or the number of open files. Another file may fit.
        case limited
        /// The database cannot be read, or the disk has lost a part of an image. `feedsync validate` sets the database
        /// aside and deletes the image.
        case unreadable
        /// A newer feedsync wrote the cache, and this one leaves it as it is.
        case newerVersion
        /// Another run holds the lock.
        case locked
        /// Another program, such as sqlite3, keeps the database locked for an unknown time.
        case busy
    }

    package enum Stage: Hashable, Sendable {
        /// The connection failed: DNS, refused, unreachable, a timeout, or an interrupted TLS handshake.
        case connecting
        /// Trust failed: the certificate of the server, or a key or CA file of the user. The next attempt would fail,
        /// too.
        case trusting
        /// The request was sent, and no byte of a response came in time.
        case waiting
        /// A response began, or the connection ended: a stall, a cut-off, or a response with a status.
        case transferring
    }

    package let kind: Kind
    /// The reason for the failure.
    package private(set) var reason: String
    /// More facts about the failure, such as the number of attempts.
    package private(set) var rest = ""
    /// The action that can help the user.
    private var hint: String?
    /// The HTTP status of the response, if there was one.
    package let status: Int?
    /// The stage that the request reached; nil if there was none or if it is unknown.
    package var stage: Stage?
    /// Whether another setting, such as a higher limit, could let the same response pass.
    package var dependsOnSettings = false
    /// Whether the disk or the quota of the user is full.
    package var lacksRoom = false
    /// Whether the call of the program is wrong.
    package var isMisuse = false
    /// Whether the request was left out, because the server asked for a pause in an earlier run.
    package var isWait = false
    /// Whether the time that the user gave the run was over.
    package private(set) var isOutOfTime = false
    /// The pause that the response to this request asked for.
    package var retryAfter: Duration?
    /// The size of an image that is smaller than the user wants.
    package private(set) var smallSize: ImageSize?
    /// The host and port of the failure.
    ///
    /// Two ports are two servers. Failures of the same kind, status and host have one cause and are reported in one
    /// line.
    package let host: String?

    package init(_ kind: Kind, _ message: String, status: Int? = nil, host: String? = nil) {
        self.kind = kind
        reason = message
        self.status = status
        self.host = host
    }

    private func with(_ change: (inout FeedError) -> Void) -> FeedError {
        var error = self
        change(&error)
        return error
    }

    package func at(_ stage: Stage) -> FeedError { with { $0.stage = stage } }

    package func dependingOnSettings() -> FeedError { with { $0.dependsOnSettings = true } }

    package func lackingRoom() -> FeedError { with { $0.lacksRoom = true } }

    package func asMisuse() -> FeedError { with { $0.isMisuse = true } }

    package func asOutOfTime() -> FeedError { with { $0.isOutOfTime = true } }

    package var message: String { withoutHint + hintToAppend }

    /// The message for several failures that share only the reason.
    package var withoutRest: String { reason + hintToAppend }

    private var hintToAppend: String { hint.map { "; \($0)" } ?? "" }

    /// The message without its hint, for a caller that follows the hint already.
    package var withoutHint: String { reason + rest }

    /// Returns the error with another reason.
    ///
    /// Its other facts and its hint stay.
    package func saying(_ reason: String) -> FeedError { with { $0.reason = reason } }

    /// Returns the error with the name of its subject.
    package func about(_ what: some CustomStringConvertible) -> FeedError { saying("\(what): \(reason)") }

    /// Returns the error with another fact, which leaves the reason as it is.
    package func adding(_ words: String) -> FeedError { with { $0.rest += words } }

    package func hinting(_ hint: String) -> FeedError { with { $0.hint = hint } }

    package static let cancelled = FeedError(.cancelled, "cancelled")

    package static func connectivity(_ message: String, status: Int? = nil, host: String? = nil) -> FeedError {
        FeedError(.connectivity, message, status: status, host: host)
    }

    package static func invalidData(_ message: String, status: Int? = nil, host: String? = nil) -> FeedError {
        FeedError(.invalidData, message, status: status, host: host)
    }

    /// A body that is larger than the limit of an option.
    package static func larger(than limit: Int64, host: String?) -> FeedError {
        .invalidData("larger than \(ByteCount.text(limit))", host: host).dependingOnSettings()
    }

    /// An image of this size, which is smaller than `--min-size`.
    package static func tooSmall(_ size: ImageSize, host: String?) -> FeedError {
        .invalidData("\(size.text) pixels, smaller than --min-size", host: host).dependingOnSettings()
            .with { $0.smallSize = size }
    }

    package static func notFound(_ message: String) -> FeedError { FeedError(.notFound, message) }

    package static func storage(_ fault: StorageFault, _ message: String) -> FeedError {
        FeedError(.storage(fault), message)
    }

    package static func unreadable(_ what: String) -> FeedError {
        .storage(.unreadable, what).hinting("run `feedsync validate`, which deletes or sets aside what can't be read")
    }

    package var isCancellation: Bool { kind == .cancelled }

    /// Whether the request would have contacted an address that it must not contact.
    package var isAddressRefusal: Bool { kind == .invalidData && stage == .trusting }
}

extension FeedError.Kind {
    /// The name in JSON and logs.
    package var name: String {
        switch self {
        case .connectivity: "connectivity"
        case .invalidData: "invalidData"
        case .notFound: "notFound"
        case .storage: "storage"
        case .cancelled: "cancelled"
        }
    }
}
