internal import FeedCore

/// Decides which URLs a gallery may show to everybody. A query can hold the signature or the name of one person.
enum PublicURL {
    /// Longer values are signatures, whatever their parameter is called.
    private static let longestValue = 40

    /// Returns whether the URL leads to an image on the web, and has no query or one of nothing but size and format.
    static func isImage(_ url: ResourceURL) -> Bool {
        guard url.isRemote else { return false }
        let address = url.text.prefix { $0 != "#" }
        guard let mark = address.firstIndex(of: "?") else { return true }
        return address[mark...].dropFirst().split(separator: "&").allSatisfy(isOfSizeAndFormat)
    }

    /// Returns whether a page may link to the item's page. Some feeds give the image itself as the page.
    static func isPage(_ link: ResourceURL, of image: FeedImage) -> Bool {
        let isImage = ([image.url] + image.alternatives).contains { $0.key == link.key }
        return isImage ? Self.isImage(link) : link.isRemote
    }

    private static func isOfSizeAndFormat(_ parameter: Substring) -> Bool {
        let name = parameter.prefix { $0 != "=" }
        let value = parameter[name.endIndex...].dropFirst()
        guard SizeParameters.all.contains(name.lowercased()), value.utf8.count <= longestValue else { return false }
        // Words, numbers and what stands between them: `300`, `300%2C200`, `1024x768`, `auto,compress`, `16:9`. A longer
        // mixture of letters and digits is a signature.
        let plain = value.replacing("%2C", with: ",").replacing("%2c", with: ",")
        return plain.split { ",.:_-x*".contains($0) }.allSatisfy { word in
            let digits = word.utf8.count { (0x30...0x39).contains($0) }
            let letters = word.utf8.count { (0x61...0x7A).contains($0 | 0x20) }
            guard digits + letters == word.utf8.count else { return false }
            return digits == 0 ? letters <= 12 : digits <= 5 && letters <= 4
        }
    }

    /// Cuts the queries out of the URLs in a message.
    static func withoutQueries(_ message: String) -> String {
        guard message.contains("://"), message.contains("?") else { return message }
        return message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard let scheme = word.firstRange(of: "://"), let mark = word[scheme.upperBound...].firstIndex(of: "?")
            else { return word }
            return word[..<mark]
        }.joined(separator: " ")
    }
}
