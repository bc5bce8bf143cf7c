/// How the requests for one feed are made. What transfers share, the limits on connections and on the rate, is the
/// client's affair.
package struct RequestManner: Hashable, Sendable {
    package var network: NetworkSettings
    /// Further tries after the first.
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
