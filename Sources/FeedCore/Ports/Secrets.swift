/// What may be told to one origin, and to no other.
package struct Secrets: Hashable, Sendable {
    package let origin: String
    /// Whole lines, as `Name: value`.
    package let headers: [String]
    /// `user:password`, percent-encoded as in a URL. A URL's own come before them.
    package let credentials: String?
    /// Whether a netrc file is asked for more.
    package let usesNetrc: Bool

    package init(origin: String, headers: [String] = [], credentials: String? = nil, usesNetrc: Bool = false) {
        self.origin = origin
        self.headers = headers
        self.credentials = credentials
        self.usesNetrc = usesNetrc
    }
}
