/// Why a text is no URL of a feed or image, in words that complete "URL: …".
package struct InvalidURL: Error, Equatable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
