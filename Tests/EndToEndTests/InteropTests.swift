import JSONText
import TestSupport
import Testing

/// Archives that other programs read and write.
@Suite("Other programs and archives", .timeLimit(.minutes(10)))
struct InteropTests {
    private let program: Program
    private let server: FeedServer
    private let directory: TemporaryDirectory
    private var file: String { directory.path("cache.tar") }

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
        directory = try TemporaryDirectory()
    }

    private func export() async throws -> [UInt8] {
        try await program.run(server.feedURL)
        expectQuiet(try await program.run("export", file))
        return try Files.bytes(file)
    }

    @discardableResult
    private func call(_ program: String, _ arguments: String...) async throws -> ProcessResult {
        let result = try await Subprocess.run(program, arguments)
        #expect(result.status == .exited(0), "\(program): \(result.errorText)")
        return result
    }

    /// Imports into an empty cache and exports that cache.
    private func carried(_ path: String) async throws -> [UInt8] {
        let copy = try Program()
        expectQuiet(try await copy.run("import", "--restore", path))
        return try await copy.run("export", "-").standardOutput
    }

    @Test("tar and bsdtar list and extract an export", arguments: ["tar", "bsdtar"])
    func extracting(tar: String) async throws {
        _ = try await export()
        let names = try await call(tar, "-tf", file).outputLines
        #expect(names.prefix(2) == ["oci-layout", "index.json"] && names.count == 7)
        let listing = try await call(tar, "-tvf", file)
        #expect(listing.errorText == "")
        #expect(listing.outputLines.allSatisfy { $0.hasPrefix("-r--r--r--") && $0.contains("1970") })
        try directory.makeDirectory("x")
        #expect(try await call(tar, "-xf", file, "-C", directory.path("x")).errorText == "")
        for blob in Files.names(in: directory.path("x/blobs/sha256")) {
            #expect(try await Files.sha256(directory.path("x/blobs/sha256/\(blob)")) == blob)
        }
    }

    @Test(
        "An archive that tar or bsdtar packs of an export can be imported in each of their formats",
        arguments: ["tar", "bsdtar"], ["ustar", "gnu", "pax"])
    func packing(tar: String, format: String) async throws {
        let archive = try await export()
        try directory.makeDirectory("x")
        try await call(tar, "-xf", file, "-C", directory.path("x"))
        let format = tar == "bsdtar" && format == "gnu" ? "gnutar" : format
        for operands in [["."], ["blobs", "index.json", "oci-layout"]] {
            for end in ["tar", "tar.gz"] {
                let packed = directory.path("packed.\(end)")
                let compress = end == "tar" ? [] : ["-z"]
                let result = try await Subprocess.run(
                    tar, ["--format", format] + compress + ["-cf", packed, "-C", directory.path("x")] + operands)
                #expect(result.status == .exited(0), "\(result.errorText)")
                #expect(try await carried(packed) == archive)
            }
        }
    }

    @Test("An export that gzip or zstd compresses can be imported", arguments: ["gzip", "zstd"])
    func compressing(compressor: String) async throws {
        let archive = try await export()
        let result = try await Subprocess.run(compressor, ["-c", file])
        let packed = try directory.write(result.standardOutput, to: "packed")
        #expect(try await carried(packed) == archive)
    }

    @Test("skopeo carries an export to a registry and back") func registry() async throws {
        server.serve(images: Array(0..<4))
        try await program.run(server.feedURL)
        let empty = try FeedServer(images: 0)
        try await program.run(empty.feedURL)
        expectQuiet(try await program.run("export", file))
        let registry = try await Registry()
        let index = try JSONValue.parse(try await call("tar", "-xOf", file, "index.json").standardOutput)
        let manifests = try #require(index["manifests"]?.array)
        let names = manifests.compactMap { $0["annotations"]?["org.opencontainers.image.ref.name"]?.string }
        #expect(names.count == 2)
        try directory.makeDirectory("back")
        for name in names {
            try await registry.push("oci-archive:\(file):\(name)", as: "feedsync:\(name)")
            try await registry.pull("feedsync:\(name)", to: "oci:\(directory.path("back")):\(name)")
        }
        try await call("tar", "-cf", directory.path("back.tar"), "-C", directory.path("back"), ".")
        #expect(try await carried(directory.path("back.tar")) == Files.bytes(file))
    }
}
