/// Saved feeds, ready to be shown as pictures.
package struct Gallery: Hashable, Sendable {
    package let feeds: [GalleryFeed]
    package let writtenAt: Timestamp

    package init(feeds: [GalleryFeed], writtenAt: Timestamp) {
        self.feeds = feeds
        self.writtenAt = writtenAt
    }

    package func isFresh(_ feed: GalleryFeed) -> Bool {
        FeedCachePolicy.isFresh(savedAt: feed.savedAt, now: writtenAt, maxAge: feed.maxAge)
    }
}

package struct GalleryFeed: Hashable, Sendable {
    package let url: ResourceURL
    package let title: String?
    package let savedAt: Timestamp
    package let pictures: [GalleryPicture]
    package let maxAge: MaxAge

    package init(
        url: ResourceURL, title: String?, savedAt: Timestamp, pictures: [GalleryPicture], maxAge: MaxAge
    ) {
        self.url = url
        self.title = title
        self.savedAt = savedAt
        self.pictures = pictures
        self.maxAge = maxAge
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
    /// Why files of the cache could not be read.
    package let unreadable: [FeedError]

    package init(feeds: Int, pages: Int, images: Int, missing: Int, unreadable: [FeedError] = []) {
        self.feeds = feeds
        self.pages = pages
        self.images = images
        self.missing = missing
        self.unreadable = unreadable
    }
}
