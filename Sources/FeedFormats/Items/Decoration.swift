internal import FeedCore

/// What stands in feeds as a image and is none that anybody means. To leave out more, add a row.
struct Decoration {
    enum Mark {
        /// A width or height of 1 or 0.
        case side
        /// This in the style, where no white space counts.
        case style(String)
        /// A class by this name.
        case styleClass(String)
        /// A host, or one below it, and what its path begins with.
        case address(String)
        /// A image that is titled as the item's author.
        case author
    }

    let mark: Mark
    let what: String
    /// As it stands in a feed. The tests try each.
    let example: String

    static let table = [
        Decoration(.side, "a tracking pixel", #"<img src="https://count.example/7" width="1" height="1">"#),
        Decoration(.style("display:none"), "hidden", #"<img src="https://count.example/7" style="display: none">"#),
        Decoration(
            .style("visibility:hidden"), "hidden", #"<img src="https://count.example/7" style="visibility:hidden">"#),
        Decoration(.styleClass("emoji"), "an emoji", #"<img class="emoji" src="https://blog.example/1f642.svg">"#),
        Decoration(
            .styleClass("wp-smiley"), "a smiley", #"<img class="wp-smiley" src="https://blog.example/smile.gif">"#),
        Decoration(
            .address("s.w.org/images/core/emoji"), "an emoji", img("s.w.org/images/core/emoji/15/72x72/1f642.png")),
        Decoration(
            .address("e.deviantart.net/emoticons"), "an emoji", img("e.deviantart.net/emoticons/s/smile.gif")),
        Decoration(.author, "the author's image", media("cdn.example/people/ann.jpg", title: "Ann Author")),
        Decoration(
            .address("gravatar.com/avatar"), "an avatar", img("secure.gravatar.com/avatar/5e5e?s=96&d=identicon")),
        Decoration(
            .styleClass("avatar"), "an avatar", #"<img class="avatar photo" src="https://blog.example/ann.jpg">"#),
        Decoration(.address("pixel.wp.com/"), "a tracking pixel", img("pixel.wp.com/b.gif?host=blog.example&post=7")),
        Decoration(
            .address("stats.wordpress.com/"), "a tracking pixel", img("stats.wordpress.com/b.gif?blog=1&post=7")),
        Decoration(
            .address("feeds.feedburner.com/~"), "a counter or button", img("feeds.feedburner.com/~r/Blog/~4/x7")),
        Decoration(
            .address("feeds.wordpress.com/"), "a counter or button",
            img("feeds.wordpress.com/1.0/comments/b.example/7/")),
        Decoration(.address("feedsportal.com/"), "a counter or button", img("da.feedsportal.com/r/7/mf.gif")),
        Decoration(
            .address("google-analytics.com/"), "a tracking pixel", img("www.google-analytics.com/__utm.gif?n=7")),
        Decoration(.address("doubleclick.net/"), "a tracking pixel", img("ad.doubleclick.net/ad/x;sz=1x1")),
        Decoration(.address("quantserve.com/pixel"), "a tracking pixel", img("pixel.quantserve.com/pixel/p-7.gif")),
        Decoration(.address("scorecardresearch.com/"), "a tracking pixel", img("b.scorecardresearch.com/p?c1=2")),
        Decoration(.address("facebook.com/tr"), "a tracking pixel", img("www.facebook.com/tr?id=7&ev=PageView")),
        Decoration(.address("medium.com/_/stat"), "a tracking pixel", img("medium.com/_/stat?event=post.clientViewed")),
    ]

    private init(_ mark: Mark, _ what: String, _ example: String) {
        (self.mark, self.what, self.example) = (mark, what, example)
    }

    private static func img(_ place: String) -> String { #"<img src="https://\#(place)">"# }

    private static func media(_ place: String, title: String) -> String {
        #"<media:content url="https://\#(place)" medium="image"><media:title>\#(title)</media:title></media:content>"#
    }
}

extension Decoration {
    private struct Rows {
        var side: Decoration?
        var author: Decoration?
        var styles: [(String, Decoration)] = []
        var classes: [String: Decoration] = [:]
        /// By the last two labels of the host.
        var hosts: [String: [(address: String, Decoration)]] = [:]

        init(of table: [Decoration]) {
            for row in table {
                switch row.mark {
                case .side: side = row
                case .author: author = row
                case .style(let style): styles.append((style, row))
                case .styleClass(let name): classes[name] = row
                case .address(let address):
                    let site = Decoration.site(ofHost: address.utf8.prefix { $0 != UInt8(ascii: "/") })
                    hosts[site, default: []].append((address, row))
                }
            }
        }
    }

    private static let rows = Rows(of: table)

    static var author: Decoration? { rows.author }

    static func of(sides: [String], style: String?, classes: String?) -> Decoration? {
        if let row = rows.side, sides.contains(where: isPoint) { return row }
        if let style {
            let plain = style.lowercased().filter { !$0.isWhitespace }
            if let (_, row) = rows.styles.first(where: { plain.contains($0.0) }) { return row }
        }
        guard let classes else { return nil }
        return classes.split(whereSeparator: \.isWhitespace).lazy.compactMap { rows.classes[$0.lowercased()] }.first
    }

    private static func isPoint(_ side: String) -> Bool {
        let number = side.utf8.prefix { $0 != UInt8(ascii: "p") && $0 != UInt8(ascii: ".") }
        return number.count == 1 && (number.first == UInt8(ascii: "0") || number.first == UInt8(ascii: "1"))
    }

    static func of(_ url: ResourceURL) -> Decoration? {
        let place = url.text.utf8.dropFirst(url.scheme.rawValue.utf8.count + 3)
        let host = place.prefix { $0 != UInt8(ascii: "/") }
        guard let found = rows.hosts[site(ofHost: host)] else { return nil }
        return found.first { address, _ in
            let name = address.utf8.prefix { $0 != UInt8(ascii: "/") }
            guard place.dropFirst(host.count).starts(with: address.utf8.dropFirst(name.count)) else { return false }
            let below = host.dropLast(name.count)
            return host.suffix(name.count).elementsEqual(name) && (below.isEmpty || below.last == UInt8(ascii: "."))
        }?.1
    }

    private static func site(ofHost host: Substring.UTF8View) -> String {
        let dot = UInt8(ascii: ".")
        guard let last = host.lastIndex(of: dot), let before = host[..<last].lastIndex(of: dot) else {
            return String(Substring(host))
        }
        return String(Substring(host[host.index(after: before)...]))
    }
}
