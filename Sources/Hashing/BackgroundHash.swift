internal import Dispatch
package import FeedCore
internal import Synchronization

/// Hashes one body after another on a thread of its own, while another thread reads and writes what comes next.
///
/// Small bodies are gathered and hashed side by side; a large one is hashed as it comes.
package final class BackgroundHash {
    package typealias Judge = @Sendable (Digest) throws(FeedError) -> Void

    /// More than this of one body isn't gathered.
    private static let mostBytesOfSmallBody = 1 << 20
    private static let mostBytesAtOnce = 4 << 20
    private static let mostBodiesAtOnce = 64

    private let worker = HashWorker()
    private var body = Body()
    private var isLarge = false
    private var gathered: [(body: Body, judge: Judge)] = []
    private var gatheredBytes = 0

    package init() {}

    /// Waits while too much is pending. Throws what went wrong before, with these bytes or others.
    package func append(_ chunk: [UInt8]) throws(FeedError) {
        try worker.check()
        body.chunks.append(chunk)
        body.count += chunk.count
        guard body.count > Self.mostBytesOfSmallBody else { return }
        isLarge = true
        hashOn()
    }

    /// The end of one body: `judge` is asked about its digest, some time later.
    package func end(_ judge: @escaping Judge) throws(FeedError) {
        try worker.check()
        if isLarge {
            hashOn()
            worker.perform { worker throws(FeedError) in try judge(try worker.finishLarge()) }
            isLarge = false
            return
        }
        gathered.append((body, judge))
        gatheredBytes += body.count
        body = Body()
        if gathered.count == Self.mostBodiesAtOnce || gatheredBytes > Self.mostBytesAtOnce { hashGathered() }
    }

    /// Waits until all is hashed and judged.
    package func finish() throws(FeedError) {
        hashGathered()
        worker.wait()
        try worker.check()
    }

    private func hashOn() {
        let chunks = body.chunks
        body = Body()
        worker.perform { worker throws(FeedError) in try worker.appendToLarge(chunks) }
    }

    private func hashGathered() {
        let gathered = gathered
        self.gathered = []
        gatheredBytes = 0
        worker.perform { _ throws(FeedError) in
            for ((_, judge), digest) in zip(gathered, Body.digests(of: gathered.map(\.body))) {
                try judge(try digest.get())
            }
        }
    }
}

/// A body, or what has come of it, in the pieces it came in.
private struct Body {
    var chunks: [[UInt8]] = []
    var count = 0

    static func digests(of bodies: [Body]) -> [Result<Digest, FeedError>] {
        var places = Array(repeating: (chunk: 0, offset: 0), count: bodies.count)
        return ManyDigests.of(bodies.count) { body, buffer in
            while places[body].chunk < bodies[body].chunks.count {
                let rest = bodies[body].chunks[places[body].chunk].dropFirst(places[body].offset).prefix(buffer.count)
                places[body].offset += rest.count
                if !rest.isEmpty {
                    buffer.copyBytes(from: rest)
                    return rest.count
                }
                places[body] = (places[body].chunk + 1, 0)
            }
            return 0
        }
    }
}

/// The thread, and what it has found so far.
private final class HashWorker: Sendable {
    private struct State {
        /// Of a large body that is under way.
        var hash: SHA256?
        /// The first thing that went wrong; nothing is hashed after it.
        var failure: FeedError?
    }

    private let queue = DispatchQueue(label: "feedsync.hashing")
    /// Bounds what waits to be hashed, and with it memory.
    private let places = DispatchSemaphore(value: 3)
    private let state = Mutex(State())

    func perform(_ work: @escaping @Sendable (HashWorker) throws(FeedError) -> Void) {
        places.wait()
        queue.async { [self] in
            if state.withLock({ $0.failure }) == nil {
                do throws(FeedError) { try work(self) } catch { state.withLock { $0.failure = error } }
            }
            places.signal()
        }
    }

    func appendToLarge(_ chunks: [[UInt8]]) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if state.hash == nil { state.hash = try SHA256() }
            for chunk in chunks { try state.hash?.update(chunk) }
        }
    }

    func finishLarge() throws(FeedError) -> Digest {
        try state.withLock { state throws(FeedError) in
            defer { state.hash = nil }
            if let hash = state.hash { return try hash.finish() }
            return try SHA256().finish()
        }
    }

    func wait() { queue.sync {} }

    func check() throws(FeedError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
