import FeedCore
import FeedFormats
import TestDoubles
import TestSupport

/// Decodes anything.
///
/// The first byte says where the rest comes from and what it is taken for; whatever that is, it ends as an error of the
/// domain or as a feed that keeps the rules.
enum FeedFuzzing {
    private static let contentTypes = [
        nil, "text/xml; charset=utf-8", "text/xml; charset=iso-8859-1", "text/xml; charset=utf-16",
    ]

    static func run(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        let url: ResourceURL = choice & 1 == 0 ? .known("https://feeds.example/a/feed") : .known("file:///feeds/a/feed")
        let document = FeedSource(
            bytes: Array(bytes.dropFirst()), url: url, contentType: contentTypes[Int(choice >> 1 & 3)])
        do throws(FeedError) {
            let selection = ImageSelection(all: choice & 8 != 0, follows: choice & 0x10 != 0)
            if choice & 0xC0 == 0x40 {
                check(try FeedDecoder().readPage(document, taking: selection), from: url)
            } else if choice & 0x80 == 0 {
                check(try FeedDecoder().decode(document, taking: selection), from: url)
            } else {
                let list = try FeedDecoder().decodeSubscriptions(document)
                precondition(list.feeds.allSatisfy(\.isRemote))
            }
        } catch {
            precondition(error.kind == .invalidData && !error.message.isEmpty, error.message)
        }
    }

    private static func check(_ decoded: DecodedFeed, from url: ResourceURL) {
        let images = decoded.feed.images
        for image in images {
            precondition(!image.id.isEmpty && image.description != "" && image.location != "" && image.title != "")
            for place in [image.url] + image.alternatives {
                precondition(place.isRemote || (!url.isRemote && place.isBeside(url)))
            }
            precondition(image.alternatives.count <= 8 && !image.alternatives.contains(image.url))
            precondition(image.alternatives.allSatisfy { $0.credentials == nil })
            precondition(image.link?.isRemote != false && image.link?.credentials == nil)
            precondition(image.published.map(Timestamp.writable.contains) != false)
            precondition(ResourceURL.known(image.url.text).text == image.url.text, "a URL that is none")
        }
        precondition(decoded.itemStarts.allSatisfy(images.indices.contains))
        precondition(decoded.itemStarts == decoded.itemStarts.sorted())
        precondition(decoded.notes.count <= 102)
        if let next = decoded.nextPage { precondition(next.isRemote || !url.isRemote) }
    }

    private static func check(_ images: [PageImage], from page: ResourceURL) {
        precondition(images.count <= 64)
        for image in images {
            precondition(image.description != "" && image.url.credentials == nil && image.alternatives.count <= 8)
            for place in [image.url] + image.alternatives {
                precondition(place.isRemote || (!page.isRemote && place.isBeside(page)))
            }
        }
    }

    /// The fixtures, from a server and from a file; and what the formats' rare parts are made of.
    static var seeds: [(name: String, bytes: [UInt8])] {
        var seeds: [(name: String, bytes: [UInt8])] = []
        for directory in ["feeds", "essential/valid"] {
            for suffix in [".xml", ".json"] {
                for name in Fixtures.names(in: directory, suffix: suffix) {
                    do {
                        let bytes = try Fixtures.bytes("\(directory)/\(name)\(suffix)")
                        seeds.append((name, [0] + bytes))
                        seeds.append(("local-\(name)", [1] + bytes))
                    } catch {
                        preconditionFailure("\(error)")
                    }
                }
            }
        }
        let list = "<opml version='2.0'><body><outline title='A' xmlUrl='http://a.example/'/></body></opml>"
        seeds.append(("list", [0x80] + Array(list.utf8)))
        let broken = "<rss><channel><item><title>a & &x; <3</titel><p a=1 b='&'>]]><enclosure url='a.png?b&c'/></rss>"
        seeds.append(("broken", [0] + Array(broken.utf8)))
        let declared = "<!DOCTYPE rss [<!ENTITY % p 'x'><!ENTITY y 'z'>%p;]><rss><channel>&y;&n;<item/>"
        seeds.append(("declared", [0] + Array(declared.utf8)))
        let colons = "<rss><channel><item>&<a:::b ::c:='1' d:e=2></x::::><![CDATA[x]]><enclosure url='a.png'/></item>"
        seeds.append(("colons", [0] + Array(colons.utf8)))
        let group = (1...12).map { "<media:content url='\($0).png' width='\($0)' medium='image'/>" }.joined()
        let contents = String(repeating: "<media:content>", count: 20)
        seeds.append(
            ("contents", [0] + Array("<rss><item><media:group>\(group)</media:group>\(contents)\(group)".utf8)))
        let sources = "<picture><source srcset='a.png 1w,,b.png 2x,(c,'><a href='d.jpg=s1'><img src='d.jpg=s2'>"
        let lazy = "<img data-src=a-300x200.jpg srcset='a@2x.jpg 2x'><noscript><img src=a.jpg?w=1><img src=b.jpg>"
        let quoted = (sources + lazy).replacing("\"", with: "'")
        let json = #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"\#(quoted)"}]}"#
        seeds.append(("alternatives", [0] + Array(json.utf8)))
        let latin = "<?xml version='1.0' encoding='windows-1252'?><rss><channel><item><description><![CDATA[<img src=a>"
        seeds.append(("latin", [0] + Array(latin.utf8) + [0x80, 0xE9, 0x81] + Array("]]></description></item>".utf8)))
        let bare =
            "<thumb>http://a/t.png</thumb><bigimage>http://a/b.png</bigimage><image><url>http://a/u.png</url></image>"
        let inner =
            "<img src='http://a/x/http%3A%2F%2Fb%2Fp-20x30.png'><img src='http://b/p.jpeg'><img src='/p-256.png'>"
        let linked = "<a href='c.png'>[link]</a><img src=f.png width=9 height=9><img src=/cta/f.png><img src=g.png>"
        let posts = (1...4).map {
            "<item><link>/\($0)/</link>\(bare)<description><![CDATA[\(inner)\(linked)<img src=\($0).png>]]>"
        }
        seeds.append(
            ("sources", [0] + Array("<rss><channel><image>\(posts.joined(separator: "</description></item>"))".utf8)))
        let dates =
            "<pubDate>mar. 3 ao\u{fb}t 2026</pubDate><dcterms:issued>2026/1/2</dcterms:issued><date>1.2.2026 3:4</date>"
        let entry = "<entry><id>http://a/b</id><content>&lt;img src=c></content>\(dates)</entry>"
        seeds.append(("entry", [0] + Array(entry.utf8)))
        let wide = Array("<rss><channel><item><enclosure url='a.png'/></item></channel></rss>".utf8)
        seeds.append(("wide", [0] + wide.flatMap { [0, $0] }))
        let loose = #"{"items":[{"url":"/a/","image":"b.png","id":7,"content_html":"<img src=c>"}],"version":1.1}"#
        seeds.append(("loose", [0] + Array(loose.utf8)))
        let page = "<!doctype html><link rel=alternate type=application/rss+xml href=/feed><img src=a>"
        seeds.append(("page", [0] + Array(page.utf8)))
        let head =
            "<base href=/b/><meta charset=latin1><meta property=og:image content=a.png><link rel=image_src href=c.png>"
        let comic =
            "<div id=comic class='x comic'><a href=/d.png><img src=d-9x9.png alt=x></a></div><img id=cc-comic src=e>"
        seeds.append(("linked-page", [0x40] + Array("\(head)\(comic)".utf8)))
        return seeds
    }
}
