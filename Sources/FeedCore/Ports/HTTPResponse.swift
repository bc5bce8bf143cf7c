package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// Bytes of the body, as they were counted against `maxBytes`.
    package var bodyBytes: Int64
    /// The answer came from an address of a network of one's own, as far as can be known where a proxy stands between.
    package var isFromPrivateAddress = false
    /// Most answers have none.
    private var journey: Boxed<Journey>?

    /// What the request met on its way.
    private struct Journey: Hashable {
        var target: String?
        var url: ResourceURL?
        var isPermanent = false
        var hasLeftSecrets = false
        var askingProxy: String?
    }

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.bodyBytes = bodyBytes
        if let redirectTarget { journey = Boxed(Journey(target: redirectTarget)) }
    }

    private mutating func change(_ work: (inout Journey) -> Void) {
        var journey = journey?.value ?? Journey()
        work(&journey)
        self.journey = Boxed(journey)
    }

    /// Where a 3xx points, as an absolute URL, unchecked.
    package var redirectTarget: String? { journey?.value.target }

    /// What answered after redirects; nil where there were none.
    package var redirectedURL: ResourceURL? { journey?.value.url }

    /// Each of these redirects was for good.
    package var isMovedPermanently: Bool { journey?.value.isPermanent ?? false }

    /// The request set out with secrets, and came there without any.
    package var hasLeftSecrets: Bool { journey?.value.hasLeftSecrets ?? false }

    package mutating func wasRedirected(to url: ResourceURL, permanently: Bool, leavingSecrets: Bool) {
        change { journey in
            journey.url = url
            journey.isPermanent = permanently
            journey.hasLeftSecrets = leavingSecrets
        }
    }

    /// The proxy whose own answer this is: it wants to know who asks. Without a user name or password of it.
    package var askingProxy: String? { journey?.value.askingProxy }

    package mutating func wasAnswered(byProxy proxy: String) { change { $0.askingProxy = proxy } }
}
