import FeedCore

/// What stands between us and every server that is asked through it, and is to be told apart from them.
extension FeedError {
    /// It was asked to connect us, and refused: no answer of the server's. Where it will most likely do so again, that
    /// depends on whom we are to it.
    static func refusal(by proxy: String, with status: Int, host: String?) -> FeedError {
        let message = "the proxy \(ProxyName.shown(proxy)) refused the connection with HTTP \(status)"
        guard isLasting(status) else { return .connectivity(message, status: status, host: host).at(.connecting) }
        return FeedError(.invalidData, message, status: status, host: host).dependingOnSettings().at(.connecting)
    }

    /// It is written as none is: a setting of ours, which a fresh copy of the feed is not to hide.
    /// `variable` is the one of the environment that it stands in.
    static func unusable(_ proxy: String, _ explanation: String, variable: String?, host: String?) -> FeedError {
        let name = ProxyName.shown(proxy) + (variable.map { " in \($0)" } ?? "")
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
    static func shown(_ proxy: String) -> String {
        var name = proxy[...]
        if let end = name.firstRange(of: "://")?.upperBound { name = name[end...] }
        if let at = name.lastIndex(of: "@") { name = name[name.index(after: at)...] }
        while name.last == "/" { name.removeLast() }
        return name.isEmpty ? "that is set" : String(name)
    }
}
