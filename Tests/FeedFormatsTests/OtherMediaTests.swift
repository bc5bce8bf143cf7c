import FeedCore
import FeedFormats
import TestDoubles
import Testing

/// The note about what a feed has besides images.
@Suite struct OtherMediaTests {
    private func notes(_ text: String) throws -> [String] {
        try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://b.example/feed"))).notes
    }

    private func rss(_ items: String) -> String {
        "<rss xmlns:media='http://search.yahoo.com/mrss/'><channel>\(items)</channel></rss>"
    }

    private static let image = "<enclosure url='/p.jpg' type='image/jpeg'/>"

    @Test("a note counts the videos, sounds and documents of an RSS feed, each URL once")
    func counts() throws {
        let text = rss(
            """
            <item>\(Self.image)<enclosure url='/1.mp4' type='video/mp4'/><enclosure url='/1.bin' type='audio/mpeg'/></item>
            <item>\(Self.image)<media:content url='/1.mp4' type='video/mp4'/><media:content url='/2' medium='video'/>
            <enclosure url='/2.mp3'/><enclosure url='/3.ogg' type='application/octet-stream'/>
            <enclosure url='/a.pdf'/></item>
            """)
        #expect(try notes(text) == ["2 videos, 3 sounds and 1 document are not mirrored"])
    }

    @Test(
        "a single video, sound or document has its own wording",
        arguments: [
            ("<enclosure url='/1.webm?a=b'/>", "1 video is not mirrored"),
            ("<enclosure url='/1.flac'/>", "1 sound is not mirrored"),
            ("<media:content url='/1' type='application/pdf'/>", "1 document is not mirrored"),
            ("<media:group><media:content url='/1' type='AUDIO/mp4'/></media:group>", "1 sound is not mirrored"),
        ])
    func one(markup: String, note: String) throws {
        #expect(try notes(rss("<item>\(Self.image)\(markup)</item>")) == [note])
    }

    @Test(
        "images, web pages and files of unknown kinds are not counted",
        arguments: [
            "<media:content url='/1.pdf' type='image/png'/>", "<media:content url='/1' medium='executable'/>",
            "<enclosure url='/1.html' type='text/html'/>", "<enclosure url='/1.zip'/>", "<enclosure type='video/mp4'/>",
            "<enclosure url='/1.mp4' type='image/gif'/>",
        ])
    func others(markup: String) throws {
        #expect(try notes(rss("<item>\(Self.image)\(markup)</item>")) == [])
    }

    @Test("enclosures of Atom and attachments of JSON Feed count too")
    func otherFormats() throws {
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link rel='enclosure' href='/p.jpg'/>"
        let links = "<link rel='enclosure' href='/1.mp3'/><link rel='enclosure' type='video/mp4' href='/2'/>"
        #expect(try notes("\(atom)\(links)</entry></feed>") == ["1 video and 1 sound are not mirrored"])
        let item = #"{"image":"/p.jpg","attachments":[{"url":"/1.mp3"},{"url":"/2","mime_type":"audio/mpeg"}]}"#
        let json = #"{"version":"https://jsonfeed.org/version/1","items":[\#(item)]}"#
        #expect(try notes(json) == ["2 sounds are not mirrored"])
    }

    @Test("the count stays when there are too many other notes")
    func many() throws {
        let items = String(repeating: "<item><title>x</title></item>", count: 200)
        let found = try notes(rss("\(items)<item><enclosure url='/1.mp3'/></item>"))
        #expect(found.first == "1 sound is not mirrored")
        #expect(found.last == "and 101 more were left out")
    }

    @Test("a feed of very many sounds is counted up to a limit")
    func limit() throws {
        let items = (0..<100_001).map { "<enclosure url='/\($0).mp3'/>" }.joined()
        #expect(try notes(rss("<item>\(Self.image)\(items)</item>")) == ["at least 100000 sounds are not mirrored"])
    }
}
