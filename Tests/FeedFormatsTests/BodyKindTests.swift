import FeedCore
import FeedFormats
import Testing

@Suite struct BodyKindTests {
    private func message(_ body: [UInt8]) throws -> String {
        let error = try #require(throws: FeedError.self) {
            try FeedDecoder().decode(body, from: ResourceURL("http://h/"))
        }
        return error.message
    }

    @Test(
        "an HTML page is called one",
        arguments: [
            "<!DOCTYPE html><p>", "<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "<html>", "\u{FEFF}\n <HTML>",
            "<head><title>x</title>", "<body>", "<!-- a --> <!-- b -->\n<!doctype html>",
        ])
    func htmlPages(text: String) throws {
        #expect(try message(Array(text.utf8)) == "no known feed format: the answer is an HTML page")
    }

    @Test(
        "other markup isn't",
        arguments: [
            "<", "<rss version=\"2.0\"/>", "<!-- <html> -->", "<!--", "<!-- ", "<p>", "<?xml version=\"1.0\"?>",
        ])
    func otherMarkup(text: String) throws {
        #expect(try message(Array(text.utf8)) == "no known feed format: the answer is markup of no known kind")
    }

    @Test("an answer that is no text is not shown")
    func binary() throws {
        #expect(try message([0x00]) == "no known feed format: the answer is binary data")
        #expect(try message([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).hasSuffix("is an image (image/png)"))
        #expect(try message([0xFE, 0xFF, 0, 0x7B]).hasSuffix("is in UTF-16, not UTF-8"))
    }

    @Test("text that is no feed is shown shortened, its control characters escaped")
    func text() throws {
        let long = String(repeating: "long ", count: 1000)
        #expect(try message(Array(long.utf8)).hasSuffix("begins with \"\(long.prefix(40))…\""))
        #expect(try message(Array("\u{9B}2J\u{7F}".utf8)).hasSuffix(#"begins with "\u009b2J\u007f""#))
        #expect(try message([0x41, 0xE9]).hasSuffix("begins with \"A\u{FFFD}\""))
    }

    @Test("much white space and nothing else is no JSON")
    func whitespace() throws {
        #expect(try message([UInt8](repeating: 0x20, count: 10_000)).hasSuffix("begins with white space only"))
    }
}
