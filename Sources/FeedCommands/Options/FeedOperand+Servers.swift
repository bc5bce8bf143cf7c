extension FeedOperand {
    /// Whether it is a path that begins as a server's name does, as `example.com/feed.json`: curl and browsers would ask
    /// that server.
    static func mayLackScheme(_ operand: String) -> Bool {
        let beginning = operand.prefix { $0 != "/" }
        guard OperandShape(operand).scheme == nil, beginning.utf8.count < operand.utf8.count || beginning.hasPrefix("www.")
        else {
            return false
        }
        if isAddress(beginning) { return true }
        let labels = beginning.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, last.utf8.count > 1 else { return false }
        return last.utf8.allSatisfy(OperandShape.isLetter)
            && labels.allSatisfy { label in
                !label.isEmpty && label.utf8.allSatisfy(isOfLabel)
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

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        OperandShape.isLetter(byte) || OperandShape.isDigit(byte) || byte == UInt8(ascii: "-")
    }
}
