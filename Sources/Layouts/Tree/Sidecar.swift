internal import FeedCore
internal import Hashing

/// The metadata of an image as XMP, for a file beside the image.
///
/// digiKam, Immich and PhotoPrism read such a file. Tags are there twice, because Immich only reads those of digiKam.
struct Sidecar {
    static let ending = ".xmp"

    let bytes: [UInt8]

    init(of image: FeedImage, date: Timestamp) {
        var text = Self.beginning
        text += Self.list("dc:title", "Alt", image.title)
        text += Self.list("dc:description", "Alt", image.description)
        let moment = date.rfc3339.prefix(19) + "Z"
        text += "   <photoshop:DateCreated>\(moment)</photoshop:DateCreated>\n"
        text += "   <xmp:CreateDate>\(moment)</xmp:CreateDate>\n"
        text += Self.list("dc:creator", "Seq", image.author)
        text += Self.list("dc:rights", "Alt", image.rights)
        text += Self.list("dc:subject", "Bag", image.tags)
        text += Self.list("digiKam:TagsList", "Seq", image.tags)
        if let source = Self.source(of: image) { text += "   <dc:source>\(Self.escape(source))</dc:source>\n" }
        bytes = Array((text + Self.end).utf8)
    }

    var content: FileContent {
        get throws(FeedError) { FileContent(digest: try SHA256.digest(of: bytes), size: Int64(bytes.count)) }
    }

    /// The page of the image, or its URL if that can't contain a secret.
    private static func source(of image: FeedImage) -> String? {
        if let link = image.link, PublicURL.isPage(link, of: image) { return link.text }
        return PublicURL.isImage(image.url) ? image.url.text : nil
    }

    private static func list(_ name: String, _ kind: String, _ text: String?) -> String {
        list(name, kind, text.map { [$0] } ?? [])
    }

    private static func list(_ name: String, _ kind: String, _ texts: [String]) -> String {
        let language = kind == "Alt" ? #" xml:lang="x-default""# : ""
        let entries = texts.map(escape).filter { !$0.isEmpty }.map { "<rdf:li\(language)>\($0)</rdf:li>" }
        guard !entries.isEmpty else { return "" }
        return "   <\(name)><rdf:\(kind)>\(entries.joined())</rdf:\(kind)></\(name)>\n"
    }

    /// Returns the text for XML, without the characters that XML 1.0 forbids.
    private static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            // A reader would turn a bare carriage return into a line feed.
            case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
            case "\t", "\n": escaped.append(scalar)
            case "\0"..." ": if scalar == " " { escaped.append(scalar) }
            case "\u{FFFE}", "\u{FFFF}": break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static let beginning = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:digiKam="http://www.digikam.org/ns/1.0/"
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
            xmlns:xmp="http://ns.adobe.com/xap/1.0/">

        """

    private static let end = """
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """
}
