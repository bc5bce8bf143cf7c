import FeedCore
import Glibc
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Local files", .timeLimit(.minutes(10)))
struct LocalFileClientTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func request(_ path: String, maxBytes: Int64 = 1 << 30) -> HTTPRequest {
        HTTPRequest(url: ResourceURL(filePath: path), maxBytes: maxBytes)
    }

    @Test("a local file is delivered like a server's response", arguments: [0, 1, 128 << 10, 300_000])
    func delivered(_ size: Int) async throws {
        let body = pattern(size)
        let path = try directory.write(body, to: "a b%.json")
        let sink = RecordingSink()

        let response = try await LocalFileClient().get(request(path), into: sink)

        #expect(response == HTTPResponse(head: HTTPHead(status: 200), bodyBytes: Int64(size)))
        #expect(sink.messages.first == .begin(HTTPHead(status: 200)))
        #expect(sink.received(body))
    }

    @Test("a missing local file is not found")
    func missing() async throws {
        let path = directory.path("missing")
        let below = try directory.write("x", to: "file") + "/below"
        for path in [path, below] {
            let missing = FeedError.notFound("no such file").adding(": \(path)")
            #expect(await failure(of: request(path), by: LocalFileClient()) == missing)
        }
    }

    @Test("a directory, a FIFO and a device are refused as feed or image")
    func irregular() async throws {
        let fifo = directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let expected = [
            directory.path: "a directory, not a file", fifo: "not a regular file", "/dev/zero": "not a regular file",
        ]
        for (path, reason) in expected {
            let sink = RecordingSink()
            let error = await failure(of: request(path), by: LocalFileClient(), into: sink)
            #expect(error == .invalidData("\(path): \(reason)"))
            #expect(sink.messages.isEmpty)
        }
    }

    @Test("a file that an option names may be a pipe but no directory or device")
    func operand() async throws {
        let client = LocalFileClient(for: .operand)
        let fifo = directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        for size in [0, 10, 300_000] {
            let (body, sink) = (pattern(size), RecordingSink())
            try BlockingThread.start { [directory] in
                #expect(throws: Never.self) { try directory.write(body, to: "fifo") }
            }
            let response = try await client.get(request(fifo, maxBytes: 300_000), into: sink)
            #expect(response.bodyBytes == Int64(size))
            #expect(sink.received(body))
        }
        for path in [directory.path, "/dev/zero"] {
            #expect(await failure(of: request(path), by: client)?.kind == .notFound)
        }
    }

    @Test("a pipe is read up to the size limit")
    func largePipe() async throws {
        let fifo = directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let writer = open(fifo, O_RDWR | O_CLOEXEC)
        let bytes = pattern(2048)
        #expect(Glibc.write(writer, bytes, bytes.count) == bytes.count)
        let error = await failure(of: request(fifo, maxBytes: 1024), by: LocalFileClient(for: .operand))
        close(writer)
        #expect(error == .invalidData("larger than 1K").dependingOnSettings())
    }

    @Test("waiting for a pipe without a writer ends with the task")
    func idlePipe() async throws {
        let fifo = directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let request = request(fifo)
        let task = Task { await failure(of: request, by: LocalFileClient(for: .operand)) }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("a local file that fails to open is reported with the reason")
    func unusable() async throws {
        let path = directory.path("loop")
        #expect(symlink(path, path) == 0)
        let error = await failure(of: request(path), by: LocalFileClient())
        #expect(error == .notFound("\(path): Too many levels of symbolic links"))
    }

    @Test("a local file above the size limit is refused, and one of exactly that size is accepted")
    func tooLarge() async throws {
        let path = try directory.write(pattern(2048), to: "file")
        #expect(
            await failure(of: request(path, maxBytes: 1024), by: LocalFileClient())
                == .invalidData("larger than 1K").dependingOnSettings())
        #expect(try await LocalFileClient().get(request(path, maxBytes: 2048), into: NullSink()).bodyBytes == 2048)
    }

    @Test("reading a local file stops when the sink throws or declines")
    func sink() async throws {
        let path = try directory.write(pattern(300_000), to: "file")
        let full = FeedError.storage(.failed, "disk full")
        let throwing = RecordingSink(failure: full)
        #expect(await failure(of: request(path), by: LocalFileClient(), into: throwing) == full)
        #expect(throwing.chunkSizes.count == 1)

        let unwanting = RecordingSink(isWanted: false)
        _ = try await LocalFileClient().get(request(path), into: unwanting)
        #expect(unwanting.messages.count == 1)
    }

    @Test("reading a local file stops at the current chunk when it is cancelled")
    func cancelled() async throws {
        let path = try directory.write(pattern(1_000_000), to: "file")
        let gate = Gate()
        let sink = RecordingSink(gate: gate)
        let request = request(path)
        let task = Task { await failure(of: request, by: LocalFileClient(), into: sink) }
        await gate.waitForArrivals()

        task.cancel()
        gate.open()

        #expect(await task.value == .cancelled)
        #expect(sink.chunkSizes.count == 1)
    }
}
