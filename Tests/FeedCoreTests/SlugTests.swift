import FeedCore
import Testing

@Suite("Texts fit for names")
struct SlugTests {
    @Test(
        "a slug has lower-case letters, digits, and single dashes between them",
        arguments: [
            ("A  Description, of: things!", "a-description-of-things"), ("--x--", "x"), ("猫", ""), ("", ""),
            ("../../etc/passwd", "etc-passwd"), ("Ünder\u{1B}[2J", "nder-2j"), ("a/b\\c", "a-b-c"),
        ])
    func slugs(text: String, slug: String) { #expect(Slug.make(text, limit: 100) == slug) }

    @Test("a slug is cut, and never ends in a dash") func cut() {
        #expect(Slug.make("abc def", limit: 4) == "abc")
        #expect(Slug.make("abcdef", limit: 4) == "abcd")
    }
}
