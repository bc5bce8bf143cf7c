package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// Bytes of the body, as they were counted against `maxBytes`.
    package var bodyBytes: Int64
    /// The answer came from an address of a network of one's own, as far as can be known where a proxy stands between.
    package var isFromPrivateAddress = false
    /// Where a 3xx points, as an absolute URL, unchecked.
    package let redirectTarget: String?
    /// What answered after redirects; nil where there were none.
    package private(set) var redirectedURL: ResourceURL?
    /// The target of the leading 301 and 308 redirects; nil where the first redirect is of another kind.
    package private(set) var movedTo: ResourceURL?
    /// The request set out with secrets, and came there without any.
    package private(set) var hasLeftSecrets = false
    /// The proxy whose own answer this is: it wants to know who asks. Without a user name or password of it.
    package var askingProxy: String?

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.redirectTarget = redirectTarget
        self.bodyBytes = bodyBytes
    }

    mutating func wasRedirected(to url: ResourceURL, movedTo newURL: ResourceURL?, leavingSecrets: Bool) {
        redirectedURL = url
        movedTo = newURL
        hasLeftSecrets = leavingSecrets
    }
}
