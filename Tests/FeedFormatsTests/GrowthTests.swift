#if DEBUG
    import FeedCore
    import TestDoubles
    import TestSupport
    import Testing

    @testable import FeedFormats

    /// Hostile texts of two sizes.
    ///
    /// The number of steps must grow in proportion to the size.
    @Suite struct GrowthTests {
        private typealias Text = @Sendable (_ size: Int) -> String

        private static func times(_ size: Int, _ piece: String) -> String {
            HostileFeed.times(max(1, size / piece.utf8.count), piece)
        }

        /// Repeats a text with numbers of five digits, so that four times as many pieces are four times as long.
        private static func numbered(_ size: Int, _ piece: (Int) -> String) -> String {
            HostileFeed.numbered(max(1, size / piece(10_000).utf8.count)) { piece(10_000 + $0) }
        }

        private static func rss(_ item: @escaping Text) -> Text { { HostileFeed.rss(item($0)) } }

        private static func html(_ piece: @escaping Text) -> Text {
            rss { "<description><![CDATA[\(piece($0))]]></description>" }
        }

        private static func json(_ items: @escaping Text) -> Text {
            { #"{"version":"https://jsonfeed.org/version/1","items":[\#(items($0))]}"# }
        }

        /// The texts that a raw "&" sends to the repairer.
        private static let repaired: [String: Text] = [
            "a start tag of colons": rss { "&<x\(times($0, ":"))/>" },
            "an end tag of colons": rss { "&<b/></x\(times($0, ":"))>" },
            "an attribute of colons": rss { "&<x \(times($0, ":"))='1'/>" },
            "a long name": rss { "&<\(times($0, "x"))/>" },
            "long names that differ at their ends": rss { size in
                let name = times(size / 100, "x")
                let tags = (100..<150).map { "<\(name)\($0)>" } + (200..<250).map { "</\(name)\($0)>" }
                return "&\(tags.joined())"
            },
            "open elements and other end tags": rss { size in
                "&\((0..<150).map { "<a\($0)>" }.joined())\(times(size, "</b>"))"
            },
            "thousands of attributes": rss { "&\(times($0, "<x \(times(4000, "a=1 "))/>"))" },
            "nested elements": rss { "&\(times($0, times(450, "<a>") + times(600, "</a>")))" },
            "undeclared prefixes": rss { "&\(times($0, "<p:a q:b='1'/>"))" },
            "undeclared entities": rss { "&\(times($0, "&x;"))" },
            "a long entity": rss { "&\(times($0, "a"))" },
            "unclosed elements": rss { "&\(times($0, "<item><b>"))" },
            "mismatched end tags": rss { "&\(times($0, "<a><b></a></b>"))" },
            "quotes": rss { "&\(times($0, "<a \" '>"))" },
            "CDATA sections without ends": rss { "&\(times($0, "<![CDATA["))" },
            "comments": rss { "&\(times($0, "<!-- -->"))" },
            "a gap in a tag": rss { "&<x a\(times($0, " "))b\(times($0, " "))/>" },
            "a document type": { size in
                HostileFeed.rss("&", after: "<!DOCTYPE rss [\(numbered(size) { "<!ENTITY e\($0) 'x'>" })]>")
            },
        ]

        private static let plain: [String: Text] = [
            "RSS items": { "<rss><channel>\(times($0, "<item><enclosure url='a.png'/></item>"))</channel></rss>" },
            "RDF items": { size in
                let items = times(size, "<item rdf:about='x'><enc:enclosure rdf:resource='a.png'/></item>")
                return "<rdf:RDF><channel/>\(items)</rdf:RDF>"
            },
            "Atom entries": { "<feed>\(times($0, "<entry><link rel='enclosure' href='a.png'/></entry>"))</feed>" },
            "OPML outlines": { "<opml><body>\(numbered($0) { "<outline xmlUrl='http://h/\($0)'/>" })</body></opml>" },
            "enclosures of one item": rss { numbered($0) { "<enclosure url='\($0).png'/>" } },
            "sizes of one image": rss { numbered($0) { "<enclosure url='a-\($0)x\($0).png'/>" } },
            "a group": rss { "<media:group>\(numbered($0) { "<media:content url='\($0).png'/>" })</media:group>" },
            "nested contents": rss { size in
                let thumbnails = numbered(size) { "<media:thumbnail url='\($0).png'/>" }
                return "\(times(2700, "<media:content>"))\(thumbnails)\(times(2880, "</media:content>"))"
            },
            "relative references on a long base": { size in
                let base = times(min(size, 4000), "b")
                return "<rss xml:base='http://h/\(base)/'><channel><item>\(times(size, "<enclosure url='a.png'/>"))"
                    + "</item></channel></rss>"
            },
            "similar names": rss { numbered($0) { "<enclosure url='/\($0)/a-name-of-many-letters.png'/>" } },
            "numbers behind names": rss { numbered($0) { "<enclosure url='/p-\($0 % 9000 + 100).png'/>" } },
            "numbers behind one name": rss { size in
                "\(numbered(size) { "<enclosure url='/\($0 % 7)/p-\($0 % 9000 + 100).png'/>" })<enclosure url='/3/p.png'/>"
            },
            "suffixes": rss { numbered($0) { "<enclosure url='/p-20x30.\($0 % 9000)' type='image/png'/>" } },
            "encoded originals": rss { numbered($0) { "<enclosure url='/http%3A%2F%2Fa%2F\($0).png'/>" } },
            "bare elements": rss { numbered($0) { "<thumb>http://h/\($0).png</thumb>" } },
            "undeclared prefixes of attributes": rss { numbered($0) { "<a p\($0 % 9):b='1'/>" } },
            "JSON Feed items": json { "\(times($0, #"{"image":"/a.png"},"#)){}" },
            "JSON Feed attachments": json { #"{"attachments":[\#(times($0, #"{"url":"/a.png"},"#)){}]}"# },
            "Essential items": {
                #"{"items":[\#(times($0, #"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"http://h/a"},"#)){}]}"#
            },
        ]

        private static let markup: [String: Text] = [
            "images": html { numbered($0) { "<img src=\($0).png>" } },
            "images in a long link": html { "<a href='\(times($0, "a")).jpg'>\(times($0, "<img src=a>"))" },
            "images in a long link of a size": html {
                "<a href='\(times($0, "a"))=s1'>\(times($0, "<img src='a=s1'>"))"
            },
            "images with a long source": html {
                "<picture><source srcset='\(times($0, "a")).jpg'>\(times($0, "<img src=a>"))</picture>"
            },
            "candidates of a srcset": html { "<img srcset='\(numbered($0) { "\($0).png \($0)w, " })'>" },
            "commas of a srcset": html { "<img srcset='\(times($0, ","))'>" },
            "long candidates of a srcset": html { "<img srcset='\(numbered($0) { "\(times(1000, "a"))\($0), " })'>" },
            "images without scripts": html { "<img data-src=a><noscript>\(numbered($0) { "<img src=\($0)>" })" },
            "text links": html { numbered($0) { "<a href=\($0).png>[link]</a>" } },
            "long text links": html { "<a href='\(times($0, "a")).png'>\(times($0, "a"))</a><img src=a>" },
            "images linked to one page": { size in
                let images =
                    "<a href=http://h/p>\(numbered(size) { "<img src=\($0).png>" })</a><a href=/l.png>[link]</a>"
                return HostileFeed.rss("<link>http://h/p</link><description><![CDATA[\(images)]]></description>")
            },
            "furniture": { size in
                let items = numbered(size) {
                    "<item><description>&lt;img src=f.png>&lt;img src=\($0).png></description></item>"
                }
                return "<rss><channel>\(items)</channel></rss>"
            },
            "tags without ends": html { "<img src=a>\(times($0, "<a b=\""))" },
            "comments without ends": html { "<img src=a>\(times($0, "<!--"))" },
        ]

        private static let all = repaired.merging(plain) { $1 }.merging(markup) { $1 }

        private static func steps(_ text: String) -> Int {
            let document = FeedSource(bytes: Array(text.utf8), url: HostileFeed.url)
            return StepCounter.count {
                do throws(FeedError) {
                    if text.hasPrefix("<opml") {
                        _ = try FeedDecoder().decodeSubscriptions(document)
                    } else {
                        _ = try FeedDecoder().decode(document)
                    }
                } catch {
                    #expect(error.kind == .invalidData)
                }
            }
        }

        @Test("a hostile text that is four times as long takes four times as many steps", arguments: all.keys.sorted())
        func growth(name: String) throws {
            let text = try #require(Self.all[name])
            let (small, large) = (Self.steps(text(4000)), Self.steps(text(16_000)))
            #expect(large <= 5 * small + 10_000, "\(small) steps and \(large) steps")
        }

        private static let pages: [String: Text] = [
            "meta tags": { numbered($0) { "<meta property=og:image content=/\($0).png>" } },
            "one comic": { "<div id=comic>\(numbered($0) { "<img src=/\($0).png>" })</div>" },
            "many comics": { numbered($0) { "<div id=comic><img src=/\($0).png></div>" } },
            "nested comics": { times($0, "\(times(4000, "<div id=comic>"))\(times(4000, "</div>  "))") },
            "a list of classes": { "<div class='\(times($0, "comic "))'><img src=a>" },
            "a long title": { "<div id=comic><img src=/a.png title='\(times($0, "a "))'></div>" },
        ]

        @Test("a hostile page that is four times as long takes as many more steps", arguments: pages.keys.sorted())
        func pageGrowth(name: String) throws {
            let text = try #require(Self.pages[name])
            func steps(_ size: Int) throws -> Int {
                let page = FeedSource(bytes: Array(text(size).utf8), url: HostileFeed.url)
                var failure: FeedError?
                let count = StepCounter.count {
                    do throws(FeedError) {
                        _ = try FeedDecoder().readPage(page, taking: ImageSelection())
                    } catch {
                        failure = error
                    }
                }
                #expect(failure == nil)
                return count
            }
            let (small, large) = (try steps(4000), try steps(16_000))
            #expect(large <= 5 * small + 10_000, "\(small) steps and \(large) steps")
        }

        @Test("the steps for furniture grow in proportion to the number of items")
        func furniture() throws {
            func steps(_ count: Int) -> Int {
                let items = HostileFeed.numbered(count) {
                    "<item><description>&lt;img src=/f.png>&lt;img src=/\(100_000 + $0).png></description></item>"
                }
                return Self.steps("<rss><channel><link>http://h/</link>\(items)</channel></rss>")
            }
            let (small, large) = (steps(10_000), steps(100_000))
            #expect(large <= 11 * small, "\(small) steps and \(large) steps")
        }

        @Test("the steps for the candidates of one item grow in proportion to their number")
        func candidates() throws {
            func steps(_ count: Int) -> Int {
                let images = HostileFeed.numbered(count) {
                    "<enclosure url='/\($0 % 9)/a-long-name-\(1000 + $0)-9x9.png'/>"
                }
                return Self.steps(HostileFeed.rss(images))
            }
            let (small, large) = (steps(1000), steps(5000))
            #expect(large <= 6 * small, "\(small) steps and \(large) steps")
        }
    }
#endif
