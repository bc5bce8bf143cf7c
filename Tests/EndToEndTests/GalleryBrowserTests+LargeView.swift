import JSONText
import TestSupport
import Testing

/// The large view of single images.
extension GalleryBrowserTests {
    @Test("The large view opens by click and Enter, and moves by keyboard, button and swipe")
    func largeView() async throws {
        let site = try await GallerySite(images: 3, missing: [1])
        try await withPage(.phone) { page in
            try await page.open(site.onDisk)
            let view = "document.querySelector('dialog')"
            let shown = "\(view).querySelector('img').naturalWidth + ' ' + \(view).querySelector('.count').textContent"
            func expectShown(_ number: Int, _ count: String) async throws {
                let expected = JSONValue.string("\(GallerySite.size(number).width) \(count)").text()
                try await page.wait(for: "\(view)?.open && \(shown) === \(expected)")
            }
            // The focus moves to the first image, past the link above the header and the five tools in it.
            for _ in 0..<7 { try await page.press("Tab") }
            #expect(try await page.evaluate("document.activeElement.ariaLabel") == "Image 1")
            try await page.press("Enter")
            try await expectShown(0, "1 of 3")
            #expect(try await page.evaluate("\(view).querySelector('.facts p').textContent") == "Image 0")
            #expect(
                try await page.evaluate("\(view).querySelector('.facts a').href") == .string(site.server.imageURL(0)))
            #expect(try await page.evaluate("\(view).querySelector('.previous').disabled") == true)
            // An image without data is skipped.
            try await page.press("ArrowRight")
            try await expectShown(2, "3 of 3")
            #expect(try await page.evaluate("\(view).querySelector('.next').disabled") == true)
            try await page.press("ArrowLeft")
            try await expectShown(0, "1 of 3")
            try await page.swipe(from: (300, 400), to: (80, 410))
            try await expectShown(2, "3 of 3")
            try await page.swipe(from: (80, 400), to: (300, 410))
            try await expectShown(0, "1 of 3")
            try await page.click("dialog .next")
            try await expectShown(2, "3 of 3")
            try await page.press("Escape")
            // Going back is complete only when the page's own state has no large view again.
            try await page.wait(
                for: "!\(view).open && document.activeElement.ariaLabel === 'Image 3' && history.state === null")

            try await page.press("Enter")
            try await expectShown(2, "3 of 3")
            // A phone has a back button.
            try await page.evaluate("history.back()")
            try await page.wait(for: "!\(view).open")
            try await page.click(".images img")
            try await expectShown(0, "1 of 3")
            try await page.click("dialog .close")
            try await page.wait(for: "!\(view).open")
            #expect(page.errors == [])
        }
    }

    @Test("The large view shows everything that is known about an image") func facts() async throws {
        let site = try await GallerySite(images: 1)
        try await site.program.sayMore()
        try await site.program.sql(
            """
            UPDATE items SET author = 'Ann', rights = 'CC BY', location = 'The sea', tags = 'sea' || char(10) || 'sun',
                text = 'All that happened.'
            """)
        try await site.write()
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('dialog')?.open")
            let link = JSONValue.string("https://blog.example/2026/a-day-out")
            for place in ["figcaption", ".facts"] {
                let links = try await page.evaluate(
                    "[...document.querySelectorAll('\(place) a')].map(a => [a.textContent, a.href])")
                #expect(links == [["Page", link], ["Original", .string(site.server.imageURL(0))]])
            }
            try await page.wait(for: "document.querySelector('.facts dl')")
            #expect(
                try await page.evaluate("document.querySelector('.facts').innerText.split(/\\s*\\n\\s*/)") == [
                    "A day out", "2026-11-20", "Image 0", "All that happened.", "Author", "Ann", "Rights", "CC BY",
                    "Location", "The sea", "Tags", "sea, sun", "Page", "Original",
                ])
            #expect(page.errors == [])
        }
    }

    @Test("The page stays if an image is opened again before the history has gone back")
    func reopening() async throws {
        let site = try await GallerySite(images: 2)
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.evaluate(
                """
                window.isSame = true; window.open = () => document.querySelector('.images img').click();
                // The script closes the large view, and acts again while going back is pending.
                window.closeAnd = more => new Promise(done => {
                  const view = document.querySelector('dialog');
                  view.addEventListener('close', more, { once: true });
                  addEventListener('popstate', () => setTimeout(done), { once: true });
                  view.close();
                });
                """)
            for more in ["open()", "{ open(); document.querySelector('dialog').close(); open(); }"] {
                try await page.evaluate("open()")
                try await page.evaluate("closeAnd(() => \(more))")
                #expect(try await page.evaluate("document.querySelector('dialog').open") == true)
                #expect(try await page.evaluate("history.state") == ["view": true])
                // The back button leads to the images and stays in the gallery.
                try await page.evaluate("history.back()")
                try await page.wait(for: "!document.querySelector('dialog')?.open && history.state === null")
                #expect(try await page.evaluate("window.isSame") == true)
            }
            try await page.evaluate("open()")
            try await page.evaluate("closeAnd(() => { open(); document.querySelector('dialog').close(); })")
            try await page.wait(for: "!document.querySelector('dialog')?.open && history.state === null")
            #expect(try await page.evaluate("window.isSame") == true)
            #expect(page.errors == [])
        }
    }

    @Test("The large view continues with images of the next page") func largeViewAcrossPages() async throws {
        let site = try await GallerySite(images: 202)
        try await withPage { page in
            try await page.open(site.onDisk)
            try await page.click(".images img")
            try await page.wait(for: "document.querySelector('dialog')?.open")
            try await page.press("End")
            try await page.wait(for: "document.querySelector('dialog .count').textContent === '202 of 202'")
            try await page.press("ArrowLeft")
            try await page.wait(for: "document.querySelector('dialog .count').textContent === '201 of 202'")
            #expect(
                try await page.evaluate("document.querySelector('dialog h2, dialog .facts p').textContent")
                    == "Image 200")
            #expect(page.errors == [])
        }
    }

    @Test("The forward button opens the view that the back button has closed")
    func forward() async throws {
        let site = try await GallerySite(images: 3)
        try await withPage { page in
            let view = "document.querySelector('dialog')"
            try await page.open(site.onDisk)
            try await page.evaluate("window.isSame = true")
            try await page.click(".images img")
            try await page.wait(for: "\(view)?.open")
            try await page.press("ArrowRight")
            for close in ["history.back()", "\(view).close()"] {
                try await page.evaluate(close)
                try await page.wait(for: "!\(view).open && history.state === null")
                try await page.evaluate("history.forward()")
                try await page.wait(for: "\(view).open && history.state?.view")
                #expect(try await page.evaluate("\(view).querySelector('.count').textContent") == "2 of 3")
            }
            try await page.evaluate("history.back()")
            try await page.wait(for: "!\(view).open && history.state === null")
            #expect(try await page.evaluate("window.isSame") == true)
            #expect(page.errors == [])
        }
    }
}
