/// What precedes a body: all that the domain asks of an answer's headers.
package struct HTTPHead: Hashable, Sendable {
    package enum Header: CaseIterable, Sendable {
        case contentEncoding, contentLength, contentRange, contentType, etag, lastModified, link, retryAfter
    }

    /// As they stand in the answer, the length where a rest may be asked for; of a header that may come several times, all
    /// as one list.
    package struct Texts: Hashable, Sendable {
        private var contentEncoding, contentLength, contentRange, contentType: String?
        private var etag, lastModified, link, retryAfter: String?

        package init() {}

        package subscript(header: Header) -> String? {
            get {
                switch header {
                case .contentEncoding: contentEncoding
                case .contentLength: contentLength
                case .contentRange: contentRange
                case .contentType: contentType
                case .etag: etag
                case .lastModified: lastModified
                case .link: link
                case .retryAfter: retryAfter
                }
            }
            set {
                switch header {
                case .contentEncoding: contentEncoding = newValue
                case .contentLength: contentLength = newValue
                case .contentRange: contentRange = newValue
                case .contentType: contentType = newValue
                case .etag: etag = newValue
                case .lastModified: lastModified = newValue
                case .link: link = newValue
                case .retryAfter: retryAfter = newValue
                }
            }
        }
    }

    package let status: Int
    private var texts: Boxed<Texts>

    private static let noTexts = Boxed(Texts())

    package init(status: Int, _ texts: Texts) {
        self.status = status
        self.texts = Boxed(texts)
    }

    package init(status: Int) {
        self.status = status
        texts = Self.noTexts
    }

    package subscript(header: Header) -> String? {
        get { texts.value[header] }
        set {
            var changed = texts.value
            changed[header] = newValue
            texts = Boxed(changed)
        }
    }

    /// With it, a part of one answer may be joined to a part of another (RFC 9110, section 15.3.7.3).
    var strongTag: String? { self[.etag].flatMap { $0.isStrongTag ? $0 : nil } }

    package var validators: Validators { Validators(etag: self[.etag], lastModified: self[.lastModified]) }

    /// The body is passed on as something else than what the server sent: its bytes can't be counted on the server.
    package var isContentEncoded: Bool { self[.contentEncoding] != nil }
}

extension String {
    /// Whether it is a strong entity tag; a weak one begins with W/.
    package var isStrongTag: Bool { utf8.count >= 2 && utf8.first == Self.quote && utf8.last == Self.quote }

    private static let quote = UInt8(ascii: "\"")
}
