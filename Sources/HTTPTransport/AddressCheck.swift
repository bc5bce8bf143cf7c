import FeedCore
import Glibc

/// Decides whether a request may connect to an address: a feed from outside must not reach private addresses.
enum AddressCheck {
    /// Returns the reason to refuse the address, or nil.
    ///
    /// An address of an unknown kind counts as private.
    static func refusal(of address: NetworkAddress?, at url: ResourceURL?) -> FeedError? {
        let reason: AddressClass.Reason
        switch address?.addressClass {
        case .public: return nil
        case .private(let known): reason = known
        case nil: reason = .reserved
        }
        let shown = address?.description ?? "unknown"
        let message =
            "\(url?.host ?? "the host") resolves to a private address (\(shown): \(reason.rawValue)); see --allow-private"
        return FeedError.invalidData(message, host: url?.hostAndPort).at(.trusting)
    }

    /// Refuses a host name that a proxy will resolve, as far as the name itself shows its address.
    static func refusal(ofNameIn url: ResourceURL) -> FeedError? {
        guard let host = url.host, let message = reason(againstLoopbackName: host) else { return nil }
        return FeedError.invalidData(message, host: url.hostAndPort).at(.trusting)
    }

    /// Returns why a loopback name is refused, or nil.
    ///
    /// It always means the machine that resolves it (RFC 6761), which for a local proxy is this machine.
    private static func reason(againstLoopbackName host: String) -> String? {
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        guard labels.last.map({ String($0)?.lowercased() == "localhost" }) == true else { return nil }
        return "\(host) is the machine of the proxy itself, which may be this one; see --allow-private"
    }
}

extension NetworkAddress {
    /// Parses a URL's host that is an address in any notation: some programs also accept `127.1` and `0x7f.1`.
    init?(literal host: String) {
        var text = host[...]
        if text.hasPrefix("[") { text = text.dropFirst().prefix { $0 != "]" && $0 != "%" } }
        if text.hasSuffix(".") { text.removeLast() }
        let name = String(text)
        if let address = NetworkAddress(presentation: name) {
            self = address
            return
        }
        var address = in_addr()
        guard inet_aton(name, &address) != 0 else { return nil }
        self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
    }
}

/// The facts about the last address that libcurl reported, because the next address is usually the same.
struct AddressCache {
    struct AddressFacts {
        var address: NetworkAddress?
        var isOfOwnNetwork = false
        var isPublic = false
    }

    private var text: [CChar] = [0]
    private var known = AddressFacts()

    mutating func facts(about text: UnsafePointer<CChar>) -> AddressFacts {
        if strcmp(text, self.text) != 0 {
            self.text = Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
            let address = NetworkAddress(presentation: String(cString: text))
            known = AddressFacts(
                address: address, isOfOwnNetwork: address?.isOfOwnNetwork ?? false,
                isPublic: address?.addressClass.isPublic ?? false)
        }
        return known
    }
}
