/// A directory that the user gives a gallery or a tree, and that may hold other files too.
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
