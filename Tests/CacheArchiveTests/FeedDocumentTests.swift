import FeedCore
import Glibc
import JSONText
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

@Suite("A feed document")
struct FeedDocumentTests {
    private static let head = #""version":1,"url":"https://f.example/","format":"essential""#
    private static let time = #""saved_at":"2026-01-02T03:04:05.000006Z""#

    /// Returns the ids of a document's images.
    private func read(_ text: String) throws(FeedError) -> [String] {
        let document = try FeedDocument(name: "d") { Array(text.utf8) }
        var ids: [String] = []
        try document.forEachImage { image, _ in ids.append(image.id) }
        return ids
    }

    private func refusal(of text: String) -> String? {
        do throws(FeedError) {
            _ = try read(text)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "the members of a feed document may have any order, spaces and texts",
        arguments: [
            #"{"images":[{"id":"a]","url":"https://i/","x":[["]"]]},{"url":"https://i/","id":"\"}"}],\#(head),\#(time)}"#,
            "{ \(head) , \(time)\n,\t\"images\" : [ {\"id\":\"a]\",\"url\":\"https://i/\"} ,\n {\"url\":\"https://i/\""
                + ",\"id\":\"\\\"}\"} ] } ",
            #"{\#(head),"x":{"images":[1,2]},"title":"images",\#(time),"y":"\\","images":[{"id":"a]","url":"https://i/"}"#
                + #",{"id":"\u0022}","url":"https://i/"}],"z":[]}"#,
            #"{"\u0069mages":[{"id":"a]","url":"https://i/"},{"id":"\"}","url":"https://i/"}],\#(head),\#(time)}"#,
        ])
    func orders(text: String) throws {
        #expect(try read(text) == ["a]", "\"}"])
    }

    @Test("a feed document without images gives none", arguments: ["[]", "[ ]"])
    func empty(list: String) throws {
        #expect(try read("{\(Self.head),\(Self.time),\"images\":\(list)}") == [])
    }

    @Test("a long feed document gives all its images in order") func long() throws {
        let images = (0..<5000).map { "{\"id\":\"\($0)\",\"url\":\"https://i.example/\($0)\"}" }
        let text = "{\"images\":[\(images.joined(separator: " , "))],\(Self.head),\(Self.time)}"
        #expect(try read(text) == (0..<5000).map { String($0) })
        let broken = text.split(separator: "\"id\":\"4321\",").joined()
        #expect(refusal(of: broken)?.contains("images[4321].id: missing") == true)
    }

    @Test(
        "a fault in the list of images of a feed document is found",
        arguments: [
            ("[{}", "expected"), ("[1]", "not an object"), ("[,]", "expected"),
            ("[{\"id\":\"1\",\"url\":\"https://i/\"},]", "expected"),
            ("[}]", "expected"), ("[[]", "expected"), ("{}", "not an array"), ("[]]", "expected"),
            ("\"[]\"", "not an array"),
            ("[],\"images\":[]", "given twice"),
            ("[],\"images\":[{\"id\":\"1\",\"url\":\"https://i/\"}]", "given twice"),
        ])
    func lists(list: String, reason: String) {
        let found = refusal(of: "{\(Self.head),\(Self.time),\"images\":\(list)}")
        #expect(found?.contains(reason) == true, "\(found ?? "was taken")")
    }

    @Test(
        "every member of an image in a feed document is read, and null means the same as a missing member",
        arguments: [
            (
                #""title":"T","link":"http://b.example/1#c","published":"2026-11-20T08:15:00.000001Z","#
                    + #""alternatives":["https://i/2","https://i/3"]"#,
                FeedImage(
                    id: "1", url: .known("https://i/"), title: "T", link: .known("http://b.example/1#c"),
                    published: Timestamp(microseconds: 1_795_162_500_000_001),
                    alternatives: [.known("https://i/2"), .known("https://i/3")])
            ),
            (
                #""title":null,"link":null,"published":null,"alternatives":[],"digest":null"#,
                FeedImage(id: "1", url: .known("https://i/"))
            ),
            (#""title":"""#, FeedImage(id: "1", url: .known("https://i/"))),
        ])
    func image(members: String, expected: FeedImage) throws {
        let text = "{\(Self.head),\(Self.time),\"images\":[{\"id\":\"1\",\"url\":\"https://i/\",\(members)}]}"
        let document = try FeedDocument(name: "d") { Array(text.utf8) }
        var images: [FeedImage] = []
        try document.forEachImage { image, _ in images.append(image) }
        #expect(images == [expected])
    }
}

@Suite("Names in an archive")
struct FeedNamesTests {
    @Test("each feed in an archive is named by its title, or by its URL, and the names are distinct") func feeds() {
        var names = FeedNames()
        #expect(names.name(title: "My Feed", url: "https://a.example/") == "my-feed")
        #expect(names.name(title: "my feed!", url: "https://b.example/") == "my-feed-2")
        #expect(names.name(title: "My feed 2", url: "https://c.example/") == "my-feed-2-2")
        #expect(names.name(title: "My Feed", url: "https://c.example/") == "my-feed-3")
        #expect(names.name(title: nil, url: "https://d.example/feed.json?x=1") == "d-example-feed-json-x-1")
        #expect(names.name(title: "写真", url: "file:///srv/feed.json") == "srv-feed-json")
    }
}

@Suite("The plan of an export")
struct ExportPlanTests {
    @Test("an export has the same texts for every size of the text cache", arguments: [0, 1000, 100_000])
    func keptTexts(room: Int) async throws {
        let fixture = try await ArchiveFixture.sample(images: 1001)
        try await fixture.save(.sample(.second, images: 3))
        let snapshot = try InMemoryTransfer(fixture.cache).snapshot()
        let all = try ExportPlan(snapshot.feeds(), in: snapshot)
        let some = try ExportPlan(snapshot.feeds(), in: snapshot, keeping: room)
        #expect(some.index == all.index && some.texts.map(\.digest) == all.texts.map(\.digest))
        for blob in all.texts {
            var text: [UInt8] = []
            try some.forEachPiece(of: blob.kind) { text += $0 }
            #expect(Int64(text.count) == blob.size && InMemoryImageStore.digest(of: text) == blob.digest)
        }
    }
}
