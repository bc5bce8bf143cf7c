/// The `Content-Range` header of a 206 (RFC 9110, section 14.4): which bytes of the whole are to come.
///
/// | header                          | answer                                             |
/// |---------------------------------|----------------------------------------------------|
/// | `bytes 100-199/200`             | those, both ends included                          |
/// | `bytes 100-199/*`               | nil: where the whole ends has to be known          |
/// | ends before it begins or beyond | nil: no part of a whole of that length             |
/// | the whole                       |                                                    |
/// | anything else                   | nil                                                |
struct ContentRange: Hashable, Sendable {
    let first: Int64
    /// Of the whole.
    let total: Int64

    init?(_ header: String) {
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = Self.number(parts[1]) else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return nil }
        guard first <= last, last < total else { return nil }
        (self.first, self.total) = (first, total)
    }

    /// Digits alone: `Int64.init` would take a sign too.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
