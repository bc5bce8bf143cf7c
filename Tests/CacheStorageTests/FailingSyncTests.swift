import CacheStorage
import FeedCore
import Glibc
import Synchronization
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Failing fsyncs")
struct FailingSyncTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    @Test("an image whose fsync fails is deleted without a second try, and the other images are stored")
    func failsAlone() async throws {
        let tries = Mutex<[Int64: Int]>([:])
        let images = try scratch.images { file throws(SystemError) in
            let size = Int64(try file.status().st_size)
            tries.withLock { $0[size, default: 0] += 1 }
            if size == 3 { throw SystemError(code: EIO, "bad: can't be written to disk: Input/output error") }
        }
        let batch = try ["good", "bad", "better"].enumerated().map { try images.stage($1, at: .image($0)) }
        let failures = try await images.failures(publishing: batch)
        #expect(failures == [nil, .storage(.failed, "bad: can't be written to disk: Input/output error"), nil])
        #expect(try await images.find((0..<3).map { .image($0) }).map { $0?.size } == [4, nil, 6])
        #expect(try scratch.names(in: "incoming") == [])
        #expect(try scratch.names(in: "images/sha256").count == 2)

        #expect(try await images.failures(publishing: [batch[1]]).compactMap { $0 }.count == 1)
        #expect(tries.withLock { $0 } == [3: 1, 4: 1, 6: 1])
    }

    @Test("equal bytes are published from another file of the batch if the fsync of one file fails", arguments: [0, 1])
    func equalBytes(_ failing: Int) async throws {
        let failed = Mutex(false)
        let images = try scratch.images { file throws(SystemError) in
            let name = file.path.split(separator: "/").last
            if name == "\(failing)" {
                failed.withLock { $0 = true }
                throw SystemError(code: EIO, "bad")
            }
        }
        let batch = try (0..<2).map { try images.stage("same", at: .image($0)) }
        let failures = try await images.failures(publishing: batch)
        #expect(failures.count { $0 == nil } == 1)
        #expect(failed.withLock { $0 })
        #expect(try await images.totals() == ImageTotals(count: 1, bytes: 4))
    }

    @Test("a disk that becomes full ends the run, and the images stored before are kept", arguments: [ENOSPC, EDQUOT])
    func full(_ code: Int32) async throws {
        let images = try scratch.images { file throws(SystemError) in
            if try file.status().st_size == 3 { throw SystemError(code: code, "full") }
        }
        let batch = try ["good", "bad"].enumerated().map { try images.stage($1, at: .image($0)) }
        #expect(images.exhaustion == nil)
        #expect(try await images.failures(publishing: batch) == [nil, .storage(.failed, "full").lackingRoom()])
        #expect(images.exhaustion == .storage(.failed, "full").lackingRoom())
        #expect(try await images.find([.image(0), .image(1)]).map { $0?.size } == [4, nil])
    }

    @Test("if rows can't be saved, their new files are deleted and older files stay")
    func unsaved() async throws {
        let images = try scratch.images { _ throws(SystemError) in }
        try await images.publish("old", at: .image(0))
        try scratch.execute("CREATE TRIGGER fault BEFORE INSERT ON data BEGIN SELECT raise(ABORT, 'fault'); END")
        let batch = try ["old", "new", "newer", "new"].enumerated().map { try images.stage($1, at: .image(1 + $0)) }
        let before = try scratch.snapshot("images")
        await expect(.failed) { () throws(FeedError) in _ = try await images.failures(publishing: batch) }
        #expect(try scratch.snapshot("images") == before)
        #expect(try scratch.names(in: "incoming") == [])
        try scratch.execute("DROP TRIGGER fault")
        #expect(try await images.publish("new", at: .image(2)).size == 3)
    }

    @Test("a missing directory of images ends the run instead of failing one image")
    func directoryGone() async throws {
        let images = try scratch.images { _ throws(SystemError) in }
        try Descriptor.directory(at: scratch.path).removeAll("images")
        let batch = try (0..<2).map { try images.stage("image \($0)", at: .image($0)) }
        await expect(.failed) { () throws(FeedError) in _ = try await images.failures(publishing: batch) }
    }

    @Test("a staged file that is missing fails only its own image")
    func stagedFileGone() async throws {
        let images = try scratch.images { file throws(SystemError) in if file.path.hasSuffix("/0") { unlink(file.path) }
        }
        let batch = try (0..<2).map { try images.stage("image \($0)", at: .image($0)) }
        #expect(try await images.failures(publishing: batch).count { $0 == nil } == 1)
    }
}
