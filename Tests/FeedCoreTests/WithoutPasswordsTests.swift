import FeedCore
import Testing

@Suite("A text without the passwords in it")
struct WithoutPasswordsTests {
    @Test(
        "has none in what browsers and curl would take for a URL with one",
        arguments: [
            // The usual forms.
            ("http://u:p@h.example/1", "http://h.example/1"), ("https://u@h", "https://h"), ("ftp://u:@h", "ftp://h"),
            ("http://a@b:c@h", "http://h"), ("http://@h/", "http://h/"), ("sftp://u:p@h/a@b", "sftp://h/a@b"),
            ("//u:p@h/x", "//h/x"), ("http://u:p@h?a@b", "http://h?a@b"), ("http://u:p@[::1]:8/", "http://[::1]:8/"),
            ("http://ü:ß@h/", "http://h/"), ("http://u:p@h#a@b", "http://h#a@b"),
            ("feed:http://u:p@h", "feed:http://h"),
            // Any number of slashes.
            ("https:u:p@h", "https:h"), ("http:u@h/", "http:h/"), ("ws:u:p@h", "ws:h"), ("http:/u:p@h/", "http:/h/"),
            ("http:///u:p@h/", "http:///h/"), ("http://////u:p@h/", "http://////h/"), ("///u:p@h/", "///h/"),
            ("sftp:/u:p@h/", "sftp:/h/"), ("feed:https:u:p@h", "feed:https:h"),
            // Backslashes for slashes.
            (#"HTTP:\\u:p@h"#, #"HTTP:\\h"#), (#"http:\u:p@h\x"#, #"http:\h\x"#), (#"http:/\u:p@h/"#, #"http:/\h/"#),
            (#"\\u:p@h\x"#, #"\\h\x"#), (#"/\u:p@h/"#, #"/\h/"#), (#"http://u:p\w@h/"#, #"http://h/"#),
            // Any case, after characters that parsers skip.
            ("HtTpS:u:p@h", "HtTpS:h"), ("HTTPS://u:p@h", "HTTPS://h"),
            (" \u{1}\u{1F}http:u:p@h", " \u{1}\u{1F}http:h"),
            ("\n\thttp://u:p@h", "\n\thttp://h"), ("\u{FEFF}http:u:p@h", "\u{FEFF}http:h"),
            // Tabs and line breaks in it are as good as not there; blanks and quotes may be of a password.
            ("ht\ttp:u:p@h", "ht\ttp:h"), ("http\n:u:p@h", "http\n:h"), ("http:/\r\n/u:p@h", "http:/\r\n/h"),
            ("/\t/u:p@h", "/\t/h"), ("http://u:p\t@h", "http://h"), ("http://u:p q@h/", "http://h/"),
            ("http://u:p\"<'>@h/", "http://h/"), ("http:\u{FF0F}\u{FF0F}u:p@h", "http:h"),
            // Wherever it stands.
            ("see http://h/@ and http://u:p@h/", "see http://h/@ and http://h/"),
            ("<a href='http:u:p@h'>", "<a href='http:h'>"),
            ("http://h/?to=http://u:p@h/", "http://h/?to=http://h/"), ("http://h//u@b", "http://h//b"),
        ])
    func urls(given: String, expected: String) {
        #expect(given.withoutPasswords == expected)
        #expect(expected.withoutPasswords == expected)
    }

    @Test(
        "is as it was where it has none",
        arguments: [
            "", "@", "u@h", "u:p@h", "tag:u@h,2026:1", "mailto:u@h", "http://h/a@b", "http:h/a@b", "http://h?a@b",
            "http://h#a@b", "xhttp:u@h", "urn:x:y@z", "x://", "C:\\images\\me@home", "file:/home/me@h/x", "a/b@c",
            "é@ü",
            "acct:u@h.example", "\\\\server\\share\\a@2x.png", "http\u{301}:u@h",
        ])
    func others(text: String) {
        #expect(text.withoutPasswords.utf8.elementsEqual(text.utf8))
    }
}
