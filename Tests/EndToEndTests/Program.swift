import Glibc
import JSONText
import TestSupport

/// The built program, with a cache and a home of its own, in a folder that goes with it.
final class Program: Sendable {
    let folder: TemporaryDirectory
    let cache: String
    private let executable: String

    init() throws {
        folder = try TemporaryDirectory()
        cache = folder.path("cache")
        executable = try Self.builtExecutable()
    }

    /// As cron has it: hardly any environment. More of it comes from `environment`.
    @discardableResult
    func run(
        _ arguments: String..., environment: [String: String] = [:], input: [UInt8] = []
    ) async throws -> ProcessResult {
        try await Subprocess.run(
            executable, arguments, environment: surroundings(environment), standardInput: input)
    }

    func start(_ arguments: String..., environment: [String: String] = [:]) throws -> StartedProcess {
        try StartedProcess(executable, arguments, environment: surroundings(environment))
    }

    /// Runs a shell script in which `"$feedsync"` is the program: for redirections and limits.
    func shell(_ script: String) async throws -> ProcessResult {
        try await Subprocess.run("sh", ["-c", script], environment: surroundings(["feedsync": executable]))
    }

    private func surroundings(_ more: [String: String]) -> [String: String] {
        let base = ["FEEDSYNC_CACHE": cache, "HOME": folder.path, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        return base.merging(more) { _, given in given }
    }

    /// It lies beside the program of the tests, wherever that was built.
    private static func builtExecutable() throws -> String {
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

extension ProcessResult {
    /// Standard output as JSON.
    var json: JSONValue {
        get throws { try JSONValue.parse(standardOutput) }
    }

    var errorLines: [Substring] { errorText.split(separator: "\n") }
}
