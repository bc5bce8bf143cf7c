import TestSupport
import Testing

/// The system's authorities are the test's own directory, in a mount namespace.
@Suite("Certificate authorities", .timeLimit(.minutes(10)))
struct CertificateTests {
    private let program: Program
    private var directory: TemporaryDirectory { program.directory }

    init() throws { program = try Program() }

    private func certificate(_ name: String) async throws -> (chain: String, key: String) {
        let paths = (chain: directory.path("\(name).pem"), key: directory.path("\(name).key"))
        let made = try await Subprocess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", paths.key,
                "-out", paths.chain,
            ])
        #expect(made.status == .exited(0), "\(made.errorText)")
        return paths
    }

    @Test("--cacert trusts the authorities in its file, and none of the system's")
    func onlyFile() async throws {
        let known = try await certificate("known")
        let other = try await certificate("other")
        try directory.makeDirectory("site")
        try directory.write(#"{"items":[]}"#, to: "site/feed.json")
        let nginx = try await Nginx(serving: directory.path("site"), certificate: known)
        func sync(_ options: String...) async throws -> ProcessResult {
            let script = """
                cd "$1" && shift && mkdir certs && cp known.pem certs && openssl rehash certs &&
                    cp other.pem certs/ca-certificates.crt && mount --bind certs /etc/ssl/certs || exit 99
                "$feedsync" "$@"; code=$?; umount /etc/ssl/certs; rm -r certs; exit $code
                """
            return try await program.shellWithOwnMounts(
                script, [directory.path] + options + [nginx.url("/feed.json")])
        }

        expectQuiet(try await sync())
        expectQuiet(try await sync("--cacert", known.chain))
        try await program.run("remove", nginx.url("/feed.json"))
        let refused = try await sync("--cacert", other.chain)
        #expect(refused.status == .exited(69), "\(refused.errorText)")
        #expect(refused.errorText.contains("certificate"), "\(refused.errorText)")
    }
}
