internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The thumbnails of a gallery's large images. They are stored in the cache. With a cache on a read-only medium, a
/// gallery has those that exist already.
struct Thumbnails {
    /// The maximum size of an image file without a thumbnail. Such a file loads as fast as its thumbnail would.
    private static let maxSizeWithout: Int64 = 64 << 10
    /// The maximum number of pixels. A file that feedsync accepts and that has more pixels is an attack on the memory.
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

    /// Creates and locks the cache's directory of thumbnails. Returns nil if writing to the cache is impossible.
    private mutating func beginWork() throws(FeedError) -> (ThumbnailDirectory, Descriptor)? {
        let found = try Self.attempt { () throws(SystemError) in
            try ThumbnailDirectory(creatingIn: cache).flatMap { directory throws(SystemError) in
                try directory.beginWork().map { (directory, $0) }
            }
        }
        if let found { directory = found.0 }
        return found
    }

    /// Opens the thumbnail of an image. Returns nil if it has none.
    func thumbnail(of image: StoredImage) throws(FeedError) -> ThumbnailFile? {
        guard let directory, Self.canHaveThumbnail(image) else { return nil }
        return try Self.attempt { () throws(SystemError) in try directory.thumbnail(of: image.digest) }
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
