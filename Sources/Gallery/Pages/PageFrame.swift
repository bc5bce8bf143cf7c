internal import FeedCore

/// What every page has around its content.
struct PageFrame {
    let assets: Assets
    /// Of the newest feed that is shown.
    let maxAge: MaxAge
    let isFresh: Bool
    /// What the gallery's pages know each other by, and no other page can.
    let key: String

    /// The folder itself, and nobody else, may be asked for anything. The rest of a page's defence is that there is
    /// nothing in it but text.
    private static let policy = """
        default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; \
        base-uri 'none'; form-action 'none'
        """

    func begin(_ page: inout HTMLWriter, title: String, file: String, links: PageLinks) {
        page.raw(
            """
            <!doctype html>
            <html lang=en data-key=\(key)><head><meta charset=utf-8>
            <meta http-equiv=Content-Security-Policy content="\(Self.policy)">
            <meta name=viewport content="width=device-width,initial-scale=1">
            <meta name=referrer content=no-referrer>
            <meta name=color-scheme content="light dark">
            <title>
            """)
        page.text(title, limit: 200)
        if links.page > 1 { page.raw(", page \(links.page)") }
        page.raw("</title>\n<link rel=icon href=\(Assets.iconFile)>\n")
        page.raw("<link rel=stylesheet href=\"\(assets.style.reference)\">\n")
        page.raw("<script src=\"\(assets.script.reference)\" defer></script>\n")
        page.raw("</head><body>\n<a class=skip href=#content>Skip to the pictures</a>\n")
    }

    /// The heading, what the page is about, its age and a way to ask for it anew.
    func header(
        _ page: inout HTMLWriter, title: String, about: String, savedAt: Timestamp?, file: String, isInside: Bool
    ) {
        page.raw("<header class=\"saved\(isFresh ? "" : " stale")\"><div>")
        if isInside { page.raw("<nav aria-label=Gallery><a href=index.html>All feeds</a></nav>") }
        page.raw("<h1>")
        page.text(title)
        page.raw("</h1><p class=about>")
        page.raw("<span>")
        page.text(about)
        page.raw("</span> ")
        if let savedAt { age(&page, savedAt, maxAge) }
        page.raw("</p>")
        if !isFresh { notice(&page) }
        page.raw("</div><a class=\"button reload\" href=\"\(file)\">Reload</a></header>\n")
        page.raw("<p class=unseen id=state role=status></p>\n")
    }

    func age(_ page: inout HTMLWriter, _ savedAt: Timestamp, _ maxAge: MaxAge) {
        // HTML knows three digits behind the second, not six.
        let exact = "\(savedAt.rfc3339.dropLast("456Z".count))Z"
        let day = exact.prefix { $0 != "T" }
        let clock = exact.dropFirst(day.count + 1).prefix(5)
        var limit = ""
        if case .span(let span) = maxAge { limit = " data-fresh=\(span.components.seconds)" }
        page.raw(
            "<span class=age><time datetime=\(exact) title=\"\(exact)\"\(limit)>saved \(day) \(clock) UTC</time></span>"
        )
    }

    /// Only where it is true: who reads a page without its style sheet, or looks through its text, sees it too. The script
    /// puts the same words there when it becomes true later.
    func notice(_ page: inout HTMLWriter) {
        page.raw("<span class=notice>Stale: there may be newer pictures by now.</span>")
    }

    func end(_ page: inout HTMLWriter, links: PageLinks) {
        if links.previous != nil || links.next != nil {
            page.raw("<nav class=pages aria-label=Pages>")
            if let previous = links.previous {
                page.raw("<a class=button rel=prev href=\"\(previous)\">Previous page</a>")
            }
            if let next = links.next { page.raw("<a class=button rel=next href=\"\(next)\">More pictures</a>") }
            page.raw("</nav>\n")
        }
        page.raw("</body></html>\n")
    }
}

/// Where a page stands among those of its kind, counted from 1.
struct PageLinks {
    let name: String
    let page: Int
    let pages: Int

    var file: String { PageNames.file(name, page: page) }
    var previous: String? { page > 1 ? PageNames.file(name, page: page - 1) : nil }
    var next: String? { page < pages ? PageNames.file(name, page: page + 1) : nil }
}
