import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Thumbnails", .timeLimit(.minutes(10)))
struct ThumbnailTests {
    let program: Program
    let server: FeedServer
    let site: String

    init() throws {
        program = try Program()
        server = try FeedServer(images: 0)
        site = program.directory.path("site")
    }

    /// Makes image files with the shell in a separate directory.
    func make(_ script: String) async throws -> String {
        let directory = program.directory.path("made")
        mkdir(directory, 0o755)
        let made = try await program.shell("set -e; cd \"$1\"; \(script)", directory)
        #expect(made.status == .exited(0), "\(made.errorText)")
        return directory
    }

    /// A command that makes an image too noisy to be a small file.
    static let noise = "vips gaussnoise n.v 700 400 --sigma 80; vips cast n.v noise.v uchar; "

    func sync(_ files: [String], in directory: String) async throws {
        for (number, file) in files.enumerated() {
            let bytes = try Files.bytes("\(directory)/\(file)")
            let type = file.split(separator: ".").last.map(String.init) ?? ""
            let media = ["jpg": "image/jpeg", "svg": "image/svg+xml"][type] ?? "image/\(type)"
            server.serve(Reply(headers: [("Content-Type", media)], body: bytes), at: number)
        }
        server.serve(feedOf: files.indices.map(server.imageURL))
        expectQuiet(try await program.run(server.feedURL))
    }

    var thumbnails: [String] { Files.names(in: "\(site)/thumbnails") }

    func gallery(_ options: String..., environment: [String: String] = [:]) async throws -> Int? {
        let result = try await program.run(["gallery", "--json", site] + options, environment: environment)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        return try result.json["thumbnails"]?.int
    }

    @Test("Thumbnails are made once of large images, upright, and without the location of the camera")
    func made() async throws {
        let directory = try await make(
            Self.noise
                + "vips copy noise.v plain.jpg; vips copy noise.v other.webp[lossless]; vips black small.png 700 400")
        let plain = try Files.bytes("\(directory)/plain.jpg")
        // The text is searched after the first two bytes, which every JPEG file has.
        let turned = plain[..<2] + Self.exif + Self.xmp + plain[2...]
        try program.directory.write(turned, to: "made/turned.jpg")
        try await sync(["plain.jpg", "other.webp", "small.png", "turned.jpg"], in: directory)
        #expect(try await gallery() == 3)
        var digests: [String] = []
        for number in [0, 1, 3] { digests.append(try await program.digest(of: server.imageURL(number))) }
        #expect(thumbnails == digests.flatMap { ["\($0).960.webp", "\($0).webp"] }.sorted())
        let sizes = [("480x274", "700x400"), ("480x274", "700x400"), ("274x480", "400x700")]
        for (digest, (small, large)) in zip(digests, sizes) {
            for (name, expected) in [("\(digest).webp", small), ("\(digest).960.webp", large)] {
                let size = try await program.shell(#"vipsheader "$1""#, "\(site)/thumbnails/\(name)")
                #expect(size.outputText.contains(expected), "\(size.outputText)\(size.errorText)")
                let text = String(decoding: try Files.bytes("\(site)/thumbnails/\(name)"), as: UTF8.self)
                #expect(!text.contains("secret") && !text.contains("EXIF") && !text.contains("XMP "))
            }
        }
        let page = String(decoding: try Files.bytes("\(site)/index.html"), as: UTF8.self)
        let (image, thumbnail) = ("images/\(digests[0]).jpg", "thumbnails/\(digests[0])")
        #expect(page.contains("<a href=\(image) aria-label=\"Image 1\"><img src=\(thumbnail).webp"))
        #expect(page.contains(" srcset=\"\(thumbnail).webp 480w, \(thumbnail).960.webp 700w\" "))
        // The program is called only once.
        #expect(try await gallery(environment: ["PATH": "/nowhere"]) == 3)
        #expect(try await gallery("--thumbnails", "never") == 0)
        #expect(thumbnails == [])
        #expect(try await gallery("--thumbnails", "always") == 3)
    }

    /// Returns a photo that lies on its side and has a location.
    private static var exif: [UInt8] {
        let words = Array("secret place\0".utf8)
        let entries: [[UInt8]] = [
            [0x01, 0x0E, 0, 2, 0, 0, 0, UInt8(words.count), 0, 0, 0, 38], [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0],
        ]
        let tiff = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 2] + entries.joined() + [0, 0, 0, 0] + words
        return segment(Array("Exif\0\0".utf8) + tiff)
    }

