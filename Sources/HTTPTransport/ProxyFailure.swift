import FeedCore

/// What stands between us and every server that is asked through it, and is to be told apart from them.
extension FeedError {
    /// It was asked to connect us, and refused. Whether it does depends on whom we are to it: no answer of the server's.
    static func refusal(by proxy: String, with status: Int, host: String?) -> FeedError {
        let message = "the proxy \(ProxyName.shown(proxy)) refused the connection with HTTP \(status)"
        return FeedError(.invalidData, message, status: status, host: host).dependingOnSettings().at(.connecting)
    }

    /// It is written as none is: a setting of ours, which a fresh copy of the feed is not to hide.
    static func unusable(_ proxy: String, _ explanation: String, host: String?) -> FeedError {
        // libcurl names the proxy with its password, and then says what is wrong with it.
        let reason = explanation.split(separator: "'").last.map { $0.drop { $0 == ":" || $0 == " " } } ?? ""
        let isToldApart = !reason.isEmpty && !proxy.contains(reason)
        let message = "the proxy \(ProxyName.shown(proxy)) can't be used" + (isToldApart ? ": \(reason)" : "")
        return FeedError(.notFound, message, host: host).at(.trusting)
    }

    /// Whether a proxy that answers so to a request for a connection will most likely do so again.
    static func isRefusal(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }
}

/// What a proxy is called without its user name and password, or how it is spoken to.
enum ProxyName {
    static func shown(_ proxy: String) -> String {
        var name = proxy[...]
        if let end = name.firstRange(of: "://")?.upperBound { name = name[end...] }
        if let at = name.lastIndex(of: "@") { name = name[name.index(after: at)...] }
        while name.last == "/" { name.removeLast() }
        return name.isEmpty ? "that is set" : String(name)
    }
}
