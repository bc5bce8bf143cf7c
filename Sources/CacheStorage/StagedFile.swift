internal import FeedCore
internal import Hashing
internal import Synchronization
internal import SystemFiles

/// An image on its way into the cache: held in memory while it is small, else a file in `incoming`.
///
/// A small one is written as a whole, with others that are complete by then.
final class StagedFile: StagedImage {
    /// What makes bytes known: complete, and on disk.
    struct Seal {
        let digest: Digest
        let size: Int64
    }

    let staging: Staging
    private let state = Mutex(State())

    private struct State {
        var content = StagedBytes()
        var digest: Digest?
        var size: Int64 = 0
        /// The first thing that went wrong; nothing is tried again after it.
        var failure: FeedError?
        var seal: Seal?
    }

    init(_ staging: Staging) { self.staging = staging }

    deinit { state.withLock { $0.content.discard(in: staging) } }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        try changing { state throws(FeedError) in
            try writing { () throws(SystemError) in try state.content.append(chunk, in: staging) }
            state.size += Int64(chunk.count)
        }
    }

    func discard() {
        state.withLock { state in
            state.content.discard(in: staging)
            state.failure = .storage(.failed, "the image was thrown away before")
        }
    }

    var isHashed: Bool { state.withLock { $0.digest != nil } }

    var isInMemory: Bool { state.withLock { !$0.content.held.isEmpty } }

    /// Hashes complete images and writes them. What fails is remembered, and told on asking for the seal.
    static func write(_ images: [StagedFile]) {
        hash(images)
        for image in images { image.write() }
    }

    private func write() {
        remembering { state throws(FeedError) in
            // Sealed: somebody who could not wait has done it.
            guard state.seal == nil, state.digest != nil else { return }
            try writing { () throws(SystemError) in try state.content.write(in: staging) }
        }
    }

    /// Hashes those complete images that aren't yet, many side by side. What fails is remembered likewise.
    static func hash(_ images: [StagedFile]) {
        var inMemory: (images: [StagedFile], bytes: [[UInt8]]) = ([], [])
        var inFiles: (images: [StagedFile], files: [Descriptor]) = ([], [])
        for image in images {
            switch image.state.withLock({ $0.digest == nil ? $0.content.place : nil }) {
            case .memory(let bytes):
                inMemory.images.append(image)
                inMemory.bytes.append(bytes)
            case .file(let file):
                inFiles.images.append(image)
                inFiles.files.append(file)
            case nil: break
            }
        }
        for (image, digest) in zip(inMemory.images, ManyDigests.of(inMemory.bytes)) {
            image.take(digest.mapError { SystemError(code: 0, $0.message) })
        }
        for (image, digest) in zip(inFiles.images, Descriptor.digests(of: inFiles.files)) { image.take(digest) }
    }

    private func take(_ digest: Result<Digest, SystemError>) {
        remembering { state throws(FeedError) in
            try attempt { () throws(SystemError) in state.digest = try digest.get() }
        }
    }

    /// Waits until the bytes of a hashed image are on disk. What fails is remembered likewise.
    func makeDurable() {
        remembering { state throws(FeedError) in
            if state.seal != nil { return }
            guard let digest = state.digest, state.size > 0 else {
                throw .storage(.failed, "the image has no bytes")
            }
            try writing { () throws(SystemError) in try state.content.write(in: staging) }
            try attempt { () throws(SystemError) in try state.content.makeDurable(in: staging) }
            state.seal = Seal(digest: digest, size: state.size)
        }
    }

    /// Throws what went wrong with this image.
    func seal() throws(FeedError) -> Seal {
        try changing { state throws(FeedError) in
            guard let seal = state.seal else { throw .storage(.failed, "the image is not on disk") }
            return seal
        }
    }

    /// Hands the file over to whoever moves it to its place with `move`, which gets its name.
    func place(_ move: (String) throws(SystemError) -> Void) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            guard let name = state.content.name else { return }
            try move(name)
            state.content.forget()
        }
    }

    /// Whether its file is still where it was written.
    func isThere() throws(SystemError) -> Bool {
        try state.withLock { state throws(SystemError) in
            guard let name = state.content.name else { return false }
            return try staging.folder.status(of: name) != nil
        }
    }

    private func attempt(_ work: () throws(SystemError) -> Void) throws(FeedError) {
        do { try work() } catch { throw staging.failure(error) }
    }

    private func writing(_ work: () throws(SystemError) -> Void) throws(FeedError) {
        do { try work() } catch { throw staging.writeFailure(error) }
    }

    private func remembering(_ work: (inout State) throws(FeedError) -> Void) {
        do { try changing(work) } catch {
            // Kept in the state.
        }
    }

    private func changing<Outcome: Sendable>(
        _ work: (inout State) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try state.withLock { state throws(FeedError) in
            if let failure = state.failure { throw failure }
            do throws(FeedError) {
                return try work(&state)
            } catch {
                state.failure = error
                throw error
            }
        }
    }
}
