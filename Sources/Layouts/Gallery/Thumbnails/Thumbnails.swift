internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// The thumbnails of a gallery's large images.
///
/// They are stored in the cache. With a cache on a read-only medium, a gallery has those that exist already.
struct Thumbnails {
    /// The maximum size of an image file without a thumbnail.
    ///
    /// Such a file loads as fast as its thumbnail would.
    private static let maxSizeWithout: Int64 = 64 << 10
    /// The maximum number of pixels.
    ///
    /// A file that feedsync accepts and that has more pixels is an attack on the memory.
    private static let maxPixels = 256 << 20
    private static let types: Set<ImageType> = [.jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .jxl]

    /// The cache's directory of thumbnails; nil if the gallery has no thumbnails so far.
    private var directory: ThumbnailDirectory?
    private let cache: String
    private let program: VipsThumbnail?
    private let isOptional: Bool
    /// The reason why a gallery goes without new thumbnails.
    private(set) var failure: FeedError?

    /// Throws `connectivity` if the user asks for thumbnails and the program is not installed.
    init(_ choice: ThumbnailChoice, cache: String, path: String?) throws(FeedError) {
        self.cache = cache
        isOptional = choice == .auto
        guard choice != .never else {
            (program, directory) = (nil, nil)
            return
        }
        program = VipsThumbnail(searching: path)
        guard choice != .always || program != nil else {
            throw .connectivity("--thumbnails always: there is no vipsthumbnail")
                .hinting("install it (Debian's libvips-tools), or leave the choice to feedsync: --thumbnails auto")
        }
        directory = try Self.attempt { () throws(SystemError) in try ThumbnailDirectory(in: cache) }
    }

    /// Makes the missing thumbnails of these feeds.
    mutating func make(
        of feeds: [GalleryFeed], from files: any ImageFiles, _ progress: ProgressStream?
    ) async throws(FeedError) {
        guard let program else { return }
        var missing = missingImages(of: feeds)
        guard !missing.isEmpty else { return }
        if let reason = VipsThumbnail.confinementFailure {
            guard isOptional else { throw reason }
            failure = reason
            return
        }
        guard let (directory, work) = try beginWork() else { return }
        defer { directory.endWork() }
        for image in missing where try Self.isTooLarge(image, files) {
            if Task.isCancelled { throw .cancelled }
            try Self.attempt { () throws(SystemError) in try directory.giveUp(on: image.digest) }
        }
        missing.removeAll { directory.state(of: $0.digest) != .missing }
        do throws(FeedError) {
            try await ThumbnailMaker(program, of: files, to: directory, in: work, progress).make(missing)
        } catch let error where error.kind == .connectivity && isOptional {
            failure = error
        }
    }

    /// Returns the images that can have a thumbnail and have none yet, each once.
    private func missingImages(of feeds: [GalleryFeed]) -> [StoredImage] {
        var seen: Set<Digest> = []
        return feeds.lazy.flatMap(\.images).compactMap(\.stored).filter { image in
            Self.canHaveThumbnail(image) && seen.insert(image.digest).inserted
                && (directory?.state(of: image.digest) ?? .missing) == .missing
        }
    }

    /// Creates and locks the cache's directory of thumbnails.
    ///
    /// Returns nil if writing to the cache is impossible.
    private mutating func beginWork() throws(FeedError) -> (ThumbnailDirectory, Descriptor)? {
        let found = try Self.attempt { () throws(SystemError) in
            try ThumbnailDirectory(creatingIn: cache).flatMap { directory throws(SystemError) in
                try directory.beginWork().map { (directory, $0) }
            }
        }
        if let found { directory = found.0 }
        return found
    }

    /// Opens a thumbnail of an image.
    ///
    /// Returns nil if it has none.
    func thumbnail(of image: StoredImage, _ size: ThumbnailSize) throws(FeedError) -> ThumbnailFile? {
        guard let directory, Self.canHaveThumbnail(image) else { return nil }
        return try Self.attempt { () throws(SystemError) in try directory.thumbnail(of: image.digest, size) }
    }

    /// Opens both thumbnails of an image, the small one first.
    ///
    /// Returns nil unless it has both.
    func thumbnails(of image: StoredImage) throws(FeedError) -> [(size: ThumbnailSize, file: ThumbnailFile)]? {
        var found: [(ThumbnailSize, ThumbnailFile)] = []
        for size in ThumbnailSize.allCases {
            guard let file = try thumbnail(of: image, size) else { return nil }
            found.append((size, file))
        }
        return found
    }

