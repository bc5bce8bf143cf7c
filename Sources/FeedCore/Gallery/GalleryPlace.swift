/// Where a gallery goes.
package struct GalleryPlace: Hashable, Sendable {
    package let path: String
    /// The path of the cache, which takes for a leftover of its own, and deletes, what it doesn't know.
    package let cache: String

    package init(path: String, cache: String) {
        self.path = path
        self.cache = cache
    }
}
