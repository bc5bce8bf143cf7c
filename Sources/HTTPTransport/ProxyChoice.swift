import FeedCore
import Glibc

/// Chooses the proxy of a request.
///
/// libcurl reads the same variables, but the address check must know the choice: with a proxy, the connected address is
/// the proxy's and says nothing about the server.
///
/// | for           | the first of these that has a value                          |
/// |---------------|--------------------------------------------------------------|
/// | any           | as given; "" for none                                        |
/// | http          | `http_proxy`, `all_proxy`, `ALL_PROXY`                       |
/// | https         | `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`       |
///
/// `HTTP_PROXY` is ignored, because a CGI program gets a request header of its client under that name. Hosts that
/// `no_proxy` or `NO_PROXY` names are reached directly.
struct ProxyChoice {
    struct Proxy: Hashable {
        /// The proxy's URL in libcurl's notation.
        let text: String
        /// The environment variable that names the proxy; nil for `--proxy`.
        let variable: String?

        /// Creates a proxy that resolves host names itself if it is a SOCKS proxy: `socks4` becomes `socks4a` and
        /// `socks5` becomes `socks5h`.
        ///
        /// libcurl reads `socks` as `socks4`.
        init(_ text: String, variable: String? = nil) {
            self.variable = variable
            let end = text.firstRange(of: ":/")?.lowerBound ?? text.startIndex
            switch text[..<end].lowercased() {
            case "socks", "socks4": self.text = "socks4a" + text[end...]
            case "socks5": self.text = "socks5h" + text[end...]
            default: self.text = text
            }
        }
    }

    private let http: Proxy?
    private let https: Proxy?
    private let exceptions: ProxyExceptions

    init(given: String?, environment: [String: String]) {
        func first(of names: String...) -> Proxy? {
            names.lazy.map { Proxy(environment[$0] ?? "", variable: $0) }.first { !$0.text.isEmpty }
        }
        if let given {
            http = given.isEmpty ? nil : Proxy(given)
            https = http
        } else {
            http = first(of: "http_proxy", "all_proxy", "ALL_PROXY")
            https = first(of: "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        }
        exceptions = ProxyExceptions(first(of: "no_proxy", "NO_PROXY")?.text ?? "")
    }

    func proxy(for url: ResourceURL) -> Proxy? {
        guard let proxy = url.scheme == .https ? https : http, let host = url.host, !exceptions.contains(host) else {
            return nil
        }
        return proxy
    }
}

extension ProxyChoice {
    /// Returns the variables of this process that name proxies.
    static func environment() -> [String: String] {
        let names = [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        ]
        var environment: [String: String] = [:]
        for name in names { environment[name] = getenv(name).flatMap { String(validatingCString: $0) } }
        return environment
    }
}

/// Chooses the proxy by the run's settings, or by those of the request.
struct ProxyChoices {
    private let general: ProxyChoice
    private let environment: [String: String]

    init(given: String?, environment: [String: String]) {
        general = ProxyChoice(given: given, environment: environment)
        self.environment = environment
    }

    func proxy(for request: HTTPRequest) -> ProxyChoice.Proxy? {
        guard let manner = request.manner else { return general.proxy(for: request.url) }
        return ProxyChoice(given: manner.network.proxy, environment: environment).proxy(for: request.url)
    }
}

/// The hosts that are reached directly: names with their subdomains, addresses, and blocks of addresses; `*` means all.
///
/// Ports are ignored.
struct ProxyExceptions {
    private enum HostPattern {
        case name([UInt8])
        case block(NetworkAddress, bits: Int)
    }

    private let all: Bool
    private let exceptions: [HostPattern]

    init(_ text: String) {
        let items = text.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        all = items.count == 1 && items[0].elementsEqual("*".utf8)
        exceptions = items.compactMap { Self.exception(String(Substring($0))) }
    }

    /// Returns whether the list contains `host`, which is written as in a URL.
    func contains(_ host: String) -> Bool {
        guard !all else { return true }
        guard !exceptions.isEmpty else { return false }
        let name = Self.name(Substring(host))
        let address = NetworkAddress(presentation: Self.unbracketed(host))
        return exceptions.contains { exception in
            switch exception {
            case .block(let block, let bits): address.map { Self.agree($0, block, bits: bits) } ?? false
            case .name(let suffix): address == nil && Self.isWithin(name, suffix)
            }
        }
    }

    private static func exception(_ item: String) -> HostPattern? {
        let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if let address = NetworkAddress(presentation: unbracketed(withoutPort(String(parts[0])))) {
            let width = address.bytes.count * 8
            guard parts.count == 2 else { return .block(address, bits: width) }
            guard let bits = Int(parts[1]), (0...width).contains(bits) else { return nil }
            return .block(address, bits: bits)
        }
        do {
            let name = name(Substring(try HostName.ascii(withoutPort(item))).drop { $0 == "." })
            return name.isEmpty ? nil : .name(name)
        } catch {
            // An invalid name matches no host.
            return nil
        }
    }

    /// Removes the port.
    ///
    /// Several colons without brackets are those of an IPv6 address.
    private static func withoutPort(_ text: String) -> String {
        guard let colon = text.lastIndex(of: ":") else { return text }
        let isBracketed = text.hasPrefix("[")
        let host = text[..<colon]
        guard isBracketed ? host.hasSuffix("]") : !host.contains(":") else { return text }
        return String(host)
    }

    private static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Returns the name in comparable form: in lower case, without the dot that may end a full name.
    private static func name(_ text: Substring) -> [UInt8] {
        let name = Array(text.lowercased().utf8)
        return name.last == UInt8(ascii: ".") ? name.dropLast() : name
    }

    private static func isWithin(_ name: [UInt8], _ suffix: [UInt8]) -> Bool {
        guard name.count > suffix.count else { return name == suffix }
        return name.suffix(suffix.count) == suffix[...]
            && name[name.count - suffix.count - 1] == UInt8(ascii: ".")
    }

    private static func agree(_ address: NetworkAddress, _ block: NetworkAddress, bits: Int) -> Bool {
        guard address.bytes.count == block.bytes.count else { return false }
        return zip(address.bytes, block.bytes).enumerated().allSatisfy { index, pair in
            let compared = min(max(bits - index * 8, 0), 8)
            return compared == 0 || (pair.0 ^ pair.1) >> UInt8(8 - compared) == 0
        }
    }
}
