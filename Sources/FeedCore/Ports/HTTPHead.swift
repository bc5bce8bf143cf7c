/// What precedes a body: all that the domain asks of an answer's headers.
///
/// It is handed on many times, and few look into it: its texts lie in one place, so that a copy costs no more than one of
/// them would.
package struct HTTPHead: Hashable, Sendable {
    package enum Header: Int, CaseIterable, Sendable {
        case contentLength, contentRange, contentType, etag, lastModified, link
    }

    private static let noTexts = [String?](repeating: nil, count: Header.allCases.count)

    package var status: Int
    /// The body is passed on decoded: its bytes are not those that the server has, nor at the same places.
    package var isContentEncoded = false
    /// The connection takes many requests at once.
    package var isMultiplexed = false
    /// How long the server asks to be left alone.
    package var retryAfter: Duration?
    /// By the numbers of the headers.
    private var texts = Self.noTexts

    package init(status: Int) { self.status = status }

    /// As it stands in the answer, the length where a rest may be asked for; of a header that may come several times, all
    /// as one list.
    package subscript(header: Header) -> String? {
        get { texts[header.rawValue] }
        set { if newValue != nil || texts[header.rawValue] != nil { texts[header.rawValue] = newValue } }
    }

    /// With it, a part of one answer may be joined to a part of another (RFC 9110, section 15.3.7.3).
    var strongTag: String? { self[.etag].flatMap { $0.isStrongTag ? $0 : nil } }

    package var validators: Validators { Validators(etag: self[.etag], lastModified: self[.lastModified]) }

    /// The body has several parts, each with headers of its own, as of several ranges.
    var isMultipart: Bool { self[.contentType]?.lowercased().utf8.starts(with: "multipart/".utf8) == true }
}

extension String {
    /// Whether it is a strong entity tag; a weak one begins with W/.
    package var isStrongTag: Bool { utf8.count >= 2 && utf8.first == Self.quote && utf8.last == Self.quote }

    private static let quote = UInt8(ascii: "\"")
}
