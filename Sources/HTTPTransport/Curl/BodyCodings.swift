/// What an answer says that its body is encoded with.
struct BodyCodings {
    /// With a window of 32 KB. Others are not offered: with theirs a body of kilobytes can ask for many megabytes.
    enum Coding { case gzip, deflate }

    static let offered = "gzip, deflate"
    /// More than one is refused, and so many are told of.
    private static let mostNames = 4

    /// Those that there are. Whatever else stands there, by mistake, or for a store of objects' own use, means nothing.
    private var names: [String] = []
    /// Those of the transfer, which were not asked for, whatever they are.
    private var namesInTransfer: [String] = []
    private(set) var isChunked = false

    /// Of a line that may be one of several.
    mutating func add(_ value: some Sequence<UInt8>) { Self.add(value, to: &names, where: Self.exists) }

    /// Of a line on the transfer; its chunks are libcurl's affair.
    mutating func addInTransfer(_ value: some Sequence<UInt8>) {
        var isChunked = isChunked
        Self.add(value, to: &namesInTransfer) { name in
            if name == "chunked" { isChunked = true }
            return name != "chunked" && name != "identity"
        }
        self.isChunked = isChunked
    }

    private static func add(
        _ value: some Sequence<UInt8>, to names: inout [String], where counts: (String) -> Bool
    ) {
        for name in value.split(separator: UInt8(ascii: ",")) where names.count < mostNames {
            // As long as any name, and what of another can be told.
            let name = String(decoding: name.filter { 0x21...0x7E ~= $0 }.prefix(40), as: UTF8.self).lowercased()
            if !name.isEmpty, counts(name) { names.append(name) }
        }
    }

    private static func exists(_ name: String) -> Bool {
        coding(name) != nil || ["br", "zstd", "compress", "x-compress"].contains(name)
    }

    private static func coding(_ name: String) -> Coding? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: nil
        }
    }

    /// Nil of a body that is as it is.
    var coding: Coding? { names.first.flatMap(Self.coding) }

    /// Why the body is not to be decoded: layers that each hold no more than a little can stand for terabytes.
    var problem: String? {
        let all = namesInTransfer + names
        if all.count > 1 { return "the body is encoded more than once: \(all.joined(separator: ", "))" }
        if let name = namesInTransfer.first { return "the body is encoded as \(name) on its way, unasked for" }
        guard let name = names.first, coding == nil else { return nil }
        return "the body is encoded as \(name), which can't be decoded: \(Self.offered) can"
    }
}
