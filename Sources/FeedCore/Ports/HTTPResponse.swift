package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// Bytes of the body, as they were counted against `maxBytes`.
    package var bodyBytes: Int64
    /// The answer came, without a proxy between, from an address that is not public.
    package var isFromPrivateAddress = false
    /// Most answers have none.
    private var redirects: Boxed<Redirects>?

    private struct Redirects: Hashable {
        var target: String?
        var url: ResourceURL?
        var arePermanent = false
        var haveLeftSecrets = false
    }

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.bodyBytes = bodyBytes
        if let redirectTarget { redirects = Boxed(Redirects(target: redirectTarget)) }
    }

    /// Where a 3xx points, as an absolute URL, unchecked.
    package var redirectTarget: String? { redirects?.value.target }

    /// What answered after redirects; nil where there were none.
    package var redirectedURL: ResourceURL? { redirects?.value.url }

    /// Each of these redirects was for good.
    package var isMovedPermanently: Bool { redirects?.value.arePermanent ?? false }

    /// The request set out with secrets, and came there without any.
    package var hasLeftSecrets: Bool { redirects?.value.haveLeftSecrets ?? false }

    package mutating func wasRedirected(to url: ResourceURL, permanently: Bool, leavingSecrets: Bool) {
        redirects = Boxed(
            Redirects(
                target: redirectTarget, url: url, arePermanent: permanently, haveLeftSecrets: leavingSecrets))
    }
}
