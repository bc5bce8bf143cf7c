extension String {
    /// Whether it can stand in a header: a line break would begin one of its own, and no other control character than a
    /// tab is allowed.
    package var isHeaderText: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F { return false }
        }
        return true
    }
}
