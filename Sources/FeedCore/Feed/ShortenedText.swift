/// How much of a feed's texts is kept, in UTF-8, and so how much of them an archive may have.
package enum LongestText {
    /// For a text that each image of an item has, or that is shown in one line. Alternative texts run to some paragraphs;
    /// what is longer is a whole article that went astray.
    package static let words = 8192
    /// Ids are URLs, or made up.
    package static let id = 4096
}

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
