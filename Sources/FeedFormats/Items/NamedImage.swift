internal import FeedCore

/// A image that an item names.
struct NamedImage {
    /// A feed keeps no more of one.
    static let mostAddresses = 1 + FeedImage.mostAlternatives

    struct Address {
        /// A URL, which may be relative or invalid.
        let reference: String
        /// The `xml:base` that holds at the reference.
        var base: ResourceURL?
        /// The sides that the feed states, each zero where it states none.
        var width = 0.0
        var height = 0.0

        /// No URL is so long, whatever white space is in it.
        private static let longest = 16_384

        init(reference: String, base: ResourceURL? = nil, width: Double = 0, height: Double = 0) {
            self.reference = Self.shortened(reference)
            self.base = base
            self.width = width
            self.height = height
        }

        /// The reference, or the beginning of one that is too long for a URL: a link may hold many images, and a `data:`
        /// URL may hold megabytes.
        static func shortened(_ reference: String) -> String {
            reference.utf8.count <= longest ? reference : String(Substring(reference.utf8.prefix(longest)))
        }
    }

    /// Its renditions, the best first. Those that can't be used are left out.
    var addresses: [Address]
    /// The image's own title, caption or alternative text, as plain text.
    var description: String?
    var location: String?
    /// What it is, if nobody means it by a image.
    var decoration: Decoration?

    /// Whether the feed states how wide it is.
    var hasSides: Bool { addresses.first.map { $0.width > 0 } == true }

    init(_ addresses: [Address], description: String? = nil, decoration: Decoration? = nil) {
        self.addresses = addresses
        self.description = description
        self.decoration = decoration
    }

    init?(_ reference: String?, base: ResourceURL? = nil, description: String? = nil) {
        guard let reference else { return nil }
        self.init([Address(reference: reference, base: base)], description: description)
    }
}
