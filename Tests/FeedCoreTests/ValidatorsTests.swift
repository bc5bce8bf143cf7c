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
}
