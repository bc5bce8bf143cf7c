/// Text made fit for a name anywhere: lower-case letters, digits, and single dashes between them.
package enum Slug {
    /// Empty if nothing of the text is fit.
    package static func make(_ text: String, limit: Int) -> String {
        var slug: [UInt8] = []
        for byte in text.utf8 {
            if slug.count >= limit { break }
            switch byte {
            case 0x30...0x39, 0x61...0x7A: slug.append(byte)
            case 0x41...0x5A: slug.append(byte | 0x20)
            default: if let last = slug.last, last != dash { slug.append(dash) }
            }
        }
        if slug.last == dash { slug.removeLast() }
        return String(decoding: slug, as: UTF8.self)
    }

    private static let dash = UInt8(ascii: "-")
}

/// Gives each name once.
///
/// A name that is taken gets a number after it.
package struct DistinctNames: Sendable {
    private var taken: Set<String>
    /// The first number after each name that can be free.
    ///
    /// Counting from 2 for every name would take quadratic time.
    private var numbers: [String: Int] = [:]

    package init(taken: Set<String> = []) { self.taken = taken }

    package mutating func name(like wanted: String) -> String {
        var name = wanted
        while !taken.insert(name).inserted {
            let number = numbers[wanted, default: 2]
            numbers[wanted] = number + 1
            name = "\(wanted)-\(number)"
        }
        return name
    }
}
