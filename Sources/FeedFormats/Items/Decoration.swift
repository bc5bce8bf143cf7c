internal import FeedCore

/// A rule that recognises decoration: tracking pixels, emoji, avatars and buttons that feeds contain as images. A
/// further rule is one more row in the table.
struct Decoration {
    enum Mark {
        /// The width or the height is 0 or 1.
        case side
        /// The style contains this text, compared without white space.
        case style(String)
        /// The class list contains this class.
        case styleClass(String)
        /// The URL begins with this host, or a subdomain of it, and this path.
        case urlPrefix(String)
        /// The title of the image is the name of the item's author.
        case author
    }

    let mark: Mark
    let what: String
    /// The markup of a feed that the rule matches. The tests decode each example.
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
            .urlPrefix("s.w.org/images/core/emoji"), "an emoji", img("s.w.org/images/core/emoji/15/72x72/1f642.png")),
        Decoration(
            .urlPrefix("e.deviantart.net/emoticons"), "an emoji", img("e.deviantart.net/emoticons/s/smile.gif")),
        Decoration(.author, "the author's image", media("cdn.example/people/ann.jpg", title: "Ann Author")),
        Decoration(
            .urlPrefix("gravatar.com/avatar"), "an avatar", img("secure.gravatar.com/avatar/5e5e?s=96&d=identicon")),
        Decoration(
            .styleClass("avatar"), "an avatar", #"<img class="avatar photo" src="https://blog.example/ann.jpg">"#),
        Decoration(.urlPrefix("pixel.wp.com/"), "a tracking pixel", img("pixel.wp.com/b.gif?host=blog.example&post=7")),
        Decoration(
            .urlPrefix("stats.wordpress.com/"), "a tracking pixel", img("stats.wordpress.com/b.gif?blog=1&post=7")),
        Decoration(
            .urlPrefix("feeds.feedburner.com/~"), "a counter or button", img("feeds.feedburner.com/~r/Blog/~4/x7")),
        Decoration(
            .urlPrefix("feeds.wordpress.com/"), "a counter or button",
            img("feeds.wordpress.com/1.0/comments/b.example/7/")),
        Decoration(.urlPrefix("feedsportal.com/"), "a counter or button", img("da.feedsportal.com/r/7/mf.gif")),
        Decoration(
            .urlPrefix("google-analytics.com/"), "a tracking pixel", img("www.google-analytics.com/__utm.gif?n=7")),
        Decoration(.urlPrefix("doubleclick.net/"), "a tracking pixel", img("ad.doubleclick.net/ad/x;sz=1x1")),
        Decoration(.urlPrefix("quantserve.com/pixel"), "a tracking pixel", img("pixel.quantserve.com/pixel/p-7.gif")),
        Decoration(.urlPrefix("scorecardresearch.com/"), "a tracking pixel", img("b.scorecardresearch.com/p?c1=2")),
        Decoration(.urlPrefix("facebook.com/tr"), "a tracking pixel", img("www.facebook.com/tr?id=7&ev=PageView")),
        Decoration(
            .urlPrefix("medium.com/_/stat"), "a tracking pixel", img("medium.com/_/stat?event=post.clientViewed")),
    ]

    private init(_ mark: Mark, _ what: String, _ example: String) {
        (self.mark, self.what, self.example) = (mark, what, example)
    }

    private static func img(_ address: String) -> String { #"<img src="https://\#(address)">"# }

    private static func media(_ address: String, title: String) -> String {
        #"<media:content url="https://\#(address)" medium="image"><media:title>\#(title)</media:title></media:content>"#
    }
}

extension Decoration {
    private struct Rows {
        var side: Decoration?
        var author: Decoration?
        var styles: [(String, Decoration)] = []
        var classes: [String: Decoration] = [:]
        /// The rules for URL prefixes by the last two labels of their hosts.
        var hosts: [String: [(prefix: String, Decoration)]] = [:]

        init(of table: [Decoration]) {
            for row in table {
                switch row.mark {
                case .side: side = row
                case .author: author = row
                case .style(let style): styles.append((style, row))
                case .styleClass(let name): classes[name] = row
                case .urlPrefix(let prefix):
                    let site = Decoration.site(ofHost: prefix.utf8.prefix { $0 != UInt8(ascii: "/") })
                    hosts[site, default: []].append((prefix, row))
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
        let afterScheme = url.text.utf8.dropFirst(url.scheme.rawValue.utf8.count + 3)
        let host = afterScheme.prefix { $0 != UInt8(ascii: "/") }
        guard let found = rows.hosts[site(ofHost: host)] else { return nil }
        return found.first { prefix, _ in
            let name = prefix.utf8.prefix { $0 != UInt8(ascii: "/") }
            guard afterScheme.dropFirst(host.count).starts(with: prefix.utf8.dropFirst(name.count)) else {
                return false
            }
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
