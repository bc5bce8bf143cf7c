internal import FeedCore
internal import JSONText

/// A document as libxml2 asks for it: in UTF-8, a piece at a time.
struct XMLInput {
    enum Fault {
        /// What follows is no text in the encoding.
        case encoding
        /// libxml2 takes a NUL for the end, which is what it gets. Where it lies, if the document is in UTF-8.
        case nul(Int?)
        case attributes
    }

    private let bytes: [UInt8]
    /// Nil where the document is in UTF-8.
    private let decoder: TextDecoder?
    private var position: Int
    private var attributes = AttributeCount()

    init(_ document: FeedSource, in encoding: XMLEncoding) throws(XMLProblem) {
        bytes = document.bytes
        position = encoding.start
        decoder = encoding.decoder.flatMap { TextDecoder($0, isStrict: encoding.trust == .untilItFails) }
        if let name = encoding.unreadable ?? (decoder == nil ? encoding.decoder : nil) {
            let shown = JSONWriter.quote(name, limit: 40)
            throw .malformed(XMLMalformation(reason: "the encoding \(shown) is not supported", line: 1, column: 1))
        }
    }

    /// How much there is, and what was wrong with it or is with what follows.
    mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> (length: Int, fault: Fault?) {
        var (length, fault) = bytes.withUnsafeBytes { next(of: $0, into: room) }
        if let place = room[..<length].firstIndex(of: 0) {
            fault = .nul(decoder == nil ? position - length + place : nil)
            length = place
        }
        let text = UnsafeRawBufferPointer(rebasing: room[..<length])
        let isExcessive = text.withMemoryRebound(to: UInt8.self) { attributes.exceeds(in: $0) }
        return (length, isExcessive ? .attributes : fault)
    }

    private mutating func next(
        of bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (length: Int, fault: Fault?) {
        guard let decoder else {
            let length = min(room.count, bytes.count - position)
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
            position += length
            return (length, nil)
        }
        while true {
            let (read, written) = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[position...]), into: room)
            position += read
            // What changes from one set of characters to another is no text itself.
            if written > 0 || read == 0 { return (written, decoder.hasFailed ? .encoding : nil) }
        }
    }
}
