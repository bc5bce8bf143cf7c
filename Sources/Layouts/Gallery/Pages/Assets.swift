internal import FeedCore

/// A file of the gallery that is no image.
struct SiteFile {
    let name: String
    let bytes: [UInt8]
}

/// The files beside the pages that are the same for every gallery, but for the proportions its images have.
struct Assets {
    static let icon = SiteFile(name: "icon.svg", bytes: PackageResources.icon_svg)

    let style: SiteFile
    let script = SiteFile(name: "script.js", bytes: PackageResources.script_js.withoutIndents)

    init(ratios: Set<Int>) {
        let rules = ratios.sorted().map(Proportions.rule).joined()
        style = SiteFile(name: "style.css", bytes: PackageResources.style_css.withoutIndents + Array(rules.utf8))
    }

    var all: [SiteFile] { [style, script, Self.icon] }

    /// The name of a file with a mark of its content: a browser that kept an older one must not show new pages with it.
    func reference(to file: SiteFile) -> String { "\(file.name)?\(String(file.bytes.fnv1a, radix: 36))" }
}

extension [UInt8] {
    /// Without the blanks that lines begin with, and the lines that are remarks: they are for those who read the source.
    fileprivate var withoutIndents: [UInt8] {
        let lines = split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        return [UInt8](lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8)) + "\n".utf8
    }
}
