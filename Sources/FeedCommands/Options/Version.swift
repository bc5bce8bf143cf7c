enum Version {
    static let current = "0.1.0"
    /// The manual page's date.
    static let date = "2026-11-20"
}
