import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite struct EssentialFeedTests {
    private func decode(_ text: String, from url: String = "https://feeds.example/feed.json") throws -> Feed {
        try FeedDecoder().decode(Array(text.utf8), from: ResourceURL(url))
    }

    @Test("a valid feed is accepted", arguments: Fixtures.names(in: "essential/valid", suffix: ".json"))
    func accepts(name: String) throws {
        let body = try Fixtures.bytes("essential/valid/\(name).json")
        let feed = try FeedDecoder().decode(body, from: ResourceURL("https://feeds.example/feed.json"))
        let count = try Fixtures.text("essential/valid/\(name).json").split(separator: "\"count\":").last?
            .drop { $0 == " " }.prefix { $0.isNumber }
        #expect(String(feed.images.count) == count.map(String.init))
        #expect(feed.format == .essential)
    }

    @Test(
        "an invalid feed is refused with a message that names the item and the reason",
        arguments: Fixtures.names(in: "essential/invalid", suffix: ".json"))
    func refuses(name: String) throws {
        let body = try Fixtures.bytes("essential/invalid/\(name).json")
        let message = try Fixtures.text("essential/invalid/\(name).txt")
        let error = try #require(throws: FeedError.self) {
            try FeedDecoder().decode(body, from: ResourceURL("https://feeds.example/feed.json"))
        }
        #expect(error.message + "\n" == message)
        #expect(error.kind == .invalidData)
        #expect(error.host == "feeds.example")
    }

    @Test("the directories of the Essential fixtures contain feeds")
    func fixturesAreThere() {
        #expect(Fixtures.names(in: "essential/valid", suffix: ".json").count >= 7)
        #expect(
            Fixtures.names(in: "essential/invalid", suffix: ".json")
                == Fixtures.names(in: "essential/invalid", suffix: ".txt"))
    }

    @Test("the items of an Essential feed keep their order and their members")
    func everyMember() throws {
        let feed = try decode(
            #"""
            {"items": [
              {"id": "73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6", "description": "A \"d\u00e9scription\"",
               "location": "Somewhere", "image": "https://user:p%40ss@images.example:8443/a%20b.png?size=large#top"},
              {"image": "HTTP://Images.example", "id": "ba298a85-6275-48d3-8315-9c8f7c1cd109"}
            ]}
            """#)
        #expect(
            feed
                == Feed(
                    format: .essential, title: nil,
                    images: [
                        FeedImage(
                            id: "73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6", description: "A \"déscription\"",
                            location: "Somewhere",
                            url: try ResourceURL("https://user:p%40ss@images.example:8443/a%20b.png?size=large#top")),
                        FeedImage(
                            id: "ba298a85-6275-48d3-8315-9c8f7c1cd109", url: try ResourceURL("http://Images.example")),
                    ]))
    }

    @Test("an empty list of items is a valid feed without images")
    func emptyList() throws {
        #expect(try decode(#"{"items":[]}"#) == Feed(format: .essential, images: []))
    }

    @Test("null and empty texts count as missing", arguments: ["null", "\"\""])
    func absentTexts(text: String) throws {
        let feed = try decode(
            #"{"items":[{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"http://h/","description":\#(text),"location":\#(text)}]}"#
        )
        #expect(feed.images.map(\.description) == [nil])
        #expect(feed.images.map(\.location) == [nil])
    }

    @Test("an Essential feed that is cut off at any byte is refused")
    func truncation() throws {
        let body = try Fixtures.bytes("feed.json")
        let url = ResourceURL(filePath: "\(Fixtures.directory)/feed.json")
        let end = try #require(body.lastIndex(of: UInt8(ascii: "}")))
        for length in 0...end {
            let error = #expect(throws: FeedError.self) { try FeedDecoder().decode(Array(body[..<length]), from: url) }
            if error?.kind != .invalidData { Issue.record("cut after \(length) bytes: \(String(describing: error))") }
        }
        #expect(try FeedDecoder().decode(Array(body[...end]), from: url).images.count == 6)
    }

    /// Returns whether the position is between quotation marks.
    private func isInText(_ position: Int, of body: [UInt8]) -> Bool {
        body[..<position].count { $0 == UInt8(ascii: "\"") } % 2 == 1
    }

    @Test("an Essential feed with any byte changed is either accepted or refused")
    func corruption() throws {
        let body = try Fixtures.bytes("essential/valid/every-member.json")
        let url = try ResourceURL("http://feeds.example/")
        let ids = try FeedDecoder().decode(body, from: url).images.map(\.id.utf8.count)
        for position in body.indices {
            for value: UInt8 in [0, 0x22, 0x2C, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] {
                var changed = body
                changed[position] = value
                do throws(FeedError) {
                    let feed = try FeedDecoder().decode(changed, from: url)
                    // The ids are UUIDs after any other change.
                    #expect(feed.images.map(\.id.utf8.count) == ids)
                    #expect(!"[]:".utf8.contains(body[position]) || isInText(position, of: body))
                } catch {
                    #expect(error.kind == .invalidData)
                }
            }
        }
    }
}
