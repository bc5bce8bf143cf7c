/// What may differ from feed to feed of a run.
package struct FeedPolicy: Sendable {
    package let refresh: FeedRefresh
    package let maxAge: MaxAge
    package let scope: ImageScope

    package init(refresh: FeedRefresh, maxAge: MaxAge, scope: ImageScope = ImageScope()) {
        self.refresh = refresh
        self.maxAge = maxAge
        self.scope = scope
    }
}
