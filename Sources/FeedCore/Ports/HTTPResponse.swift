/// What the requests behind a response or a failure touched: the requests of a whole chain of redirects, with all retries.
/// It decides who may see the data or the failure.
package struct RequestCircumstances: Hashable, Sendable {
    /// At least one request went to an address that not every feed may reference: to any address that is not public.
    /// Through a proxy, only a URL tells: its host is the literal of such an address, or a name of the local machine.
    package var touchedPrivateAddress = false
    /// At least one request carried `-H` lines or credentials, or could take credentials from a netrc file. A netrc file
    /// counts even if it has no entry for the host, because the caller has to know the circle before the request.
    package var usedSecrets = false
    /// At least one https request was made without verifying the server's certificate.
    package var isUnverified = false

    package init() {}

    package func adding(_ other: RequestCircumstances) -> RequestCircumstances {
        var sum = self
        sum.touchedPrivateAddress = touchedPrivateAddress || other.touchedPrivateAddress
        sum.usedSecrets = usedSecrets || other.usedSecrets
        sum.isUnverified = isUnverified || other.isUnverified
        return sum
    }
}

package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// Bytes of the body, as they were counted against `maxBytes`.
    package var bodyBytes: Int64
    /// The answer came from an address of a network of one's own, as far as can be known where a proxy stands between.
    package var isFromPrivateAddress = false
    /// What the requests that led to this response touched. `isFromPrivateAddress` is about the last of them alone, and
    /// about fewer addresses: it gives a feed the right to reference private addresses.
    package var circumstances = RequestCircumstances()
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
