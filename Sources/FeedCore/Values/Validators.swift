/// The headers by which a server recognises its response.
///
/// A server that receives them again can answer "not modified".
package struct Validators: Hashable, Sendable {
    /// The longest validator that is kept.
    ///
    /// A cache may hold millions of them.
    private static let longest = 1024

    package let etag: String?
    package let lastModified: String?

    /// Drops a validator that is too long or contains a control character.
    package init(etag: String? = nil, lastModified: String? = nil) {
        func kept(_ text: String?) -> String? {
            text.flatMap { $0.utf8.count <= Self.longest && $0.isHeaderText ? $0 : nil }
        }
        self.etag = kept(etag)
        self.lastModified = kept(lastModified)
    }

    package var isEmpty: Bool { etag == nil && lastModified == nil }
}

extension Validators {
    /// Returns the validators after a 304, which renews those that it contains (RFC 9111, section 3.2).
    ///
    /// A 304 with another strong entity tag is about other data (section 4.3.4); with that tag, later requests would be
    /// answered as if the cache had the other data.
    func updated(by answer: Validators) -> Validators {
        if let tag = answer.etag, tag.isStrongTag, tag != etag { return self }
        return Validators(etag: answer.etag ?? etag, lastModified: answer.lastModified ?? lastModified)
    }
}

extension String {
    /// Whether the text can be the value of a header.
    ///
    /// A line break would begin another header, and the only control character that a header may contain is the tab.
    package var isHeaderText: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F { return false }
        }
        return true
    }

    /// Whether the text is a strong entity tag.
    ///
    /// A weak tag begins with `W/`.
    package var isStrongTag: Bool { utf8.count >= 2 && utf8.first == Self.quote && utf8.last == Self.quote }

    private static let quote = UInt8(ascii: "\"")
}
