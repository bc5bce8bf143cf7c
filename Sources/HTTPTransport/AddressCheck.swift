import CCurl
import FeedCore
import Glibc

/// Whether an address may be connected to: what a feed from outside must not make us do is call a private one.
enum AddressCheck {
    /// Why not; nil if it may. An address of a kind that isn't known counts as private.
    static func refusal(of address: NetworkAddress?, host: String?) -> FeedError? {
        let reason: AddressClass.Reason
        switch address?.addressClass {
        case .public: return nil
        case .private(let known): reason = known
        case nil: reason = .reserved
        }
        let shown = address?.description ?? "unknown"
        let message =
            "\(host ?? "the host") resolves to a private address (\(shown): \(reason.rawValue)); see --allow-private"
        return FeedError.invalidData(message, host: host).at(.trusting)
    }
}

extension NetworkAddress {
    /// Of what libcurl is about to connect to; nil if it is neither IPv4 nor IPv6.
    init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        // What is declared as a `sockaddr` is as long as the family makes it.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let bytes = UnsafeRawPointer(address) + offset
        switch address.pointee.family {
        case AF_INET:
            self.init(bytes: withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            self.init(bytes: withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
        default: return nil
        }
    }
}

/// What the last address that libcurl named turned out to be: mostly the next is the same.
struct AddressMemory {
    private var text = ""
    private var address: NetworkAddress?
    private var isPublic = false

    mutating func look(at text: UnsafePointer<CChar>) -> (address: NetworkAddress?, isPublic: Bool) {
        if strcmp(text, self.text) != 0 {
            self.text = String(cString: text)
            address = NetworkAddress(presentation: self.text)
            isPublic = address?.addressClass.isPublic ?? false
        }
        return (address, isPublic)
    }
}
