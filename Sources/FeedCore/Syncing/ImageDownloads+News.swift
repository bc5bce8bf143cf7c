/// What there is to download, and what came of it.
extension ImageDownloads {
    package struct Wanted: Hashable, Sendable {
        package let url: ResourceURL
        /// Of the data that is in the cache; with them the server is asked whether it has changed.
        package let validators: Validators
        package let terms: RequestTerms

        package init(
            _ url: ResourceURL, validators: Validators = Validators(), on terms: RequestTerms = RequestTerms()
        ) {
            self.url = url
            self.validators = validators
            self.terms = terms
        }

        /// Whether its server is told who asks.
        var saysWhoAsks: Bool { url.credentials != nil || terms.hasSecrets(for: url) }
    }

    package struct Outcome: Sendable {
        package var report = ImagesReport()
        /// What ended the downloads early: the store itself failed.
        package var fatal: FeedError?
    }

    /// What there is to do, as it becomes known.
    package enum News: Sendable {
        /// URLs of which none has come before.
        case wanted([Wanted])
        /// Of those at this origin none is to wait for anything else any more.
        case released(origin: String)
        /// This ends the run, as a failure of the store does.
        case failure(FeedError)
    }
}
