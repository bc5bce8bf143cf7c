/// Where a gallery goes.
package struct GalleryPlace: Hashable, Sendable {
    package let path: String
    /// The path of the cache, which takes for a leftover of its own, and deletes, what it doesn't know.
    package let cache: String
    /// How long to wait for another run that is writing the gallery.
    package let lockWait: Duration

    package init(path: String, cache: String, lockWait: Duration = .zero) {
        self.path = path
        self.cache = cache
        self.lockWait = lockWait
    }
}
