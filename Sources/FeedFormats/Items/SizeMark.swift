internal import FeedCore

/// A part of a URL that states the size of an image. URLs that differ only in size marks lead to the same image. A
/// further kind of mark is one more row in the table; `ImageIdentity.mayBeMarked` must recognise its characters.
struct SizeMark: Sendable {
    let what: String
    /// URLs of the same image, in ascending order of size. The tests compare them.
    let examples: [String]
    /// Removes the mark and returns the size that it states; nil for a URL without such a mark.
    let take: @Sendable (inout ImageURLParts) -> Double?

    static let table = [
        SizeMark(
            "parameters of size and format",
            ["b.example/p?id=7&w=300&q=80", "b.example/p?id=7&width=900&ssl=1", "b.example/p?id=7"]
        ) { $0.takeQuery() },
        SizeMark(
            "renditions below the file, at DeviantArt",
            [
                "i.wixmp.com/f/1/p.jpg/v1/fit/w_300,h_200/p-300w.jpg",
                "i.wixmp.com/f/1/p.jpg/v1/fill/w_1280,h_900/p-pre.jpg",
                "i.wixmp.com/f/1/p.jpg",
            ]
        ) { $0.takeRendition(at: "wixmp.com", below: "v1") },
        SizeMark(
            "a component of transformations",
            [
                "s.example/image/fetch/w_600,c_limit/a%2Fp.jpg",
                "s.example/image/fetch/w_1456,c_limit,f_auto/a%2Fp.jpg",
                "s.example/image/fetch/f_auto,q_auto:good/a%2Fp.jpg",
            ]
        ) { $0.takeTransformations() },
        SizeMark(
            "a component of nothing but size",
            [
                "b.example/s72-c/p.jpg", "b.example/w320-h213/p.jpg", "b.example/s640x960/p.jpg",
                "b.example/1280x720/p.jpg",
            ]
        ) { $0.takeComponent() },
        SizeMark(
            "a width before the name",
            [
                "w.example/thumb/a/ab/P.jpg/300px-P.jpg", "w.example/thumb/a/ab/P.jpg/1200px-P.jpg",
                "w.example/a/ab/P.jpg",
            ]
        ) { $0.takePrefix() },
        SizeMark(
            "a size behind the name",
            [
                "b.example/p-300w.jpg", "b.example/p-1024x683.jpg", "b.example/p-scaled.jpg", "b.example/p.jpg",
                "b.example/p@2x.jpg",
            ]
        ) { $0.takeSuffix() },
        SizeMark(
            "a size behind an equals sign",
            ["lh3.example/p=w600-h400", "lh3.example/p=s1600", "lh3.example/p"]
        ) { $0.takeAssigned() },
        SizeMark(
            "Flickr's letters",
            [
                "live.staticflickr.com/1/7_5e_m.jpg", "live.staticflickr.com/1/7_5e.jpg",
                "live.staticflickr.com/1/7_5e_b.jpg",
            ]
        ) { $0.takeLetter(at: "staticflickr.com", flickrSizes, bare: 500) },
    ]

    private static let flickrSizes: [String: Double] = [
        "s": 75, "q": 150, "t": 100, "m": 240, "n": 320, "w": 400, "z": 640, "c": 800, "b": 1024, "h": 1600, "k": 2048,
        "3k": 3072, "4k": 4096, "f": 4096, "5k": 5120, "6k": 6144, "o": 10_000,
    ]

    private init(_ what: String, _ examples: [String], _ take: @escaping @Sendable (inout ImageURLParts) -> Double?) {
        (self.what, self.examples, self.take) = (what, examples, take)
    }
}

/// An image URL in parts, from which the size marks are removed one by one.
struct ImageURLParts {
    private let host: Substring
    private var directories: [Substring]
    private var name: Substring
    /// The suffix of the file name, with its dot.
    private var suffix: Substring
    private var query: [Substring]

    /// Splits a URL. `address` is the URL without its scheme, because both schemes lead to the same server.
    init(_ address: Substring) {
        let whole = address.prefix { $0 != "#" }
        let path = whole.prefix { $0 != "?" }
        query = path.endIndex == whole.endIndex ? [] : whole[path.endIndex...].dropFirst().split(separator: "&")
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        host = parts.removeFirst()
        let file = parts.popLast() ?? ""
        directories = parts
        let dot = file.lastIndex(of: ".")
        name = dot.map { file[..<$0] } ?? file
        suffix = dot.map { file[$0...] } ?? ""
    }

