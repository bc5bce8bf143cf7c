import JSONText
import TestSupport
import Testing

/// The anchors, the search, the slideshow and the keys.
extension GalleryBrowserTests {
    private static var view: String { "document.querySelector('dialog.view')" }
    private static var count: String { "\(view)?.querySelector('.count').textContent" }

    /// Returns the anchor of an image.
    private func address(_ number: Int, _ site: GallerySite) async throws -> String {
        let hash = try await site.program.shell(#"printf %s "$1" | sha256sum"#, FeedServer.id(number)).outputText
        return String(hash.prefix(12))
    }

    @Test(
        "A gallery opens the image of an anchor on any page, and gives the viewed image its anchor",
        arguments: Place.allCases)
    func addresses(_ place: Place) async throws {
        let site = try await GallerySite(images: 203)
        let (first, last) = (try await address(0, site), try await address(202, site))
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, place)
            try await page.open("\(url)#\(last)")
            try await page.wait(for: "\(Self.count) === '203 of 203'")
            try await page.press("Home")
            try await page.wait(for: "\(Self.count) === '1 of 203' && location.hash === '#\(first)'")
            try await page.press("Escape")
            try await page.wait(for: "!\(Self.view).open && history.state === null && location.hash === ''")
            try await page.evaluate("location.hash = '\(last)'")
            try await page.wait(for: "\(Self.view).open && \(Self.count) === '203 of 203'")
            #expect(page.errors == [])
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("A gallery shows its images if no image has the anchor of the URL") func foreignAddress() async throws {
        let site = try await GallerySite(images: 201)
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.evaluate("location.hash = '0123456789ab'")
            try await page.wait(
                for: "document.querySelectorAll('.images figure').length === 201 && location.hash === ''")
            #expect(try await page.evaluate(Self.view) == .null)
            #expect(page.errors == [])
        }
    }

    @Test("The search finds images by words on all pages and counts them", arguments: Place.allCases)
    func search(_ place: Place) async throws {
        let site = try await GallerySite(images: 402) { number in
            #""description":"\#([1, 401].contains(number) ? "Café at the Sea" : "A hill")""#
        }
        let shown = "[...document.querySelectorAll('.images figure:not([hidden])')]"
        let said = "document.querySelector('#state').textContent"
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, place)
            try await page.open(url)
            try await page.press("/")
            #expect(try await page.evaluate("document.activeElement.type") == "search")
            try await page.evaluate(
                """
                window.said = []; new MutationObserver(() => said.push(\(said)))
                    .observe(document.querySelector('#state'), { childList: true });
                """)
            try await page.search("SEA cafe")
            try await page.wait(for: "\(shown).length === 2 && \(said) === '2 images found.'")
            #expect(try await page.evaluate("window.said") == ["Searching…", "2 images found."])
            #expect(try await page.evaluate("\(shown).every(f => f.textContent.includes('Café at the Sea'))") == true)
            try await page.click(".images img")
            try await page.wait(for: "\(Self.count) === '1 of 2'")
            try await page.press("ArrowRight")
            try await page.wait(for: "\(Self.count) === '2 of 2'")
            try await page.press("Escape")
            try await page.wait(for: "!\(Self.view).open && history.state === null")
            try await page.search("nowhere")
            try await page.wait(for: "\(shown).length === 0 && \(said) === 'No matches.'")
            try await page.search("")
            try await page.wait(for: "\(shown).length === 200 && \(said) === ''")
            #expect(page.errors == [])
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("The slideshow plays all pages and starts again at the end, until it is paused")
    func slideshow() async throws {
        let site = try await GallerySite(images: 201)
        try await withPage { page in
            // The test decides when an image's time is over.
            try await page.call(
                "Page.addScriptToEvaluateOnNewDocument",
                [
                    "source": """
                    window.turns = []; const set = setTimeout; const clear = clearTimeout;
                    window.setTimeout = (done, time) => time === 5000 ? turns.push(done) + 1e9 : set(done, time);
                    window.clearTimeout = turn => turn > 1e9 ? turns.splice(turn - 1e9 - 1, 1) : clear(turn);
                    """
                ])
            func turn() async throws {
                try await page.wait(for: "turns.length === 1")
                try await page.evaluate("turns.pop()()")
            }
            try await page.open(site.onDisk)
            try await page.click(".tools .play")
            try await page.wait(for: "\(Self.count) === '1 of 201'")
            try await turn()
            try await page.wait(for: "\(Self.count) === '2 of 201'")
            try await page.press("End")
            try await page.wait(for: "\(Self.count) === '201 of 201'")
            try await turn()
            try await page.wait(for: "\(Self.count) === '1 of 201' && turns.length === 1")
            try await page.press(" ")
            #expect(try await page.evaluate("turns.length") == 0)
            let label = "\(Self.view).querySelector('.play').getAttribute('aria-label')"
            #expect(try await page.evaluate(label) == "Slideshow")
            try await page.press("s")
            #expect(try await page.evaluate(label) == "Pause (an image every 5 s)")
            try await page.press("+")
            #expect(try await page.evaluate(label) == "Pause (an image every 7 s)")
            for _ in 0..<2 { try await page.press("-") }
            #expect(try await page.evaluate(label) == "Pause (an image every 3 s)")
            try await page.press("+")
            try await page.press("Escape")
            try await page.wait(for: "!\(Self.view).open && turns.length === 0")
            #expect(page.errors == [])
        }
    }

    @Test("The keys are listed on ? and by a button") func keys() async throws {
        let site = try await GallerySite(images: 1)
        let isOpen = "document.querySelector('dialog.keys')?.open"
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.press("?", shift: true)
            try await page.wait(for: isOpen)
            let text = try await page.evaluate("document.querySelector('dialog.keys').innerText").string
            #expect(text?.contains("slideshow") == true)
            #expect(try await page.accessibilityFaults() == [])
            try await page.press("Escape")
            try await page.wait(for: "!\(isOpen)")
            try await page.click(".tools .help")
            try await page.wait(for: isOpen)
            #expect(page.errors == [])
        }
    }
}
