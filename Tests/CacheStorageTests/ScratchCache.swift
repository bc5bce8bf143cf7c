import FeedCore
import Glibc
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@testable import CacheStorage

/// A directory for one cache, which is deleted after the test.
final class ScratchCache: Sendable {
    private let root: String
    /// The path of the cache, which is missing at first.
    var path: String { root + "/cache" }

    init() throws {
        var template = Array("/tmp/feedsync-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("can't be created", "/tmp") }
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        do {
            try Descriptor.directory(at: root).removeContents()
            rmdir(root)
        } catch {
            preconditionFailure(error.message)
        }
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }
    func beside(_ name: String) -> String { "\(root)/\(name)" }

    func open(_ access: CacheAccess = .write(lockWait: .zero)) async throws -> Cache {
        try await CacheDirectory.open(path: path, access: access, sleeping: neverSleeping)
    }

    /// Saves a feed and one of its images.
    func fill() async throws {
        let cache = try await open()
        try await cache.feeds.save(.sample())
        try await cache.images.publish("picture", at: .image(0))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try directory(of: name).open(last(name), O_WRONLY | O_CREAT | O_TRUNC).write(bytes)
    }

    func read(_ name: String) throws -> [UInt8] {
        let file = try directory(of: name).open(last(name), O_RDONLY)
        return try file.read(Int(file.status().st_size))
    }

    /// Creates an empty cache directory.
    func makeCacheDirectory(mode: mode_t = 0o700) throws {
        guard mkdir(path, mode) == 0 else { throw SystemError("can't be created", path) }
    }

    func makeDirectory(_ name: String) throws {
        guard mkdir(path(name), 0o755) == 0 else { throw SystemError("can't be created", path(name)) }
    }

    func status(_ name: String) throws -> stat? { try directory(of: name).status(of: last(name)) }

    func exists(_ name: String) throws -> Bool { try status(name) != nil }

    /// Returns the sorted names in the cache directory or in a directory below it.
    func names(in name: String = ".") throws -> [String] {
        var names: [String] = []
        try Descriptor.directory(at: path(name)).forEachName { name in names.append(String(cString: name)) }
        return names.sorted()
    }

    /// Returns the path and the bytes of every file in the cache.
    func snapshot(_ name: String = ".") throws -> [String: [UInt8]] {
        var snapshot: [String: [UInt8]] = [:]
        for inner in try names(in: name) {
            let inner = "\(name)/\(inner)"
            guard let status = try status(inner) else { continue }
            if status.isDirectory {
                snapshot[inner] = []
                snapshot.merge(try self.snapshot(inner)) { first, _ in first }
            } else {
                snapshot[inner] = try read(inner)
            }
        }
        return snapshot
    }

    static let database = DatabaseFile.name
    static let schemaVersion = CacheSchema.current.version

    /// Changes the database through a separate connection, which stays open until `work` has ended.
    @discardableResult
    func execute<Outcome>(_ sql: String, _ work: () throws -> Outcome = {}) throws -> Outcome {
        let connection = try SQLiteConnection(path(Self.database), .writing)
        try connection.execute(sql)
        let outcome = try work()
        withExtendedLifetime(connection) {}
        return outcome
    }

    func query(_ sql: String) throws -> String? {
        try SQLiteConnection(path(Self.database), .reading).text(sql)
    }

    /// Queries another database after its log was applied.
    func query(_ sql: String, of name: String) throws -> String? {
        try SQLiteConnection(path(name), .writing).text(sql)
    }

    /// Opens the feeds as another process would, with a lock of this process.
    func feedsOfAnotherProcess() throws -> any FeedStore {
        let directory = try Descriptor.directory(at: path)
        let file = DatabaseFile(in: directory, resolvedPath: path, schema: .current)
        return SQLiteFeedStore(database: Database(try file.openForWriting(lock: directory).0))
    }

    /// Opens the images of a new cache with another function for fsync.
    func images(synchronise: @escaping @Sendable (Descriptor) throws(SystemError) -> Void) throws -> any ImageStore {
        try makeCacheDirectory()
        let directory = try Descriptor.directory(at: path)
        let directories = try ImageDirectories(createdIn: directory)
        let file = DatabaseFile(in: directory, resolvedPath: path, schema: .current)
        let (connection, _) = try file.openForWriting(lock: directory)
        // The data of an image belongs to a saved feed.
        try SQLiteFeedChange(connection: connection).insert(.sample(images: 0))
        return ImageDirectory(
            path: path, database: Database(connection), directories: directories,
            staging: Staging(try #require(directories.incoming), synchronise: synchronise),
            wait: LockWait(limit: .zero, sleeping: neverSleeping))
    }

    private func directory(of name: String) throws(SystemError) -> Descriptor {
        let parts = name.split(separator: "/").dropLast()
        return try Descriptor.directory(at: ([path] + parts.map(String.init)).joined(separator: "/"))
    }

    private func last(_ name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
}

/// Throws instead of sleeping, for tests that have nothing to wait for.
func neverSleeping(_ span: Duration) async throws { throw CancellationError() }

extension ImageStore {
    func stage(_ text: String, at url: ResourceURL) throws(FeedError) -> ReceivedImage {
        let staged = try stage()
        try staged.append(Array(text.utf8))
        return ReceivedImage(
            url: url, feeds: [.first], bytes: staged, size: Int64(text.utf8.count), type: .png,
            validators: Validators(),
            fetchedAt: Timestamp(microseconds: 1))
    }

    /// Publishes a text as an image, and returns the stored image.
    @discardableResult
    func publish(_ text: String, at url: ResourceURL) async throws -> StoredImage {
        for failure in try await failures(publishing: [stage(text, at: url)]) {
            if let failure { throw failure }
        }
        guard let image = try await find([url])[0] else { throw FeedError.notFound("\(url)") }
        return image
    }
}

extension FeedStore {
    func save(_ saved: SavedFeed) async throws(FeedError) {
        try await change { change throws(FeedError) in try change.insert(saved) }
    }
}
