import CCurl
import FeedCore

extension FeedError {
    /// What a code of libcurl's means in the domain's words.
    static func transfer(_ code: CURLcode, _ explanation: String, host: String?, isConnected: Bool) -> FeedError {
        kind(code, explanation, host: host).at(.reached(with: code, isConnected: isConnected))
    }

    private static func kind(_ code: CURLcode, _ explanation: String, host: String?) -> FeedError {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_BAD_CONTENT_ENCODING:
            .invalidData(explanation, host: host)
        // Our own file: a fresh copy of the feed is not to hide it.
        case CURLE_SSL_CACERT_BADFILE:
            FeedError(.notFound, explanation, host: host)
        // CURLE_TOO_LARGE, which older headers don't have: too many headers.
        case CURLcode(rawValue: 100):
            .invalidData(explanation, host: host)
        // Also what libcurl says of an answer that isn't HTTP, which is the server's fault, and may pass.
        case CURLE_UNSUPPORTED_PROTOCOL where host == nil:
            .invalidData(explanation)
        default:
            .connectivity(explanation, host: host)
        }
    }
}

extension FeedError.Stage {
    /// A code that can mean several stages, such as a timeout, is told apart by whether there was a connection to send
    /// the request on.
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
    /// Rounded up, and never 0, which libcurl takes for its own default.
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

/// What stands between us and every server that is asked through it, and is to be told apart from them.
extension FeedError {
    /// It was asked to connect us, and refused: no answer of the server's. Where it will most likely do so again, that
    /// depends on whom we are to it.
    static func refusal(by proxy: String, with status: Int, host: String?) -> FeedError {
        let message = "the proxy \(ProxyName.withoutCredentials(proxy)) refused the connection with HTTP \(status)"
        guard isLasting(status) else { return .connectivity(message, status: status, host: host).at(.connecting) }
        return FeedError(.invalidData, message, status: status, host: host).dependingOnSettings().at(.connecting)
    }

    /// It is written as none is: a setting of ours, which a fresh copy of the feed is not to hide.
    /// `variable` is the one of the environment that it stands in.
    static func unusable(_ proxy: String, _ explanation: String, variable: String?, host: String?) -> FeedError {
        let name = ProxyName.withoutCredentials(proxy) + (variable.map { " in \($0)" } ?? "")
        let reason = reason(explanation, proxy).map { ": \($0)" } ?? ""
        return FeedError(.notFound, "the proxy \(name) can't be used\(reason)", host: host).at(.trusting).asMisuse()
            .hinting("one is given such as http://proxy.example:3128 or socks5h://proxy.example")
    }

    /// libcurl names the proxy with its password, and then says what is wrong with it.
    private static func reason(_ explanation: String, _ proxy: String) -> String? {
        guard !explanation.hasPrefix("Unsupported proxy scheme") else { return "its scheme is unknown" }
        let reason = explanation.split(separator: "'").last.map { $0.drop { $0 == ":" || $0 == " " } } ?? ""
        return reason.isEmpty || proxy.contains(reason) ? nil : String(reason)
    }

    private static func isLasting(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }
}

/// What a proxy is called without its user name and password, or how it is spoken to.
enum ProxyName {
    static func withoutCredentials(_ proxy: String) -> String {
        var name = proxy[...]
        if let end = name.firstRange(of: "://")?.upperBound { name = name[end...] }
        if let at = name.lastIndex(of: "@") { name = name[name.index(after: at)...] }
        while name.last == "/" { name.removeLast() }
        return name.isEmpty ? "that is set" : String(name)
    }
}
