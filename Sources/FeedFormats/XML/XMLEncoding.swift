internal import CXML
internal import FeedCore

/// Which encoding a document is in, and where its text begins. A byte order mark goes before what the server said
/// (RFC 7303), and that before what the document says of itself, which is libxml2's to find out.
struct XMLEncoding {
    /// Nil: as the document says.
    let name: String?
    let isOfServer: Bool
    let start: Int
    let mayHoldNULs: Bool
    /// What the document says, if that is no encoding that is read.
    let unreadable: String?

    init(of document: FeedSource) {
        let bytes = document.bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.init(bytes, name: "UTF-8", isOfServer: false, start: Self.markup(in: bytes, from: 3))
        } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            self.init(bytes, name: nil, isOfServer: false, start: 0)
        } else {
            let name = Self.charset(in: document.contentType)
            self.init(bytes, name: name, isOfServer: name != nil, start: Self.markup(in: bytes, from: 0))
        }
    }

    func withoutServer(_ document: FeedSource) -> XMLEncoding {
        XMLEncoding(document.bytes, name: nil, isOfServer: false, start: start)
    }

    private init(_ bytes: [UInt8], name: String?, isOfServer: Bool, start: Int) {
        self.name = name
        self.isOfServer = isOfServer
        self.start = start
        mayHoldNULs =
            bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes.prefix(2).contains(0)
            || name?.uppercased().hasPrefix("UTF-16") == true
        let declared = name == nil ? Self.declared(in: bytes[start...]) : nil
        unreadable = declared.flatMap { Self.isReadable($0) ? nil : $0 }
    }

    /// In an XML declaration, as far as it can be read as ASCII.
    private static func declared(in bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.starts(with: "<?xml".utf8) else { return nil }
        let text = String(decoding: bytes.prefix(512).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let found = text.firstRange(of: "encoding") else { return nil }
        let value = text[found.upperBound...].drop { $0 == " " || $0 == "=" || $0 == "\t" || $0.isNewline }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }

    /// Those in which markup is ASCII, besides UTF-16. In UTF-7 or EBCDIC, what is markup is hidden from whoever looks at
    /// the bytes; browsers take neither.
    private static func isReadable(_ name: String) -> Bool {
        let upper = name.uppercased()
        return [
            "UTF-8", "UTF8", "UTF-16", "UTF16", "US-ASCII", "ASCII", "ISO-8859", "ISO8859", "ISO_8859", "LATIN",
            "WINDOWS-", "CP125", "CP866", "CP1251", "KOI8", "SHIFT", "SJIS", "MS932", "CP932", "EUC", "GB", "BIG5",
            "TIS-620", "MACINTOSH", "MAC-", "ISO-2022-JP", "X-SJIS", "KS_C", "UHC",
        ].contains { upper.hasPrefix($0) }
    }

    /// Blank lines before an XML declaration, as scripts leave them, are forbidden, and frequent.
    private static func markup(in bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } ?? bytes.count
    }

    /// Of a media type such as `text/xml; charset="utf-8"`; nil for one that nobody knows.
    private static func charset(in contentType: String?) -> String? {
        for parameter in contentType?.split(separator: ";").dropFirst() ?? [] {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == "charset" else { continue }
            let name = String(parts[1].trimmed.filter { $0 != "\"" && $0 != "'" })
            // No other character is in a name that libxml2 would look for.
            guard name.utf8.allSatisfy(isNameCharacter), isReadable(name),
                let handler = xmlFindCharEncodingHandler(name)
            else {
                continue
            }
            xmlCharEncCloseFunc(handler)
            return name
        }
        return nil
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
