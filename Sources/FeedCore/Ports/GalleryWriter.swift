/// Writes feeds as a web site into an output directory.
package protocol GalleryWriter: Sendable {
    /// Brings the site up to date. The next call completes what a failing or killed one began.
    ///
    /// Throws `storage`: `cannotCreate` if the directory can't be used, or if files that feedsync did not make are in the
    /// way and may not be replaced; `locked` if another run still writes there after the target's `lockWait`.
    ///
    /// Throws `connectivity` if the program for thumbnails is asked for and missing: what is needed is out of reach, as a
    /// server may be. `progress` is told about each thumbnail that is made.
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to target: OutputTarget, _ options: GalleryOptions,
        progress: ProgressStream?
    ) async throws(FeedError) -> GalleryReport
}

package struct GalleryOptions: Hashable, Sendable {
    package let thumbnails: ThumbnailChoice
    /// Whether files that feedsync did not make are replaced where they are in the way.
    package let replacesForeign: Bool

    package init(thumbnails: ThumbnailChoice = .auto, replacesForeign: Bool = false) {
        self.thumbnails = thumbnails
        self.replacesForeign = replacesForeign
    }
}

/// Whether a gallery has small versions of its large images.
package enum ThumbnailChoice: String, CaseIterable, Sendable {
    /// Where they can be made.
    case auto
    case never, always
}

/// A saved feed with what is known about its images.
package struct GalleryFeed: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    package let savedAt: Timestamp
    package let images: [GalleryImage]
    package let maxAge: MaxAge
    /// When the gallery is written.
    package let isFresh: Bool

    package init(
        url: ResourceURL, title: String?, savedAt: Timestamp, images: [GalleryImage], maxAge: MaxAge, isFresh: Bool
    ) {
        self.url = url
        self.title = title
        self.savedAt = savedAt
        self.images = images
        self.maxAge = maxAge
        self.isFresh = isFresh
    }
}

package struct GalleryImage: Hashable, Sendable {
    package enum Data: Hashable, Sendable {
        case stored(StoredImage)
        /// Why, where that is known.
        case missing(reason: String?)
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
}

/// What was written.
package struct GalleryReport: Hashable, Sendable {
    package let feeds: Int
    /// HTML files.
    package let pages: Int
    /// Files of images, each once.
    package let images: Int
    /// Distinct images of the feeds that can't be shown.
    package let missing: Int
    /// Those of the images that have one.
    package let thumbnails: Int
    /// Why none could be made, where the gallery goes without.
    package let thumbnailFailure: FeedError?
    /// Why files of the cache could not be read.
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
