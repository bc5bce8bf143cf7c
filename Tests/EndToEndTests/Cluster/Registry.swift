import Glibc
import TestSupport

/// Debian's registry on a port of 127.0.0.1 with its own directory.
///
/// It ends when it is released.
final class Registry: Sendable {
    private let process: StartedProcess
    private let directory: TemporaryDirectory
    private let port: UInt16

    init() async throws {
        directory = try TemporaryDirectory()
        for _ in 0..<5 {
            // If another process takes the port first, the registry says so and ends.
            let port = try freePort()
            try directory.write(
                """
                version: 0.1
                log: { level: error, accesslog: { disabled: true } }
                storage: { filesystem: { rootdirectory: \(directory.path("data")) } }
                http: { addr: "127.0.0.1:\(port)" }

                """, to: "config.yml")
            let process = try StartedProcess("docker-registry", ["serve", directory.path("config.yml")])
            while process.result == nil {
                if connects(to: port) {
                    (self.process, self.port) = (process, port)
                    return
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        throw SystemFailure("docker-registry did not start")
    }

    deinit { process.kill(SIGKILL) }

    func push(_ place: String, as name: String) async throws { try await copy(place, "docker://\(address)/\(name)") }

    func pull(_ name: String, to place: String) async throws { try await copy("docker://\(address)/\(name)", place) }

    var address: String { "127.0.0.1:\(port)" }

    private func copy(_ from: String, _ to: String) async throws {
        let copied = try await Subprocess.run(
            "skopeo",
            [
                "--insecure-policy", "copy", "--quiet", "--preserve-digests", "--src-tls-verify=false",
                "--dest-tls-verify=false", from, to,
            ])
        guard copied.status == .exited(0) else { throw SystemFailure("skopeo: \(copied.errorText)") }
    }
}
