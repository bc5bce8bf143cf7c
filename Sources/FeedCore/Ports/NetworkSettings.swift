/// How to reach servers, for a whole run.
package struct NetworkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(10)
    /// With no byte arriving for this long, a transfer has failed.
    package var idleTimeout = Duration.seconds(30)
    package var maxConnectionsPerHost = Self.connectionsPerHost
    /// In use, or kept for later requests.
    package var maxConnections = 64
    package var userAgent: String
    /// A PEM file of the certificate authorities to trust instead of the system's.
    package var caFile: String?
    /// Take any certificate.
    package var isInsecure = false
    /// As `--proxy` gave it; "" for none at all; nil: as the environment's proxy variables say.
    package var proxy: String?
    /// The netrc file to take credentials from where a request may use one; nil: `~/.netrc`.
    package var netrcFile: String?
    /// Bytes a second of bodies as they come over the wire, over all transfers.
    package var rateLimit: Int64?

    /// Browsers have so many to a host.
    package static let connectionsPerHost = 6

    package init(userAgent: String) { self.userAgent = userAgent }

    /// What decides whether a connection comes about, besides the host.
    package struct Route: Hashable, Sendable {
        let caFile: String?
        let isInsecure: Bool
        let proxy: String?
    }

    package var route: Route { Route(caFile: caFile, isInsecure: isInsecure, proxy: proxy) }
}
