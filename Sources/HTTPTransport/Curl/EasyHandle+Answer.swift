import CCurl
import FeedCore

/// What libcurl knows of the answer.
extension EasyHandle {
    /// Of the last answer that began, an interim one included; 0 before the first.
    var status: Int {
        var status = 0
        ccurl_get_long(pointer, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Whether the answer came over HTTP/2, whose connections take many requests at once.
    var isMultiplexed: Bool {
        var version = 0
        ccurl_get_long(pointer, CURLINFO_HTTP_VERSION, &version)
        return version == CURL_HTTP_VERSION_2_0
    }

    /// Whether the request has gone on connections alone that were there already.
    var hasReusedConnection: Bool {
        var made = 0
        ccurl_get_long(pointer, CURLINFO_NUM_CONNECTS, &made)
        return made == 0
    }

    /// Whether libcurl says that it has tried one connection after another that was there already. It says so only if
    /// it has nothing to tell of the last.
    var hasGivenUpReusing: Bool { String(cString: errorText).hasPrefix("Connection died, tried") }

    /// Of the proxy's answer to a request for a connection; 0 without one.
    var proxyStatus: Int {
        var status = 0
        ccurl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status)
        return status
    }

    /// That a request may be answered from, as a person calls it.
    var netrcFile: String { network.netrcFile ?? "~/.netrc" }

    /// What libcurl says of a proxy that it can't make sense of; its code may be another failure's too. Not to be shown
    /// as it is: the proxy's password may stand in it.
    var complaintAboutProxy: String? {
        let text = String(cString: errorText)
        return text.hasPrefix("Unsupported proxy") ? text : nil
    }

    /// Nil when the server didn't say.
    var contentLength: Int64? {
        var length: curl_off_t = -1
        ccurl_get_offset(pointer, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        return length < 0 ? nil : Int64(length)
    }

    /// Of the header with this name, in seconds or as a date; nil without one, or when it is over.
    var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        ccurl_get_offset(pointer, CURLINFO_RETRY_AFTER, &seconds)
        // 68 years can be added to a clock.
        return seconds > 0 ? .seconds(min(Int64(seconds), 1 << 31)) : nil
    }

    /// As libcurl resolves a redirect's; nil for what is no URL to it. It does so by itself, too, but with the name and
    /// password in it that it took from a netrc file.
    static func resolve(_ location: String, against url: String) -> String? {
        guard let target = ccurl_resolve(url, location) else { return nil }
        defer { curl_free(target) }
        return String(validatingCString: target)
    }

    /// What libcurl says of the failure, else what the code means in general.
    func explanation(of code: CURLcode) -> String {
        // A small system has none.
        if code == CURLE_SSL_CACERT_BADFILE, network.caFile == nil, let systemAuthorities {
            return "no certificate authorities can be read from \(systemAuthorities): install ca-certificates, "
                + "or give --cacert"
        }
        let general = String(cString: curl_easy_strerror(code))
        guard errorText[0] != 0 else { return general }
        let text = String(cString: errorText)
        // A proxy that it can't make sense of is told of with its password.
        if let proxy, proxy.utf8.contains(UInt8(ascii: "@")), text.contains(proxy) { return general }
        return text
    }
}
