internal import FeedCore

/// An address in parts, from which marks of size are taken one by one.
struct AddressParts {
    private let host: Substring
    private var directories: [Substring]
    private var name: Substring
    /// With its dot.
    private var suffix: Substring
    private var query: [Substring]

    /// `address` has no scheme: the same server is behind both.
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

    /// A image's file has no other parameters but for how it is served.
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
        // One without a side may serve the whole image in another format.
        return size.map { $0 > 0 ? $0 : Self.unsized }
    }

    /// A signature may have the name of a side, and begins with a digit at times.
    private static func side(_ parameter: Substring) -> Double? {
        guard sides.contains(parameter.prefix { $0 != "=" }.lowercased()) else { return nil }
        let value = parameter.drop { $0 != "=" }.dropFirst()
        let rest = value.drop { $0.isASCII && $0.isNumber }
        return rest.isEmpty || rest.first.map { ",x%pw".contains($0) } == true ? number(value) : nil
    }

    /// For a mark that tells no side. One that does has less.
    static let unsized = 1e6
    private static let sides = SizeParameters.sides
    private static let parameters = SizeParameters.all

    /// Such as `w_1456,c_limit,f_auto,q_auto:good`, or `$s_!x7!,w_600`.
    mutating func takeTransformations() -> Double? {
        guard let place = directories.firstIndex(where: Self.isTransformation) else { return nil }
        var size = Self.unsized
        for part in directories[place].split(separator: ",") where part.hasPrefix("w_") {
            size = Self.number(part.dropFirst(2)) ?? size
        }
        directories.remove(at: place)
        if place > 0, ["fit", "fill", "crop", "scale"].contains(directories[place - 1]) {
            directories.remove(at: place - 1)
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
        guard let place = directories.lastIndex(where: { Self.size(ofComponent: $0) != nil }) else { return nil }
        return Self.size(ofComponent: directories.remove(at: place))
    }

    /// `s640`, `s640x960`, `w640-h427`, `s72-c`, `1280x720`.
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

    /// Wikis keep the thumbs of a file in a directory of its name.
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
        // The secret behind the photo's number is another for the largest sizes.
        (name, suffix) = (photo, "")
        return parts.count == 3 ? sizes[String(parts[2])] ?? bare : bare
    }

    mutating func takeRendition(at site: String, below directory: Substring) -> Double? {
        guard isAt(site), let place = directories.lastIndex(of: directory), place > 0 else { return nil }
        let marks = directories[place...].joined(separator: ",").split(separator: ",")
        let size = marks.first { $0.hasPrefix("w_") }.flatMap { Self.number($0.dropFirst(2)) }
        (name, suffix) = (directories[place - 1], "")
        directories.removeSubrange((place - 1)...)
        return size ?? Self.unsized
    }

    // MARK: Numbers

    /// The one that it begins with.
    private static func number(_ text: Substring) -> Double? {
        Double(text.prefix { $0.isASCII && $0.isNumber }.prefix(6))
    }

    private static func isNumber(_ text: Substring, upTo digits: Int) -> Bool {
        (2...digits).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
