import FeedCore
import Synchronization

/// Draws a progress line while some work runs, at most ten times a second.
final class ProgressDisplay: Sendable {
    private static let interval = Duration.milliseconds(100)

    private let state: Mutex<ProgressState>
    private let output: any Output
    private let colours: Bool
    private let start = ContinuousClock.now
    /// Counts bytes as they arrive, for work that does not report them itself.
    ///
    /// A large image takes minutes.
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

    /// Runs `work` and shows the line meanwhile.
    ///
    /// The line is removed before this returns.
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

/// Formats a progress line.
///
/// If there is too little room, less important parts are left out. The count always stays.
enum ProgressLine {
    private struct Part {
        let text: String
        /// The importance.
        ///
        /// Parts with a lower rank are left out first.
        let rank: Int
        var gap = 2
        var isAlarm = false
    }

    private static let gap = 2
    private static let barWidths = 10...30
    private static let labelWidths = 6...24

    /// Returns the line for a terminal of `width` columns.
    ///
    /// The last columns stay free, because the terminal prints ^C after the line, and some terminals wrap a full line.
    /// All text is ASCII, including the host in the label.
    static func text(_ state: ProgressState, at time: Duration, width: Int, colours: Bool = false) -> String {
        let room = max(1, width - 1 - "^C".count)
        var parts = parts(state, at: time)
        let all = parts.count
        while columns(parts) > room, parts.count > 1,
            let least = parts.indices.min(by: { parts[$0].rank < parts[$1].rank })
        {
            parts.remove(at: least)
        }
        var left = room - columns(parts)
        guard left >= 0 else { return String(parts[0].text.prefix(room)) }
        var line = ""
        let label = state.label.prefix(min(labelWidths.upperBound, max(0, left - gap)))
        if parts.count == all, !label.isEmpty, label.count >= min(labelWidths.lowerBound, state.label.count) {
            line += label + blanks(gap)
            left -= label.count + gap
        }
        if let bar = bar(state.progress, width: left - gap) { line += bar + blanks(gap) }
        for (index, part) in parts.enumerated() {
            if index > 0 { line += blanks(part.gap) }
            line += colours && part.isAlarm ? "\u{1B}[31m\(part.text)\u{1B}[0m" : part.text
        }
        return line
    }

    private static func parts(_ state: ProgressState, at time: Duration) -> [Part] {
        let progress = state.progress
        let of = progress.total.map { "/\($0)" } ?? ""
        var parts = [Part(text: "\(progress.done)\(of)", rank: 9), Part(text: state.noun + "s", rank: 1, gap: 1)]
        if progress.awaitedFeeds > 0 {
            parts.append(Part(text: "\(Phrases.count(progress.awaitedFeeds, "feed")) awaited", rank: 2))
        }
        if let total = progress.wholeTotal, total > 0 {
            // The number is rounded down, so that 100% means done.
            parts.append(Part(text: "\(min(progress.done, total) * 100 / total)%", rank: 4))
        }
        if progress.bytes > 0 { parts.append(Part(text: Phrases.size(progress.bytes), rank: 3)) }
        if let rate = state.rate { parts.append(Part(text: "\(Phrases.size(rate))/s", rank: 5)) }
        if let left = state.timeLeft(at: time) { parts.append(Part(text: "\(clock(left)) left", rank: 6)) }
        if progress.failed > 0 { parts.append(Part(text: "\(progress.failed) failed", rank: 7, isAlarm: true)) }
        return parts
    }

    private static func columns(_ parts: [Part]) -> Int {
        parts.reduce(0) { $0 + $1.gap + $1.text.count } - (parts.first?.gap ?? 0)
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

    private static func bar(_ progress: Progress, width: Int) -> String? {
        guard let total = progress.wholeTotal, total > 0, width >= barWidths.lowerBound else { return nil }
        let inner = min(width, barWidths.upperBound) - 2
        let full = min(progress.done, total) * inner / total
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: inner - full) + "]"
    }

    /// Formats a time as `0:42` or `1:02:03`.
    private static func clock(_ span: Duration) -> String {
        let seconds = max(0, span.components.seconds)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}
