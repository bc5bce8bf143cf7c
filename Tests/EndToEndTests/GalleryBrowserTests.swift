import Glibc
import JSONText
import TestSupport
import Testing

@Suite("The gallery in a browser", .timeLimit(.minutes(10)), .serialized)
struct GalleryBrowserTests {
    enum Place: CaseIterable { case onDisk, onServer }

    /// The location of the site, and the object that keeps it there.
    func place(_ site: GallerySite, _ place: Place) async throws -> (url: String, origin: String, Nginx?) {
        if place == .onDisk { return (site.onDisk, "file://\(site.path)/", nil) }
        let nginx = try await Nginx(serving: site.path)
        return (nginx.url("/index.html"), nginx.url("/"), nginx)
    }

    func withPage(_ look: Look = .desktop, _ visit: (Page) async throws -> Void) async throws {
        let browser = try Browser()
        let result: Result<Void, any Error>
        do { result = .success(try await visit(try await browser.newPage(look))) } catch { result = .failure(error) }
        await browser.close()
        try result.get()
    }

    /// Records layout shifts and long tasks of the pages that are opened next.
    static func watch(_ page: Page) async throws {
        let script = """
            window.shifts = []; new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput)
            shifts.push(e.value + ' ' + e.sources.map(s => s.node && (s.node.outerHTML || s.node.data || '').slice(0, 90)))})
            .observe({ type: 'layout-shift', buffered: true });
            window.tasks = []; new PerformanceObserver(list => tasks.push(...list.getEntries().map(e => e.duration)))
            .observe({ type: 'longtask', buffered: true });
            """
        try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
    }

    func expectSteady(_ page: Page, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let shifts = try await page.evaluate("shifts")
        #expect(shifts == [], sourceLocation: sourceLocation)
    }

    /// Scrolls like a visitor until this many images are loaded and the end of the page is reached.
    static func scrollDown(until count: Int) -> String {
        """
        (async () => {
          const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
          const isAll = () => document.querySelectorAll('.images figure').length >= \(count);
          const isEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
          while (!isAll() || !isEnd()) {
            scrollBy({ top: 100, behavior: 'instant' });
            await frame();
          }
          await frame();
        })()
        """
    }

