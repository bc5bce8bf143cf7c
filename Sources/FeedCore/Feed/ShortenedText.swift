extension String {
    /// At most so many bytes: cut where a character ends, with an ellipsis for the rest.
    package func shortened(to longest: Int) -> String {
        utf8.count <= longest ? self : beginning(longest) + "…"
    }

    /// The same, but what stands for the rest is made of all of the text: it still differs from others, on every machine
    /// and in every run.
    package func shortenedDistinctly(to longest: Int) -> String {
        utf8.count <= longest ? self : "\(beginning(longest - 16))…\(String(utf8.fnv1a, radix: 16))"
    }

    private func beginning(_ length: Int) -> Substring {
        // Down to where a scalar ends; the last character may have gone on.
        let cut = self[..<utf8.index(startIndex, offsetBy: length - "…".utf8.count)]
        let whole = cut.dropLast()
        return whole.isEmpty ? cut : whole
    }
}
