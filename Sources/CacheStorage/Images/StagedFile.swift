internal import FeedCore
internal import Glibc
internal import Hashing
internal import Synchronization
internal import SystemFiles

/// An image on its way into the cache: hashed as it comes, held in memory while it is small, else a file in `incoming`.
final class StagedFile: StagedImage {
    /// What is known of bytes that are complete, and on disk.
    struct Seal {
        let digest: Digest
        let size: Int64
    }

    private static let mostHeld = 128 << 10

    let staging: Staging
    private let state = Mutex(State())

    private struct State {
        /// The bytes, until they are in a file.
        var held: [UInt8] = []
        /// The file's name in `incoming`.
        var name: String?
        /// While there is more to be done with the file.
        var file: Descriptor?
        /// The hash of the bytes so far; nil before the first.
        var hash: SHA256?
        var digest: Digest?
        var size: Int64 = 0
        /// The first thing that went wrong; nothing is tried again after it.
        var failure: FeedError?
        var seal: Seal?
    }

    init(_ staging: Staging) { self.staging = staging }

    deinit { state.withLock { drop(&$0) } }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        try changing { state throws(FeedError) in
            let hash: SHA256
            if let begun = state.hash { hash = begun } else { hash = try SHA256() }
            state.hash = hash
            try hash.update(chunk)
            state.size += Int64(chunk.count)
            if state.file == nil, state.held.count + chunk.count <= Self.mostHeld {
                if state.held.isEmpty { state.held = chunk } else { state.held += chunk }
            } else {
                try write(chunk, &state)
            }
        }
    }

    func discard() {
        state.withLock { state in
            drop(&state)
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
            if state.file == nil { try write([], &state) }
        }
    }

    /// Waits until the bytes of a complete image are on disk. What fails is remembered likewise.
    func makeDurable() {
        remembering { state throws(FeedError) in
            if state.seal != nil { return }
            guard let digest = state.digest, let file = state.file, state.size > 0 else {
                throw .storage(.failed, "the image has no bytes")
            }
            do throws(SystemError) { try staging.makeDurable(file) } catch { throw staging.failure(error) }
            state.file = nil
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
            guard let name = state.name else { return }
            try move(name)
            state.name = nil
        }
    }

    /// Whether its file is still where it was written.
    func isThere() throws(SystemError) -> Bool {
        try state.withLock { state throws(SystemError) in
            guard let name = state.name else { return false }
            return try staging.directory.status(of: name) != nil
        }
    }

    /// Writes what is held, then the chunk.
    private func write(_ chunk: [UInt8], _ state: inout State) throws(FeedError) {
        do throws(SystemError) {
            let file: Descriptor
            if let begun = state.file {
                file = begun
            } else {
                (state.name, file) = try staging.makeFile()
                state.file = file
                try file.write(state.held)
                state.held = []
            }
            try file.write(chunk)
        } catch {
            throw staging.writeFailure(error)
        }
    }

    private func drop(_ state: inout State) {
        if let name = state.name { unlinkat(staging.directory.number, name, 0) }
        (state.held, state.name, state.file) = ([], nil, nil)
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
