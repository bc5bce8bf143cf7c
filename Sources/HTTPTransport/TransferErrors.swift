import CCurl
import FeedCore

extension FeedError {
    /// Returns the domain's error for a code of libcurl.
    static func transfer(_ code: CURLcode, _ explanation: String, host: String?, isConnected: Bool) -> FeedError {
        kind(code, explanation, host: host).at(.reached(with: code, isConnected: isConnected))
    }

    private static func kind(_ code: CURLcode, _ explanation: String, host: String?) -> FeedError {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_BAD_CONTENT_ENCODING:
            .invalidData(explanation, host: host)
        // The file is a setting, and even a fresh copy of the feed must not hide its error.
        case CURLE_SSL_CACERT_BADFILE:
            FeedError(.notFound, explanation, host: host)
        // The code is CURLE_TOO_LARGE, which older headers lack: too many headers.
        case CURLcode(rawValue: 100):
            .invalidData(explanation, host: host)
        // libcurl uses this code also for a response that violates HTTP, which may pass.
        case CURLE_UNSUPPORTED_PROTOCOL where host == nil:
            .invalidData(explanation)
        default:
            .connectivity(explanation, host: host)
        }
    }
}

extension FeedError.Stage {
    /// Returns the stage at which the request failed.
    ///
    /// For a code such as a timeout, the existence of a connection decides.
    static func reached(with code: CURLcode, isConnected: Bool) -> FeedError.Stage {
        switch code {
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            .trusting
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_PROXY:
            .connecting
        default: isConnected ? .transferring : .connecting
        }
    }
}

extension Duration {
    /// The duration for libcurl, rounded up to at least 1: libcurl takes 0 for its default.
    var timeoutMilliseconds: Int {
        let (seconds, attoseconds) = components
        let milliseconds = min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return max(Int(milliseconds), 1)
    }

    var inWords: String {
        let milliseconds = timeoutMilliseconds
        guard milliseconds % 1000 == 0 else { return "\(milliseconds) ms" }
        return milliseconds == 1000 ? "1 second" : "\(milliseconds / 1000) seconds"
    }
}

/// Errors of a proxy, which differ from those of the servers behind it.
extension FeedError {
    /// Returns the error for a proxy that refused to connect.
    ///
    /// A lasting refusal depends on the user's settings.
    static func refusal(by proxy: String, with status: Int, host: String?) -> FeedError {
        let message = "the proxy \(ProxyName.withoutCredentials(proxy)) refused the connection with HTTP \(status)"
        guard isLasting(status) else { return .connectivity(message, status: status, host: host).at(.connecting) }
        return FeedError(.invalidData, message, status: status, host: host).dependingOnSettings().at(.connecting)
    }

    /// Returns the error for a malformed proxy.
    ///
    /// It is a setting, and even a fresh copy of the feed must not hide its error. `variable` is the environment
    /// variable that holds the proxy.
    static func unusable(_ proxy: String, _ explanation: String, variable: String?, host: String?) -> FeedError {
        let name = ProxyName.withoutCredentials(proxy) + (variable.map { " in \($0)" } ?? "")
        let reason = reason(explanation, proxy).map { ": \($0)" } ?? ""
        return FeedError(.notFound, "the proxy \(name) can't be used\(reason)", host: host).at(.trusting).asMisuse()
            .hinting("one is given such as http://proxy.example:3128 or socks5h://proxy.example")
    }

    /// Returns the part of libcurl's message after the proxy, which contains the password.
    private static func reason(_ explanation: String, _ proxy: String) -> String? {
        guard !explanation.hasPrefix("Unsupported proxy scheme") else { return "its scheme is unknown" }
        let reason = explanation.split(separator: "'").last.map { $0.drop { $0 == ":" || $0 == " " } } ?? ""
        return reason.isEmpty || proxy.contains(reason) ? nil : String(reason)
    }

    private static func isLasting(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }
}

/// The names of proxies for messages.
enum ProxyName {
    static func withoutCredentials(_ proxy: String) -> String {
        var name = proxy[...]
        if let end = name.firstRange(of: "://")?.upperBound { name = name[end...] }
        if let at = name.lastIndex(of: "@") { name = name[name.index(after: at)...] }
        while name.last == "/" { name.removeLast() }
        return name.isEmpty ? "that is set" : String(name)
    }
}
