extension String {
    /// Whether it can stand in a header: a line break would begin one of its own, and no other control character than a
    /// tab is allowed.
    package var isHeaderText: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }
}
