import Glibc

/// Debian's nginx on a free port of 127.0.0.1.
///
/// It serves its own directory until it is released.
package final class Nginx: Sendable {
    private static let candidates = ["nginx", "/usr/sbin/nginx"]
    private static let portsToTry = 5

    package let port: UInt16
    private let process: StartedProcess
    private let prefix: TemporaryDirectory
    private let scheme: String

    /// Starts nginx.
    ///
    /// `server` holds further lines of its `server { }` block, each with a semicolon. With `certificate`, the paths of
    /// a certificate and its key, it uses TLS, and HTTP/2 unless `http2` is false.
    package init(
        serving root: String, server lines: [String] = [], certificate: (chain: String, key: String)? = nil,
        http2: Bool = true
    ) async throws {
        prefix = try TemporaryDirectory()
        scheme = certificate == nil ? "http" : "https"
        var lines = lines
        if let certificate {
            lines += ["ssl_certificate \(certificate.chain);", "ssl_certificate_key \(certificate.key);"]
        }
        for _ in 0..<Self.portsToTry {
            // If another process takes the port first, nginx says so and ends.
            let port = try freePort()
            let protocols = certificate == nil ? "" : http2 ? " ssl http2" : " ssl"
            let listen = "listen 127.0.0.1:\(port)\(protocols);"
            try prefix.write(Self.configuration(root: root, server: [listen] + lines), to: "nginx.conf")
            let process = try Self.start(in: prefix)
            if try await Self.isUp(process, port) {
                self.port = port
                self.process = process
                return
            }
        }
        throw SystemFailure("nginx found no free port")
    }

    deinit { process.kill(SIGKILL) }

    package func url(_ path: String) -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    private static func start(in prefix: TemporaryDirectory) throws(SystemFailure) -> StartedProcess {
        var failure = SystemFailure("nginx is not installed")
        for executable in candidates {
            do throws(SystemFailure) {
                return try StartedProcess(
                    executable, ["-p", prefix.path, "-c", "nginx.conf", "-e", "stderr", "-g", "daemon off;"])
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Returns false if the port was taken.
    private static func isUp(_ process: StartedProcess, _ port: UInt16) async throws -> Bool {
        while process.result == nil {
            if connects(to: port) { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        let result = await process.wait()
        guard result.errorText.contains("Address already in use") else {
            throw SystemFailure("nginx ended with \(result.status): \(result.errorText)")
        }
        return false
    }

    /// nginx runs as one process with the user of the tests, because a worker would switch to a user that can't read
    /// the directory.
    private static func configuration(root: String, server: [String]) -> String {
        let directories = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        return """
            master_process off;
            pid nginx.pid;
            error_log stderr;
            events { worker_connections 256; }
            http {
                access_log off;
                \(directories.map { "\($0)_temp_path \($0);" }.joined(separator: " "))
                types {
                    image/jpeg jpg; image/png png; image/svg+xml svg; image/bmp bmp; image/webp webp; image/gif gif;
                    application/json json; text/html html; text/css css; text/javascript js;
                }
                server {
                    root \(root);
                    \(server.joined(separator: "\n        "))
                }
            }

            """
    }
}
