/// Every way a use case can fail, in the domain's own words. Adapters translate what their library reports into this,
/// so that nobody above them knows a curl, SQLite or errno code.
package struct FeedError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The server could not be reached, or can't serve now; trying later may help.
        case connectivity
        /// The answer came, and it is wrong: the wrong status, shape or bytes.
        case invalidData
        case notFound
        case storage(StorageFault)
        case cancelled
    }

    /// What is wrong with the cache or an output; each asks something else of the person who reads it.
    package enum StorageFault: Hashable, Sendable {
        case cannotCreate
        /// Reading or writing failed part-way: a full disk, an I/O error.
        case failed
        /// A limit of the system on how large a file may be, or how many may be open. With another file it may do.
        case limited
        /// The database can't be read, or the disk has lost some of an image; `feedsync validate` sets it aside, or
        /// deletes that.
        case unreadable
        /// Written by a newer feedsync; never touched.
        case newerVersion
        /// Another run holds the lock.
        case locked
        /// Another program, such as sqlite3, keeps the database locked: nobody knows for how long, and no run does for us
        /// what can't be done now.
        case busy
    }

    package enum Stage: Hashable, Sendable {
        /// No connection came about: DNS, refused, unreachable, the connect timeout, a TLS handshake that broke off.
        case connecting
        /// Trust stood in the way: the server's certificate, or a key or CA file of our own. The next try would find
        /// the same.
        case trusting
        /// The request was sent, and in the time there is for that not a byte of an answer came.
        case waiting
        /// An answer began, or the connection ended: a stall, a cut-off, or an answer with a status.
        case transferring
    }

    package let kind: Kind
    /// What is wrong.
    package private(set) var reason: String
    /// What more there is to its story, such as how often it was tried.
    package private(set) var rest = ""
    /// What a person can do about it.
    private var hint: String?
    /// The HTTP status behind the failure, if there was an answer.
    package let status: Int?
    /// How far a request got that failed; nil where there was none, or that is not known.
    package var stage: Stage?
    /// An option of ours stood in the way, such as a limit: with another setting the same answer may do.
    package var dependsOnSettings = false
    /// No room was left for what was to be written, on the disk or of what the user may have of it.
    package var lacksRoom = false
    /// What is wrong is how the program was called, and nothing that it met.
    package var isMisuse = false
    /// The server was not asked: it had asked for a pause in an earlier run, or nobody has named the feed.
    package var isWait = false
    /// The user has to name the feed before it may be requested.
    package var needsName = false
    /// The pause that the response to this request asked for.
    package var retryAfter: Duration?
    /// What the requests behind the failure touched; all false where no request was sent.
    package private(set) var circumstances = RequestCircumstances()
    /// The host it concerns, with the port that its URL names, as two ports are two servers: failures of one kind, status
    /// and host are one cause, told in one line.
    package let host: String?

    package init(_ kind: Kind, _ message: String, status: Int? = nil, host: String? = nil) {
        self.kind = kind
        reason = message
        self.status = status
        self.host = host
    }

    package func at(_ stage: Stage) -> FeedError {
        var error = self
        error.stage = stage
        return error
    }

    /// The same error, of requests that touched this as well. A cancellation tells of no request.
    package func touching(_ circumstances: RequestCircumstances) -> FeedError {
        guard !isCancellation else { return self }
        var error = self
        error.circumstances = self.circumstances.adding(circumstances)
        return error
    }

    package func dependingOnSettings() -> FeedError {
        var error = self
        error.dependsOnSettings = true
        return error
    }

    package func lackingRoom() -> FeedError {
        var error = self
        error.lacksRoom = true
        return error
    }

    package func asMisuse() -> FeedError {
        var error = self
        error.isMisuse = true
        return error
    }

    package var message: String { withoutHint + hintToAppend }

    /// For what is said of several that share no more than the reason.
    package var withoutRest: String { reason + hintToAppend }

    private var hintToAppend: String { hint.map { "; \($0)" } ?? "" }

    /// For one who is doing already what the hint says.
    package var withoutHint: String { reason + rest }

    /// The same error in other words; what more there is to its story, and its hint, hold as before.
    package func saying(_ reason: String) -> FeedError {
        var error = self
        error.reason = reason
        return error
    }

    /// The same error, naming what it concerns.
    package func about(_ what: some CustomStringConvertible) -> FeedError { saying("\(what): \(reason)") }

    /// The same error with more to its story, which is no other reason.
    package func adding(_ words: String) -> FeedError {
        var error = self
        error.rest += words
        return error
    }

    package func hinting(_ hint: String) -> FeedError {
        var error = self
        error.hint = hint
        return error
    }

    package static let cancelled = FeedError(.cancelled, "cancelled")

    package static func connectivity(_ message: String, status: Int? = nil, host: String? = nil) -> FeedError {
        FeedError(.connectivity, message, status: status, host: host)
    }

    package static func invalidData(_ message: String, status: Int? = nil, host: String? = nil) -> FeedError {
        FeedError(.invalidData, message, status: status, host: host)
    }

    /// A body over a limit that an option sets.
    package static func larger(than limit: Int64, host: String?) -> FeedError {
        .invalidData("larger than \(ByteCount.text(limit))", host: host).dependingOnSettings()
    }

    package static func notFound(_ message: String) -> FeedError { FeedError(.notFound, message) }

    package static func storage(_ fault: StorageFault, _ message: String) -> FeedError {
        FeedError(.storage(fault), message)
    }

    package static func unreadable(_ what: String) -> FeedError {
        .storage(.unreadable, what).hinting("run `feedsync validate`, which deletes or sets aside what can't be read")
    }

    package var isCancellation: Bool { kind == .cancelled }

    /// The request would have contacted an address that it may not contact.
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
