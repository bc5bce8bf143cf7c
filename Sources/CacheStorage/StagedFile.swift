internal import FeedCore
internal import Hashing
internal import Synchronization
internal import SystemFiles

/// An image on its way into the cache: hashed as it comes, held in memory while it is small, else a file in `incoming`.
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
        /// Of the bytes so far; nil before the first.
        var hash: SHA256?
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
            let hash: SHA256
            if let begun = state.hash { hash = begun } else { hash = try SHA256() }
            state.hash = hash
            try hash.update(chunk)
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

    /// All bytes are there: their digest is known from now on, and they are written. What fails is remembered, and told on
    /// asking for the seal.
    func complete() {
        remembering { state throws(FeedError) in
            guard state.digest == nil, let hash = state.hash else { return }
            state.digest = try hash.finish()
            state.hash = nil
            try writing { () throws(SystemError) in try state.content.write(in: staging) }
        }
    }

    /// Waits until the bytes of a complete image are on disk. What fails is remembered likewise.
    func makeDurable() {
        remembering { state throws(FeedError) in
            if state.seal != nil { return }
            guard let digest = state.digest, state.size > 0 else {
                throw .storage(.failed, "the image has no bytes")
            }
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
