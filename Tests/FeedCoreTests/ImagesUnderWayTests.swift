import TestDoubles
import TestSupport
import Testing

@testable import FeedCore

@Suite("Images that are requested at the same time")
struct ImagesUnderWayTests {
    private let requests = ImagesUnderWay(
        RemoteImageDataLoader(client: ScriptedHTTPClient { _ in .status(404) }, maxBytes: 100), InMemoryImageStore(),
        mostPartial: 1)

    private func add(_ terms: RequestTerms) { _ = requests.add([WantedImage(.image(0), on: terms)]) }

    @Test("an image never joins a request on other terms, whatever became of the terms of other images")
    func reusedTerms() {
        add(RequestTerms(addresses: .any))
        for count in 1...50 {
            // Joins the first request, so that the run needs these terms no longer.
            add(RequestTerms(addresses: .any))
            add(RequestTerms(addresses: .publicOnly, imageLimits: ImageLimits(maxBytes: Int64(count))))
            #expect(requests.count == count + 1)
        }
    }

    @Test("the failure of a request with a feed's own validators belongs to that feed", arguments: [false, true])
    func ownValidators(areOwn: Bool) {
        let source = WantedImage.Source(
            url: .image(0), validators: Validators(etag: "\"1\""), hasOwnValidators: areOwn)
        let image = WantedImage(.image(0), first: source, on: RequestTerms(feed: .first))
        _ = requests.add([image])
        let consequences = requests.fail(0, .invalidData("refused", status: 403))
        #expect(consequences.recipients.map(\.circle) == [areOwn ? .oneFeed : .everybody])
    }
}
