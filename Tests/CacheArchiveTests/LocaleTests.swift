import FeedCore
import Glibc
import TestDoubles
import TestSupport
import Testing

@testable import CacheArchive

/// One that a thread is left with may be freed by another.
@Suite("A thread keeps its own locale")
struct LocaleTests {
    @Test("beside an archive that is being read") func reading() throws {
        let before = uselocale(nil)
        let importer = try CacheImporter(MemorySource(LayoutBuilder().tar()))
        #expect(uselocale(nil) == before)
        withExtendedLifetime(importer) {}
    }

    @Test("beside one that is being written") func writing() throws {
        let before = uselocale(nil)
        let writer = try ArchiveWriter(.none, to: MemoryTarget())
        try writer.begin("name", size: 0)
        #expect(uselocale(nil) == before)
        withExtendedLifetime(writer) {}
    }
}
