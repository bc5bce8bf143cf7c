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

/// A feed's document, written and hashed while the feed's rows are read.
final class PlannedDocument: Sendable {
    private struct State: ~Copyable {
        var writer = FeedDocumentWriter()
        let hash: SHA256
        var size: Int64 = 0
        var descriptor: BlobDescriptor?
    }

    private let source: ExportPlan.Source
    private let texts: KeptTexts
    private let state: Mutex<State>
    private let failure = SharedFailure()

    init(of feed: FeedSummary, as source: ExportPlan.Source, in texts: KeptTexts) throws(FeedError) {
        (self.source, self.texts) = (source, texts)
        state = Mutex(State(hash: try SHA256()))
        state.withLock { $0.writer.begin(feed) }
    }

    func add(_ images: [SnapshotImage]) {
        failure.remembering { () throws(FeedError) in
            try state.withLock { state throws(FeedError) in
                for image in images {
                    state.writer.add(image)
                    if let piece = state.writer.take() { try take(piece, &state) }
                }
            }
        }
    }

    func finish() {
        failure.remembering { () throws(FeedError) in
            try state.withLock { state throws(FeedError) in
                state.writer.end()
                if let piece = state.writer.take(all: true) { try take(piece, &state) }
                state.descriptor = BlobDescriptor(
                    mediaType: OCILayout.feedType, digest: try state.hash.finish(), size: state.size)
            }
        }
    }

    /// Once it is finished.
    var descriptor: BlobDescriptor {
        get throws(FeedError) {
            try failure.check()
            guard let descriptor = state.withLock({ $0.descriptor }) else {
                throw .storage(.failed, "the document of a feed was not finished")
            }
            return descriptor
        }
    }

    private func take(_ piece: [UInt8], _ state: inout State) throws(FeedError) {
        texts.keep(piece, as: source, isFirst: state.size == 0)
        state.size += Int64(piece.count)
        try state.hash.update(piece)
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
