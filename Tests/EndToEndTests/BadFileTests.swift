import Glibc
import JSONText
import TestSupport
import Testing

/// A file system that is damaged at one file.
@Suite("One image's file that can't be looked at", .timeLimit(.minutes(10)))
struct BadFileTests {
    private static let errors = ["EIO", "EUCLEAN", "EBADMSG"]

    private let program: Program
    private let server: FeedServer
    /// The digest of the first image.
    private let digest: String

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 2)
        try await program.run(server.feedURL)
        digest = try await program.digest(of: server.imageURL(0))
    }

    /// Runs the program while all its operations on that file fail, by name or descriptor.
    private func run(_ error: String, _ arguments: String...) async throws -> ProcessResult {
        try await program.shell(
            #"""
            name=$1 error=$2
            shift 2
            calls=newfstatat,openat,linkat,unlinkat,renameat,renameat2
            exec strace -f -qq -o /dev/null -P "$name" -P "$FEEDSYNC_CACHE/images/sha256/$name" \
                -e "inject=$calls:error=$error" "$feedsync" "$@"
            """#, [digest, error] + arguments)
    }

    @Test("An image whose file can't be examined doesn't count as cached", arguments: errors)
    func status(_ error: String) async throws {
        let result = try await run(error, "status", "--json")
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(try result.json["feeds"]?[0]?["images_cached"]?.int == 1)
    }

    @Test("An image whose file can't be read is missing in a gallery", arguments: errors)
    func gallery(_ error: String) async throws {
        let result = try await run(error, "gallery", "--json", program.directory.path("site"))
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(try result.json["missing"]?.int == 1)
    }

    @Test("An image whose file can't be read ends an export with the reason", arguments: errors)
    func export(_ error: String) async throws {
        let archive = program.directory.path("cache.tar")
        let result = try await run(error, "export", archive)
        expectOneLine(result, exit: 74, [digest, "can't be opened"])
        #expect(!Files.exists(archive))
    }

    @Test(
        "An image whose file can't be examined fails in a sync, and the other images are downloaded", arguments: errors)
    func sync(_ error: String) async throws {
        server.serve(images: [0, 1, 2])
        let result = try await run(error, server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorText.contains("\(digest): can't be"), "\(result.errorText)")
        #expect(result.errorText.contains("1 downloaded") && result.errorText.contains("1 failed"))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 3)
    }

    @Test("A file that can't be examined stays after a validate without --deep", arguments: errors)
    func validate(_ error: String) async throws {
        expectQuiet(try await run(error, "validate"))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test("A damaged file that can't be moved is reported and not counted as moved", arguments: errors)
    func validateDeep(_ error: String) async throws {
        let result = try await run(error, "validate", "--deep", "--json")
        #expect(result.status == .exited(74))
        #expect(result.errorText.contains(digest), "\(result.errorText)")
        #expect(!result.errorText.contains("1 damaged image"))
        #expect(try result.json["damaged"]?.int == 0)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 1)
    }

    @Test("A file that can't be deleted leaves the other deletions of validate unaffected", arguments: errors)
    func leftover(_ error: String) async throws {
        try await program.sql("DELETE FROM items")
        for number in 1...8 {
            try program.directory.write("x", to: "cache/images/sha256/\(String(repeating: "\(number)", count: 64))")
        }
        let result = try await run(error, "validate", "--json")
        #expect(result.status == .exited(74))
        #expect(result.errorText.contains(digest), "\(result.errorText)")
        #expect(try result.json["images_deleted"]?.int == 9)
        #expect(Files.names(in: program.imageDirectory) == [digest])
    }

    // MARK: Rights

    @Test("A file without read permission is replaced by an import and ends an export") func noRight() async throws {
        let file = "\(program.imageDirectory)/\(digest)"
        let archive = program.directory.path("cache.tar")
        expectQuiet(try await program.run("export", archive))
        chmod(file, 0)
        let export = try await program.runBound("export", program.directory.path("other.tar"))
        expectOneLine(export, exit: 74, [digest, "Permission denied"])
        expectQuiet(try await program.runBound("import", "--restore", archive))
        #expect(try Files.mode(file) == 0o444)
    }

    @Test("A file without read permission is reported as such by `image --offline`") func image() async throws {
        chmod("\(program.imageDirectory)/\(digest)", 0)
        let result = try await program.runBound("image", "--offline", server.imageURL(0))
        expectOneLine(result, exit: 74, [digest, "Permission denied"])
        #expect(!result.errorText.contains("validate"))
    }

    @Test("A file without read permission stays while damaged files are moved", arguments: [[], ["-n"]])
    func keptBesideDamage(options: [String]) async throws {
        chmod("\(program.imageDirectory)/\(digest)", 0)
        try Files.damage("\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))")
        let result = try await program.runBound(["validate", "--deep", "--json"] + options)
        #expect(result.status == .exited(74))
        #expect(result.errorText.contains("\(digest): can't be opened: Permission denied"), "\(result.errorText)")
        #expect(try result.json["damaged"]?.int == 1)
        #expect(Files.exists("\(program.imageDirectory)/\(digest)"))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == (options.isEmpty ? 1 : 2))
    }

    @Test("All files stay if all of them are without read permission") func allKept() async throws {
        for name in Files.names(in: program.imageDirectory) { chmod("\(program.imageDirectory)/\(name)", 0) }
        let result = try await program.runBound("validate", "--deep")
        #expect(result.status == .exited(74))
        #expect(result.errorText.contains("Permission denied; 2 images can't be read, and are kept\n"))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    // MARK: A disk that fails

    /// Looks for damage while these images can't be read.
    private func validateDeep(failing error: String, _ images: [String]) async throws -> ProcessResult {
        try await program.shell(
            #"""
            error=$1
            shift
            for name; do set -- "$@" -P "$FEEDSYNC_CACHE/images/sha256/$name"; shift; done
            exec strace -f -qq -o /dev/null "$@" -e "inject=pread64:error=$error" "$feedsync" validate --deep --json
            """#, [error] + images)
    }

    @Test("An unreadable file counts as damaged if others can be read", arguments: errors)
    func damaged(_ error: String) async throws {
        let result = try await validateDeep(failing: error, [digest])
        #expect(result.status == .exited(65), "\(result.errorText)")
        #expect(try result.json["damaged"]?.int == 1)
        #expect(!Files.exists("\(program.imageDirectory)/\(digest)"))
    }

    @Test("A single unreadable file counts as damaged if it is the only one", arguments: errors)
    func damagedAlone(_ error: String) async throws {
        try await program.sql("DELETE FROM items WHERE url <> '\(server.imageURL(0))'")
        let result = try await validateDeep(failing: error, [digest])
        #expect(result.status == .exited(65), "\(result.errorText)")
        #expect(try result.json["damaged"]?.int == 1)
    }

    @Test("validate deletes nothing if every file is unreadable", arguments: errors)
    func noneRead(_ error: String) async throws {
        let result = try await validateDeep(failing: error, Files.names(in: program.imageDirectory))
        #expect(result.status == .exited(74), "\(result.errorText)")
        #expect(result.errorText.contains("can't be read"), "\(result.errorText)")
        #expect(try result.json["damaged"]?.int == 0)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test(
        "A directory of images without search permission ends a command with 74, and nothing is deleted",
        arguments: [["validate"], ["validate", "--deep"], ["gallery"], ["sync"], ["status"]])
    func noRightToDirectory(command: [String]) async throws {
        chmod(program.imageDirectory, 0o600)
        let operand = command == ["gallery"] ? [program.directory.path("site")] : []
        let result = try await program.runBound(command + operand)
        chmod(program.imageDirectory, 0o700)
        #expect(result.status == .exited(74), "\(result.errorText)")
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }
}
