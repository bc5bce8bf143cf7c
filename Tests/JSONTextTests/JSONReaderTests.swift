import JSONText
import TestSupport
import Testing

@Suite struct JSONReaderTests {
    private func reader(_ text: String) -> JSONReader { JSONReader(Array(text.utf8)) }

    @Test("objects and arrays are read member by member, and unwanted values are skipped")
    func walking() throws {
        var reader = reader(#" {"a": [1, -2], "skipped": [{"x": [null, "\n", 1e9]}, true], "b": {}, "c": "\u0063"} "#)
        var log: [String] = []
        try reader.enterObject()
        while let name = try reader.nextMember() {
            switch name {
            case "a":
                try reader.enterArray()
                while try reader.nextElement() { log.append("a \(try reader.readInt())") }
            case "b":
                try reader.enterObject()
                let member = try reader.nextMember()
                log.append("b \(member ?? "empty")")
            case "c": log.append("c \(try reader.readString())")
            default: try reader.skipValue()
            }
        }
        try reader.finish()
        #expect(log == ["a 1", "a -2", "b empty", "c c"])
    }

    @Test(
        "a string that is longer than its limit is an error, also with escapes",
        arguments: ["abcd", #"ab\u0063d"#, #"abc\n"#, "é é"])
    func longStrings(content: String) throws {
        let bytes = content == "é é" ? 5 : 4
        var reader = reader("[\"\(content)\"]")
        try reader.enterArray()
        _ = try reader.nextElement()
        let error = #expect(throws: JSONError.self) { try reader.readString(longest: bytes - 1) }
        #expect(error?.reason == "longer than \(bytes - 1) bytes")
        var other = self.reader("[\"\(content)\"]")
        try other.enterArray()
        _ = try other.nextElement()
        #expect(try other.readString(longest: bytes).utf8.count == bytes)
    }

    @Test("null and numbers are read by their kind")
    func scalars() throws {
        var reader = reader("[null, 1.50, 7]")
        try reader.enterArray()
        _ = try reader.nextElement()
        #expect(try reader.peek() == .null)
        try reader.readNull()
        _ = try reader.nextElement()
        #expect(try reader.readNumberText() == "1.50")
        _ = try reader.nextElement()
        #expect(try reader.readInt() == 7)
        #expect(try !reader.nextElement())
        try reader.finish()
    }

    @Test(
        "a value of an unexpected kind is reported with its path",
        arguments: [
            ("{}", "a.list[1]: not an object"), ("[]", "a.list[1]: not an array"), ("\"\"", "a.list[1]: not a string"),
            ("1", "a.list[1]: not a number"), ("null", "a.list[1]: not null"),
        ])
    func mismatches(asked: String, message: String) throws {
        let found = asked == "null" ? "false" : "null"
        var reader = reader(#"{"skipped":["]",{"}":1}],"a":{"list":[0,\#(found)]}}"#)
        try reader.enterObject()
        _ = try reader.nextMember()
        try reader.skipValue()
        _ = try reader.nextMember()
        try reader.enterObject()
        _ = try reader.nextMember()
        try reader.enterArray()
        _ = try reader.nextElement()
        _ = try reader.readInt()
        _ = try reader.nextElement()
        do throws(JSONError) {
            switch asked {
            case "{}": try reader.enterObject()
            case "[]": try reader.enterArray()
            case "\"\"": _ = try reader.readString()
            case "1": _ = try reader.readInt()
            default: try reader.readNull()
            }
            Issue.record("read \(found) as if it were \(asked)")
        } catch {
            #expect(error.description == message)
            #expect(error.kind == .mismatch)
        }
    }

    @Test(
        "a number that is no 64-bit integer is refused",
        arguments: ["9223372036854775808", "1.0", "1e2", "-9223372036854775809"])
    func integers(text: String) throws {
        var integer = reader(text)
        #expect(throws: JSONError.self) { try integer.readInt() }
    }

    @Test("a number beyond the range of a double is skipped like any other", arguments: ["1e999", "-1e999"])
    func largeNumbers(text: String) throws {
        var skipped = reader(text)
        try skipped.skipValue()
        try skipped.finish()
    }

    @Test("an error of a decoder carries the line, the column and the path")
    func complaints() throws {
        var reader = reader("{\"items\":[\n {\"id\": 1},\n {\"id\": 2}]}")
        try reader.enterObject()
        _ = try reader.nextMember()
        try reader.enterArray()
        _ = try reader.nextElement()
        try reader.skipValue()
        _ = try reader.nextElement()
        let error = reader.mismatch("missing", at: reader.position, member: "image")
        #expect(error.description == "items[1].image: missing")
        #expect((error.line, error.column) == (3, 2))
    }

    @Test(
        "a path shows hostile names escaped, shortened and limited in number",
        arguments: [
            (#"{"\u001b[2J":x"#, #"["\u001b[2J"]"#), (#"{"a.b":{"":x"#, #"["a.b"][""]"#),
            (#"{"a":{"b-c_1":x"#, "a.b-c_1"),
            ("{\"\(String(repeating: "n", count: 50))\":x", "[\"\(String(repeating: "n", count: 40))…\"]"),
            (String(repeating: "[", count: 40) + "x", String(repeating: "[0]", count: 16) + "…"),
        ])
    func paths(text: String, path: String) throws {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8)) }
        #expect(error?.path == path)
    }
}
