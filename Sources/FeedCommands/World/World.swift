package import FeedCore

/// What the program needs of the world around it: the composition root has the real one, tests have a double.
package protocol World: Sendable {
    // MARK: The process

    /// Bytes that are no UTF-8 are U+FFFD in it, as in the arguments and the current directory.
    var environment: [String: String] { get }
    var currentDirectory: String { get }
    /// The home in the user's account, for where the environment names none.
    var accountHome: String? { get }
    /// The number of the signal that ends the run, if one came.
    var endingSignal: Int32? { get }
    func now() -> Timestamp

    // MARK: Files

    var output: any Output { get }
    func fileExists(_ path: String) -> Bool
    /// With every symbolic link followed; nil where nothing is there.
    func realPath(_ path: String) -> String?
    /// Why it is no file that can be read more than once; nil where it is one. Directories and pipes are none.
    func unreadable(_ path: String) -> String?
    /// A file of moderate size; nil where there is none, or where it is a pipe or a device and only a regular one will do.
    func readFile(_ path: String, onlyRegular: Bool) throws(FeedError) -> [UInt8]?

    // MARK: Feeds and images

    /// Whether the file is one of the own files of the cache at this path.
    func ownsFile(_ file: String, cache: String) -> Bool
    func openCache(_ path: String, _ access: CacheAccess) async throws(FeedError) -> Cache
    func makeClient(_ settings: NetworkSettings) throws(FeedError) -> any HTTPClient
    /// Reads feeds and images that are local files.
    var content: any HTTPClient { get }
    /// Reads files and pipes that an option names.
    var files: any HTTPClient { get }
    var decoder: any FeedDecoding { get }
    var gallery: any GalleryWriter { get }
    var tree: any TreeWriter { get }
    /// Exports these feeds, or all if none is given. The file's name says how to compress.
    func export(
        _ feeds: [ResourceURL], _ snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ExportReport
    /// Throws at what doesn't begin as an archive does.
    func openArchive(_ source: any ByteSource) async throws(FeedError) -> any OpenArchive
}

/// An archive whose beginning was read.
package protocol OpenArchive: Sendable {
    /// To be called once.
    func merge(
        into intake: any CacheIntake, _ terms: ImportTerms, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ImportReport
}
