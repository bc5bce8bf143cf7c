import JSONText

/// The format of the JSON objects on standard output, which scripts rely on.
enum JSONFormat {
    /// The first member of each object. It changes when a member changes its meaning or is removed.
    static let version = 1

    /// Returns a line with an object of these members.
    static func text(_ members: [(String, JSONValue)]) -> String {
        JSONValue.object([("version", .integer(version))] + members).text() + "\n"
    }
}
