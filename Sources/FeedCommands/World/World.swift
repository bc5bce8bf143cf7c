package import FeedCore

/// The environment of the program.
///
/// The composition root has the real one, and tests have a double.
package protocol World: Sendable {
    // MARK: The process

    /// The environment variables. As in the arguments and the current directory, bytes that are not UTF-8 become
    /// U+FFFD.
    var environment: [String: String] { get }
    var currentDirectory: String { get }
    /// The home directory of the user's account, used if the environment names none.
    var accountHome: String? { get }
    /// The number of the signal that ends the run, if there was one.
    var endingSignal: Int32? { get }
    func now() -> Timestamp
    /// The libraries that the program runs with, each with its version.
    var libraries: [String] { get }

    // MARK: Files

    var output: any Output { get }
    func fileExists(_ path: String) -> Bool
    /// Returns the path with every symbolic link resolved; nil if the file does not exist.
    func realPath(_ path: String) -> String?
    /// Returns the reason why the file cannot be read more than once, such as a directory or pipe; nil if it can.
    func unreadable(_ path: String) -> String?
    /// Returns the names of the files in a directory, in any order; nil if the path leads to no directory.
    func files(in directory: String) throws(FeedError) -> [String]?
    /// Reads a file of moderate size. Returns nil if it does not exist, or if it is a pipe or device and `onlyRegular`
    /// is set.
    func readFile(_ path: String, onlyRegular: Bool) throws(FeedError) -> [UInt8]?

    // MARK: Feeds and images

    /// Returns whether the file belongs to the cache at the path.
    func ownsFile(_ file: String, cache: String) -> Bool
    func openCache(_ path: String, _ access: CacheAccess) async throws(FeedError) -> Cache
    func makeClient(_ settings: NetworkSettings) throws(FeedError) -> any HTTPClient
    /// The client that reads feeds and images from local files.
    var content: any HTTPClient { get }
    /// The client that reads files and pipes named by an option.
    var files: any HTTPClient { get }
    var decoder: any FeedDecoding { get }
    var gallery: any GalleryWriter { get }
    var tree: any TreeWriter { get }
    /// Exports the feeds, or all feeds if the list is empty. `fileName` determines the compression. With `leftOut`, the
    /// archive is thin and lacks the images that have these digests.
    func export(
        _ feeds: [ResourceURL], _ snapshot: any CacheSnapshot, to target: any ByteTarget, fileName: String,
        without leftOut: Set<Digest>?, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ExportReport
    /// Returns the digests of the contents of an archive.
    func listArchive(_ source: any ByteSource) async throws(FeedError) -> Set<Digest>
    func ageOfArchive(_ source: any ByteSource, _ terms: ImportTerms) async throws(FeedError) -> ArchiveAge
    /// Opens an archive. Throws if the source does not begin like an archive.
    func openArchive(_ source: any ByteSource) async throws(FeedError) -> any OpenArchive
}

/// An archive whose beginning has been read.
package protocol OpenArchive: Sendable {
    /// Merges the archive into a cache. It must be called at most once.
    func merge(
        into intake: any CacheIntake, _ terms: ImportTerms, progress: @Sendable (Progress) -> Void
    ) throws(FeedError) -> ImportReport
}

/// Receives the messages and data of a command.
package protocol Output: Sendable {
    /// Writes to standard output.
    func write(_ data: [UInt8]) throws(FeedError)
    /// Writes a line to standard error. A failure is ignored, because it could be reported only here.
    func say(_ line: String)
    /// Replaces a file completely or not at all.
    func replaceFile(at path: String, with data: [UInt8]) throws(FeedError)
    /// Opens a file, or standard output, that is written in pieces. May block.
    func openTarget(_ path: String?) throws(FeedError) -> any ByteTarget
    /// Opens a file or standard input. May block.
    func openSource(_ path: String?) throws(FeedError) -> any ByteSource
    /// Returns whether an input and an output are the same file. Nil is standard input or standard output.
    func isSameFile(_ input: String?, _ output: String?) -> Bool
    /// Whether standard output is a terminal.
    var isTerminal: Bool { get }
    /// The number of columns of the terminal; nil if standard output is not a terminal.
    var columns: Int? { get }
    /// Whether standard error is a terminal.
    var isWatched: Bool { get }
    /// Shows a line at the end of standard error, in place of the previous one. Nil removes it. `line` receives the
    /// number of columns.
    func draw(_ line: ((_ width: Int) -> String)?)
}
