internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Small images of those that are large, as the cache keeps them. Where it can keep none, as on a read-only medium, a
/// gallery has those that are there.
struct Thumbnails {
    /// A smaller file is as soon there as its thumbnail.
    private static let largestWithout: Int64 = 64 << 10
    /// Whoever made a image of more pixels in a file that we take made it to fill memory.
    private static let mostPixels = 256 << 20
    private static let types: Set<ImageType> = [.jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .jxl]

    /// Nil: a gallery without.
    private var directory: ThumbnailDirectory?
    private let cache: String
    private let program: VipsThumbnail?
    private let isOptional: Bool
    /// Why none could be made, where a gallery goes without.
    private(set) var failure: FeedError?

    /// Throws `connectivity` where the program isn't there that is asked for.
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
        directory = try Self.keeping { () throws(SystemError) in try ThumbnailDirectory(in: cache) }
    }

    /// Makes those that are missing.
    mutating func make(
        of feeds: [GalleryFeed], from files: any ImageFiles, _ progress: ProgressStream?
    ) async throws(FeedError) {
        guard let program else { return }
        var seen: Set<Digest> = []
        var missing: [StoredImage] = []
        for image in feeds.lazy.flatMap(\.images).compactMap(\.stored)
        where Self.mayHave(image) && seen.insert(image.digest).inserted
            && (directory?.state(of: image.digest) ?? .missing) == .missing
        {
            missing.append(image)
        }
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
            try Self.keeping { () throws(SystemError) in try directory.giveUp(on: image.digest) }
        }
        missing.removeAll { directory.state(of: $0.digest) != .missing }
        do throws(FeedError) {
            try await ThumbnailMaking(program, of: files, to: directory, in: work, progress).make(missing)
        } catch let error where error.kind == .connectivity && isOptional {
            failure = error
        }
    }

    /// Nil where nothing can be kept.
    private mutating func beginWork() throws(FeedError) -> (ThumbnailDirectory, Descriptor)? {
        let found = try Self.keeping { () throws(SystemError) in
            try ThumbnailDirectory(creatingIn: cache).flatMap { directory throws(SystemError) in
                try directory.beginWork().map { (directory, $0) }
            }
        }
        if let found { directory = found.0 }
        return found
    }

    /// Opens the thumbnail of an image. Returns nil if it has none.
    func thumbnail(of image: StoredImage) throws(FeedError) -> ThumbnailFile? {
        guard let directory, Self.mayHave(image) else { return nil }
        return try Self.keeping { () throws(SystemError) in try directory.thumbnail(of: image.digest) }
    }

    private static func keeping<Outcome>(_ work: () throws(SystemError) -> Outcome) throws(FeedError) -> Outcome {
        do { return try work() } catch let error where error.code == EWOULDBLOCK {
            throw .storage(.locked, error.message)
        } catch {
            throw .storage(.failed, "thumbnails can't be kept: \(error.message)")
        }
    }

    private static func isTooLarge(_ image: StoredImage, _ files: any ImageFiles) throws(FeedError) -> Bool {
        do throws(FeedError) {
            var bytes = FileBytes(try files.open(image))
            return try ImageSize.read(image.type, &bytes).map { $0.width * $0.height > mostPixels } ?? false
        } catch let error where [.notFound, .storage(.unreadable)].contains(error.kind) {
            return false
        }
    }

    private static func mayHave(_ image: StoredImage) -> Bool {
        image.size > largestWithout && types.contains(image.type)
    }
}
