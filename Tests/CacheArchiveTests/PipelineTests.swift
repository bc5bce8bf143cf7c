import FeedCore
import Synchronization
import TestDoubles
import Testing

@testable import CacheArchive

@Suite("A pipeline")
struct PipelineTests {
    private static let digest = InMemoryImageStore.digest(of: [1])

    private static func put(_ number: Int64, into pipeline: Pipeline) throws(FeedError) {
        let batch = pipeline.emptyBatch()
        batch.endSlice(of: digest, from: number, isEnd: true)
        try pipeline.put(batch)
    }

    @Test("a pipeline passes on every batch in order") func order() throws {
        let found = Mutex<[Int64]>([])
        let pipeline = Pipeline("writer")
        pipeline.run { pipeline throws(FeedError) in
            while let batch = try pipeline.take() {
                found.withLock { $0 += batch.slices.map(\.offset) }
                pipeline.reuse(batch)
            }
        }
        for number in 0..<100 { try Self.put(Int64(number), into: pipeline) }
        pipeline.finish()
        pipeline.wait()
        try pipeline.check()
        #expect(found.withLock { $0 } == Array(0..<100))
    }

    @Test("a failure of a pipeline's writer reaches the waiting reader") func writerFails() {
        let pipeline = Pipeline("writer")
        pipeline.run { pipeline throws(FeedError) in
            _ = try pipeline.take()
            throw .storage(.failed, "full")
        }
        for _ in 0..<2 {
            #expect(throws: FeedError.storage(.failed, "full")) {
                while true { try Self.put(0, into: pipeline) }
            }
        }
    }

    @Test("a failure of a pipeline's reader reaches the writer") func readerFails() {
        let pipeline = Pipeline("reader")
        pipeline.run { pipeline throws(FeedError) in
            try Self.put(0, into: pipeline)
            throw .invalidData("damaged")
        }
        for _ in 0..<2 {
            #expect(throws: FeedError.invalidData("damaged")) {
                while try pipeline.take() != nil {}
            }
        }
    }

    @Test("a pipeline that was stopped releases its reader") func stopped() {
        let pipeline = Pipeline("reader")
        pipeline.run { pipeline throws(FeedError) in
            while true { try Self.put(0, into: pipeline) }
        }
        pipeline.fail(.cancelled)
        pipeline.wait()
        #expect(throws: FeedError.cancelled) { try pipeline.check() }
    }
}
