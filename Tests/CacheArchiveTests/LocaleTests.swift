import CacheArchive
import FeedCore
import Glibc
import Synchronization
import TestDoubles
import TestSupport
import Testing

/// The locale of a thread must be restored, because another thread may free a different one.
@Suite("A thread keeps its own locale")
struct LocaleTests {
    @Test("reading an archive leaves the thread's locale unchanged") func reading() throws {
        let before = uselocale(nil)
        let importer = try CacheImporter(MemorySource(LayoutBuilder().tar()))
        #expect(uselocale(nil) == before)
        withExtendedLifetime(importer) {}
    }

    @Test("writing an archive leaves the thread's locale unchanged") func writing() async throws {
        let snapshot = try InMemoryTransfer(try await ArchiveFixture.sample(images: 2).cache).snapshot()
        let before = UInt(bitPattern: uselocale(nil))
        let steps = Mutex(0)
        _ = try CacheExporter().export([], from: snapshot, to: MemoryTarget(), fileName: "x.tar") { _ in
            #expect(UInt(bitPattern: uselocale(nil)) == before)
            steps.withLock { $0 += 1 }
        }
        #expect(UInt(bitPattern: uselocale(nil)) == before)
        #expect(steps.withLock { $0 } > 0)
    }
}
