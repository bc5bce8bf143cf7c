/// The output directory of a gallery or a tree.
///
/// It may hold the user's own files as well.
package struct OutputTarget: Hashable, Sendable {
    /// The path as the user gave it.
    package let path: String
    /// The path of the cache, which holds the list of the files that feedsync made in the directory.
    package let cache: String
    /// How long to wait for another run that writes there.
    package let lockWait: Duration

    package init(path: String, cache: String, lockWait: Duration = .zero) {
        self.path = path
        self.cache = cache
        self.lockWait = lockWait
    }
}

/// Writes feeds as a web site into an output directory.
package protocol GalleryWriter: Sendable {
    /// Brings the site up to date. The next call completes the work of a call that failed or was killed. Reports each
    /// thumbnail to `progress`.
    ///
    /// Throws `storage`: `cannotCreate` if the directory is unusable, or if foreign files have wanted names and
    /// `replacesForeign` is false; `locked` if another run still writes there after the target's `lockWait`.
    ///
    /// Throws `connectivity` if thumbnails are required and their program is missing: like a server, it is out of
    /// reach.
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: GalleryOptions,
        progress: ProgressStream?
    ) async throws(FeedError) -> GalleryReport
}

package struct GalleryOptions: Hashable, Sendable {
    package let thumbnails: ThumbnailChoice
    /// Whether foreign files with wanted names are replaced.
    package let replacesForeign: Bool

    package init(thumbnails: ThumbnailChoice = .auto, replacesForeign: Bool = false) {
        self.thumbnails = thumbnails
        self.replacesForeign = replacesForeign
    }
}

/// Whether a gallery has small versions of its large images.
package enum ThumbnailChoice: String, CaseIterable, Sendable {
    /// Thumbnails are made if their program is installed.
    case auto
    case never, always
}

/// A saved feed with the state of its images.
package struct GalleryFeed: Hashable, Sendable {
    package let head: FeedHead
    package let images: [GalleryImage]
    package let maxAge: MaxAge
    /// Whether the feed is fresh when the gallery is written.
    package let isFresh: Bool

    package init(_ head: FeedHead, images: [GalleryImage], maxAge: MaxAge, isFresh: Bool) {
        self.head = head
        self.images = images
        self.maxAge = maxAge
        self.isFresh = isFresh
    }

    package var url: ResourceURL { head.url }
}

/// An image of a saved feed with the state of its data.
package struct GalleryImage: Hashable, Sendable {
    package enum Data: Hashable, Sendable {
        case stored(StoredImage)
        /// The data is missing, for this reason if it is known.
        ///
        /// `lost` is what the cache had, if the file is gone from it.
        case missing(reason: String?, lost: StoredImage? = nil)
    }

    package let image: FeedImage
    package let data: Data

    package init(image: FeedImage, data: Data) {
        self.image = image
        self.data = data
    }

    package var stored: StoredImage? {
        if case .stored(let stored) = data { stored } else { nil }
    }

    /// The data that the cache has, or has lost.
    package var known: StoredImage? {
        switch data {
        case .stored(let stored): stored
        case .missing(_, let lost): lost
        }
    }
}

/// The result of writing a gallery.
package struct GalleryReport: Hashable, Sendable {
    package let feeds: Int
    /// The number of HTML files.
    package let pages: Int
    /// The number of distinct image files.
    package let images: Int
    /// The number of distinct images whose data is missing.
    package let missing: Int
    /// The number of images that have a thumbnail.
    package let thumbnails: Int
    /// Why the gallery is without thumbnails.
    package let thumbnailFailure: FeedError?
    /// The errors from reading files of the cache.
    package let unreadable: [FeedError]

    package init(
        feeds: Int, pages: Int, images: Int, missing: Int, thumbnails: Int = 0, thumbnailFailure: FeedError? = nil,
        unreadable: [FeedError] = []
    ) {
        self.feeds = feeds
        self.pages = pages
        self.images = images
        self.missing = missing
        self.thumbnails = thumbnails
        self.thumbnailFailure = thumbnailFailure
        self.unreadable = unreadable
    }
}

