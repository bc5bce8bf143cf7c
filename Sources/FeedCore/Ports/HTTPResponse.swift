/// The response to a request, after its redirects. The body has gone to the sink.
package struct HTTPResponse: Hashable, Sendable {
    package var head: HTTPHead
    /// The size of the body, as it was counted against `maxBytes`.
    package var bodyBytes: Int64
    /// Whether the response came from an address of the user's own network, as far as that is known behind a proxy.
    package var isFromPrivateAddress = false
    /// What the requests that led to this response touched. `isFromPrivateAddress` concerns only the last request, and
    /// fewer addresses: it gives a feed the right to reference private addresses.
    package var circumstances = RequestCircumstances()
    /// The absolute URL that a 3xx names. It is unchecked.
    package let redirectTarget: String?
    /// The URL that responded after redirects; nil without redirects.
    package private(set) var redirectedURL: ResourceURL?
    /// The target of the leading 301 and 308 redirects; nil where the first redirect is of another kind.
    package private(set) var movedTo: ResourceURL?
    /// Whether the request started with secrets, and dropped them on its way.
    package private(set) var hasDroppedSecrets = false
    /// The proxy that sent this response itself because it asks for credentials. The name is without credentials.
    package var askingProxy: String?

    package init(head: HTTPHead, redirectTarget: String? = nil, bodyBytes: Int64 = 0) {
        self.head = head
        self.redirectTarget = redirectTarget
        self.bodyBytes = bodyBytes
    }

    mutating func setRedirect(to url: ResourceURL, movedTo newURL: ResourceURL?, droppingSecrets: Bool) {
        redirectedURL = url
        movedTo = newURL
        hasDroppedSecrets = droppingSecrets
    }
}

/// The status and the headers of a response.
///
/// A head is copied often and read rarely. All headers are therefore in one array, so that a copy costs as much as the
/// copy of one string.
package struct HTTPHead: Hashable, Sendable {
    package enum Header: Int, CaseIterable, Sendable {
        case contentLength, contentRange, contentType, etag, lastModified, link
    }

    private static let emptyHeaders = [String?](repeating: nil, count: Header.allCases.count)

    package var status: Int
    /// Whether the body is decoded on arrival, so that its bytes and offsets differ from the server's.
    package var isContentEncoded = false
    /// Whether the connection carries many requests at once.
    package var isMultiplexed = false
    /// The pause that the server asks for.
    package var retryAfter: Duration?
    /// The values of the headers, by the raw value of `Header`.
    private var headers = Self.emptyHeaders

    package init(status: Int) { self.status = status }

    /// The value of a header as the response has it. The length is kept only where a rest may be requested. Repeated
    /// headers are joined into one list.
    package subscript(header: Header) -> String? {
        get { headers[header.rawValue] }
        set { if newValue != nil || headers[header.rawValue] != nil { headers[header.rawValue] = newValue } }
    }

    /// The strong entity tag, which allows parts of two responses to be joined (RFC 9110, section 15.3.7.3).
    var strongTag: String? { self[.etag].flatMap { $0.isStrongTag ? $0 : nil } }

    package var validators: Validators { Validators(etag: self[.etag], lastModified: self[.lastModified]) }

    /// Whether the body consists of several ranges, each with its own headers.
    var isMultipart: Bool { self[.contentType]?.lowercased().utf8.starts(with: "multipart/".utf8) == true }
}

extension String {
    /// Whether the text is a strong entity tag. A weak tag begins with `W/`.
    package var isStrongTag: Bool { utf8.count >= 2 && utf8.first == Self.quote && utf8.last == Self.quote }

    private static let quote = UInt8(ascii: "\"")
}
