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

/// What the last address that libcurl named turned out to be: mostly the next is the same.
struct AddressMemory {
    private var text: [CChar] = [0]
    private var address: NetworkAddress?
    private var isPublic = false

    mutating func look(at text: UnsafePointer<CChar>) -> (address: NetworkAddress?, isPublic: Bool) {
        if strcmp(text, self.text) != 0 {
            self.text = Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
            address = NetworkAddress(presentation: String(cString: text))
            isPublic = address?.addressClass.isPublic ?? false
        }
        return (address, isPublic)
    }
}
