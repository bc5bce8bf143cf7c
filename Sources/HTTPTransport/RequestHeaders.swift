import CCurl
import FeedCore
import Glibc

/// Header lines for a request, in libcurl's own kind of list.
final class HeaderList {
    /// What a request for the rest of a body says itself.
    private static let namesOfRest = [acceptEncoding, "if-range", "range"]
    private static let acceptEncoding = "accept-encoding"
    /// By ourselves: what libcurl offers, it decodes, and doesn't tell a body that was cut off from a whole one.
    private static let offer = "Accept-Encoding: \(BodyCodings.offered)"

    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Nil if the request needs none but the usual ones. `lines` are a person's own, and mean what they mean to curl:
    /// `Name:` takes a header away, and `Name;` sends an empty one.
    init?(for request: HTTPRequest, with lines: [String]) throws(FeedError) {
        add("If-None-Match", request.validators.etag)
        add("If-Modified-Since", request.validators.lastModified)
        if let rest = request.rest, Self.isPlain(rest.validator) {
            append("Range: bytes=\(rest.offset)-")
            append("If-Range: \(rest.validator)")
        }
        for line in lines {
            guard line.isHeaderText else {
                throw .invalidData("a header line to be sent has a line break or a control character in it")
            }
            if request.rest == nil || !Self.namesOfRest.contains(Self.name(of: line)) { append(line) }
        }
        // The rest of a compressed body would be of no use.
        let saysEncodings = lines.contains { Self.name(of: $0) == Self.acceptEncoding }
        if request.rest == nil, request.mayBeCompressed, !saysEncodings { append(Self.offer) }
        if first == nil { return nil }
    }

    /// For the usual request of a body that may come encoded.
    init() { append(Self.offer) }

    deinit { curl_slist_free_all(first) }

    /// They come from a database or a server, and a line break in one would begin a header of its own.
    private func add(_ name: String, _ value: String?) {
        if let value, Self.isPlain(value) { append("\(name): \(value)") }
    }

    private func append(_ line: String) { first = curl_slist_append(first, line) ?? first }

    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func name(of line: String) -> String {
        line.prefix { $0 != ":" && $0 != ";" }.lowercased()
    }
}

/// A user name and password as the server shall see them.
struct Credentials {
    let user: String
    let password: String

    /// `user:password` as it stands in a URL.
    init(percentEncoded text: String) throws(FeedError) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        user = try Self.decode(text[..<colon])
        password = try Self.decode(text[colon...].dropFirst())
    }

    private static func decode(_ text: Substring) throws(FeedError) -> String {
        let encoded = String(text)
        // A length of 0 stands for "measure it", which is right for an empty text too.
        var length: Int32 = 0
        guard let decoded = curl_easy_unescape(nil, encoded, 0, &length) else {
            throw .connectivity("libcurl: out of memory")
        }
        defer { curl_free(decoded) }
        guard Int(length) == strlen(decoded), let text = String(validatingCString: decoded) else {
            throw .invalidData("the user name or password in the URL has characters that none can have")
        }
        return text
    }
}

extension ResourceURL {
    /// `login` is percent-encoded.
    func textToSend(withLogin login: String) -> String {
        let beginning = "\(scheme.rawValue)://"
        return "\(beginning)\(login)@\(Substring(textToSend.utf8.dropFirst(beginning.utf8.count)))"
    }
}

extension HTTPRequest {
    /// Neither conditional nor for a rest.
    var isUsual: Bool { validators.isEmpty && rest == nil }
}
