/// The images that a run requests in addition to those without data.
package struct ImageScope: Hashable, Sendable {
    /// Whether images with data are requested again to see if they have changed.
    package var revalidates: Bool
    /// Whether images with a permanent failure are requested again at once.
    package var retriesFailed: Bool

    package init(revalidates: Bool = false, retriesFailed: Bool = false) {
        self.revalidates = revalidates
        self.retriesFailed = retriesFailed
    }
}
