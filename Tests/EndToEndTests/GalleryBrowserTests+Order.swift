import JSONText
import TestSupport
import Testing

/// The order of the images, and the size of an image in the large view.
extension GalleryBrowserTests {
    /// Makes a gallery of images that were published one day after the other, the newest first.
    private func datedSite(_ count: Int) async throws -> GallerySite {
        let site = try await GallerySite(images: count)
        try await site.program.sql("UPDATE items SET published = 1795162500000000 - 86400000000 * position")
        try await site.write()
        return site
    }

    private static let first = "document.querySelector('.images figcaption p').textContent"

    @Test("The key o and a button turn the order, and the page and an address remember it", arguments: Place.allCases)
    func order(_ place: Place) async throws {
        let site = try await datedSite(202)
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, place)
            try await page.open(url)
            #expect(try await page.evaluate(Self.first) == "Image 0")
            try await page.press("o")
            try await page.wait(for: "\(Self.first) === 'Image 201' && location.hash === '#oldest'")
            try await page.evaluate(Self.scrollDown(until: 202))
            #expect(
                try await page.evaluate("[...document.querySelectorAll('.images figcaption p')].at(-1).textContent")
                    == "Image 0")
            try await page.open("about:blank")
            try await page.open(url)
            try await page.wait(for: "\(Self.first) === 'Image 201'")
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('.count').textContent === '1 of 202'")
            try await page.press("Escape")
            try await page.wait(for: "!document.querySelector('dialog').open && history.state === null")
            try await page.click(".tools .order")
            try await page.wait(for: "\(Self.first) === 'Image 0' && location.hash === ''")
            try await page.open("about:blank")
            try await page.open("\(url)#oldest")
            try await page.wait(for: "\(Self.first) === 'Image 201'")
            #expect(page.errors == [])
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("The oldest first, kept images come before a heading for those in the feed") func keptFirst() async throws {
        let site = try await GallerySite(images: 3)
        try await site.program.run("--keep", "forever", site.server.feedURL)
        site.server.serve(feedOf: [site.server.imageURL(0)])
        try await site.program.run(site.server.feedURL)
        try await site.write()
        try await withPage { page in
            try await page.open(site.onDisk)
            let parts = "[...document.querySelectorAll('main h2, main figure')].map(e => e.textContent.slice(0, 12))"
            #expect(try await page.evaluate("\(parts)[1]") == "No longer in")
            try await page.press("o")
            try await page.wait(for: "location.hash === '#oldest'")
            let turned = try await page.evaluate(parts).array?.compactMap(\.string) ?? []
            #expect(turned.count == 5 && turned[0] == "No longer in" && turned[3] == "In the feed", "\(turned)")
        }
    }

    @Test("The large view fits photos to the window and strips to its width, and shows each in its own size")
    func sizes() async throws {
        let site = try await GallerySite(images: 2)
        let made = try await site.program.shell(
            """
            set -e; cd "$1"; vips black a.v 2400 1600; vips copy a.v photo.png; vips black b.v 1500 6000
            vips copy b.v strip.png
            """, site.program.directory.path)
        #expect(made.status == .exited(0), "\(made.errorText)")
        for (number, name) in ["photo.png", "strip.png"].enumerated() {
            let bytes = try Files.bytes(site.program.directory.path(name))
            site.server.serve(Reply(headers: [("Content-Type", "image/png")], body: bytes), at: number)
        }
        try await site.program.run("--revalidate", site.server.feedURL)
        try await site.write()
        let image = "document.querySelector('.stage img').getBoundingClientRect()"
        let size = "[\(image).width, \(image).height].map(Math.round)"
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('.stage img')?.complete")
            let fitted = try await page.evaluate(size)
            #expect(fitted == [1080, 720])
            try await page.press("z")
            #expect(try await page.evaluate(size) == [2400, 1600])
            try await page.click(".stage img")
            #expect(try await page.evaluate(size) == fitted)
            try await page.press("ArrowRight")
            try await page.wait(for: "document.querySelector('.view').matches('.strip')")
            #expect(try await page.evaluate(size) == [1280, 5120])
            #expect(try await page.evaluate("document.querySelector('.view').scrollHeight > 5120") == true)
            try await page.press("z")
            #expect(try await page.evaluate(size) == [1500, 6000])
            #expect(page.errors == [])
        }
    }

    @Test("On a touch screen, a double tap shows an image in its own size, and a single tap does not")
    func doubleTap() async throws {
        let site = try await GallerySite(images: 1)
        try await withPage(Look(width: 80, height: 400, isPhone: true)) { page in
            try await page.open(site.onDisk)
            try await page.evaluate("document.querySelector('.images figure > a').click()")
            try await page.wait(for: "document.querySelector('.stage img')?.complete")
            let isOwn = "document.querySelector('.view').matches('.own')"
            let tap = """
                document.querySelector('.stage img').dispatchEvent(
                    new PointerEvent('click', { bubbles: true, pointerType: 'touch', clientX: 40, clientY: 160 }))
                """
            try await page.evaluate(tap)
            #expect(try await page.evaluate(isOwn) == false)
            try await page.evaluate("{ \(tap); \(tap) }")
            #expect(try await page.evaluate(isOwn) == true)
        }
    }
}
