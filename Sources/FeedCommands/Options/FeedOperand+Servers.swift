extension FeedOperand {
    /// Whether it is a path that begins as a server's name does, as `example.com/feed.json`: curl and browsers would ask
    /// that server.
    static func mayLackScheme(_ operand: String) -> Bool {
        let beginning = operand.prefix { $0 != "/" }
        guard OperandShape(operand).scheme == nil else { return false }
        let isAlone = beginning.utf8.count == operand.utf8.count
        if isAddress(beginning) || (!isAlone && beginning.lowercased() == "localhost") { return true }
        let labels = beginning.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, last.utf8.count > 1,
            last.utf8.allSatisfy(OperandShape.isLetter), labels.allSatisfy(isLabel)
        else { return false }
        return !isAlone || beginning.hasPrefix("www.") || !endingsOfFiles.contains(last.lowercased())
    }

    /// What the names of feeds, of lists of them, images and archives end with, which as a rule are no domains.
    private static let endingsOfFiles: Set = [
        "json", "jsonfeed", "xml", "rss", "rdf", "atom", "opml", "html", "htm", "txt", "csv", "conf", "cfg", "bak",
        "old", "tmp", "tar", "tgz", "gz", "xz", "zst", "zip", "jpg", "jpeg", "png", "gif", "webp", "avif", "heic",
        "bmp", "tif", "tiff", "ico", "jxl", "svg",
    ]

    private static func isLabel(_ label: Substring) -> Bool {
        func isAllowed(_ byte: UInt8) -> Bool {
            OperandShape.isLetter(byte) || OperandShape.isDigit(byte) || byte == UInt8(ascii: "-")
        }
        return !label.isEmpty && label.utf8.allSatisfy(isAllowed)
    }

    /// Of the one form or the other, with a port or without.
    private static func isAddress(_ beginning: Substring) -> Bool {
        if beginning.hasPrefix("[") { return beginning.contains("]") }
        let host = beginning.prefix { $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
            && beginning.utf8.dropFirst(host.utf8.count + 1).allSatisfy(OperandShape.isDigit)
    }
}
