/// A JSON value in memory, for small documents.
///
/// An object keeps the order of its members.
package indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// Creates a string, or null for nil.
    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    package func text() -> String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    package mutating func write(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .bool(let flag): write(flag)
        case .integer(let number): write(number)
        case .double(let number): write(number)
        case .string(let text): write(text)
        case .array(let elements):
            beginArray()
            for element in elements { write(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, value) in members {
                self.name(given: name)
                write(value)
            }
            endObject()
        }
    }
}

// MARK: - Written as Swift

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(members) }
}
