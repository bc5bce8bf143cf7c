import FeedCore

/// The settings in the form in which the network takes them.
extension Settings {
    var network: NetworkSettings {
        var network = NetworkSettings(userAgent: userAgent)
        network.connectTimeout = connectTimeout
        network.idleTimeout = timeout
        if let maxPerHost { network.maxConnectionsPerHost = maxPerHost }
        // One for each request in flight, and as many idle ones for later requests.
        network.maxConnections = 2 * jobs
        network.caFile = caFile
        network.isInsecure = insecure
        network.proxy = proxy
        network.netrcFile = netrcFile
        network.rateLimit = limitRate
        return network
    }

    var manner: RequestManner {
        RequestManner(network: network, retries: retries, maxRedirects: maxRedirects, allowsPrivate: allowPrivate)
    }

    var identity: Identity { Identity(headers: headers, usesNetrc: netrc || netrcFile != nil) }
}
