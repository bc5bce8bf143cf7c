import JSONText
import TestSupport
import Testing

extension ProcessResult {
    /// Parses standard output as JSON without its version, which comes first.
    var json: JSONValue {
        get throws { try JSONValue.parse(standardOutput).afterVersion }
    }

    /// Parses standard output as JSON and replaces what differs from run to run: a well-formed time becomes "TIME", and
    /// the run's duration 0.
    var comparableJSON: JSONValue {
        get throws { try json.comparable }
    }

    var outputLines: [Substring] { outputText.split(separator: "\n") }
    var errorLines: [Substring] { errorText.split(separator: "\n") }
}

extension JSONValue {
    /// The object without the version 1, which is the first member of each object on standard output.
    var afterVersion: JSONValue {
        get throws {
            guard case .object(let members) = self else { throw NoVersion() }
            guard members.first?.0 == "version", members.first?.1.int == 1 else { throw NoVersion() }
            return .object(Array(members.dropFirst()))
        }
    }

    private struct NoVersion: Error {}

    var comparable: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.comparable))
        case .object(let members): .object(members.map { ($0, Self.comparable($1, named: $0)) })
        default: self
        }
    }

    private static func comparable(_ value: JSONValue, named name: String) -> JSONValue {
        switch (name, value) {
        case ("saved_at", .string(let text)) where isTime(text), ("at", .string(let text)) where isTime(text),
            ("fetched_at", .string(let text)) where isTime(text):
            "TIME"
        case ("age_seconds", .integer(0...60)): 0
        case ("duration_seconds", .double), ("duration_seconds", .integer): 0
        default: value.comparable
        }
    }

    /// Matches RFC 3339 in UTC with microseconds.
    private static func isTime(_ text: String) -> Bool {
        text.wholeMatch(of: #/2\d{3}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{6}Z/#) != nil
    }
}

/// Expects this exit code, and one line on standard error that contains each of `parts`.
func expectOneLine(
    _ result: ProcessResult, exit code: Int32, _ parts: [String],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.status == .exited(code), "\(result.errorText)", sourceLocation: sourceLocation)
    #expect(result.errorLines.count == 1, "\(result.errorText)", sourceLocation: sourceLocation)
    #expect(result.outputText == "", sourceLocation: sourceLocation)
    for part in parts {
        #expect(result.errorText.contains(part), "\(result.errorText)", sourceLocation: sourceLocation)
    }
}

/// Expects that the run succeeded silently.
func expectQuiet(
    _ result: ProcessResult, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.status == .exited(0), "\(result.errorText)", sourceLocation: sourceLocation)
    #expect(result.outputText == "", sourceLocation: sourceLocation)
    #expect(result.errorText == "", sourceLocation: sourceLocation)
}
