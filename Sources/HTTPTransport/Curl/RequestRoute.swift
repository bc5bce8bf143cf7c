import CCurl
import FeedCore

/// How a request gets to its server.
struct RequestRoute: Hashable {
    /// Nil for none.
    let proxy: ProxyChoice.Proxy?
    /// What the proxy is told to connect to, where that isn't as the URL has it.
    var address: NetworkAddress?
}

extension ProxyChoice.Proxy {
    /// As libcurl reads it. By the others the name is looked up, and the address chosen, at the proxy's place.
    private static let schemesOfAddresses = ["socks", "socks4", "socks5"]

    private var scheme: String? { text.firstRange(of: ":/").map { text[..<$0.lowerBound].lowercased() } }

    /// Whether it is told an address to connect to, which is looked up here.
    var isToldAddresses: Bool { scheme.map(Self.schemesOfAddresses.contains) ?? false }

    /// Of those that a name has, the one that it is told: as libcurl, which tries no other.
    func address(_ all: [NetworkAddress], for request: HTTPRequest) throws(FeedError) -> NetworkAddress {
        let usable = scheme == "socks5" ? all : all.filter(\.isIPv4)
        guard let first = usable.first else {
            let message = "\(request.url.host ?? "the host") has no address that the proxy can be told"
            throw FeedError.connectivity(message, host: request.url.hostAndPort).at(.connecting)
        }
        guard request.addresses == .publicOnly, let refusal = AddressCheck.refusal(of: first, at: request.url) else {
            return first
        }
        guard let other = usable.first(where: \.addressClass.isPublic) else { throw refusal }
        return other
    }
}

/// The address that connections are made to whatever the URL's host, which stays what the server is asked for and what its
/// certificate has to name. libcurl keeps connections to others apart. In its own kind of list.
final class ConnectTo {
    let address: NetworkAddress
    let list: UnsafeMutablePointer<curl_slist>

    init(_ address: NetworkAddress) throws(FeedError) {
        // Any host, any port, and the port stays.
        let text = address.isIPv4 ? "::\(address):" : "::[\(address)]:"
        guard let list = curl_slist_append(nil, text) else { throw .connectivity("libcurl: out of memory") }
        self.address = address
        self.list = list
    }

    deinit { curl_slist_free_all(list) }
}
