package import FeedCore

/// What the commands need of the world. The composition root fills it with the real things, tests with doubles.
package struct Toolbox: Sendable {
    package let openCache: @Sendable (_ path: String, CacheAccess) async throws(FeedError) -> Cache
    /// Whether the file is one of the own files of the cache at this path.
    package let ownsFile: @Sendable (_ file: String, _ cachePath: String) -> Bool
    package let makeClient: @Sendable (NetworkSettings) throws(FeedError) -> any HTTPClient
    /// For feeds and images that are local files.
    package let content: any HTTPClient
    /// For files and pipes that an option names.
    package let files: any HTTPClient
    package let decoder: any FeedDecoding
    package let archives: Archives
    package let gallery: any GalleryWriter
    package let output: any Output
    package let now: @Sendable () -> Timestamp
    /// The number of the signal that ends the run, if one came.
    package let endingSignal: @Sendable () -> Int32?

    package init(
        openCache: @escaping @Sendable (_ path: String, CacheAccess) async throws(FeedError) -> Cache,
        ownsFile: @escaping @Sendable (_ file: String, _ cachePath: String) -> Bool = { _, _ in false },
        makeClient: @escaping @Sendable (NetworkSettings) throws(FeedError) -> any HTTPClient,
        content: any HTTPClient, files: any HTTPClient,
        decoder: any FeedDecoding, archives: Archives, gallery: any GalleryWriter, output: any Output,
        now: @escaping @Sendable () -> Timestamp, endingSignal: @escaping @Sendable () -> Int32? = { nil }
    ) {
        self.openCache = openCache
        self.ownsFile = ownsFile
        self.makeClient = makeClient
        self.content = content
        self.files = files
        self.decoder = decoder
        self.archives = archives
        self.gallery = gallery
        self.output = output
        self.now = now
        self.endingSignal = endingSignal
    }
}

/// The ways a cache becomes an archive, and an archive part of a cache.
package struct Archives: Sendable {
    /// Of the feeds given, or with none of all. The file's name says how to compress.
    package typealias Export =
        @Sendable (
            _ feeds: [ResourceURL], any CacheSnapshot, any ByteTarget, _ fileName: String,
            _ progress: @Sendable (Progress) -> Void
        ) throws(FeedError) -> ExportReport
    /// To be called once.
    package typealias Merge =
        @Sendable (
            any CacheIntake, ImportTerms, _ progress: @Sendable (Progress) -> Void
        ) throws(FeedError) -> ImportReport
    /// Throws at what doesn't begin as an archive does.
    package typealias Open = @Sendable (any ByteSource) async throws(FeedError) -> Merge

    package let export: Export
    package let open: Open

    package init(export: @escaping Export, open: @escaping Open) {
        self.export = export
        self.open = open
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

extension Output {
    package var isTerminal: Bool { false }

    package func draw(_ line: ((_ width: Int) -> String)?) {}
}
