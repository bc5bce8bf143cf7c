internal import FeedCore

/// Gathers what comes, to be written much at a time: headers and padding are small. What isn't lent is copied.
final class OutputBuffer {
    private static let mostPieces = 512

    private let target: any ByteTarget
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
    private var filled = 0
    /// What is to be written, in the block and elsewhere.
    private var pieces: [UnsafeRawBufferPointer] = []
    private(set) var failure: FeedError?
    /// What comes stays where it is until it is written.
    var isLent = false
    /// Nothing is taken any more.
    var isShut = false

    init(_ target: any ByteTarget) { self.target = target }

    deinit { block.deallocate() }

    /// False when writing failed.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isShut { return false }
        do throws(FeedError) {
            if isLent { try append(bytes) } else { try copy(bytes) }
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let place = UnsafeMutableRawBufferPointer(rebasing: block[filled...].prefix(rest.count))
            place.copyMemory(from: .init(rebasing: rest.prefix(place.count)))
            filled += place.count
            rest = rest.dropFirst(place.count)
            try append(UnsafeRawBufferPointer(place))
            if filled == block.count { try flush() }
        }
    }

    private func append(_ piece: UnsafeRawBufferPointer) throws(FeedError) {
        if let last = pieces.last, last.baseAddress.map({ $0 + last.count }) == piece.baseAddress {
            pieces[pieces.count - 1] = UnsafeRawBufferPointer(start: last.baseAddress, count: last.count + piece.count)
        } else {
            pieces.append(piece)
        }
        if pieces.count == Self.mostPieces { try flush() }
    }

    func flush() throws(FeedError) {
        if !pieces.isEmpty { try target.write(pieces) }
        pieces.removeAll(keepingCapacity: true)
        filled = 0
    }
}