/// Lays images out as files with readable names in an output directory.
package protocol TreeWriter: Sendable {
    /// Brings the tree up to date. The next call completes the work of a call that failed or was killed.
    ///
    /// Throws `storage`: `cannotCreate` if the directory is unusable, `locked` if another run still writes there after
    /// the target's `lockWait`.
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: TreeOptions
    ) async throws(FeedError) -> TreeReport
}

package struct TreeOptions: Hashable, Sendable {
    package let template: TreeTemplate
    /// The number of newest images of each feed that the tree has; nil for all images.
    package let newest: Int?
    /// Whether each file gets a second one beside it with its metadata.
    package let writesSidecars: Bool
    /// Whether files that the user deleted are laid out again.
    package let laysOutDeleted: Bool
    /// Whether the run only reports what it would do.
    package let isDryRun: Bool

    package init(
        template: TreeTemplate, newest: Int? = nil, writesSidecars: Bool = false, laysOutDeleted: Bool = false,
        isDryRun: Bool = false
    ) {
        self.template = template
        self.newest = newest
        self.writesSidecars = writesSidecars
        self.laysOutDeleted = laysOutDeleted
        self.isDryRun = isDryRun
    }
}

/// A file of a tree that got another path, relative to the tree.
package struct TreeRename: Hashable, Sendable {
    package let from: String
    package let to: String

    package init(from: String, to: String) {
        self.from = from
        self.to = to
    }
}

/// The changes to a tree, or the planned changes of a dry run.
package struct TreeReport: Hashable, Sendable {
    package let feeds: Int
    /// The number of feedsync's own files in the tree.
    package var files = 0
    /// The paths of files that were made, relative to the tree.
    package var added: [String] = []
    package var renamed: [TreeRename] = []
    /// The paths of files that were deleted or replaced.
    package var removed: [String] = []
    /// The paths of files that feedsync made and that were changed since.
    ///
    /// They stay as they are.
    package var changedByOthers: [String] = []
    /// The number of images whose data is missing.
    package var missing = 0

    package init(feeds: Int) { self.feeds = feeds }
}

/// How the files of a tree are named: texts and fields in braces, with `/` between directories.
package struct TreeTemplate: Hashable, Sendable {
    package enum Field: String, CaseIterable, Sendable {
        case feed, date, year, month, title, author, id, n, digest, ext
    }

    package enum Piece: Hashable, Sendable {
        case text(String)
        case field(Field)
    }

    package static let standard = TreeTemplate(
        directories: [[.field(.feed)]], file: [.field(.date), .text(" "), .field(.title)])

    /// The pieces of each directory's name.
    package let directories: [[Piece]]
    /// The segments of the file name, without its extension.
    package let file: [Piece]

    private init(directories: [[Piece]], file: [Piece]) {
        self.directories = directories
        self.file = file
    }

    /// Returns nil for a template that names no file below the directory.
    package init?(_ text: String) {
        var names: [[Piece]] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard !part.isEmpty, part != ".", part != "..", let pieces = Self.pieces(part) else { return nil }
            names.append(pieces)
        }
        guard var file = names.popLast() else { return nil }
        // Every file ends with its extension; one that says so says it once.
        if file.last == .field(.ext), case .text(let before)? = file.dropLast().last, before.hasSuffix(".") {
            file.removeLast(2)
            if before != "." { file.append(.text(String(before.dropLast()))) }
        }
        guard !file.isEmpty else { return nil }
        self.init(directories: names, file: file)
    }

    private static func pieces(_ text: Substring) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = text
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" && $0 != "}" }
            if !literal.isEmpty { pieces.append(.text(String(literal))) }
            rest = rest.dropFirst(literal.count)
            guard rest.first == "{" else { return rest.isEmpty ? pieces : nil }
            guard let end = rest.firstIndex(of: "}"), let field = Field(rawValue: String(rest[..<end].dropFirst()))
            else {
                return nil
            }
            pieces.append(.field(field))
            rest = rest[rest.index(after: end)...]
        }
        return pieces
    }
}
