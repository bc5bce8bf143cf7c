/// What a person gave to prove who asks, besides what stands in a URL.
package struct OwnCredentials: Hashable, Sendable {
    /// Whole lines, as `Name: value`.
    package let headers: [String]
    package let usesNetrc: Bool

    package init(headers: [String] = [], usesNetrc: Bool = false) {
        self.headers = headers
        self.usesNetrc = usesNetrc
    }

    /// For a URL that the person named: theirs and its own, for its origin alone.
    package func secrets(for url: ResourceURL) -> Secrets? {
        guard url.isRemote, !headers.isEmpty || usesNetrc || url.credentials != nil else { return nil }
        return Secrets(origin: url.origin, headers: headers, credentials: url.credentials, usesNetrc: usesNetrc)
    }
}