    private static var xmp: [UInt8] {
        segment(
            Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'>secret place</x:xmpmeta>".utf8))
    }

    private static func segment(_ content: [UInt8]) -> [UInt8] {
        [0xFF, 0xE1, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    @Test("A bomb, a cut-off file and one that names files get no thumbnail, and the others get theirs")
    func hostile() async throws {
        let directory = try await make(
            Self.noise + """
                vips copy noise.v a.jpg; cat a.jpg > b.jpg; echo x >> b.jpg
                vips black bomb.png 30000 30000
                head -c 90000 a.jpg > cut.jpg; vips copy noise.v whole.png; head -c 120000 whole.png > cut.png
                { printf '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
                  printf '<image href="file:///etc/passwd"/><text>%070000d</text></svg>' 0; } > files.svg
                """)
        let files = ["a.jpg", "bomb.png", "cut.jpg", "b.jpg", "cut.png", "files.svg"]
        try await sync(files, in: directory)
        #expect(try await gallery() == 2)
        // They are left out from now on, and the images themselves are still shown.
        let log = program.directory.path("log")
        #expect(try await gallery(environment: ["PATH": try fake("", log: log)]) == 2)
        #expect(!Files.exists(log))
        // Opened by itself, the SVG file would load another one.
        #expect(Files.names(in: "\(site)/images").count == files.count - 1)
        #expect(Files.names(in: program.cache + "/thumbnails").filter { $0.hasSuffix(".none") }.count == 3)
    }

    /// Makes a `vipsthumbnail` that logs each call and does something before it becomes the real one.
    ///
    /// Returns its directory.
    func fake(_ script: String, log: String) throws -> String {
        let directory = program.directory.path("bin")
        mkdir(directory, 0o755)
        try program.directory.write(
            "#!/bin/sh\necho run >> '\(log)'\n\(script)\nexec /usr/bin/vipsthumbnail \"$@\"\n", to: "bin/vipsthumbnail")
        chmod("\(directory)/vipsthumbnail", 0o755)
        return directory
    }

    @Test("An image that kills the program gets no thumbnail, and the others get theirs") func killer() async throws {
        let directory = try await make(
            Self.noise
                + "vips copy noise.v a.jpg; for n in 1 2 3; do { cat a.jpg; echo $n; } > $n.jpg; done; echo KILL >> 2.jpg"
        )
        try await sync(["1.jpg", "2.jpg", "3.jpg"], in: directory)
        let log = program.directory.path("log")
        let bin = try fake(
            #"for name; do if [ -f "$name" ] && grep -q KILL "$name"; then kill -9 $$; fi; done"#, log: log)
        #expect(try await gallery(environment: ["PATH": bin]) == 2)
        // It fails for all images together and for the second one, and runs twice for each of the others.
        #expect(String(decoding: try Files.bytes(log), as: UTF8.self).split(separator: "\n").count == 6)
        #expect(Files.names(in: "\(program.cache)/thumbnails").count == 5)
    }

    @Test("All thumbnails are made when the program works again or the disk has room") func later() async throws {
        let directory = try await make(Self.noise + "vips copy noise.v a.jpg; { cat a.jpg; echo 1; } > b.jpg")
        try await sync(["a.jpg", "b.jpg"], in: directory)
        let bin = try fake("exit 127", log: program.directory.path("log"))
        let without = try await program.run("gallery", site, environment: ["PATH": bin])
        expectOneLine(without, exit: 0, ["no thumbnails can be made", "vipsthumbnail doesn't run"])
        #expect(thumbnails == [])
        let asked = try await program.run(
            "gallery", "--thumbnails", "always", site, environment: ["PATH": bin])
        #expect(asked.status == .exited(69))

        // The program reports a full disk and goes on.
        _ = try fake("exit 1", log: program.directory.path("log"))
        let full = try await program.shellWithOwnMounts(
            """
            mkdir "$1/thumbnails"; mount -t tmpfs -o size=128k tmpfs "$1/thumbnails"
            PATH="$2:$PATH" "$feedsync" gallery --cache "$1" "$3"; code=$?; ls "$1/thumbnails"; exit $code
            """, program.cache, bin, site)
        #expect(full.status == .exited(74) && full.outputText == "", "\(full.outputText)")
        #expect(full.errorText.contains("No space left"), "\(full.errorText)")
        #expect(try await gallery() == 2)
    }

    @Test("A gallery waits while another run makes thumbnails, and all users can read them")
    func locked() async throws {
        let directory = try await make(Self.noise + "vips copy noise.v a.jpg")
        try await sync(["a.jpg"], in: directory)
        let kept = "\(program.cache)/thumbnails"
        mkdir(kept, 0o755)
        let held = try await program.shell(
            #"flock "$1" "$feedsync" gallery --cache "$2" "$3""#, kept, program.cache, site)
        expectOneLine(held, exit: 75, ["another feedsync run is making thumbnails"])
        #expect(!Files.exists(site))
        _ = try await program.shell(#"umask 077; "$feedsync" gallery --cache "$1" "$2""#, program.cache, site)
        let modes = try await program.shell(#"stat -c %a "$1"/*"#, kept)
        #expect(modes.outputText == "444\n444\n")
    }

    @Test(
        "Thumbnails that the user asks for must be possible, and this is checked before anything is written",
        arguments: ["gallery", "sync"])
    func always(command: String) async throws {
        server.serve(images: [0])
        try await program.run(server.feedURL)
        let arguments = command == "gallery" ? ["gallery", site] : ["sync", "--gallery", site]
        let result = try await program.run(arguments + ["--thumbnails", "always"], environment: ["PATH": "/nowhere"])
        #expect(result.status == .exited(69))
        #expect(result.errorText.contains("libvips-tools"))
        #expect(!Files.exists(site))
    }

    @Test("Thumbnails that root makes in a user's cache belong to that user") func owner() async throws {
        let directory = try await make(Self.noise + "vips copy noise.v a.jpg")
        try await sync(["a.jpg"], in: directory)
        for path in [program.cache, program.database] { #expect(chown(path, 4711, 4712) == 0) }
        #expect(try await gallery() == 1)
        let owner = try await program.shell(#"stat -c '%u %g' "$1""#, "\(program.cache)/thumbnails")
        #expect(owner.outputText == "4711 4712\n")
    }

    @Test("Thumbnails are deleted with their images, and damaged ones are made again") func removed() async throws {
        let directory = try await make(Self.noise + "vips copy noise.v 0.jpg; { cat 0.jpg; echo 1; } > 1.jpg")
        try await sync(["0.jpg", "1.jpg"], in: directory)
        #expect(try await gallery() == 2)
        let first = try await program.digest(of: server.imageURL(0))
        let second = try await program.digest(of: server.imageURL(1))
        server.serve(feedOf: [server.imageURL(1)])
        try await program.run(server.feedURL)
        try await program.run("validate")
        let kept = "\(program.cache)/thumbnails"
        #expect(Files.names(in: kept) == ["\(second).960.webp", "\(second).webp"])
        unlink("\(kept)/\(second).webp")
        try program.directory.write("", to: "cache/thumbnails/\(second).webp")
        #expect(try await gallery() == 1)
        #expect(!Files.exists("\(site)/thumbnails/\(first).webp"))
    }
}
