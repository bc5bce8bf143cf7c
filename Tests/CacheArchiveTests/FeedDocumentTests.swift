import FeedCore
import Testing

@testable import CacheArchive

@Suite("A feed document, read in pieces")
struct FeedDocumentTests {
    private static let head = #""version":1,"url":"https://f.example/","format":"essential""#
    private static let time = #""saved_at":"2026-01-02T03:04:05.000006Z""#

    private func document(_ text: String, inPiecesOf size: Int) -> FeedDocument {
        FeedDocument(name: "d") { visit throws(FeedError) in
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                try visit(Array(bytes[start..<min(start + size, bytes.count)]))
            }
        }
    }

    /// The ids of its images.
    private func read(_ text: String, inPiecesOf size: Int = 7) throws(FeedError) -> [String] {
        let document = document(text, inPiecesOf: size)
        let head = try document.readHead()
        var ids: [String] = []
        try document.forEachImage(of: head) { image, _ in ids.append(image.id) }
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
        "its members may stand in any order, with any space, and anything in their texts",
        arguments: [
            #"{"images":[{"id":"a]","url":"https://i/","x":[["]"]]},{"url":"https://i/","id":"\"}"}],\#(head),\#(time)}"#,
            "{ \(head) , \(time)\n,\t\"images\" : [ {\"id\":\"a]\",\"url\":\"https://i/\"} ,\n {\"url\":\"https://i/\""
                + ",\"id\":\"\\\"}\"} ] } ",
            #"{\#(head),"x":{"images":[1,2]},"title":"images",\#(time),"y":"\\","images":[{"id":"a]","url":"https://i/"}"#
                + #",{"id":"\u0022}","url":"https://i/"}],"z":[]}"#,
        ], [1, 2, 1000])
    func orders(text: String, size: Int) throws {
        #expect(try read(text, inPiecesOf: size) == ["a]", "\"}"])
    }

    @Test("one with no image has none", arguments: ["[]", "[ ]"])
    func empty(list: String) throws {
        #expect(try read("{\(Self.head),\(Self.time),\"images\":\(list)}") == [])
    }

    @Test("a long one has all its images, in order") func long() throws {
        let images = (0..<5000).map { "{\"id\":\"\($0)\",\"url\":\"https://i.example/\($0)\"}" }
        let text = "{\"images\":[\(images.joined(separator: " , "))],\(Self.head),\(Self.time)}"
        #expect(try read(text, inPiecesOf: 4096) == (0..<5000).map { String($0) })
        let broken = text.split(separator: "\"id\":\"4321\",").joined()
        #expect(refusal(of: broken)?.contains("counted from image") == true)
        #expect(refusal(of: broken)?.contains("].id: missing") == true)
    }

    @Test(
        "what is wrong with its list is found",
        arguments: [
            ("[{}", "no end"), ("[1]", "not an object"), ("[,]", "expected"),
            ("[{\"id\":\"1\",\"url\":\"https://i/\"},]", "expected"),
            ("[}]", "no end"), ("[[]", "no end"), ("{}", "not an array"), ("[]]", "expected"),
            ("\"[]\"", "not an array"),
            ("[],\"images\":[]", "given twice"),
            ("[],\"images\":[{\"id\":\"1\",\"url\":\"https://i/\"}]", "given twice"),
        ])
    func lists(list: String, reason: String) {
        let found = refusal(of: "{\(Self.head),\(Self.time),\"images\":\(list)}")
        #expect(found?.contains(reason) == true, "\(found ?? "was taken")")
    }

    @Test("a comma at the end of a long list is found too") func commaAfterCut() {
        let images = String(repeating: "{\"id\":\"1\",\"url\":\"https://i.example/\"},", count: 3000)
        let found = refusal(of: "{\(Self.head),\(Self.time),\"images\":[\(images) ]}")
        #expect(found?.contains("comma") == true || found?.contains("expected") == true, "\(found ?? "was taken")")
        for count in 1700..<1760 {
            let cut = String(repeating: "{\"id\":\"1\",\"url\":\"https://i.example/\"},", count: count)
            #expect(refusal(of: "{\(Self.head),\(Self.time),\"images\":[\(cut)]}") != nil)
        }
    }

    @Test("a list under a name in disguise is refused, not passed over") func disguise() {
        let list = #""\u0069mages":[{"id":"1","url":"https://i/"}]"#
        #expect(refusal(of: "{\(Self.head),\(Self.time),\(list)}")?.contains("unusual") == true)
    }
}
