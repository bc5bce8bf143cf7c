import FeedCore
import TestSupport
import Testing

@testable import FeedFormats

/// The characters that HTML has names for.
@Suite struct CharacterNamesTests {
    private func descriptions(_ html: String) throws -> [String?] {
        let text =
            "<rss><channel><item><title>T</title><description><![CDATA[\(html)]]></description></item></channel></rss>"
        return try FeedDecoder().decode(Array(text.utf8), from: .known("https://h.example/")).images.map(\.description)
    }

    private func caption(_ text: String) throws -> [String?] {
        try descriptions("<figure><img src=a><figcaption>\(text)</figcaption></figure>")
    }

    @Test("are all of the standard's")
    func count() {
        #expect(CharacterNames.all.count == 2125)
        #expect(CharacterNames.withoutSemicolon.count == 106)
        #expect(CharacterNames.withoutSemicolon.allSatisfy { CharacterNames.all[$0] != nil })
    }

    @Test(
        "stand for one character or for two",
        arguments: [
            ("Aacute", "Á"), ("zwnj", "\u{200C}"), ("Pcy", "П"), ("ell", "ℓ"), ("filig", "ﬁ"), ("lang", "⟨"),
            ("rang", "⟩"), ("Zopf", "ℤ"), ("afr", "𝔞"), ("fjlig", "fj"), ("nvlt", "<⃒"), ("NotEqualTilde", "≂̸"),
            ("acE", "∾̳"), ("CounterClockwiseContourIntegral", "∳"), ("frac12", "½"), ("hearts", "♥"), ("amp", "&"),
            ("AMP", "&"), ("apos", "'"), ("there4", "∴"),
        ])
    func samples(name: String, expected: String) throws {
        #expect(try descriptions("<img src=a alt='[&\(name);]'>") == ["[\(expected)]"])
        #expect(try caption("[&\(name);]") == ["[\(expected)]"])
        let rss = "<rss><channel><title>[&\(name);]</title></channel></rss>"
        #expect(try FeedDecoder().decode(Array(rss.utf8), from: .first).title == "[\(expected)]")
        let image = "<img src='a' alt='[&\(name);]'/>"
        let atom = "<feed><entry><content type='xhtml'>\(image)</content></entry></feed>"
        #expect(try FeedDecoder().decode(Array(atom.utf8), from: .first).images.map(\.description) == ["[\(expected)]"])
    }

    @Test(
        "the oldest need no semicolon",
        arguments: [
            ("Tom &amp Jerry&nbsp(c)", "Tom & Jerry (c)"), ("&copy 2020 caf&eacute", "© 2020 café"), ("&lt;&gt", "<>"),
            ("&Pcy &star", "&Pcy &star"), ("&amp;copy", "&copy"), ("&AMP&amp&", "&&&"), ("&notin &notin;", "¬in ∉"),
            ("&COPY.&frac12!", "©.½!"), ("&ThickSpace|&am", "&ThickSpace|&am"),
        ])
    func withoutSemicolon(given: String, expected: String) throws {
        #expect(try caption(given) == [expected])
    }

    @Test(
        "but in a value they do where a letter, a digit or an equals sign follows",
        arguments: [
            ("a&copy=3", "a&copy=3", "a©=3"), ("&copyx &copy3", "&copyx &copy3", "©x ©3"), ("&copy-x", "©-x", "©-x"),
            ("&notit;", "&notit;", "¬it;"), ("&eacute", "é", "é"),
        ])
    func inValues(given: String, value: String, text: String) throws {
        #expect(try descriptions("<img src=a alt='\(given)'>") == [value])
        #expect(try descriptions("<img src=a alt=\"\(given)\"/>") == [value])
        #expect(try caption(given) == [text])
    }

    @Test("so that a query stays what it is")
    func query() throws {
        let description = "<description>&lt;img src=a?a&amp;copy=3&amp;lt&amp;reg;></description>"
        let rss = "<rss><channel><item>\(description)</item></channel></rss>"
        let images = try FeedDecoder().decode(Array(rss.utf8), from: .known("https://h.example/")).images
        #expect(images.map(\.url.text) == ["https://h.example/a?a&copy=3<®"])
    }
}
