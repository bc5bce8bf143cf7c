import CCurl
import FeedCore

/// What an answer says that its body is encoded with. libcurl decodes whatever it was built for, asked for or not, and
/// however often a body says that it is encoded.
struct BodyCodings {
    /// Those that a feed may come in. Not Zstandard: a body of kilobytes can ask for a window of 128 MB.
    static let offered: String? = {
        let features = Int32(ccurl_features())
        var offered: [String] = []
        if features & CURL_VERSION_LIBZ != 0 { offered += ["deflate", "gzip"] }
        if features & CURL_VERSION_BROTLI != 0 { offered.append("br") }
        return offered.isEmpty ? nil : offered.joined(separator: ", ")
    }()

    /// Their windows have 32 KB.
    private static let small = ["gzip", "x-gzip", "deflate"]
    private static let large = ["br", "zstd"]

    /// Those that libcurl decodes, as they stand.
    private var known: [String] = []

    /// Of a line that may be one of several. Nearer than libcurl looks, which takes other bytes for space as well.
    mutating func add(_ value: some Sequence<UInt8>) {
        for coding in value.split(separator: UInt8(ascii: ",")) {
            let coding = String(decoding: coding.filter { 0x21...0x7E ~= $0 }, as: UTF8.self).lowercased()
            if Self.small.contains(coding) || Self.large.contains(coding) { known.append(coding) }
        }
    }

    /// Why the body is not to be decoded: layers that each hold no more than a little can stand for terabytes, which pass
    /// by without a byte to be counted.
    func problem(mayBeCompressed: Bool) -> String? {
        if known.count > 1 { return "the body is encoded more than once: \(known.joined(separator: ", "))" }
        guard let coding = known.first, Self.large.contains(coding) else { return nil }
        return coding == "br" && mayBeCompressed ? nil : "the body is encoded as \(coding), which was not asked for"
    }
}
