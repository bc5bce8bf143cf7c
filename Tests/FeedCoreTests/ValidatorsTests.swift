import FeedCore
import Testing

@Suite("Validators")
struct ValidatorsTests {
    @Test(
        "are none where they can't be sent back",
        arguments: [
            ("\"a\"", true), ("W/\"é\"", true), ("a\tb", true), ("a\u{1}b", false), ("a\r\nX: b", false),
            ("\u{7F}", false),
        ])
    func sendable(_ text: String, isSendable: Bool) {
        #expect(Validators(etag: text).etag == (isSendable ? text : nil))
        #expect(Validators(lastModified: text).lastModified == (isSendable ? text : nil))
    }

    @Test("are none where they are longer than a server has reason to make them", arguments: [1024, 1025])
    func long(length: Int) {
        let text = String(repeating: "é", count: 512) + (length > 1024 ? "x" : "")
        #expect(text.utf8.count == length)
        let kept = length == 1024 ? text : nil
        #expect(Validators(etag: text).etag == kept)
        #expect(Validators(etag: "\"a\"", lastModified: text) == Validators(etag: "\"a\"", lastModified: kept))
    }
}
