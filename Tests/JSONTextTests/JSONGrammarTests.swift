import JSONText
import TestSupport
import Testing

@Suite struct JSONGrammarTests {
    @Test(
        "a reader accepts every text that RFC 8259 allows",
        arguments: [
            ("null", JSONValue.null), ("true", true), ("false", false), (" \t\r\n1 \t\r\n", 1),
            ("0", 0), ("-0", 0), ("-12", -12), ("9223372036854775807", 9_223_372_036_854_775_807),
            ("9223372036854775808", 9_223_372_036_854_775_808.0), ("1.5", 1.5), ("-0.25", -0.25), ("1e3", 1000.0),
            ("1E+2", 100.0), ("25e-1", 2.5), ("0e1", 0.0), ("0.0", 0.0), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("\"\"", ""), ("\"a\"", "a"), ("\"\u{7F}\"", "\u{7F}"), ("\"\u{2028}\"", "\u{2028}"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000""#, "\0"), (#""\u00e9\u00E9""#, "éé"),
            (#""\uD83C\uDF05""#, "🌅"), (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"),
            (#""\uFFFF""#, "\u{FFFF}"),
            ("\"é 日 🌅 \u{10FFFF}\"", "é 日 🌅 \u{10FFFF}"),
            (#""plain and \u0065scaped text, long enough""#, "plain and escaped text, long enough"),
            ("[]", []), ("[ ]", []), ("[1 , \"a\",[],{}]", [1, "a", [], [:]]), ("{}", [:]), ("{ }", [:]),
            (#"{"b":1,"a":{"":null}}"#, ["b": 1, "a": ["": nil]]), (#"{"a":1,"a":2}"#, ["a": 1, "a": 2]),
            ("\u{FEFF}[1]", [1]), ("\u{FEFF}\u{FEFF}[1]", [1]), ("\n\u{FEFF} \u{FEFF}[1]", [1]),
        ] as [(String, JSONValue)])
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONValue.parse(Array(text.utf8)) == value)
        var reader = JSONReader(Array(text.utf8))
        try reader.skipValue()
        try reader.finish()
    }

    @Test(
        "a reader refuses malformed JSON with its line and column",
        arguments: [
            ("", "line 1, column 1: expected a value, found the end of the text"),
            (" ", "line 1, column 2: expected a value, found the end of the text"),
            ("\u{FEFF}", "line 1, column 1: expected a value, found the end of the text"),
            ("1\u{FEFF}", "line 1, column 2: expected the end of the text, found byte 0xEF"),
            ("nul", "line 1, column 4: expected 'null', found the end of the text"),
            ("True", "line 1, column 1: expected a value, found 'T'"),
            ("falsehood", "line 1, column 6: expected the end of the text, found 'h'"),
            ("NaN", "line 1, column 1: expected a value, found 'N'"),
            ("Infinity", "line 1, column 1: expected a value, found 'I'"),
            ("1 2", "line 1, column 3: expected the end of the text, found '2'"),
            ("\u{A0}1", "line 1, column 1: expected a value, found byte 0xC2"),
            ("\u{C}1", "line 1, column 1: expected a value, found byte 0x0C"),
            ("01", "line 1, column 2: a number must not begin with 0"),
            ("-01", "line 1, column 3: a number must not begin with 0"),
            ("-", "line 1, column 2: expected a digit, found the end of the text"),
            ("+1", "line 1, column 1: expected a value, found '+'"),
            (".5", "line 1, column 1: expected a value, found '.'"),
            ("1.", "line 1, column 3: expected a digit, found the end of the text"),
            ("1.e1", "line 1, column 3: expected a digit, found 'e'"),
            ("1e", "line 1, column 3: expected a digit, found the end of the text"),
            ("1e+", "line 1, column 4: expected a digit, found the end of the text"),
            ("0x1", "line 1, column 2: expected the end of the text, found 'x'"),
            ("1_000", "line 1, column 2: expected the end of the text, found '_'"),
            ("\"a", "line 1, column 3: expected '\"', found the end of the text"),
            ("'a'", "line 1, column 1: expected a value, found '''"),
            ("\"a\tb\"", "line 1, column 3: expected no control character in a string"),
            ("\"a\nb\"", "line 1, column 3: expected no control character in a string"),
            ("\"\0\"", "line 1, column 2: expected no control character in a string"),
            (#""\x41""#, #"line 1, column 3: expected one of "\/bfnrtu after a backslash, found 'x'"#),
            (#""\"#, #"line 1, column 3: expected one of "\/bfnrtu after a backslash, found the end of the text"#),
            (#""\u12""#, #"line 1, column 6: expected four hex digits after \u, found '"'"#),
            (#""\u00g0""#, #"line 1, column 6: expected four hex digits after \u, found 'g'"#),
            (#""\U0041""#, #"line 1, column 3: expected one of "\/bfnrtu after a backslash, found 'U'"#),
            ("[", "line 1, column 2: expected a value, found the end of the text (in [0])"),
            ("[1", "line 1, column 3: expected ',' or ']', found the end of the text (in [0])"),
            ("[1,", "line 1, column 4: expected a value, found the end of the text (in [1])"),
            ("[1,]", "line 1, column 4: expected a value, found ']' (in [1])"),
            ("[,1]", "line 1, column 2: expected a value, found ',' (in [0])"),
            ("[1 2]", "line 1, column 4: expected ',' or ']', found '2' (in [0])"),
            ("[1}", "line 1, column 3: expected ',' or ']', found '}' (in [0])"),
            ("]", "line 1, column 1: expected a value, found ']'"),
            ("[1]]", "line 1, column 4: expected the end of the text, found ']'"),
            ("{", "line 1, column 2: expected a member's name in quotes, found the end of the text"),
            ("{,}", "line 1, column 2: expected a member's name in quotes, found ','"),
            ("{a:1}", "line 1, column 2: expected a member's name in quotes, found 'a'"),
            ("{1:1}", "line 1, column 2: expected a member's name in quotes, found '1'"),
            (#"{"a"}"#, "line 1, column 5: expected ':', found '}' (in a)"),
            (#"{"a":}"#, "line 1, column 6: expected a value, found '}' (in a)"),
            (#"{"a":1,}"#, "line 1, column 8: expected a member's name in quotes, found '}'"),
            (#"{"a":1 "b":2}"#, #"line 1, column 8: expected ',' or '}', found '"' (in a)"#),
            (#"{"a":1]"#, "line 1, column 7: expected ',' or '}', found ']' (in a)"),
            ("{\n \"a\": [1,\r\n  é", "line 3, column 3: expected a value, found byte 0xC3 (in a[1])"),
            ("[1] // so", "line 1, column 5: expected the end of the text, found '/'"),
            (#"{"é🌅": x}"#, #"line 1, column 8: expected a value, found 'x' (in ["é🌅"])"#),
        ])
    func refuses(text: String, message: String) throws {
        let bytes = Array(text.utf8)
        let error = try #require(throws: JSONError.self) { try JSONValue.parse(bytes) }
        #expect(error.description == message)
        #expect(error.kind == .malformed)
        #expect(throws: error) {
            var reader = JSONReader(bytes)
            try reader.skipValue()
            try reader.finish()
        }
    }

    @Test(
        "half of a surrogate pair is read as U+FFFD, and a malformed escape after it is an error",
        arguments: [
            (#"\ud83d"#, "\u{FFFD}"), (#"\ud800\n"#, "\u{FFFD}\n"), (#"\ud800\ud800"#, "\u{FFFD}\u{FFFD}"),
            (#"\udc00\ud800"#, "\u{FFFD}\u{FFFD}"), (#"\ud800\u0041"#, "\u{FFFD}A"),
            (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
            (#"\ud83d\uZZZZ"#, nil), (#"\ud83d\u"#, nil), (#"\ud83d\x"#, nil),
        ] as [(String, String?)])
    func halfPairs(escaped: String, expected: String?) throws {
        let bytes = Array("\"\(escaped)\"".utf8)
        guard let expected else {
            #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
            return
        }
        #expect(try JSONValue.parse(bytes).string == expected)
        var reader = JSONReader(bytes)
        try reader.skipValue()
        try reader.finish()
    }

    @Test(
        "invalid UTF-8 is refused in values, names and skipped text",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
            [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x8C],
            [0xF0, 0x9F, 0x8C, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func refusesWhatIsNoUTF8(bytes: [UInt8]) throws {
        let quoted = Array("\"plain \u{E9}".utf8) + bytes + Array("\"".utf8)
        for text in [quoted, Array("{".utf8) + quoted + Array(":1}".utf8), Array("\"plain".utf8) + bytes] {
            let error = try #require(throws: JSONError.self) { try JSONValue.parse(text) }
            #expect(error.reason.hasPrefix("expected UTF-8, found byte"))
            #expect(throws: error) {
                var reader = JSONReader(text)
                try reader.skipValue()
            }
        }
    }

    @Test("every string of one Unicode scalar is read unchanged", arguments: 0...16)
    func everyScalar(plane: UInt32) throws {
        for value in (plane << 16)...(plane << 16 | 0xFFFF) {
            guard value >= 0x20, value != 0x22, value != 0x5C, let scalar = Unicode.Scalar(value) else { continue }
            var reader = JSONReader(Array("\"\(scalar)\"".utf8))
            let text = try reader.readString()
            if Array(text.unicodeScalars) != [scalar] { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test("a special byte is found at every position of a string", arguments: 0..<40)
    func everyPosition(position: Int) throws {
        let filler = [UInt8](repeating: UInt8(ascii: "a"), count: 40)
        for (special, meaning) in [
            (#"\n"#, "\n"), ("é", "é"), ("\u{7F}", "\u{7F}"), ("\u{21}\u{23}\u{5B}\u{5D}", "!#[]"),
        ] {
            let text = String(decoding: filler[..<position], as: UTF8.self) + special + "aaaaaaaaaaaaaaaa"
            let read = try JSONValue.parse(Array("\"\(text)\"".utf8)).string
            #expect(read == String(decoding: filler[..<position], as: UTF8.self) + meaning + "aaaaaaaaaaaaaaaa")
        }
        var broken = Array("\"".utf8) + filler + Array("\"".utf8)
        broken[1 + position] = 0x1F
        #expect(throws: JSONError.self) { try JSONValue.parse(broken) }
    }

    @Test("a text may be nested up to the limit")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONValue.parse(nested(512))
        for text in [nested(513), [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)] {
            let error = try #require(throws: JSONError.self) { try JSONValue.parse(text) }
            #expect(error.reason == "nested more than 512 deep")
            #expect(throws: error) {
                var reader = JSONReader(text)
                try reader.skipValue()
            }
        }
        var reader = JSONReader(nested(3), maxDepth: 2)
        #expect(throws: JSONError.self) { try reader.skipValue() }
    }

    @Test("closed brackets leave the nesting depth")
    func siblings() throws {
        let text = "[" + String(repeating: "[],{},", count: 1000) + "0]"
        #expect(try JSONValue.parse(Array(text.utf8)).array?.count == 2001)
    }
}
