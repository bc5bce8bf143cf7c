/// Which images are not asked for again at once, because their last answer is one that tends to stay, and for how long.
///
/// | failure                                                                          | remembered |
/// |----------------------------------------------------------------------------------|------------|
/// | invalidData: 401, 403, 404, 410, 451, any other status; no image, empty          | yes        |
/// | invalidData with a 407: the proxy's answer, not the image's                      | no         |
/// | invalidData that depends on our settings: over a limit, an address not allowed   | no         |
/// | connectivity: no answer, 408, 425, 429, any 5xx                                  | no         |
/// | notFound, storage, cancelled; anything of a file: no server answered             | no         |
///
/// | failures in a row | 1   | 2   | 3   | 4   | 5    | 6    | 7    | 8     | 9 and more |
/// |-------------------|-----|-----|-----|-----|------|------|------|-------|------------|
/// | left alone for    | 1 h | 2 h | 4 h | 8 h | 16 h | 32 h | 64 h | 128 h | 7 d        |
package enum PermanentFailures {
    private static let shortestPause = Duration.seconds(60 * 60)
    private static let longestPause = Duration.seconds(7 * 24 * 60 * 60)

    package static func isPermanent(_ error: FeedError) -> Bool {
        error.kind == .invalidData && error.status != 407 && !error.dependsOnSettings && error.stage != .trusting
    }

    /// What of it is worth remembering. A refusal is, though not for whoever then says who asks (see `isRefusal`).
    package static func isRemembered(_ error: FeedError, of url: ResourceURL) -> Bool {
        url.isRemote && isPermanent(error)
    }

    /// How long an image is left alone after so many permanent failures in a row.
    package static func pause(afterFailures count: Int) -> Duration {
        guard count > 0 else { return .zero }
        return min(shortestPause * (1 << min(count - 1, 16)), longestPause)
    }

    /// Whether it is too early to ask again. A failure that lies in the future is not trusted, or a clock that was once
    /// wrong would keep an image away for years.
    package static func isLeftAlone(lastFailure: (at: Timestamp, count: Int), now: Timestamp) -> Bool {
        guard let age = lastFailure.at.age(at: now) else { return false }
        let pause = pause(afterFailures: lastFailure.count)
        return pause > .zero && age < pause
    }
}

extension FeedError {
    /// The server would not give it to whoever asked: with a password, or another one, it may.
    var isRefusal: Bool { status == 401 || status == 403 }
}
