internal import FeedCore

/// The rows of the table of decoration, arranged by what they examine.
struct DecorationRules {
    private struct Prefix {
        /// The host, or a host with a star for any number of digits.
        let host: String
        let path: String
        let row: Decoration

        init(_ prefix: String, _ row: Decoration) {
            let slash = prefix.firstIndex(of: "/") ?? prefix.endIndex
            (host, path, self.row) = (String(prefix[..<slash]), String(prefix[slash...]), row)
        }

        /// The last two labels of the host.
        var site: String { Address.site(ofHost: host.utf8[...]) }
    }

    private static let shared = DecorationRules(of: Decoration.table)

    static var author: Decoration? { shared.author }

    private var side: Decoration?
    private var sides: (most: Int, row: Decoration)?
    private var author: Decoration?
    private var styles: [(String, Decoration)] = []
    private var classes: [String: Decoration] = [:]
    private var words: [(String, Decoration)] = []
    private var links: [String: [Prefix]] = [:]
    private var prefixes: [String: [Prefix]] = [:]
    private var directories: [(String, Decoration)] = []
    private var firstDirectories: [(String, Decoration)] = []
    private var files: [(String, Decoration)] = []
    private var queries: [(query: String, host: String, row: Decoration)] = []

    private init(of table: [Decoration]) {
        for row in table {
            switch row.mark {
            case .side: side = row
            case .sides(let most): sides = (most, row)
            case .author: author = row
            case .style(let style): styles.append((style, row))
            case .styleClass(let name): classes[name] = row
            case .words(let text): words.append((text, row))
            case .link(let prefix):
                let prefix = Prefix(prefix, row)
                links[prefix.site, default: []].append(prefix)
            case .urlPrefix(let prefix):
                let prefix = Prefix(prefix, row)
                prefixes[prefix.site, default: []].append(prefix)
            case .directory(let name): directories.append((name, row))
            case .firstDirectory(let name): firstDirectories.append(("/\(name)/", row))
            case .file(let name): files.append((name, row))
            case .query(let query, let host): queries.append((query, host, row))
            }
        }
    }
}

extension DecorationRules {
    /// The attributes of an `<img>` tag that the rules examine.
    struct Tag {
        var width: String?
        var height: String?
        var style: String?
        var classes: String?
        var alternative: String?
    }

    static func decoration(of tag: Tag) -> Decoration? {
        let style = tag.style.map(withoutSpaces)
        let width = tag.width.flatMap(pixels) ?? style.flatMap { pixels("width", in: $0) }
        let height = tag.height.flatMap(pixels) ?? style.flatMap { pixels("height", in: $0) }
        if let row = shared.side, isPoint(tag.width) || isPoint(tag.height) { return row }
        if let (most, row) = shared.sides, let width, let height, width <= most, height <= most { return row }
        if let style, let (_, row) = shared.styles.first(where: { style.contains($0.0) }) { return row }
        if let alternative = tag.alternative?.utf8,
            let (_, row) = shared.words.first(where: { begins(alternative, with: $0.0.utf8) })
        {
            return row
        }
        guard let classes = tag.classes else { return nil }
        return classes.split(whereSeparator: \.isWhitespace).lazy.compactMap { shared.classes[$0.lowercased()] }.first
    }

    /// Returns a style in lower case and without white space.
    private static func withoutSpaces(_ style: String) -> String {
        String(
            decoding: style.utf8.lazy.filter { $0 > 0x20 }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// Compares without case.
    ///
    /// `words` is in lower case and has only letters and spaces.
    private static func begins(_ text: String.UTF8View, with words: String.UTF8View) -> Bool {
        text.prefix(words.count).elementsEqual(words) { $0 | 0x20 == $1 }
    }

    private static func isPoint(_ side: String?) -> Bool { side.flatMap(pixels).map { $0 < 2 } == true }

    /// Returns the number of pixels that `32`, `32px` or `32.5` states; nil for a percentage and other units.
    private static func pixels(_ side: String) -> Int? {
        let digits = side.utf8.drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }
        guard (1...6).contains(digits.count), let number = Int(Substring(digits)) else { return nil }
        let rest = side.utf8[digits.endIndex...]
        return rest.isEmpty || rest.first == 0x20 || rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: "p")
            || rest.first == UInt8(ascii: ";") ? number : nil
    }

