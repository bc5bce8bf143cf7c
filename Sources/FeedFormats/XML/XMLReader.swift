internal import FeedCore

/// Reads an XML document front to back with libxml2 and tells a visitor of it. No tree is built; no entity is expanded
/// but those of XML and HTML themselves; nothing outside the document is looked for.
enum XMLReader {
    /// The visitor that `make` gives, told of all there is.
    static func read<Visitor: XMLVisitor>(
        _ document: FeedSource, _ make: () -> Visitor
    ) throws(XMLProblem) -> Visitor {
        var first: XMLProblem?
        for encoding in XMLEncoding.candidates(for: document) {
            do {
                return try read(document, in: encoding, make())
            } catch {
                guard case .malformed = error else { throw error }
                first = first ?? error
            }
        }
        throw first ?? .malformed(XMLMalformation(reason: "not well-formed", line: 1, column: 1))
    }

    private static func read<Visitor: XMLVisitor>(
        _ document: FeedSource, in encoding: XMLEncoding, _ visitor: Visitor
    ) throws(XMLProblem) -> Visitor {
        let session = try XMLSession(document, in: encoding, telling: visitor)
        try session.run()
        return visitor
    }
}
