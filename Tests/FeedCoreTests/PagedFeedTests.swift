import FeedCore
import TestDoubles
import TestSupport
import Testing

/// A feed of several pages.
@Suite struct PagedFeedTests {
    private let url = ResourceURL.known("https://feeds.example/1")

    /// Each page's body is its own path; `pages` says what it names and where it goes on.
    private struct Decoder: FeedDecoding {
        let pages: [String: (ids: [String], next: String?)]

        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            let name = String(decoding: document.bytes, as: UTF8.self)
            guard let page = pages[name] else { throw .invalidData("not a page: \(name)") }
            let images = page.ids.map { id in
                FeedImage(id: id, url: .known(id.contains("://") ? id : "https://images.example/\(id)"))
            }
            var starts: [Int] = []
            for (index, id) in page.ids.enumerated() where !id.contains("#") { starts.append(index) }
            return DecodedFeed(
                feed: Feed(format: .jsonFeed, title: name, images: images), itemStarts: starts, notes: ["of \(name)"],
                nextPage: page.next.map { .known($0) })
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
            throw .invalidData("no list")
        }
    }

    private func load(
        _ pages: [String: (ids: [String], next: String?)], atMost count: Int = 10, maxBytes: Int64 = 10_000,
        client: ScriptedHTTPClient? = nil, validators: Validators = Validators()
    ) async throws -> (answer: RemoteFeedLoader.Answer, asked: [HTTPRequest]) {
        let client = client ?? ScriptedHTTPClient { request in .ok(Array(request.url.text.utf8.suffix(1))) }
        let loader = RemoteFeedLoader(
            client: client, decoder: Decoder(pages: pages), maxBytes: maxBytes, maxPages: count,
            identity: OwnCredentials(headers: ["X-Key: 1"]))
        return (try await loader.load(url, validators: validators), client.requests)
    }

    private func ids(_ answer: RemoteFeedLoader.Answer) -> [String]? {
        guard case .feed(let feed, _) = answer.content else { return nil }
        #expect(feed.title == "1")
        return feed.images.map(\.id)
    }

    @Test(
        "are merged in order, as far as was asked for",
        arguments: [(1, ["a"]), (2, ["a", "b"]), (9, ["a", "b", "c"])])
    func merged(count: Int, expected: [String]) async throws {
        let pages: [String: (ids: [String], next: String?)] = [
            "1": (["a"], "https://feeds.example/2"), "2": (["b"], "https://feeds.example/3"), "3": (["c"], nil),
        ]
        let (answer, asked) = try await load(pages, atMost: count)
        #expect(ids(answer) == expected)
        #expect(asked.count == expected.count)
        #expect(answer.notes == (1...expected.count).map { "of \($0)" })
    }

    @Test("an item that an earlier page had counts once, with the images that it had there")
    func seenItems() async throws {
        let (answer, _) = try await load([
            "1": (["a", "a#2", "b", "b"], "https://feeds.example/2"), "2": (["a", "a#2", "a#3", "c", "c#2", "b"], nil),
        ])
        #expect(ids(answer) == ["a", "a#2", "b", "b", "c", "c#2"])
    }

    @Test("an item is another where its id is written in other characters, as much as they look the same")
    func equivalentItems() async throws {
        let (composed, combining) = ("https://i.example/caf\u{E9}", "https://i.example/cafe\u{301}")
        let (answer, _) = try await load([
            "1": ([composed, "\u{E9}"], "https://feeds.example/2"), "2": ([combining, "e\u{301}", composed], nil),
        ])
        let expected = [composed, "\u{E9}", combining, "e\u{301}"]
        #expect(ids(answer)?.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }

    @Test("items without ids are the same where all their images are, and none where but the first is")
    func itemsWithoutIDs() async throws {
        let (logo, a, b) = ("https://i.example/logo", "https://i.example/#a", "https://i.example/#b")
        let (answer, _) = try await load([
            "1": ([logo, a, "g", "g#2"], "https://feeds.example/2"), "2": ([logo, b, logo, a, logo, "g", "g#3"], nil),
        ])
        #expect(ids(answer) == [logo, a, "g", "g#2", logo, b, logo])
    }

    @Test(
        "a page seen before, or on another origin, ends the walk",
        arguments: [
            "https://feeds.example/1", "https://feeds.example/2", "http://feeds.example/3",
            "https://feeds.example:444/3",
            "https://other.example/3", "file:///3", "https://feeds.example/1#top", "https://feeds.example/2#",
        ])
    func ends(next: String) async throws {
        let (answer, asked) = try await load([
            "1": (["a"], "https://feeds.example/2"), "2": (["b"], next), "3": (["c"], nil),
        ])
        #expect(ids(answer) == ["a", "b"])
        #expect(asked.map(\.url.text) == ["https://feeds.example/1", "https://feeds.example/2"])
        #expect(answer.notes == ["of 1", "of 2"] + notes(ofNext: next))
    }

    /// A page seen before is no loss; one elsewhere is told of.
    private func notes(ofNext page: String) -> [String] {
        page.hasPrefix("https://feeds.example/")
            ? [] : ["left out the next page, as it is at another origin than the feed: \(page)"]
    }

    @Test("pages after the last requested page do not count as lost")
    func beyond() async throws {
        let (answer, _) = try await load(["1": (["a"], "https://other.example/2")], atMost: 1)
        #expect(answer.notes == ["of 1"])
    }

    @Test("the first alone is asked for conditionally; if that is the latest, so is the feed")
    func conditional() async throws {
        let known = Validators(etag: "\"1\"")
        let (_, asked) = try await load(
            ["1": (["a"], "https://feeds.example/2"), "2": (["b"], nil)], validators: known)
        #expect(asked.map(\.validators) == [known, Validators()])
        let unchanged = ScriptedHTTPClient { _ in .status(304) }
        let (answer, again) = try await load([:], client: unchanged, validators: known)
        #expect(answer.content == .notModified(known))
        #expect(again.count == 1)
    }

    @Test("further ones are asked for with the secrets of the first, at public addresses alone")
    func terms() async throws {
        let (_, asked) = try await load(["1": (["a"], "https://feeds.example/2"), "2": (["b"], nil)])
        #expect(asked.map(\.secrets?.headers) == [["X-Key: 1"], ["X-Key: 1"]])
        #expect(asked.map(\.addresses) == [.any, .publicOnly])
    }

    @Test(
        "one that can't be had fails the load, and is named",
        arguments: [
            (ScriptedHTTPClient.Answer.status(404), FeedError.Kind.invalidData, "the server answered HTTP 404"),
            (.status(503), .connectivity, "the server answered HTTP 503"),
            (.status(304), .invalidData, "the server answered HTTP 304"),
            (.failure(.connectivity("no connection")), .connectivity, "no connection"),
            (.ok([0x78]), .invalidData, "not a page: x"),
        ])
    func failing(page: ScriptedHTTPClient.Answer, kind: FeedError.Kind, reason: String) async throws {
        let client = ScriptedHTTPClient { request in request.url.text.hasSuffix("1") ? .ok([0x31]) : page }
        let error = await #expect(throws: FeedError.self) {
            try await load(["1": (["a"], "https://feeds.example/2")], client: client)
        }
        #expect(error?.kind == kind)
        #expect(error?.message == "page 2, https://feeds.example/2: \(reason)")
    }

    @Test("all together are held to the size of one feed")
    func size() async throws {
        let pages: [String: (ids: [String], next: String?)] = [
            "1": ([], "https://feeds.example/2"), "2": ([], "https://feeds.example/3"), "3": ([], nil),
        ]
        let (_, asked) = try await load(pages, maxBytes: 3)
        #expect(asked.map(\.maxBytes) == [3, 2, 1])
        let error = await #expect(throws: FeedError.self) { try await load(pages, maxBytes: 2) }
        #expect(
            error?.message == "page 3, https://feeds.example/3: the pages are larger than 2 bytes (see --max-feed-size)"
        )
    }

    @Test(
        "a Link header names the next page where the feed itself doesn't",
        arguments: [
            ("</2>; rel=\"next\"", ["a", "b"]), ("<https://feeds.example/0>; rel=prev, <2>; rel=next", ["a", "b"]),
            ("</2>; title=\"a, <b>; rel=next\"; rel=\"last Next\"", ["a", "b"]), ("</2>;rel=NEXT;x", ["a", "b"]),
            ("</2>; rel=\"prev\tnext\"", ["a", "b"]), ("</2>\t;\trel\t=\tnext\t", ["a", "b"]),
            ("</2>; rel=prev", ["a"]), ("</2>", ["a"]), ("</2; rel=next", ["a"]), ("", ["a"]), ("<>; rel=next", ["a"]),
            ("</2>; rel=prev; rel=next", ["a"]), ("</2>; REL=next; rel=prev", ["a", "b"]),
            ("</2>; rel=next; anchor=\"/x\"", ["a"]), ("</9>; Anchor=\"#x\"; rel=next, </2>; rel=next", ["a", "b"]),
            ("</2>; rel=\"\"; rel=next", ["a"]), ("<ftp://h/>; rel=next", ["a"]), ("<file:///2>; rel=next", ["a"]),
            ("</2>; xrel=next", ["a"]),
        ])
    func linkHeader(header: String, expected: [String]) async throws {
        let client = ScriptedHTTPClient { request in
            var answer = ScriptedHTTPClient.Answer.ok(Array(request.url.text.utf8.suffix(1)))
            if request.url.text.hasSuffix("1") { answer.head[.link] = header }
            return answer
        }
        let (answer, _) = try await load(["1": (["a"], nil), "2": (["b"], nil)], client: client)
        #expect(ids(answer) == expected)
    }

    @Test("after a redirect the walk may go on at either origin, and references begin where the feed was found")
    func redirected() async throws {
        let client = ScriptedHTTPClient { request in
            switch request.url.text {
            case "https://feeds.example/1": return .redirect(to: "https://moved.example/feeds/1")
            case "https://moved.example/feeds/1":
                var answer = ScriptedHTTPClient.Answer.ok([0x31])
                answer.head[.link] = "<2>; rel=next"
                return answer
            default: return .ok(Array(request.url.text.utf8.suffix(1)))
            }
        }
        let loader = RemoteFeedLoader(
            client: Fetcher(asking: client, rules: FetchRules(maxRedirects: 5)),
            decoder: Decoder(pages: ["1": (["a"], nil), "2": (["b"], nil)]),
            maxBytes: 1000, maxPages: 5)
        #expect(ids(try await loader.load(url)) == ["a", "b"])
        #expect(client.requests.last?.url.text == "https://moved.example/feeds/2")
    }

    @Test(
        "a further one that a redirect leads elsewhere, or back, ends the walk",
        arguments: [
            ("https://other.example/2", ["a"]), ("http://feeds.example/2", ["a"]), ("https://feeds.example/1", ["a"]),
            ("https://feeds.example/1#x", ["a"]), ("https://feeds.example/b/2", ["a", "b"]),
            ("https://feeds.example/next#2", ["a", "b"]),
        ])
    func redirectedFurther(target: String, expected: [String]) async throws {
        let client = ScriptedHTTPClient { request in
            if request.url.text.hasSuffix("/next") { return .redirect(to: target) }
            return .ok(Array(request.url.text.utf8.suffix(1)))
        }
        let loader = RemoteFeedLoader(
            client: Fetcher(asking: client, rules: FetchRules(maxRedirects: 5)),
            decoder: Decoder(pages: [
                "1": (["a"], "https://feeds.example/next"), "2": (["b"], nil), "x": (["a", "c"], nil),
            ]),
            maxBytes: 1000, maxPages: 5)
        let answer = try await loader.load(url)
        #expect(ids(answer) == expected)
        #expect(answer.notes.filter { !$0.hasPrefix("of ") } == notes(ofNext: target))
    }

    @Test("may have as many images in all as the size of the feed allows, and no more")
    func mostImages() async throws {
        let pages: [String: (ids: [String], next: String?)] = [
            "1": (["a", "b"], "https://feeds.example/2"), "2": (["b", "c"], "https://feeds.example/3"),
            "3": (["c", "d"], nil),
        ]
        #expect(ids(try await load(pages, atMost: 2, maxBytes: 1000).answer) == ["a", "b", "c"])
        let error = await #expect(throws: FeedError.self) { try await load(pages, atMost: 3, maxBytes: 1000) }
        #expect(error?.kind == .invalidData)
        #expect(
            error?.message == "page 3, https://feeds.example/3: more than 3 images (see --max-feed-size)")
    }

    @Test("one elsewhere ends the walk whatever it answers")
    func failingElsewhere() async throws {
        let client = ScriptedHTTPClient { request in
            switch request.url.text {
            case "https://feeds.example/1": .ok([0x31])
            case "https://feeds.example/2": .redirect(to: "https://other.example/")
            default: .status(404)
            }
        }
        let loader = RemoteFeedLoader(
            client: Fetcher(asking: client, rules: FetchRules(maxRedirects: 5)),
            decoder: Decoder(pages: ["1": (["a"], "https://feeds.example/2")]), maxBytes: 1000, maxPages: 5)
        #expect(ids(try await loader.load(url)) == ["a"])
    }
}
