/// Writes feeds as a folder of web pages.
package protocol GalleryWriter: Sendable {
    /// All of it appears there at once, in place of the gallery that was there; when this throws, that stays. It also
    /// throws where the old one can't be deleted afterwards.
    ///
    /// Throws `storage`: `cannotCreate` where there is no place for it, or where something is that is no gallery; `locked`
    /// where another run is still writing it after as long a wait as is wanted.
    ///
    /// Throws `connectivity` where the program for thumbnails can't be had that is asked for: what is needed is out of reach,
    /// as a server may be. `progress` is told of each thumbnail that is made.
    func write(
        _ feeds: [GalleryFeed], images: any ImageFiles, to place: GalleryPlace, progress: ProgressStream?
    ) async throws(FeedError) -> GalleryReport
}

/// Whether a gallery has small pictures of the large ones.
package enum ThumbnailChoice: String, CaseIterable, Sendable {
    /// Where they can be made.
    case auto
    case never, always
}

/// A saved feed, ready to be shown as pictures.
package struct GalleryFeed: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    package let savedAt: Timestamp
    package let pictures: [GalleryPicture]
    package let maxAge: MaxAge
    /// When the gallery is written.
    package let isFresh: Bool

    package init(
        url: ResourceURL, title: String?, savedAt: Timestamp, pictures: [GalleryPicture], maxAge: MaxAge, isFresh: Bool
    ) {
        self.url = url
        self.title = title
        self.savedAt = savedAt
        self.pictures = pictures
        self.maxAge = maxAge
        self.isFresh = isFresh
    }
}

package struct GalleryPicture: Hashable, Sendable {
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

/// Where a gallery goes.
package struct GalleryPlace: Hashable, Sendable {
    package let path: String
    /// The path of the cache, which takes for a leftover of its own, and deletes, what it doesn't know.
    package let cache: String
    /// How long to wait for another run that is writing the gallery.
    package let lockWait: Duration
    package let thumbnails: ThumbnailChoice

    package init(
        path: String, cache: String, lockWait: Duration = .zero, thumbnails: ThumbnailChoice = .auto
    ) {
        self.path = path
        self.cache = cache
        self.lockWait = lockWait
        self.thumbnails = thumbnails
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
