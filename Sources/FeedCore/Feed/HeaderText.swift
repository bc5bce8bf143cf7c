extension String {
    /// Whether the text can be the value of a header. A line break would begin another header, and the only control
    /// character that a header may contain is the tab.
    package var isHeaderText: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F { return false }
        }
        return true
    }
}
