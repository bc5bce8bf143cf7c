import FeedCore

/// A FEED (or the URL of an image) as given on the command line: a URL, or the path of a file.
enum FeedOperand {
    /// Relative paths begin in the current directory; nil stands for one whose path is no text.
    static func url(_ operand: String, currentDirectory: String?) throws(UsageError) -> ResourceURL {
        guard !operand.isEmpty else { throw UsageError("an operand is empty") }
        guard let scheme = scheme(of: operand) else {
            try checkIsNoURL(operand)
            guard let start = currentDirectory ?? (FilePath.isAbsolute(operand) ? "/" : nil) else {
                throw UsageError(
                    "'\(shown(operand))': the path of the current folder is not UTF-8 text",
                    hint: "give one that begins with /", exitCode: .notFound)
            }
            return ResourceURL(filePath: normalise(FilePath.absolute(operand, in: start)))
        }
        guard ResourceURL.Scheme(rawValue: scheme.lowercased()) != nil else { throw unknownScheme(scheme, operand) }
        do {
            let url = try ResourceURL(operand)
            // One file is one feed, however its path is written.
            return url.filePath.map { ResourceURL(filePath: normalise($0)) } ?? url
        } catch {
            throw UsageError("'\(shown(operand))' is no usable URL: \(error.reason)")
        }
    }

    /// An operand as a message may show it: no control character and no password.
    static func shown(_ operand: String) -> String {
        guard let scheme = scheme(of: operand), let at = operand.lastIndex(of: "@") else {
            return TerminalText.escape(operand)
        }
        let rest = operand[operand.index(operand.startIndex, offsetBy: scheme.count + 1)...]
        // In a URL that may be malformed nothing before the last @ is known not to be a password.
        return TerminalText.escape("\(scheme):\(rest.hasPrefix("//") ? "//" : "")***\(operand[at...])")
    }

    /// Whether it is one that names a server or a file, in whatever capitals: no path is meant by it.
    static func isURL(_ operand: String) -> Bool {
        guard let scheme = scheme(of: operand) else { return false }
        return ResourceURL.Scheme(rawValue: scheme.lowercased()) != nil
            && operand.dropFirst(scheme.count + 1).hasPrefix("//")
    }

    /// Whether it is a path that begins as a server's name does, as `example.com/feed.json`: curl and browsers would ask
    /// that server.
    static func mayLackScheme(_ operand: String) -> Bool {
        let beginning = operand.prefix { $0 != "/" }
        guard scheme(of: operand) == nil, beginning.utf8.count < operand.utf8.count || beginning.hasPrefix("www.")
        else {
            return false
        }
        if isAddress(beginning) { return true }
        let labels = beginning.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, last.utf8.count > 1 else { return false }
        return last.utf8.allSatisfy(isLetter)
            && labels.allSatisfy { label in
                !label.isEmpty && label.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            }
    }

    /// Of the one form or the other, with a port or without.
    private static func isAddress(_ beginning: Substring) -> Bool {
        if beginning.hasPrefix("[") { return beginning.contains("]") }
        let host = beginning.prefix { $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
            && beginning.utf8.dropFirst(host.utf8.count + 1).allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Without its colon it would be a path, and shown with a password in it.
    private static func checkIsNoURL(_ operand: String) throws(UsageError) {
        let beginning = operand.prefix(7).lowercased()
        guard ["http//", "https//"].contains(where: beginning.hasPrefix), let at = operand.lastIndex(of: "@") else {
            return
        }
        let scheme = operand.prefix { $0 != "/" }
        throw UsageError(
            "no file is meant by '\(scheme)//***\(TerminalText.escape(String(operand[at...])))'",
            hint: "did you mean \(scheme)://…?")
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

    /// By RFC 3986; nil for a path. A `/` before any `:` makes it a path.
    private static func scheme(of operand: String) -> Substring? {
        guard let colon = operand.firstIndex(of: ":") else { return nil }
        let scheme = operand[..<colon]
        guard let first = scheme.utf8.first, isLetter(first),
            scheme.utf8.allSatisfy({ isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || "+-.".utf8.contains($0) })
        else { return nil }
        return scheme
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    /// By the text alone: `.`, `..` and doubled slashes go.
    private static func normalise(_ path: String) -> String {
        var names: [Substring] = []
        for name in FilePath.names(in: path) where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }
}
