package import FeedCore

/// Where a command's words and data go.
package protocol Output: Sendable {
    /// Standard output.
    func write(_ data: [UInt8]) throws(FeedError)
    /// One line on standard error. There is nowhere to report that this fails, and no reason to stop for it.
    func say(_ line: String)
    /// A file, replaced whole or not at all.
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError)
    /// A file that is written piece by piece, or standard output. May block.
    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget
    /// A file, or standard input. May block.
    func openSource(_ path: String?) throws(FeedError) -> any ByteSource
    /// Standard output is one.
    var isTerminal: Bool { get }
    /// Someone watches standard error.
    var isWatched: Bool { get }
    /// Shows a line below all others on standard error, in place of the one that was there; nil takes it away. `line`
    /// is given the number of columns there are.
    func draw(_ line: ((_ width: Int) -> String)?)
}
