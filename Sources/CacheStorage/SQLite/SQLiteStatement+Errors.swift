internal import FeedCore

extension SQLiteStatement {
    /// Those that rows tell of.
    private static let kinds = Dictionary(
        uniqueKeysWithValues: [FeedError.Kind.connectivity, .invalidData, .notFound].map { ($0.name, $0) })

    /// Nil where there is none.
    func errorKind(_ column: Int32) -> FeedError.Kind? { text(column).flatMap { Self.kinds[$0] } }
}