    /// Returns the value of a property of a style without white space.
    private static func pixels(_ property: String, in style: String) -> Int? {
        for declaration in style.utf8.split(separator: UInt8(ascii: ";")) {
            guard declaration.starts(with: property.utf8) else { continue }
            let value = declaration.dropFirst(property.utf8.count)
            if value.first == UInt8(ascii: ":") { return pixels(String(Substring(value.dropFirst()))) }
        }
        return nil
    }

    // MARK: URLs

    /// Returns the rule for a link around images, which may lack its scheme.
    static func decoration(ofLink link: String) -> Decoration? {
        guard let address = Address(link: link), let found = shared.links[address.site] else { return nil }
        return found.first { address.begins(with: $0.host, $0.path) }?.row
    }

    static func decoration(of url: ResourceURL) -> Decoration? {
        let address = Address(url.text.utf8.dropFirst(url.scheme.rawValue.utf8.count + 3))
        if let found = shared.prefixes[address.site],
            let prefix = found.first(where: { address.begins(with: $0.host, $0.path) })
        {
            return prefix.row
        }
        if address.rest.dropFirst().first == UInt8(ascii: "~"), !ImageKind.hasImageName(url.text) {
            let found = shared.firstDirectories.first { address.rest.starts(with: $0.0.utf8) }
            if let found { return found.1 }
        }
        if let row = shared.decoration(ofPath: address.path) { return row }
        let file = address.rest[(address.path.lastIndex(of: slash) ?? address.path.startIndex)...].dropFirst()
        if let (_, row) = shared.files.first(where: { file.starts(with: $0.0.utf8) }) { return row }
        let query = address.rest[address.path.endIndex...].dropFirst()
        guard query.starts(with: "g=".utf8) else { return nil }
        return shared.queries.first { query.starts(with: $0.query.utf8) && address.isAt($0.host) }?.row
    }

    private static let slash = UInt8(ascii: "/")

    /// Returns the rule for a directory of the path.
    private func decoration(ofPath path: Substring.UTF8View) -> Decoration? {
        var rest = path.dropFirst()
        while let end = rest.firstIndex(of: Self.slash) {
            let directory = rest[..<end]
            rest = rest[end...].dropFirst()
            guard let first = directory.first else { continue }
            for (name, row) in directories where name.utf8.first == first && directory.elementsEqual(name.utf8) {
                return row
            }
        }
        return nil
    }
}

/// The host and the rest of a URL.
private struct Address {
    let host: Substring.UTF8View
    /// The path with the query.
    let rest: Substring.UTF8View

    /// Splits a URL without its scheme.
    init(_ address: Substring.UTF8View) {
        host = address.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        rest = address[host.endIndex...]
    }

    /// Splits a link to another host; nil for any other link.
    init?(link: String) {
        let scheme = link.utf8.prefix { $0 != UInt8(ascii: "/") }
        guard scheme.count <= 6, link.utf8[scheme.endIndex...].starts(with: "//".utf8) else { return nil }
        self.init(link.utf8[scheme.endIndex...].dropFirst(2))
    }

    var path: Substring.UTF8View { rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") } }

    var site: String { Self.site(ofHost: host) }

    /// Returns the last two labels of a host.
    static func site(ofHost host: Substring.UTF8View) -> String {
        let dot = UInt8(ascii: ".")
        guard let last = host.lastIndex(of: dot), let before = host[..<last].lastIndex(of: dot) else {
            return String(Substring(host))
        }
        return String(Substring(host[host.index(after: before)...]))
    }

    func begins(with host: String, _ path: String) -> Bool { rest.starts(with: path.utf8) && isAt(host) }

    /// Returns whether the host is this one or a subdomain of it.
    ///
    /// A star represents any number of digits.
    func isAt(_ name: String) -> Bool {
        if let star = name.utf8.firstIndex(of: UInt8(ascii: "*")) {
            let digits = host.dropFirst(name.utf8[..<star].count).prefix { (0x30...0x39).contains($0) }
            return host.starts(with: name.utf8[..<star])
                && host[digits.endIndex...].elementsEqual(name.utf8[star...].dropFirst())
        }
        let below = host.dropLast(name.utf8.count)
        return host.suffix(name.utf8.count).elementsEqual(name.utf8)
            && (below.isEmpty || below.last == UInt8(ascii: "."))
    }
}
