/// An image that a run asks for.
package struct WantedImage: Sendable {
    package let url: ResourceURL
    /// Of the data that is in the cache; with them the server is asked whether it has changed.
    package let validators: Validators
    package let terms: RequestTerms

    package init(_ url: ResourceURL, validators: Validators = Validators(), on terms: RequestTerms = RequestTerms()) {
        self.url = url
        self.validators = validators
        self.terms = terms
    }

    /// Whether its server is told who asks.
    var saysWhoAsks: Bool { url.credentials != nil || terms.hasSecrets(for: url) }
}
