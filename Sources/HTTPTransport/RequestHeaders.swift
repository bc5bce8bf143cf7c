import CCurl
import FeedCore
import Glibc

/// The header lines of a request as a list of libcurl.
final class HeaderList {
    /// The headers that a request for the rest of a body sets itself.
    private static let namesOfRest = [acceptEncoding, "if-range", "range"]
    private static let acceptEncoding = "accept-encoding"
    /// The codings that this client decodes.
    ///
    /// libcurl would decode those it offers itself, and would accept a body that was cut off.
    private static let offer = "Accept-Encoding: \(BodyCodings.offered)"

    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Creates the list; nil if the request needs only the usual headers.
    ///
    /// `lines` are the user's own and have curl's meaning: `Name:` removes a header, and `Name;` sends an empty one.
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
        // The rest of a compressed body is useless.
        let saysEncodings = lines.contains { Self.name(of: $0) == Self.acceptEncoding }
        if request.rest == nil, request.mayBeCompressed, !saysEncodings { append(Self.offer) }
        if first == nil { return nil }
    }

    /// Creates the list of a usual request whose response may be compressed.
    init() { append(Self.offer) }

    deinit { curl_slist_free_all(first) }

    /// Adds a header, unless its value has a control character: it comes from a database or a server, and a line break
    /// would begin another header.
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

/// The user name and password to send.
struct Credentials {
    let user: String
    let password: String

    /// Decodes `user:password` as written in a URL.
    init(percentEncoded text: String) throws(FeedError) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        user = try Self.decode(text[..<colon])
        password = try Self.decode(text[colon...].dropFirst())
    }

    private static func decode(_ text: Substring) throws(FeedError) -> String {
        let encoded = String(text)
        // A length of 0 makes libcurl measure the text, which also suits an empty one.
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
    /// Returns the URL with a percent-encoded user name.
    func textToSend(withUser user: String) -> String {
        let beginning = "\(scheme.rawValue)://"
        return "\(beginning)\(user)@\(Substring(textToSend.utf8.dropFirst(beginning.utf8.count)))"
    }
}

extension HTTPRequest {
    /// Whether the request is unconditional and asks for the whole body.
    var isUsual: Bool { validators.isEmpty && rest == nil }
}