    var text: String {
        let path = ([host] + directories + [name + suffix]).joined(separator: "/")
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    private func isAt(_ site: String) -> Bool { host == site || host.hasSuffix(".\(site)") }

    // MARK: Marks

    /// Removes the size parameters. The other parameters of a URL with an image's file name are removed, too: they only
    /// state how the file is served.
    mutating func takeQuery() -> Double? {
        guard !query.isEmpty else { return nil }
        let isFile = ImageKind.hasImageName("/\(name)\(suffix)")
        var size: Double?
        var rest: [Substring] = []
        for parameter in query {
            let isMark = Self.parameters.contains(parameter.prefix { $0 != "=" }.lowercased())
            if isMark {
                size = max(size ?? 0, Self.side(parameter) ?? 0)
            } else if !isFile {
                rest.append(parameter)
            }
        }
        query = rest
        // Parameters without a side may select another format of the original image.
        return size.map { $0 > 0 ? $0 : Self.unsized }
    }

    /// Returns the side that a parameter states. A signature may have the same name and may begin with a digit.
    private static func side(_ parameter: Substring) -> Double? {
        guard sides.contains(parameter.prefix { $0 != "=" }.lowercased()) else { return nil }
        let value = parameter.drop { $0 != "=" }.dropFirst()
        let rest = value.drop { $0.isASCII && $0.isNumber }
        return rest.isEmpty || rest.first.map { ",x%pw".contains($0) } == true ? number(value) : nil
    }

    /// The size for a mark without a side. It is larger than any side that a mark states.
    static let unsized = 1e6
    private static let sides = SizeParameters.sides
    private static let parameters = SizeParameters.all

    /// Removes a path component such as `w_1456,c_limit,f_auto,q_auto:good` or `$s_!x7!,w_600`.
    mutating func takeTransformations() -> Double? {
        guard let index = directories.firstIndex(where: Self.isTransformation) else { return nil }
        var size = Self.unsized
        for part in directories[index].split(separator: ",") where part.hasPrefix("w_") {
            size = Self.number(part.dropFirst(2)) ?? size
        }
        directories.remove(at: index)
        if index > 0, ["fit", "fill", "crop", "scale"].contains(directories[index - 1]) {
            directories.remove(at: index - 1)
        }
        return size
    }

    private static func isTransformation(_ directory: Substring) -> Bool {
        guard directory.contains("_") else { return false }
        var isKnown = false
        for part in directory.split(separator: ",") {
            guard let line = part.firstIndex(of: "_"), part[..<line].utf8.count <= 3 else { return false }
            if ["w", "h", "c", "f", "q"].contains(part[..<line]) { isKnown = true }
        }
        return isKnown
    }

    mutating func takeComponent() -> Double? {
        guard let index = directories.lastIndex(where: { Self.size(ofComponent: $0) != nil }) else { return nil }
        return Self.size(ofComponent: directories.remove(at: index))
    }

    /// Returns the size that `s640`, `s640x960`, `w640-h427`, `s72-c` or `1280x720` states.
    private static func size(ofComponent directory: Substring) -> Double? {
        let bare =
            directory.first == "s" || directory.first == "w" || directory.first == "h"
            ? directory.dropFirst() : directory
        let digits = bare.prefix { $0.isASCII && $0.isNumber }
        guard (2...4).contains(digits.utf8.count), let size = Double(digits) else { return nil }
        let rest = bare[digits.endIndex...]
        if rest.first == "x" { return isNumber(rest.dropFirst(), upTo: 4) ? size : nil }
        guard bare.startIndex != directory.startIndex else { return nil }
        let options = rest.split(separator: "-")
        let areOptions = options.allSatisfy { option in
            option.utf8.count <= 2 || option.first == "h" && isNumber(option.dropFirst(), upTo: 4)
        }
        return rest.isEmpty || rest.first == "-" && areOptions ? size : nil
    }

    /// Removes a width such as `300px-`. Wikis keep the thumbnails of a file in a directory named after it.
    mutating func takePrefix() -> Double? {
        guard let mark = name.firstRange(of: "px-"), Self.isNumber(name[..<mark.lowerBound], upTo: 5),
            let size = Double(name[..<mark.lowerBound])
        else { return nil }
        name = name[mark.upperBound...]
        if let thumb = directories.lastIndex(of: "thumb"), directories.last.map({ $0 == name + suffix }) == true {
            directories.removeLast()
            directories.remove(at: thumb)
        }
        return size
    }

    mutating func takeSuffix() -> Double? {
        for (mark, size) in [("@2x", 2e9), ("@3x", 3e9), ("-scaled", 2560)] where name.hasSuffix(mark) {
            name = name.dropLast(mark.count)
            return min(size, takeSuffix() ?? size)
        }
        guard let line = name.lastIndex(of: "-") else { return nil }
        let mark = name[line...].dropFirst()
        let isWidth = mark.last == "w" && Self.isNumber(mark.dropLast(), upTo: 5)
        let sides = mark.split(separator: "x", omittingEmptySubsequences: false)
        guard isWidth || sides.count == 2 && sides.allSatisfy({ Self.isNumber($0, upTo: 5) }) else { return nil }
        name = name[..<line]
        return Self.number(mark)
    }

    mutating func takeAssigned() -> Double? {
        let file = suffix.isEmpty ? name : suffix
        guard let sign = file.lastIndex(of: "=") else { return nil }
        let mark = file[sign...].dropFirst()
        guard mark.first == "w" || mark.first == "s" || mark.first == "h", let size = Self.number(mark.dropFirst())
        else {
            return nil
        }
        if suffix.isEmpty { name = name[..<sign] } else { suffix = suffix[..<sign] }
        return size
    }

    mutating func takeLetter(at site: String, _ sizes: [String: Double], bare: Double) -> Double? {
        guard isAt(site) else { return nil }
        let parts = name.split(separator: "_")
        guard let photo = parts.first, parts.count > 1 else { return nil }
        // The largest sizes have another secret behind the photo's number.
        (name, suffix) = (photo, "")
        return parts.count == 3 ? sizes[String(parts[2])] ?? bare : bare
    }

    mutating func takeRendition(at site: String, below directory: Substring) -> Double? {
        guard isAt(site), let index = directories.lastIndex(of: directory), index > 0 else { return nil }
        let marks = directories[index...].joined(separator: ",").split(separator: ",")
        let size = marks.first { $0.hasPrefix("w_") }.flatMap { Self.number($0.dropFirst(2)) }
        (name, suffix) = (directories[index - 1], "")
        directories.removeSubrange((index - 1)...)
        return size ?? Self.unsized
    }

    // MARK: Numbers

    /// Returns the number at the beginning of the text.
    private static func number(_ text: Substring) -> Double? {
        Double(text.prefix { $0.isASCII && $0.isNumber }.prefix(6))
    }

    private static func isNumber(_ text: Substring, upTo digits: Int) -> Bool {
        (2...digits).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
