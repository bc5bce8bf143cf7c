/// What precedes a body: all that the domain asks of an answer's headers.
///
/// It is handed on many times, and few look into it: its texts lie in one place, so that a copy costs no more than one of
/// them would.
package struct HTTPHead: Hashable, Sendable {
    private enum Header: Int, CaseIterable {
        case etag, lastModified, contentType, contentRange, retryAfter, link
    }

    private static let noTexts = [String?](repeating: nil, count: Header.allCases.count)

    package var status: Int
    /// The body is passed on as something else than what the server sent: its bytes can't be counted on the server.
    package var isContentEncoded = false
    /// By the numbers of the headers.
    private var texts = Self.noTexts

    package init(status: Int, validators: Validators = Validators(), contentType: String? = nil) {
        self.status = status
        self[.etag] = validators.etag
        self[.lastModified] = validators.lastModified
        self[.contentType] = contentType
    }

    package var validators: Validators { Validators(etag: self[.etag], lastModified: self[.lastModified]) }

    package var contentType: String? { self[.contentType] }

    /// As it stands in the answer.
    package var retryAfter: String? {
        get { self[.retryAfter] }
        set { self[.retryAfter] = newValue }
    }

    package var contentRange: String? {
        get { self[.contentRange] }
        set { self[.contentRange] = newValue }
    }

    /// All `Link` headers, as one list.
    package var link: String? {
        get { self[.link] }
        set { self[.link] = newValue }
    }

    private subscript(header: Header) -> String? {
        get { texts[header.rawValue] }
        set { if newValue != nil || texts[header.rawValue] != nil { texts[header.rawValue] = newValue } }
    }
}