    @Test(
        "A gallery shows every image in its natural size, stays steady, and asks no other server",
        arguments: Place.allCases)
    func showing(_ place: Place) async throws {
        let site = try await GallerySite(images: 250)
        try await withPage { page in
            let (url, origin, nginx) = try await self.place(site, place)
            try await Self.watch(page)
            try await page.open(url)
            #expect(try await page.evaluate("document.images.length").int == 200)
            try await page.wait(for: "[...document.querySelectorAll('.images img')].some(i => i.naturalWidth)")
            // Images close to the view may be loading; the others must not.
            let early = page.requests.filter { $0.contains("/images/") }.count
            #expect(early > 0 && early < 60)

            try await page.evaluate(Self.scrollDown(until: 250))
            #expect(try await page.evaluate("document.querySelectorAll('.images img').length") == 250)
            try await page.wait(for: "[...document.querySelectorAll('.images img')].every(i => i.complete)")
            let wrong = try await page.evaluate(
                """
                [...document.querySelectorAll('.images img')].filter(i => i.naturalWidth != i.getAttribute('width')
                  || i.naturalHeight != i.getAttribute('height')
                  || Math.abs(i.clientWidth / i.clientHeight / (i.naturalWidth / i.naturalHeight) - 1) > .02)
                  .map(i => i.outerHTML)
                """)
            #expect(wrong == [])
            try await expectSteady(page)
            // The duration depends on the machine, so it is stored for people to look at.
            let tasks = try await page.evaluate("tasks").text()
            try Artefacts.keep(Array("tasks over 50 ms: \(tasks)\n".utf8), as: "gallery-\(place).txt")
            #expect(page.errors == [])
            #expect(page.requests.filter { !$0.hasPrefix(origin) } == [])
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("A failed image offers a retry, and a format that the browser lacks is named", arguments: Place.allCases)
    func retry(_ place: Place) async throws {
        let site = try await GallerySite(images: 3)
        let image = "\(site.path)/images/\(try await site.program.digest(of: site.server.imageURL(1))).webp"
        let bytes = try Files.bytes(image)
        unlink(image)
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, place)
            try await page.open(url)
            try await page.wait(for: "document.querySelector('.failed .problem button')")
            let said = "document.querySelector('.problem').innerText"
            #expect(try await page.evaluate(said).string?.contains("could not be loaded") == true)
            try await page.evaluate("document.querySelector('.problem button').focus()")
            try await page.press("Enter")
            try await page.wait(for: "document.querySelector('.failed .problem button')?.textContent === 'Retry'")
            #expect(try await page.evaluate("document.activeElement.textContent") == "Retry")

            guard let file = fopen(image, "w") else { throw SystemFailure.last("open \(image)") }
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
            try await page.press("Enter")
            try await page.wait(for: "!document.querySelector('.problem')")
            #expect(
                try await page.evaluate("document.querySelectorAll('.images img')[1].naturalWidth").int
                    == GallerySite.size(1).width)
            #expect(try await page.evaluate("document.activeElement.ariaLabel") == "Image 2")
            withExtendedLifetime(nginx) {}
        }
    }

    @Test(
        "A page shows its current age, and when it is too old",
        arguments: [
            (0, "saved just now", false), (125, "saved 2 minutes ago", false), (7300, "saved 2 hours ago", false),
            (604_799, "saved 6 days ago", false), (604_800, "saved 7 days ago", true), (-7200, "saved just now", true),
        ])
    func freshness(age: Int, text: String, isStale: Bool) async throws {
        let site = try await GallerySite(images: 1)
        try await withPage { page in
            // The clock of the page stands still at this time after the feed was saved.
            let saved = try await site.program.status()["feeds"]?[0]?["saved_at"]?.text() ?? ""
            try await page.call(
                "Page.addScriptToEvaluateOnNewDocument",
                ["source": .string("Date.now = () => Date.parse(\(saved)) + \(age * 1000)")])
            try await page.open(site.onDisk)
            #expect(try await page.evaluate("document.querySelector('time').textContent") == .string(text))
            let notice = "Stale: there may be newer images by now."
            #expect(try await page.evaluate("document.body.innerText").string?.contains(notice) == isStale)
            #expect(try await page.evaluate("document.querySelector('time').title.includes('20')") == true)
        }
    }

    @Test("A page can be reloaded") func reload() async throws {
        let site = try await GallerySite(images: 1)
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.evaluate("window.isOld = true")
            site.server.serve(images: [0, 1])
            try await site.program.run(site.server.feedURL)
            try await site.write()
            try await page.click(".reload")
            try await page.wait(for: "!window.isOld && document.querySelectorAll('.images figure').length === 2")
        }
    }

    @Test("A page can be read without the script", arguments: Place.allCases)
    func withoutScript(_ place: Place) async throws {
        let long = String(repeating: "A long text. ", count: 30)
        let site = try await GallerySite(images: 201, missing: [0]) { _ in
            #""description":"\#(long)","location":"Somewhere far away""#
        }
        try await withPage { page in
            let (url, _, nginx) = try await self.place(site, place)
            try await page.call("Emulation.setScriptExecutionDisabled", ["value": true])
            try await page.call("Page.navigate", ["url": .string(url)])
            // A page without scripts lacks timers, so the test polls from outside.
            while try await page.evaluate("document.readyState") != "complete" { await Task.yield() }
            let hidden = """
                [...document.querySelectorAll('figcaption p, figcaption small, .problem p')]
                  .filter(e => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1).length
                """
            #expect(try await page.evaluate(hidden) == 0)
            #expect(
                try await page.evaluate("document.querySelector('time').textContent").string?.contains("UTC") == true)
            #expect(
                try await page.evaluate("document.querySelector('.missing').textContent").string?.contains("404")
                    == true)
            #expect(
                try await page.evaluate("document.querySelector('.missing a').href") == .string(site.server.imageURL(0))
            )
            let next = try await page.evaluate("document.querySelector('a[rel=next]').href").string ?? ""
            #expect(site.furtherPages.map { "/\($0)" }.contains { next.hasSuffix($0) })
            withExtendedLifetime(nginx) {}
        }
    }

    @Test("Hostile text does nothing and stays text") func hostile() async throws {
        let texts = [
            #"<script>window.hurt = 1</script>"#, #"\" onerror=\"window.hurt = 1"#,
            #"</figure></main><img src=x onerror=hurt()>"#,
            #"--><iframe src=javascript:hurt()>"#, #"&lt;b&gt; &#60;b&#62;"#, #"\u202Egnp.exe\u202C"#,
            #"a\u0000b\u001B[31mc"#,
        ]
        let site = try await GallerySite(images: texts.count, missing: [2]) { number in
            #""description":"\#(texts[number])","location":"\#(texts[number])""#
        }
        try await withPage { page in
            try await page.open(site.onDisk)
            let shown = try await page.evaluate(
                "[...document.querySelectorAll('figcaption p')].map(p => p.textContent)")
            #expect(shown[0]?.string == texts[0])
            #expect(shown[2]?.string == texts[2])
            #expect(shown[4]?.string == texts[4])
            #expect(shown[5]?.string == "gnp.exe")
            #expect(shown[6]?.string == "a\u{FFFD}b\u{FFFD}[31mc")
            #expect(try await page.evaluate("typeof window.hurt") == "undefined")
            #expect(try await page.evaluate("document.querySelectorAll('iframe, b, main script').length") == 0)
            let attributes =
                """
                [...document.querySelectorAll('main *')].flatMap(e => e.getAttributeNames()).filter(n => /^on/.test(n))
                """
            #expect(try await page.evaluate(attributes) == [])
            let links = "[...document.links].filter(a => !/^(https?|file):$/.test(a.protocol)).length"
            #expect(try await page.evaluate(links) == 0)
            // The search and the large view make their elements from data.
            try await page.search("iframe")
            try await page.wait(for: "document.querySelector('#state').textContent === '1 image found.'")
            #expect(
                try await page.evaluate("document.querySelector('figcaption p').textContent") == .string(texts[3]))
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('.facts dd')")
            #expect(try await page.evaluate("document.querySelector('.facts p').textContent") == .string(texts[3]))
            #expect(try await page.evaluate("document.querySelectorAll('iframe, b').length") == 0)
            #expect(page.errors == [])
        }
    }

    @Test(
        "A page has names and landmarks for screen readers", arguments: [Look.desktop, .phone.dark])
    func accessibility(_ look: Look) async throws {
        let site = try await GallerySite(images: 4, missing: [1]) {
            $0 == 2 ? #""location":"Here""# : #""description":"Sea""#
        }
        unlink("\(site.path)/images/\(try await site.program.digest(of: site.server.imageURL(3))).webp")
        try await withPage(look) { page in
            try await page.open(site.onDisk)
            try await page.wait(for: "document.querySelector('.failed .problem button')")
            #expect(try await page.accessibilityFaults() == [])
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('dialog')?.open")
            #expect(try await page.accessibilityFaults() == [])
        }
    }

    @Test("A gallery looks as designed: screenshots are kept for review", arguments: Look.all)
    func screenshots(_ look: Look) async throws {
        let program = try Program()
        let site = program.directory.path("site")
        try await withPage(look) { page in
            func show(_ name: String) async throws {
                try await program.run("gallery", site)
                try await page.open("file://\(site)/index.html")
                try await page.evaluate(
                    """
                    Promise.all([...document.images].filter(i => i.getBoundingClientRect().top < innerHeight)
                        .map(i => i.decode()))
                    """)
                try await page.screenshot("gallery-\(look.testDescription)\(name)")
            }
            func open(_ name: String) async throws {
                try await page.click(".images img")
                try await page.wait(for: "document.querySelector('dialog img')?.complete")
                try await page.evaluate("document.querySelector('dialog img').decode()")
                try await page.screenshot("gallery-\(look.testDescription)\(name)")
            }
            try await page.call(
                "Page.addScriptToEvaluateOnNewDocument",
                ["source": "Date.now = () => Date.parse(document.querySelector('time').dateTime) + 7.3e6"])
            try await program.run("\(Fixtures.directory)/landscapes/landscapes.json")
            try await show("-drawings")
            try await open("-drawings-large")
            try await program.run("remove", "\(Fixtures.directory)/landscapes/landscapes.json")
            try await program.syncPhotos()
            try await show("")
            try await open("-large")
            try await program.run("\(Fixtures.directory)/feed.json")
            try await show("-feeds")
            #expect(page.errors == [])
        }
    }
}

extension Program {
    /// Returns landscapes like photographs: their sizes are known, and each is a day older than the one before.
    fileprivate func syncPhotos() async throws {
        let made = try await shell(
            """
            set -e; mkdir "$2"; cd "$1"
            for drawing in *.svg; do vips copy "$drawing" "$2/${drawing%svg}png"; done
            sed 's/[.]svg/.png/' landscapes.json > "$2/landscapes.json"
            """, "\(Fixtures.directory)/landscapes", directory.path("photos"))
        #expect(made.status == .exited(0), "\(made.errorText)")
        try await run(directory.path("photos/landscapes.json"))
        try await sql(
            """
            UPDATE feeds SET title = 'Landscapes';
            UPDATE items SET title = 'A day out', link = 'https://blog.example/2026/a-day-out',
                published = 1795162500000000 - 86400000000 * position
            """)
    }
}
