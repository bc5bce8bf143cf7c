internal import FeedCore
internal import Glibc
internal import Hashing
internal import Synchronization

/// An image on its way into the cache: a file in `incoming`, made with its first bytes.
final class StagedFile: StagedImage {
    /// What makes bytes known: complete, and on disk.
    struct Seal {
        let digest: Digest
        let size: Int64
    }

    let staging: Staging
    private let state = Mutex(State())

    private struct State {
        var file: (name: String, descriptor: Descriptor)?
        var digest: Digest?
        var size: Int64 = 0
        /// The first thing that went wrong; nothing is tried again after it.
        var failure: FeedError?
        var seal: Seal?
    }

    init(_ staging: Staging) { self.staging = staging }

    deinit { discard() }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        try changing { state throws(FeedError) in
            try attempt { () throws(SystemError) in
                if state.file == nil { state.file = try staging.makeFile() }
                try state.file?.descriptor.write(chunk)
            }
            state.size += Int64(chunk.count)
        }
    }

    func discard() {
        state.withLock { state in
            if let file = state.file { unlinkat(staging.folder.number, file.name, 0) }
            state.file = nil
            state.failure = .storage(.failed, "the image was thrown away before")
        }
    }

    /// Hashes complete images, many side by side. What fails is remembered, and told on asking for the seal.
    static func hash(_ images: some Sequence<StagedFile>) {
        let open = images.compactMap { image in image.descriptor.map { (image: image, file: $0) } }
        for (image, digest) in zip(open.map(\.image), Descriptor.digests(of: open.map(\.file))) {
            image.remembering { state throws(FeedError) in
                try image.attempt { () throws(SystemError) in state.digest = try digest.get() }
            }
        }
    }

    private var descriptor: Descriptor? { state.withLock { $0.file?.descriptor } }

    /// Waits until the bytes of a hashed image are on disk. What fails is remembered likewise.
    func makeDurable() {
        remembering { state throws(FeedError) in
            if state.seal != nil { return }
            guard let file = state.file, let digest = state.digest else {
                throw .storage(.failed, "the image has no bytes")
            }
            try attempt { () throws(SystemError) in try staging.makeDurable(file.descriptor) }
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
            guard let file = state.file else { return }
            try move(file.name)
            state.file = nil
        }
    }

    private func attempt(_ work: () throws(SystemError) -> Void) throws(FeedError) {
        do { try work() } catch { throw staging.failure(error) }
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
