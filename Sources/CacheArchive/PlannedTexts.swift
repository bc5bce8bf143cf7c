internal import Dispatch
internal import FeedCore
internal import Hashing
internal import Synchronization

/// A thread that works on one thing after another, and never is far behind.
final class WorkBeside: Sendable {
    private let queue: DispatchQueue
    private let places = DispatchSemaphore(value: 8)

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func perform(_ work: @escaping @Sendable () -> Void) {
        places.wait()
        queue.async { [places] in
            work()
            places.signal()
        }
    }

    /// Returns when all is done.
    func wait() { queue.sync {} }
}

/// What becomes of a document that is made piece by piece.
final class DocumentHash: Sendable {
    private struct State: ~Copyable {
        let hash: SHA256
        var size: Int64 = 0
    }

    private let state: Mutex<State>
    private let failure = SharedFailure()

    init() throws(FeedError) { state = Mutex(State(hash: try SHA256())) }

    var isEmpty: Bool { state.withLock { $0.size == 0 } }

    func append(_ piece: [UInt8]) {
        failure.remembering { () throws(FeedError) in
            try state.withLock { state throws(FeedError) in
                state.size += Int64(piece.count)
                try state.hash.update(piece)
            }
        }
    }

    func finish() throws(FeedError) -> BlobDescriptor {
        try failure.check()
        return try state.withLock { state throws(FeedError) in
            BlobDescriptor(mediaType: OCILayout.feedType, digest: try state.hash.finish(), size: state.size)
        }
    }
}

/// Texts that are few and short enough to be kept.
final class KeptTexts: Sendable {
    private struct State {
        var room: Int
        var pieces: [ExportPlan.Source: [[UInt8]]] = [:]
    }

    private let state: Mutex<State>

    init(room: Int) { state = Mutex(State(room: room)) }

    subscript(source: ExportPlan.Source) -> [[UInt8]]? { state.withLock { $0.pieces[source] } }

    /// The next piece of a text. One that doesn't fit is forgotten as a whole.
    func keep(_ piece: [UInt8], as source: ExportPlan.Source, isFirst: Bool = true) {
        state.withLock { state in
            guard isFirst || state.pieces[source] != nil else { return }
            state.room -= piece.count
            state.pieces[source, default: []].append(piece)
            guard state.room < 0 else { return }
            state.room += state.pieces.removeValue(forKey: source)?.reduce(0) { $0 + $1.count } ?? 0
        }
    }
}
