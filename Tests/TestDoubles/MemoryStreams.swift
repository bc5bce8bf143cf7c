package import FeedCore
internal import Synchronization

/// A stream of bytes in memory.
///
/// Each read returns at most a given number of bytes.
package final class MemorySource: ByteSource {
    package let name = "archive"
    private let rest: Mutex<ArraySlice<UInt8>>
    private let most: Int

    package init(_ bytes: [UInt8], inPiecesOf most: Int = .max) {
        rest = Mutex(bytes[...])
        self.most = most
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
        rest.withLock { rest in
            let piece = rest.prefix(min(buffer.count, most))
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }
}

/// A stream that collects the written bytes, and records whether it was committed.
package final class MemoryTarget: ByteTarget {
    private let state = Mutex((bytes: [UInt8](), isCommitted: false))
    private let room: Int

    /// Makes a stream that accepts at most `room` bytes.
    package init(room: Int = .max) { self.room = room }

    package var bytes: [UInt8] { state.withLock { $0.bytes } }
    package var isCommitted: Bool { state.withLock { $0.isCommitted } }

    package func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            for piece in pieces {
                guard state.bytes.count + piece.count <= room else { throw .storage(.failed, "the disk is full") }
                state.bytes.append(contentsOf: piece)
            }
        }
    }

    package func commit() { state.withLock { $0.isCommitted = true } }
}
