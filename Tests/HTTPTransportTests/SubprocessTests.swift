import Glibc
import TestSupport
import Testing

@Suite("Subprocesses of a test", .timeLimit(.minutes(10)))
struct SubprocessTests {
    @Test("a subprocess receives its input and returns its output and status")
    func run() async throws {
        let text = pattern(1_000_000)
        let result = try await Subprocess.run("sh", ["-c", "cat; echo oops >&2; exit 7"], standardInput: text)
        #expect(result.status == .exited(7))
        #expect(result.standardOutput == text)
        #expect(result.errorText == "oops\n")
    }

    @Test("a subprocess has exactly the given environment")
    func environment() async throws {
        let result = try await Subprocess.run("/usr/bin/env", environment: ["A": "1=2"])
        #expect(result.outputText == "A=1=2\n")
    }

    @Test("a subprocess may ignore its input")
    func unread() async throws {
        let result = try await Subprocess.run("true", standardInput: pattern(1_000_000))
        #expect(result.status == .exited(0))
    }

    @Test("a subprocess can be ended by a signal")
    func signalled() async throws {
        let process = try StartedProcess("sleep", ["1000"])
        process.kill(SIGTERM)
        #expect(await process.wait().status == .signalled(SIGTERM))
        process.kill(SIGKILL)
    }

    @Test("a subprocess sees the end of its input, however many descriptors are open")
    func descriptors() async throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 8192))
        setrlimit(resource, &limit)
        var many: [Int32] = []
        defer { for descriptor in many { close(descriptor) } }
        while many.last.map({ $0 < 1100 }) ?? true {
            many.append(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
            try #require(many.last != -1)
        }
        #expect(try await Subprocess.run("cat", standardInput: [1, 2, 3]).standardOutput == [1, 2, 3])
    }

    @Test("starting a missing program is an error")
    func missing() async throws {
        await #expect(throws: SystemFailure.self) { try await Subprocess.run("/nonexistent/program") }
    }
}
