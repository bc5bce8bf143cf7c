package import JSONText

// Reads whole JSON values. Only tests do so: the program reads feeds and archives piece by piece.
extension JSONValue {
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try JSONValue(readingFrom: &reader)
        try reader.finish()
        return value
    }

    private init(readingFrom reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            self = .null
        case .bool: self = try Self.bool(from: &reader)
        case .number: self = try Self.number(from: &reader)
        case .string: self = .string(try reader.readString())
        case .array:
            var elements: [JSONValue] = []
            try reader.enterArray()
            while try reader.nextElement() { elements.append(try JSONValue(readingFrom: &reader)) }
            self = .array(elements)
        case .object:
            var members: [(String, JSONValue)] = []
            try reader.enterObject()
            while let name = try reader.nextMember() { members.append((name, try JSONValue(readingFrom: &reader))) }
            self = .object(members)
        }
    }

    private static func bool(from reader: inout JSONReader) throws(JSONError) -> JSONValue {
        let start = reader.position
        try reader.skipValue()
        return .bool(reader.position - start == "true".utf8.count)
    }

    /// The value as an integer, if it is written as one and fits.
    private static func number(from reader: inout JSONReader) throws(JSONError) -> JSONValue {
        let start = reader.position
        let text = try reader.readNumberText()
        if let integer = Int(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw reader.mismatch("a number too large", at: start) }
        return .double(double)
    }
}

// MARK: - Looking into a value

extension JSONValue {
    /// The last member of that name, as most readers return it; nil if this is not an object or the name is missing.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.0 == name }?.1
    }

    /// The element at an index; nil if this is not an array or the element is missing.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var int: Int? { if case .integer(let number) = self { number } else { nil } }
    package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    package var isNull: Bool { if case .null = self { true } else { false } }
    package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The names of the members in their order.
    package var names: [String]? { if case .object(let members) = self { members.map(\.0) } else { nil } }

    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}

extension JSONValue: Equatable {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left.elementsEqual(right, by: ==)
        default: false
        }
    }
}
