import FeedCore

/// A FEED (or the URL of an image) as given on the command line: a URL, or the path of a file.
enum FeedOperand {
    /// A feed's, in the spelling that the cache knows it by.
    static func feed(
        _ operand: String, currentDirectory: String, isFile: (String) -> Bool
    ) throws(UsageError) -> ResourceURL {
        let web = ResourceURL.withoutFeedScheme(operand)
        guard scheme(of: web) != nil || web == operand else { throw unknownScheme("feed", operand) }
        return try url(web, currentDirectory: currentDirectory, isFile: isFile).asFeed
    }

    /// Relative paths begin in the current directory. A file that is there is meant, however it is called.
    static func url(
        _ operand: String, currentDirectory: String, isFile: (String) -> Bool
    ) throws(UsageError) -> ResourceURL {
        guard !operand.isEmpty else { throw UsageError("an operand is empty") }
        guard let scheme = scheme(of: operand) else {
            guard !isMistyped(operand) || isFile(operand) else {
                throw UsageError(
                    "'\(shown(operand))' is no usable URL: it does not begin with http:, https: or file:",
                    hint: "a file can be given as ./NAME")
            }
            return ResourceURL(filePath: FilePath.normalised(FilePath.absolute(operand, in: currentDirectory)))
        }
        guard URLScheme(rawValue: scheme.lowercased()) != nil else { throw unknownScheme(scheme, operand) }
        do {
            let url = try ResourceURL(operand)
            // One file is one feed, however its path is written.
            return url.filePath.map { ResourceURL(filePath: FilePath.normalised($0)) } ?? url
        } catch {
            throw UsageError("'\(shown(operand))' is no usable URL: \(error.reason)")
        }
    }

    private static func unknownScheme(_ scheme: Substring, _ operand: String) -> UsageError {
        let rest = operand.dropFirst(scheme.count + 1)
        let hint =
            if rest.first?.isNumber == true {
                "did you mean http://\(shown(operand))?"
            } else if rest.hasPrefix("//") {
                "a feed is at an http:, https: or file: URL"
            } else {
                "if it is a file, give it as ./NAME"
            }
        return UsageError("'\(shown(operand))' has a scheme that is not supported: \(scheme)", hint: hint)
    }

    /// By RFC 3986; nil for a path.
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

    /// Whether it names a server or a file by a URL, perhaps with a quote before it: no path is meant by it.
    static func isURL(_ text: String) -> Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), text[slash...].utf8.starts(with: "//".utf8)
        else { return false }
        let beginning = text[..<slash].lowercased()
        return ["http:", "https:", "file:"].contains { beginning.hasSuffix($0) }
    }

    private static func isPath(_ operand: String) -> Bool { operand.hasPrefix("/") || operand.hasPrefix(".") }

    /// Taken for a path, a URL with a quote before it or without its scheme would be told with its password.
    private static func isMistyped(_ operand: String) -> Bool {
        guard !isPath(operand) else { return false }
        return operand.contains("://") || operand.lastIndex(of: "@").map { operand[..<$0].contains(":") } == true
    }

    /// An operand as a message may show it: no control character and no password. In a URL that may be malformed,
    /// all that stands before the last @ may be one, and what stands in the place of a port.
    static func shown(_ operand: String) -> String { TerminalText.escape(withoutPassword(operand)) }

    private static func withoutPassword(_ operand: String) -> String {
        guard !isPath(operand) else { return operand }
        let place = operand.firstRange(of: "://")?.upperBound
        if let at = operand.lastIndex(of: "@") {
            return "\(place.map { operand[..<min($0, at)] } ?? "")***\(operand[at...])"
        }
        guard let authority = place.map({ operand[$0...].prefix { !"/?#".contains($0) } }),
            let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]"),
            !authority[colon...].dropFirst().allSatisfy(\.isNumber)
        else { return operand }
        return "\(operand[...colon])***"
    }

    /// Whether it is a path that begins as a server's name does, as `example.com/feed.json`: curl and browsers would ask
    /// that server.
    static func mayLackScheme(_ operand: String) -> Bool {
        let beginning = operand.prefix { $0 != "/" }
        let isHost = beginning.contains(".") && !beginning.hasPrefix(".") || beginning.lowercased() == "localhost"
        return scheme(of: operand) == nil
            && (isHost && beginning.endIndex < operand.endIndex || beginning.lowercased().hasPrefix("www."))
    }
}
