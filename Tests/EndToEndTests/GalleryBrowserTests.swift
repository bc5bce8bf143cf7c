import JSONText
import TestSupport
import Testing

@Suite("The gallery in a browser", .timeLimit(.minutes(10)), .serialized)
struct GalleryBrowserTests {
    enum Place: CaseIterable { case onDisk, onServer }

    /// Where the site is, and what keeps it there.
    private func place(_ site: GallerySite, _ place: Place) async throws -> (url: String, origin: String, Nginx?) {
        if place == .onDisk { return (site.onDisk, "file://\(site.path)/", nil) }
        let nginx = try await Nginx(serving: site.path)
        return (nginx.url("/index.html"), nginx.url("/"), nginx)
    }

    private func withPage(_ look: Look = .desktop, _ visit: (Page) async throws -> Void) async throws {
        let browser = try Browser()
        defer { browser.close() }
        try await visit(try await browser.newPage(look))
    }

    /// Counts what shifts from before the first element is there.
    private static let watchShifts = """
        window.shifts = []; new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput)
        shifts.push(e.value + ' ' + e.sources.map(s => s.node && (s.node.outerHTML || s.node.data || '').slice(0, 90))) })
        .observe({ type: 'layout-shift', buffered: true });
        """

    /// As a visitor does, until so many pictures are there and the end of the page is reached.
    private static func scrollDown(until count: Int) -> String {
        """
        (async () => {
          const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
          const isAll = () => document.querySelectorAll('.pictures figure').length >= \(count);
          const isEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
          while (!isAll() || !isEnd()) {
            scrollBy({ top: 400, behavior: 'instant' });
            await frame();
          }
          await frame();
        })()
        """
    }

    @Test("shows every picture in its natural size, moves nothing, and asks nobody else", arguments: Place.allCases)
    func showing(_ place: Place) async throws {
        let site = try await GallerySite(pictures: 250)
        try await withPage { page in
            let (url, origin, nginx) = try await self.place(site, place)
            try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(Self.watchShifts)])
            try await page.open(url)
            #expect(try await page.evaluate("document.images.length").int == 200)
            // What is about to come into view may be on its way, the rest must not be.
            let early = page.requests.filter { $0.contains("/images/") }.count
            #expect(early > 0 && early < 60)

            try await page.evaluate(Self.scrollDown(until: 250))
            #expect(try await page.evaluate("document.querySelectorAll('.pictures img').length") == 250)
            try await page.wait(for: "[...document.querySelectorAll('.pictures img')].every(i => i.complete)")
            let wrong = try await page.evaluate(
                """
                [...document.querySelectorAll('.pictures img')].filter(i => i.naturalWidth != i.getAttribute('width')
                  || i.naturalHeight != i.getAttribute('height')
                  || Math.abs(i.clientWidth / i.clientHeight / (i.naturalWidth / i.naturalHeight) - 1) > .02)
                  .map(i => i.outerHTML)
                """)
            #expect(wrong == [])
            #expect(try await page.evaluate("shifts") == [])
            #expect(page.errors == [])
            #expect(page.requests.filter { !$0.hasPrefix(origin) } == [])
            withExtendedLifetime(nginx) {}
        }
    }
}
