import CacheArchive
import FeedCore
import TestDoubles
import TestSupport

/// A cache in memory that can be exported and imported.
struct ArchiveFixture {
    let cache = InMemoryCache()
    var feeds: InMemoryFeedStore { InMemoryFeedStore(cache) }
    var images: InMemoryImageStore { InMemoryImageStore(cache) }
    private var transfer: InMemoryTransfer { InMemoryTransfer(cache) }

    static let terms = ImportTerms(
        maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 1 << 20), restores: true, now: .writable.upperBound)
    static let plainTerms = ImportTerms(
        maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 1 << 20), now: .writable.upperBound)

    func save(_ saved: SavedFeed) async throws {
        try await feeds.change { change throws(FeedError) in try change.insert(saved) }
    }

    func store(_ bytes: [UInt8], at url: ResourceURL, _ validators: Validators = Validators()) async throws {
        let staged = try images.stage()
        try staged.append(bytes)
        let image = ReceivedImage(
            url: url, feeds: [.first], bytes: staged, size: Int64(bytes.count), type: .png,
            validators: validators,
            fetchedAt: Timestamp(microseconds: 1))
        _ = try await images.publish([image])
    }

    func export(
        _ feeds: [ResourceURL] = [], as fileName: String = "x.tar", without leftOut: Set<Digest>? = nil
    ) async throws -> [UInt8] {
        let target = MemoryTarget()
        _ = try await transfer.read(lockWait: .zero) { snapshot throws(FeedError) in
            try CacheExporter().export(
                feeds, from: snapshot, to: target, fileName: fileName, without: leftOut
            ) { _ in }
        }
        return target.isCommitted ? target.bytes : []
    }

    @discardableResult
    func takeIn(
        _ archive: [UInt8], _ terms: ImportTerms = terms, inPiecesOf most: Int = .max
    ) async throws -> ImportReport {
        try await transfer.takeIn { intake throws(FeedError) in
            try CacheImporter(MemorySource(archive, inPiecesOf: most)).merge(into: intake, terms) { _ in }
        }
    }

    /// Returns why an archive is refused, or nil if it is imported.
    ///
    /// Expects that a refusal leaves the cache empty.
    func refusal(of archive: [UInt8], _ terms: ImportTerms = terms) async throws -> String? {
        do {
            try await takeIn(archive, terms)
            return nil
        } catch let error as FeedError {
            guard try await feeds.summaries().isEmpty, try await images.totals().count == 0 else {
                return "refused, and something stayed"
            }
            return error.kind == .invalidData ? error.message : "no invalid data, but \(error)"
        }
    }

    /// Creates a cache with one feed whose images all have data.
    static func sample(images count: Int) async throws -> ArchiveFixture {
        let fixture = ArchiveFixture()
        try await fixture.save(.sample(images: count))
        for number in 0..<count { try await fixture.store(Samples.png("image \(number)"), at: .image(number)) }
        return fixture
    }
}
