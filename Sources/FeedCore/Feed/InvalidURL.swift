/// The reason why a text is not the URL of a feed or image, in words that follow "URL: ".
package struct InvalidURL: Error, Equatable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
