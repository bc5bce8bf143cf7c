package enum Version {
    package static let current = "0.1.0"
    /// Of the manual page.
    package static let date = "2026-11-20"
}
