internal import FeedCore

/// Decides which URLs a gallery may show to the public.
///
/// A query can contain a person's signature or name.
enum PublicURL {
    /// The maximum length of a value.
    ///
    /// A longer one is a signature, whatever the name of its parameter.
    private static let maxValueLength = 40

    /// Returns whether a gallery may show the URL of an image: it leads to the web, and its query, if any, only
    /// contains size and format.
    static func isImage(_ url: ResourceURL) -> Bool {
        guard url.isRemote else { return false }
        let address = url.text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = address.firstIndex(of: UInt8(ascii: "?")) else { return true }
        return url.text[mark..<address.endIndex].dropFirst().split(separator: "&").allSatisfy(isOfSizeAndFormat)
    }

    /// Returns whether a gallery may show the URL of an item's page.
    ///
    /// Some feeds give the image itself as the page.
    static func isPage(_ link: ResourceURL, of image: FeedImage) -> Bool {
        let isImage = ([image.url] + image.alternatives).contains { $0.key == link.key }
        return isImage ? Self.isImage(link) : link.isRemote
    }

    private static func isOfSizeAndFormat(_ parameter: Substring) -> Bool {
        let name = parameter.prefix { $0 != "=" }
        let value = parameter[name.endIndex...].dropFirst()
        guard SizeParameters.all.contains(name.lowercased()), value.utf8.count <= maxValueLength else { return false }
        // A value consists of words and numbers: `300`, `300%2C200`, `1024x768`, `auto,compress`, `16:9`. A longer
        // mixture of letters and digits is a signature.
        let plain = value.replacing("%2C", with: ",").replacing("%2c", with: ",")
        return plain.split { ",.:_-x*".contains($0) }.allSatisfy { word in
            let digits = word.utf8.count { (0x30...0x39).contains($0) }
            let letters = word.utf8.count { (0x61...0x7A).contains($0 | 0x20) }
            guard digits + letters == word.utf8.count else { return false }
            return digits == 0 ? letters <= 12 : digits <= 5 && letters <= 4
        }
    }

    /// Removes the queries from the URLs in a message.
    static func withoutQueries(_ message: String) -> String {
        guard message.contains("://"), message.contains("?") else { return message }
        return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard let scheme = word.firstRange(of: "://"), let mark = word[scheme.upperBound...].firstIndex(of: "?")
            else { return word }
            return word[..<mark]
        }.joined(separator: " ")
    }
}
