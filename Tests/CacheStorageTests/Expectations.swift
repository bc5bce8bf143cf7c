import FeedCore
import TestDoubles
import TestSupport
import Testing

/// Expects that the work throws this fault of the cache, and returns its message.
@discardableResult
func expect(
    _ fault: FeedError.StorageFault, sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws(FeedError) -> Void
) async -> String {
    do throws(FeedError) {
        try await work()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        return ""
    } catch {
        #expect(error.kind == .storage(fault), "\(error.message)", sourceLocation: sourceLocation)
        return error.message
    }
}

func digest(_ text: String) -> Digest { InMemoryImageStore.digest(of: Array(text.utf8)) }

func offered(_ text: String, at url: ResourceURL) -> OfferedImage {
    OfferedImage(
        url: url, digest: digest(text), size: Int64(text.utf8.count), type: .png,
        validators: Validators(etag: "\"e\""), fetchedAt: Timestamp(microseconds: 3))
}
