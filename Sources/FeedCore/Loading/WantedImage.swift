/// An image that a run asks for.
package struct WantedImage: Sendable {
    package let url: ResourceURL
    /// Of the data that is in the cache; with them the server is asked whether it has changed.
    package private(set) var validators: Validators
    /// Whose data that is, if it is the same image's at another URL.
    let predecessor: ResourceURL?
    package let terms: RequestTerms
    /// Where it is asked for.
    private(set) var place: ResourceURL
    /// Where it may be besides, the best first.
    var alternatives: [ResourceURL] = []
    /// Why it could not be had at its own URL.
    private(set) var failure: FeedError?

    package init(
        _ url: ResourceURL, validators: Validators = Validators(), of predecessor: ResourceURL? = nil,
        on terms: RequestTerms = RequestTerms()
    ) {
        self.url = url
        self.predecessor = predecessor
        self.validators = validators
        self.terms = terms
        place = url
    }

    /// Whether its server is told who asks.
    var saysWhoAsks: Bool { url.credentials != nil || terms.hasSecrets(for: url) }

    /// The same at its next place; nil where there is none, or where it may still be had at this one.
    func elsewhere(after error: FeedError) -> WantedImage? {
        guard PermanentFailures.isPermanent(error), let next = alternatives.first else { return nil }
        var wanted = self
        wanted.place = next
        wanted.alternatives.removeFirst()
        wanted.validators = Validators()
        wanted.failure = failure ?? error
        return wanted
    }
}
