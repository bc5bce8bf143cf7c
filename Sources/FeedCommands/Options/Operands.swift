import FeedCore

/// Parses a FEED or the URL of an image on the command line: a URL, or the path of a file.
enum FeedOperand {
    /// Returns the URL of a feed in the form that identifies it in the cache.
    static func feed(
        _ operand: String, currentDirectory: String, isFile: (String) -> Bool
    ) throws(UsageError) -> ResourceURL {
        let web = ResourceURL.withoutFeedScheme(operand)
        guard scheme(of: web) != nil || web == operand else { throw unknownScheme("feed", operand) }
        return try url(web, currentDirectory: currentDirectory, isFile: isFile).asFeed
    }

    /// Returns the URL of an operand.
    ///
    /// A relative path starts in the current directory. The name of an existing file always means that file.
    static func url(
        _ operand: String, currentDirectory: String, isFile: (String) -> Bool
    ) throws(UsageError) -> ResourceURL {
        guard !operand.isEmpty else { throw UsageError("an operand is empty") }
        guard let scheme = scheme(of: operand) else {
            guard !isMistyped(operand) || isFile(operand) else {
                throw UsageError(
                    "'\(shown(operand))' is not a valid URL: it does not begin with http:, https: or file:",
                    hint: "write ./NAME for a file")
            }
            return ResourceURL(filePath: FilePath.normalised(FilePath.absolute(operand, in: currentDirectory)))
        }
        guard URLScheme(rawValue: scheme.lowercased()) != nil else { throw unknownScheme(scheme, operand) }
        do {
            let url = try ResourceURL(operand)
            // Different spellings of a path are one file.
            return url.filePath.map { ResourceURL(filePath: FilePath.normalised($0)) } ?? url
        } catch {
            throw UsageError("'\(shown(operand))' is not a valid URL: \(clause(error.reason))")
        }
    }

    /// Returns a reason such as "has no host" with its subject: "it has no host".
    private static func clause(_ reason: String) -> String {
        ["has ", "contains ", "names "].contains(where: reason.hasPrefix) ? "it \(reason)" : reason
    }

    private static func unknownScheme(_ scheme: Substring, _ operand: String) -> UsageError {
        let rest = operand.dropFirst(scheme.count + 1)
        let hint =
            if rest.first?.isNumber == true {
                "did you mean http://\(shown(operand))?"
            } else if rest.hasPrefix("//") {
                "a FEED is an http:, https: or file: URL"
            } else {
                "if it is a file, write ./NAME"
            }
        return UsageError("'\(shown(operand))' has an unsupported scheme: \(scheme)", hint: hint)
    }

    /// Returns the scheme by RFC 3986; nil for a path.
    private static func scheme(of operand: String) -> Substring? {
        guard let colon = operand.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = operand[..<colon]
        guard let first = scheme.first, first.isASCII, first.isLetter,
            scheme.utf8.allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return scheme
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber)
    }

    /// Returns whether the text is a URL and not a path, perhaps with a quote before it.
    static func isURL(_ text: String) -> Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), text[slash...].utf8.starts(with: "//".utf8)
        else { return false }
        let beginning = text[..<slash].lowercased()
        return ["http:", "https:", "file:"].contains { beginning.hasSuffix($0) }
    }

    private static func isPath(_ operand: String) -> Bool { operand.hasPrefix("/") || operand.hasPrefix(".") }

    /// Returns whether the operand is most likely a mistyped URL, with a quote before it or without its scheme.
    ///
    /// As a path, it would be printed with its password.
    private static func isMistyped(_ operand: String) -> Bool {
        guard !isPath(operand) else { return false }
        return operand.contains("://") || operand.lastIndex(of: "@").map { operand[..<$0].contains(":") } == true
    }

    /// Returns an operand for a message, without control characters and passwords.
    ///
    /// A malformed URL may have a password anywhere before the last @, and in the port.
    static func shown(_ operand: String) -> String { TerminalText.escape(withoutPassword(operand)) }

    private static func withoutPassword(_ operand: String) -> String {
        guard !isPath(operand) else { return operand }
        let start = operand.firstRange(of: "://")?.upperBound
        if let at = operand.lastIndex(of: "@") {
            return "\(start.map { operand[..<min($0, at)] } ?? "")***\(operand[at...])"
        }
        guard let authority = start.map({ operand[$0...].prefix { !"/?#".contains($0) } }),
            let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]"),
            !authority[colon...].dropFirst().allSatisfy(\.isNumber)
        else { return operand }
        return "\(operand[...colon])***"
    }

    /// Returns whether the path begins like the name of a server, such as `example.com/feed.json`.
    ///
    /// curl and browsers would contact that server.
    static func mayLackScheme(_ operand: String) -> Bool {
        let beginning = operand.prefix { $0 != "/" }
        let isHost = beginning.contains(".") && !beginning.hasPrefix(".") || beginning.lowercased() == "localhost"
        return scheme(of: operand) == nil
            && (isHost && beginning.endIndex < operand.endIndex || beginning.lowercased().hasPrefix("www."))
    }
}

/// A FEED or an IMAGE of `remove`.
///
/// The cache knows which of them the operand is.
struct RemovalOperand {
    /// The operand as a feed, whose URL has one spelling.
    let feed: ResourceURL
    /// The operand as an image, whose URL has the spelling of its feed.
    let image: ResourceURL
}

/// Collects feeds in order, each once.
///
/// If a feed is named twice, the credentials of either are kept.
struct DistinctFeeds {
    private(set) var urls: [ResourceURL] = []
    private var indices: [ResourceURL.Key: Int] = [:]

    /// Adds a feed, and returns its index.
    mutating func add(_ url: ResourceURL) -> Int {
        let index = indices.number(of: url.key)
        if index == urls.count {
            urls.append(url)
        } else if urls[index].credentials == nil {
            urls[index] = url
        }
        return index
    }
}

/// Checks the FILE of `export` and `import`.
enum ArchiveFile {
    /// Returns the path; nil for standard input or output.
    static func path(_ operand: String) -> String? { operand == "-" ? nil : operand }

    private static let compressed = [".tar.gz", ".tgz", ".tar.zst"]

    private static let notWritten = [
        ".7z", ".br", ".bz2", ".cb7", ".cbr", ".cbt", ".cbz", ".epub", ".gz", ".json", ".lz", ".lz4", ".lzma", ".lzo",
        ".opml", ".pdf", ".rar", ".taz", ".tbz", ".tbz2", ".tlz", ".txz", ".tzst", ".xml", ".xz", ".z", ".zip", ".zst",
    ]

    /// Whether the name has the suffix of an archive that export writes.
    static func hasSuffix(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".tar") || compressed.contains(where: name.hasSuffix)
    }

    /// Refuses a suffix of a format that export does not write.
    static func checkSuffix(_ operand: String) throws(UsageError) {
        let name = operand.lowercased()
        guard !hasSuffix(name), let suffix = notWritten.first(where: name.hasSuffix) else { return }
        throw UsageError(
            "'\(FeedOperand.shown(operand))': export does not write \(suffix) files",
            hint: "use .tar, .tar.gz, .tgz or .tar.zst")
    }
}
