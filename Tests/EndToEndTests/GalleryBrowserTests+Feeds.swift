import JSONText
import TestSupport
import Testing

/// The search in all feeds of a gallery.
extension GalleryBrowserTests {
    private static let said = "document.querySelector('#state').textContent"

    /// Makes a gallery of two feeds, of which the first has two pages.
    private func twoFeeds() async throws -> GallerySite {
        let site = try await GallerySite(images: 202) { number in
            #""description":"\#(number == 201 ? "Straße zum Café" : "A hill")""#
        }
        let other = try FeedServer(images: 2)
        try await site.program.run(other.feedURL)
        try await site.program.sql(
            """
            UPDATE items SET title = 'Naïve', author = 'Ann Émile', tags = 'fog' || char(10) || 'Öl', text = 'Snow "on" it'
            WHERE description = 'Image 1'
            """)
        try await site.write()
        return site
    }

    @Test("The index searches the images of all feeds, whatever their case and accents", arguments: Place.allCases)
    func searchAll(_ place: Place) async throws {
        let site = try await twoFeeds()
        try await withPage { page in
            let (url, origin, nginx) = try await self.place(site, place)
            try await page.open(url)
            #expect(try await page.evaluate("document.querySelectorAll('.feeds article').length") == 2)
            #expect(page.requests.allSatisfy { !$0.contains("/data/") })
            let words = [
                "cafe", "CAFÉ strasse", "straße", "NAIVE", "émile", "fog", "ol", "snow", "1", "hill", "hill snow",
                "\"on\"", "\\\\",
            ]
            let expected = [1, 1, 1, 1, 1, 1, 1, 1, 1, 201, 0, 1, 0]
            for (word, count) in zip(words, expected) {
                try await page.search(word)
                let report = count == 0 ? "No matches." : "\(count) image\(count == 1 ? "" : "s") found."
                try await page.wait(for: "\(Self.said) === '\(report)'")
                #expect(
                    try await page.evaluate("document.querySelectorAll('.images figure').length").int == min(count, 60))
            }
            try await page.search("cafe")
            try await page.wait(for: "document.querySelector('.images .source')")
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('.facts .source')")
            let link = try await page.evaluate("document.querySelector('.facts .source').href").string ?? ""
            try await page.press("Escape")
            try await page.wait(for: "!document.querySelector('dialog').open && history.state === null")
            try await page.search("")
            try await page.wait(for: "document.querySelectorAll('.feeds article').length === 2 && \(Self.said) === ''")
            // The link to the feed opens the image there, on whatever page it is.
            try await page.open(link)
            try await page.wait(for: "document.querySelector('.count')?.textContent === '202 of 202'")
            #expect(page.errors == [])
            #expect(page.requests.filter { !$0.hasPrefix(origin) } == [])
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("The search parses only the pages that have the words") func parsing() async throws {
        let site = try await twoFeeds()
        try await withPage { page in
            let count = "window.parsed = 0; const parse = JSON.parse; JSON.parse = text => (parsed += 1, parse(text));"
            try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(count)])
            try await page.open(site.onDisk)
            for (word, parsed) in [("nowhere", 1), ("cafe", 2), ("ocean", 2)] {
                try await page.search(word)
                let report = word == "cafe" ? "1 image found." : "No matches."
                try await page.wait(for: "\(Self.said) === '\(report)'")
                // The first search also parses the list of the feeds.
                #expect(try await page.evaluate("parsed").int == parsed, "\(word)")
            }
        }
    }

    @Test("The search says that it could not read some images") func incompleteSearch() async throws {
        let site = try await twoFeeds()
        let page = try #require(Files.names(in: "\(site.path)/data").first { $0.hasSuffix(".2.js") })
        try site.program.directory.write("", to: "site/data/\(page)")
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.search("snow")
            try await page.wait(for: "\(Self.said) === '1 image found. Some images could not be searched.'")
        }
    }
}
