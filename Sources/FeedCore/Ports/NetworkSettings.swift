/// The settings for reaching servers.
package struct NetworkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(10)
    /// A transfer fails after this time without a byte.
    package var idleTimeout = Duration.seconds(30)
    package var maxConnectionsPerHost = Self.connectionsPerHost
    /// The number of open connections, in use or kept for later requests.
    package var maxConnections = 64
    package var userAgent: String
    /// A PEM file of the certificate authorities that replace the system's.
    package var caFile: String?
    /// Whether every certificate is accepted.
    package var isInsecure = false
    /// The proxy from `--proxy`. An empty string disables proxies; nil leaves the choice to the environment variables.
    package var proxy: String?
    /// The netrc file for requests that may use one; nil for `~/.netrc`.
    package var netrcFile: String?
    /// The limit in body bytes per second, as they are on the wire, over all transfers.
    package var rateLimit: Int64?

    /// The number of connections that browsers open to one host.
    package static let connectionsPerHost = 6

    package init(userAgent: String) { self.userAgent = userAgent }

    /// The settings that decide, together with the host, whether a connection succeeds.
    package struct Route: Hashable, Sendable {
        let caFile: String?
        let isInsecure: Bool
        let proxy: String?
    }

    package var route: Route { Route(caFile: caFile, isInsecure: isInsecure, proxy: proxy) }
}

/// The settings for the requests of one feed. The limits on connections and on the rate hold for all transfers
/// together, and are settings of the client.
package struct RequestManner: Hashable, Sendable {
    package var network: NetworkSettings
    /// The number of attempts after the first.
    package var retries: Int
    package var maxRedirects: Int
    package var allowsPrivate: Bool

    package init(network: NetworkSettings, retries: Int, maxRedirects: Int, allowsPrivate: Bool) {
        self.network = network
        self.retries = retries
        self.maxRedirects = maxRedirects
        self.allowsPrivate = allowsPrivate
    }
}
