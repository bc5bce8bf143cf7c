internal import CXML
internal import FeedCore

/// Which encoding a document is in, and where its text begins. A byte order mark goes before what the server said
/// (RFC 7303), and that before what the document says of itself, which is libxml2's to find out.
struct XMLEncoding {
    /// Nil: as the document says.
    let name: String?
    let isOfServer: Bool
    let start: Int

    init(of document: FeedDocument) {
        let bytes = document.bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            (name, isOfServer, start) = ("UTF-8", false, Self.markup(in: bytes, from: 3))
        } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            (name, isOfServer, start) = (nil, false, 0)
        } else {
            name = Self.charset(in: document.contentType)
            isOfServer = name != nil
            start = Self.markup(in: bytes, from: 0)
        }
    }

    private init(name: String?, isOfServer: Bool, start: Int) {
        self.name = name
        self.isOfServer = isOfServer
        self.start = start
    }

    var withoutServer: XMLEncoding { XMLEncoding(name: nil, isOfServer: false, start: start) }

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
            guard name.utf8.allSatisfy(isNameCharacter), let handler = xmlFindCharEncodingHandler(name) else {
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
