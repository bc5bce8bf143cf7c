import Glibc
import TestSupport

/// The built program with its own cache and home, in a directory that is deleted afterwards.
final class Program: Sendable {
    let directory: TemporaryDirectory
    let cache: String
    private let executable: String

    /// Makes a program.
    ///
    /// `cache` is the path of an existing cache.
    init(cache: String? = nil) throws {
        directory = try TemporaryDirectory()
        self.cache = cache ?? directory.path("cache")
        executable = try Self.builtExecutable()
    }

    /// Runs the program with a minimal environment, as cron does.
    ///
    /// `environment` adds variables. Retries are off unless a test enables them, because most tests are about something
    /// else and would wait for seconds.
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

    /// Runs the program as a user to whom the modes of files and directories apply, unlike root.
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

    /// Runs the program on a terminal, with the environment of a terminal.
    func start(
        _ arguments: [String], on terminal: PseudoTerminal, environment: [String: String] = ["TERM": "xterm"]
    ) throws -> StartedProcess {
        try StartedProcess(executable, arguments, environment: surroundings(environment), on: terminal)
    }

    /// Runs a shell script in which `"$feedsync"` is the program and `$1` and following are `arguments`: for
    /// redirections, limits and bare environments.
    func shell(_ script: String, _ arguments: String...) async throws -> ProcessResult {
        try await shell(script, arguments)
    }

    func shell(_ script: String, _ arguments: [String]) async throws -> ProcessResult {
        try await Subprocess.run(
            "sh", ["-c", script, "sh"] + arguments, environment: surroundings(["feedsync": executable]))
    }

    /// Runs a shell script in its own mount namespace, which ends with the script, and in others that `unshare` has
    /// options for.
    ///
    /// A user other than root is root inside.
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

    /// Starts a shell script without waiting for it.
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
            // A server that a test holds up must neither be given up on a slow machine nor get retries.
            "FEEDSYNC_TIMEOUT": "900", "FEEDSYNC_RETRIES": "0",
            // Only a program that was built with AddressSanitizer reads this variable.
            "ASAN_OPTIONS": getenv("ASAN_OPTIONS").map { String(cString: $0) } ?? "",
        ]
        return base.merging(more) { _, given in given }
    }

    /// The path of the program, which lies beside the built tests unless the environment names another.
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
    /// Returns when the run's request waits at the gate, or when the run has ended without one, so that the test fails
    /// instead of waiting.
    func comes(to gate: Gate) async {
        Task {
            _ = await wait()
            gate.open()
            gate.pass()
        }
        await gate.waitForArrivals()
    }
}
