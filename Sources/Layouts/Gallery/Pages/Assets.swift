internal import FeedCore

/// A page of the gallery or a file beside the pages.
struct SiteFile {
    let name: String
    let bytes: [UInt8]
}

/// The style sheet, the script and the icon.
///
/// Only the rules for the proportions of images differ from gallery to gallery.
struct Assets {
    static let icon = SiteFile(name: "icon.svg", bytes: PackageResources.icon_svg)

    let style: SiteFile
    let script: SiteFile

    init(ratios: Set<Int>) {
        let rules = ratios.sorted().map(Proportions.rule).joined()
        let styles = [
            PackageResources.page_css, PackageResources.tiles_css, PackageResources.feeds_css,
            PackageResources.view_css,
        ]
        style = SiteFile(name: "style.css", bytes: styles.flatMap(\.withoutIndents) + Array(rules.utf8))
        // Each file uses names of the files before it.
        let scripts = [
            PackageResources.basics_js, PackageResources.ages_js, PackageResources.data_js, PackageResources.tiles_js,
            PackageResources.lists_js, PackageResources.order_js, PackageResources.matching_js,
            PackageResources.search_js,
            PackageResources.view_js, PackageResources.slideshow_js, PackageResources.keys_js,
            PackageResources.addresses_js,
        ]
        let body = scripts.flatMap(\.withoutIndents)
        script = SiteFile(
            name: "script.js", bytes: Array("'use strict';\n(() => {\n".utf8) + body + Array("})();\n".utf8))
    }

    var all: [SiteFile] { [style, script, Self.icon] }

    /// Returns a file's URL with a hash of the content.
    ///
    /// It makes a browser load the file again after a change.
    func reference(to file: SiteFile) -> String { "\(file.name)?\(String(file.bytes.fnv1a, radix: 36))" }
}

extension [UInt8] {
    /// Returns the text without indentation and without comment lines, which only matter in the source.
    fileprivate var withoutIndents: [UInt8] {
        let lines = split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        return [UInt8](lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: "\n".utf8)) + "\n".utf8
    }
}
