import FeedCore
import Glibc
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

/// The locale of a thread must be restored, because another thread may free a different one.
@Suite("A thread keeps its own locale")
struct LocaleTests {
    @Test("reading an archive leaves the thread's locale unchanged") func reading() throws {
        let before = uselocale(nil)
        let importer = try CacheImporter(MemorySource(LayoutBuilder().tar()))
        #expect(uselocale(nil) == before)
        withExtendedLifetime(importer) {}
    }

    @Test("writing an archive leaves the thread's locale unchanged") func writing() throws {
        let before = uselocale(nil)
        let writer = try ArchiveWriter(.none, to: MemoryTarget())
        try writer.begin("name", size: 0)
        #expect(uselocale(nil) == before)
        withExtendedLifetime(writer) {}
    }
}
