/// A URL or a part of one, divided into its components (RFC 3986, appendix B).
///
/// The code works on UTF-8, because a `Character` joins a slash with a combining accent after it.
struct URLReference {
    private(set) var scheme: Substring?
    private(set) var authority: Substring?
    private(set) var path: Substring
    private(set) var query: Substring?
    private(set) var fragment: Substring?

    init(_ text: String) {
        var rest = text[...]
        (rest, fragment) = Self.cut(rest, at: UInt8(ascii: "#"))
        (rest, query) = Self.cut(rest, at: UInt8(ascii: "?"))
        let (first, afterColon) = Self.cut(rest, at: UInt8(ascii: ":"))
        if let afterColon, Self.isScheme(first.utf8) { (scheme, rest) = (first, afterColon) }
        if rest.utf8.starts(with: "//".utf8) {
            let afterSlashes = rest.utf8.dropFirst(2)
            let end = afterSlashes.firstIndex(of: UInt8(ascii: "/")) ?? afterSlashes.endIndex
            authority = rest[afterSlashes.startIndex..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// The URL that the reference means where `base` is at hand (RFC 3986, section 5.2).
    func resolved(against givenBase: @autoclosure () -> URLReference) -> String {
        // Most are whole: what they stand beside is then not looked at.
        if let scheme { return Self.compose(scheme, authority, Self.removingDotSegments(path), query, fragment) }
        let base = givenBase()
        if let authority {
            return Self.compose(base.scheme, authority, Self.removingDotSegments(path), query, fragment)
        }
        if path.isEmpty { return Self.compose(base.scheme, base.authority, base.path, query ?? base.query, fragment) }
        let merged = path.utf8.first == UInt8(ascii: "/") ? path : Self.merge(base, path)
        return Self.compose(base.scheme, base.authority, Self.removingDotSegments(merged), query, fragment)
    }

    /// RFC 3986, section 5.2.4.
    static func removingDotSegments(_ path: Substring) -> Substring {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash, mayHaveDotSegments(path.utf8) else { return path }
        var kept: [Substring] = []
        let segments = path.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isDots = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
            if !isDots {
                kept.append(Substring(segment))
                continue
            }
            if segment.count == 2 { _ = kept.popLast() }
            // A directory stays one: "/a/.." is "/", not "".
            if index == segments.count - 1 { kept.append("") }
        }
        return "/" + Substring(kept.joined(separator: "/"))
    }

    private static func mayHaveDotSegments(_ path: Substring.UTF8View) -> Bool {
        var isAfterSlash = false
        for byte in path {
            if isAfterSlash, byte == UInt8(ascii: ".") { return true }
            isAfterSlash = byte == UInt8(ascii: "/")
        }
        return false
    }

    private static func merge(_ base: URLReference, _ path: Substring) -> Substring {
        guard let lastSlash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" + path }
        return base.path[...lastSlash] + path
    }

    private static func compose(
        _ scheme: Substring?, _ authority: Substring?, _ path: Substring, _ query: Substring?, _ fragment: Substring?
    ) -> String {
        var text = scheme.map { "\($0):" } ?? ""
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    private static func cut(_ text: Substring, at byte: UInt8) -> (before: Substring, after: Substring?) {
        guard let index = text.utf8.firstIndex(of: byte) else { return (text, nil) }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return text.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
    }
}

/// The names of the query parameters by which a URL says in which size or format it gives an image.
package enum SizeParameters {
    /// The parameters whose value can be a length in pixels.
    package static let sides: Set<String> = [
        "w", "width", "maxwidth", "s", "size", "sz", "resize", "fit", "h", "height", "format",
    ]

    package static let all = sides.union([
        "q", "quality", "crop", "auto", "fm", "dpr", "ssl", "strip", "zoom",
    ])
}
