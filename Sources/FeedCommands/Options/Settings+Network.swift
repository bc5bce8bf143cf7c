import FeedCore

/// The settings in the form in which the network takes them.
extension Settings {
    var network: NetworkSettings {
        var network = NetworkSettings(userAgent: userAgent)
        network.connectTimeout = connectTimeout
        network.idleTimeout = timeout
        if let ownMaxPerHost { network.maxConnectionsPerHost = ownMaxPerHost }
        // One for each request in flight, and as many idle ones for later requests.
        network.maxConnections = 2 * jobs
        network.caFile = caFile
        network.isInsecure = insecure
        network.proxy = proxy
        network.netrcFile = netrcFile
        network.rateLimit = limitRate.map { sharing.share(of: $0) }
        return network
    }

    /// Machines that ask the same hosts share what those allow. Nil: as its protocol has it.
    var ownMaxPerHost: Int? {
        guard sharing.count > 1 else { return maxPerHost }
        return sharing.share(of: maxPerHost ?? NetworkSettings.connectionsPerHost)
    }

    private var sharing: Shard { shardBy == .image ? shard : .none }

    var manner: RequestManner {
        RequestManner(network: network, retries: retries, maxRedirects: maxRedirects, allowsPrivate: allowPrivate)
    }

    var identity: OwnCredentials { OwnCredentials(headers: headers, usesNetrc: netrc || netrcFile != nil) }
}
