internal import FeedCore

/// Takes bytes out of their compression, of one stream after another. None of them keeps more than `DecodingLimit.window`
/// of what it has decoded, whatever the stream asks for.
protocol StreamDecoder: AnyObject {
    /// All that came so far is whole.
    var isWhole: Bool { get }
    /// A stream may have ended before: then what is damaged can also be something else behind it.
    var mayHaveEnded: Bool { get }

    /// Decodes from the front of `input`, which it shortens, and says how many bytes of `output` it filled: none only
    /// where it needs more input than there is.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> Int
}

enum DecodingLimit {
    /// As much as `xz -9` asks for.
    static let window = 64 << 20
}

enum DecodingFailure: Error {
    case cutOff
    case damaged(String)
    case dataAfterEnd
    case largeWindow
    case noMemory
}
