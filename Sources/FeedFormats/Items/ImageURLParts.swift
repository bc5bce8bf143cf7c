internal import FeedCore

/// An image URL in parts, from which the size marks are removed one by one.
struct ImageURLParts {
    private let host: Substring
    private var directories: [Substring]
    private var name: Substring
    /// The suffix of the file name, with its dot.
    private var suffix: Substring
    private var query: [Substring]

    /// Splits a URL.
    ///
    /// `address` is the URL without its scheme, because both schemes lead to the same server.
    init(_ address: Substring) {
        let whole = address.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        query = whole[path.endIndex...].dropFirst().split(separator: UInt8(ascii: "&")).map { Substring($0) }
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
        host = parts.removeFirst()
        let file = parts.popLast() ?? ""
        directories = parts
        let dot = file.utf8.lastIndex(of: UInt8(ascii: "."))
        name = dot.map { file[..<$0] } ?? file
        suffix = dot.map { file[$0...] } ?? ""
    }

    var text: String {
        let path = ([host] + directories + [name + suffix]).joined(separator: "/")
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    private func isAt(_ site: String) -> Bool { host == site || host.hasSuffix(".\(site)") }

    // MARK: Marks

    /// Removes the size parameters.
    ///
    /// The other parameters of a URL with an image's file name are removed, too: they only state how the file is
    /// served.
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

    /// Returns the side that a parameter states.
    ///
    /// A signature may have the same name and may begin with a digit.
    private static func side(_ parameter: Substring) -> Double? {
        guard sides.contains(parameter.prefix { $0 != "=" }.lowercased()) else { return nil }
        let value = parameter.drop { $0 != "=" }.dropFirst()
        let rest = value.drop { $0.isASCII && $0.isNumber }
        return rest.isEmpty || rest.first.map { ",x%pw".contains($0) } == true ? number(value) : nil
    }

    /// The size for a mark without a side.
    ///
    /// It is larger than any side that a mark states.
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
        guard directory.utf8.contains(UInt8(ascii: "_")) else { return false }
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
        guard directory.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return nil }
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

    /// Removes a width such as `300px-`.
    ///
    /// Wikis keep the thumbnails of a file in a directory named after it.
    mutating func takePrefix() -> Double? {
        guard name.utf8.first.map({ (0x30...0x39).contains($0) }) == true, let mark = name.firstRange(of: "px-"),
            Self.isNumber(name[..<mark.lowerBound], upTo: 5),
            let size = Double(name[..<mark.lowerBound])
        else { return nil }
        name = name[mark.upperBound...]
        if let thumb = directories.lastIndex(of: "thumb"), directories.last.map({ $0 == name + suffix }) == true {
            directories.removeLast()
            directories.remove(at: thumb)
        }
        return size
    }

    /// Removes all sizes behind the name: programs shrink what other programs have already shrunk.
    mutating func takeSuffix() -> Double? {
        var size: Double?
        while let mark = takeLastSuffix() { size = min(size ?? mark, mark) }
        return size
    }

    private mutating func takeLastSuffix() -> Double? {
        for (mark, size) in [("@2x", 2e9), ("@3x", 3e9), ("-scaled", 2560)] where name.hasSuffix(mark) {
            name = name.dropLast(mark.count)
            return size
        }
        let whole = name.hasSuffix("-crop") ? name.dropLast(5) : name
        guard let line = whole.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let mark = whole[line...].dropFirst()
        let isWidth = mark.last == "w" && Self.isNumber(mark.dropLast(), upTo: 5)
        // The second side may be missing, as in `500x`.
        let sides = mark.split(separator: "x", omittingEmptySubsequences: false)
        let areSides =
            sides.count == 2 && Self.isNumber(sides[0], upTo: 5)
            && (sides[1].isEmpty || Self.isNumber(sides[1], upTo: 5))
        guard isWidth || areSides else { return nil }
        name = name[..<line]
        return Self.number(mark)
    }

    mutating func takeAssigned() -> Double? {
        let file = suffix.isEmpty ? name : suffix
        guard let sign = file.utf8.lastIndex(of: UInt8(ascii: "=")) else { return nil }
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
        guard let photo = parts.first, parts.count > 1, photo.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
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
