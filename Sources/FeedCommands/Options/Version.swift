enum Version {
    static let current = "0.1.0"
    /// Of the manual page.
    static let date = "2026-11-20"
}
