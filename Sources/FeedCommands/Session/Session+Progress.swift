import FeedCore

/// Showing how far a command has come.
extension Session {
    /// Nil where nobody is to see it.
    func makeProgressDisplay(_ label: String, of noun: String, meter: ByteMeter? = nil) -> ProgressDisplay? {
        guard showsProgress else { return nil }
        return ProgressDisplay(
            label: label, noun: noun, output: world.output, colours: showsColours,
            showsEnd: settings.progress == .always, meter: meter)
    }

    /// Runs `work`, and shows what it tells of its progress where somebody is to see it. What is counted is a `noun`.
    func showingProgress<Outcome: Sendable>(
        _ label: String, of noun: String,
        _ work: (ProgressStream?) async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let display = makeProgressDisplay(label, of: noun) else { return try await work(nil) }
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        let following = Task { for await progress in stream { display.update(progress) } }
        return try await display.during { () async throws(FeedError) in
            let result = await Result { () async throws(FeedError) in try await work(continuation) }
            continuation.finish()
            await following.value
            return try result.get()
        }
    }

    var showsProgress: Bool {
        switch settings.progress {
        case .always: true
        case .never: false
        case .auto:
            world.output.isWatched && !isDumb && settings.verbosity != .quiet && settings.logFormat == .text
        }
    }

    /// A terminal that can't take back what it shows.
    private var isDumb: Bool { (world.environment["TERM"] ?? "dumb") == "dumb" }

    /// See no-color.org.
    private var showsColours: Bool {
        world.output.isWatched && !isDumb && (world.environment["NO_COLOR"] ?? "").isEmpty
    }
}
