/// Which images a run asks for besides those that are not in the cache.
package struct ImageScope: Hashable, Sendable {
    /// Those in the cache, whether they have changed.
    package var revalidates: Bool
    /// Those whose last answer tends to stay, whatever time has passed.
    package var retriesFailed: Bool

    package init(revalidates: Bool = false, retriesFailed: Bool = false) {
        self.revalidates = revalidates
        self.retriesFailed = retriesFailed
    }
}
