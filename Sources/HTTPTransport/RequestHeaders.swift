import CCurl
import FeedCore
import Glibc

/// Header lines for a request, in libcurl's own kind of list.
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// The lines that make a request conditional.
    init(conditions: Validators) {
        add("If-None-Match", conditions.etag)
        add("If-Modified-Since", conditions.lastModified)
    }

    deinit { curl_slist_free_all(first) }

    private func add(_ name: String, _ value: String?) {
        // They come from a database, and a line break in one would begin a header of its own.
        guard let value, !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
        first = curl_slist_append(first, "\(name): \(value)") ?? first
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
