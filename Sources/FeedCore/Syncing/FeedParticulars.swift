/// What holds for one feed of a run and not for the others.
package struct FeedParticulars: Sendable {
    package let refresh: FeedRefresh
    package let maxAge: MaxAge
    package let scope: ImageScope

    package init(refresh: FeedRefresh, maxAge: MaxAge, scope: ImageScope) {
        self.refresh = refresh
        self.maxAge = maxAge
        self.scope = scope
    }
}
