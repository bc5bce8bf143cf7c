/// The version of feedsync, which is defined only here.
enum Version {
    static let current = "0.2.0"
    /// The date on the man page.
    static let date = "2026-11-26"
}