    private static func attempt<Outcome>(_ work: () throws(SystemError) -> Outcome) throws(FeedError) -> Outcome {
        do { return try work() } catch let error where error.code == EWOULDBLOCK {
            throw .storage(.locked, error.message)
        } catch {
            throw .storage(.failed, "thumbnails can't be kept: \(error.message)")
        }
    }

    private static func isTooLarge(_ image: StoredImage, _ files: any ImageFiles) throws(FeedError) -> Bool {
        do throws(FeedError) {
            var bytes = FileBytes(try files.open(image))
            return try ImageSize.read(image.type, &bytes).map { $0.width * $0.height > maxPixels } ?? false
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            return false
        }
    }

    private static func canHaveThumbnail(_ image: StoredImage) -> Bool {
        image.size > maxSizeWithout && types.contains(image.type)
    }
}

/// Makes thumbnails in batches, one batch per processor at a time.
final class ThumbnailMaker: Sendable {
    private struct State {
        var progress: Progress
        /// The error that ends the work, because it would affect the other images too.
        var failure: FeedError?
    }

    /// The number of images for one run of the program: enough to make up for the time that a program takes to start,
    /// and few enough that all processors are busy until the end.
    private static let batchSize = 24

    private let program: VipsThumbnail
    private let files: any ImageFiles
    private let directory: ThumbnailDirectory
    private let work: Descriptor
    private let progress: ProgressStream?
    private let state: Mutex<State>

    init(
        _ program: VipsThumbnail, of files: any ImageFiles, to directory: ThumbnailDirectory, in work: Descriptor,
        _ progress: ProgressStream?
    ) {
        self.program = program
        self.files = files
        self.directory = directory
        self.work = work
        self.progress = progress
        state = Mutex(State(progress: Progress()))
    }

    func make(_ images: [StoredImage]) async throws(FeedError) {
        state.withLock { $0.progress.total = images.count }
        let starts = Array(stride(from: 0, to: images.count, by: Self.batchSize))
        await withTaskCancellationHandler {
            DispatchQueue.concurrentPerform(iterations: starts.count) { batch in
                let rest = images[starts[batch]...]
                do throws(FeedError) { try makeBatch(Array(rest.prefix(Self.batchSize))) } catch { end(with: error) }
            }
        } onCancel: {
            end(with: .cancelled)
            program.endAll()
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func end(with error: FeedError) { state.withLock { $0.failure = $0.failure ?? error } }

    private func makeBatch(_ images: [StoredImage]) throws(FeedError) {
        var placed: [Digest] = []
        for image in images where state.withLock({ $0.failure == nil }) {
            do throws(FeedError) {
                try files.open(image).place(at: "\(work.path)/\(image.digest.hex)")
                placed.append(image.digest)
            } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
                // The gallery reads the same file later and reports the error.
                count(isMade: false)
            }
        }
        do throws(SystemError) { try make(placed) } catch {
            throw .storage(.failed, "making thumbnails failed: \(error.message)")
        }
    }

    /// Makes the thumbnails of some images.
    ///
    /// If the program fails, it runs again for each image separately, so that only the image that causes the failure
    /// goes without.
    private func make(_ digests: [Digest]) throws(SystemError) {
        guard !digests.isEmpty, state.withLock({ $0.failure == nil }) else { return }
        let outcome = try program.run(on: digests.map(\.hex), in: work)
        guard state.withLock({ $0.failure == nil }) else { return }
        if outcome == .unusable { return end(with: program.unusable) }
        let areWhole = outcome == .ended(hasComplaints: false)
        if !areWhole, digests.count > 1 {
            for digest in digests { try make([digest]) }
            return
        }
        for digest in digests {
            let isMade = areWhole ? try directory.adopt(digest, from: work) : false
            if !isMade {
                try ThumbnailDirectory.requireRoom(in: work)
                try directory.giveUp(on: digest)
            }
            unlinkat(work.number, digest.hex, 0)
            count(isMade: isMade)
        }
    }

    private func count(isMade: Bool) {
        let now = state.withLock { state in
            state.progress.done += 1
            if !isMade { state.progress.failed += 1 }
            return state.progress
        }
        progress?.yield(now)
    }
}
