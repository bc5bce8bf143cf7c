/// Where bytes come from, a file or a pipe. One thread at a time; calls may block.
package protocol ByteSource: Sendable {
    /// What messages call it.
    var name: String { get }
    /// The next bytes, at most `buffer.count`; 0 at the end. Throws `cancelled` while it waits in a task that was.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int
}

/// Where bytes go: a file that takes its place whole or leaves no trace, or a stream. One thread at a time; calls may
/// block.
package protocol ByteTarget: Sendable {
    /// Writes the pieces one behind the other.
    func write(_ pieces: [UnsafeRawBufferPointer]) throws(FeedError)
    /// All is written: now it counts. Being let go of without it, a file is gone.
    func commit() throws(FeedError)
}
