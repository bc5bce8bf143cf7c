import FeedCore
import Glibc

/// Whether an address may be connected to: what a feed from outside must not make us do is call a private one.
enum AddressCheck {
    /// Why not; nil if it may. An address of a kind that isn't known counts as private.
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

    /// Of a name that a proxy is to look up, as far as it can be told without.
    static func refusal(ofNameIn url: ResourceURL) -> FeedError? {
        guard let host = url.host, let message = reason(againstLoopbackName: host) else { return nil }
        return FeedError.invalidData(message, host: url.hostAndPort).at(.trusting)
    }

    /// A name that always means the machine where it is looked up (RFC 6761), which may be this one, as its proxy often is.
    private static func reason(againstLoopbackName host: String) -> String? {
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        guard labels.last.map({ String($0)?.lowercased() == "localhost" }) == true else { return nil }
        return "\(host) is the machine of the proxy itself, which may be this one; see --allow-private"
    }
}

extension NetworkAddress {
    /// Of a URL's host that is an address, however that is written: programs read `127.1` and `0x7f.1` as one too.
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

/// What the last address that libcurl named turned out to be: mostly the next is the same.
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
