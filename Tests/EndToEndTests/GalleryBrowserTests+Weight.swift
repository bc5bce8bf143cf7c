import JSONText
import TestSupport
import Testing

/// The weight of a page of photos, and its steadiness while it arrives.
extension GalleryBrowserTests {
    /// Returns 200 distinct images of 500 KB.
    private func photos() async throws -> GallerySite {
        let site = try await GallerySite(images: 1)
        let made = try await site.program.shell(
            """
            set -e; cd "$1"
            for size in 300 60 12; do vips perlin $size.v 2400 1600 --cell-size $size; done
            vips linear 300.v a.v 90 128; vips linear 60.v b.v 40 0; vips linear 12.v c.v 25 0
            vips gaussnoise d.v 2400 1600 --mean 0 --sigma 6; vips sum "a.v b.v c.v d.v" sum.v
            vips cast sum.v grey.v uchar; vips bandjoin "grey.v grey.v grey.v" rgb.v; vips copy rgb.v photo.jpg[Q=75]
            """, site.program.directory.path)
        #expect(made.status == .exited(0), "\(made.errorText)")
        let photo = try Files.bytes(site.program.directory.path("photo.jpg"))
        #expect(photo.count > 400_000 && photo.count < 600_000)
        for number in 0..<200 {
            let reply = Reply(
                headers: [("Content-Type", "image/jpeg")], body: photo + Array("\(number)".utf8))
            site.server.serve(reply, at: number)
        }
        site.server.serve(feedOf: (0..<200).map(site.server.imageURL))
        try await site.program.run("--revalidate", site.server.feedURL)
        try await site.write()
        return site
    }

    @Test("A page of 200 photos is light and steady while it loads") func weight() async throws {
        let site = try await photos()
        for place in Place.allCases {
            try await withPage { page in
                let (url, origin, nginx) = try await self.place(site, place)
                func bytes() throws -> Int {
                    let files = Set(
                        page.requests.filter { $0.hasPrefix(origin) }.map {
                            $0.dropFirst(origin.count).prefix { $0 != "?" && $0 != "#" }
                        })
                    return try files.reduce(0) { try $0 + Files.bytes("\(site.path)/\($1)").count }
                }
                try await Self.watch(page)
                try await page.open(url)
                // All visible images are loaded.
                try await page.wait(
                    for: """
                        [...document.querySelectorAll('.images img')]
                            .filter(i => i.getBoundingClientRect().top < innerHeight).every(i => i.naturalWidth)
                        """)
                let first = try bytes()
                try await page.evaluate(Self.scrollDown(until: 200))
                try await page.wait(
                    for: "[...document.querySelectorAll('.images img')].every(i => i.complete && i.naturalWidth)")
                let all = try bytes()
                #expect(first <= 1_500_000 && all <= 12_000_000, "\(first) and \(all) bytes")
                try await page.evaluate("document.querySelector('.images img').click()")
                try await page.wait(
                    for: "document.querySelector('.stage img')?.naturalWidth && document.querySelector('.facts a')")
                try await expectSteady(page)
                let tasks = try await page.evaluate("tasks").text()
                try Artefacts.keep(
                    Array("first view \(first) bytes, scrolled \(all), tasks over 50 ms: \(tasks)\n".utf8),
                    as: "photos-\(place).txt")
                #expect(page.errors == [])
                withExtendedLifetime(nginx) {}
            }
        }
    }

    @Test("A page is steady while it arrives in parts", arguments: [Look.desktop, .phone])
    func slowArrival(_ look: Look) async throws {
        let site = try await GallerySite(images: 100)
        let server = try LoopbackServer()
        for (name, type) in [("style.css", "text/css"), ("script.js", "text/javascript")] {
            let file = Reply(headers: [("Content-Type", type)], body: try Files.bytes("\(site.path)/\(name)"))
            server.route("/\(name)", file)
        }
        for name in site.images {
            server.route("/images/\(name)", Reply(body: try Files.bytes("\(site.path)/images/\(name)")))
        }
        // The first part ends within the first row of tiles.
        let html = try Files.bytes("\(site.path)/index.html")
        let gate = Gate()
        let thirdTile = html.ranges(of: Array("<figure ".utf8))[2].lowerBound
        server.route("/", Reply(headers: [("Content-Type", "text/html")], body: html, stall: (thirdTile, gate)))
        try await withPage(look) { page in
            try await Self.watch(page)
            try await page.call("Page.navigate", ["url": .string(server.url())])
            try await page.wait(for: "document.querySelectorAll('figure').length >= 2 && document.styleSheets.length")
            #expect(try await page.evaluate("performance.getEntriesByType('paint').length") == 0)
            gate.open()
            try await page.wait(
                for: "document.readyState === 'complete' && performance.getEntriesByType('paint').length")
            try await expectSteady(page)
        }
    }
}
