import Glibc
import TestSupport

/// The built program, with a cache and a home of its own, in a directory that goes with it.
final class Program: Sendable {
    let directory: TemporaryDirectory
    let cache: String
    private let executable: String

    /// `cache` is one that is there already.
    init(cache: String? = nil) throws {
        directory = try TemporaryDirectory()
        self.cache = cache ?? directory.path("cache")
        executable = try Self.builtExecutable()
    }

    /// As cron has it: hardly any environment. More of it comes from `environment`. Nothing is tried again unless a
    /// test asks for it: most are not about that, and would wait for seconds.
    @discardableResult
    func run(
        _ arguments: String..., environment: [String: String] = [:], input: [UInt8] = []
    ) async throws -> ProcessResult {
        try await run(arguments, environment: environment, input: input)
    }

    func run(
        _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = []
    ) async throws -> ProcessResult {
        try await Subprocess.run(
            executable, arguments, environment: surroundings(environment), standardInput: input)
    }

    /// As one whom the modes of files and directories bind, which root is not by itself.
    @discardableResult
    func runBound(_ arguments: String...) async throws -> ProcessResult { try await runBound(arguments) }

    func runBound(_ arguments: [String]) async throws -> ProcessResult {
        try await shell(
            #"""
            user=$(id -u); [ "$user" = 0 ] && bound="setpriv --bounding-set=-dac_override,-dac_read_search"
            exec $bound "$feedsync" "$@"
            """#, arguments)
    }

    func start(_ arguments: String...) throws -> StartedProcess { try start(arguments) }

    func start(_ arguments: [String]) throws -> StartedProcess {
        try StartedProcess(executable, arguments, environment: surroundings([:]))
    }

    /// At a terminal, with the environment that one has.
    func start(
        _ arguments: [String], on terminal: PseudoTerminal, environment: [String: String] = ["TERM": "xterm"]
    ) throws -> StartedProcess {
        try StartedProcess(executable, arguments, environment: surroundings(environment), on: terminal)
    }

    /// Runs a shell script in which `"$feedsync"` is the program and `$1` and on are `arguments`: for redirections,
    /// limits and bare environments.
    func shell(_ script: String, _ arguments: String...) async throws -> ProcessResult {
        try await shell(script, arguments)
    }

    func shell(_ script: String, _ arguments: [String]) async throws -> ProcessResult {
        try await Subprocess.run(
            "sh", ["-c", script, "sh"] + arguments, environment: surroundings(["feedsync": executable]))
    }

    /// The same in a mount namespace of its own, which goes with the script, and in others that `unshare` has options for.
    /// Whoever isn't root is in there.
    func shellWithOwnMounts(
        _ script: String, _ arguments: [String], besides options: String = ""
    ) async throws -> ProcessResult {
        try await shell(
            #"[ "$(id -u)" = 0 ] && user= || user=-r; script=$1; shift; "#
                + #"exec unshare --mount \#(options) $user sh -c "$script" sh "$@""#,
            [script] + arguments)
    }

    func shellWithOwnMounts(_ script: String, _ arguments: String...) async throws -> ProcessResult {
        try await shellWithOwnMounts(script, arguments)
    }

    /// The same as `shell`, not waited for.
    func startShell(_ script: String, _ arguments: String...) throws -> StartedProcess {
        try startShell(script, arguments)
    }

    func startShell(_ script: String, _ arguments: [String]) throws -> StartedProcess {
        try StartedProcess(
            "sh", ["-c", script, "sh"] + arguments, environment: surroundings(["feedsync": executable]))
    }

    private func surroundings(_ more: [String: String]) -> [String: String] {
        let base = [
            "FEEDSYNC_CACHE": cache, "HOME": directory.path, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            // A server that a test holds up is not to be given up because the machine is slow, nor to be tried again.
            "FEEDSYNC_TIMEOUT": "900", "FEEDSYNC_RETRIES": "0",
            // Only read by a program that was built with AddressSanitizer.
            "ASAN_OPTIONS": getenv("ASAN_OPTIONS").map { String(cString: $0) } ?? "",
        ]
        return base.merging(more) { _, given in given }
    }

    /// It lies beside the program of the tests, wherever that was built, unless another is to be tested.
    static func builtExecutable() throws -> String {
        if let other = getenv("FEEDSYNC_TESTED") { return String(cString: other) }
        guard let tests = realpath("/proc/self/exe", nil) else { throw NoExecutable() }
        defer { free(tests) }
        let path = String(cString: tests)
        guard let slash = path.lastIndex(of: "/") else { throw NoExecutable() }
        let executable = "\(path[..<slash])/feedsync"
        guard access(executable, X_OK) == 0 else { throw NoExecutable() }
        return executable
    }

    private struct NoExecutable: Error, CustomStringConvertible {
        var description: String { "the built feedsync does not lie beside the tests" }
    }
}

extension StartedProcess {
    /// Returns when its request waits at the gate; or when it has ended without, for a test to fail and not to wait.
    func comes(to gate: Gate) async {
        Task {
            _ = await wait()
            gate.open()
            gate.pass()
        }
        await gate.waitForArrivals()
    }
}
