import JSONText
import TestSupport
import Testing

@Suite struct JSONValueTests {
    @Test("a value gives its members by name and index, and nil for missing ones")
    func lookingInto() throws {
        let value = try JSONValue.parse(Array(#"{"a":[1,2.5,"x",true,null],"b":{},"a2":1,"a2":2}"#.utf8))
        #expect(value["a"]?[0]?.int == 1)
        #expect(value["a"]?[0]?.double == 1)
        #expect(value["a"]?[1]?.double == 2.5)
        #expect(value["a"]?[1]?.int == nil)
        #expect(value["a"]?[2]?.string == "x")
        #expect(value["a"]?[3]?.bool == true)
        #expect(value["a"]?[4]?.isNull == true)
        #expect(value["a"]?[5] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?.array?.count == 5)
        #expect(value["a"]?["x"] == nil)
        #expect(value["c"] == nil)
        #expect(value[0] == nil)
        #expect(value["a2"]?.int == 2)
        #expect(value.names == ["a", "b", "a2", "a2"])
    }

    @Test("values are equal if their kinds, contents and member orders are equal")
    func equality() {
        let values: [JSONValue] = [
            nil, true, false, 1, 1.0, "1", [], [1], [:], ["a": 1], ["a": 1, "b": 2], ["b": 2, "a": 1],
        ]
        for (index, value) in values.enumerated() {
            #expect(values.indices.filter { values[$0] == value } == [index])
        }
    }

    @Test("a missing text is written as null")
    func missingText() {
        #expect(JSONValue(nil as String?) == .null)
        #expect(JSONValue("x") == "x")
    }
}
