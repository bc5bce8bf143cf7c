import JSONText
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    private let sample: JSONValue = [
        "z": "first", "a": [1, -2, []], "nested": ["flag": true, "nothing": nil, "empty": [:]], "number": 0.1,
    ]

    @Test("a compact text has no white space and keeps the order of members")
    func compact() {
        #expect(
            sample.text()
                == #"{"z":"first","a":[1,-2,[]],"nested":{"flag":true,"nothing":null,"empty":{}},"number":0.1}"#)
    }

    @Test(
        "strings are written with their control characters escaped",
        arguments: [
            ("\"\\/", #""\"\\/""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\0\u{1B}[2J\u{1F}", #""\u0000\u001b[2J\u001f""#),
            ("\u{7F}\u{80}\u{9B}\u{9F}\u{A0}", #""\u007f\u0080\u009b\u009f"# + "\u{A0}\""),
            ("a\u{2027}\u{2028}\u{2029}\u{202A}", "\"a\u{2027}" + #"\u2028\u2029"# + "\u{202A}\""), ("é日🌅", "\"é日🌅\""),
            ("", "\"\""),
        ])
    func escaping(text: String, written: String) throws {
        #expect(JSONValue.string(text).text() == written)
        #expect(try JSONValue.parse(Array(written.utf8)) == .string(text))
        #expect(JSONValue.object([(text, .null)]).text() == "{\(written):null}")
    }

    @Test("every Unicode scalar is read back as it was written", arguments: 0...16)
    func everyScalar(plane: UInt32) throws {
        let scalars = ((plane << 16)...(plane << 16 | 0xFFFF)).compactMap { Unicode.Scalar($0) }
        // Appending the scalars one by one would copy the earlier ones each time.
        let text = String(String.UnicodeScalarView(scalars))
        let read = try JSONValue.parse(Array(JSONValue.string(text).text().utf8)).string
        #expect(read?.utf8.elementsEqual(text.utf8) == true)
    }

    @Test(
        "numbers are written with the fewest digits that read back as the same number",
        arguments: [
            (0.1, "0.1"), (1, "1.0"), (-2.5, "-2.5"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"),
            (1.0 / 3, "0.3333333333333333"),
            (.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func numbers(number: Double, written: String) throws {
        #expect(JSONValue.double(number).text() == written)
        if number.isFinite { #expect(try JSONValue.parse(Array(written.utf8)).double == number) }
    }

    @Test("integers of any width are written completely")
    func integers() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.write(UInt64.max)
        writer.write(Int64.min)
        writer.write(UInt8(7))
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "[18446744073709551615,-9223372036854775808,7]")
    }

    @Test("a text that is drained in pieces is complete")
    func draining() {
        var writer = JSONWriter()
        var pieces: [UInt8] = []
        writer.beginObject()
        pieces += writer.drain()
        writer.name("list")
        pieces += writer.drain()
        writer.beginArray()
        for number in 0..<3 {
            pieces += writer.drain()
            writer.write(number)
        }
        writer.endArray()
        pieces += writer.drain()
        writer.member("text", "x" as String?)
        writer.member("none", nil as String?)
        writer.member("count", 3)
        writer.name(given: "flag")
        writer.write(false)
        writer.endObject()
        pieces += writer.drain()
        let value: JSONValue = ["list": [0, 1, 2], "text": "x", "none": nil, "count": 3, "flag": false]
        #expect(String(decoding: pieces, as: UTF8.self) == value.text())
        #expect(writer.bytes.isEmpty)
    }

    @Test(
        "text in a message is quoted, escaped and shortened",
        arguments: [
            ("abc", 3, "\"abc\""), ("abcd", 3, "\"abc…\""), ("", 3, "\"\""), ("\u{1B}\u{1B}", 1, #""\u001b…""#),
            ("e\u{301}e", 1, "\"e…\""),
        ])
    func quoting(text: String, limit: Int, quoted: String) {
        #expect(JSONWriter.quote(text, limit: limit) == quoted)
    }
}
