import Glibc
import TestSupport
import Testing

@Suite("The version of TLS", .timeLimit(.minutes(10)))
struct TLSVersionTests {
    private let program: Program
    private var directory: TemporaryDirectory { program.directory }

    init() async throws {
        program = try Program()
        try program.directory.write(#"{"items":[]}"#, to: "feed.json")
        // The system's configuration allows all versions of the library, so the program itself has to refuse the old
        // ones.
        try program.directory.write(
            """
            openssl_conf = all
            [all]
            ssl_conf = ssl
            [ssl]
            system_default = lax
            [lax]
            MinProtocol = TLSv1
            CipherString = ALL:@SECLEVEL=0
            """, to: "openssl.cnf")
        let made = try await Subprocess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", directory.path("key.pem"),
                "-out", directory.path("cert.pem"),
            ])
        #expect(made.status == .exited(0), "\(made.errorText)")
    }

    @Test("A server that only supports TLS below 1.2 is refused")
    func oldest() async throws {
        let old = try await TLSServer("-tls1_1", in: directory)
        // The server works with other clients.
        let other = try await Subprocess.run(
            "openssl", ["s_client", "-connect", old.address, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
        #expect(other.outputText.contains("TLSv1.1"), "\(other.errorText)")
        let result = try await sync(old)
        #expect(result.status == .exited(69), "\(result.errorText)")
        #expect(result.errorText.contains("protocol version"), "\(result.errorText)")

        expectQuiet(try await sync(try await TLSServer("-tls1_2", in: directory)))
    }

    @Test("A proxy that only supports TLS below 1.2 is refused")
    func oldestProxy() async throws {
        let old = try await sync(through: try await TLSServer("-tls1_1", in: directory))
        #expect(old.errorText.contains("protocol version"), "\(old.errorText)")
        // The version is accepted; the error is about the certificate, which no authority has signed.
        let new = try await sync(through: try await TLSServer("-tls1_2", in: directory))
        #expect(new.errorText.contains("self-signed certificate"), "\(new.errorText)")
    }

    private func sync(through proxy: TLSServer) async throws -> ProcessResult {
        try await program.run(
            "sync", "--retries", "0", "--proxy", "https://\(proxy.address)", "http://feeds.invalid/feed.json",
            environment: ["OPENSSL_CONF": directory.path("openssl.cnf")])
    }

    private func sync(_ server: TLSServer) async throws -> ProcessResult {
        try await program.run(
            "sync", "--cacert", directory.path("cert.pem"), "https://\(server.address)/feed.json",
            environment: ["OPENSSL_CONF": directory.path("openssl.cnf")])
    }
}

/// OpenSSL's own server, which serves the files of a directory over one version of TLS.
private final class TLSServer: Sendable {
    let address: String
    private let process: StartedProcess

    init(_ version: String, in directory: TemporaryDirectory) async throws {
        let log = directory.path("server\(version).log")
        // The server finds a free port and prints it.
        process = try StartedProcess(
            "sh",
            [
                "-c",
                #"""
                cd "$1" && exec openssl s_server -4 -accept 0 "$2" -cipher ALL:@SECLEVEL=0 -WWW \
                    -cert cert.pem -key key.pem > "$3" 2>&1
                """#, "sh", directory.path, version, log,
            ])
        var port: Substring?
        while port == nil {
            guard process.result == nil else { throw SystemFailure("openssl s_server: \(try Self.text(log))") }
            port = try Self.text(log).firstMatch(of: #/ACCEPT \S+:(\d+)\n/#)?.1
            try await Task.sleep(for: .milliseconds(5))
        }
        address = "127.0.0.1:\(port ?? "")"
    }

    deinit { process.kill(SIGKILL) }

    private static func text(_ log: String) throws -> String {
        Files.exists(log) ? String(decoding: try Files.bytes(log), as: UTF8.self) : ""
    }
}
