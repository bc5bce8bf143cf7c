import FeedCore
import Synchronization

/// Draws a progress line while some work runs, at most ten times a second.
final class ProgressDisplay: Sendable {
    private static let interval = Duration.milliseconds(100)

    private let state: Mutex<ProgressState>
    private let output: any Output
    private let colours: Bool
    private let start = ContinuousClock.now
    /// Counts bytes as they arrive, for work that does not report them itself. A large image takes minutes.
    private let meter: ByteMeter?
    /// Whether the line is drawn once more at the end, so that short work shows it too.
    private let showsEnd: Bool

    init(
        label: String, noun: String, output: any Output, colours: Bool, showsEnd: Bool, meter: ByteMeter? = nil
    ) {
        self.meter = meter
        self.showsEnd = showsEnd
        state = Mutex(ProgressState(label: label, noun: noun))
        self.output = output
        self.colours = colours
    }

    func update(_ progress: Progress, noun: String? = nil) {
        let time = ContinuousClock.now - start
        state.withLock { state in
            if let noun { state.noun = noun }
            state.update(progress, at: time)
            state.sample(bytes: meter?.bytes, at: time)
        }
    }

    /// Runs `work` and shows the line meanwhile. The line is removed before this returns.
    func during<Outcome, Failure: Error>(
        _ work: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let drawing = Task { [self] in
            while !Task.isCancelled {
                do { try await Task.sleep(for: Self.interval) } catch { return }
                draw()
            }
        }
        let outcome = await Result(awaiting: work)
        drawing.cancel()
        await drawing.value
        if showsEnd { draw() }
        output.draw(nil)
        return try outcome.get()
    }

    private func draw() {
        let time = ContinuousClock.now - start
        let now = state.withLock { state in
            state.sample(bytes: meter?.bytes, at: time)
            return state
        }
        output.draw { [colours] width in ProgressLine.text(now, at: time, width: width, colours: colours) }
    }
}
