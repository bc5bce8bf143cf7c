internal import FeedCore

/// Which encoding a document is in, and where its text begins. A byte order mark goes before what the server said
/// (RFC 7303), that before what the document says of itself, and without all of these it is UTF-8. So it is where its
/// bytes tell, as text in another encoding all but never is valid UTF-8, and labels are often wrong.
struct XMLEncoding {
    enum Trust {
        /// Many a server names one encoding for all that it has: bytes that are none of it tell that it is wrong.
        case untilItFails
        case whole
    }

    /// What turns the document into UTF-8; nil where it is that.
    let decoder: String?
    let trust: Trust
    let start: Int
    /// What the document says, if that is no encoding that is read.
    let unreadable: String?

    private init(_ decoder: String?, trust: Trust = .whole, start: Int, unreadable: String? = nil) {
        self.decoder = decoder == EncodingLabel.utf8 ? nil : decoder
        self.trust = trust
        self.start = start
        self.unreadable = unreadable
    }

    /// In which to try to read the document, one after the other.
    static func candidates(for document: FeedSource) -> [XMLEncoding] {
        let bytes = document.bytes
        if let wide = wide(bytes) { return [wide] }
        let (start, isMarked) = LeadingBytes.end(in: bytes)
        if isMarked { return [XMLEncoding(nil, start: XMLDeclaration(in: bytes, from: start).start)] }
        let content = UTF8Content(of: bytes)
        let own = own(bytes, from: start, content)
        let labelled = labelled(own, by: charset(in: document.contentType))
        guard content == .beyondASCII, labelled.first?.decoder != nil, !labelled.contains(where: \.hidesInASCII) else {
            return labelled
        }
        return [XMLEncoding(nil, start: own.start)] + labelled.filter { $0.decoder != nil }
    }

    private var hidesInASCII: Bool { (decoder ?? unreadable).map(EncodingLabel.hidesInASCII) ?? false }

    /// As the server said, and as the document does.
    private static func labelled(_ own: XMLEncoding, by named: String?) -> [XMLEncoding] {
        guard let named else { return [own] }
        let server = XMLEncoding(named, trust: .untilItFails, start: own.start)
        // To read it as UTF-8 a second time would tell nothing new.
        if server.decoder == nil, own.decoder == nil, own.unreadable == nil { return [own] }
        // Where the document knows no better, the server is right, but for a byte or two.
        let trusted = server.decoder.map { [XMLEncoding($0, start: own.start)] } ?? []
        return [server, own] + trusted
    }

    /// UTF-16, with a byte order mark or, as an XML declaration allows, without.
    private static func wide(_ bytes: [UInt8]) -> XMLEncoding? {
        if let (end, isBig) = LeadingBytes.wideEnd(in: bytes) {
            return XMLEncoding(isBig ? "UTF-16BE" : "UTF-16LE", start: end)
        }
        if bytes.starts(with: [0, 0x3C]) { return XMLEncoding("UTF-16BE", start: 0) }
        return bytes.starts(with: [0x3C, 0]) ? XMLEncoding("UTF-16LE", start: 0) : nil
    }

    /// As the document says. One that says UTF-16 in single bytes was written as that, and converted on its way; a name
    /// that nobody knows says nothing against UTF-8.
    private static func own(_ bytes: [UInt8], from start: Int, _ content: UTF8Content) -> XMLEncoding {
        let declaration = XMLDeclaration(in: bytes, from: start)
        guard let label = declaration.encoding, !label.isEmpty, !EncodingLabel.isWide(label) else {
            return XMLEncoding(nil, start: declaration.start)
        }
        let decoder = EncodingLabel(label).decoder
        let isUnknown = decoder == nil && !EncodingLabel.hidesInASCII(label)
        if isUnknown, content != .none { return XMLEncoding(nil, start: declaration.start) }
        return XMLEncoding(decoder, start: declaration.start, unreadable: decoder == nil ? label : nil)
    }

    /// Of a media type such as `text/xml; charset="utf-8"`; nil for one that is not read.
    private static func charset(in contentType: String?) -> String? {
        for parameter in contentType?.split(separator: ";").dropFirst() ?? [] {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == "charset" else { continue }
            let label = String(parts[1].trimmed.filter { $0 != "\"" && $0 != "'" })
            if let decoder = EncodingLabel(label).decoder, TextDecoder.isKnown(decoder) { return decoder }
        }
        return nil
    }
}

/// What a document in XML says of its encoding.
struct XMLDeclaration {
    /// Nil if it says nothing.
    private(set) var encoding: String?
    /// Where to begin to read: behind a declaration that libxml2 would stumble over, as it names no version of XML before
    /// all else, or an encoding by what is no name.
    private(set) var start: Int

    init(in bytes: [UInt8], from start: Int) {
        self.start = start
        let rest = bytes[start...]
        // Instructions such as `xml-stylesheet` begin alike.
        guard rest.starts(with: "<?xml".utf8), rest.dropFirst(5).first.map(LeadingBytes.isWhitespace) == true,
            let end = rest.prefix(1024).firstIndex(of: UInt8(ascii: ">"))
        else { return }
        let text = String(decoding: rest[..<end], as: UTF8.self)
        if !Self.beginsWithVersion(text.dropFirst(5)) { self.start = end + 1 }
        guard let found = text.firstRange(of: "encoding") else { return }
        let value = text[found.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return }
        let given = value.dropFirst().prefix { $0 != quote }
        encoding = String(given.trimmed)
        if !Self.isName(given) { self.start = end + 1 }
    }

    private static func beginsWithVersion(_ attributes: Substring) -> Bool {
        let version = attributes.drop(while: \.isWhitespace)
        guard version.hasPrefix("version") else { return false }
        let value = version.dropFirst(7).drop { $0 == "=" || $0.isWhitespace }
        return value.dropFirst().hasPrefix("1.")
    }

    private static func isName(_ label: Substring) -> Bool {
        guard let first = label.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return label.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
