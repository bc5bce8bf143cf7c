package import FeedCore

/// What the commands need of the world. The composition root fills it with the real things, tests with doubles.
package struct Toolbox: Sendable {
    package let openCache: @Sendable (_ path: String, CacheAccess) async throws(FeedError) -> Cache
    package let makeClient: @Sendable (NetworkSettings) throws(FeedError) -> any HTTPClient
    package let decoder: any FeedDecoding
    package let gallery: any GalleryWriter
    package let output: any Output
    package let now: @Sendable () -> Timestamp

    package init(
        openCache: @escaping @Sendable (_ path: String, CacheAccess) async throws(FeedError) -> Cache,
        makeClient: @escaping @Sendable (NetworkSettings) throws(FeedError) -> any HTTPClient,
        decoder: any FeedDecoding, gallery: any GalleryWriter, output: any Output,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.openCache = openCache
        self.makeClient = makeClient
        self.decoder = decoder
        self.gallery = gallery
        self.output = output
        self.now = now
    }
}

/// Where a command's words and data go.
package protocol Output: Sendable {
    /// Standard output.
    func write(_ data: [UInt8]) throws(FeedError)
    /// One line on standard error. There is nowhere to report that this fails, and no reason to stop for it.
    func say(_ line: String)
    /// A file, replaced whole or not at all.
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError)
    /// Someone watches standard error.
    var isWatched: Bool { get }
}
