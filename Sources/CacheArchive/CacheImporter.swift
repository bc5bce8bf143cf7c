package import FeedCore

/// Merges an archive into a cache.
package struct CacheImporter: Sendable {
    private let terms: ImportTerms

    package init(_ terms: ImportTerms) { self.terms = terms }

    package func merge(
        _ source: any ByteSource, into intake: any CacheIntake, progress: @Sendable (ArchiveProgress) -> Void
    ) throws(FeedError) -> ImportReport {
        throw .invalidData("not yet")
    }
}
